"""One belief, made ready to score questions about it."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from nextpair.core.arrays import BoolArray, FloatArray, IntArray
from nextpair.core.kernels.gain import all_gains, as_square, band_of, some_gains
from nextpair.core.kernels.grid import grid_up_to, no_grid
from nextpair.core.kernels.sums import WIDEST, Sums, tabulate, without_tables

FEW = 12  # up to so many items direct sums are faster than tables
SAMPLED = 48  # items from which the band of s is found
MARGIN = 0.1  # by which it is widened; a pair outside is still scored right, by direct sums


class Scorer:
    """The expected gain of questions under one belief, for workers of the given mean reliabilities."""

    def __init__(self, alpha: FloatArray, reliabilities: Iterable[float]) -> None:
        order = np.argsort(alpha, kind="stable")
        ordered = alpha[order]
        self._position = np.empty_like(order)
        self._position[order] = np.arange(order.size)
        self._unit = 2.0 / (order.size * (order.size - 1))
        plain = without_tables(order, ordered)
        grid = grid_up_to(2.0 * ordered[-1] + 3.0) if order.size > FEW else None
        self._grid = no_grid() if grid is None else grid
        self._sums = plain if grid is None else tabulate(order, ordered, _band(plain, reliabilities), grid)

    def all(self, p: float) -> FloatArray:
        """The score of every pair of positions i > j, at i (i - 1) / 2 + j: items in ascending order of alpha."""
        n = self._position.size
        scores = np.empty(n * (n - 1) // 2)
        all_gains(p, self._sums, self._grid, self._unit, scores)
        return scores

    def square(self, p: float) -> FloatArray:
        """The score of every pair of items: a symmetric array with nan on the diagonal."""
        n = self._position.size
        scores = np.empty((n, n))
        as_square(self.all(p), self._sums.order, scores)
        return scores

    def some(self, pairs: IntArray, p: FloatArray) -> FloatArray:
        """The score of asking each pair (numbered as in `all`) of a worker of mean reliability p."""
        gains = np.empty(pairs.size)
        i = _larger_position(pairs)
        some_gains(i, pairs - i * (i - 1) // 2, p, self._sums, self._grid, self._unit, gains)
        return gains

    def items_of(self, pair: int) -> tuple[int, int]:
        """The two items of a pair numbered as in `all`, the smaller index first."""
        larger = int(_larger_position(np.array([pair]))[0])
        i, j = int(self._sums.order[larger]), int(self._sums.order[pair - larger * (larger - 1) // 2])
        return (i, j) if i < j else (j, i)

    def pair_of(self, i: IntArray, j: IntArray) -> IntArray:
        """The numbers of pairs of items."""
        larger, smaller = (
            np.maximum(self._position[i], self._position[j]),
            np.minimum(self._position[i], self._position[j]),
        )
        return larger * (larger - 1) // 2 + smaller

    def in_order(self, of_items: BoolArray) -> BoolArray:
        """What is known of each item, in the order of positions."""
        return of_items[self._sums.order]


def _larger_position(pairs: IntArray) -> IntArray:
    """i of i (i - 1) / 2 + j; the square root is exact enough below 2^50."""
    return ((1 + np.sqrt(1 + 8 * pairs.astype(np.float64))) / 2).astype(np.int64)


def _band(sums: Sums, reliabilities: Iterable[float]) -> tuple[float, float]:
    """A band of s that holds nearly every pair, from a sample of items with the extremes in it."""
    n = sums.order.size
    some = np.unique(np.concatenate([np.linspace(0, n - 1, SAMPLED).astype(np.int64), np.arange(n - 4, n)]))
    bands = [band_of(p, sums.items, some, sums.totals, sums.spreads) for p in {float(p) for p in reliabilities}]
    low, high = min(low for low, _ in bands), max(high for _, high in bands)
    widened = MARGIN * (high - low) + 1e-9
    return max(low - widened, 1 - WIDEST), min(high + widened, 1 + WIDEST)
