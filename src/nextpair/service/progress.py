"""How far a worker is, without a word about anybody else's answers, and whether their part is done."""

from __future__ import annotations

import time
from typing import Any

from nextpair.service.live import Live
from nextpair.service.undoing import OPEN


def progress_of(live: Live, worker: str) -> dict[str, Any]:
    """What a worker has done, what of it is missing for a completion code, and whether there is more to ask them."""
    answers, skipped = live.answered[worker], live.skipped[worker]
    quota, _ = live.campaign.terms(worker)
    return {
        "answers": answers,
        "skipped": skipped,
        "missing": _missing(live, worker),
        "quota": quota,
        "state": state_of(live, worker),
        "ended": live.is_over(live.campaign, time.time()),
    }


def state_of(live: Live, worker: str) -> str:
    """Whether there is more to ask a worker: "open", "waiting" (not just now) or "done"."""
    campaign = live.campaign
    _, cost = campaign.terms(worker)
    if campaign.phase == "ended" or is_through(live, worker):
        return "done"
    if campaign.phase == "paused":
        return "waiting"
    if campaign.remaining is not None and campaign.remaining < cost:
        return "waiting" if campaign.held else "done"
    return "done" if campaign.target_reached else "open"


def is_through(live: Live, worker: str) -> bool:
    """Whether a worker has answered all that they may be asked, or is asked no more."""
    quota, _ = live.campaign.terms(worker)
    return (quota is not None and live.answered[worker] >= quota) or live.campaign.is_through(worker)


def _missing(live: Live, worker: str) -> int:
    """How many answers are missing before a completion code can be given: who skips everything has done nothing.

    It takes the quota, or else as many answers as skips: budget and pairs may run out on somebody before the quota, and
    that is not their fault. Nor is it if an answer came too late to count. One from before the campaign is none here.
    """
    quota, _ = live.campaign.terms(worker)
    given = live.answered[worker] - live.earlier[worker] + answered_late(live, worker)
    due = max(1, live.skipped[worker])
    return max(0, (due if quota is None else min(quota, due)) - given)


def answered_late(live: Live, worker: str) -> int:
    """How many questions a worker answered too late, less those that they answered or skipped when asked again."""
    return sum(live.campaign.question(question).status in OPEN for question in live.late.get(worker, ()))


def has_completed(live: Live, worker: str) -> bool:
    """Whether a worker is given the completion code: nothing is left to ask them, and nothing is missing."""
    return state_of(live, worker) == "done" and not _missing(live, worker)
