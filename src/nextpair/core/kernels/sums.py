"""What one belief needs so that the score of any pair costs the same whatever the number of items.

After an answer about (i, j) every other alpha is multiplied by one factor s in a narrow band around 1. With
F(x, s) = sum_k t(s x, s alpha_k), G(s) = sum over pairs of t(s alpha_k, s alpha_l), and a, b -> x, y for the pair,
the sum of tails after the answer is

    G(s) + F(x, s) - F(a, s) + F(y, s) - F(b, s) + six single tails.

F is smooth in x between the kinks at x = alpha_k and between the edges of the panels, and smooth in s: on each such
piece it is a Chebyshev polynomial in both, whose coefficients are sums of moments of the items in each panel.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from nextpair.core.arrays import FloatArray, IntArray
from nextpair.core.kernels.grid import Grid, N, chebyshev_fit

WIDEST = 0.02  # half the widest band of s that is tabulated; the few pairs outside are summed directly


# columns of Sums.items
ALPHA, HAT, WEIGHT, CENTRE, SCALE, ROW = 0, 1, 2, 3, 4, 5
# columns of Sums.frame
BREAK, PIECE_CENTRE, PIECE_SCALE = 0, 1, 2


class Sums(NamedTuple):
    """The tables of one belief, packed into few arrays because compiled code pays for each one that it is handed.

    Items are in ascending order of alpha; `hat` values are multiplied by the middle of the band of s.
    """

    order: IntArray
    items: FloatArray  # (item): alpha, hat, alpha_k (alpha_0 - alpha_k), its panel's centre and scale, F(alpha_k, s)
    panel: IntArray  # of each item
    frame: FloatArray  # (piece): where it begins, its panel's centre and scale; one row more for the end
    piece_panel: IntArray
    pieces: FloatArray  # (piece, s, x): coefficients of F, N a side, zero where s needs fewer
    whole: FloatArray  # (s): coefficients of G
    totals: FloatArray  # sums of alpha over all items, all but the largest, all but the two largest
    spreads: FloatArray  # the same of alpha_k (alpha_0 - alpha_k)
    band: FloatArray  # middle, half and G(1)


@njit(cache=True)
def chebyshev_values(x: float, out: FloatArray) -> None:  # pragma: no cover
    """out[n] = T_n(x)."""
    out[0] = 1.0
    out[1] = x
    for n in range(2, out.size):
        out[n] = 2.0 * x * out[n - 1] - out[n - 2]


@njit(cache=True)
def _moments(
    hat: FloatArray, panel: IntArray, factors: FloatArray, to_s: FloatArray, grid: Grid, out: FloatArray
) -> None:  # pragma: no cover
    """out[k] = the (s, x) coefficients of the moments T_n(zeta(s alpha_k)) of each item."""
    values = np.empty(N)
    for k in range(hat.size):
        centre, scale = grid.centre[panel[k]], grid.scale[panel[k]]
        out[k] = 0.0
        for node in range(factors.size):
            x = hat[k] * factors[node]
            chebyshev_values(scale * (x - centre) / (x + centre), values)
            for j in range(factors.size):
                for n in range(N):
                    out[k, j, n] += to_s[j, node] * values[n]


@njit(cache=True, fastmath={"reassoc", "contract"})
def _far(
    panels: IntArray, filled: IntArray, moments: FloatArray, grid: Grid, out: FloatArray
) -> None:  # pragma: no cover
    """out[p] = the coefficients of F on panels[p], from the items of all other panels."""
    for p in range(panels.size):
        here = panels[p]
        out[p] = 0.0
        for q in range(filled.size):
            there = filled[q]
            if there < here and there >= grid.lowest[here]:
                block = grid.blocks[grid.start[here] + here - there]
                for j in range(moments.shape[1]):
                    for m in range(N):
                        total = 0.0
                        for n in range(N):
                            total += block[m, n] * moments[q, j, n]
                        out[p, j, m] += total
            elif there > here and here >= grid.lowest[there]:
                block = grid.blocks[grid.start[there] + there - here]
                for j in range(moments.shape[1]):
                    for m in range(N):
                        for n in range(N):
                            out[p, j, n] += block[m, n] * moments[q, j, m]


@njit(cache=True, fastmath={"reassoc", "contract"})
def _near(
    first: IntArray,
    count: IntArray,
    first_piece: IntArray,
    panels: IntArray,
    moments: FloatArray,
    far: FloatArray,
    grid: Grid,
    pieces: FloatArray,
) -> None:  # pragma: no cover
    """pieces = far + what the items of the panel itself add: I_1/2 of those below x, 1 - I_1/2 of those above."""
    for p in range(panels.size):
        block = grid.blocks[grid.start[panels[p]]]
        n_s = moments.shape[1]
        signed = np.zeros((n_s, N))  # moments of those below less those above
        for k in range(first[p], first[p] + count[p]):
            signed -= moments[k]
        for inside in range(count[p] + 1):
            piece = first_piece[p] + inside
            if inside > 0:
                signed += 2.0 * moments[first[p] + inside - 1]
            for j in range(n_s):
                for m in range(N):
                    total = far[p, j, m]
                    for n in range(N):
                        total += block[m, n] * signed[j, n]
                    pieces[piece, j, m] = total
            pieces[piece, 0, 0] += count[p] - inside


@njit(cache=True)
def _rows(
    hat: FloatArray,
    panel: IntArray,
    piece: IntArray,
    pieces: FloatArray,
    factors: FloatArray,
    nodes: FloatArray,
    to_s: FloatArray,
    grid: Grid,
    rows: FloatArray,
) -> None:  # pragma: no cover
    """rows[k] = the coefficients in s of F(alpha_k, s)."""
    n_s = factors.size
    for k in range(hat.size):
        in_x, in_s, values = np.empty(N), np.empty(n_s), np.empty(n_s)
        centre, scale = grid.centre[panel[k]], grid.scale[panel[k]]
        for node in range(n_s):
            x = hat[k] * factors[node]
            chebyshev_values(scale * (x - centre) / (x + centre), in_x)
            chebyshev_values(nodes[node], in_s)
            total = 0.0
            for j in range(n_s):
                for n in range(N):
                    total += in_s[j] * in_x[n] * pieces[piece[k], j, n]
            values[node] = total
        for j in range(n_s):
            rows[k, j] = 0.0
            for node in range(n_s):
                rows[k, j] += to_s[j, node] * values[node]


def without_tables(order: IntArray, ordered: FloatArray) -> Sums:
    """No tables: a band of s that nothing lies in sends every pair to the direct sum."""
    totals, spreads, weights = totals_of(ordered)
    items = np.zeros((ordered.size, ROW))
    items[:, ALPHA], items[:, WEIGHT] = ordered, weights
    none = np.empty(0, dtype=np.int64)
    band = np.array([1.0, -1.0, 0.0])
    return Sums(order, items, none, np.empty((1, 3)), none, np.empty((0, 0, N)), np.empty(0), totals, spreads, band)


def tabulate(order: IntArray, ordered: FloatArray, band: tuple[float, float], grid: Grid) -> Sums:
    """The tables of a belief with `ordered` alpha, for factors s within `band`."""
    middle, half = (band[0] + band[1]) / 2, (band[1] - band[0]) / 2
    n_s = min(N, max(2, int(np.ceil(np.log(1e-16) / np.log(half / 2)))))
    nodes, to_s = chebyshev_fit(n_s)
    factors = 1 + nodes * half / middle
    hat = ordered * middle
    panel = np.searchsorted(grid.edges, hat, side="right") - 1
    moments = np.empty((hat.size, n_s, N))
    _moments(hat, panel, factors, to_s, grid, moments)
    layout = _lay_out(ordered, hat, panel, grid)
    filled, starts = np.unique(panel, return_index=True)
    far = np.empty((layout.panels.size, n_s, N))
    _far(layout.panels, filled, np.add.reduceat(moments, starts, axis=0), grid, far)
    pieces = np.zeros((layout.piece_panel.size, N, N))
    _near(layout.first, layout.held, layout.first_piece, layout.panels, moments, far, grid, pieces)
    totals, spreads, weights = totals_of(ordered)
    items = np.zeros((hat.size, ROW + N))
    items[:, ALPHA], items[:, HAT], items[:, WEIGHT] = ordered, hat, weights
    items[:, CENTRE], items[:, SCALE] = grid.centre[panel], grid.scale[panel]
    _rows(hat, panel, layout.of_item, pieces, factors, nodes, to_s, grid, items[:, ROW : ROW + n_s])
    whole = items[:, ROW:].sum(axis=0) / 2
    whole[0] -= hat.size / 4  # each F(alpha_k, s) holds the tail 1/2 of the item with itself
    now = np.polynomial.chebyshev.chebval((1 - middle) / half, whole)
    return Sums(
        order, items, panel, layout.frame, layout.piece_panel, pieces, whole, totals, spreads,
        np.array([middle, half, now]),
    )  # fmt: skip


class _Layout(NamedTuple):
    frame: FloatArray
    piece_panel: IntArray
    panels: IntArray
    first: IntArray  # item of each panel
    held: IntArray  # number of items in each panel
    first_piece: IntArray  # of each panel
    of_item: IntArray  # the piece that begins at each item


def _lay_out(ordered: FloatArray, hat: FloatArray, panel: IntArray, grid: Grid) -> _Layout:
    """Pieces: the panels that x can fall into, cut at every item."""
    smallest = ordered[0] + ordered[1]
    low = max(hat[0] * smallest / (1 + smallest) / 2, hat[0] * 2.0**-58, grid.edges[0])
    bottom = int(np.searchsorted(grid.edges, low, side="right")) - 1
    top = int(np.searchsorted(grid.edges, 1.02 * hat[-1] + 1.3, side="right"))
    panels = np.arange(bottom, top)
    first = np.searchsorted(panel, panels)
    count = np.searchsorted(panel, panels, side="right") - first
    first_piece = np.arange(panels.size) + first
    piece_panel = np.repeat(panels, count + 1)
    of_item = np.arange(hat.size) + panel - bottom + 1
    frame = np.full((piece_panel.size + 1, 3), np.inf)
    frame[first_piece, BREAK] = grid.edges[panels]
    frame[of_item, BREAK] = hat
    frame[:-1, PIECE_CENTRE], frame[:-1, PIECE_SCALE] = grid.centre[piece_panel], grid.scale[piece_panel]
    return _Layout(frame, piece_panel, panels, first, count, first_piece, of_item)


def totals_of(ordered: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """(totals, spreads, weights) of `Sums`."""
    rest = np.array([ordered.sum(), ordered[:-1].sum(), ordered[:-2].sum()])
    weights = ordered * (rest[0] - ordered)
    weights[-1] = ordered[-1] * rest[1]
    return rest, np.array([weights.sum(), weights[:-1].sum(), weights[:-2].sum()]), weights
