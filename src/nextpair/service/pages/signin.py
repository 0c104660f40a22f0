"""Signing in and out: by the organiser's token, or by the one-time link that the server prints."""

from __future__ import annotations

import re
from urllib.parse import quote

from anyio import to_thread
from fastapi import HTTPException, Request
from fastapi.responses import RedirectResponse, Response

from nextpair.service.auth import (
    desk_of,
    find_token,
    is_organiser,
    limit,
    organiser_key,
    session_cookie,
    start_session,
)
from nextpair.service.errors import ServiceError
from nextpair.service.pages.forms import read_form, text_of
from nextpair.service.pages.render import render
from nextpair.service.pages.routes import pages
from nextpair.service.security import hash_token

router = pages()
# the organiser's own pages, and nothing else: who signs in is led to no other server, and follows no link by it
_PAGE = re.compile(r"/(tokens|campaigns/[A-Za-z0-9]+(/invite|/report)?)")


def page_of(address: str) -> str:
    """The organiser's page that an address belongs to (an export's is the campaign); the list where there is none."""
    found = _PAGE.match(address)
    return found[0] if found else "/"


def signin_address(address: str) -> str:
    """Where to sign in, and to be led to the page of an address from there."""
    page = page_of(address)
    return "/signin" if page == "/" else f"/signin?next={quote(page, safe='')}"


@router.get("/signin")
async def signin_page(request: Request) -> Response:
    page = page_of(request.query_params.get("next", ""))
    if await is_organiser(request):
        return RedirectResponse(page, 303)
    return _signin_page(request, page, None)


def _signin_page(request: Request, page: str, problem: str | None) -> Response:
    has_token = desk_of(request).settings.organiser_token is not None
    status = 200 if problem is None else 401
    return render(request, "signin.html", status, signed_in=False, page=page, problem=problem, has_token=has_token)


@router.post("/signin")
async def signin(request: Request) -> Response:
    form = await read_form(request)
    await limit(request, "signin", desk_of(request).settings.signin_rate)
    token, page = text_of(form, "token").strip(), page_of(text_of(form, "next"))
    key = await organiser_key(request, token)
    if key is None:
        return _signin_page(request, page, "That is not an organiser's token: check that all of it was copied.")
    response = RedirectResponse(page, 303)
    await start_session(request, response, key)
    return response


@router.get("/welcome/{code}")
async def welcome(request: Request, code: str) -> Response:
    """The one-time link: it signs in whoever follows it first. To follow it again does them no harm."""
    if request.method == "HEAD":  # which must not use it up
        raise HTTPException(405, headers={"Allow": "GET"})
    await limit(request, "signin", desk_of(request).settings.signin_rate)
    if not await to_thread.run_sync(desk_of(request).records.use_token, hash_token(code), "once"):
        if await is_organiser(request):
            return RedirectResponse("/", 303)
        raise ServiceError(
            404, "used_link", "this link was already used or is too old: restart the server for a new one"
        )
    response = RedirectResponse("/", 303)
    await start_session(request, response)
    return response


@router.post("/signout")
async def signout(request: Request) -> Response:
    if not await is_organiser(request):  # in another window, or by time: they have what they want
        return RedirectResponse("/signin", 303)
    await read_form(request)
    record = await find_token(request, request.cookies.get(session_cookie(request)))
    if record is not None:
        await to_thread.run_sync(desk_of(request).records.revoke_token, record.id)
    response = RedirectResponse("/signin", 303)
    response.delete_cookie(session_cookie(request))
    return response
