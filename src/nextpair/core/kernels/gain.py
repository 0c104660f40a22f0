"""The expected gain of one question, from the tables of `sums` (or summed directly where they do not reach).

Positions count the items in ascending order of alpha. Gains are in units of summed tails: divide by the number of
pairs for the paper's score.
"""

import numpy as np
from numba import njit, prange

from nextpair.core.arrays import FloatArray, IntArray
from nextpair.core.kernels.grid import Grid, N
from nextpair.core.kernels.sums import Sums, chebyshev_values
from nextpair.core.kernels.tail import tail
from nextpair.core.moments import SMALL, _after_answer, total_factor


@njit(cache=True)
def rest_and_spread(
    i: int, j: int, alpha: FloatArray, totals: FloatArray, spreads: FloatArray, weights: FloatArray
) -> tuple[float, float]:  # pragma: no cover
    """`rest` and `spread` of `total_factor` for the positions i > j.

    Sums that leave out the largest items are kept apart, so that what is subtracted never exceeds what remains.
    """
    n = alpha.size
    if i < n - 1:
        return totals[0] - (alpha[i] + alpha[j]), spreads[0] - (weights[i] + weights[j])
    if j < n - 2:
        return totals[1] - alpha[j], spreads[1] - weights[j]
    return totals[2], spreads[2]


@njit(cache=True, fastmath={"reassoc", "contract"})
def _single(
    p: int, x: float, in_x: FloatArray, q: int, y: float, in_y: FloatArray, grid: Grid
) -> float:  # pragma: no cover
    """t(x, y) of x on panel p and y on panel q."""
    if p < q:
        p, q = q, p
        x, y = y, x
        in_x, in_y = in_y, in_x
    if q < grid.lowest[p]:
        return 0.0
    block = grid.blocks[grid.start[p] + p - q]
    total = 0.0
    for m in range(N):
        row = 0.0
        for n in range(N):
            row += block[m, n] * in_y[n]
        total += in_x[m] * row
    return total if p > q or x >= y else 1.0 - total


@njit(cache=True, fastmath={"reassoc", "contract"})
def _sum_at(piece: FloatArray, in_s: FloatArray, in_x: FloatArray) -> float:  # pragma: no cover
    """F from the coefficients of its piece."""
    total = 0.0
    for j in range(in_s.size):
        row = 0.0
        for n in range(N):
            row += piece[j, n] * in_x[n]
        total += in_s[j] * row
    return total


@njit(cache=True)
def _find(x: float, breaks: FloatArray, hint: int) -> int:  # pragma: no cover
    """The piece with x in it, near `hint`: the pairs of a row fall into neighbouring pieces."""
    while x < breaks[hint]:
        hint -= 1
    while x >= breaks[hint + 1]:
        hint += 1
    return hint


@njit(cache=True)
def _coordinates(x: float, factor: float, panel: int, grid: Grid, out: FloatArray) -> None:  # pragma: no cover
    scaled = x * factor
    chebyshev_values(grid.scale[panel] * (scaled - grid.centre[panel]) / (scaled + grid.centre[panel]), out)


@njit(cache=True)
def _lost(
    i: int, j: int, x: float, y: float, s: float, sums: Sums, grid: Grid, hints: IntArray, scratch: FloatArray
) -> float:  # pragma: no cover
    """How much the sum of tails grows when alpha_i, alpha_j become s x, s y and all others are multiplied by s."""
    a, b = sums.hat[i], sums.hat[j]
    floor = sums.breaks[0]
    x, y = max(x * sums.middle, floor), max(y * sums.middle, floor)
    hints[0] = _find(x, sums.breaks, hints[0])
    hints[1] = _find(y, sums.breaks, hints[1])
    of_x, of_y, of_a, of_b = sums.piece_panel[hints[0]], sums.piece_panel[hints[1]], sums.panel[i], sums.panel[j]
    factor = s / sums.middle
    in_x, in_y, in_a, in_b = scratch[0, :N], scratch[1, :N], scratch[2, :N], scratch[3, :N]
    _coordinates(x, factor, of_x, grid, in_x)
    _coordinates(y, factor, of_y, grid, in_y)
    _coordinates(a, factor, of_a, grid, in_a)
    _coordinates(b, factor, of_b, grid, in_b)
    n_s = sums.whole.size
    in_s = scratch[4, :n_s]
    chebyshev_values((s - sums.middle) / sums.half, in_s)
    total = _sum_at(sums.pieces[hints[0]], in_s, in_x) + _sum_at(sums.pieces[hints[1]], in_s, in_y)
    for k in range(n_s):
        total += in_s[k] * (sums.whole[k] - sums.rows[i, k] - sums.rows[j, k])
    single = 1.0 + _single(of_a, a, in_a, of_b, b, in_b, grid) + _single(of_x, x, in_x, of_y, y, in_y, grid)
    single -= _single(of_x, x, in_x, of_a, a, in_a, grid) + _single(of_x, x, in_x, of_b, b, in_b, grid)
    single -= _single(of_y, y, in_y, of_a, a, in_a, grid) + _single(of_y, y, in_y, of_b, b, in_b, grid)
    return total + single


@njit(cache=True)
def _lost_directly(i: int, j: int, x: float, y: float, s: float, alpha: FloatArray) -> float:  # pragma: no cover
    """The same, tail by tail."""
    a, b = alpha[i], alpha[j]
    total = tail(s * x, s * y) - tail(a, b)
    for k in range(alpha.size):
        if k != i and k != j:
            other = alpha[k]
            total += (tail(s * x, s * other) - tail(a, other)) + (tail(s * y, s * other) - tail(b, other))
            for m in range(k):
                if m != i and m != j:
                    total += tail(s * other, s * alpha[m]) - tail(other, alpha[m])
    return total


@njit(cache=True)
def outcome(
    a: float, b: float, p: float, rest: float, spread: float
) -> tuple[float, float, float, float]:  # pragma: no cover
    """After "a beats b" from a worker of mean reliability p: (chance of it, x, y, s) (eq. approxprob1w, MM1wform1)."""
    r = a + b
    towards = p * a + (1.0 - p) * b
    eta = p * a / towards
    mean, mixed, var = _after_answer(a, b, eta)
    lower = (b + (1.0 - eta)) / (r + 1.0)  # 1 - mean, without the subtraction
    return towards / r, r * mean, r * lower, total_factor(r, rest, spread, mean, mixed, var)


@njit(cache=True)
def pair_gain(
    i: int, j: int, p: float, sums: Sums, grid: Grid, now: float, hints: IntArray, scratch: FloatArray
) -> float:  # pragma: no cover
    """The expected gain of asking the positions i > j of a worker of mean reliability p (eq. AKGw)."""
    a, b = sums.alpha[i], sums.alpha[j]
    if a + b < SMALL:
        return 0.0
    rest, spread = rest_and_spread(i, j, sums.alpha, sums.totals, sums.spreads, sums.weights)
    up, x, y, s = outcome(a, b, p, rest, spread)
    down, y_down, x_down, s_down = outcome(b, a, p, rest, spread)
    if abs(s - sums.middle) > sums.half or abs(s_down - sums.middle) > sums.half:
        lost = up * _lost_directly(i, j, x, y, s, sums.alpha)
        return -(lost + down * _lost_directly(i, j, x_down, y_down, s_down, sums.alpha))
    lost = up * (_lost(i, j, x, y, s, sums, grid, hints[:2], scratch) - now)
    return -(lost + down * (_lost(i, j, x_down, y_down, s_down, sums, grid, hints[2:], scratch) - now))


@njit(cache=True, parallel=True)
def all_gains(p: float, sums: Sums, grid: Grid, now: float, out: FloatArray) -> None:  # pragma: no cover
    """out[i, j] = out[j, i] = the gain of every pair of positions."""
    n = sums.alpha.size
    for row in prange(n - 1):
        i = n - 1 - row
        scratch = np.empty((5, 16))
        middle = sums.breaks.size // 2
        hints = np.array([middle, middle, middle, middle])
        for j in range(i):
            gain = pair_gain(i, j, p, sums, grid, now, hints, scratch)
            out[sums.order[i], sums.order[j]] = gain
            out[sums.order[j], sums.order[i]] = gain


@njit(cache=True, parallel=True)
def some_gains(
    first: IntArray, second: IntArray, p: FloatArray, sums: Sums, grid: Grid, now: float, out: FloatArray
) -> None:  # pragma: no cover
    """out[q] = the gain of asking the positions first[q] and second[q] of a worker of mean reliability p[q]."""
    size = 64
    for chunk in prange((first.size + size - 1) // size):
        scratch = np.empty((5, 16))
        middle = sums.breaks.size // 2
        hints = np.array([middle, middle, middle, middle])
        for q in range(chunk * size, min(first.size, (chunk + 1) * size)):
            i, j = max(first[q], second[q]), min(first[q], second[q])
            out[q] = pair_gain(i, j, p[q], sums, grid, now, hints, scratch)


@njit(cache=True)
def band_of(
    p: float, alpha: FloatArray, some: IntArray, totals: FloatArray, spreads: FloatArray, weights: FloatArray
) -> tuple[float, float]:  # pragma: no cover
    """The least and the largest factor s among the pairs of the positions `some`, and 1."""
    low = high = 1.0
    for k in range(some.size):
        for m in range(k):
            i, j = some[k], some[m]
            rest, spread = rest_and_spread(i, j, alpha, totals, spreads, weights)
            s = outcome(alpha[i], alpha[j], p, rest, spread)[3]
            s_down = outcome(alpha[j], alpha[i], p, rest, spread)[3]
            low, high = min(low, s, s_down), max(high, s, s_down)
    return low, high
