"""One belief, made ready to score questions about it."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from nextpair.core.arrays import BoolArray, FloatArray, IntArray
from nextpair.core.kernels.gain import all_gains, all_gains_in_parallel, as_square, band_of, some_gains, sum_of_tails
from nextpair.core.kernels.grid import grid_up_to, no_grid
from nextpair.core.kernels.sums import ALPHA, WIDEST, Sums, tabulate, without_tables

MANY = 300  # from so many items on, starting threads pays
FEW = 12  # up to so many items direct sums are faster than tables
SAMPLED = 48  # items from which the band of s is found
MARGIN = 0.1  # by which it is widened; a pair outside is still scored right, by direct sums


class Scorer:
    """The expected gain of questions under one belief: call `prepare` first, then ask for scores."""

    def __init__(self, alpha: FloatArray) -> None:
        order = np.argsort(alpha, kind="stable")
        self._position = np.empty_like(order)
        self._position[order] = np.arange(order.size)
        self._unit = 2.0 / (order.size * (order.size - 1))
        self._grid, self._sums = no_grid(), without_tables(order, alpha[order])

    def prepare(self, reliabilities: Iterable[float]) -> None:
        """Make the tables that serve workers of these mean reliabilities, and those between."""
        order, ordered = self._sums.order, self._sums.items[:, ALPHA]
        grid = grid_up_to(ordered[-1] + 4.0) if order.size > FEW else None
        if grid is not None:
            self._grid = grid
            self._sums = tabulate(order, ordered, _band(self._sums, reliabilities), grid)

    def certainties(self) -> float:
        """The sum over pairs of the probability of the likelier order."""
        order, ordered = self._sums.order, np.ascontiguousarray(self._sums.items[:, ALPHA])
        n = order.size
        grid = grid_up_to(ordered[-1] + 4.0) if n > FEW else None
        lost = (
            sum_of_tails(ordered)
            if grid is None
            else float(tabulate(order, ordered, (1 - 1e-9, 1 + 1e-9), grid).band[2])
        )
        return n * (n - 1) / 2 - lost

    def all(self, p: float) -> FloatArray:
        """The score of every pair of positions i > j, at i (i - 1) / 2 + j: items in ascending order of alpha."""
        n = self._position.size
        scores = np.empty(n * (n - 1) // 2)
        kernel = all_gains if n < MANY else all_gains_in_parallel
        kernel(p, self._sums, self._grid, self._unit, scores)
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
        i = larger_position(pairs)
        some_gains(i, pairs - i * (i - 1) // 2, p, self._sums, self._grid, self._unit, gains)
        return gains

    def items_of(self, pair: int) -> tuple[int, int]:
        """The two items of a pair numbered as in `all`, the smaller index first."""
        larger = int(larger_position(np.array([pair]))[0])
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

    def alike(self, pairs: IntArray) -> IntArray:
        """A number for each pair, the same for pairs of items with the same two alphas."""
        kind = np.cumsum(np.diff(self._sums.items[:, ALPHA], prepend=-1.0) > 0)
        i = larger_position(pairs)
        numbers: IntArray = kind[i] * (kind.size + 1) + kind[pairs - i * (i - 1) // 2]
        return numbers


def larger_position(pairs: IntArray) -> IntArray:
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


def warm_up() -> None:
    """Load the compiled code and fill the table of tails, so that the first question does not wait for them.

    Some seconds at the very first time, well below one second after that. Safe to run in a thread.
    """
    alpha = np.linspace(0.5, 3.0, FEW + 2)
    scorer = Scorer(alpha)
    scorer.prepare([1.0])
    scorer.square(1.0)
    scorer.some(np.arange(2), np.ones(2))
