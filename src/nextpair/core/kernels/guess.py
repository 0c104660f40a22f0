"""A guess of the scores that was there before any answer: how far it is borne out, and what scores are with it.

The guess g, as normal scores (see `core.guess`), has some correlation r with the log-scores s. Given r,

    s_k ~ N(r sqrt(v) g_k, v (1 - r^2)),    v the variance of log-scores before any answer,

so that whatever r is, a score has the variance v. How large r is, is not known: it is one of `SIZES`, up or down. Under
each of them answers add up to one normal posterior and one evidence, and the posterior is the normal with the mean and
the covariance of that mixture. An item of which nothing was guessed (nan) is N(0, v), as all are without a guess.

Up or down, r has the same covariance: each size takes one inversion.
"""

import math

import numpy as np
from numba import njit

from nextpair.core.arrays import FloatArray, frozen

SIZES = frozen(np.array([0.0, 0.4, 0.7, 0.9]))  # of the correlation
SIGNS = frozen(np.array([1.0, -1.0]))  # below 0, a guess is the wrong way round
LIKELY = frozen(np.array([[0.1, 0.1], [0.23, 0.04], [0.25, 0.04], [0.2, 0.04]]))  # each size and sign before any answer
CORRELATIONS = frozen(np.outer(SIZES, SIGNS))


@njit(cache=True)
def guessed_precision(size: float, before: float, guess: FloatArray) -> FloatArray:  # pragma: no cover
    """Of every score before any answer, where the guess has a correlation of this size with them."""
    precision = np.full(guess.size, 1.0 / before)
    for k in range(guess.size):
        if not math.isnan(guess[k]):
            precision[k] = 1.0 / (before * (1.0 - size * size))
    return precision


@njit(cache=True)
def guessed_mean(r: float, before: float, guess: FloatArray) -> FloatArray:  # pragma: no cover
    """Of every score before any answer, where the guess has the correlation r with them."""
    mean = np.zeros(guess.size)
    for k in range(guess.size):
        if not math.isnan(guess[k]):
            mean[k] = r * math.sqrt(before) * guess[k]
    return mean


@njit(cache=True)
def guess_odds(mean: FloatArray, before: float, guess: FloatArray) -> float:  # pragma: no cover
    """log p(-mean) - log p(mean) by the guess: how much likelier it makes the opposite order."""
    here, there = np.empty(LIKELY.shape), np.empty(LIKELY.shape)
    for c in range(SIZES.size):
        precision = guessed_precision(SIZES[c], before, guess)
        for d in range(SIGNS.size):
            toward = guessed_mean(CORRELATIONS[c, d], before, guess)
            here[c, d] = there[c, d] = math.log(LIKELY[c, d]) + 0.5 * np.log(precision).sum()
            here[c, d] -= 0.5 * (precision * (mean - toward) ** 2).sum()
            there[c, d] -= 0.5 * (precision * (mean + toward) ** 2).sum()
    return _log_sum(there) - _log_sum(here)


@njit(cache=True)
def _log_sum(logs: FloatArray) -> float:  # pragma: no cover
    top = logs.max()
    return float(top + math.log(np.exp(logs - top).sum()))
