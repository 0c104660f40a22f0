"""Signing in and out: by the organiser's token, or by the one-time link that the server prints."""

from __future__ import annotations

from anyio import to_thread
from fastapi import APIRouter, Request
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
from nextpair.service.security import hash_token

router = APIRouter(include_in_schema=False)


@router.get("/signin")
async def signin_page(request: Request) -> Response:
    if await is_organiser(request):
        return RedirectResponse("/", 303)
    return _signin_page(request, None)


def _signin_page(request: Request, problem: str | None) -> Response:
    has_token = desk_of(request).settings.organiser_token is not None
    status = 200 if problem is None else 401
    return render(request, "signin.html", status, signed_in=False, problem=problem, has_token=has_token)


@router.post("/signin")
async def signin(request: Request) -> Response:
    form = await read_form(request)
    await limit(request, "signin", desk_of(request).settings.signin_rate)
    token = text_of(form, "token").strip()
    key = await organiser_key(request, token)
    if key is None:
        return _signin_page(request, "That is not an organiser's token: check that all of it was copied.")
    response = RedirectResponse("/", 303)
    await start_session(request, response, key)
    return response


@router.get("/welcome/{code}")
async def welcome(request: Request, code: str) -> Response:
    """The one-time link: it signs in whoever follows it first. To follow it again does them no harm."""
    await limit(request, "signin", desk_of(request).settings.signin_rate)
    if not await to_thread.run_sync(desk_of(request).records.use_token, hash_token(code), "once"):
        if await is_organiser(request):
            return RedirectResponse("/", 303)
        raise ServiceError(
            404, "used_link", "this link was used already or is too old: restart the server for a new one"
        )
    response = RedirectResponse("/", 303)
    await start_session(request, response)
    return response


@router.post("/signout")
async def signout(request: Request) -> Response:
    await read_form(request)
    record = await find_token(request, request.cookies.get(session_cookie(request)))
    if record is not None:
        await to_thread.run_sync(desk_of(request).records.revoke_token, record.id)
    response = RedirectResponse("/signin", 303)
    response.delete_cookie(session_cookie(request))
    return response
