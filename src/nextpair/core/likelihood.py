"""Scores of largest likelihood from win counts, for any model in which i beats j with probability F(s_i - s_j).

F is the logistic function for Bradley-Terry and the normal distribution for Thurstone (case V). Both make log F
concave, so that Newton's method, held back where it overshoots, finds the one maximum.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.special import expit, log_expit, log_ndtr

from nextpair.core.arrays import FloatArray, IntArray

_HALF_LOG_2PI = 0.9189385332046727
_SETTLED = 1e-10  # the fit is there when no score moves by more
_UPHILL = 1e-9  # a step may lower the objective by this share of it: rounding


@dataclass(frozen=True)
class Link:
    """log F, its slope, and minus its second derivative given the gap and the slope."""

    log: Callable[[FloatArray], FloatArray]
    slope: Callable[[FloatArray], FloatArray]
    bend: Callable[[FloatArray, FloatArray], FloatArray]


def hazard(gap: FloatArray) -> FloatArray:
    """phi / Phi: the slope of log Phi."""
    return np.asarray(np.exp(-0.5 * gap * gap - _HALF_LOG_2PI - log_ndtr(gap)), dtype=np.float64)


NORMAL = Link(log_ndtr, hazard, lambda gap, slope: slope * (slope + gap))
LOGISTIC = Link(log_expit, lambda gap: expit(-gap), lambda gap, slope: slope * (1 - slope))


@dataclass(frozen=True)
class ScoreFit:
    """Scores that sum to zero, and the observed Fisher information about them (singular along the ones)."""

    scores: FloatArray
    information: FloatArray

    def covariance(self) -> FloatArray:
        """The inverse of the information on the plane where scores sum to zero."""
        return np.asarray(np.linalg.pinv(self.information, hermitian=True), dtype=np.float64)


class _Objective:
    """The log-likelihood of counts, plus the log density of a Dirichlet prior in the coordinates s = log theta."""

    def __init__(self, wins: FloatArray, link: Link, prior: float) -> None:
        self.n, self.link, self.prior = wins.shape[0], link, prior
        self.rows, self.columns = np.nonzero(np.triu(wins + wins.T, 1))
        self.won, self.lost = wins[self.rows, self.columns], wins[self.columns, self.rows]

    def value(self, scores: FloatArray) -> float:
        gap = scores[self.rows] - scores[self.columns]
        likelihood = float(self.won @ self.link.log(gap) + self.lost @ self.link.log(-gap))
        share = scores - scores.max()
        return likelihood + self.prior * float(share.sum() - self.n * np.log(np.exp(share).sum()))

    def derivatives(self, scores: FloatArray) -> tuple[FloatArray, FloatArray]:
        """The gradient, and minus the Hessian."""
        gap = scores[self.rows] - scores[self.columns]
        up, down = self.link.slope(gap), self.link.slope(-gap)
        pull = self.won * up - self.lost * down
        weight = self.won * self.link.bend(gap, up) + self.lost * self.link.bend(-gap, down)
        information: FloatArray = np.diag(self._total(self.rows, weight) + self._total(self.columns, weight))
        information[self.rows, self.columns] -= weight
        information[self.columns, self.rows] -= weight
        theta = np.exp(scores - scores.max())
        theta /= theta.sum()
        slope = self._total(self.rows, pull) - self._total(self.columns, pull) + self.prior * (1 - self.n * theta)
        return slope, information + self.prior * self.n * (np.diag(theta) - np.outer(theta, theta))

    def _total(self, items: IntArray, values: FloatArray) -> FloatArray:
        return np.asarray(np.bincount(items, values, self.n), dtype=np.float64)


def fit_scores(wins: FloatArray, link: Link, *, prior: float = 0.0, max_steps: int = 200) -> ScoreFit:
    """The scores of largest likelihood, or with a prior theta ~ Dir(prior, ..., prior) of largest posterior density.

    The density is that of s = log theta. Without a prior every group of items must have beaten the rest and lost to it.
    """
    goal = _Objective(wins, link, prior)
    scores = np.zeros(goal.n)
    reached = goal.value(scores)
    for _ in range(max_steps):
        slope, information = goal.derivatives(scores)
        # adding a constant to every score changes nothing: one along the ones makes the system regular
        scale = max(float(np.trace(information)) / goal.n, 1e-300)
        step = np.linalg.solve(information + scale, slope)
        while True:
            after = goal.value(scores + step)
            if after >= reached - _UPHILL * abs(reached):
                break
            step = 0.5 * step
        scores, reached = scores + step, after
        if np.abs(step).max() < _SETTLED:
            break
    return ScoreFit(scores - scores.mean(), goal.derivatives(scores)[1])
