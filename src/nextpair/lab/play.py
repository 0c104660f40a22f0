"""One campaign, played on the core: choose, hear the answer, update, and note how right the ranking is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np

from nextpair.core.accuracy import kendall_accuracy
from nextpair.core.arrays import FloatArray, IntArray
from nextpair.core.candidates import Candidates, Choice
from nextpair.core.policies import Policy


class Answer(NamedTuple):
    """What came back."""

    winner: int
    loser: int
    worker: int | None
    tie: bool = False


class Source(Protocol):
    """Where answers come from: a simulated world or a recording of real ones."""

    truth: FloatArray
    n_items: int
    n_workers: int

    def candidates(self) -> Candidates:
        """What may be asked now."""

    def answer(self, choice: Choice) -> Answer:
        """The answer to a question, which is thereby asked."""


@dataclass(frozen=True)
class Played:
    """The accuracy at each noted budget, and every question that was asked as rows (i, j, worker or -1)."""

    accuracy: FloatArray
    asked: IntArray


def noted_budgets(budget: int, points: int = 50) -> IntArray:
    """About `points` evenly spread budgets from 0 to `budget`, at which the accuracy is noted."""
    return np.unique(np.rint(np.linspace(0, budget, min(points, budget) + 1)).astype(np.int64))


def play(
    policy: Policy,
    source: Source,
    budget: int,
    rng: np.random.Generator,
    *,
    reliability: tuple[float, float] = (4.0, 1.0),
    batch: int = 1,
) -> Played:
    """Spend the budget under a policy, `batch` questions at a time (their answers are heard only then)."""
    # the optimal policy plans to the end, so it is told where that is
    plan = {"horizon": budget} if policy.name == "optimal" else {}
    belief = policy.prior(source.n_items, source.n_workers, reliability=reliability, **plan)
    notes = noted_budgets(budget)
    accuracy = np.empty(notes.size)
    accuracy[0] = kendall_accuracy(belief.ranking(), source.truth)
    asked: list[tuple[int, int, int]] = []
    spot = 1
    while len(asked) < budget:
        choices = policy.choose(belief, source.candidates(), rng, min(batch, budget - len(asked)))
        if not choices:
            break
        for choice in choices:
            answer = source.answer(choice)
            belief = belief.update(answer.winner, answer.loser, answer.worker, tie=answer.tie)
            asked.append((choice.i, choice.j, -1 if choice.worker is None else choice.worker))
            if len(asked) == notes[spot]:
                accuracy[spot] = kendall_accuracy(belief.ranking(), source.truth)
                spot += 1
    accuracy[spot:] = accuracy[spot - 1]  # nothing was left to ask: it stays as it is
    return Played(accuracy, np.array(asked, dtype=np.int64).reshape(-1, 3))
