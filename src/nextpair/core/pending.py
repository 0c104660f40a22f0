"""A batch that knows of itself: the next question is chosen as if those in flight were already answered.

The paper's batch takes the n best questions as if each were the only one, so that it asks much the same thing n times.
Here each question in flight is answered in every way it can be, with the probability that the belief gives it, and the
score of a question is its expectation over these scenarios. While the scenarios are few this is exact; above
`SCENARIOS` they are thinned out at random, without bias. Folding one averaged answer instead would be cheaper but says
nothing: on average over its answers, a question leaves the belief where it was.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from nextpair.core.akg import find_best
from nextpair.core.arrays import BoolArray, FloatArray, IntArray
from nextpair.core.belief import Belief
from nextpair.core.candidates import Asked, Candidates, Choice
from nextpair.core.groups import Groups
from nextpair.core.kernels.scorer import ALONE, Scorer
from nextpair.core.kernels.tiles import Weaker

SCENARIOS = 8


def choose_pending(belief: Belief, candidates: Candidates, rng: np.random.Generator, n: int = 1) -> list[Choice]:
    """The next n questions, each in view of those in flight and of those chosen before it; no pair twice."""
    beliefs, weights = [belief], np.ones(1)
    for asked in candidates.in_flight:
        beliefs, weights = _answered(beliefs, weights, asked, rng)
    choices: list[Choice] = []
    while len(choices) < n:
        taken = frozenset(candidates.forbidden) | {choice.pair for choice in choices}
        scorer = ExpectedScorer(beliefs, weights, candidates.needy)
        found = find_best(scorer, belief.reliability, replace(candidates, forbidden=taken), rng, 1)
        if not found:
            break
        choices += found
        if len(choices) < n:
            last = found[0]
            beliefs, weights = _answered(beliefs, weights, (last.i, last.j, last.worker), rng)
    return choices


def _answered(
    beliefs: Sequence[Belief], weights: FloatArray, asked: Asked, rng: np.random.Generator
) -> tuple[list[Belief], FloatArray]:
    """Both answers in every scenario, with their probabilities (eq. approxprob1w); thinned out to SCENARIOS."""
    i, j, worker = asked
    after: list[Belief] = []
    chances = np.empty(2 * len(beliefs))
    for k, belief in enumerate(beliefs):
        a, b = belief.alpha[i], belief.alpha[j]
        p = 1.0 if worker is None else belief.reliability[worker]
        first = (p * a + (1 - p) * b) / (a + b)
        chances[2 * k : 2 * k + 2] = weights[k] * first, weights[k] * (1 - first)
        after += [belief.update(i, j, worker), belief.update(j, i, worker)]
    if len(after) <= SCENARIOS:
        return after, chances
    # systematic draws: every scenario is kept about as often as its probability says, and the kept ones weigh the same
    spots = (rng.random() + np.arange(SCENARIOS)) / SCENARIOS * chances.sum()
    kept = np.minimum(np.searchsorted(np.cumsum(chances), spots, side="right"), chances.size - 1)
    return [after[k] for k in kept], np.full(SCENARIOS, 1 / SCENARIOS)


class ExpectedScorer:
    """Like `Scorer`, the expectation over several beliefs. Every item is a group of its own, every pair a tile."""

    def __init__(self, beliefs: Sequence[Belief], weights: FloatArray, needy: BoolArray | None) -> None:
        self.groups = Groups.singles(beliefs[0].n_items)
        self._scorers = [Scorer(belief.alpha, needy) for belief in beliefs]
        self._weights = weights
        self._first, self._second = np.tril_indices(beliefs[0].n_items, -1)

    def _mean(self, of: Callable[[Scorer, IntArray, IntArray], FloatArray], i: IntArray, j: IntArray) -> FloatArray:
        total = np.zeros(i.size)
        for weight, scorer in zip(self._weights, self._scorers, strict=True):
            total += weight * of(scorer, scorer.groups.of_item[i], scorer.groups.of_item[j])
        return total

    def some(self, first: IntArray, second: IntArray, p: FloatArray) -> FloatArray:
        return self._mean(lambda scorer, i, j: scorer.some(i, j, p), first, second)

    def _bounds(self, first: IntArray, second: IntArray, p: FloatArray, weaker: Weaker = ALONE) -> FloatArray:
        return self._mean(lambda scorer, i, j: scorer.bounds(i, j, p, weaker), first, second)

    def tops(self, p: float, weaker: Weaker = ALONE) -> tuple[FloatArray, IntArray, IntArray]:
        bounds = self._bounds(self._first, self._second, np.full(self._first.size, p), weaker)
        return bounds, self._first, self._second

    def reaching(self, which: IntArray, enough: float, p: float, weaker: Weaker = ALONE) -> tuple[IntArray, IntArray]:
        return self._first[which], self._second[which]

    def worth_a_look(
        self, first: IntArray, second: IntArray, enough: float, p: float, shares: FloatArray, costs: FloatArray
    ) -> tuple[IntArray, IntArray]:
        rows, kinds = np.divmod(np.arange(first.size * shares.size), shares.size)
        strength = (2 * p - 1) * shares[kinds]
        good = self._bounds(first[rows], second[rows], (1 + strength) / 2) >= enough * costs[kinds]
        return rows[good], kinds[good]
