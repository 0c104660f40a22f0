"""The joint posterior of log-scores and reliabilities, as arrays that kernels change in place."""

from typing import NamedTuple

import numpy as np
from numba import njit

from nextpair.core.arrays import FloatArray, IntArray
from nextpair.core.kernels.inverse import invert


class Joint(NamedTuple):
    """The arrays of a `FullPosterior`, under the same names: K items, M workers, N answers."""

    told: IntArray  # (5, N): winner, loser, worker or -1, tie, side
    factors: FloatArray  # (3, N): precision and shift of the gap's normal factor, and the answer's chance
    mean: FloatArray
    cov: FloatArray
    workers: FloatArray  # (M, bins): weights of each worker's nodes
    nodes: FloatArray
    crowd: IntArray  # (M,): which of the crowds
    crowds: FloatArray
    rates: FloatArray  # (1 + M,): how readily ties are called, by all and by each
    leans: FloatArray  # (1 + M,): to the left, of nobody in particular and of each
    spread: FloatArray  # (2,): the variance of log-scores before any answer, and that of its logarithm (see `spread`)


@njit(cache=True)
def rebuild(
    n: int, told: IntArray, factors: FloatArray, mean: FloatArray, cov: FloatArray, spread: FloatArray
) -> None:  # pragma: no cover
    """Mean and covariance from the prior and the factors of the first n answers."""
    if not add_up(n, told, factors, mean, cov, spread):
        # too many widening factors for a posterior to exist: flatten them
        for t in range(n):
            factors[0, t] = max(factors[0, t], 0.0)
        add_up(n, told, factors, mean, cov, spread)


@njit(cache=True)
def add_up(
    n: int, told: IntArray, factors: FloatArray, mean: FloatArray, cov: FloatArray, spread: FloatArray
) -> bool:  # pragma: no cover
    """The same, but False, and mean and cov are spoilt, where the factors add up to no posterior."""
    pull = np.zeros(mean.size)
    cov[:] = 0.0
    for a in range(mean.size):
        cov[a, a] = 1.0 / spread[0]
    for t in range(n):
        i, j = told[0, t], told[1, t]
        cov[i, i] += factors[0, t]
        cov[j, j] += factors[0, t]
        cov[i, j] -= factors[0, t]
        cov[j, i] -= factors[0, t]
        pull[i] += factors[1, t]
        pull[j] -= factors[1, t]
    if not invert(cov):
        return False
    for a in range(mean.size):
        total = 0.0
        for b in range(mean.size):
            total += cov[a, b] * pull[b]
        mean[a] = total
    return True
