"""Letting workers in: who they are, and the tokens that their links carry."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass

from nextpair.service.errors import ServiceError
from nextpair.service.live import Live
from nextpair.service.records import Records, WorkerRecord
from nextpair.service.security import hash_token, new_token


@dataclass(frozen=True)
class Invitation:
    """A worker and the token that lets them in. The token is shown once and never stored."""

    worker: WorkerRecord
    token: str


def invite(
    records: Records,
    live: Live,
    name: str,
    worker_id: str | None,
    outside_id: str | None,
    price: float | None = None,
) -> Invitation:
    """A new worker with a token of their own; with an outside id that is known, the same worker again."""
    known = records.worker_outside(live.id, outside_id) if outside_id else None
    if known is None:
        worker = worker_id or "w" + secrets.token_hex(5)
        known = WorkerRecord(live.id, worker, name or outside_id or "", outside_id)
        if worker in live.campaign.worker_names or not records.add_worker(known):
            again = records.worker_outside(live.id, outside_id) if outside_id else None
            if again is None:
                raise ServiceError(409, "worker_exists", f"there is a worker {worker!r} already: use another id")
            known = again
    if live.campaign.is_retracted(known.id):
        raise ServiceError(
            403, "banned", "the organiser takes no more answers in this name: ask them, should it be a mistake"
        )
    live.join(known.id, price)
    return _with_token(records, known)


def refuse_known(records: Records, live: Live, names: Sequence[str]) -> None:
    """An error for a name that takes part already or is there twice: one name for two confuses."""
    there = [known.name for known in records.workers(live.id).values() if not live.campaign.is_retracted(known.id)]
    reasons = dict.fromkeys(map(_heard, there), "takes part already: give them a new link")
    for name in names:
        if reason := reasons.get(_heard(name)):
            advice = "if this is somebody else, add a word to the name"
            raise ServiceError(409, "name_taken", f"{name[:80]!r} {reason}; {advice}")
        reasons[_heard(name)] = "is there twice: leave one out"


def _heard(name: str) -> str:
    """A name as people hear it: capitals and spaces make no other person."""
    return " ".join(name.split()).casefold()


def renew(records: Records, live: Live, worker_id: str) -> Invitation:
    """A new link for a worker; the old ones are void from now on."""
    worker = records.worker(live.id, worker_id)
    if worker is None:
        raise ServiceError(404, "unknown_worker", f"there is no worker {worker_id[:80]!r} in this campaign")
    if live.campaign.is_retracted(worker_id):
        raise ServiceError(403, "banned", "this worker is banned and is asked no more: invite another one")
    records.revoke_worker(live.id, worker_id)
    return _with_token(records, worker)


def _with_token(records: Records, worker: WorkerRecord) -> Invitation:
    token = new_token()
    records.add_token(hash_token(token), "worker", campaign=worker.campaign, worker=worker.id)
    return Invitation(worker, token)
