"""What is expected of an answer where the difference of two log-scores is normal."""

import math

import numpy as np
from numba import njit

from nextpair.core.kernels.trust import EDGE

# Gauss-Hermite for a standard normal: 24 nodes are good to 1e-5 at the width of the prior, and better after it
NODES, _raw = np.polynomial.hermite_e.hermegauss(24)
WEIGHTS = _raw / _raw.sum()


@njit(cache=True)
def answer_moments(mean: float, var: float) -> tuple[float, float, float]:  # pragma: no cover
    """E of sigma(d), sigma'(d) and sigma''(d) for d ~ N(mean, var)."""
    sd = math.sqrt(var)
    value = slope = bend = 0.0
    for k in range(NODES.size):
        s = 1.0 / (1.0 + math.exp(-(mean + sd * NODES[k])))
        spread = s * (1.0 - s)
        value += WEIGHTS[k] * s
        slope += WEIGHTS[k] * spread
        bend += WEIGHTS[k] * spread * (1.0 - 2.0 * s)
    return min(max(value, EDGE), 1.0 - EDGE), slope, bend
