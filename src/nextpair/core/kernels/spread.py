"""How far apart items are: the variance that log-scores had before any answer, learnt from the answers."""

import math

import numpy as np
from numba import njit

from nextpair.core.arrays import FloatArray
from nextpair.core.kernels.guess import CORRELATIONS, LIKELY

PRIOR_VAR = np.pi**2 / 6  # of a log-score under the paper's prior, log Gamma(1)
DOUBT = 2.0  # the variance of its logarithm, where it is learnt: by a factor of four, up or down, nobody is surprised
ASSUMED = np.array([PRIOR_VAR, 0.0])  # as `FullPosterior.spread` has it where it is taken for known
OPEN = np.array([PRIOR_VAR, DOUBT])  # and where it is to be learnt
MOST = 3.0 * math.sqrt(DOUBT)  # how far its logarithm goes: nobody believes in a factor of 70, whatever answers say


@njit(cache=True)
def learn_spread(mean: FloatArray, cov: FloatArray, spread: FloatArray, guess: FloatArray) -> None:  # pragma: no cover
    """A step towards the variance v of the largest posterior density, in place; then how well log v is known.

    Before any answer, log v is normal around that of PRIOR_VAR with the variance DOUBT. The evidence rises with log v
    by (sum of mean^2 + trace of cov) / 2v - K / 2. An item counts as far as the answers know its score, by the share of
    the variance that they took away: so written, the step is long enough for a few to do (MacKay 1992). A guess tells
    nothing of v, since it has no unit: what it knew before any answer does not count in how well v is known.
    """
    known = max(mean.size - np.trace(cov) / spread[0], 0.0)
    squares = (mean * mean).sum()
    middle, at = math.log(PRIOR_VAR), math.log(spread[0])
    for _ in range(100):  # squares / v - known = 2 (log v - log PRIOR_VAR) / DOUBT falls in log v
        here = squares * math.exp(-at)
        over = here - known - 2.0 * (at - middle) / DOUBT
        step = over / (here + 2.0 / DOUBT)
        at += min(max(step, -0.5), 0.5)
        if abs(step) < 1e-12:
            break
    spread[0] = math.exp(middle + min(max(at - middle, -MOST), MOST))
    by_guess = (LIKELY * CORRELATIONS**2).sum() * (guess.size - np.isnan(guess).sum())
    spread[1] = 1.0 / (0.5 * max(known - by_guess, 0.0) + 1.0 / DOUBT)
