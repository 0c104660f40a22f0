"""Adaptive polling (Pfeiffer, Gao, Chen, Mao and Rand 2012): ask the pair whose answer is expected to move us most.

Scores follow Thurstone's model. The matrix of wins starts at 0.15 off the diagonal, the posterior of the scores is
normal around the maximum likelihood fit with the inverse Fisher information as covariance, and a pair is worth the
Kullback-Leibler divergence of the posterior after the answer from the present one, averaged over the two answers.

The authors refit the model for each of the K (K - 1) possible answers. Here only the answer that is given is refitted;
a possible one is added to the present normal posterior, where all that changes is the direction e_i - e_j: the new mode
is the root of an equation in one unknown, the covariance changes by a rank-one term, and the divergence has a closed
form. That is O(K^3) for all pairs together instead of O(K^5).
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np
from scipy.special import ndtr

from nextpair.core import gaussian
from nextpair.core.arrays import FloatArray, IntArray, among, frozen
from nextpair.core.candidates import Candidates, Choice
from nextpair.core.likelihood import NORMAL, ScoreFit, fit_scores, hazard
from nextpair.core.model import RELIABILITY, WinCounts, alike
from nextpair.core.questions import best_questions
from nextpair.errors import InvalidSetting

INITIAL_WINS = 0.15  # [CJL]: off the diagonal of the initial matrix
_NEWTON_STEPS = 8  # from below the root and concave: monotone, and at 1e-12 after 6 in every case tried


@dataclass(frozen=True, eq=False)
class PollingBelief(WinCounts):
    """Win counts and the normal posterior around their Thurstone fit. It does not learn about workers."""

    wins: FloatArray
    mu: FloatArray
    nu: FloatArray
    initial_wins: float = INITIAL_WINS

    def __post_init__(self) -> None:
        for name in ("wins", "mu", "nu"):
            object.__setattr__(self, name, frozen(getattr(self, name)))
        if self.wins.shape[0] < 2:
            raise InvalidSetting(f"a ranking needs at least 2 items, not {self.wins.shape[0]}")
        if not self.initial_wins > 0:
            raise InvalidSetting(f"the initial number of wins must be positive, not {self.initial_wins}")

    @classmethod
    def prior(
        cls,
        n_items: int,
        n_workers: int = 0,
        *,
        reliability: tuple[float, float] = RELIABILITY,
        initial_wins: float = INITIAL_WINS,
    ) -> Self:
        """No comparison yet."""
        mu, nu = alike(n_workers, reliability)
        return cls(np.zeros((n_items, n_items)), mu, nu, initial_wins)

    @cached_property
    def fitted(self) -> ScoreFit:
        return fit_scores(self.wins + self.initial_wins * (1 - np.eye(self.n_items)), NORMAL)

    @cached_property
    def covariance(self) -> FloatArray:
        return self.fitted.covariance()

    def scores(self, without: Collection[int] = ()) -> FloatArray:
        """The fitted scores, less the noise of the arithmetic; they sum to zero."""
        scores = self.fitted.scores
        return np.round(scores - scores[among(self.n_items, without)].mean() if without else scores, 9)

    def ranking(self) -> IntArray:
        return gaussian.ranking(self.scores())

    def intervals(self, level: float = 0.9, without: Collection[int] = ()) -> tuple[FloatArray, FloatArray]:
        var = gaussian.centred_var(self.covariance, without) if without else np.diag(self.covariance)
        return gaussian.intervals(self.scores(without), var, level)

    def probs_above(self, first: IntArray, second: IntArray) -> FloatArray:
        scores = self.scores()
        return gaussian.prob_above(scores[first] - scores[second], gaussian.gap_var(self.covariance, first, second))

    def prob_top(self, k: int, without: Collection[int] = ()) -> FloatArray:
        values, vectors = np.linalg.eigh(self.covariance)
        return gaussian.prob_top(self.scores(), vectors * np.sqrt(np.maximum(values, 0.0)), k, without)

    def expected_accuracy(self) -> float:
        return gaussian.mean_certainty(self.scores(), self.covariance)


def expected_divergence(belief: PollingBelief, rows: IntArray, columns: IntArray) -> FloatArray:
    """The divergence of the posterior after the answer about each pair, averaged over the answers."""
    scores = belief.scores()
    gap, var = scores[rows] - scores[columns], gaussian.gap_var(belief.covariance, rows, columns)
    up = ndtr(gap)
    return np.asarray(up * _divergence(gap, var) + (1 - up) * _divergence(-gap, var), dtype=np.float64)


def _divergence(gap: FloatArray, var: FloatArray) -> FloatArray:
    """KL(after || before) where the score that won was `gap` above the other, give or take a variance `var`.

    Before, x = s_i - s_j - gap is N(0, var). After, its mode solves x / var = hazard(gap + x) and its precision is
    1 / var + bend; nothing changes beside it.
    """
    shift = np.zeros_like(gap)
    for _ in range(_NEWTON_STEPS):
        pull = hazard(gap + shift)
        bend = pull * (pull + gap + shift)
        shift = shift - (shift / var - pull) / (1 / var + bend)
    pull = hazard(gap + shift)
    gained = pull * (pull + gap + shift) * var
    return 0.5 * (shift * shift / var + np.log1p(gained) - gained / (1 + gained))


def choose(belief: PollingBelief, candidates: Candidates, rng: np.random.Generator, n: int = 1) -> list[Choice]:
    """The n pairs of largest expected divergence; whoever answers, it is worth the same."""
    size = belief.n_items
    table = np.zeros((size, size))
    upper = np.triu_indices(size, 1)
    table[upper] = expected_divergence(belief, *upper)

    def value(workers: IntArray, rows: IntArray, columns: IntArray, floor: FloatArray) -> FloatArray:
        return table[rows, columns]

    return best_questions(candidates, value, rng, n)
