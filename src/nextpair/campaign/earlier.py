"""Answers that were given before the campaign, or outside of it: questions that cost nothing, asked and answered."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import count

from nextpair.campaign import events as ev
from nextpair.campaign.names import as_text
from nextpair.campaign.questions import Comparison
from nextpair.campaign.settings import flag, is_list, worker_from
from nextpair.campaign.state import State
from nextpair.errors import InvalidSetting, QuestionClosed, UnknownItem

Earlier = tuple[str | None, str, str, str]  # worker, left, right, and what was answered


def plan_earlier(state: State, answers: Iterable[Earlier | Comparison], as_shown: bool) -> Iterator[ev.Event]:
    """The events of these answers. Whoever gave one and takes no part yet joins, before the first of them."""
    flag("as_shown", as_shown)
    if not is_list(answers):
        raise InvalidSetting(f"answers are a list of (worker, left, right, choice), not {answers!r}")
    said = [_said(answer) if isinstance(answer, Comparison) else (answer, as_shown) for answer in answers]
    told = [(*_checked(state, number, answer), known) for number, (answer, known) in enumerate(said, start=1)]
    for worker in dict.fromkeys(worker for worker, *_ in told):
        if worker is not None and worker not in state.worker_index:
            yield worker_from(worker, state.worker_index, None, None, None, None)
    ids = (f"q{k}" for k in count(len(state.questions) + 1) if f"q{k}" not in state.questions)
    for worker, left, right, choice, known in told:
        question = next(ids)
        yield ev.Asked(question, worker, left, right, 0.0, as_shown=known or None)
        yield ev.Answered(question, choice)  # type: ignore[arg-type]


def _said(answer: Comparison) -> tuple[Earlier, bool]:
    """What a campaign gave out as one of its comparisons, and whether it was shown like that."""
    left = answer.winner if answer.left is None else answer.left
    right = answer.loser if left == answer.winner else answer.winner
    side = "left" if left == answer.winner else "right"
    choice = "tie" if answer.tie else f"much-{side}" if answer.much else side
    return (answer.worker, left, right, choice), answer.left is not None


def _checked(state: State, number: int, answer: Earlier) -> Earlier:
    try:
        if isinstance(answer, Mapping | str):  # of which the keys or the letters would be taken
            raise TypeError
        worker, left, right, choice = answer
    except (TypeError, ValueError):
        raise InvalidSetting(f"answer {number} is (worker, left, right, choice), not {answer!r}") from None
    for item in (left, right):
        if not isinstance(item, str) or item not in state.item_index:
            raise UnknownItem(f"answer {number} names the item {item!r}, which takes no part: add_item({item!r}) first")
    if left == right:
        raise InvalidSetting(f"answer {number} compares {left!r} with itself")
    if not isinstance(choice, str) or choice not in ev.OUTCOMES:
        raise InvalidSetting(f"answer {number} is one of {', '.join(ev.OUTCOMES)}, not {choice!r}")
    if not isinstance(worker, str | None):
        raise InvalidSetting(f"answer {number} is by {worker!r}: the name of a worker is text")
    if worker in state.retracted:
        raise QuestionClosed(f"answer {number} is by {worker!r}, whose answers were retracted: leave it out")
    if (worker is None) != (state.created.workers is None):
        whom = f"names the worker {worker!r}, and this campaign knows none: say None"
        raise InvalidSetting(f"answer {number} {whom if worker is not None else 'names no worker: say who gave it'}")
    return None if worker is None else as_text(worker), as_text(left), as_text(right), as_text(choice)
