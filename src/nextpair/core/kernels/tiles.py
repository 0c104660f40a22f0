"""The bounds of `screen` over all pairs of groups, tile by tile: what need not be scored is passed over here.

A group is the items with one alpha; groups are in ascending order of it. A tile is TILE x TILE pairs of groups, cut out
of the triangle first >= second (a group with itself where it has two items), and numbered along the triangle.
"""

from typing import Any, NamedTuple

import numpy as np
from numba import njit, prange

from nextpair.core.arrays import FloatArray, IntArray
from nextpair.core.kernels.screen import MASK, MIXED, SHIFT, SHRINKING, SINGLES, Screen

TILE = 32
UP_A, DOWN_B, DOWN_A, UP_B, A, B, CHANCE, STEP = 0, 1, 2, 3, 4, 5, 6, 7  # rows of `work`
FAST: Any = {"error_model": "numpy", "fastmath": {"contract"}}


class Groups(NamedTuple):
    """Items with the same alpha, as the kernels see them."""

    alpha: FloatArray
    phi: FloatArray  # Phi at that alpha
    several: IntArray  # 1 where a pair can be made within the group
    free: IntArray  # 1 where a pair with any other group may be asked; two groups of 0 make no pair


class Weaker(NamedTuple):
    """What bounds the questions of all weaker workers at once: shares v of the strength w, per cost."""

    most: float  # the largest v per cost; below 0: no weaker workers, the bound is that of w
    mixed: float  # the largest v (1 - v) per cost
    cheap: float  # the largest 1 per cost


@njit(cache=True, **FAST)
def bounds(
    count: int, phi: FloatArray, w: float, screen: Screen, work: FloatArray, bits: IntArray, out: FloatArray
) -> None:  # pragma: no cover
    """out[q] = a bound of the gain of the q-th pair, rows A >= B of `work` (and its `bits`); phi[q] is the sum of its Phi."""
    nodes, first = screen.nodes, screen.first
    trust, doubt = 0.5 * (1.0 + w), 0.5 * (1.0 - w)
    for q in range(count):
        a, b = work[A, q], work[B, q]
        r, up, down = a + b, trust * a + doubt * b, doubt * a + trust * b
        shared = r / ((r + 1.0) * up * down)
        step = w * (a * b / r) * shared  # u_up / down = u_down / up
        work[UP_A, q] = a + step * down
        work[DOWN_B, q] = b * shared * down * (up + doubt)
        work[DOWN_A, q] = a * shared * up * (down + doubt)
        work[UP_B, q] = b + step * up
        work[CHANCE, q] = up / r
        work[STEP, q] = step * up
        out[q] = phi[q] + screen.total_rate * (step * step * up * down) + (screen.rest + screen.rest_rate * r)
    for k in range(4):
        for q in range(count):
            node = max((bits[k, q] >> SHIFT) - first, 0)
            inside = (bits[k, q] & MASK) * (1.0 / (1 << SHIFT))
            chance = work[CHANCE, q] if k < 2 else 1.0 - work[CHANCE, q]
            out[q] -= chance * (nodes[node, 0] + inside * (nodes[node + 1, 0] - nodes[node, 0]))


@njit(cache=True, forceinline=True, **FAST)
def rises(q: int, screen: Screen, bits: IntArray) -> tuple[float, float]:  # pragma: no cover
    """By how much the slope of Phi rises on the way of a and b when a wins, and when b wins."""
    nodes, first = screen.nodes, screen.first
    up_a, down_b = max((bits[UP_A, q] >> SHIFT) - first, 0), max((bits[DOWN_B, q] >> SHIFT) - first, 0)
    down_a, up_b = max((bits[DOWN_A, q] >> SHIFT) - first, 0), max((bits[UP_B, q] >> SHIFT) - first, 0)
    a, b = max((bits[A, q] >> SHIFT) - first, 0), max((bits[B, q] >> SHIFT) - first, 0)
    a_wins = (nodes[up_a, 1] - nodes[a, 1]) + (nodes[b, 1] - nodes[down_b, 1])
    return a_wins, (nodes[a, 1] - nodes[down_a, 1]) + (nodes[up_b, 1] - nodes[b, 1])


@njit(cache=True, forceinline=True, **FAST)
def weaker_bound(
    q: int, bound: float, weaker: Weaker, screen: Screen, work: FloatArray, bits: IntArray
) -> float:  # pragma: no cover
    """From the bound of w to one of all weaker workers, per cost."""
    a_wins, b_wins = rises(q, screen, bits)
    height = work[STEP, q] * (1.0 - work[CHANCE, q])  # m
    always = screen.rest + screen.rest_rate * (work[A, q] + work[B, q])
    risen = weaker.mixed * height * a_wins + min(weaker.mixed * work[STEP, q] / 2.0, weaker.most * height) * b_wins
    return weaker.most * max(bound - always, 0.0) + risen + weaker.cheap * (always + screen.bump)


@njit(cache=True)
def _load(
    q: int, first: int, second: int, groups: Groups, work: FloatArray, phi: FloatArray
) -> None:  # pragma: no cover
    work[A, q], work[B, q] = groups.alpha[first], groups.alpha[second]
    phi[q] = groups.phi[first] + groups.phi[second]


@njit(cache=True)
def _settle(
    q: int,
    first: int,
    second: int,
    groups: Groups,
    weaker: Weaker,
    screen: Screen,
    work: FloatArray,
    bits: IntArray,
    out: FloatArray,
) -> None:  # pragma: no cover
    """From the bound of the strongest worker to what is asked for; -inf where there is no such pair."""
    if weaker.most >= 0.0:
        out[q] = weaker_bound(q, out[q], weaker, screen, work, bits)
    if not (groups.free[first] or groups.free[second]) or (first == second and not groups.several[first]):
        out[q] = -np.inf
    elif np.isnan(out[q]):
        out[q] = np.inf


@njit(cache=True)
def corner(tile: int) -> tuple[int, int]:  # pragma: no cover
    """The first row and column of a tile."""
    row = int((np.sqrt(8.0 * tile + 1.0) - 1.0) / 2.0)
    while row * (row + 1) // 2 > tile:
        row -= 1
    while (row + 1) * (row + 2) // 2 <= tile:
        row += 1
    return row * TILE, (tile - row * (row + 1) // 2) * TILE


@njit(cache=True)
def _tile(
    tile: int, w: float, groups: Groups, weaker: Weaker, screen: Screen, enough: float, reached: IntArray
) -> tuple[float, int, int]:  # pragma: no cover
    """The largest bound of a tile and its pair; the number of bounds of at least `enough`.

    These pairs, as row * TILE + column, are written to `reached` as far as there is room.
    """
    work = np.empty((8, TILE))
    bits, phi, out = work.view(np.int64), np.empty(TILE), np.empty(TILE)
    low_row, low = corner(tile)
    best, place, count = -np.inf, 0, 0
    for first in range(low_row, min(low_row + TILE, groups.alpha.size)):
        width = min(TILE, first + 1 - low)
        for q in range(width):
            _load(q, first, low + q, groups, work, phi)
        bounds(width, phi, w, screen, work, bits, out)
        for q in range(width):
            _settle(q, first, low + q, groups, weaker, screen, work, bits, out)
            if out[q] > best:
                best, place = out[q], (first - low_row) * TILE + q
            if out[q] >= enough and count < reached.size:
                reached[count] = (first - low_row) * TILE + q
                count += 1
    return best, place, count


@njit(cache=True)
def tile_tops(
    w: float, groups: Groups, weaker: Weaker, screen: Screen, top: FloatArray, at: IntArray
) -> None:  # pragma: no cover
    """The largest bound of every tile, and its pair."""
    none = np.empty(0, dtype=np.int64)
    for tile in range(top.size):
        top[tile], at[tile], _ = _tile(tile, w, groups, weaker, screen, np.inf, none)


@njit(cache=True, parallel=True)
def tile_tops_in_parallel(
    w: float, groups: Groups, weaker: Weaker, screen: Screen, top: FloatArray, at: IntArray
) -> None:  # pragma: no cover
    """The same on all processors."""
    for tile in prange(top.size):
        top[tile], at[tile], _ = _tile(tile, w, groups, weaker, screen, np.inf, np.empty(0, dtype=np.int64))


@njit(cache=True)
def open_tiles(
    tiles: IntArray,
    enough: float,
    w: float,
    groups: Groups,
    weaker: Weaker,
    screen: Screen,
    reached: IntArray,
    counts: IntArray,
) -> None:  # pragma: no cover
    """The pairs of each tile whose bound reaches `enough`: reached[t, :counts[t]]."""
    for t in range(tiles.size):
        counts[t] = _tile(tiles[t], w, groups, weaker, screen, enough, reached[t])[2]


@njit(cache=True, parallel=True)
def open_tiles_in_parallel(
    tiles: IntArray,
    enough: float,
    w: float,
    groups: Groups,
    weaker: Weaker,
    screen: Screen,
    reached: IntArray,
    counts: IntArray,
) -> None:  # pragma: no cover
    """The same on all processors."""
    for t in prange(tiles.size):
        counts[t] = _tile(tiles[t], w, groups, weaker, screen, enough, reached[t])[2]


@njit(cache=True)
def pair_bounds(
    first: IntArray, second: IntArray, w: FloatArray, groups: Groups, weaker: Weaker, screen: Screen, out: FloatArray
) -> None:  # pragma: no cover
    """out[q] = the bound of the groups first[q] >= second[q] for the strength w[q]."""
    work = np.empty((8, 1))
    bits, phi, bound = work.view(np.int64), np.empty(1), np.empty(1)
    for q in range(first.size):
        _load(0, first[q], second[q], groups, work, phi)
        bounds(1, phi, w[q], screen, work, bits, bound)
        _settle(0, first[q], second[q], groups, weaker, screen, work, bits, bound)
        out[q] = bound[0]


@njit(cache=True, **FAST)
def _leeway(work: FloatArray, screen: Screen) -> float:  # pragma: no cover
    """At most what s adds to the bound of a weaker worker from the score of the strongest one (docs/performance.md)."""
    a, b = work[A, 0], work[B, 0]
    r, n, plus = a + b, a + b + 1.0, screen.total + 1.0
    up, down = work[UP_A, 0] - a, work[UP_B, 0] - b  # u_up, u_down
    least = screen.spread - 0.5 * (a * (screen.total - a) + b * (screen.total - b)) - a * b
    uneven = 1.0 - least / (screen.spread + screen.total * r)
    tilt = (a - b) * n / (r + 2.0)
    e_up, e_down = n * up / r, n * down / r
    moved = max(abs(r * e_up * e_up + tilt * e_up), abs(r * e_down * e_down - tilt * e_down)) * 2.0 * r / (n * n)
    s = moved * plus / least  # at most |s - 1|
    far = np.sqrt(1.0 + max(work[UP_A, 0], work[UP_B, 0])) * (
        max(up / a, down / work[DOWN_A, 0]) + max(down / b, (b - work[DOWN_B, 0]) / work[DOWN_B, 0])
    )
    shift = (1.0 + s) * s * (screen.n_items * min(MIXED * far, 2.0 * SHRINKING) + 6.0 * SHRINKING)
    total = screen.rate * uneven * plus * (2.0 * up * down + (r / n) * (r / n)) / least
    return 2.0 * shift + total + screen.bend * s * s + screen.bump * 2.0 + screen.chord * (r + 4.0)


@njit(cache=True)
def worth_a_look(
    first: IntArray,
    second: IntArray,
    gains: FloatArray,
    w: float,
    shares: FloatArray,
    enough: FloatArray,
    groups: Groups,
    screen: Screen,
    rows: IntArray,
    kinds: IntArray,
) -> int:  # pragma: no cover
    """The pairs and the kinds of weaker workers (shares of w) whose bound reaches what is enough for the kind.

    It is made from the gain of the strongest, who has the strength w. Written to `rows` and `kinds` as far as there is
    room; the number of them.
    """
    work = np.empty((8, 1))
    bits, phi, bound = work.view(np.int64), np.empty(1), np.empty(1)
    count = 0
    for q in range(first.size):
        _load(0, first[q], second[q], groups, work, phi)
        bounds(1, phi, w, screen, work, bits, bound)
        a_wins, b_wins = rises(0, screen, bits)
        height = work[STEP, 0] * (1.0 - work[CHANCE, 0])
        leeway = _leeway(work, screen)
        for kind in range(shares.size):
            v = shares[kind]
            steep = min(v * (1.0 - v) / (2.0 * (1.0 - work[CHANCE, 0])), v)
            risen = v * (1.0 - v) * height * a_wins + steep * (height * b_wins + SINGLES)
            if not v * gains[q] + risen + leeway < enough[kind]:
                if count < rows.size:
                    rows[count], kinds[count] = q, kind
                count += 1
    return count
