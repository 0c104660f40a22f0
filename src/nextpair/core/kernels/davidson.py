"""Ties after Davidson (1970): of those who compare with care, with d the difference of two log-scores and a tie rate v,

P(first) = exp(d / 2) / z, P(second) = exp(-d / 2) / z, P(tie) = v / z, z = exp(d / 2) + exp(-d / 2) + v.

So a tie says that two items are close, and any other answer of someone who could have said so says that they are not.
How readily workers call a tie is theirs, and nothing to do with their reliability: who answers at random calls one as
often as is to be expected of the pair. Without ties v is 0, and P(first) is sigma(d). Whoever leans to one side (see
`lean`) answers as if d were larger by that.
"""

import math

import numpy as np
from numba import njit

from nextpair.core.kernels.normal import answer_moments, rule_for
from nextpair.core.kernels.trust import EDGE

FEW = 2.0  # a worker's own rate counts as if this many ties had been called at the rate of all
EASED = 1.0  # the rate of all has an exponential prior of this rate: one tie and nothing else makes no infinite one


@njit(cache=True)
def davidson_moments(mean: float, var: float, rate: float, tie: int) -> tuple[float, float, float]:  # pragma: no cover
    """E of an answer's probability and of its first two derivatives, for d ~ N(mean, var).

    Of a tie up to a factor. P(first) is given that no tie was called: divided by E of 1 - P(tie).
    """
    half_sd, middle = 0.5 * math.sqrt(var), math.exp(0.5 * mean)
    nodes, weights = rule_for(2.0 * half_sd)
    lean = 0.0 if tie else 0.5
    decided = value = slope = bend = 0.0
    for k in range(nodes.size):
        up = middle * math.exp(half_sd * nodes[k])
        down = 1.0 / up
        inverse = 1.0 / (up + down + rate)
        share = weights[k] * inverse if tie else weights[k] * up * inverse
        tilt = 0.5 * (up - down) * inverse
        decided += weights[k] * (up + down) * inverse
        value += share
        slope += share * (lean - tilt)
        bend += share * ((lean - tilt) ** 2 + tilt * tilt - 0.25 * (up + down) * inverse)
    if tie:
        return value, slope, bend
    return min(max(value / decided, EDGE), 1.0 - EDGE), slope / decided, bend / decided


@njit(cache=True)
def decided_moments(mean: float, var: float, rate: float) -> tuple[float, float, float]:  # pragma: no cover
    """The same of an answer that is no tie, whether or not ties are called."""
    return davidson_moments(mean, var, rate, 0) if rate > 0.0 else answer_moments(mean, var)


@njit(cache=True)
def learn_rates(n, told, mean, cov, rates, leans):  # type: ignore[no-untyped-def]  # pragma: no cover
    """One step of Newton towards the rates at which as many ties are expected as were called.

    rates[0] is the rate of all, and of nobody in particular; rates[w + 1] that of worker w.
    """
    ties, each, more = np.zeros(rates.size), np.zeros(rates.size), np.zeros(rates.size)
    for t in range(n):
        ties[told[2, t] + 1] += told[3, t]
    if ties.sum() == 0.0:
        rates[:] = 0.0
        return
    for t in range(n):
        i, j, who = told[0, t], told[1, t], told[2, t] + 1
        gap = mean[i] - mean[j] + told[4, t] * leans[who]
        tie, slope = _tie_and_slope(gap, cov[i, i] + cov[j, j] - 2.0 * cov[i, j], rates[who])
        each[who] += tie
        more[who] += slope
    rates[0] = _step(rates[0], ties.sum(), each.sum() + EASED, more.sum() + EASED)
    own = FEW / rates[0]
    for who in range(1, rates.size):
        rates[who] = _step(rates[who], ties[who] + FEW, each[who] + own, more[who] + own)


@njit(cache=True)
def _tie_and_slope(mean, var, rate):  # type: ignore[no-untyped-def]  # pragma: no cover
    """E of 1 / z, and of the slope of P(tie) in the rate."""
    half_sd, middle = 0.5 * math.sqrt(var), math.exp(0.5 * mean)
    nodes, weights = rule_for(2.0 * half_sd)
    value = slope = 0.0
    for k in range(nodes.size):
        up = middle * math.exp(half_sd * nodes[k])
        sides = up + 1.0 / up
        inverse = 1.0 / (sides + rate)
        value += weights[k] * inverse
        slope += weights[k] * sides * inverse * inverse
    return value, slope


@njit(cache=True)
def _step(rate, ties, each, more):  # type: ignore[no-untyped-def]  # pragma: no cover
    return max(rate + (ties - rate * each) / more, rate / 4.0)
