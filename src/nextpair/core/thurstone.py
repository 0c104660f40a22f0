"""Thurstone's model, case V: i beats j with probability Phi(s_i - s_j). Maximum likelihood by Newton's method."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import log_ndtr

from nextpair.core.arrays import FloatArray, IntArray

_HALF_LOG_2PI = 0.9189385332046727


@dataclass(frozen=True)
class ThurstoneFit:
    """Scores that sum to zero, and the observed Fisher information about them (singular along the ones)."""

    scores: FloatArray
    information: FloatArray

    def covariance(self) -> FloatArray:
        """The inverse of the information on the plane where scores sum to zero."""
        return np.asarray(np.linalg.pinv(self.information, hermitian=True), dtype=np.float64)


def hazard(gap: FloatArray) -> FloatArray:
    """phi / Phi: the slope of log Phi."""
    return np.asarray(np.exp(-0.5 * gap * gap - _HALF_LOG_2PI - log_ndtr(gap)), dtype=np.float64)


def fit_thurstone(wins: FloatArray, tolerance: float = 1e-10, max_steps: int = 200) -> ThurstoneFit:
    """The scores of largest likelihood; every group of items must have lost to the rest and beaten it."""
    rows, columns = np.nonzero(np.triu(wins + wins.T, 1))
    won, lost = wins[rows, columns], wins[columns, rows]
    scores = np.zeros(wins.shape[0])
    reached = _log_likelihood(scores, rows, columns, won, lost)
    for _ in range(max_steps):
        slope, information = _derivatives(scores, rows, columns, won, lost)
        step = np.linalg.solve(information + 1.0, slope)  # + 1 1': the step has no part along the ones
        while True:
            after = _log_likelihood(scores + step, rows, columns, won, lost)
            if after >= reached - 1e-9 * abs(reached):
                break
            step = 0.5 * step
        scores, reached = scores + step, after
        if np.abs(step).max() < tolerance:
            break
    return ThurstoneFit(scores - scores.mean(), _derivatives(scores, rows, columns, won, lost)[1])


def _log_likelihood(scores: FloatArray, rows: IntArray, columns: IntArray, won: FloatArray, lost: FloatArray) -> float:
    gap = scores[rows] - scores[columns]
    return float(won @ log_ndtr(gap) + lost @ log_ndtr(-gap))


def _derivatives(
    scores: FloatArray, rows: IntArray, columns: IntArray, won: FloatArray, lost: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """The gradient of the log-likelihood and minus its Hessian."""

    def total(items: IntArray, values: FloatArray) -> FloatArray:
        return np.asarray(np.bincount(items, values, scores.size), dtype=np.float64)

    gap = scores[rows] - scores[columns]
    up, down = hazard(gap), hazard(-gap)
    pull = won * up - lost * down
    weight = won * up * (up + gap) + lost * down * (down - gap)
    slope = total(rows, pull) - total(columns, pull)
    information: FloatArray = np.diag(total(rows, weight) + total(columns, weight))
    information[rows, columns] -= weight
    information[columns, rows] -= weight
    return slope, information
