"""The worker's pages: joining by an open link, entering by a personal one, and answering."""

from __future__ import annotations

import re
from contextlib import suppress

from anyio import to_thread
from fastapi import Request
from fastapi.responses import RedirectResponse, Response

from nextpair.errors import CampaignClosed
from nextpair.service.auth import desk_of, find_token, find_worker, limit, set_cookie, worker_cookie
from nextpair.service.content import clean, image_origins
from nextpair.service.errors import DATABASE_ERRORS, ServiceError
from nextpair.service.invitations import link_of
from nextpair.service.languages.catalogue import Language, language_of, wished_for
from nextpair.service.pages.forms import read_form, text_of
from nextpair.service.pages.render import render
from nextpair.service.pages.routes import pages
from nextpair.service.records import CampaignRecord
from nextpair.service.security import new_token

router = pages()
COOKIE_SECONDS = 60 * 24 * 3600.0
OUTSIDE = ("PROLIFIC_PID", "workerId")  # how Prolific and Mechanical Turk name a worker
_PAGE = re.compile(r"/(?:w/|(?:join|work)/([A-Za-z0-9]*))")  # of workers, with the campaign that some name
# as in {{%PROLIFIC_PID%}} and ${workerId}: where a platform should have put the id in
_GAP = re.compile(r"[{$%]\{|\{%|…|^\{[A-Za-z_ ]+\}$")


def _outside_id(request: Request) -> str:
    for name in OUTSIDE:
        if given := request.query_params.get(name, "").strip():
            return _of_one(clean(given)[:200])
    return ""


def _of_one(outside_id: str) -> str:
    """The id, or an error for one that everybody would bring along: all would answer as one worker."""
    if _GAP.search(outside_id):
        told = f"this link was to bring your id along, but brings {outside_id[:60]!r}"
        advice = "open it on the platform, and not from a preview or a copy"
        raise ServiceError(422, "no_outside_id", f"{told}: {advice}", values={"given": outside_id[:60]})
    return outside_id


async def language_at(request: Request, error: ServiceError) -> Language | None:
    """The language of who meets an error: on a worker's page that of the campaign, if it is known, or of the browser.

    None on other pages, which are organisers'.
    """
    page = _PAGE.match(request.url.path)
    if page is None:
        return None
    record = None
    if page[1] and error.status < 500:  # or else nobody can look it up just now
        with suppress(*DATABASE_ERRORS):
            record = await to_thread.run_sync(desk_of(request).records.campaign, page[1])
    return language_of(record.options.language) if record else wished_for(request.headers.get("accept-language", ""))


@router.get("/join/{token}")
async def join_page(request: Request, token: str) -> Response:
    record = await desk_of(request).joinable(token)
    if not _outside_id(request) and await find_worker(request, record.id) is not None:
        return RedirectResponse(f"/work/{record.id}", 303)
    return await _join_page(request, record, token)


async def _join_page(
    request: Request, record: CampaignRecord, token: str, status: int = 200, again: bool = False, name: str = ""
) -> Response:
    over = not await desk_of(request).takes_in(record.id, _outside_id(request))
    return render(
        request,
        "join.html",
        status,
        language=language_of(record.options.language),
        over=over,
        signed_in=False,
        campaign=record,
        token=token,
        outside_id=_outside_id(request),
        again=again,
        name=name,
        key=new_token(),  # what the worker is made from: a form that is sent again makes the same one
    )


@router.post("/join/{token}")
async def join(request: Request, token: str) -> Response:
    """Take part: a new worker, or the same one again for a form or an outside id that was here before."""
    form = await read_form(request)
    await limit(request, "join", desk_of(request).settings.join_rate)
    record = await desk_of(request).joinable(token)
    outside = _of_one(text_of(form, "outside_id").strip()[:200]) or None
    if outside is None and await find_worker(request, record.id) is not None:
        return RedirectResponse(f"/work/{record.id}", 303)  # from another window, or after a way back
    name = text_of(form, "name").strip()[:200]
    worker, own = None, None
    if outside is None:
        worker, own = link_of(desk_of(request).secret, record.id, text_of(form, "key") or new_token(), name)
    try:
        invitation = await desk_of(request).invite(record.id, name, worker, outside, token=own, by_open_link=True)
    except CampaignClosed:
        return await _join_page(request, record, token, 409)
    except ServiceError as error:
        if error.code != "link_void":
            raise
        return await _join_page(request, record, token, 409, again=True, name=name)
    response = RedirectResponse(f"/work/{record.id}", 303)
    set_cookie(request, response, worker_cookie(record.id), invitation.token, COOKIE_SECONDS)
    return response


@router.get("/w/{token}")
async def enter(request: Request, token: str) -> Response:
    """A personal link: remember the worker and show them to the questions, at an address without the secret."""
    record = await find_token(request, token)
    if record is None or record.role != "worker" or record.campaign is None:
        raise ServiceError(404, "unknown_link", "this link does not work (any more): ask for a new one")
    response = RedirectResponse(f"/work/{record.campaign}", 303)
    set_cookie(request, response, worker_cookie(record.campaign), token, COOKIE_SECONDS)
    return response


@router.get("/work/{campaign_id}")
async def work_page(request: Request, campaign_id: str) -> Response:
    desk = desk_of(request)
    worker = await find_worker(request, campaign_id)
    if worker is None:
        raise ServiceError(
            403,
            "unknown_worker",
            "open the link that you were given again; if you see this once more, allow cookies in your browser",
        )
    _, record = await desk.live(campaign_id)
    items = await to_thread.run_sync(desk.records.items, campaign_id)
    known = await to_thread.run_sync(desk.records.worker, campaign_id, worker.id)
    images = image_origins(list(items.values()))
    return render(
        request,
        "work.html",
        image_origins=images,
        language=language_of(record.options.language),
        images=images,
        signed_in=False,
        campaign=record,
        worker=worker.id,
        name=known.name if known else "",
    )
