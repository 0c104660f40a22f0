"""The expected gain of one question, from the tables of `sums` (or summed directly where they do not reach).

Positions count the items in ascending order of alpha. Gains are in units of summed tails: divide by the number of
pairs for the paper's score. Arrays are handed on one by one: taking one out of a tuple, or a row out of an array,
costs compiled code a locked instruction.
"""

from typing import Any

from numba import njit

from nextpair.core.arrays import FloatArray, IntArray
from nextpair.core.kernels.grid import N
from nextpair.core.kernels.sums import (
    ALPHA,
    BREAK,
    CENTRE,
    HAT,
    PIECE_CENTRE,
    PIECE_SCALE,
    ROW,
    SCALE,
    WEIGHT,
)
from nextpair.core.kernels.tail import tail
from nextpair.core.moments import SMALL, after_answer, total_factor

# small functions are put where they are called: handing over arrays would cost more than the work
INLINE: Any = {"forceinline": True, "error_model": "numpy"}
X, Y, A, B, S = 0, 1, 2, 3, 4  # rows of `basis`: Chebyshev values of the two new and the two old alphas, and of s


@njit(cache=True, **INLINE)
def rest_and_spread(
    i: int, j: int, items: FloatArray, totals: FloatArray, spreads: FloatArray
) -> tuple[float, float]:  # pragma: no cover
    """`rest` and `spread` of `total_factor` for the positions i > j.

    Sums that leave out the largest items are kept apart, so that what is subtracted never exceeds what remains.
    """
    n = items.shape[0]
    if i < n - 1:
        return totals[0] - (items[i, ALPHA] + items[j, ALPHA]), spreads[0] - (items[i, WEIGHT] + items[j, WEIGHT])
    if j < n - 2:
        return totals[1] - items[j, ALPHA], spreads[1] - items[j, WEIGHT]
    return totals[2], spreads[2]


@njit(cache=True, **INLINE)
def outcome(
    a: float, b: float, p: float, rest: float, spread: float
) -> tuple[float, float, float, float]:  # pragma: no cover
    """After "a beats b" from a worker of mean reliability p: (chance of it, x, y, s) (eq. approxprob1w, MM1wform1)."""
    r = a + b
    towards = p * a + (1.0 - p) * b
    mean, lower, mixed, var = after_answer(a, b, p * a / towards, (1.0 - p) * b / towards)
    return towards / r, r * mean, r * lower, total_factor(r, rest, spread, mean, lower, mixed, var)


@njit(cache=True, fastmath={"reassoc", "contract"}, **INLINE)
def _chebyshev(basis: FloatArray, row: int, x: float) -> None:  # pragma: no cover
    basis[row, 0] = 1.0
    basis[row, 1] = x
    double = 2.0 * x
    for n in range(2, N):
        basis[row, n] = double * basis[row, n - 1] - basis[row, n - 2]


@njit(cache=True, fastmath={"reassoc", "contract"}, **INLINE)
def _bilinear(tables: FloatArray, table: int, basis: FloatArray, first: int, second: int) -> float:  # pragma: no cover
    """The polynomial of tables[table] at the coordinates in two rows of `basis`."""
    total = 0.0
    for n in range(N):
        column = 0.0
        for m in range(N):
            column += basis[first, m] * tables[table, m, n]
        total += column * basis[second, n]
    return total


@njit(cache=True, **INLINE)
def _single(
    p: int, x: float, of_x: int, q: int, y: float, of_y: int, basis: FloatArray, reach: IntArray, blocks: FloatArray
) -> float:  # pragma: no cover
    """t(x, y) of x on panel p and y on panel q."""
    if p < q:
        p, q = q, p
        x, y = y, x
        of_x, of_y = of_y, of_x
    if q < reach[p, 0]:
        return 0.0
    block = reach[p, 1] + p - q
    total = _bilinear(blocks, block, basis, of_x, of_y)
    return total if p > q or x >= y else 1.0 - total


@njit(cache=True, **INLINE)
def _find(x: float, frame: FloatArray, hint: int) -> int:  # pragma: no cover
    """The piece with x in it, near `hint`: the pairs of a row fall into neighbouring pieces."""
    while x < frame[hint, BREAK]:
        hint -= 1
    while x >= frame[hint + 1, BREAK]:
        hint += 1
    return hint


@njit(cache=True, **INLINE)
def _lost(
    i: int,
    j: int,
    x: float,
    y: float,
    s: float,
    items: FloatArray,
    panel: IntArray,
    frame: FloatArray,
    piece_panel: IntArray,
    pieces: FloatArray,
    whole: FloatArray,
    band: FloatArray,
    reach: IntArray,
    blocks: FloatArray,
    hints: IntArray,
    hint: int,
    basis: FloatArray,
) -> float:  # pragma: no cover
    """How much the sum of tails grows when alpha_i, alpha_j become s x, s y and all others are multiplied by s."""
    x, y = max(x * band[0], frame[0, BREAK]), max(y * band[0], frame[0, BREAK])
    a, b = items[i, HAT], items[j, HAT]
    at_x, at_y = _find(x, frame, hints[hint]), _find(y, frame, hints[hint + 1])
    hints[hint], hints[hint + 1] = at_x, at_y
    p, q, k, l = piece_panel[at_x], piece_panel[at_y], panel[i], panel[j]  # noqa: E741
    factor = s / band[0]
    centre, scaled = frame[at_x, PIECE_CENTRE], x * factor
    _chebyshev(basis, X, frame[at_x, PIECE_SCALE] * (scaled - centre) / (scaled + centre))
    centre, scaled = frame[at_y, PIECE_CENTRE], y * factor
    _chebyshev(basis, Y, frame[at_y, PIECE_SCALE] * (scaled - centre) / (scaled + centre))
    centre, scaled = items[i, CENTRE], a * factor
    _chebyshev(basis, A, items[i, SCALE] * (scaled - centre) / (scaled + centre))
    centre, scaled = items[j, CENTRE], b * factor
    _chebyshev(basis, B, items[j, SCALE] * (scaled - centre) / (scaled + centre))
    _chebyshev(basis, S, (s - band[0]) / band[1])
    total = _bilinear(pieces, at_x, basis, S, X) + _bilinear(pieces, at_y, basis, S, Y) - band[2]
    for n in range(N):
        total += basis[S, n] * (whole[n] - items[i, ROW + n] - items[j, ROW + n])
    single = 1.0 + _single(k, a, A, l, b, B, basis, reach, blocks) + _single(p, x, X, q, y, Y, basis, reach, blocks)
    single -= _single(p, x, X, k, a, A, basis, reach, blocks) + _single(p, x, X, l, b, B, basis, reach, blocks)
    single -= _single(q, y, Y, k, a, A, basis, reach, blocks) + _single(q, y, Y, l, b, B, basis, reach, blocks)
    return total + single


@njit(cache=True)
def _lost_directly(i: int, j: int, x: float, y: float, s: float, items: FloatArray) -> float:  # pragma: no cover
    """The same, tail by tail."""
    a, b = items[i, ALPHA], items[j, ALPHA]
    total = tail(s * x, s * y) - tail(a, b)
    for k in range(items.shape[0]):
        if k != i and k != j:
            other = items[k, ALPHA]
            total += (tail(s * x, s * other) - tail(a, other)) + (tail(s * y, s * other) - tail(b, other))
            for m in range(k):
                if m != i and m != j:
                    total += tail(s * other, s * items[m, ALPHA]) - tail(other, items[m, ALPHA])
    return total


@njit(cache=True, **INLINE)
def pair_gain(
    i: int,
    j: int,
    p: float,
    items: FloatArray,
    panel: IntArray,
    frame: FloatArray,
    piece_panel: IntArray,
    pieces: FloatArray,
    whole: FloatArray,
    totals: FloatArray,
    spreads: FloatArray,
    band: FloatArray,
    reach: IntArray,
    blocks: FloatArray,
    hints: IntArray,
    hint: int,
    basis: FloatArray,
) -> float:  # pragma: no cover
    """The expected gain of asking the positions i > j of a worker of mean reliability p (eq. AKGw)."""
    a, b = items[i, ALPHA], items[j, ALPHA]
    if a + b < SMALL:
        return 0.0
    rest, spread = rest_and_spread(i, j, items, totals, spreads)
    up, x, y, s = outcome(a, b, p, rest, spread)
    down, y_down, x_down, s_down = outcome(b, a, p, rest, spread)
    if abs(s - band[0]) > band[1] or abs(s_down - band[0]) > band[1]:
        lost = up * _lost_directly(i, j, x, y, s, items)
        return -(lost + down * _lost_directly(i, j, x_down, y_down, s_down, items))
    lost = up * _lost(
        i, j, x, y, s, items, panel, frame, piece_panel, pieces, whole, band, reach, blocks, hints, hint, basis
    )
    lost += down * _lost(
        i, j, x_down, y_down, s_down, items, panel, frame, piece_panel, pieces, whole, band, reach, blocks, hints,
        hint + 2, basis,
    )  # fmt: skip
    return -lost


@njit(cache=True)
def band_of(
    p: float, items: FloatArray, some: IntArray, totals: FloatArray, spreads: FloatArray
) -> tuple[float, float]:  # pragma: no cover
    """The least and the largest factor s among the pairs of the positions `some`, and 1."""
    low = high = 1.0
    for k in range(some.size):
        for m in range(k):
            i, j = some[k], some[m]
            rest, spread = rest_and_spread(i, j, items, totals, spreads)
            s = outcome(items[i, ALPHA], items[j, ALPHA], p, rest, spread)[3]
            s_down = outcome(items[j, ALPHA], items[i, ALPHA], p, rest, spread)[3]
            low, high = min(low, s, s_down), max(high, s, s_down)
    return low, high
