"""What every request passes: size limit, security headers, metrics, and a log line without secrets."""

from __future__ import annotations

import logging
import re
import time
from collections.abc import Awaitable, Callable
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from nextpair.service.auth import is_organiser
from nextpair.service.errors import DATABASE_ERRORS, ServiceError
from nextpair.service.metrics import Metrics
from nextpair.service.security import headers, page_policy
from nextpair.service.timing import collect, header

log = logging.getLogger("nextpair.access")
STRANGERS_BYTES = 1_000_000  # a body is read before it is known who sends it: megabytes are for organisers
# addresses that carry a secret: what follows is not logged
_SECRET = re.compile(r"^/(w|join|welcome|media)/[^/]+")


def without_secrets(path: str) -> str:
    """A path that may be logged: links' tokens are cut out; the query is never part of it."""
    shown = _SECRET.sub(r"/\1/…", path)
    # no line breaks and no codes that a terminal would obey
    return "".join(c if c.isprintable() else quote(c, errors="replace") for c in shown)


class Gate:
    """The outermost layer of the application. What it refuses, and what nobody caught, is told by `on_error`."""

    def __init__(
        self,
        app: ASGIApp,
        metrics: Metrics,
        https: bool,
        max_bytes: int,
        on_error: Callable[[Request, Exception], Awaitable[Response]],
    ) -> None:
        self.app, self.metrics, self.max_bytes, self.on_error = app, metrics, max_bytes, on_error
        always = {**headers(https), "Content-Security-Policy": page_policy(), "Cache-Control": "no-store"}
        self.headers = [(name.lower().encode(), value.encode()) for name, value in always.items()]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        started, status, spans = time.perf_counter(), 0, collect()

        async def send_safely(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                own = list(message.get("headers", []))
                named = {name.lower() for name, _ in own}
                if scope["path"].startswith("/static/"):
                    # the same for everybody, but after an update no old part may meet a new one: kept, and asked about
                    own.append((b"cache-control", b"no-cache"))
                    named.add(b"cache-control")
                if scope["path"].startswith("/api/"):
                    spans["total"] = time.perf_counter() - started
                    own.append((b"server-timing", header(spans).encode()))
                message["headers"] = own + [pair for pair in self.headers if pair[0] not in named]
            await send(message)

        async def tell(problem: Exception) -> None:
            answer = await self.on_error(Request(scope), problem)
            await answer(scope, receive, send_safely)

        try:
            if (problem := await self._refuse(scope)) is not None:
                await tell(problem)
            else:
                await self.app(scope, self._limited(scope, receive), send_safely)
        except Exception as error:
            if not status:
                await tell(error)
            raise  # the server logs where it comes from
        finally:
            self._note(scope, status or 500, time.perf_counter() - started)

    def _note(self, scope: Scope, status: int, seconds: float) -> None:
        route = getattr(scope.get("route"), "path", None) or "other"
        self.metrics.observe(scope["method"] if route != "other" else "any", route, status, seconds)
        log.info("%s %s %d %.1f ms", scope["method"], without_secrets(scope["path"]), status, 1000 * seconds)

    async def _refuse(self, scope: Scope) -> Exception | None:
        if "\x00" in scope["path"] or b"%00" in scope.get("query_string", b""):
            return ServiceError(404, "not_found", "an address does not contain the character NUL")
        declared = dict(scope["headers"]).get(b"content-length", b"0")
        length = int(declared) if declared.isdigit() else 0
        if length > self.max_bytes:
            most = f"{self.max_bytes / 1e6:g} MB"
            return ServiceError(413, "too_large", f"at most {most} can be sent at once: send less, or smaller files")
        if length <= STRANGERS_BYTES:
            return None
        try:
            return None if await is_organiser(Request(scope)) else _only_organisers()
        except DATABASE_ERRORS as error:
            return error

    def _limited(self, scope: Scope, receive: Receive) -> Receive:
        taken, most = 0, min(STRANGERS_BYTES, self.max_bytes)

        async def limited() -> Message:
            nonlocal taken, most
            message = await receive()
            taken += len(message.get("body", b""))
            if taken > most and most < self.max_bytes and await is_organiser(Request(scope)):
                most = self.max_bytes
            if taken > most:  # sent in pieces, without saying how long: hang up
                return {"type": "http.disconnect"}
            return message

        return limited


def _only_organisers() -> ServiceError:
    most = f"{STRANGERS_BYTES / 1e6:g} MB"
    advice = "sign in first, or send the organiser's token"
    return ServiceError(401, "unauthorised", f"only an organiser can send more than {most} at once: {advice}")
