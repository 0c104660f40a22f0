"""The joint posterior of log-scores and reliabilities, as arrays that kernels change in place."""

import math
from typing import NamedTuple

import numpy as np
from numba import njit

from nextpair.core.arrays import FloatArray, IntArray
from nextpair.core.kernels.guess import CORRELATIONS, LIKELY, guessed_mean, guessed_precision
from nextpair.core.kernels.inverse import invert

LEAST = 0.25  # of the precision before any answer, of a score or of a gap, that answers leave unless they make no sense
FURTHEST = 20.0  # and how far they move its mean at most, in standard deviations before any answer


class Joint(NamedTuple):
    """The arrays of a `FullPosterior`, under the same names: K items, M workers, N answers."""

    told: IntArray  # (6, N): winner, loser, worker or -1, tie, side, much
    factors: FloatArray  # (4, N): precision and shift of the gap's normal factor, the answer's chance now and at first
    mean: FloatArray
    cov: FloatArray
    workers: FloatArray  # (M, bins): weights of each worker's nodes
    nodes: FloatArray
    crowd: IntArray  # (M,): which of the crowds
    crowds: FloatArray
    rates: FloatArray  # (1 + M,): how readily ties are called, by all and by each
    leans: FloatArray  # (1 + M,): to the left, of nobody in particular and of each
    much: FloatArray  # (3, 1 + M): what is meant by that, by all and by each (see `much`)
    spread: FloatArray  # (2,): the variance of log-scores before any answer, and that of its logarithm (see `spread`)
    guess: FloatArray  # (K,), or (0,) where nothing was guessed: the normal scores of a guess (see `guess`)
    faith: FloatArray  # how likely each of `guess.CORRELATIONS` is; (0, 2) where nothing was guessed


@njit(cache=True)
def by_others(t: int, at: Joint) -> tuple[float, float]:  # pragma: no cover
    """(mean, precision) of the gap of answer t by all other answers: its own factor is taken out.

    Surprises widen, but hardly ever beyond what was known before any answer. Where so many contradict each other that
    next to nothing or less is left, a mean divided by that would run away: both have bounds.
    """
    i, j = at.told[0, t], at.told[1, t]
    var = at.cov[i, i] + at.cov[j, j] - 2.0 * at.cov[i, j]
    rest = max(1.0 / var - at.factors[0, t], 0.5 * LEAST / at.spread[0])
    gap = ((at.mean[i] - at.mean[j]) / var - at.factors[1, t]) / rest
    far = FURTHEST * math.sqrt(2.0 * at.spread[0])
    return min(max(gap, -far), far), rest


@njit(cache=True, inline="always")
def rebuild(n: int, at: Joint) -> None:  # pragma: no cover
    """Mean and covariance from the prior and the factors of the first n answers."""
    told, factors, mean = at.told, at.factors, at.mean
    if not add_up(n, told, factors, mean, at.cov, at.spread[0], at.guess, at.faith):
        # too many widening factors for a posterior to exist: flatten them, with the slope that they have at the mean
        for t in range(n):
            widens = min(factors[0, t], 0.0)
            factors[0, t] -= widens
            factors[1, t] -= widens * (mean[told[0, t]] - mean[told[1, t]])
        add_up(n, told, factors, mean, at.cov, at.spread[0], at.guess, at.faith)


@njit(cache=True)
def add_up(
    n: int,
    told: IntArray,
    factors: FloatArray,
    mean: FloatArray,
    cov: FloatArray,
    before: float,
    guess: FloatArray,
    faith: FloatArray,
) -> bool:  # pragma: no cover
    """The same, but False, and cov is spoilt, where the factors add up to no posterior, or to a far wider one.

    `before` is the variance of each score before any answer. With a guess the posterior is that of every correlation it
    may have, each as far as answers bear it out; `faith` becomes how far that is.
    """
    items = mean.size
    if not faith.size:
        precision = np.full(items, 1.0 / before)
        if math.isnan(_invert_sum(n, told, factors, cov, before, precision)):
            return False
        _mean_of(n, told, factors, mean, cov, before, precision, np.zeros(items))
        return True
    evidence, means = np.empty(faith.shape), np.empty((*faith.shape, items))
    mixed, total, top = np.zeros(cov.shape), 0.0, -np.inf
    for c in range(faith.shape[0]):
        precision = guessed_precision(abs(CORRELATIONS[c, 0]), before, guess)
        size = _invert_sum(n, told, factors, cov, before, precision)
        if math.isnan(size):
            return False
        for d in range(faith.shape[1]):
            toward = guessed_mean(CORRELATIONS[c, d], before, guess)
            along = _mean_of(n, told, factors, means[c, d], cov, before, precision, toward)
            evidence[c, d] = math.log(LIKELY[c, d]) + 0.5 * (np.log(precision).sum() - size + along)
        largest = evidence[c].max()
        if largest > top:  # weights are relative to the largest so far, so that none overflows
            mixed *= math.exp(top - largest)
            total *= math.exp(top - largest)
            top = largest
        weight = np.exp(evidence[c] - top).sum()
        mixed += weight * cov
        total += weight
    faith[:] = np.exp(evidence - top) / total
    mean[:] = 0.0
    for c in range(faith.shape[0]):
        for d in range(faith.shape[1]):
            mean += faith[c, d] * means[c, d]
    cov[:] = mixed / total
    for c in range(faith.shape[0]):
        for d in range(faith.shape[1]):
            apart = means[c, d] - mean
            for a in range(items):
                for b in range(items):
                    cov[a, b] += faith[c, d] * apart[a] * apart[b]
    return True


@njit(cache=True)
def _invert_sum(
    n: int, told: IntArray, factors: FloatArray, cov: FloatArray, before: float, precision: FloatArray
) -> float:  # pragma: no cover
    """The covariance from what was known before any answer and the first n factors.

    Gives the logarithm of its inverse's determinant; nan where they add up to none, or to a far wider one.
    """
    cov[:] = 0.0
    for a in range(precision.size):
        cov[a, a] = precision[a]
    for t in range(n):
        i, j = told[0, t], told[1, t]
        cov[i, i] += factors[0, t]
        cov[j, j] += factors[0, t]
        cov[i, j] -= factors[0, t]
        cov[j, i] -= factors[0, t]
    size = invert(cov)
    return math.nan if math.isnan(size) or np.diag(cov).max() > before / LEAST else size


@njit(cache=True)
def _mean_of(
    n: int,
    told: IntArray,
    factors: FloatArray,
    mean: FloatArray,
    cov: FloatArray,
    before: float,
    precision: FloatArray,
    toward: FloatArray,
) -> float:  # pragma: no cover
    """The mean of scores that were N(toward, 1 / precision) before any answer; gives its part of twice the evidence."""
    pull = precision * toward
    for t in range(n):
        pull[told[0, t]] += factors[1, t]
        pull[told[1, t]] -= factors[1, t]
    far, along = FURTHEST * math.sqrt(before), 0.0
    for a in range(mean.size):
        total = 0.0
        for b in range(mean.size):
            total += cov[a, b] * pull[b]
        mean[a] = min(max(total, -far), far)
        along += pull[a] * mean[a] - precision[a] * toward[a] * toward[a]
    return along
