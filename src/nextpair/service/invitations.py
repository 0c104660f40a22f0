"""Letting workers in: who they are, and the tokens that their links carry."""

from __future__ import annotations

import secrets
import time
from base64 import urlsafe_b64encode
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from nextpair.campaign.names import heard
from nextpair.errors import CampaignClosed
from nextpair.service.errors import ServiceError
from nextpair.service.live import ALIKE, Live, Own
from nextpair.service.records import Records, WorkerRecord
from nextpair.service.security import hash_token, new_token, sign

# by what an organiser says of those who are invited: experts are thought to be right 19 times out of 20, as a Beta; a
# model is asked each pair both ways round
INVITED_AS = {"": ALIKE, "expert": Own(reliability=(38.0, 2.0)), "model": Own(times=2)}


@dataclass(frozen=True)
class Invitation:
    """A worker and the token that lets them in. The token is shown once and never stored."""

    worker: WorkerRecord
    token: str


def invite(
    records: Records,
    live: Live,
    name: str,
    worker_id: str | None = None,
    outside_id: str | None = None,
    own: Own = ALIKE,
    token: str | None = None,
    by_open_link: bool = False,
) -> Invitation:
    """A new worker with a token of their own; with an outside id that is known, the same worker again.

    So it is with an id and the name that goes with it: the reply may have been lost. With the id of somebody who takes
    part and was never invited, whose answers are of before, they go on as the same. After the end nobody new comes in
    by the open link; who took part comes back, for their code.
    """
    of_form, token = token is not None, token or new_token()
    known = records.worker_outside(live.id, outside_id) if outside_id else None
    if known is None:
        new = WorkerRecord(live.id, worker_id or "w" + secrets.token_hex(5), name or outside_id or "", outside_id)
        _refuse_banned(live, new)
        if by_open_link and live.is_over(live.campaign, time.time()) and not _is_theirs(records, new, token):
            raise CampaignClosed("this campaign is over, and nobody can join it any more")
        if records.add_worker(new, hash_token(token)) or _is_theirs(records, new, token):
            live.join(new.id, own)
            return Invitation(new, token)
        if outside_id:
            known = records.worker_outside(live.id, outside_id)
        elif not of_form:  # which has ways of its own: `given_before`
            known = _of_the_same_name(records.worker(live.id, new.id), new)
        if known is None and of_form:
            raise _void(name)
        if known is None:
            advice = f"give them a new link (POST …/workers/{new.id}/token), or use another id"
            raise ServiceError(409, "worker_exists", f"there is a worker {new.id!r} already: {advice}")
    _refuse_banned(live, known)
    live.join(known.id, own)
    return _with_token(records, known, token)


def _of_the_same_name(known: WorkerRecord | None, new: WorkerRecord) -> WorkerRecord | None:
    """The known worker, if an invitation means them: under another name it may be somebody else's."""
    alike = known is not None and _called(known) == _called(new)
    return known if alike else None


def _is_theirs(records: Records, worker: WorkerRecord, token: str) -> bool:
    """Whether the worker has this token already: a form was sent again, for its reply was lost or slow."""
    found = records.token(hash_token(token))
    return found is not None and (found.campaign, found.worker) == (worker.campaign, worker.id)


def _refuse_banned(live: Live, worker: WorkerRecord) -> None:
    if live.campaign.is_retracted(worker.id):
        raise ServiceError(
            403, "banned", "the organiser takes no more answers from you: if you think that this is a mistake, ask them"
        )


def broken_off(records: Records, live: Live, name: str) -> str | None:
    """The id of a worker of that name whose invitation broke off, say as the database was away: to be sent again."""
    joined = set(live.campaign.worker_names)
    rows = records.workers(live.id).values()
    return next((row.id for row in rows if row.id not in joined and heard(row.name) == heard(name)), None)


def link_of(secret: str, campaign: str, form_key: str, name: str) -> tuple[str, str]:
    """The id and the token of a worker who is invited by a form: the same when it is sent again, as a reload does.

    The key of a form is random, and stored nowhere: who can read the database cannot make the token from the secret.
    """
    worker, token = (sign(secret, what, campaign, form_key, name) for what in ("worker", "token"))
    return f"w{worker[:10]}", urlsafe_b64encode(bytes.fromhex(token)).decode().rstrip("=")  # as short as others


@dataclass(frozen=True)
class Acquaintances:
    """What earlier campaigns know of their workers, by their ids, the ids of a platform, and names that one has.

    None: somebody was there of whom nothing is to be taken over.
    """

    known: Mapping[tuple[str, str | None], tuple[float, float] | None] = field(default_factory=dict)
    names: Mapping[str, str] = field(default_factory=dict)  # of those who can be told by their names, as they are shown

    def and_of(self, records: Records, live: Live) -> Acquaintances:
        """With a later campaign, which is believed about everybody who took part in it."""
        reliabilities, rows = live.campaign.reliabilities(), records.workers(live.id)
        workers = [rows.get(name) or WorkerRecord(live.id, name, name, None) for name in live.campaign.worker_names]
        called = Counter(_called(worker) for worker in workers if not live.campaign.is_retracted(worker.id))
        known, names = dict(self.known), dict(self.names)
        for worker in workers:  # whoever bears a name here, it means nobody from before any more
            known["name", _called(worker)] = None
            names.pop(_called(worker), None)
        for worker in workers:
            reliability, name = reliabilities.get(worker.id), _called(worker)
            if reliability is None and not live.campaign.is_retracted(worker.id):
                continue  # they gave no answer: what was known of them before still is
            known["id", worker.id] = reliability
            if worker.outside_id is not None:
                known["outside", worker.outside_id] = reliability
            elif reliability is not None and called[name] == 1:
                known["name", name] = reliability
                names[name] = " ".join((worker.name or worker.id).split())  # one line each
        return Acquaintances(known, names)

    def reliability(self, worker: str | None, outside_id: str | None, name: str) -> tuple[float, float] | None:
        """That of a worker who was there. A name counts if the organiser gave it: anybody could type one."""
        ways = (("outside", outside_id), ("id", worker), ("name", heard(name)))
        return next((self.known[way] for way in ways if way in self.known), None)


def given_before(
    records: Records,
    live: Live,
    names: Sequence[str],
    links: Mapping[str, tuple[str, str]],
    own: Mapping[str, Own],
) -> dict[str, Invitation]:
    """Those of the names whose links were made before. The others must be new, and what was revoked stays so."""
    workers = records.workers(live.id)
    before = {name: Invitation(workers[worker], token) for name, (worker, token) in links.items() if worker in workers}
    for name, invitation in before.items():
        if records.token(hash_token(invitation.token)) is None:
            raise _void(name)
        # should the process have been killed before it was written down
        live.join(invitation.worker.id, own[name])
    refuse_known(records, live, [name for name in names if name not in before])
    return before


def _void(name: str) -> ServiceError:
    return ServiceError(409, "link_void", f"the link of {name[:80]!r} no longer works: open this page again")


def refuse_known(records: Records, live: Live, names: Sequence[str]) -> None:
    """An error for a name that takes part already or is there twice: one name for two confuses."""
    there = [known for known in records.workers(live.id).values() if not live.campaign.is_retracted(known.id)]
    reasons = dict.fromkeys(map(_called, there), "already takes part: give them a new link")
    for name in names:
        if reason := reasons.get(heard(name)):
            advice = "if this is somebody else, make the names different"
            raise ServiceError(409, "name_taken", f"{name[:80]!r} {reason}; {advice}")
        reasons[heard(name)] = "is there twice: remove one"


def _called(worker: WorkerRecord) -> str:
    return heard(worker.name or worker.id)  # the workers of a restored journal have ids only


def invited(records: Records, campaign: str, worker_id: str) -> WorkerRecord:
    """The worker of that id, or an error: whoever mistypes an id must not believe that a link is void."""
    worker = records.worker(campaign, worker_id)
    if worker is None:
        raise ServiceError(404, "unknown_worker", f"there is no worker {worker_id[:80]!r} in this campaign")
    return worker


def renew(records: Records, live: Live, worker_id: str) -> Invitation:
    """A new link for a worker; the old ones are void from now on."""
    worker = invited(records, live.id, worker_id)
    if live.campaign.is_retracted(worker_id):
        raise ServiceError(403, "banned", "this worker is banned and is asked no more: invite another one")
    records.revoke_worker(live.id, worker_id)
    return _with_token(records, worker, new_token())


def _with_token(records: Records, worker: WorkerRecord, token: str) -> Invitation:
    records.add_token(hash_token(token), "worker", campaign=worker.campaign, worker=worker.id)
    return Invitation(worker, token)
