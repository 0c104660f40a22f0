"""The bounds of `screen` over all pairs of groups, tile by tile: what need not be scored is passed over here.

A group is the items with one alpha; groups are in ascending order of it. A tile is TILE x TILE pairs of groups, cut out
of the triangle first >= second (a group with itself where it has two items), and numbered along the triangle.
"""

from typing import Any, NamedTuple

import numpy as np
from numba import njit, prange

from nextpair.core.arrays import FloatArray, IntArray
from nextpair.core.kernels.screen import MASK, SHIFT, Screen
from nextpair.core.moments import SMALL

TILE = 32
UP_A, DOWN_B, DOWN_A, UP_B, A, B, CHANCE, STEP, HEIGHT, ALWAYS = range(10)  # rows of `work`
ROWS = 10
TINIEST = 1e-150  # smaller alphas are taken for this: their products would vanish
FAST: Any = {"error_model": "numpy", "fastmath": {"contract"}}


class Groups(NamedTuple):
    """Items with the same alpha, as the kernels see them."""

    alpha: FloatArray
    phi: FloatArray  # Phi at that alpha
    fall: FloatArray  # of the single tails, per m
    several: IntArray  # 1 where a pair can be made within the group
    free: IntArray  # 1 where a pair with any other group may be asked; two groups of 0 make no pair


class Weaker(NamedTuple):
    """What bounds the questions of all weaker workers at once: shares v of the strength w, and what they cost."""

    share: float  # the largest v; below 0: no weaker workers, the bound is that of w
    per_cost: float  # the largest v per cost
    cheap: float  # the largest 1 per cost


@njit(cache=True, **FAST)
def bounds(
    count: int,
    phi: FloatArray,
    fall: FloatArray,
    w: float,
    nodes: FloatArray,
    first: int,
    rates: FloatArray,
    work: FloatArray,
    bits: IntArray,
    out: FloatArray,
) -> None:  # pragma: no cover
    """out[q] = a bound of the gain of the q-th pair, rows A >= B of `work` (and its `bits`).

    phi[q] and fall[q] are the sums of what `Groups` has of a and b.
    """
    trust, doubt = 0.5 * (1.0 + w), 0.5 * (1.0 - w)
    total, rest, chord, sway, uneven, uneven_rate = rates[0], rates[1], rates[2], rates[3], rates[4], rates[5]
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
        tilt = (a - b) / (r + 2.0)
        work[ALWAYS, q] = rest + chord * r + step * up * (sway * (step * up + tilt) + (uneven + uneven_rate * r) * tilt)
        out[q] = phi[q] + total * (step * step * up * down) - work[HEIGHT, q] * fall[q] + work[ALWAYS, q]
    for k in range(4):
        for q in range(count):
            node = max((bits[k, q] >> SHIFT) - first, 0)
            inside = (bits[k, q] & MASK) * (1.0 / (1 << SHIFT))
            chance = work[CHANCE, q] if k < 2 else 1.0 - work[CHANCE, q]
            out[q] -= chance * (nodes[node, 0] + inside * (nodes[node + 1, 0] - nodes[node, 0]))
    for q in range(count):
        if work[A, q] + work[B, q] < SMALL:  # vanished: the score is 0, whatever the gain would be
            out[q] = max(out[q], work[ALWAYS, q])


@njit(cache=True, forceinline=True, **FAST)
def rises(q: int, nodes: FloatArray, first: int, bits: IntArray) -> tuple[float, float]:  # pragma: no cover
    """By how much the slope of Phi rises on the way of a and b when a wins, and when b wins."""
    up_a, down_b = max((bits[UP_A, q] >> SHIFT) - first, 0), max((bits[DOWN_B, q] >> SHIFT) - first, 0)
    down_a, up_b = max((bits[DOWN_A, q] >> SHIFT) - first, 0), max((bits[UP_B, q] >> SHIFT) - first, 0)
    a, b = max((bits[A, q] >> SHIFT) - first, 0), max((bits[B, q] >> SHIFT) - first, 0)
    a_wins = (nodes[a, 1] - nodes[up_a, 1]) + (nodes[down_b, 1] - nodes[b, 1])
    return a_wins, (nodes[down_a, 1] - nodes[a, 1]) + (nodes[b, 1] - nodes[up_b, 1])


@njit(cache=True, forceinline=True, **FAST)
def _largest(v: float, gain: float, risen: float) -> float:  # pragma: no cover
    """The largest u gain + u (1 - u) risen of all u up to v, for a gain that is not negative."""
    if gain >= risen * (2.0 * v - 1.0):
        return v * gain + v * (1.0 - v) * risen
    return (gain + risen) * (gain + risen) / (4.0 * risen)


@njit(cache=True, forceinline=True, **FAST)
def _weaker_bound(
    q: int, bound: float, share: float, a_wins: float, b_wins: float, work: FloatArray
) -> float:  # pragma: no cover
    """From the bound of w, less ALWAYS, to that of all weaker workers up to a share of w."""
    height = work[HEIGHT, q]
    steep = _largest(share, bound, height * a_wins + work[STEP, q] / 2.0 * b_wins)
    return min(steep, _largest(share, bound + height * b_wins, height * a_wins))


@njit(cache=True, **FAST)
def _weaken(
    count: int,
    weaker: Weaker,
    nodes: FloatArray,
    first: int,
    bump: float,
    work: FloatArray,
    bits: IntArray,
    out: FloatArray,
) -> None:  # pragma: no cover
    """From the bounds of w to those of all weaker workers, per cost."""
    for q in range(count):
        a_wins, b_wins = rises(q, nodes, first, bits)
        above = max(out[q] - work[ALWAYS, q], 0.0)
        most = weaker.cheap * _weaker_bound(q, above, weaker.share, a_wins, b_wins, work)
        risen = work[HEIGHT, q] * a_wins + min(work[STEP, q] / 2.0, work[HEIGHT, q]) * b_wins
        out[q] = min(most, weaker.per_cost * (above + risen)) + weaker.cheap * (work[ALWAYS, q] + bump)


@njit(cache=True)
def corner(tile: int) -> tuple[int, int]:  # pragma: no cover
    """The first row and column of a tile."""
    row = int((np.sqrt(8.0 * tile + 1.0) - 1.0) / 2.0)  # exact: below 2^50
    return row * TILE, (tile - row * (row + 1) // 2) * TILE


@njit(cache=True)
def _tile(
    tile: int, w: float, groups: Groups, weaker: Weaker, screen: Screen, enough: float, reached: IntArray
) -> tuple[float, int, int]:  # pragma: no cover
    """The largest bound of a tile and its pair; the number of bounds of at least `enough`.

    These pairs, as row * TILE + column, are written to `reached` as far as there is room.
    """
    work = np.empty((ROWS, TILE))
    bits, phis, falls, out = work.view(np.int64), np.empty(TILE), np.empty(TILE), np.empty(TILE)
    alpha, phi, fall, several, free = groups.alpha, groups.phi, groups.fall, groups.several, groups.free
    nodes, rates = screen.nodes, screen.rates
    row, column = corner(tile)
    best, place, count = -np.inf, 0, 0
    for first in range(row, min(row + TILE, alpha.size)):
        width = min(TILE, first + 1 - column)
        for q in range(width):
            work[A, q], work[B, q] = alpha[first], alpha[column + q]
            phis[q], falls[q] = phi[first] + phi[column + q], fall[first] + fall[column + q]
        bounds(width, phis, falls, w, nodes, screen.first, rates, work, bits, out)
        if weaker.share >= 0.0:
            _weaken(width, weaker, nodes, screen.first, screen.bump, work, bits, out)
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
    work = np.empty((ROWS, 1))
    bits, phis, falls, bound = work.view(np.int64), np.empty(1), np.empty(1), np.empty(1)
    alpha, phi, fall, several, free = groups.alpha, groups.phi, groups.fall, groups.several, groups.free
    nodes, rates = screen.nodes, screen.rates
    for q in range(first.size):
        i, j = first[q], second[q]
        if not (free[i] or free[j]) or (i == j and not several[i]):
            out[q] = -np.inf
            continue
        work[A, 0], work[B, 0], phis[0], falls[0] = alpha[i], alpha[j], phi[i] + phi[j], fall[i] + fall[j]
        bounds(1, phis, falls, w[q], nodes, screen.first, rates, work, bits, bound)
        if weaker.share >= 0.0:
            _weaken(1, weaker, nodes, screen.first, screen.bump, work, bits, bound)
        out[q] = bound[0]


@njit(cache=True, error_model="numpy")
def worth_a_look(
    first: IntArray,
    second: IntArray,
    w: float,
    shares: FloatArray,
    costs: FloatArray,
    enough: float,
    groups: Groups,
    screen: Screen,
    rows: IntArray,
    kinds: IntArray,
) -> int:  # pragma: no cover
    """The pairs and the kinds of weaker workers (shares of w, in descending order) whose bound per cost is `enough`.

    Written to `rows` and `kinds` as far as there is room; the number of them.
    """
    work = np.empty((ROWS, 1))
    bits, phis, falls, bound = work.view(np.int64), np.empty(1), np.empty(1), np.empty(1)
    alpha, phi, fall, nodes, rates = groups.alpha, groups.phi, groups.fall, screen.nodes, screen.rates
    cheapest, count = np.empty(shares.size), 0  # of each kind and all after it
    for kind in range(shares.size - 1, -1, -1):
        cheapest[kind] = costs[kind] if kind == shares.size - 1 else min(costs[kind], cheapest[kind + 1])
    for q in range(first.size):
        i, j = first[q], second[q]
        work[A, 0], work[B, 0], phis[0], falls[0] = alpha[i], alpha[j], phi[i] + phi[j], fall[i] + fall[j]
        bounds(1, phis, falls, w, nodes, screen.first, rates, work, bits, bound)
        a_wins, b_wins = rises(0, nodes, screen.first, bits)
        far, height, always = work[STEP, 0], work[HEIGHT, 0], work[ALWAYS, 0]
        above = max(bound[0] - always, 0.0)
        for kind in range(shares.size):
            work[STEP, 0], work[HEIGHT, 0] = far, height
            most = _weaker_bound(0, above, shares[kind], a_wins, b_wins, work) + always + screen.bump
            if most < enough * cheapest[kind]:
                break
            bounds(1, phis, falls, shares[kind] * w, nodes, screen.first, rates, work, bits, bound)
            if not bound[0] < enough * costs[kind]:
                if count < rows.size:
                    rows[count], kinds[count] = q, kind
                count += 1
    return count
