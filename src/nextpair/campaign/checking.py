"""Whether an event can follow what was. Plans make no others; a journal that was edited by hand may hold any."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nextpair.campaign import events as ev
from nextpair.campaign.amounts import beta
from nextpair.campaign.state import State
from nextpair.errors import InvalidSetting


def flaw_of_first(event: ev.Created) -> str | None:
    """What is wrong with the first event, or None."""
    if len(event.items) < 2 or len(set(event.items)) < len(event.items):
        return "a ranking needs at least 2 items, each named once"
    if len(set(event.workers or ())) < len(event.workers or ()):
        return "a worker is there twice"
    known = set(event.items)
    if strange := [pair for pair in event.forbidden if not known.issuperset(pair) or len(set(pair)) < 2]:
        return f"the forbidden pair {strange[0]!r} is not of two items that take part"
    if event.best is not None and not 0 < event.best < len(event.items):
        return f"the best {event.best} of {len(event.items)} items are none, or all of them"
    if event.guess is not None and (wrong := _of_guess(event)):
        return wrong
    of_costs = (_of_cost(cost) for cost in (event.cost, *event.costs.values()))
    return _of_reliability(event.reliability) or _of_times(event.times) or next(filter(None, of_costs), None)


def _of_guess(event: ev.Created) -> str | None:
    from nextpair.core.policies import find_policy

    guess = event.guess or {}
    if strange := set(guess) - set(event.items):
        return f"a guess is given for {min(strange)!r}, which is not among the items"
    if len(set(guess.values())) < 2:
        return "a guess in which no two items differ tells nothing"
    return None if find_policy(event.policy).takes_guess else f"the policy {event.policy!r} makes nothing of a guess"


def _of_times(times: int | None) -> str | None:
    return f"a pair may be asked once or more, and not {times} times" if times is not None and times < 1 else None


def _of_cost(cost: float | None) -> str | None:
    return f"a cost cannot be {cost!r}: what costs nothing was answered elsewhere" if cost == 0 else None


def _of_reliability(reliability: tuple[float, float] | None) -> str | None:
    if reliability is None:
        return None
    try:
        beta("a reliability", reliability)
    except InvalidSetting as error:
        return str(error)
    return None


def _asked(state: State, event: ev.Asked) -> str | None:
    if (known := state.questions.get(event.question)) is not None:
        same = known[1:4] == (event.worker, event.left, event.right)
        if known.status != "expired" or not same:  # what ran out may go out again, as it was but for its cost
            return f"question {event.question!r} was asked before"
    if event.left not in state.item_index or event.right not in state.item_index:
        return f"no item {event.right if event.left in state.item_index else event.left!r} takes part"
    if event.left == event.right:
        return f"{event.left!r} is compared with itself"
    if event.worker is None:
        return None if state.created.workers is None else "it names no worker, and this campaign knows its workers"
    return None if event.worker in state.worker_index else f"no worker {event.worker!r} takes part"


def _answered(state: State, event: ev.Answered) -> str | None:
    question = state.questions.get(event.question)
    if question is None:
        return f"no question {event.question!r} was asked before"
    if question.status in ("open", "expired"):
        return None
    return f"question {event.question!r} was already {question.status}"


def _skipped(state: State, event: ev.Skipped) -> str | None:
    known = state.questions.get(event.question)
    return None if known is not None and known.status == "expired" else _expired(state, event)


def _expired(state: State, event: ev.Skipped | ev.Expired) -> str | None:
    return None if event.question in state.open else f"no question {event.question!r} is open"


def _undone(state: State, event: ev.Undone) -> str | None:
    question = state.questions.get(event.question)
    if question is None or question.status != "answered":
        return f"no question {event.question!r} is answered"
    return None


def _item(state: State, event: ev.ItemAdded) -> str | None:
    if state.takes_part(event.item):
        return f"the item {event.item!r} takes part already"
    if event.guess is None or (state.created.guess is not None and event.item not in state.item_index):
        return None
    return f"the guess {event.guess!r} of {event.item!r} tells nothing: the others have none, or it was here before"


def _removed(state: State, event: ev.ItemRemoved) -> str | None:
    if not state.takes_part(event.item):
        return f"no item {event.item!r} takes part"
    few = f"a ranking needs at least {state.fewest_items} items, and {event.item!r} is one of the last"
    return None if state.n_kept > state.fewest_items else few


def _worker(state: State, event: ev.WorkerAdded) -> str | None:
    if state.created.workers is None:
        return "this campaign knows no workers"
    if event.worker in state.worker_index:
        return f"the worker {event.worker!r} takes part already"
    return _of_reliability(event.reliability) or _of_times(event.times) or _of_cost(event.cost)


def _retracted(state: State, event: ev.Retracted) -> str | None:
    return None if event.worker in state.worker_index else f"no worker {event.worker!r} takes part"


def _cost(state: State, event: ev.CostSet) -> str | None:
    known = event.worker is None or event.worker in state.worker_index
    return _of_cost(event.cost) if known else f"no worker {event.worker!r} takes part"


def _second(state: State, event: ev.Created) -> str | None:
    return "a second campaign begins here: a file holds the journal of one"


def _fine(state: State, event: ev.Event) -> None:
    return None


def no_event(state: State, event: object) -> str:
    return f"{str(event)[:80]!r} is not an event of a campaign"


# by the kind of event: what is wrong with one that comes next, or None
FLAWS: dict[type[ev.Event], Callable[[State, Any], str | None]] = {
    ev.Created: _second,
    ev.ItemAdded: _item,
    ev.ItemRemoved: _removed,
    ev.WorkerAdded: _worker,
    ev.Asked: _asked,
    ev.Answered: _answered,
    ev.Skipped: _skipped,
    ev.Expired: _expired,
    ev.Undone: _undone,
    ev.Retracted: _retracted,
    ev.BudgetSet: _fine,
    ev.CostSet: _cost,
    ev.TargetSet: _fine,
    ev.Paused: _fine,
    ev.Resumed: _fine,
    ev.Ended: _fine,
}
