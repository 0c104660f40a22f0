"""P(theta_i > theta_j) under a Dirichlet: the regularised incomplete beta function at one half."""

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import betainc

from nextpair.core.arrays import FloatArray


def prob_above(a: ArrayLike, b: ArrayLike) -> FloatArray:
    """I_1/2(b, a) = P(theta_i > theta_j) for alpha_i = a, alpha_j = b (eq. approxprob)."""
    a, b = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    # of the two tails take the small one, so that nothing is lost to 1 - x; below 1e-30 the limit is exact
    small, large = np.minimum(a, b), np.maximum(a, b)
    tail = np.where(large < 1e-30, small / (small + large), betainc(large, np.maximum(small, 1e-300), 0.5))
    return np.asarray(np.where(a >= b, 1 - tail, tail), dtype=np.float64)
