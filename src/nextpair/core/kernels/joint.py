"""The joint posterior of log-scores and reliabilities, as arrays that kernels change in place."""

import math
from typing import NamedTuple

import numpy as np
from numba import njit

from nextpair.core.arrays import FloatArray, IntArray
from nextpair.core.kernels.guess import CORRELATIONS, LIKELY, guessed
from nextpair.core.kernels.inverse import invert

LEAST = 0.25  # of the precision before any answer, of a score or of a gap, that answers leave unless they make no sense
FURTHEST = 20.0  # and how far they move its mean at most, in standard deviations before any answer


class Joint(NamedTuple):
    """The arrays of a `FullPosterior`, under the same names: K items, M workers, N answers."""

    told: IntArray  # (6, N): winner, loser, worker or -1, tie, side, much
    factors: FloatArray  # (3, N): precision and shift of the gap's normal factor, and the answer's chance
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
    faith: FloatArray  # how likely each of `guess.CORRELATIONS` is; (0,) where nothing was guessed


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
        evidence = _add_up(n, told, factors, mean, cov, before, np.zeros(items), np.full(items, 1.0 / before))
        return not math.isnan(evidence)
    evidences, means, mixed, total = np.empty(faith.size), np.empty((faith.size, items)), np.zeros(cov.shape), 0.0
    top = -np.inf
    for c in range(faith.size):
        toward, precision = guessed(CORRELATIONS[c], before, guess)
        evidences[c] = _add_up(n, told, factors, means[c], cov, before, toward, precision) + math.log(LIKELY[c])
        if math.isnan(evidences[c]):
            return False
        if evidences[c] > top:  # weights are relative to the largest so far, so that none overflows
            mixed *= math.exp(top - evidences[c])
            total *= math.exp(top - evidences[c])
            top = evidences[c]
        weight = math.exp(evidences[c] - top)
        mixed += weight * cov
        total += weight
    mean[:] = 0.0
    for c in range(faith.size):
        faith[c] = math.exp(evidences[c] - top) / total
        mean += faith[c] * means[c]
    for a in range(items):
        for b in range(items):
            cov[a, b] = mixed[a, b] / total
            for c in range(faith.size):
                cov[a, b] += faith[c] * (means[c, a] - mean[a]) * (means[c, b] - mean[b])
    return True


@njit(cache=True)
def _add_up(
    n: int,
    told: IntArray,
    factors: FloatArray,
    mean: FloatArray,
    cov: FloatArray,
    before: float,
    toward: FloatArray,
    precision: FloatArray,
) -> float:  # pragma: no cover
    """The posterior of scores that are N(toward, 1 / precision) before any answer; gives its evidence, or nan."""
    pull = precision * toward
    cov[:] = 0.0
    for a in range(mean.size):
        cov[a, a] = precision[a]
    for t in range(n):
        i, j = told[0, t], told[1, t]
        cov[i, i] += factors[0, t]
        cov[j, j] += factors[0, t]
        cov[i, j] -= factors[0, t]
        cov[j, i] -= factors[0, t]
        pull[i] += factors[1, t]
        pull[j] -= factors[1, t]
    size = invert(cov)
    if math.isnan(size) or np.diag(cov).max() > before / LEAST:
        return math.nan
    far = FURTHEST * math.sqrt(before)
    evidence = -size
    for a in range(mean.size):
        total = 0.0
        for b in range(mean.size):
            total += cov[a, b] * pull[b]
        mean[a] = min(max(total, -far), far)
        evidence += math.log(precision[a]) - precision[a] * toward[a] * toward[a] + pull[a] * mean[a]
    return 0.5 * evidence
