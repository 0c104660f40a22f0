"""What a campaign's belief rests on: the answers that count, and who joined between them, in the order of events."""

from __future__ import annotations

from collections.abc import Callable
from itertools import groupby
from typing import NamedTuple

from nextpair.core.model import Model


class Answer(NamedTuple):
    question: str
    winner: int
    loser: int
    worker: int
    tie: int
    side: int  # 1 where the winner stood left, -1 where right, 0 where nobody knows
    much: int  # 1 where it was called much better


class Joined(NamedTuple):
    """An item (None) or a worker (its prior) joined: the belief grows at this point of the history."""

    reliability: tuple[float, float] | None
    guess: float | None = None  # of an item, as a normal score


class History:
    """Answers and joinings, and the belief that they add up to: it is folded when someone looks, and kept."""

    def __init__(self) -> None:
        self._steps: list[Answer | Joined] = []
        self._folded = 0
        self._belief: Model | None = None

    def append(self, step: Answer | Joined) -> None:
        self._steps.append(step)

    def forget(self, questions: set[str]) -> None:
        """Leave out the answers to these, as if they had never been given."""
        self._steps = [s for s in self._steps if isinstance(s, Joined) or s.question not in questions]
        self._folded = 0
        self._belief = None

    def answers(self) -> list[Answer]:
        return [step for step in self._steps if isinstance(step, Answer)]

    def belief(self, prior: Callable[[], Model]) -> Model:
        """The belief after every answer. Runs of answers, and of workers who joined, are folded at once."""
        belief = self._belief or prior()
        for kind, run in groupby(self._steps[self._folded :], key=_kind):
            if kind is Answer:
                _, winners, losers, workers, ties, sides, much = zip(*run, strict=True)
                belief = belief.fold(winners, losers, workers, ties, sides, much)
            elif kind is Joined:
                belief = belief.with_workers([step.reliability for step in run])  # type: ignore[union-attr, misc]
            else:
                for step in run:  # a guess only comes where the belief takes it
                    belief = belief.with_item(*() if step[1] is None else step[1:])
        self._folded = len(self._steps)
        self._belief = belief
        return belief


def _kind(step: Answer | Joined) -> type[Answer | Joined] | None:
    """What is folded together: answers, or workers. None: an item."""
    return None if isinstance(step, Joined) and step.reliability is None else type(step)
