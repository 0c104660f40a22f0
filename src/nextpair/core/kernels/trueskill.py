"""Message passing for a Thurstone model with independent normal marginals (TrueSkill), compiled."""

import math

import numpy as np
from numba import njit

from nextpair.core.arrays import FloatArray, IntArray

NOISE = 1.702  # sd of the noise of a comparison: Phi(d / 1.702) is within 0.01 of the logistic curve
SWEEP_SHARE = 0.02  # all messages are passed again when the answers grew by this share


@njit(cache=True)
def win(gap: float, spread: float) -> tuple[float, float, float]:  # pragma: no cover
    """(chance, v, w) of "the item ahead by `gap` wins", `spread` the sd of the observed difference."""
    t = gap / spread
    chance = max(0.5 * math.erfc(-t / math.sqrt(2.0)), 1e-300)
    v = math.exp(-0.5 * t * t) / math.sqrt(2.0 * math.pi) / chance if t > -30.0 else -t
    return chance, v, min(max(v * (v + t), 0.0), 1.0)


@njit(cache=True)
def _pass_message(t, told, messages, precision, shift):  # type: ignore[no-untyped-def]  # pragma: no cover
    """Take the messages of answer t out of both items and send them anew. A tie is half of each win."""
    i, j = told[0, t], told[1, t]
    rest_i, rest_j = precision[i] - messages[0, t], precision[j] - messages[2, t]
    mean_i, mean_j = (shift[i] - messages[1, t]) / rest_i, (shift[j] - messages[3, t]) / rest_j
    var_i, var_j = 1.0 / rest_i, 1.0 / rest_j
    spread = math.sqrt(NOISE * NOISE + var_i + var_j)
    _, v, w = win(mean_i - mean_j, spread)
    if told[3, t]:
        _, v_back, w_back = win(mean_j - mean_i, spread)
        v, w = 0.5 * (v - v_back), 0.5 * (w + w_back)
    for side in range(2):
        item = i if side == 0 else j
        mean, var = (mean_i, var_i) if side == 0 else (mean_j, var_j)
        sign = 1.0 if side == 0 else -1.0
        new_var = var * (1.0 - var / (spread * spread) * w)
        new_mean = mean + sign * var / spread * v
        messages[2 * side, t] = 1.0 / new_var - 1.0 / var
        messages[2 * side + 1, t] = new_mean / new_var - mean / var
        precision[item] = 1.0 / new_var
        shift[item] = new_mean / new_var


@njit(cache=True)
def absorb(
    start: int, swept: int, told: IntArray, messages: FloatArray, precision: FloatArray, shift: FloatArray
) -> int:  # pragma: no cover
    """Fold the answers from `start` on, in place. Gives the number of answers at the last sweep over all."""
    for t in range(start, told.shape[1]):
        _pass_message(t, told, messages, precision, shift)
        if t + 1 - swept >= SWEEP_SHARE * (t + 1):
            for s in range(t + 1):
                _pass_message(s, told, messages, precision, shift)
            swept = t + 1
    return swept


@njit(cache=True)
def information_gain(mean: FloatArray, var: FloatArray) -> FloatArray:  # pragma: no cover
    """The expected divergence of the marginals after the answer from those before, for every pair."""
    n = mean.size
    out = np.zeros((n, n))
    for i in range(n):
        for j in range(i):
            spread = math.sqrt(NOISE * NOISE + var[i] + var[j])
            total = 0.0
            for sign in (1.0, -1.0):
                chance, v, w = win(sign * (mean[i] - mean[j]), spread)
                for k in (i, j):
                    share = var[k] / (spread * spread)
                    kept = 1.0 - share * w
                    total += chance * 0.5 * (kept - 1.0 - math.log(kept) + share * v * v)
            out[i, j] = out[j, i] = total
    return out
