"""A batch that knows of itself: the next question is chosen as if those in flight were already answered.

The paper's batch takes the n best questions as if each were the only one, so that it asks much the same thing n times.
Here each question in flight is answered in every way it can be, with the probability that the belief gives it, and the
score of a question is its expectation over these scenarios. While the scenarios are few this is exact; above
`SCENARIOS` they are thinned out at random, without bias. Folding one averaged answer instead would be cheaper but says
nothing: on average over its answers, a question leaves the belief where it was.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from nextpair.core.akg import find_best
from nextpair.core.arrays import BoolArray, FloatArray, IntArray
from nextpair.core.belief import Belief
from nextpair.core.candidates import Asked, Candidates, Choice
from nextpair.core.kernels.scorer import Scorer, larger_position

SCENARIOS = 8


def choose_pending(
    belief: Belief,
    candidates: Candidates,
    rng: np.random.Generator,
    n: int = 1,
    *,
    scenarios: int = SCENARIOS,
) -> list[Choice]:
    """The next n questions, each in view of those in flight and of those chosen before it; no pair twice."""
    beliefs, weights = [belief], np.ones(1)
    for asked in candidates.in_flight:
        beliefs, weights = _answered(beliefs, weights, asked, scenarios, rng)
    choices: list[Choice] = []
    while len(choices) < n:
        taken = frozenset(candidates.forbidden) | {choice.pair for choice in choices}
        scorer = ExpectedScorer(beliefs, weights)
        found = find_best(scorer, belief.reliability, replace(candidates, forbidden=taken), rng, 1)
        if not found:
            break
        choices += found
        if len(choices) < n:
            last = found[0]
            beliefs, weights = _answered(beliefs, weights, (last.i, last.j, last.worker), scenarios, rng)
    return choices


def _answered(
    beliefs: Sequence[Belief], weights: FloatArray, asked: Asked, most: int, rng: np.random.Generator
) -> tuple[list[Belief], FloatArray]:
    """Both answers in every scenario, with their probabilities (eq. approxprob1w); thinned out to `most` scenarios."""
    i, j, worker = asked
    after: list[Belief] = []
    chances = np.empty(2 * len(beliefs))
    for k, belief in enumerate(beliefs):
        a, b = belief.alpha[i], belief.alpha[j]
        p = 1.0 if worker is None else belief.reliability[worker]
        first = (p * a + (1 - p) * b) / (a + b)
        chances[2 * k : 2 * k + 2] = weights[k] * first, weights[k] * (1 - first)
        after += [belief.update(i, j, worker), belief.update(j, i, worker)]
    if len(after) <= most:
        return after, chances
    # systematic draws: every scenario is kept about as often as its probability says, and the kept ones weigh the same
    spots = (rng.random() + np.arange(most)) / most * chances.sum()
    kept = np.minimum(np.searchsorted(np.cumsum(chances), spots, side="right"), chances.size - 1)
    return [after[k] for k in kept], np.full(most, 1 / most)


class ExpectedScorer:
    """Like `Scorer`, the expectation over several beliefs. Pairs are numbered by items, not by positions."""

    def __init__(self, beliefs: Sequence[Belief], weights: FloatArray) -> None:
        self._n = beliefs[0].n_items
        self._beliefs, self._weights = beliefs, weights
        self._scorers: list[Scorer] = []

    def prepare(self, reliabilities: Iterable[float]) -> None:
        self._scorers = [Scorer(belief.alpha) for belief in self._beliefs]
        for scorer in self._scorers:
            scorer.prepare(reliabilities)

    def all(self, p: float) -> FloatArray:
        total = np.zeros((self._n, self._n))
        for weight, scorer in zip(self._weights, self._scorers, strict=True):
            total += weight * scorer.square(p)
        return total[np.tril_indices(self._n, -1)]

    def some(self, pairs: IntArray, p: FloatArray) -> FloatArray:
        i = larger_position(pairs)
        j = pairs - i * (i - 1) // 2
        total = np.zeros(pairs.size)
        for weight, scorer in zip(self._weights, self._scorers, strict=True):
            total += weight * scorer.some(scorer.pair_of(i, j), p)
        return total

    def items_of(self, pair: int) -> tuple[int, int]:
        larger = int(larger_position(np.array([pair]))[0])
        return pair - larger * (larger - 1) // 2, larger

    def pair_of(self, i: IntArray, j: IntArray) -> IntArray:
        larger = np.maximum(i, j)
        numbers: IntArray = larger * (larger - 1) // 2 + np.minimum(i, j)
        return numbers

    def in_order(self, of_items: BoolArray) -> BoolArray:
        return of_items

    def alike(self, pairs: IntArray) -> IntArray:
        return pairs
