"""Server-sent events: the journal as it grows. It is polled, so that what another process writes arrives too."""

from __future__ import annotations

import asyncio
import json
import logging
import time
from collections.abc import AsyncIterator
from typing import Annotated

from anyio import to_thread
from fastapi import APIRouter, Depends, Header, Query, Request
from sse_starlette import EventSourceResponse, ServerSentEvent

from nextpair.campaign.events import encode
from nextpair.service.api.replies import ERRORS
from nextpair.service.auth import desk_of, is_organiser, require_organiser
from nextpair.service.errors import DATABASE_ERRORS
from nextpair.service.views import join_question
from nextpair.store.protocol import Entry

log = logging.getLogger("nextpair")
router = APIRouter(prefix="/api/v1", tags=["campaigns"], responses=ERRORS, dependencies=[Depends(require_organiser)])
POLL_SECONDS = 0.4
CHECK_SECONDS = 4.0  # how long a stream may outlive its campaign, and the token or session that it was opened with


@router.get(
    "/campaigns/{campaign_id}/events",
    response_class=EventSourceResponse,
    responses={200: {"content": {"text/event-stream": {"schema": {"type": "string"}}}}},
)
async def events(
    request: Request,
    campaign_id: str,
    start: Annotated[int | None, Query(alias="from", ge=0, le=2**53)] = None,
    last_event_id: Annotated[str | None, Header()] = None,
) -> EventSourceResponse:
    """A `state` event at once, then every new event of the journal; `from` or Last-Event-ID: those after it too."""
    head = await desk_of(request).run(campaign_id, lambda live: live.seq)
    if last_event_id is not None and last_event_id.isascii() and last_event_id.isdigit() and len(last_event_id) < 16:
        start = int(last_event_id) + 1
    news = _follow(request, campaign_id, head, head if start is None else start)
    return EventSourceResponse(_while_it_answers(news), ping=15)


async def _while_it_answers(news: AsyncIterator[ServerSentEvent]) -> AsyncIterator[ServerSentEvent]:
    """End the stream with the database: who follows it asks again, and is told."""
    try:
        async for event in news:
            yield event
    except DATABASE_ERRORS as error:
        log.warning("a stream of events ends: %s", str(error).splitlines()[0])


async def _follow(request: Request, campaign: str, head: int, seq: int) -> AsyncIterator[ServerSentEvent]:
    desk = desk_of(request)
    checked = time.monotonic()
    yield ServerSentEvent(event="state", data=json.dumps({"seq": head}))
    while True:
        if time.monotonic() - checked >= CHECK_SECONDS:
            known = await to_thread.run_sync(desk.records.campaign, campaign)
            if known is None or not await is_organiser(request):
                return
            checked = time.monotonic()
        for entry in await to_thread.run_sync(desk.store.read, campaign, seq):
            yield _event(campaign, entry)
            seq = entry.seq + 1
        await asyncio.sleep(POLL_SECONDS)


def _event(campaign: str, entry: Entry) -> ServerSentEvent:
    record = encode(entry.event)
    kind = record.pop("event").lower()
    if "question" in record:
        record["question"] = join_question(campaign, record["question"])
    return ServerSentEvent(event=kind, id=str(entry.seq), data=json.dumps({"seq": entry.seq, "at": entry.at, **record}))
