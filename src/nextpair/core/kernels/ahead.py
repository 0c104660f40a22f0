"""What an answer would be worth under a normal posterior with full covariance. See `look_ahead` for the mathematics."""

import math

import numpy as np
from numba import njit

from nextpair.core.arrays import FloatArray, IntArray
from nextpair.core.kernels.normal import rule_for
from nextpair.core.kernels.trust import EDGE

FOCUS = 4.0  # how fast a pair counts for less as it is decided, where the order of all items matters
FOCUS_BEST = 2.0  # and where only the best few do: more answers come to each pair that matters


@njit(cache=True)
def doubt_laplacian(
    mean: FloatArray, cov: FloatArray, stakes: FloatArray, focus: float
) -> FloatArray:  # pragma: no cover
    """L such that c' L c = sum over pairs of weight (c_k - c_l)^2 / var_kl.

    The weight is stakes_kl exp(-focus x^2 / 2), x the standardised gap of the two scores (see `stakes`).
    """
    n = mean.size
    out = np.zeros((n, n))
    for k in range(n):
        for m in range(k):
            var = cov[k, k] + cov[m, m] - 2.0 * cov[k, m]
            gap = mean[k] - mean[m]
            weight = stakes[k, m] * math.exp(-0.5 * focus * gap * gap / var) / var
            out[k, m] = out[m, k] = -weight
            out[k, k] += weight
            out[m, m] += weight
    return out


@njit(cache=True)
def _chance_and_slope(mean: float, var: float) -> tuple[float, float]:  # pragma: no cover
    """E of sigma(d) and sigma'(d) as `normal.answer_moments` has them, at half the cost: nodes come in pairs +x, -x."""
    sd, back = math.sqrt(var), math.exp(-min(max(mean, -300.0), 300.0))
    value = slope = 0.0
    nodes, weights = rule_for(sd)
    for k in range(nodes.size // 2, nodes.size):
        step = math.exp(-sd * nodes[k])
        up, down = 1.0 / (1.0 + back * step), 1.0 / (1.0 + back / step)
        value += weights[k] * (up + down)
        slope += weights[k] * (up * (1.0 - up) + down * (1.0 - down))
    return min(max(value, EDGE), 1.0 - EDGE), slope


@njit(cache=True)
def prospects(
    mean: FloatArray, cov: FloatArray, reach: FloatArray
) -> tuple[FloatArray, FloatArray]:  # pragma: no cover
    """For every pair i > j: the chance that i wins, and what full knowledge of the worker makes the answer worth.

    `reach` is cov L cov. Both tables are filled below the diagonal and mirrored: chance[j, i] = 1 - chance[i, j].
    """
    n = mean.size
    chance, worth = np.full((n, n), 0.5), np.zeros((n, n))
    for i in range(n):
        for j in range(i):
            var = cov[i, i] + cov[j, j] - 2.0 * cov[i, j]
            value, slope = _chance_and_slope(mean[i] - mean[j], var)
            chance[i, j], chance[j, i] = value, 1.0 - value
            spread = max(reach[i, i] + reach[j, j] - 2.0 * reach[i, j], 0.0)
            worth[i, j] = worth[j, i] = spread * slope * slope
    return chance, worth


@njit(cache=True)
def gains(
    workers: IntArray,
    rows: IntArray,
    columns: IntArray,
    chance: FloatArray,
    worth: FloatArray,
    p: FloatArray,
    power: FloatArray,
) -> FloatArray:  # pragma: no cover
    """The gain of each question; p and power have a row a worker, and a first one for nobody in particular.

    p is the mean reliability, `power` what the worker's answers tell about items, (2 rho - 1)^2 if rho were known.
    """
    out = np.empty(rows.size)
    for t in range(rows.size):
        i, j, w = rows[t], columns[t], workers[t] + 1
        up = (1.0 - p[w]) + (2.0 * p[w] - 1.0) * chance[i, j]
        out[t] = worth[i, j] * power[w] / (up * (1.0 - up))
    return out


@njit(cache=True)
def ceilings(chance: FloatArray, worth: FloatArray, power: float, clarity: float) -> FloatArray:  # pragma: no cover
    """The gain of every pair i < j for this power and (2 p - 1)^2 = clarity; -inf elsewhere. A hair is added."""
    n = chance.shape[0]
    out = np.full((n, n), -np.inf)
    for i in range(n):
        for j in range(i + 1, n):
            clear = (2.0 * chance[i, j] - 1.0) ** 2
            out[i, j] = (1.0 + 1e-9) * 4.0 * worth[i, j] * power / (1.0 - clarity * clear)
    return out
