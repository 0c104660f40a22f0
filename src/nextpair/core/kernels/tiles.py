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
UP_A, DOWN_B, DOWN_A, UP_B, A, B, CHANCE, STEP, HEIGHT = 0, 1, 2, 3, 4, 5, 6, 7, 8  # rows of `work`
TINIEST = 1e-150  # smaller alphas are taken for this: their products would vanish
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
    count: int,
    phi: FloatArray,
    w: float,
    nodes: FloatArray,
    first: int,
    total_rate: float,
    rest: float,
    rest_rate: float,
    work: FloatArray,
    bits: IntArray,
    out: FloatArray,
) -> None:  # pragma: no cover
    """out[q] = a bound of the gain of the q-th pair, rows A >= B of `work` (and its `bits`); phi[q] sums its Phi."""
    trust, doubt = 0.5 * (1.0 + w), 0.5 * (1.0 - w)
    for q in range(count):
        a, b = work[A, q], work[B, q]
        r, up, down = a + b, trust * a + doubt * b, doubt * a + trust * b
        shared = r / ((r + 1.0) * up * down)
        mixed = w * (a * b / r)
        step = mixed * shared  # u_up / down = u_down / up
        work[UP_A, q] = a + step * down
        work[DOWN_B, q] = b * shared * down * (up + doubt)
        work[DOWN_A, q] = a * shared * up * (down + doubt)
        work[UP_B, q] = b + step * up
        work[CHANCE, q] = up / r
        work[STEP, q] = step * up  # u_down
        work[HEIGHT, q] = mixed / (r + 1.0)  # m
        out[q] = phi[q] + total_rate * (step * step * up * down) + (rest + rest_rate * r)
    for k in range(4):
        for q in range(count):
            node = max((bits[k, q] >> SHIFT) - first, 0)
            inside = (bits[k, q] & MASK) * (1.0 / (1 << SHIFT))
            chance = work[CHANCE, q] if k < 2 else 1.0 - work[CHANCE, q]
            out[q] -= chance * (nodes[node, 0] + inside * (nodes[node + 1, 0] - nodes[node, 0]))


@njit(cache=True, forceinline=True, **FAST)
def rises(q: int, nodes: FloatArray, first: int, bits: IntArray) -> tuple[float, float]:  # pragma: no cover
    """By how much the slope of Phi rises on the way of a and b when a wins, and when b wins."""
    up_a, down_b = max((bits[UP_A, q] >> SHIFT) - first, 0), max((bits[DOWN_B, q] >> SHIFT) - first, 0)
    down_a, up_b = max((bits[DOWN_A, q] >> SHIFT) - first, 0), max((bits[UP_B, q] >> SHIFT) - first, 0)
    a, b = max((bits[A, q] >> SHIFT) - first, 0), max((bits[B, q] >> SHIFT) - first, 0)
    a_wins = (nodes[up_a, 1] - nodes[a, 1]) + (nodes[b, 1] - nodes[down_b, 1])
    return a_wins, (nodes[a, 1] - nodes[down_a, 1]) + (nodes[up_b, 1] - nodes[b, 1])


@njit(cache=True, **FAST)
def _weaken(
    count: int,
    weaker: Weaker,
    nodes: FloatArray,
    first: int,
    rest: float,
    rest_rate: float,
    bump: float,
    work: FloatArray,
    bits: IntArray,
    out: FloatArray,
) -> None:  # pragma: no cover
    """From the bounds of w to those of all weaker workers, per cost."""
    for q in range(count):
        a_wins, b_wins = rises(q, nodes, first, bits)
        height = work[HEIGHT, q]
        always = rest + rest_rate * (work[A, q] + work[B, q])
        risen = weaker.mixed * height * a_wins + min(weaker.mixed * work[STEP, q] / 2.0, weaker.most * height) * b_wins
        out[q] = weaker.most * max(out[q] - always, 0.0) + risen + weaker.cheap * (always + bump)


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
    work = np.empty((9, TILE))
    bits, phis, out = work.view(np.int64), np.empty(TILE), np.empty(TILE)
    alpha, phi, several, free, nodes = groups.alpha, groups.phi, groups.several, groups.free, screen.nodes
    row, column = corner(tile)
    best, place, count = -np.inf, 0, 0
    for first in range(row, min(row + TILE, alpha.size)):
        width = min(TILE, first + 1 - column)
        for q in range(width):
            work[A, q], work[B, q], phis[q] = alpha[first], alpha[column + q], phi[first] + phi[column + q]
        bounds(width, phis, w, nodes, screen.first, screen.total_rate, screen.rest, screen.rest_rate, work, bits, out)
        if weaker.most >= 0.0:
            _weaken(width, weaker, nodes, screen.first, screen.rest, screen.rest_rate, screen.bump, work, bits, out)
        if column + width - 1 == first and not several[first]:
            out[width - 1] = -np.inf
        highest = -np.inf
        for q in range(width):
            out[q] = out[q] if free[first] + free[column + q] else -np.inf
            highest = max(highest, out[q])
        if highest <= best and highest < enough:
            continue
        for q in range(width):
            if out[q] > best:
                best, place = out[q], (first - row) * TILE + q
            if out[q] >= enough and count < reached.size:
                reached[count] = (first - row) * TILE + q
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
    """out[q] = the bound of the groups first[q] >= second[q] for the strength w[q]; -inf for no such pair."""
    work = np.empty((9, 1))
    bits, phis, bound = work.view(np.int64), np.empty(1), np.empty(1)
    alpha, phi, several, free, nodes = groups.alpha, groups.phi, groups.several, groups.free, screen.nodes
    for q in range(first.size):
        i, j = first[q], second[q]
        if not (free[i] or free[j]) or (i == j and not several[i]):
            out[q] = -np.inf
            continue
        work[A, 0], work[B, 0], phis[0] = alpha[i], alpha[j], phi[i] + phi[j]
        bounds(1, phis, w[q], nodes, screen.first, screen.total_rate, screen.rest, screen.rest_rate, work, bits, bound)
        if weaker.most >= 0.0:
            _weaken(1, weaker, nodes, screen.first, screen.rest, screen.rest_rate, screen.bump, work, bits, bound)
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


@njit(cache=True, error_model="numpy")
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
    work = np.empty((9, 1))
    bits, phis, bound = work.view(np.int64), np.zeros(1), np.empty(1)
    alpha, nodes, count = groups.alpha, screen.nodes, 0
    for q in range(first.size):
        work[A, 0], work[B, 0] = alpha[first[q]], alpha[second[q]]
        bounds(1, phis, w, nodes, screen.first, 0.0, 0.0, 0.0, work, bits, bound)  # for what it leaves in `work`
        a_wins, b_wins = rises(0, nodes, screen.first, bits)
        height = work[HEIGHT, 0]
        leeway, single = _leeway(work, screen), 1.0 / np.sqrt(1.0 + SINGLES * (work[A, 0] + work[B, 0]))
        for kind in range(shares.size):
            v = shares[kind]
            steep = min(v * (1.0 - v) * work[STEP, 0] / (2.0 * height), v)
            risen = v * (1.0 - v) * height * a_wins + steep * (height * b_wins + single)
            if not v * gains[q] + risen + leeway < enough[kind]:
                if count < rows.size:
                    rows[count], kinds[count] = q, kind
                count += 1
    return count
