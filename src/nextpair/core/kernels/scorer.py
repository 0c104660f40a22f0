"""One belief, made ready to score questions about it."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from nextpair.core.arrays import FloatArray, IntArray
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

    def some(self, i: IntArray, j: IntArray, p: FloatArray) -> FloatArray:
        """The score of each question about the items i[q] and j[q] to a worker of mean reliability p[q]."""
        gains = np.empty(i.size)
        some_gains(self._position[i], self._position[j], p, self._sums, self._grid, self._unit, gains)
        return gains


def _band(sums: Sums, reliabilities: Iterable[float]) -> tuple[float, float]:
    """A band of s that holds nearly every pair, from a sample of items with the extremes in it."""
    n = sums.order.size
    some = np.unique(np.concatenate([np.linspace(0, n - 1, SAMPLED).astype(np.int64), np.arange(n - 4, n)]))
    bands = [band_of(p, sums.items, some, sums.totals, sums.spreads) for p in {float(p) for p in reliabilities}]
    low, high = min(low for low, _ in bands), max(high for _, high in bands)
    widened = MARGIN * (high - low) + 1e-9
    return max(low - widened, 1 - WIDEST), min(high + widened, 1 + WIDEST)
