"""Expectation propagation on comparisons: normal log-scores with full covariance, and each worker's reliability.

Answer t says that d = s_i - s_j won with likelihood rho sigma(d) + (1 - rho) sigma(-d). It is kept as one normal factor
of d (precision, shift) and, since the likelihood is linear in rho, as one exact factor of rho that depends on
chance[t] = E[sigma(d)] alone. A new answer is a rank-one change of the covariance. A refit takes every answer out in
turn, matches it again against all the others, and rebuilds the posterior from the factors: so later answers correct
what was believed about a worker, and hence about all the worker's earlier answers.

Loops add in a fixed order and no linear algebra library is called: a journal replays to the last bit.

numba compiles all that a function calls once more with it, and so on upwards. So those that only hand on to others,
here and in `vouch` and `joint`, are inlined: the first use of an installation takes a fifth less.
"""

import math

import numpy as np
from numba import njit

from nextpair.core.arrays import FloatArray
from nextpair.core.kernels.answer import as_factor, match
from nextpair.core.kernels.davidson import learn_rates
from nextpair.core.kernels.joint import Joint, by_others, rebuild
from nextpair.core.kernels.lean import learn_leans
from nextpair.core.kernels.much import grade, learn_much
from nextpair.core.kernels.sense import settle_much
from nextpair.core.kernels.spread import learn_spread
from nextpair.core.kernels.trust import judge, learn_worker, mean_without
from nextpair.core.kernels.vouch import judge_by_others

REFIT_SHARE = 0.02  # refit when the answers grew by this share
REFIT_ITEMS = 10  # and by at least one for so many items: a refit costs K^3, an answer K^2
CAREFUL = 0.5  # the share of their way that leans go at a refit: of few answers the whole of it makes them swing


@njit(cache=True, nogil=True)  # it may take seconds, in which other threads go on
def absorb(start: int, refitted: int, at: Joint) -> int:  # pragma: no cover
    """Fold the answers from `start` on, in place, and refit where it is due. Gives the answers at the last refit."""
    for t in range(start, at.told.shape[1]):
        absorb_one(t, at)
        new = t + 1 - refitted
        if new >= REFIT_SHARE * (t + 1) and new * REFIT_ITEMS >= at.mean.size:
            refit(t + 1, at)
            refitted = t + 1
    return refitted


@njit(cache=True)
def absorb_one(t: int, at: Joint) -> None:  # pragma: no cover
    """Answer t, matched against all that is believed so far: a rank-one change."""
    told, factors, mean, cov = at.told, at.factors, at.mean, at.cov
    i, j, w = told[0, t], told[1, t], told[2, t]
    var = cov[i, i] + cov[j, j] - 2.0 * cov[i, j]
    gap = mean[i] - mean[j]
    p = 1.0 if w < 0 else mean_without(at.workers[w], at.nodes[w], 0.5)
    lean = told[4, t] * at.leans[w + 1]
    one = match(gap, var, p, told[3, t], at.rates[w + 1], lean, grade(told[5, t], at.much[:, w + 1]))
    factors[0, t], factors[1, t] = as_factor(gap, var, one)
    factors[2, t] = factors[3, t] = one.chance
    along = cov[i] - cov[j]
    for a in range(mean.size):
        mean[a] += one.pull * along[a]
        step = one.bend * along[a]
        for b in range(mean.size):
            cov[a, b] += step * along[b]
    if w >= 0:
        learn_worker(at.workers[w], at.nodes[w], one.chance)


@njit(cache=True, inline="always")
def refit(n: int, at: Joint) -> None:  # pragma: no cover
    """One sweep: every factor matched anew against all others, then the posterior rebuilt from the factors."""
    _match_again(n, at, CAREFUL, False)
    _rebuild_again(n, at, True, True)


@njit(cache=True)
def sweep(at: Joint, step: float, first: bool, long_steps: bool) -> float:  # pragma: no cover
    """A refit that moves every factor by the share `step` of its way; gives how far the furthest score moved.

    Its standard deviation may have moved further: of answers that are all ties, or as many one way as the other, no
    score moves, whatever is still to be learnt of who gave them. So may what is learnt of how far apart scores are. In
    the `first` sweep over answers of which nothing is known yet, nothing tells whose word to hear first, but for how
    workers happen to be numbered: so all are taken at their word.
    """
    n, was, mean_was, apart_was = at.told.shape[1], at.factors.copy(), at.mean.copy(), math.sqrt(at.spread[0])
    sd_was = np.sqrt(np.diag(at.cov))
    _match_again(n, at, step, long_steps)
    at.factors[:] = was + step * (at.factors - was)
    _rebuild_again(n, at, not first, False)
    moved = max(np.abs(at.mean - mean_was).max(), np.abs(np.sqrt(np.diag(at.cov)) - sd_was).max())
    return max(moved, abs(math.sqrt(at.spread[0]) - apart_was))


@njit(cache=True, inline="always")
def _match_again(n: int, at: Joint, step: float, long_steps: bool) -> None:  # pragma: no cover
    """Every factor, and with them how ties are called, what "much" means and, for the share `step` of it, who leans."""
    learn_rates(n, at.told, at.mean, at.cov, at.rates, at.leans)
    if long_steps:
        settle_much(n, at)
    else:
        learn_much(n, at)
    learn_leans(at.leans, match_all(n, at), step)


@njit(cache=True, inline="always")
def _rebuild_again(n: int, at: Joint, by_others: bool, asked_for: bool) -> None:  # pragma: no cover
    """Workers and scores from the factors, and how far apart those are, unless that is taken for known."""
    if by_others:
        judge_by_others(n, at, asked_for)
    at.workers[:] = judge(at.told, at.factors[2], at.nodes, at.crowd, at.crowds, n)
    rebuild(n, at)
    if at.spread[1] > 0.0:
        learn_spread(at.mean, at.cov, at.spread, at.guess)


@njit(cache=True)
def match_all(n: int, at: Joint) -> FloatArray:  # pragma: no cover
    """The factors of the first n answers, each matched anew against all others.

    Gives what they say about leans, for nobody and each worker: sums of pushes, of their squares, and of rises.
    """
    told, factors = at.told, at.factors
    pushes = np.zeros((3, at.leans.size))
    for t in range(n):
        w = told[2, t]
        gap, rest = by_others(t, at)
        p = 1.0 if w < 0 else mean_without(at.workers[w], at.nodes[w], factors[2, t])
        side = told[4, t]
        lean = side * at.leans[w + 1]
        said = grade(told[5, t], at.much[:, w + 1])
        one = match(gap, 1.0 / rest, p, told[3, t], at.rates[w + 1], lean, said)
        factors[0, t], factors[1, t] = as_factor(gap, 1.0 / rest, one)
        factors[2, t] = one.chance
        pushes[0, w + 1] += side * one.push
        pushes[1, w + 1] += abs(side) * one.push * one.push
        pushes[2, w + 1] += abs(side) * one.rise
    return pushes
