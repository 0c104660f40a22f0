"""The expected gains of many questions, all pairs or a list of them: one after the other, or on all processors."""

import numpy as np
from numba import njit, prange

from nextpair.core.arrays import FloatArray, IntArray
from nextpair.core.kernels.gain import pair_gain
from nextpair.core.kernels.grid import Grid, N
from nextpair.core.kernels.sums import Sums

TOGETHER = 8  # rows scored together
PART = 1024  # pairs of a list that one processor scores at a time


@njit(cache=True)
def _gains_of_rows(
    low: int, high: int, p: float, sums: Sums, grid: Grid, unit: float, out: FloatArray
) -> None:  # pragma: no cover
    """Neighbouring rows together: they use the same blocks, which then stay in the processor's cache."""
    items, panel, frame, piece_panel = sums.items, sums.panel, sums.frame, sums.piece_panel
    pieces, whole, totals, spreads, band = sums.pieces, sums.whole, sums.totals, sums.spreads, sums.band
    reach, blocks = grid.reach, grid.blocks
    basis = np.empty((5, N))
    hints = np.full(4 * (high - low), frame.shape[0] // 2)
    for j in range(high - 1):
        for i in range(max(low, j + 1), high):
            out[i * (i - 1) // 2 + j] = unit * pair_gain(
                i, j, p, items, panel, frame, piece_panel, pieces, whole, totals, spreads, band, reach, blocks, hints,
                4 * (i - low), basis,
            )  # fmt: skip


@njit(cache=True)
def all_gains(p: float, sums: Sums, grid: Grid, unit: float, out: FloatArray) -> None:  # pragma: no cover
    """out[i (i - 1) / 2 + j] = the gain of the positions i > j, in that unit."""
    n = sums.items.shape[0]
    for low in range(0, n, TOGETHER):
        _gains_of_rows(low, min(low + TOGETHER, n), p, sums, grid, unit, out)


@njit(cache=True, parallel=True)
def all_gains_in_parallel(p: float, sums: Sums, grid: Grid, unit: float, out: FloatArray) -> None:  # pragma: no cover
    """The same on all processors: worth it for many items only."""
    n = sums.items.shape[0]
    for group in prange((n + TOGETHER - 1) // TOGETHER):
        high = n - TOGETHER * group
        _gains_of_rows(max(high - TOGETHER, 0), high, p, sums, grid, unit, out)


@njit(cache=True)
def some_gains(
    low: int,
    high: int,
    first: IntArray,
    second: IntArray,
    p: FloatArray,
    sums: Sums,
    grid: Grid,
    unit: float,
    out: FloatArray,
) -> None:  # pragma: no cover
    """out[q] = the gain of asking the positions first[q] > second[q] of a worker of mean reliability p[q]."""
    items, panel, frame, piece_panel = sums.items, sums.panel, sums.frame, sums.piece_panel
    pieces, whole, totals, spreads, band = sums.pieces, sums.whole, sums.totals, sums.spreads, sums.band
    reach, blocks = grid.reach, grid.blocks
    basis = np.empty((5, N))
    hints = np.full(4, frame.shape[0] // 2)
    for q in range(low, high):
        out[q] = unit * pair_gain(
            first[q], second[q], p[q], items, panel, frame, piece_panel, pieces, whole, totals, spreads, band, reach,
            blocks, hints, 0, basis,
        )  # fmt: skip


@njit(cache=True, parallel=True)
def many_gains(
    first: IntArray, second: IntArray, p: FloatArray, sums: Sums, grid: Grid, unit: float, out: FloatArray
) -> None:  # pragma: no cover
    """The same on all processors."""
    for part in prange((first.size + PART - 1) // PART):
        some_gains(part * PART, min(part * PART + PART, first.size), first, second, p, sums, grid, unit, out)


@njit(cache=True)
def as_square(condensed: FloatArray, order: IntArray, out: FloatArray) -> None:  # pragma: no cover
    """The output of `all_gains` as a symmetric array over items, nan on the diagonal."""
    for i in range(order.size):
        out[order[i], order[i]] = np.nan
        for j in range(i):
            out[order[i], order[j]] = out[order[j], order[i]] = condensed[i * (i - 1) // 2 + j]
