"""Expectation propagation on comparisons: normal log-scores with full covariance, and each worker's reliability.

Answer t says that d = s_i - s_j won with likelihood rho sigma(d) + (1 - rho) sigma(-d). It is kept as one normal factor
of d (precision, shift) and, since the likelihood is linear in rho, as one exact factor of rho that depends on
chance[t] = E[sigma(d)] alone. A new answer is a rank-one change of the covariance. A refit takes every answer out in
turn, matches it again against all the others, and rebuilds the posterior from the factors: so later answers correct
what was believed about a worker, and hence about all the worker's earlier answers.

Loops add in a fixed order and no linear algebra library is called: a journal replays to the last bit.
"""

import numpy as np
from numba import njit

from nextpair.core.arrays import FloatArray, IntArray
from nextpair.core.kernels.davidson import davidson_moments, decided_moments, learn_rates
from nextpair.core.kernels.halves import halves
from nextpair.core.kernels.lean import learn_leans
from nextpair.core.kernels.normal import answer_moments
from nextpair.core.kernels.trust import EDGE, judge, learn_worker, mean_without

REFIT_SHARE = 0.02  # refit when the answers grew by this share
REFIT_ITEMS = 10  # and by at least one for so many items: a refit costs K^3, an answer K^2
WIDER = 0.3  # a surprising answer of a doubtful worker makes us less sure: by at most this share of the variance
HEAVY = 0.1  # who gave more than this share of all answers is judged by what the others said
HEAVY_LEAST = 10  # and at least so many
CAREFUL = 0.5  # the share of their way that leans go at a refit: of few answers the whole of it makes them swing
CLEARLY = 0.1  # how far from 1/2 a reliability lies that is taken for the opposite of what it was


@njit(cache=True)
def match(
    mean: float, var: float, p: float, tie: int, rate: float, lean: float
) -> tuple[float, float, float, float, float]:  # pragma: no cover
    """(chance, pull, bend, push, rise): d gets the mean mean + var pull and the variance var + var^2 bend.

    p is the mean reliability of who answered, `rate` how readily they call a tie and `lean` how much they favour the
    side on which the winner stood. What a tie says, or that there was none, is heard with weight |2p - 1| (see
    `davidson`). push and rise are the slopes in the lean of the answer's log-likelihood and of its probability, as far
    as that was no tie (see `lean`).
    """
    r = 2.0 * p - 1.0
    turn = 1.0 if r >= 0.0 else -1.0  # whoever turns answers round says of (j, i) what others say of (i, j)
    if tie:
        value, slope, curve = davidson_moments(mean + turn * lean, var, rate, 1)
        heard = abs(r)
        pull = heard * slope / value
        return 0.5, pull, min(heard * curve / value - pull * pull, WIDER / var), turn * pull, 0.0
    if rate > 0.0 or lean != 0.0:
        chance, slope, curve = decided_moments(turn * mean + lean, var, rate)
        other, fall = 1.0 - chance, slope
        if lean != 0.0:
            other, fall, _ = decided_moments(lean - turn * mean, var, rate)
        evidence = max(0.5 * (1.0 - abs(r)) * (chance + other) + abs(r) * chance, EDGE)
        pull = turn * abs(r) * slope / evidence
        rise = abs(r) * slope + 0.5 * (1.0 - abs(r)) * (slope + fall)
        bend = min(abs(r) * curve / evidence - pull * pull, WIDER / var)
        straight = chance if r >= 0.0 else other
        return straight / (chance + other), pull, bend, rise / evidence, rise
    chance, slope, curve = answer_moments(mean, var)
    evidence = max((1.0 - p) + r * chance, EDGE)
    pull = r * slope / evidence
    return chance, pull, min(r * curve / evidence - pull * pull, WIDER / var), slope / evidence, slope


@njit(cache=True)
def _as_factor(mean: float, var: float, pull: float, bend: float) -> tuple[float, float]:  # pragma: no cover
    """(precision, shift) of the normal factor that turns N(mean, var) into what `match` says."""
    shrink = 1.0 + var * bend
    return -bend / shrink, (mean + var * pull) / (var * shrink) - mean / var


@njit(cache=True)
def invert(a: FloatArray) -> bool:  # pragma: no cover
    """Invert a positive definite matrix in place (Gauss-Jordan, no pivoting needed). False: it was not one."""
    n = a.shape[0]
    for k in range(n):
        if not a[k, k] > 0.0:
            return False
        scale = 1.0 / a[k, k]
        a[k, k] = 1.0
        for j in range(n):
            a[k, j] *= scale
        for i in range(n):
            if i != k:
                f = a[i, k]
                a[i, k] = 0.0
                for j in range(n):
                    a[i, j] -= f * a[k, j]
    return True


@njit(cache=True)
def absorb_one(t, told, factors, mean, cov, workers, nodes, rates, leans):  # type: ignore[no-untyped-def]  # pragma: no cover
    """Answer t, matched against all that is believed so far: a rank-one change."""
    i, j, w = told[0, t], told[1, t], told[2, t]
    var = cov[i, i] + cov[j, j] - 2.0 * cov[i, j]
    gap = mean[i] - mean[j]
    p = 1.0 if w < 0 else mean_without(workers[w], nodes[w], 0.5)
    chance, pull, bend, _, _ = match(gap, var, p, told[3, t], rates[w + 1], told[4, t] * leans[w + 1])
    factors[0, t], factors[1, t] = _as_factor(gap, var, pull, bend)
    factors[2, t] = chance
    along = cov[i] - cov[j]
    for a in range(mean.size):
        mean[a] += pull * along[a]
        step = bend * along[a]
        for b in range(mean.size):
            cov[a, b] += step * along[b]
    if w >= 0:
        learn_worker(workers[w], nodes[w], chance)


@njit(cache=True)
def _judge_by_others(n, told, factors, items, workers, nodes, crowd, crowds, rates, leans, prior_var):  # type: ignore[no-untyped-def]  # pragma: no cover
    """The chances of the answers of a worker who gave many, from what others said: no answer vouches for itself.

    Taking out one answer at a time is not enough where most others are the same worker's: a guesser who was asked more
    and more would agree with the order that his own guesses made. So each half of the worker's answers is judged by
    all others' answers and by the other half: a guesser's do not foretell each other, and a careful judge's do, which
    nobody else may know.

    One after the other: whose word turns out to mean the opposite is heard so by the next. Of two who contradict each
    other, each judged by what the other was thought to mean, both would change sides again and again. The one whose
    answers were the least likely comes first, however workers are numbered.
    """
    asked, likely = np.zeros(workers.shape[0], dtype=np.int64), np.zeros(workers.shape[0])
    for t in range(n):
        if told[2, t] >= 0:
            asked[told[2, t]] += 1
            likely[told[2, t]] += factors[2, t]
    for w in np.argsort(likely / np.maximum(asked, 1), kind="mergesort"):
        if asked[w] <= HEAVY * n or asked[w] < HEAVY_LEAST:
            continue
        judged = crowds[crowd[w]].sum(axis=0)
        half = halves(w, n, told, items)
        if not _judge_halves(half, n, told, factors, items, judged, nodes[w], rates[w + 1], leans[w + 1], prior_var):
            continue
        now, before = mean_without(judged, nodes[w], 0.5), mean_without(workers[w], nodes[w], 0.5)
        if (now - 0.5) * (before - 0.5) < 0.0 and abs(now - 0.5) > CLEARLY:
            for t in range(n):
                if told[2, t] == w:
                    factors[1, t] = -factors[1, t]


@njit(cache=True)
def _judge_halves(half, n, told, factors, items, judged, nodes, rate, lean, prior_var):  # type: ignore[no-untyped-def]  # pragma: no cover
    """The chances of a worker's answers in half 0 and in half 1, each from all answers that are not in it.

    `judged` learns of them. False, and nothing is done, where the answers that are left add up to no posterior.
    """
    chances, others, kept = np.empty(n), np.empty((5, n), dtype=np.int64), np.empty((3, n))
    mean, cov = np.empty(items), np.empty((items, items))
    for one in range(2):
        size = 0
        for t in range(n):
            if half[t] != one:
                others[:, size] = told[:, t]
                kept[:, size] = factors[:, t]
                size += 1
        if size == n:
            continue
        if not _rebuild(size, others, kept, mean, cov, prior_var):
            return False
        for t in range(n):
            if half[t] == one:
                i, j = told[0, t], told[1, t]
                var = cov[i, i] + cov[j, j] - 2.0 * cov[i, j]
                chances[t] = match(mean[i] - mean[j], var, 1.0, told[3, t], rate, told[4, t] * lean)[0]
    for t in range(n):
        if half[t] >= 0:
            factors[2, t] = chances[t]
            learn_worker(judged, nodes, chances[t])
    return True


@njit(cache=True)
def refit(n, told, factors, mean, cov, workers, nodes, crowd, crowds, rates, leans, prior_var):  # type: ignore[no-untyped-def]  # pragma: no cover
    """One sweep: every factor matched anew against all others, then the posterior rebuilt from the factors."""
    learn_rates(n, told, mean, cov, rates, leans)
    learn_leans(leans, match_all(n, told, factors, mean, cov, workers, nodes, rates, leans), CAREFUL)
    _rebuild_all(n, told, factors, mean, cov, workers, nodes, crowd, crowds, rates, leans, prior_var)


@njit(cache=True)
def sweep(told, factors, mean, cov, workers, nodes, crowd, crowds, rates, leans, prior_var, step):  # type: ignore[no-untyped-def]  # pragma: no cover
    """A refit that moves every factor by the share `step` of its way; gives how far the furthest score moved."""
    n, was, mean_was = told.shape[1], factors.copy(), mean.copy()
    learn_rates(n, told, mean, cov, rates, leans)
    learn_leans(leans, match_all(n, told, factors, mean, cov, workers, nodes, rates, leans), step)
    factors[:] = was + step * (factors - was)
    _rebuild_all(n, told, factors, mean, cov, workers, nodes, crowd, crowds, rates, leans, prior_var)
    return np.abs(mean - mean_was).max()


@njit(cache=True)
def match_all(n, told, factors, mean, cov, workers, nodes, rates, leans):  # type: ignore[no-untyped-def]  # pragma: no cover
    """The factors of the first n answers, each matched anew against all others.

    Gives what they say about leans, for nobody and each worker: sums of pushes, of their squares, and of rises.
    """
    pushes = np.zeros((3, leans.size))
    for t in range(n):
        i, j, w = told[0, t], told[1, t], told[2, t]
        var = cov[i, i] + cov[j, j] - 2.0 * cov[i, j]
        rest = max(1.0 / var - factors[0, t], 1e-9)
        gap = ((mean[i] - mean[j]) / var - factors[1, t]) / rest
        p = 1.0 if w < 0 else mean_without(workers[w], nodes[w], factors[2, t])
        side = told[4, t]
        chance, pull, bend, push, rise = match(gap, 1.0 / rest, p, told[3, t], rates[w + 1], side * leans[w + 1])
        factors[0, t], factors[1, t] = _as_factor(gap, 1.0 / rest, pull, bend)
        factors[2, t] = chance
        pushes[0, w + 1] += side * push
        pushes[1, w + 1] += abs(side) * push * push
        pushes[2, w + 1] += abs(side) * rise
    return pushes


@njit(cache=True)
def _rebuild_all(n, told, factors, mean, cov, workers, nodes, crowd, crowds, rates, leans, prior_var):  # type: ignore[no-untyped-def]  # pragma: no cover
    """Workers and scores from the factors."""
    _judge_by_others(n, told, factors, mean.size, workers, nodes, crowd, crowds, rates, leans, prior_var)
    workers[:] = judge(told, factors[2], nodes, crowd, crowds, n)
    rebuild(n, told, factors, mean, cov, prior_var)


@njit(cache=True)
def rebuild(n, told, factors, mean, cov, prior_var):  # type: ignore[no-untyped-def]  # pragma: no cover
    """Mean and covariance from the prior and the factors of the first n answers."""
    if not _rebuild(n, told, factors, mean, cov, prior_var):
        # too many widening factors for a posterior to exist: flatten them
        for t in range(n):
            factors[0, t] = max(factors[0, t], 0.0)
        _rebuild(n, told, factors, mean, cov, prior_var)


@njit(cache=True)
def _rebuild(n, told, factors, mean, cov, prior_var):  # type: ignore[no-untyped-def]  # pragma: no cover
    """The same, but False where the factors add up to no posterior."""
    pull = np.zeros(mean.size)
    cov[:] = 0.0
    for a in range(mean.size):
        cov[a, a] = 1.0 / prior_var
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


@njit(cache=True)
def absorb(
    start: int,
    refitted: int,
    told: IntArray,
    factors: FloatArray,
    mean: FloatArray,
    cov: FloatArray,
    workers: FloatArray,
    nodes: FloatArray,
    crowd: IntArray,
    crowds: FloatArray,
    rates: FloatArray,
    leans: FloatArray,
    prior_var: float,
) -> int:  # pragma: no cover
    """Fold the answers from `start` on, in place, and refit where it is due. Gives the answers at the last refit."""
    for t in range(start, told.shape[1]):
        absorb_one(t, told, factors, mean, cov, workers, nodes, rates, leans)
        new = t + 1 - refitted
        if new >= REFIT_SHARE * (t + 1) and new * REFIT_ITEMS >= mean.size:
            refit(t + 1, told, factors, mean, cov, workers, nodes, crowd, crowds, rates, leans, prior_var)
            refitted = t + 1
    return refitted
