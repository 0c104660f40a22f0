"""One campaign, played on the core: choose, hear the answer, update, and note how right the ranking is."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Protocol

import numpy as np

from nextpair.core.accuracy import best_accuracy, kendall_accuracy
from nextpair.core.arrays import FloatArray, IntArray
from nextpair.core.candidates import Candidates, Choice
from nextpair.core.comparisons import Comparisons
from nextpair.core.model import RELIABILITY, Model
from nextpair.core.policies import Policy
from nextpair.inference.estimators import fit

Beta = tuple[float, float]
NOTED = 50  # budgets of a campaign at which the accuracy is noted
ROUNDING = 1e-9  # sums of costs such as 0.1 are not exact


class Answer(NamedTuple):
    """What came back."""

    winner: int
    loser: int
    worker: int | None
    tie: bool = False
    side: int = 0  # as in `Comparisons`
    much: bool = False


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
    """The accuracy at each noted budget, every question that was asked as rows (i, j, worker or -1), and the belief."""

    accuracy: FloatArray
    asked: IntArray
    belief: Model


def noted_budgets(budget: float, *, in_money: bool = False) -> FloatArray:
    """About NOTED evenly spread budgets from 0 to `budget`, at which the accuracy is noted; of answers, whole ones."""
    if in_money:
        return np.linspace(0, budget, NOTED + 1)
    return np.unique(np.rint(np.linspace(0, budget, min(NOTED, round(budget)) + 1)))


def budget_for(accuracy: float, budgets: FloatArray, curve: FloatArray) -> float | None:
    """The budget at which the curve first reaches the accuracy, between two noted ones by a straight line.

    None where it never does.
    """
    there = np.flatnonzero(curve >= accuracy)
    if not there.size:
        return None
    at = int(there[0])
    if at == 0:
        return float(budgets[0])
    share = (accuracy - curve[at - 1]) / (curve[at] - curve[at - 1])
    return float(budgets[at - 1] + share * (budgets[at] - budgets[at - 1]))


def play(
    policy: Policy,
    source: Source,
    budget: float,
    rng: np.random.Generator,
    *,
    reliability: Beta = RELIABILITY,
    known: Sequence[Beta] = (),
    batch: int = 1,
    estimator: str = "",
    best: int | None = None,
    aims: bool = False,
    guess: FloatArray | None = None,
) -> Played:
    """Spend the budget under a policy, `batch` questions at a time (their answers are heard only then).

    Workers are strangers, each of `reliability`, or `known` one by one. The ranking is that of the policy's own belief,
    or of a static estimator of the answers so far. The accuracy is that of all pairs or of the `best` so many, for
    which alone the policy asks if it `aims`. A `guess` of the scores, as normal scores, may be there from the start.
    """

    def right(ranking: IntArray) -> float:
        return kendall_accuracy(ranking, source.truth) if best is None else best_accuracy(ranking, source.truth, best)

    # the optimal policy plans to the end, so it is told where that is
    more: dict[str, Any] = {"horizon": round(budget)} if policy.name == "optimal" else {}
    if guess is not None:
        more["guess"] = guess
    belief = policy.prior(source.n_items, 0 if known else source.n_workers, reliability=reliability, **more)
    belief = belief.with_workers(known)
    notes = noted_budgets(budget, in_money=bool(source.candidates().costs))
    accuracy = [right(belief.ranking())]
    asked: list[tuple[int, int, int]] = []
    answers: list[Answer] = []
    spent = 0.0
    while len(accuracy) < notes.size:
        candidates = replace(source.candidates(), best=best) if aims else source.candidates()
        choices = policy.choose(belief, candidates, rng, min(batch, max(1, math.floor(budget - spent + ROUNDING))))
        if not choices:
            break
        for choice in choices:
            spent += candidates.cost(choice.worker)
            if spent > budget + ROUNDING:
                break
            answer = source.answer(choice)
            answers.append(answer)
            belief = belief.update(*answer[:3], tie=answer.tie, side=answer.side, much=answer.much)
            asked.append((choice.i, choice.j, -1 if choice.worker is None else choice.worker))
            if len(accuracy) < notes.size and spent >= notes[len(accuracy)] - ROUNDING:
                ranking = _estimate(estimator, answers, source) if estimator else belief.ranking()
                now = right(ranking)
                while len(accuracy) < notes.size and spent >= notes[len(accuracy)] - ROUNDING:
                    accuracy.append(now)
        if spent > budget + ROUNDING:
            break
    accuracy += accuracy[-1:] * (notes.size - len(accuracy))  # nothing was left to ask, or to pay it with
    return Played(np.array(accuracy), np.array(asked, dtype=np.int64).reshape(-1, 3), belief)


def _estimate(estimator: str, answers: list[Answer], source: Source) -> IntArray:
    """The ranking by a static estimator of these answers."""
    won, lost, who, ties, sides, much = zip(*answers, strict=True)
    workers = [-1 if worker is None else worker for worker in who]
    told = Comparisons.of(won, lost, workers, ties, sides, much, n_items=source.n_items, n_workers=source.n_workers)
    return fit(estimator, told).ranking
