"""A guess of the scores that was there before any answer: how far it is borne out, and what scores are with it.

The guess g, as normal scores (see `core.guess`), has some correlation r with the log-scores s. Given r,

    s_k ~ N(r sqrt(v) g_k, v (1 - r^2)),    v the variance of log-scores before any answer,

so that whatever r is, a score has the variance v. How large r is, is not known: it is one of `CORRELATIONS`. Under each
of them answers add up to one normal posterior and one evidence, and the posterior is the normal with the mean and the
covariance of that mixture. An item of which nothing was guessed (nan) is N(0, v), as all are without a guess.
"""

import math

import numpy as np
from numba import njit

from nextpair.core.arrays import FloatArray, frozen

CORRELATIONS = frozen(np.array([0.0, 0.3, 0.55, 0.75, 0.9, -0.5, -0.85]))  # below 0 it is the wrong way round
LIKELY = frozen(np.array([0.15, 0.2, 0.2, 0.2, 0.15, 0.05, 0.05]))  # before any answer


@njit(cache=True)
def guessed(r: float, before: float, guess: FloatArray) -> tuple[FloatArray, FloatArray]:  # pragma: no cover
    """(mean, precision) of every score before any answer, where the guess has the correlation r with them."""
    mean, precision = np.zeros(guess.size), np.full(guess.size, 1.0 / before)
    for k in range(guess.size):
        if not math.isnan(guess[k]):
            mean[k] = r * math.sqrt(before) * guess[k]
            precision[k] = 1.0 / (before * (1.0 - r * r))
    return mean, precision


@njit(cache=True)
def guess_odds(mean: FloatArray, before: float, guess: FloatArray) -> float:  # pragma: no cover
    """log p(-mean) - log p(mean) by the guess: how much likelier it makes the opposite order."""
    here, there = np.empty(CORRELATIONS.size), np.empty(CORRELATIONS.size)
    for c in range(CORRELATIONS.size):
        toward, precision = guessed(CORRELATIONS[c], before, guess)
        here[c] = there[c] = math.log(LIKELY[c]) + 0.5 * np.log(precision).sum()
        here[c] -= 0.5 * (precision * (mean - toward) ** 2).sum()
        there[c] -= 0.5 * (precision * (mean + toward) ** 2).sum()
    return _log_sum(there) - _log_sum(here)


@njit(cache=True)
def _log_sum(logs: FloatArray) -> float:  # pragma: no cover
    top = logs.max()
    return float(top + math.log(np.exp(logs - top).sum()))
