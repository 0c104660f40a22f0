"""What a campaign's belief rests on: the answers that count, and who joined between them, in the order of events."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from nextpair.core.model import Model


class Answer(NamedTuple):
    question: str
    winner: int
    loser: int
    worker: int
    tie: int
    side: int  # 1 where the winner stood left, -1 where right, 0 where nobody knows


class Joined(NamedTuple):
    """An item (None) or a worker (its prior) joined: the belief grows at this point of the history."""

    reliability: tuple[float, float] | None


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
        """The belief after every answer. Runs of answers are folded at once."""
        steps, belief = self._steps, self._belief or prior()
        while self._folded < len(steps):
            start = self._folded
            step = steps[start]
            if isinstance(step, Joined):
                joined = step.reliability
                belief = belief.with_item() if joined is None else belief.with_worker(joined)
                self._folded += 1
                continue
            stop = start
            while stop < len(steps) and isinstance(steps[stop], Answer):
                stop += 1
            _, winners, losers, workers, ties, sides = zip(*steps[start:stop], strict=True)
            belief = belief.fold(winners, losers, workers, ties, sides)
            self._folded = stop
        self._belief = belief
        return belief
