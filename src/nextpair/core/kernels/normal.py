"""What is expected of an answer where the difference of two log-scores is normal."""

import math

import numpy as np
from numba import njit

from nextpair.core.arrays import FloatArray
from nextpair.core.kernels.trust import EDGE

# up to which standard deviation each rule is good: the first one, of 24 nodes, to 3e-5 and for more than the prior's;
# the others to 3e-6, for where it was learnt that items are far apart
WIDTHS = 2.0 ** np.arange(1, 7)
STEP, REACH = 1.2, 5.6  # between nodes in log-odds, and how many standard deviations out they go


def _rules() -> tuple[FloatArray, FloatArray]:
    """Nodes and weights for a standard normal, one rule a row, the rest of a row empty.

    Gauss-Hermite first. Its nodes lie too far apart for a logistic curve in a wide normal, so that the others are
    equidistant (the trapezoidal rule, whose error falls like exp(-2 pi^2 / STEP), since the curve has no pole nearer
    than pi i). All are symmetric.
    """
    rules = [np.polynomial.hermite_e.hermegauss(24)]
    for width in WIDTHS[1:]:
        half = (np.arange(math.ceil(REACH * width / STEP)) + 0.5) * STEP / width
        nodes = np.append(-half[::-1], half)
        rules.append((nodes, np.exp(-0.5 * nodes * nodes)))
    table = np.zeros((2, len(rules), rules[-1][0].size))
    for row, (nodes, weights) in enumerate(rules):
        table[0, row, : nodes.size], table[1, row, : nodes.size] = nodes, weights / weights.sum()
    return table[0], table[1]


NODES, WEIGHTS = _rules()
SIZES = (WEIGHTS > 0).sum(axis=1)


@njit(cache=True)
def rule_for(sd: float) -> tuple[FloatArray, FloatArray]:  # pragma: no cover
    """(nodes, weights) for a standard normal, good for one of this standard deviation."""
    row = 0
    while row < WIDTHS.size - 1 and sd > WIDTHS[row]:
        row += 1
    return NODES[row, : SIZES[row]], WEIGHTS[row, : SIZES[row]]


@njit(cache=True)
def answer_moments(mean: float, var: float) -> tuple[float, float, float]:  # pragma: no cover
    """E of sigma(d), sigma'(d) and sigma''(d) for d ~ N(mean, var)."""
    sd = math.sqrt(var)
    nodes, weights = rule_for(sd)
    value = slope = bend = 0.0
    for k in range(nodes.size):
        s = 1.0 / (1.0 + math.exp(-(mean + sd * nodes[k])))
        spread = s * (1.0 - s)
        value += weights[k] * s
        slope += weights[k] * spread
        bend += weights[k] * spread * (1.0 - 2.0 * s)
    return min(max(value, EDGE), 1.0 - EDGE), slope, bend
