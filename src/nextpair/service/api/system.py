"""Is it alive, how does it do, and files that organisers upload."""

from __future__ import annotations

from typing import Any

from anyio import fail_after, to_thread
from fastapi import APIRouter, Depends, Request, UploadFile
from fastapi.responses import PlainTextResponse, Response
from sqlalchemy import text
from starlette import datastructures

from nextpair.service.api import replies
from nextpair.service.api.replies import ERRORS
from nextpair.service.auth import BEARER, desk_of, require_organiser
from nextpair.service.errors import ServiceError, no_database, not_found
from nextpair.service.item_tables import told_of
from nextpair.service.security import MEDIA_POLICY

router = APIRouter(tags=["system"], responses={503: ERRORS[503]})
HEALTH_SECONDS = 3.0  # for the database to answer: whoever watches is told before they stop waiting


@router.head("/healthz", include_in_schema=False)  # what some watch a page with
@router.get("/healthz", response_model=replies.Health)
@router.get("/api/v1/healthz", response_model=replies.Health)
async def healthz(request: Request) -> dict[str, str]:
    """Whether this process serves and its database answers."""
    engine = desk_of(request).records.engine

    def ping() -> None:
        with engine.connect() as connection:
            connection.execute(text("SELECT 1"))

    try:
        with fail_after(HEALTH_SECONDS):
            await to_thread.run_sync(ping, abandon_on_cancel=True)
    except TimeoutError:
        raise no_database() from None
    return {"status": "ok"}


@router.get("/metrics", response_class=PlainTextResponse)
@router.get("/api/v1/metrics", response_class=PlainTextResponse)
async def metrics(request: Request) -> PlainTextResponse:
    """Counts and latencies of this process, for Prometheus."""
    return PlainTextResponse(request.app.state.metrics.render(), media_type="text/plain; version=0.0.4")


@router.post(
    "/api/v1/media",
    status_code=201,
    response_model=replies.MediaOut,
    responses=ERRORS,
    dependencies=[Depends(require_organiser), BEARER],
)
async def upload(request: Request, file: UploadFile) -> Any:
    """Upload a picture: PNG, JPEG, GIF or WebP."""
    content = await read_upload(file, desk_of(request).settings.upload_bytes)
    picture = await desk_of(request).add_picture(content)
    return {"image": picture.image, "type": picture.type}


@router.post("/api/v1/items/reading", include_in_schema=False, dependencies=[Depends(require_organiser)])
async def reading(request: Request, file: UploadFile) -> dict[str, str]:
    """How a file of items will be read, for the form in which it is chosen."""
    content = await read_upload(file, desk_of(request).settings.upload_bytes)
    return {"told": await to_thread.run_sync(told_of, content)}


async def read_upload(file: datastructures.UploadFile, most: int) -> bytes:
    """The content of an uploaded file, unless it is too large."""
    content = await file.read(most + 1)
    if len(content) > most:
        name = (file.filename or "the file")[:80]
        raise ServiceError(413, "too_large", f"{name} is too large: a file may have at most {most / 1e6:g} MB")
    return content


@router.head("/media/{name}", include_in_schema=False)
@router.get("/media/{name}", include_in_schema=False)
async def media(request: Request, name: str) -> Response:
    """An uploaded picture. Its name cannot be guessed; a browser will treat it as a picture and nothing else."""
    found = await to_thread.run_sync(desk_of(request).records.media, name)
    if found is None:
        raise not_found("there is no such picture")
    kind, content = found
    safe = {
        "Content-Security-Policy": MEDIA_POLICY,
        "Cache-Control": "private, max-age=86400, immutable",
        "Content-Disposition": "inline",
        "Cross-Origin-Resource-Policy": "same-origin",
    }
    return Response(content, media_type=kind, headers=safe)
