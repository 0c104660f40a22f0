"""One belief, made ready to score questions about it."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from nextpair.core.arrays import FloatArray, IntArray
from nextpair.core.kernels.gain import all_gains, band_of, some_gains
from nextpair.core.kernels.grid import grid_up_to, no_grid
from nextpair.core.kernels.sums import WIDEST, tabulate, totals_of, without_tables

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
        self._pairs = order.size * (order.size - 1) / 2
        grid = grid_up_to(2.0 * ordered[-1] + 3.0) if order.size > FEW else None
        if grid is None:
            self._grid, self._sums = no_grid(), without_tables(order, ordered)
            self._now = 0.0
        else:
            self._grid = grid
            self._sums = tabulate(order, ordered, _band(ordered, reliabilities), grid)
            at_one = (1 - self._sums.middle) / self._sums.half
            self._now = float(np.polynomial.chebyshev.chebval(at_one, self._sums.whole))

    def all(self, p: float) -> FloatArray:
        """The score of every pair: a symmetric array with nan on the diagonal."""
        scores = np.full((self._position.size, self._position.size), np.nan)
        all_gains(p, self._sums, self._grid, self._now, scores)
        scores /= self._pairs
        return scores

    def some(self, i: IntArray, j: IntArray, p: FloatArray) -> FloatArray:
        """The score of each question about the items i[q] and j[q] to a worker of mean reliability p[q]."""
        gains = np.empty(i.size)
        some_gains(self._position[i], self._position[j], p, self._sums, self._grid, self._now, gains)
        return gains / self._pairs


def _band(ordered: FloatArray, reliabilities: Iterable[float]) -> tuple[float, float]:
    """A band of s that holds nearly every pair, from a sample of items with the extremes in it."""
    n = ordered.size
    some = np.unique(np.concatenate([np.linspace(0, n - 1, SAMPLED).astype(np.int64), np.arange(max(0, n - 4), n)]))
    sums = totals_of(ordered)
    bands = [band_of(p, ordered, some, *sums) for p in {float(p) for p in reliabilities}]
    low, high = min(low for low, _ in bands), max(high for _, high in bands)
    widened = MARGIN * (high - low) + 1e-12
    return max(low - widened, 1 - WIDEST), min(high + widened, 1 + WIDEST)
