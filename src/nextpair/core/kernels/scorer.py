"""One belief, made ready to score questions about it."""

from __future__ import annotations

import numpy as np

from nextpair.core.arrays import BoolArray, FloatArray, IntArray
from nextpair.core.groups import Groups
from nextpair.core.kernels import gains, tiles
from nextpair.core.kernels.gain import band_of
from nextpair.core.kernels.grid import Grid, grid_up_to, no_grid
from nextpair.core.kernels.screen import fall_of, no_screen, reach_of_s, screen_of, values_at_items
from nextpair.core.kernels.sums import ALPHA, WIDEST, Sums, tabulate, without_tables
from nextpair.core.kernels.tail import sum_of_tails
from nextpair.core.kernels.tiles import TILE, Weaker

MANY = 300  # from so many items on, starting threads pays
MANY_PAIRS = 20_000  # and from so many pairs
MANY_TILES = 32  # and from so many tiles
FEW = 10  # up to so many items direct sums are as fast as tables, and more accurate still
REACH = 0.4  # of the relative width of a panel, by which s may move an alpha
NARROW = 0.6  # of that: a band that all tables serve well
SAMPLED = 48  # items from which a wider band is found
MARGIN = 0.1  # by which that one is widened
ALONE = Weaker(-1.0, 0.0, 1.0)  # no weaker workers


class Scorer:
    """The expected gain of questions under one belief, and bounds of it. Pairs are pairs of groups first >= second."""

    def __init__(self, alpha: FloatArray, needy: BoolArray | None = None) -> None:
        self.groups = Groups.of_equals(alpha, needy)
        order = self.groups.order
        ordered = np.ascontiguousarray(alpha[order])
        self._unit = 2.0 / (order.size * (order.size - 1))
        self._grid, self._sums = _tables(order, ordered)
        self._screen = screen_of(self._sums) or no_screen()
        heads = self.groups.start
        phi = np.zeros(order.size) if self._sums.band[1] < 0 else values_at_items(self._sums)
        free = np.ones(heads.size, dtype=np.int64) if needy is None else needy[order[heads]].astype(np.int64)
        seen = np.maximum(ordered[heads], tiles.TINIEST)
        self._seen = tiles.Groups(seen, phi[heads], fall_of(seen), (self.groups.size > 1).astype(np.int64), free)

    def square(self, p: float) -> FloatArray:
        """The score of every pair of items: a symmetric array with nan on the diagonal."""
        n = self.groups.order.size
        if 2 * self.groups.start.size < n:  # one score for all pairs of two groups
            return self._square_of_groups(p)
        scores = np.empty(n * (n - 1) // 2)
        kernel = gains.all_gains if n < MANY else gains.all_gains_in_parallel
        kernel(p, self._sums, self._grid, self._unit, scores)
        out = np.empty((n, n))
        gains.as_square(scores, self.groups.order, out)
        return out

    def _square_of_groups(self, p: float) -> FloatArray:
        first, second = np.tril_indices(self.groups.start.size)
        real = (first != second) | (self.groups.size[first] > 1)
        first, second = first[real], second[real]
        table = np.full((self.groups.start.size,) * 2, np.nan)
        table[first, second] = table[second, first] = self.some(first, second, np.full(first.size, p))
        out = table[np.ix_(self.groups.of_item, self.groups.of_item)]
        np.fill_diagonal(out, np.nan)
        return out

    def some(self, first: IntArray, second: IntArray, p: FloatArray) -> FloatArray:
        """The score of asking each pair of a worker of mean reliability p."""
        first, second = np.maximum(first, second), np.minimum(first, second)
        last = self.groups.start[first] + self.groups.size[first] - 1
        other = np.where(first == second, last - 1, self.groups.start[second])
        scores = np.empty(first.size)
        if first.size < MANY_PAIRS:
            gains.some_gains(0, first.size, last, other, p, self._sums, self._grid, self._unit, scores)
        else:
            gains.many_gains(last, other, p, self._sums, self._grid, self._unit, scores)
        return scores

    def bounds(self, first: IntArray, second: IntArray, p: FloatArray, weaker: Weaker = ALONE) -> FloatArray:
        """At least the score of each pair; with `weaker`, at least the score per cost of all these weaker workers."""
        out = np.empty(first.size)
        tiles.pair_bounds(
            np.maximum(first, second), np.minimum(first, second), 2 * p - 1, self._seen, weaker, self._screen, out
        )
        return out * self._unit

    def tops(self, p: float, weaker: Weaker = ALONE) -> tuple[FloatArray, IntArray, IntArray]:
        """Of every tile of pairs the largest bound, and the pair that has it."""
        side = -(-self.groups.start.size // TILE)
        top = np.empty(side * (side + 1) // 2)
        at = np.empty(top.size, dtype=np.int64)
        kernel = tiles.tile_tops if self.groups.start.size < MANY else tiles.tile_tops_in_parallel
        kernel(2 * p - 1, self._seen, weaker, self._screen, top, at)
        first, second = _pairs_in(np.arange(top.size), at)
        return top * self._unit, first, second

    def reaching(self, which: IntArray, enough: float, p: float, weaker: Weaker = ALONE) -> tuple[IntArray, IntArray]:
        """The pairs in these tiles whose bound reaches `enough`."""
        reached = np.empty((which.size, TILE * TILE), dtype=np.int64)
        counts = np.empty(which.size, dtype=np.int64)
        kernel = tiles.open_tiles if which.size < MANY_TILES else tiles.open_tiles_in_parallel
        kernel(which, enough / self._unit, 2 * p - 1, self._seen, weaker, self._screen, reached, counts)
        return _pairs_in(np.repeat(which, counts), reached[np.arange(TILE * TILE) < counts[:, None]])

    def worth_a_look(
        self, first: IntArray, second: IntArray, enough: float, p: float, shares: FloatArray, costs: FloatArray
    ) -> tuple[IntArray, IntArray]:
        """(place in the list, kind) of the pairs and kinds of weaker workers whose bound per cost reaches `enough`.

        A kind has a share of the strength of the strongest, whose reliability is p; the shares descend.
        """
        first, second, size = np.maximum(first, second), np.minimum(first, second), 4 * first.size
        while True:
            rows, kinds = np.empty(size, dtype=np.int64), np.empty(size, dtype=np.int64)
            size = tiles.worth_a_look(
                first, second, 2 * p - 1, shares, costs, enough / self._unit, self._seen, self._screen, rows, kinds
            )
            if size <= rows.size:
                return rows[:size], kinds[:size]


def _pairs_in(which: IntArray, at: IntArray) -> tuple[IntArray, IntArray]:
    """The groups of places in tiles."""
    row = ((np.sqrt(8.0 * which + 1.0) - 1.0) / 2.0).astype(np.int64)  # exact: below 2^50
    return row * TILE + at // TILE, (which - row * (row + 1) // 2) * TILE + at % TILE


def _tables(order: IntArray, ordered: FloatArray) -> tuple[Grid, Sums]:
    """The tables of a belief, for the factors s that an answer can bring."""
    grid = grid_up_to(1.03 * ordered[-1] + 4.0) if order.size > FEW else None
    direct = without_tables(order, ordered)
    return (no_grid(), direct) if grid is None else (grid, tabulate(order, ordered, _band(direct, grid), grid))


def _band(sums: Sums, grid: Grid) -> tuple[float, float]:
    """Every s that there can be, where that is a narrow band; else one that holds nearly every pair, from a sample.

    s moves every alpha within its panel's polynomial, and the higher the panel, the narrower: that is how far a band
    may reach. Pairs outside are summed directly.
    """
    alpha = sums.items[:, ALPHA]
    panel = int(np.searchsorted(grid.edges, alpha[-1], side="right")) - 1
    reach = min(WIDEST, REACH * float(grid.edges[panel + 1] - grid.edges[panel]) / float(grid.centre[panel]))
    wide = reach_of_s(sums.totals, sums.spreads, alpha)[0] + 1e-9
    if wide < NARROW * reach:
        return 1 - wide / 2, 1 + wide
    n = alpha.size
    some = np.unique(np.concatenate([np.linspace(0, n - 1, SAMPLED).astype(np.int64), np.arange(n - 4, n)]))
    bands = [band_of(p, sums.items, some, sums.totals, sums.spreads) for p in (1.0, 0.75)]
    low, high = min(low for low, _ in bands), max(high for _, high in bands)
    widened = MARGIN * (high - low) + 1e-9
    return max(low - widened, 1 - reach), min(high + widened, 1 + reach)


def certainties(alpha: FloatArray) -> float:
    """The sum over pairs of the probability of the likelier order: h of the paper, not yet divided by their number."""
    ordered = np.sort(alpha)
    n = ordered.size
    grid = grid_up_to(1.03 * ordered[-1] + 4.0) if n > FEW else None
    if grid is None:
        lost = sum_of_tails(ordered)
    else:
        lost = float(tabulate(np.arange(n), ordered, (1 - 1e-9, 1 + 1e-9), grid).band[2])
    return n * (n - 1) / 2 - lost
