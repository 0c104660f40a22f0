"""Who is calling: an organiser or a worker, by a bearer token (programs) or by a cookie (browsers)."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar
from urllib.parse import unquote

from anyio import to_thread
from fastapi import Request, Response, Security
from fastapi.security import HTTPBearer

from nextpair.service.desk import Desk
from nextpair.service.errors import ServiceError
from nextpair.service.live import Live
from nextpair.service.security import hash_token, new_token, same, sign
from nextpair.service.tokens import TokenRecord, session_key

VISIT = "nextpair_visit"
AS_WORKER = "x-worker"  # whom a page is for: one browser may hold an organiser's and several workers' cookies
SESSION_SECONDS = 14 * 24 * 3600.0
ONCE_SECONDS = 24 * 3600.0
T = TypeVar("T")
# for the description only, so that programs made from it send a token: who is asked for one is decided below
BEARER = Security(HTTPBearer(auto_error=False, scheme_name="token", description="An organiser's token, or a worker's."))
_SAFE = ("GET", "HEAD", "OPTIONS")


@dataclass(frozen=True)
class Worker:
    """A worker who has shown their token."""

    campaign: str
    id: str


def desk_of(request: Request) -> Desk:
    desk = request.app.state.desk
    assert isinstance(desk, Desk)
    return desk


def bearer(request: Request) -> str | None:
    """The token of the Authorization header, if there is one."""
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    return token.strip() if scheme.lower() == "bearer" and token.strip() else None


async def find_token(request: Request, token: str | None) -> TokenRecord | None:
    """Whom a token stands for. It is looked up by its hash, which tells a listener to the clock nothing."""
    if token is None:
        return None
    return await to_thread.run_sync(desk_of(request).records.token, hash_token(token))


async def is_organiser(request: Request) -> bool:
    """Whether the caller may organise; no error if not."""
    token = bearer(request)
    if token is not None:
        return await organiser_key(request, token) is not None
    record = await find_token(request, request.cookies.get(session_cookie(request)))
    return record is not None and record.role == "session" and _still_opens(request, record.name)


async def organiser_key(request: Request, token: str) -> str | None:
    """What a session that is begun with this token hangs on: it ends with the token. None: it opens nothing."""
    given = desk_of(request).settings.organiser_token
    if given is not None and same(hash_token(token), hash_token(given)):
        return _server_key(request, given)
    record = await find_token(request, token)
    return session_key(record.id) if record is not None and record.role == "organiser" else None


def _server_key(request: Request, given: str) -> str:
    return f"server:{sign(desk_of(request).secret, 'session', given)}"


def _still_opens(request: Request, key: str) -> bool:
    """Whether the server still has the token that a session was begun with; a program's takes its sessions along."""
    given = desk_of(request).settings.organiser_token
    return not key.startswith("server:") or (given is not None and same(key, _server_key(request, given)))


async def require_organiser(request: Request) -> None:
    """Let organisers pass, and nobody else."""
    if await is_organiser(request):
        if bearer(request) is None:
            check_form(request, request.headers.get("x-csrf-token"))
        return
    known = await find_token(request, bearer(request))
    if known is not None:
        raise ServiceError(403, "forbidden", "this needs the organiser's token; a worker's does not open it")
    raise ServiceError(401, "unauthorised", "this needs the organiser's token: Authorization: Bearer <token>")


async def find_worker(request: Request, campaign_id: str) -> Worker | None:
    """The worker of this campaign who is calling; no error if there is none."""
    token = bearer(request) or request.cookies.get(worker_cookie(campaign_id))
    record = await find_token(request, token)
    if record is None or record.role != "worker" or record.campaign != campaign_id or record.worker is None:
        return None
    _refuse_another(request, record.worker)
    return Worker(campaign_id, record.worker)


def _refuse_another(request: Request, worker: str) -> None:
    """An answer given in one worker's name is not another's, though their link was the last to be opened here."""
    meant = request.headers.get(AS_WORKER)
    if meant is not None and unquote(meant) != worker:
        raise ServiceError(
            409,
            "other_worker",
            f"this is for the worker {unquote(meant)[:80]!r}, but the token is another's: open the right link again",
        )


async def require_worker(request: Request, campaign_id: str) -> Worker:
    """The worker of this campaign who is calling, or an error that says what is missing."""
    worker = await find_worker(request, campaign_id)
    if worker is not None:
        if bearer(request) is None:
            check_form(request, request.headers.get("x-csrf-token"))
        return worker
    if await find_token(request, bearer(request)) is not None or await is_organiser(request):
        raise ServiceError(403, "forbidden", "this needs the token of a worker of this campaign")
    raise ServiceError(401, "unauthorised", "this needs a worker's token: Authorization: Bearer <token>")


async def worker_or_organiser(request: Request, campaign_id: str) -> Worker | None:
    """The worker who is calling where both may, or None for an organiser. Who says to be a worker is no organiser."""
    if AS_WORKER in request.headers:
        return await require_worker(request, campaign_id)
    worker = None if await is_organiser(request) else await find_worker(request, campaign_id)
    if worker is None:
        await require_organiser(request)
    return worker


async def as_worker(request: Request, campaign_id: str, work: Callable[[Live, str], T]) -> T:
    """Do something in the name of the worker who is calling: `work` is given the campaign and the worker's id."""
    desk = desk_of(request)
    hashed = hash_token(bearer(request) or request.cookies.get(worker_cookie(campaign_id)) or "")
    if not desk.has_met(campaign_id, hashed):
        await require_worker(request, campaign_id)  # strangers do not hold up the campaign while they are checked
        desk.meet(campaign_id, hashed)
    elif bearer(request) is None:
        check_form(request, request.headers.get("x-csrf-token"))

    def step(live: Live, worker: str) -> T:
        _refuse_another(request, worker)
        return work(live, worker)

    return await desk.enter(campaign_id, hashed, step)


def client_address(request: Request) -> str:
    return request.client.host[:100] if request.client else "unknown"  # a proxy may be told anything


async def limit(request: Request, what: str, most: int) -> None:
    """Refuse what one address does too often in a minute."""
    key = f"{what}:{client_address(request)}"
    count = await to_thread.run_sync(desk_of(request).records.attempt, key)
    if count > most:
        message = "too many attempts from your address within a minute: wait a minute, then try again"
        raise ServiceError(429, "too_many_attempts", message, 60)


# forms and cookies


def visit_of(request: Request) -> str:
    """The random name of this browser, which its form tokens are bound to."""
    visit = request.cookies.get(VISIT) or getattr(request.state, "visit", None)
    if visit is None:
        visit = request.state.visit = secrets.token_urlsafe(24)
    return str(visit)


def form_token(request: Request) -> str:
    """What a form of ours carries and a foreign page cannot know: one half for the browser, one for its session."""
    session = request.cookies.get(session_cookie(request), "")
    return _page_token(request) + sign(desk_of(request).secret, "form", visit_of(request), session)


def _page_token(request: Request) -> str:
    return sign(desk_of(request).secret, "page", visit_of(request))


def is_from_here(request: Request, token: str) -> bool:
    """Whether a form was sent by one of our own pages in this browser, though its session be another by now."""
    ours = _page_token(request)
    return VISIT in request.cookies and same(token[: len(ours)], ours)


def check_form(request: Request, token: str | None) -> None:
    """Refuse a change that was not sent by one of our own pages."""
    if request.method in _SAFE:
        return
    if VISIT not in request.cookies or not same(token or "", form_token(request)):
        advice = "go back, reload the page and try again, with cookies switched on"
        raise ServiceError(
            403, "stale_form", f"this form is out of date, or was not sent by one of our pages: {advice}"
        )


def session_cookie(request: Request) -> str:
    """One for each installation: a browser keeps cookies by the host, and the demo may run at another port of it."""
    return f"nextpair_session_{sign(desk_of(request).secret, 'cookie')[:8]}"


def worker_cookie(campaign_id: str) -> str:
    safe = "".join(c for c in campaign_id if c.isascii() and c.isalnum())
    return f"nextpair_w_{safe}"


def set_cookie(request: Request, response: Response, name: str, value: str, seconds: float | None = None) -> None:
    """A cookie that scripts cannot read and foreign pages do not send along."""
    response.set_cookie(
        name,
        value,
        max_age=None if seconds is None else int(seconds),
        httponly=True,
        samesite="lax",
        secure=desk_of(request).settings.https or request.url.scheme == "https",
        path="/",
    )


async def start_session(request: Request, response: Response, key: str = "") -> None:
    """Sign the organiser in, for as long as the `organiser_key` holds."""
    token = new_token()
    records = desk_of(request).records
    hashed = hash_token(token)
    await to_thread.run_sync(lambda: records.add_token(hashed, "session", name=key, lifetime=SESSION_SECONDS))
    set_cookie(request, response, session_cookie(request), token, SESSION_SECONDS)
