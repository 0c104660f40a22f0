"""ASAP (Mikhailiuk, Wilmot, Perez-Ortiz, Yue and Mantiuk 2020): expected information gain, batches by spanning tree.

Scores follow Thurstone's model with normal marginals, found by passing messages over all comparisons (TrueSkill) and
not only over the last one. A pair is worth the expected divergence of the two marginals after its answer from those
before. One question is the pair of largest gain; a batch is the minimum spanning tree of the graph whose edges have the
inverse gains as lengths, so that it connects all items. Prior and noise have the scale of the other policies.
Workers are taken for alike.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import minimum_spanning_tree

from nextpair.core import gaussian
from nextpair.core.arrays import FloatArray, IntArray, frozen
from nextpair.core.candidates import Candidates, Choice
from nextpair.core.comparisons import Comparisons
from nextpair.core.kernels.spread import PRIOR_VAR
from nextpair.core.kernels.trueskill import absorb, information_gain
from nextpair.core.model import RELIABILITY, BetaWorkers, alike
from nextpair.core.questions import best_questions, open_questions
from nextpair.errors import InvalidSetting


@dataclass(frozen=True, eq=False)
class AsapBelief(BetaWorkers):
    """Normal marginals (precision, shift = mean times precision) with the messages of every answer."""

    precision: FloatArray
    shift: FloatArray
    mu: FloatArray
    nu: FloatArray
    told: IntArray
    messages: FloatArray
    swept: int = 0

    def __post_init__(self) -> None:
        for name in ("precision", "shift", "mu", "nu", "messages"):
            object.__setattr__(self, name, frozen(getattr(self, name)))
        self.told.flags.writeable = False
        if self.precision.size < 2:
            raise InvalidSetting(f"a ranking needs at least 2 items, not {self.precision.size}")

    @classmethod
    def prior(cls, n_items: int, n_workers: int = 0, *, reliability: tuple[float, float] = RELIABILITY) -> Self:
        """Every score N(0, pi^2 / 6)."""
        mu, nu = alike(n_workers, reliability)
        told, messages = np.empty((4, 0), dtype=np.int64), np.empty((4, 0))
        return cls(np.full(n_items, 1 / PRIOR_VAR), np.zeros(n_items), mu, nu, told, messages)

    @property
    def n_items(self) -> int:
        return self.precision.size

    @property
    def var(self) -> FloatArray:
        return np.asarray(1 / self.precision)

    def after(self, told: Comparisons) -> Self:
        every = np.hstack([self.told, told.columns()[:4]])
        messages = np.hstack([self.messages, np.zeros((4, len(told)))])
        precision, shift = self.precision.copy(), self.shift.copy()
        swept = absorb(self.told.shape[1], self.swept, every, messages, precision, shift)
        return replace(self, precision=precision, shift=shift, told=every, messages=messages, swept=swept)

    def with_item(self) -> Self:
        precision, shift = np.append(self.precision, 1 / PRIOR_VAR), np.append(self.shift, 0.0)
        return replace(self, precision=precision, shift=shift)

    def scores(self, without: Collection[int] = ()) -> FloatArray:
        """0 before any answer, whatever other items there are."""
        return np.asarray(self.shift / self.precision)

    def ranking(self) -> IntArray:
        return gaussian.ranking(self.scores())

    def intervals(self, level: float = 0.9, without: Collection[int] = ()) -> tuple[FloatArray, FloatArray]:
        return gaussian.intervals(self.scores(), self.var, level)

    def probs_above(self, first: IntArray, second: IntArray) -> FloatArray:
        scores, var = self.scores(), self.var
        return gaussian.prob_above(scores[first] - scores[second], var[first] + var[second])

    def prob_top(self, k: int, without: Collection[int] = ()) -> FloatArray:
        return gaussian.prob_top(self.scores(), np.diag(np.sqrt(self.var)), k, without)

    def expected_accuracy(self) -> float:
        return gaussian.mean_certainty(self.scores(), np.diag(self.var))


def choose(belief: AsapBelief, candidates: Candidates, rng: np.random.Generator, n: int = 1) -> list[Choice]:
    """The pair of largest expected information gain; for n > 1 pairs of spanning trees, one after the other."""
    gain = information_gain(belief.scores(), belief.var)
    ahead = gain.max() + 1.0  # lifts the pairs of a tree above all others
    choices: list[Choice] = []
    while len(choices) < n:
        lift = np.zeros_like(gain)
        if n > 1:
            lift[spanning_tree(gain, candidates, choices)] = ahead

        def value(workers: IntArray, rows: IntArray, columns: IntArray, floor: FloatArray) -> FloatArray:
            return np.asarray(gain[rows, columns] + lift[rows, columns])  # noqa: B023 (called before the loop goes on)

        want = min(n - len(choices), max(1, int((lift > 0).sum())))
        found = best_questions(candidates, value, rng, want, besides=choices)
        if not found:
            break
        choices += [replace(c, score=float(gain[c.pair]) / candidates.cost(c.worker)) for c in found]
    return choices


def spanning_tree(gain: FloatArray, candidates: Candidates, besides: Sequence[Choice]) -> tuple[IntArray, IntArray]:
    """The pairs (rows, columns), rows < columns, of the tree that gains most, among those that may still be asked."""
    taken = np.zeros(gain.shape, dtype=np.bool_)
    for choice in besides:
        taken[choice.pair] = True
    may = np.zeros(gain.shape, dtype=np.bool_)
    for _, rows, columns in open_questions(candidates, taken):
        may[rows, columns] = True
    rows, columns = np.nonzero(may)
    lengths = 1 / np.maximum(gain[rows, columns], 1e-12)
    tree = minimum_spanning_tree(coo_array((lengths, (rows, columns)), shape=gain.shape)).tocoo()
    return np.asarray(tree.row, dtype=np.int64), np.asarray(tree.col, dtype=np.int64)
