"""Inviting workers, taking their access away, and the open link."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query, Request

from nextpair.service.api import replies, schemas, tables
from nextpair.service.api.campaigns import base_url, join_url
from nextpair.service.api.replies import ERRORS
from nextpair.service.auth import desk_of, require_organiser
from nextpair.service.invitations import Invitation
from nextpair.service.live import Own

router = APIRouter(
    prefix="/api/v1/campaigns/{campaign_id}",
    tags=["workers"],
    responses=ERRORS,
    dependencies=[Depends(require_organiser)],
)


Id = Annotated[str, Query(alias="id", min_length=1, max_length=200)]


def invited(request: Request, invitation: Invitation) -> dict[str, Any]:
    """A worker with the link that lets them in."""
    worker = invitation.worker
    url = f"{base_url(request)}/w/{invitation.token}"
    return {"id": worker.id, "name": worker.name, "token": invitation.token, "url": url}


@router.post("/workers", status_code=201, response_model=replies.WorkerOut)
async def add_worker(request: Request, campaign_id: str, body: schemas.NewWorker | None = None) -> Any:
    """Invite a worker: a person by the link, a program by the token. Without an id the name must be a new one.

    `price` is what an answer of theirs costs from now on, if it is not the campaign's. Where the campaign says
    `workers_from`, who worked there under this name, id or outside id is known from the start. `reliability` is the
    Beta [mu, nu] that is thought of somebody who joins now: [38, 2] of an expert. `times` is how often they may be
    asked the same pair, sides exchanged each time: once, unless a model joins that is given more.
    """
    given, worker_id = body or schemas.NewWorker(), body.id if body else None
    if given.name and worker_id is None and given.outside_id is None:
        worker_id = await desk_of(request).refuse_known(campaign_id, given.name)
    invitation = await desk_of(request).invite(
        campaign_id,
        given.name,
        worker_id,
        given.outside_id,
        Own(given.price, given.reliability, given.times),
        known_as=given.name,
    )
    return invited(request, invitation)


# each in two ways: an address with the id `.` or `..` in it is shortened on its way, so the id may stand behind a `?`


@router.post("/workers/token", status_code=201, response_model=replies.WorkerOut)
async def renew_by_id(request: Request, campaign_id: str, worker: Id) -> Any:
    """A new link and token for the worker of any `id`; the old ones are void from now on."""
    return invited(request, await desk_of(request).renew(campaign_id, worker))


@router.delete("/workers/token", status_code=204)
async def revoke_by_id(request: Request, campaign_id: str, worker: Id) -> None:
    """Make the links and tokens of the worker of any `id` void; their answers stay."""
    await desk_of(request).revoke(campaign_id, worker)


@router.post("/workers/ban", response_model=tables.ChangeOut)
async def ban_by_id(request: Request, campaign_id: str, worker: Id) -> Any:
    """Take the answers of the worker of any `id` out, ask them no more and make their links void. Money stays spent."""
    return await desk_of(request).ban(campaign_id, worker)


@router.post("/workers/{worker_id:any}/token", status_code=201, response_model=replies.WorkerOut)
async def renew(request: Request, campaign_id: str, worker_id: str) -> Any:
    """A new link and token for a worker; the old ones are void from now on."""
    return invited(request, await desk_of(request).renew(campaign_id, worker_id))


@router.delete("/workers/{worker_id:any}/token", status_code=204)
async def revoke(request: Request, campaign_id: str, worker_id: str) -> None:
    """Make a worker's links and tokens void; their answers stay."""
    await desk_of(request).revoke(campaign_id, worker_id)


@router.post("/workers/{worker_id:any}/ban", response_model=tables.ChangeOut)
async def ban(request: Request, campaign_id: str, worker_id: str) -> Any:
    """Take a worker's answers out of the ranking, ask them no more and make their links void. Money stays spent."""
    return await desk_of(request).ban(campaign_id, worker_id)


@router.post("/join-link", status_code=201, response_model=replies.JoinLinkOut)
async def reset_join(request: Request, campaign_id: str) -> Any:
    """Make the open link void and give a new one."""
    record = await desk_of(request).reset_join(campaign_id)
    return {"id": record.id, "name": record.name, "question": record.question, "join_url": join_url(request, record)}
