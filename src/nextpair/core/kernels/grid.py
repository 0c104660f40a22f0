"""The tail tabulated once and for all: panels over alpha, and on each pair of panels a Chebyshev polynomial.

Between any two panels P and Q (P the higher one) t(x, y) is smooth, and
t(x, y) = sum_mn C[P, Q][m, n] T_m(xi) T_n(zeta), where xi and zeta run from -1 to 1 over the panels. On one and the
same panel C belongs to I_1/2(x, y), which is smooth where t has its kink. The table belongs to no belief; it is filled
when first needed, in some 0.1 s, and grows when a larger alpha turns up.
"""

import math
import threading
from typing import NamedTuple

import numpy as np
from numba import njit, prange

from nextpair.core.arrays import FloatArray, IntArray
from nextpair.core.kernels.tail import tail

N = 8  # coefficients a side
FIRST_OCTAVE = -520  # 2^-520 is the lowest edge: nothing smaller is told apart
TINY_OCTAVE = -24  # below 2^-24 t is y / (x + y), which depends on the ratio only: one octave's blocks serve all
NEGLIGIBLE = 1e-17
FIRST_TOP = 7  # the table first reaches up to 2^7
LAST_TOP = 15  # and grows up to 2^15; beyond, scores are summed directly


class Grid(NamedTuple):
    """Panels (edges, centre and scale of the coordinate) and blocks of coefficients.

    Panel P meets the panels lowest[P] ... P; the block with Q is blocks[start[P] + P - Q].
    """

    edges: FloatArray
    centre: FloatArray
    scale: FloatArray
    lowest: IntArray
    start: IntArray
    reach: IntArray  # (panel): lowest and start side by side
    blocks: FloatArray


def _edges(top: int) -> FloatArray:
    """Panels of about a quarter of the width on which t varies: a ratio below 1, the square root above."""
    rows = []
    for octave in range(FIRST_OCTAVE, top):
        parts = 4 if octave < -2 else 8 if octave < 3 else 2 ** ((octave - 1) // 2 + 3)
        rows.append(math.ldexp(1.0, octave) * (1 + np.arange(parts) / parts))
    return np.append(np.concatenate(rows), math.ldexp(1.0, top))


@njit(cache=True)
def _lowest_partner(panel: int, edges: FloatArray) -> int:  # pragma: no cover
    """The lowest panel Q at which t is not negligible. t falls with the distance: bisect."""
    low, high = 0, panel
    while low < high:
        middle = (low + high) // 2
        if tail(edges[panel], edges[middle + 1]) > NEGLIGIBLE:
            high = middle
        else:
            low = middle + 1
    return low


@njit(cache=True)
def _partners(edges: FloatArray, lowest: IntArray) -> None:  # pragma: no cover
    for panel in range(lowest.size):
        lowest[panel] = _lowest_partner(panel, edges)


@njit(cache=True, parallel=True)
def _fill(
    first: IntArray, second: IntArray, points: FloatArray, to_coefficients: FloatArray, blocks: FloatArray
) -> None:  # pragma: no cover
    """blocks[b] from values of I_1/2 at the Chebyshev points of the panels first[b] >= second[b]."""
    for b in prange(first.size):
        values = np.empty((N, N))
        for m in range(N):
            for n in range(N):
                x, y = points[first[b], m], points[second[b], n]
                values[m, n] = tail(x, y) if x >= y else 1.0 - tail(x, y)
        half = np.empty((N, N))
        for m in range(N):
            for n in range(N):
                total = 0.0
                for k in range(N):
                    total += to_coefficients[m, k] * values[k, n]
                half[m, n] = total
        for m in range(N):
            for n in range(N):
                total = 0.0
                for k in range(N):
                    total += half[m, k] * to_coefficients[n, k]
                blocks[b, m, n] = total


def chebyshev_fit(n: int) -> tuple[FloatArray, FloatArray]:
    """(points in [-1, 1], the matrix that turns values there into Chebyshev coefficients)."""
    angles = (2 * np.arange(n) + 1) * np.pi / (2 * n)
    matrix = 2 / n * np.cos(np.arange(n)[:, None] * angles[None, :])
    matrix[0] /= 2
    return np.cos(angles), matrix


def _build(top: int) -> Grid:
    edges = _edges(top)
    centre = np.sqrt(edges[:-1] * edges[1:])
    scale = (edges[1:] + centre) / (edges[1:] - centre)  # xi = scale (x - centre) / (x + centre), a smooth log
    n_panels, tiny = centre.size, int(np.searchsorted(edges, math.ldexp(1.0, TINY_OCTAVE)))
    lowest = np.empty(n_panels, dtype=np.int64)
    _partners(edges, lowest)
    counts = np.arange(n_panels) - lowest + 1
    shared = np.arange(tiny - 4)  # below the last tiny octave panels share its blocks
    counts[shared] = 0
    start = np.concatenate([[0], np.cumsum(counts)[:-1]])
    start[shared] = start[tiny - 4 + shared % 4]
    first = np.repeat(np.arange(n_panels), counts)
    second = first - (np.arange(first.size) - start[first])
    nodes, to_coefficients = chebyshev_fit(N)
    ratio = nodes[None, :] / scale[:, None]
    points = centre[:, None] * (1 + ratio) / (1 - ratio)
    blocks = np.empty((first.size, N, N))
    _fill(first, second, points, to_coefficients, blocks)
    return Grid(edges, centre, scale, lowest, start, np.stack([lowest, start], axis=1), blocks)


_lock = threading.Lock()
_current: list[Grid] = []


def grid_up_to(largest: float) -> Grid | None:
    """The table with panels at least up to `largest`; None where that is beyond what is tabulated."""
    top = max(FIRST_TOP, math.frexp(largest)[1])
    if top > LAST_TOP:
        return None
    with _lock:
        if not _current or _current[0].edges[-1] < math.ldexp(1.0, top):
            _current[:] = [_build(top)]
        return _current[0]


def no_grid() -> Grid:
    """A table of nothing, for beliefs that are summed directly."""
    none, no_index = np.empty(0), np.empty(0, dtype=np.int64)
    return Grid(none, none, none, no_index, no_index, np.empty((0, 2), dtype=np.int64), np.empty((0, N, N)))
