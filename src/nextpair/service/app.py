"""The application: the API, the pages and what surrounds them, on one database."""

from __future__ import annotations

import logging
import multiprocessing
import os
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from threading import Thread, Timer

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, RedirectResponse, Response
from fastapi.staticfiles import StaticFiles
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.routing import compile_path

from nextpair import __version__
from nextpair.campaign.campaign import Campaign
from nextpair.core.policies import AUTO_MOST_ITEMS
from nextpair.errors import NextpairError
from nextpair.service.api import campaigns, questions, stream, system, workers
from nextpair.service.auth import BEARER
from nextpair.service.desk import Desk
from nextpair.service.errors import DATABASE_ERRORS, as_service_error, wants_json
from nextpair.service.gate import Gate
from nextpair.service.metrics import Metrics
from nextpair.service.pages import organiser, signin, worker
from nextpair.service.pages.render import error_page
from nextpair.service.records import Records
from nextpair.service.settings import Settings
from nextpair.store.database import open_database
from nextpair.store.sql import SqlStore

log = logging.getLogger("nextpair")
STATIC = Path(__file__).parent / "static"


def set_up_logging() -> None:
    """One line a request, and what goes wrong, to standard error."""
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(name)s %(message)s", stream=sys.stderr)
    logging.getLogger("alembic").setLevel(logging.WARNING)


def from_environment() -> FastAPI:
    """The application of a process that was started with the settings in its environment, one of several."""
    set_up_logging()
    Thread(target=_end_with_parent, daemon=True).start()
    return create_app(Settings.from_environment())


def _end_with_parent() -> None:
    """Should the process that started this one be killed, end too: nobody restarts a server whose port is held."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os.kill(os.getpid(), signal.SIGTERM)


def create_app(settings: Settings) -> FastAPI:
    """The whole service on the database of the settings."""
    engine = open_database(settings.database)
    desk = Desk(settings, Records(engine), SqlStore(engine))

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        Thread(target=_warm_up, daemon=True).start()
        if settings.demo:
            from nextpair.service.demo import run_demo

            async with run_demo(desk):
                yield
        else:
            yield
        engine.dispose()

    app = FastAPI(
        title="nextpair",
        version=__version__,
        description=(
            "Rank items from pairwise answers. Send `Authorization: Bearer <token>`. A worker who also sends their id "
            "as `X-Worker` is refused with 409 `other_worker` where the token is not theirs."
        ),
        openapi_url="/api/v1/openapi.json",
        docs_url=None,  # these pages would load scripts from elsewhere
        redoc_url=None,
        lifespan=lifespan,
    )
    app.state.desk, app.state.metrics = desk, Metrics()
    for part in (campaigns, workers, questions, stream):
        app.include_router(part.router, dependencies=[BEARER])
    for part in (system, signin, organiser, worker):
        app.include_router(part.router)
    app.mount("/static", StaticFiles(directory=STATIC), name="static")
    for kind in (NextpairError, RequestValidationError, HTTPException, ClientDisconnect, *DATABASE_ERRORS):
        app.add_exception_handler(kind, _on_error)
    app.add_middleware(
        Gate,
        metrics=app.state.metrics,
        https=settings.https,
        max_bytes=settings.body_bytes,
        on_error=_on_error,
    )
    return app


def _warm_up() -> None:
    """Load the compiled engine before the first worker waits for it, for few items and for many."""
    notice = Timer(2.0, log.info, ["the engine is being compiled: this happens once and takes some seconds"])
    notice.daemon = True
    notice.start()
    for n_items in (3, AUTO_MOST_ITEMS + 1):  # another policy from here on
        campaign = Campaign(map(str, range(n_items)), [], lease=1.0)
        for name, choice in (("v", "left"), ("w", "tie")):
            campaign.add_worker(name)
            first, _ = campaign.ask(name), campaign.ask(name)  # a page has the next one at hand
            campaign.tell(first.id, choice)
            campaign.ranking()
            campaign.workers()
    notice.cancel()


def _methods(request: Request) -> str:
    """The methods that an address of the API takes: it may have several routes, and the framework names one's."""
    methods: set[str] = set()
    for path, operations in request.app.openapi()["paths"].items():
        if compile_path(path)[0].match(request.url.path):
            methods.update(operations)
    return ", ".join(sorted(method.upper() for method in methods))


async def _on_error(request: Request, error: Exception) -> Response:
    known = as_service_error(error)
    if known.status >= 500:
        log.warning("%s: %s", known.code, str(error).splitlines()[0] if str(error) else type(error).__name__)
    extra = {} if known.retry_after is None else {"Retry-After": str(known.retry_after)}
    if isinstance(error, HTTPException):
        extra |= error.headers or {}  # Allow, for a method that is not there
    if known.status == 405 and (methods := _methods(request)):
        extra["Allow"] = methods
    if known.status == 401:
        extra["WWW-Authenticate"] = "Bearer"
    if wants_json(request):
        body = {"error": {"code": known.code, "message": str(known)}}
        return JSONResponse(body, known.status, headers=extra)
    if known.status == 401 and request.method in ("GET", "HEAD"):
        return RedirectResponse(signin.signin_address(request.url.path), 303)
    if known.status == 405 and request.method == "GET":  # where a form was sent to, opened anew: the page it belongs to
        return RedirectResponse(signin.page_of(request.url.path), 303)
    return error_page(request, known, extra, await worker.language_at(request, known))
