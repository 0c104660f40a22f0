"""Rank centrality (Negahban, Oh and Shah 2012): items ranked by where a walk from losers to winners spends its time.

The walk goes from i to j with probability share_ij / d, where share_ij is the share of their comparisons that j won and
d the largest number of opponents of an item. Shares are regularised as the authors propose, (wins + e) / (n + 2e), so
that an item without a loss does not swallow the walk. Parts that were never compared with each other are walked apart,
each for as long as it has items.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from nextpair.core import akg
from nextpair.core.accuracy import expected_accuracy
from nextpair.core.arrays import BoolArray, FloatArray, IntArray, among, frozen
from nextpair.core.belief import Belief
from nextpair.core.candidates import Candidates, Choice
from nextpair.core.comparisons import Comparisons
from nextpair.core.gaussian import ranking
from nextpair.core.halfbeta import prob_above
from nextpair.core.model import RELIABILITY, Folding
from nextpair.core.sureness import with_score

PSEUDO_WINS = 1.0  # e of the authors in 2017: a uniform prior on each share
PLAIN = 0.01  # so few that the walk is that of 2012, which [CJL] compares with, and yet never stuck


def stationary(wins: FloatArray, pseudo_wins: float = PSEUDO_WINS) -> FloatArray:
    """The stationary distribution of the walk; `wins[i, j]` counts how often i beat j.

    Without pseudo-wins the items of a part must all be reachable from each other.
    """
    from scipy.sparse.csgraph import connected_components

    n = wins.shape[0]
    met = wins + wins.T > 0
    found = np.empty(n)
    count, part = connected_components(met, directed=False)
    for k in range(count):
        mine = np.flatnonzero(part == k)
        found[mine] = _walk(wins[np.ix_(mine, mine)], met[np.ix_(mine, mine)], pseudo_wins) * mine.size / n
    return found


def _walk(wins: FloatArray, met: BoolArray, pseudo_wins: float) -> FloatArray:
    """The stationary distribution within one part."""
    n = wins.shape[0]
    played = wins + wins.T + 2 * pseudo_wins
    share = np.divide(wins.T + pseudo_wins, played, out=np.zeros((n, n)), where=met)
    walk = share / max(1, int(met.sum(axis=1).max()))
    # pi (walk - I) = 0 and sum(pi) = 1; the equations are dependent, so one gives its place to the sum
    system = walk.T - np.diag(walk.sum(axis=1))
    system[-1], target = 1.0, np.zeros(n)
    target[-1] = 1.0
    found = np.maximum(np.linalg.solve(system, target), 0.0)
    return np.asarray(found / found.sum(), dtype=np.float64)


@dataclass(frozen=True, eq=False)
class CentralityBelief(Folding):
    """Win counts, ranked by rank centrality, beside the moment-matched belief that chooses the questions.

    Rank centrality is a point estimate. What it cannot say (how sure an order is, who is reliable) is taken from
    `inner`, which has heard the same answers.
    """

    wins: FloatArray
    inner: Belief
    pseudo_wins: float = PLAIN

    def __post_init__(self) -> None:
        object.__setattr__(self, "wins", frozen(self.wins))

    @classmethod
    def prior(
        cls,
        n_items: int,
        n_workers: int = 0,
        *,
        reliability: tuple[float, float] = RELIABILITY,
        pseudo_wins: float = PLAIN,
    ) -> Self:
        """No comparison yet."""
        inner = Belief.prior(n_items, n_workers, reliability=reliability)
        return cls(np.zeros((n_items, n_items)), inner, pseudo_wins)

    @property
    def n_items(self) -> int:
        return self.inner.n_items

    @property
    def n_workers(self) -> int:
        return self.inner.n_workers

    @property
    def mu(self) -> FloatArray:
        return self.inner.mu

    @property
    def nu(self) -> FloatArray:
        return self.inner.nu

    @property
    def reliability(self) -> FloatArray:
        return self.inner.reliability

    @property
    def leaning(self) -> FloatArray | None:
        return self.inner.leaning

    def after(self, told: Comparisons) -> Self:
        """A tie is half a win for each; whoever answers, an answer counts one."""
        inner = self.inner.fold(told.winners, told.losers, told.workers, told.ties)
        return replace(self, wins=self.wins + told.wins(), inner=inner)

    def with_item(self) -> Self:
        return replace(self, wins=np.pad(self.wins, (0, 1)), inner=self.inner.with_item())

    def with_workers(self, reliabilities: Sequence[tuple[float, float]]) -> Self:
        return replace(self, inner=self.inner.with_workers(reliabilities))

    def scores(self, without: Collection[int] = ()) -> FloatArray:
        """The share of time that the walk spends at each item, less the noise of the arithmetic (equal stays equal).

        If some are left out, of the time that it spends at the others.
        """
        shares = np.round(self.n_items * stationary(self.wins, self.pseudo_wins), 11) / self.n_items
        return shares / shares[among(self.n_items, without)].sum() if without else shares

    def ranking(self) -> IntArray:
        return ranking(self.scores())

    def intervals(self, level: float = 0.9, without: Collection[int] = ()) -> tuple[FloatArray, FloatArray]:
        """The interval of `inner`, widened to the score where that lies outside."""
        low, high = self.inner.intervals(level, without)
        return with_score(low, high, self.scores(without))

    def probs_above(self, first: IntArray, second: IntArray) -> FloatArray:
        return self.inner.probs_above(first, second)

    def prob_top(self, k: int, without: Collection[int] = ()) -> FloatArray:
        return self.inner.prob_top(k, without)

    def expected_accuracy(self) -> float:
        """Of the ranking by centrality, in the eyes of `inner`."""
        alpha, (first, second) = self.inner.alpha, np.triu_indices(self.n_items, 1)
        return float(expected_accuracy(self.ranking(), prob_above(alpha[first], alpha[second])))


def choose_akg(belief: CentralityBelief, candidates: Candidates, rng: np.random.Generator, n: int = 1) -> list[Choice]:
    """The questions that AKG would ask ("Centrality + KG")."""
    return akg.choose(belief.inner, candidates, rng, n)
