"""Who favours the item that stands left, or first: language models often do, and some people.

Shown (left, right), with d the difference of their log-scores, worker w says left with probability
rho sigma(d + b) + (1 - rho) sigma(-d + b), where b is the worker's lean to the left in log-odds. Of a winner with the
gap d that is rho A + (1 - rho) B, A = sigma(d + e b), B = sigma(-d + e b), e = 1 where the winner stood left, -1 where
right. As a function of rho it is A + B times rho c + (1 - rho) (1 - c), c = A / (A + B): for what is learnt about the
worker, c takes the place of the chance sigma(d). With r = 2 rho - 1 > 0 it is also r A + (1 - r) (A + B) / 2, and the
second part is that of who answers at random: it is taken at its mean, since such answers say nothing about d. Where
ties are called, A and B are Davidson's, with the weights exp((d + b) / 2), exp(-(d + b) / 2) and v.

Leans are N(0, t): t is learnt, and 0 unless workers lean more than chance would have it, so that a crowd which favours
no side is judged as if sides were unknown, bit for bit. Answers of nobody in particular have one lean together.
"""

import math

import numpy as np
from numba import njit

from nextpair.core.arrays import FloatArray
from nextpair.core.kernels.trust import EDGE

WIDEST = 4.0  # the largest t: the lean of who only ever says left must end somewhere
CHANCE = 3.0  # t is less by so many standard deviations of what it is found to be in a crowd that favours no side
MOST, FAR = 8.0, 1.0  # the largest lean, and the furthest that one moves at once
ROUNDS = 30  # of the search for t


@njit(cache=True)
def learn_leans(leans: FloatArray, pushes: FloatArray, step: float) -> None:  # pragma: no cover
    """The share `step` of a step of Newton towards the likeliest leans; pushes are as `match_all` gives them.

    leans[0] is that of nobody in particular, leans[w + 1] that of worker w. pushes[0] holds the slopes of the
    log-likelihoods in them. How much answers tell about a lean (1 / var) is the sum of the squares of their slopes, so
    that no single surprise makes a lean. Of who always says left nothing surprises, the squares vanish, and it is the
    sum of the slopes of the probabilities, which is what the squares are expected to be, at most.
    """
    found, var = np.zeros(leans.size), np.full(leans.size, np.inf)
    for w in range(leans.size):
        if pushes[1, w] > EDGE:
            var[w] = 1.0 / max(pushes[1, w], pushes[2, w] - pushes[1, w])
            found[w] = leans[w] + pushes[0, w] * var[w]
    t = _variance(found, var)
    for w in range(leans.size):
        if t == 0.0 or pushes[1, w] <= EDGE:
            leans[w] = 0.0
            continue
        move = step * (found[w] * t / (t + var[w]) - leans[w])
        leans[w] = min(max(leans[w] + min(max(move, -FAR), FAR), -MOST), MOST)


@njit(cache=True)
def _variance(found: FloatArray, var: FloatArray) -> float:  # pragma: no cover
    """t of largest likelihood, where found[w] ~ N(0, t + var[w]), less what chance alone may make of it."""
    sure = 0.0
    for w in range(var.size):
        sure += 1.0 / (var[w] * var[w])
    if sure == 0.0:
        return 0.0
    t = WIDEST
    for _ in range(ROUNDS):
        total = weights = 0.0
        for w in range(var.size):
            if var[w] < np.inf:
                weight = 1.0 / ((t + var[w]) * (t + var[w]))
                total += weight * (found[w] * found[w] - var[w])
                weights += weight
        t = max(total / weights, 0.0)
    return min(max(t - CHANCE * math.sqrt(2.0 / sure), 0.0), WIDEST)
