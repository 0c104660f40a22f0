"""An upper bound of a question's gain at a tenth of the price, so that most questions need not be scored.

Written in tails, with Phi(x) = F(x, 1) of `sums`, w = 2p - 1, r = a + b and d = a - b >= 0, an answer moves a and b by
u_up or u_down, m = w a b / (r (r + 1)), u = 2 r m / (r + w d) and 2 r m / (r - w d), so that on average they stay. Then

    gain <= Phi(a) + Phi(b) - E[Phi(x) + Phi(y)] - m (fall_a + fall_b) + 2 g (alpha_0 + 1) / least u_up u_down + always

where g = -G'(1), `least` bounds the denominator of s from below, and `always` is what s does to F (the proof is in
docs/performance.md). Phi is read from a table with 256 nodes an octave, between which it is at least the chord less a
curvature. The constants below belong to the tail alone.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from nextpair.core.arrays import FloatArray
from nextpair.core.kernels.grid import N
from nextpair.core.kernels.sums import ALPHA, BREAK, PIECE_CENTRE, PIECE_SCALE, ROW, Sums

NODE_BITS = 8
SHIFT = 52 - NODE_BITS  # of a float's bits: what remains numbers the nodes
MASK = (1 << SHIFT) - 1
CURVATURE = 0.297  # x^2 t''(x, y) <= CURVATURE (1 + x): 8/27 at most
SHRINKING = 0.1215  # 0 <= -dt(s x, s y) / d log s <= SHRINKING
FALL = 0.9  # of m times the slopes of t at x = a and at x = b, which the single tails take from a gain at least
ROUNDING = 1e-10  # of the number of items


class Screen(NamedTuple):
    """What the bound needs to know of a belief."""

    nodes: FloatArray  # (node): Phi, and the sum of the rises of its slope above the node
    first: int  # the number of the first node
    rates: FloatArray  # of u_up u_down, 1, r, u_down^2 (and u_down d / (r + 2)), the latter once more, and times r
    bump: float  # twice the most by which Phi exceeds the table at an item


def reach_of_s(totals: FloatArray, spreads: FloatArray, alpha: FloatArray) -> tuple[float, float]:
    """(the most by which s exceeds 1, at most half of which it falls short of it; the least denominator of s).

    s - 1 = 2 r (alpha_0 + 1) q / (n^2 below) with n = r + 1, -r/4 <= q <= r/2 and
    below >= sum alpha_k (alpha_0 - alpha_k) - (the pair's terms) / 2 - a b.
    """
    total = float(totals[0])
    least = float(spreads[0]) - float(np.max(alpha * (total - alpha))) - float(alpha[-1] * alpha[-2])
    return ((total + 1) / least if least > 1e-3 * spreads[0] else np.inf), least


def screen_of(sums: Sums) -> Screen | None:
    """The screen of a belief; None where s may leave the tabulated band."""
    alpha = sums.items[:, ALPHA]
    reach, least = reach_of_s(sums.totals, sums.spreads, alpha)
    middle, half = sums.band[0], sums.band[1]
    if half < 0 or not (1 + reach <= middle + half * (1 + 1e-9) and 1 - reach / 2 >= middle - half * (1 + 1e-9)):
        return None
    first, last = _node(max(sums.frame[0, BREAK], 2.0**-1000) / 2), _node(float(alpha[-1]) + 1.0) + 2
    places = (np.arange(first, last + 1) << SHIFT).view(np.float64)
    nodes = np.empty((places.size, 2))
    at_one = np.polynomial.chebyshev.chebvander((1 - middle) / half, N - 1)
    _tabulate(places, (sums.pieces * at_one[0][None, :, None]).sum(axis=1), sums.frame, middle, nodes)
    powers = np.arange(sums.whole.size)
    slopes = np.polynomial.chebyshev.chebder(sums.whole) / half
    rate = max(-float(np.polynomial.chebyshev.chebval((1 - middle) / half, slopes)), 0.0)
    bend = float(np.abs(sums.whole) @ (powers**2 * (powers**2 - 1.0))) / 3 / half**2
    n, total, spread = alpha.size, float(sums.totals[0]), float(sums.spreads[0])
    chord = 1.01 * n * CURVATURE / 8 / 4**NODE_BITS
    sway = 2 * (total + 1) / least * SHRINKING * (2 * n + 6) / (1 - reach / 2)
    uneven = 2 * rate * (total + 1) / least**2  # the denominators of s after the two answers differ
    rest = bend * reach**2 / 2 + 4 * chord + ROUNDING * n
    rates = np.array([2 * rate * (total + 1) / least, rest, chord, sway, uneven * (spread - least), uneven * total])
    bump = 2 * max(float(np.max(values_at_items(sums) - np.interp(alpha, places, nodes[:, 0]))), 0.0)
    return Screen(nodes, first, rates, bump)


def fall_of(alpha: FloatArray) -> FloatArray:
    """What the single tails take from a gain at least, for each of the two alphas and per m."""
    return FALL * np.sqrt(1 / (16 * alpha**2) + 0.0796 / alpha)


def no_screen() -> Screen:
    """A screen that lets everything pass."""
    rates = np.array([0.0, 1e300, 0.0, 0.0, 0.0, 0.0])
    return Screen(np.zeros((2, 2)), 1 << 60, rates, 0.0)


def values_at_items(sums: Sums) -> FloatArray:
    """Phi at every item."""
    at_one = np.polynomial.chebyshev.chebvander((1 - sums.band[0]) / sums.band[1], N - 1)[0]
    values: FloatArray = sums.items[:, ROW : ROW + N] @ at_one
    return values


def _node(x: float) -> int:
    return int(np.array([x]).view(np.int64)[0]) >> SHIFT


@njit(cache=True)
def _tabulate(
    places: FloatArray, pieces: FloatArray, frame: FloatArray, middle: float, out: FloatArray
) -> None:  # pragma: no cover
    """out[:, 0] = Phi at the places, 0 below the tables; out[:, 1] = the rises of its slope above."""
    piece, last = 0, pieces.shape[0] - 1
    for k in range(places.size):
        x = places[k]
        if x * middle < frame[0, BREAK]:
            out[k, 0] = 0.0
            continue
        while piece < last and x * middle >= frame[piece + 1, BREAK]:
            piece += 1
        centre = frame[piece, PIECE_CENTRE]
        z = frame[piece, PIECE_SCALE] * (x - centre) / (x + centre)
        before, now = 0.0, 0.0  # Clenshaw's recurrence
        for n in range(N - 1, 0, -1):
            before, now = now, pieces[piece, n] + 2.0 * z * now - before
        out[k, 0] = pieces[piece, 0] + z * now - before
    out[places.size - 1, 1] = 0.0
    slope = 0.0  # added up from above: slopes at tiny places are so large that nothing of the others would be left
    for k in range(places.size - 2, -1, -1):
        new = (out[k + 1, 0] - out[k, 0]) / (places[k + 1] - places[k])
        out[k, 1] = out[k + 1, 1] + (max(slope - new, 0.0) if k < places.size - 2 else 0.0)
        slope = new
