"""How far apart items are: the variance that log-scores had before any answer, learnt from the answers."""

import numpy as np
from numba import njit

from nextpair.core.arrays import FloatArray

PRIOR_VAR = np.pi**2 / 6  # of a log-score under the paper's prior, log Gamma(1)
KNOWN = 3.0  # which is believed as much as the scores of so many items


@njit(cache=True)
def learn_spread(mean: FloatArray, cov: FloatArray, spread: FloatArray) -> None:  # pragma: no cover
    """A step towards the variance of the largest posterior density, in place; then how well its logarithm is known.

    There the evidence is level: sum of mean^2 and of the diagonal of cov, + KNOWN PRIOR_VAR, = (K + KNOWN) variance.
    An item counts as far as the answers know its score, by the share of the variance that they took away: so written,
    the equation is solved in a few steps (MacKay 1992).
    """
    items = KNOWN + max(mean.size - np.trace(cov) / spread[0], 0.0)
    spread[0] = (KNOWN * PRIOR_VAR + (mean * mean).sum()) / items
    spread[1] = 2.0 / items
