"""Crowd-BT (Chen, Bennett, Collins-Thompson and Horvitz 2013): normal scores, Beta workers, information gain.

s_i ~ N(mean_i, var_i); worker w answers by Bradley-Terry on exp(s) with probability eta_w ~ Beta(mu_w, nu_w), else the
opposite. Both are updated by moment matching. With p = mu / (mu + nu) and sigma the chance that i beats j at the means,
an answer depends on the worker through p alone, and what it teaches about the worker on the items through c1 alone.
The question asked is the one of largest expected divergence of the new belief from the old, in which what is learnt
about the worker counts gamma times.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from nextpair.core import gaussian
from nextpair.core.arrays import FloatArray, IntArray, frozen
from nextpair.core.candidates import Candidates, Choice
from nextpair.core.comparisons import Comparisons
from nextpair.core.crowd_bt_search import Search
from nextpair.core.kernels.crowd_bt import absorb, gains
from nextpair.core.model import RELIABILITY, BetaWorkers, alike
from nextpair.core.questions import Value, best_questions
from nextpair.errors import InvalidSetting

GAMMA = 1.0  # [CJL]; the authors and gavel use 0.1
FEW = 8  # workers, among whom all questions are worked out in less time than it takes to search


@dataclass(frozen=True, eq=False)
class CrowdBtBelief(BetaWorkers):
    """Normal scores and Beta workers. `gamma` weighs learning about workers when questions are chosen."""

    mean: FloatArray
    var: FloatArray
    mu: FloatArray
    nu: FloatArray
    gamma: float = GAMMA

    def __post_init__(self) -> None:
        for name in ("mean", "var", "mu", "nu"):
            object.__setattr__(self, name, frozen(getattr(self, name)))
        if self.mean.size < 2 or self.mean.shape != self.var.shape:
            raise InvalidSetting(f"a belief needs a mean and a variance of at least 2 items, not {self.mean.size}")
        if not (np.isfinite(self.mean).all() and (self.var > 0).all()):
            raise InvalidSetting("every mean must be finite and every variance positive")
        if self.mu.shape != self.nu.shape or not ((self.mu >= 0) & (self.nu >= 0) & (self.mu + self.nu > 0)).all():
            raise InvalidSetting("every worker needs a mu and a nu that are not negative, and not both zero")
        if not self.gamma >= 0:
            raise InvalidSetting(f"gamma must not be negative, as {self.gamma} is")

    @classmethod
    def prior(
        cls,
        n_items: int,
        n_workers: int = 0,
        *,
        reliability: tuple[float, float] = RELIABILITY,
        gamma: float = GAMMA,
    ) -> Self:
        """Every score N(0, 1), every worker's reliability Beta(*reliability)."""
        mu, nu = alike(n_workers, reliability)
        return cls(np.zeros(n_items), np.ones(n_items), mu, nu, gamma)

    @property
    def n_items(self) -> int:
        return self.mean.size

    def after(self, told: Comparisons) -> Self:
        """A tie is half a win for each: the mean of the two updates, and nothing learnt about the worker."""
        mean, var, mu, nu = self.mean.copy(), self.var.copy(), self.mu.copy(), self.nu.copy()
        absorb(mean, var, mu, nu, told.winners, told.losers, told.workers, told.ties)
        return replace(self, mean=mean, var=var, mu=mu, nu=nu)

    def with_item(self) -> Self:
        return replace(self, mean=np.append(self.mean, 0.0), var=np.append(self.var, 1.0))

    def scores(self, without: Collection[int] = ()) -> FloatArray:
        """The mean of each score, on the logarithmic scale; 0 before any answer, whatever other items there are."""
        return self.mean

    def ranking(self) -> IntArray:
        return gaussian.ranking(self.mean)

    def intervals(self, level: float = 0.9, without: Collection[int] = ()) -> tuple[FloatArray, FloatArray]:
        return gaussian.intervals(self.mean, self.var, level)

    def probs_above(self, first: IntArray, second: IntArray) -> FloatArray:
        return gaussian.prob_above(self.mean[first] - self.mean[second], self.var[first] + self.var[second])

    def prob_top(self, k: int, without: Collection[int] = ()) -> FloatArray:
        return gaussian.prob_top(self.mean, np.diag(np.sqrt(self.var)), k, without)

    def expected_accuracy(self) -> float:
        return gaussian.mean_certainty(self.mean, np.diag(self.var))


def choose(belief: CrowdBtBelief, candidates: Candidates, rng: np.random.Generator, n: int = 1) -> list[Choice]:
    """The n questions of largest expected information gain per unit of cost."""
    if len(candidates.workers or ()) < FEW or candidates.listed is not None or candidates.stays:
        return best_questions(candidates, information_gain(belief), rng, n)
    return Search(belief, candidates).choose(rng, n)


def information_gain(belief: CrowdBtBelief) -> Value:
    """What each question is expected to teach."""

    def value(workers: IntArray, rows: IntArray, columns: IntArray, floor: FloatArray) -> FloatArray:
        worth = np.empty(workers.size)
        ends = np.append(np.flatnonzero(np.diff(workers)) + 1, workers.size)
        for start, end in zip(np.append(0, ends[:-1]), ends, strict=True):
            worker = workers[start]
            mu, nu = (1.0, 0.0) if worker < 0 else (belief.mu[worker], belief.nu[worker])
            some = slice(start, end)
            worth[some] = gains(
                belief.mean, belief.var, rows[some], columns[some], mu, nu, belief.gamma, float(floor[start])
            )
        return worth

    return value
