"""A campaign of workers who are alike, asked by `look_ahead` to its end in a given world: thousands a second."""

import math

import numpy as np
from numba import njit

from nextpair.core.arrays import FloatArray
from nextpair.core.kernels.ahead import FOCUS, doubt_laplacian, prospects
from nextpair.core.kernels.joint import Joint
from nextpair.core.kernels.much import UNSAID
from nextpair.core.kernels.refit import absorb_one


@njit(cache=True)
def best_pair(mean: FloatArray, cov: FloatArray) -> tuple[int, int]:  # pragma: no cover
    """The pair i > j of the largest gain; the first of those that are equal."""
    chance, worth = prospects(mean, cov, cov @ doubt_laplacian(mean, cov, np.ones(cov.shape), FOCUS) @ cov)
    best, at = -1.0, (1, 0)
    for i in range(mean.size):
        for j in range(i):
            gain = worth[i, j] / (chance[i, j] * chance[j, i])
            if gain > best:
                best, at = gain, (i, j)
    return at


@njit(cache=True)
def finish(
    mean: FloatArray, cov: FloatArray, pair: tuple[int, int], scores: FloatArray, luck: FloatArray
) -> tuple[FloatArray, FloatArray]:  # pragma: no cover
    """Mean and covariance after the pair (i > j) was asked and then, for the rest of the budget, the best each time.

    `scores` are the world's log-scores; luck[i, j, n] decides the n-th answer from now on to i > j. Its third size is
    the budget. Answers are not matched again (there are no refits), which makes no difference to speak of where nobody
    is doubted.
    """
    mean, cov = mean.copy(), cov.copy()
    budget = luck.shape[2]
    told, factors = np.full((6, budget), -1, dtype=np.int64), np.empty((4, budget))
    told[3:] = 0
    nobody, no_crowd, nothing = np.empty((0, 0)), np.empty(0, dtype=np.int64), np.zeros(1)
    crowds, no_guess = np.empty((0, 0, 0)), np.empty(0)
    at = Joint(
        told, factors, mean, cov, nobody, nobody, no_crowd, crowds, nothing, nothing, UNSAID.copy(), nothing,
        no_guess, nobody,
    )  # fmt: skip
    asked = np.zeros(luck.shape[:2], dtype=np.int64)
    for t in range(budget):
        i, j = pair if t == 0 else best_pair(mean, cov)
        first = luck[i, j, asked[i, j]] < 1.0 / (1.0 + math.exp(scores[j] - scores[i]))
        asked[i, j] += 1
        told[0, t], told[1, t] = (i, j) if first else (j, i)
        absorb_one(t, at)
    return mean, cov
