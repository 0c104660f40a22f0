"""Campaigns for the organiser: create, look, change, export."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import fields, replace
from typing import Annotated, Any

from anyio import to_thread
from fastapi import APIRouter, Depends, Query, Request, Response

from nextpair.campaign import events as ev
from nextpair.campaign.campaign import Campaign
from nextpair.errors import InvalidSetting
from nextpair.service.api import replies, schemas, tables
from nextpair.service.api.replies import ERRORS
from nextpair.service.auth import desk_of, require_organiser, worker_or_organiser
from nextpair.service.content import Item, item_of_row, kind_with
from nextpair.service.drafts import Draft
from nextpair.service.errors import ServiceError
from nextpair.service.export import JOURNAL_TYPE, as_journal
from nextpair.service.live import Live
from nextpair.service.pictures import MEDIA
from nextpair.service.progress import state_of
from nextpair.service.records import CampaignRecord, Options
from nextpair.service.views import comparison_rows, dashboard, own_view, ranking_rows, summary, worker_rows

router = APIRouter(prefix="/api/v1", tags=["campaigns"], responses=ERRORS)
organiser = [Depends(require_organiser)]


def base_url(request: Request) -> str:
    """How the outside reaches this server."""
    given = desk_of(request).settings.base_url
    return (given or str(request.base_url)).rstrip("/")


def join_url(request: Request, record: CampaignRecord) -> str:
    return f"{base_url(request)}/join/{desk_of(request).join_token(record)}"


def new_item(body: schemas.NewItem, number: int) -> Item:
    """An item of the API's body; an uploaded picture is named by what POST /media gave."""
    image = body.image
    if image is not None and image.startswith(MEDIA):
        return Item(body.id or str(number), body.text, kind_with(image, body.kind, body.text), image, body.guess)
    return item_of_row(body.model_dump(exclude_none=True), number)


def draft_of(body: schemas.NewCampaign) -> Draft:
    """The API's body in the service's words."""
    engine: dict[str, Any] = {
        "cost": body.price,
        "quota": body.quota,
        "min_looks": body.min_looks,
        "one_stays": body.one_stays,
        "best": body.best,
        "policy": body.policy,
        "seed": body.seed,
    }
    if body.lease is not None:
        engine["lease"] = body.lease
    options = Options(**{field.name: getattr(body, field.name) for field in fields(Options)})
    items = [new_item(item, number) for number, item in enumerate(body.items, start=1)]
    rows = [row.model_dump() for row in body.comparisons]
    return Draft(body.name, body.question, items, body.budget, options, body.target_accuracy, engine, rows)


def linked(request: Request) -> Callable[[Live, CampaignRecord], dict[str, Any]]:
    """A view of a campaign with its open link."""
    return lambda live, record: summary(live, record) | {"join_url": join_url(request, record)}


@router.post("/campaigns", status_code=201, dependencies=organiser, response_model=replies.LinkedCampaignOut)
async def create(request: Request, body: schemas.NewCampaign) -> Any:
    """Start a campaign."""
    record = await desk_of(request).create(await to_thread.run_sync(draft_of, body))
    return await desk_of(request).look(record.id, linked(request))


@router.get("/campaigns", dependencies=organiser, response_model=list[replies.CampaignOut])
async def listing(request: Request) -> Any:
    """Every campaign, the newest first."""
    shown = []
    for record in await to_thread.run_sync(desk_of(request).records.campaigns):
        try:
            shown.append(await desk_of(request).look(record.id, summary))
        except ServiceError as error:
            if error.status != 404:  # deleted meanwhile
                raise
    return shown


@router.get(
    "/campaigns/{campaign_id}",
    response_model=replies.LinkedCampaignOut | replies.OwnCampaignOut,
    response_model_exclude_unset=True,  # no completion before its time
)
async def show(request: Request, campaign_id: str) -> Any:
    """A campaign: everything for its organiser; its words and their own progress for a worker.

    A worker who has answered all that there is for them, and has not skipped more than they answered, is given the
    `completion` as well, its `code` and `url`, and keeps it. `last` is the question that they answered last.
    """
    desk, worker = desk_of(request), await worker_or_organiser(request, campaign_id)
    if worker is None:
        return await desk.look(campaign_id, linked(request))
    name = worker.id
    known = await to_thread.run_sync(desk.records.worker, campaign_id, name)
    own, last = await desk.look(
        campaign_id, lambda live, record: (own_view(live, record, name, known), live.last_of(name))
    )
    await desk.complete(known, own.get("completion"))
    if last is not None:
        answered = {"expires_at": None, "choice": last.question.choice}  # what is answered does not expire
        own["last"] = await desk.show_question(campaign_id, last) | answered
    return own


@router.get("/campaigns/{campaign_id}/ranking", response_model=list[tables.RankingRowOut])
async def ranking(request: Request, campaign_id: str) -> Any:
    """The ranking, best first, with 90 % intervals. Shown to workers when they are done, if at all."""
    worker = await worker_or_organiser(request, campaign_id)
    items = await to_thread.run_sync(desk_of(request).records.items, campaign_id)

    def view(live: Live, record: CampaignRecord) -> list[dict[str, Any]]:
        if worker is not None and not record.options.show_ranking:
            raise ServiceError(403, "forbidden", "the organiser does not show the ranking to workers")
        if worker is not None and state_of(live, worker.id) != "done":  # who knows it answers by it
            raise ServiceError(403, "not_yet", "the ranking is shown to you when you have answered all that there is")
        return ranking_rows(live.campaign.ranking(), items)

    return await desk_of(request).look(campaign_id, view)


@router.get("/campaigns/{campaign_id}/workers", dependencies=organiser, response_model=list[tables.WorkerRowOut])
async def workers(request: Request, campaign_id: str) -> Any:
    """The workers, with their reliability and what it rests on."""
    names = await to_thread.run_sync(desk_of(request).records.workers, campaign_id)
    return await desk_of(request).look(campaign_id, lambda live, _: worker_rows(live, names, time.time()))


@router.get("/campaigns/{campaign_id}/comparisons", dependencies=organiser, response_model=list[tables.ComparisonOut])
async def comparisons(request: Request, campaign_id: str) -> Any:
    """The answers that count, oldest first."""
    return await desk_of(request).look(campaign_id, lambda live, _: comparison_rows(live))


@router.get(
    "/campaigns/{campaign_id}/journal",
    dependencies=organiser,
    response_class=Response,  # no JSON, but lines of it
    responses={200: {"content": {JOURNAL_TYPE: {"schema": {"type": "string"}}}}},
)
async def journal(request: Request, campaign_id: str) -> Response:
    """Every event, oldest first, one JSON object a line: the file that `nextpair restore` and `show` read."""
    events = await desk_of(request).look(campaign_id, lambda live, _: live.campaign.events)
    return Response(await to_thread.run_sync(as_journal, events), media_type=JOURNAL_TYPE)


@router.get("/campaigns/{campaign_id}/dashboard", dependencies=organiser, response_model=tables.DashboardOut)
async def show_dashboard(request: Request, campaign_id: str) -> Any:
    """Everything that the organiser's live page shows."""
    desk = desk_of(request)
    await desk.draw_past(campaign_id)
    items = await to_thread.run_sync(desk.records.items, campaign_id)
    names = await to_thread.run_sync(desk.records.workers, campaign_id)
    return await desk.look(campaign_id, lambda live, record: dashboard(live, record, items, names, time.time()))


# changes, each with the ranking before and after


async def _phase(request: Request, campaign_id: str, event: ev.Paused | ev.Resumed | ev.Ended) -> Any:
    return await desk_of(request).change(campaign_id, lambda campaign: campaign.plan_phase(event))


@router.post("/campaigns/{campaign_id}/pause", dependencies=organiser, response_model=tables.ChangeOut)
async def pause(request: Request, campaign_id: str) -> Any:
    """Ask nothing until it is resumed; answers to questions that are out are still taken."""
    return await _phase(request, campaign_id, ev.Paused())


@router.post("/campaigns/{campaign_id}/resume", dependencies=organiser, response_model=tables.ChangeOut)
async def resume(request: Request, campaign_id: str) -> Any:
    """Go on after a pause."""
    return await _phase(request, campaign_id, ev.Resumed())


@router.post("/campaigns/{campaign_id}/end", dependencies=organiser, response_model=tables.ChangeOut)
async def end(request: Request, campaign_id: str) -> Any:
    """Ask nothing any more."""
    return await _phase(request, campaign_id, ev.Ended())


@router.patch("/campaigns/{campaign_id}", dependencies=organiser, response_model=tables.ChangeOut)
async def change_terms(request: Request, campaign_id: str, body: schemas.Terms) -> Any:
    """Change the budget, the price of an answer, the target accuracy (null: no target), the end time (null: none), or
    the language of the workers' pages.

    The price is everybody's, or that of one worker (`worker`). What is out keeps the price it was asked at.
    """
    if body.worker is not None and "price" not in body.model_fields_set:
        raise InvalidSetting(f"the worker {body.worker[:80]!r} is named, but no price for them: give it as well")

    def plan(campaign: Campaign) -> list[ev.Event]:
        events: list[ev.Event] = []
        if "budget" in body.model_fields_set:
            events += campaign.plan_set_budget(body.budget)
        if "price" in body.model_fields_set:
            events += campaign.plan_set_cost(body.price, body.worker)
        if "target_accuracy" in body.model_fields_set:
            events += campaign.plan_stop_at(body.target_accuracy)
        return events

    options = {name: getattr(body, name) for name in ("ends_at", "language") if name in body.model_fields_set}
    return await desk_of(request).change_terms(campaign_id, plan, **options)


@router.delete("/campaigns/{campaign_id}", status_code=204, dependencies=organiser)
async def delete(request: Request, campaign_id: str, name: Annotated[str, Query(max_length=200)]) -> None:
    """Delete a campaign for good, with its answers, workers, links and pictures; `name` is its name, to be sure."""
    await desk_of(request).delete(campaign_id, name)


@router.post(
    "/campaigns/{campaign_id}/items", status_code=201, dependencies=organiser, response_model=replies.CampaignOut
)
async def add_item(request: Request, campaign_id: str, body: schemas.NewItem) -> Any:
    """One more item joins; nothing is known of it yet, but for a `guess` where the others have one.

    With the id of one that was removed, that one comes back.
    """
    await desk_of(request).add_item(campaign_id, lambda number: new_item(body, number))
    return await desk_of(request).look(campaign_id, summary)


@router.get("/campaigns/{campaign_id}/items", dependencies=organiser, response_model=list[replies.ItemWordsOut])
async def show_items(request: Request, campaign_id: str) -> Any:
    """What each item shows, in the order in which they joined; removed ones, too."""
    joined = await desk_of(request).look(campaign_id, lambda live, _: live.campaign.items)
    rows = await to_thread.run_sync(desk_of(request).records.items, campaign_id)
    return [
        {"id": item, "text": rows[item].text, "kind": rows[item].kind, "image": rows[item].image} for item in joined
    ]


@router.patch("/campaigns/{campaign_id}/items", dependencies=organiser, response_model=list[replies.ItemWordsOut])
async def mend_item(
    request: Request, campaign_id: str, body: schemas.ItemWords, item: Annotated[str, Query(alias="id")]
) -> Any:
    """Mend what the item of this `id` shows: a typo, a table that has moved. It is called as before.

    Questions that are out may still show the old words, and answers stay: for another thing, add another item.
    """
    words = new_item(schemas.NewItem(**body.model_dump(exclude_none=True)), 1)
    await desk_of(request).mend_item(campaign_id, replace(words, id=item))
    return await show_items(request, campaign_id)


@router.delete("/campaigns/{campaign_id}/items", dependencies=organiser, response_model=tables.ChangeOut)
async def remove_by_id(request: Request, campaign_id: str, item: Annotated[str, Query(alias="id")]) -> Any:
    """Ask about the item of any `id` no more, be it `.` or `..`, which cannot stand in an address."""
    return await desk_of(request).remove_item(campaign_id, item)


@router.delete("/campaigns/{campaign_id}/items/{item_id:any}", dependencies=organiser, response_model=tables.ChangeOut)
async def remove_item(request: Request, campaign_id: str, item_id: str) -> Any:
    """Ask about an item no more and leave it out of the ranking. What is out about it can still be answered."""
    return await desk_of(request).remove_item(campaign_id, item_id)
