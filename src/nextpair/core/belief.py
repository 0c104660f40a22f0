"""The belief: a Dirichlet over item scores and a Beta over each worker's reliability."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from numbers import Integral
from typing import Self

import numpy as np

from nextpair.core.arrays import FloatArray, IntArray, among, as_codes, frozen
from nextpair.core.comparisons import refuse_itself, refuse_outside
from nextpair.core.halfbeta import prob_above
from nextpair.core.kernels.scorer import certainties
from nextpair.core.model import RELIABILITY, BetaWorkers, Codes, Model, alike
from nextpair.core.moments import absorb
from nextpair.core.sureness import prob_top, refuse_level, with_score
from nextpair.errors import InvalidSetting


@dataclass(frozen=True, eq=False)
class Belief(BetaWorkers):
    """theta ~ Dir(alpha) over scores, rho_w ~ Beta(mu_w, nu_w) over reliabilities. `update` returns a new one."""

    alpha: FloatArray
    mu: FloatArray
    nu: FloatArray

    def __post_init__(self) -> None:
        for name in ("alpha", "mu", "nu"):
            object.__setattr__(self, name, frozen(getattr(self, name)))
        if self.alpha.ndim != 1 or self.alpha.size < 2:
            raise InvalidSetting(f"a belief needs one alpha for each of at least 2 items, not {self.alpha.shape}")
        if not (np.isfinite(self.alpha).all() and (self.alpha > 0).all()):
            raise InvalidSetting("every alpha must be a positive number")
        if self.mu.shape != self.nu.shape or self.mu.ndim != 1:
            raise InvalidSetting(f"mu and nu must be of one length, not {self.mu.size} and {self.nu.size}")
        if not ((self.mu >= 0).all() and (self.nu >= 0).all() and (np.isfinite(self.mu + self.nu)).all()):
            raise InvalidSetting("every mu and nu must be zero or a positive number")
        if not (self.mu + self.nu > 0).all():
            raise InvalidSetting("mu and nu of a worker must not both be zero")

    @classmethod
    def prior(cls, n_items: int, n_workers: int = 0, *, reliability: tuple[float, float] = RELIABILITY) -> Self:
        """Every score equally likely; every worker's reliability Beta(*reliability)."""
        if not isinstance(n_items, Integral) or n_items < 2:
            raise InvalidSetting(f"a ranking needs at least 2 items, not {n_items!r}")
        return cls(np.ones(n_items), *alike(n_workers, reliability))

    @property
    def n_items(self) -> int:
        """How many items there are; they are numbered from 0."""
        return self.alpha.size

    def fold(
        self,
        winners: Codes,
        losers: Codes,
        workers: Codes | int = -1,
        ties: Codes | int = 0,
        sides: Codes | int = 0,
        much: Codes | int = 0,
    ) -> Self:
        """The belief after many answers in this order (eq. MM1form, MM1wform1, MM1wform2)."""
        won = as_codes("winners", winners)
        lost = as_codes("losers", losers, won.size)
        who, tied = as_codes("workers", workers, won.size), as_codes("ties", ties, won.size)
        # what `Comparisons` checks too, which would make an update of one answer a third slower
        refuse_outside("item", np.concatenate([won, lost]), 0, self.n_items)
        refuse_outside("worker", who, -1, self.n_workers)
        refuse_itself(won, lost)
        alpha, mu, nu = self.alpha.copy(), self.mu.copy(), self.nu.copy()
        absorb(alpha, mu, nu, won, lost, who, tied)
        return replace(self, alpha=alpha, mu=mu, nu=nu)

    def with_item(self) -> Self:
        """The belief with one more item, about which nothing is known yet."""
        return replace(self, alpha=np.append(self.alpha, 1.0))

    def ranking(self) -> IntArray:
        """Item indices, best first: the order of largest expected Kendall's tau (thmLOP). Ties go by index."""
        return np.argsort(-self.alpha, kind="stable")

    def probs_above(self, first: IntArray, second: IntArray) -> FloatArray:
        """P(theta_i > theta_j) (eq. approxprob)."""
        return prob_above(self.alpha[first], self.alpha[second])

    def expected_accuracy(self) -> float:
        """h: the expected Kendall's tau, as a share of pairs, of `ranking()` (eq. maxh)."""
        accuracy = certainties(self.alpha) / (self.n_items * (self.n_items - 1) / 2)
        return min(max(accuracy, 0.5), 1.0)  # rounding may step over the edge

    def scores(self, without: Collection[int] = ()) -> FloatArray:
        """The expected score of each item; scores sum to one. A Dirichlet without some items is one of the others."""
        return np.asarray(self.alpha / self.alpha[among(self.n_items, without)].sum())

    def intervals(self, level: float = 0.9, without: Collection[int] = ()) -> tuple[FloatArray, FloatArray]:
        """The central credible interval of each item's score, widened to the score where that lies outside."""
        from scipy.special import betaincinv

        refuse_level(level)
        # added up from both ends: subtracted from the sum, those beside one item with all the mass would be nothing
        mass = self.alpha.copy()
        mass[list(without)] = 0.0
        others = np.append(0.0, np.cumsum(mass[:-1])) + np.append(np.cumsum(mass[:0:-1])[::-1], 0.0)
        tail = (1 - level) / 2
        low, high = betaincinv(self.alpha, others, tail), betaincinv(self.alpha, others, 1 - tail)
        return with_score(low, high, self.scores(without))

    def prob_top(self, k: int, without: Collection[int] = ()) -> FloatArray:
        """The probability of each item to be among the k best, by simulation."""

        def draw(rng: np.random.Generator, n: int) -> FloatArray:
            # a log-gamma draw that survives tiny alpha: Gamma(a) = Gamma(a + 1) U^(1/a)
            log_theta = np.log(rng.standard_gamma(self.alpha + 1, (n, self.n_items)))
            return np.asarray(log_theta - rng.standard_exponential((n, self.n_items)) / self.alpha)

        return prob_top(draw, self.n_items, k, without)


def reliability_intervals(belief: Model, level: float = 0.9) -> tuple[FloatArray, FloatArray]:
    """The central credible interval of each worker's reliability, from the Beta that every belief keeps of it.

    Widened to the reliability where that lies outside.
    """
    from scipy.special import betaincinv

    refuse_level(level)
    tail = (1 - level) / 2
    low, high = betaincinv(belief.mu, belief.nu, tail), betaincinv(belief.mu, belief.nu, 1 - tail)
    return with_score(np.asarray(low, np.float64), np.asarray(high, np.float64), belief.reliability)
