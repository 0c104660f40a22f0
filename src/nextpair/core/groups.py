"""Items that are alike for a score: one score serves every pair of the same two groups."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from nextpair.core.arrays import BoolArray, FloatArray, IntArray
from nextpair.core.candidates import Pair, as_pair


@dataclass(frozen=True)
class Groups:
    """Group g holds the items order[start[g] : start[g] + size[g]]. A pair of groups stands for all pairs of items."""

    order: IntArray
    start: IntArray
    size: IntArray
    of_item: IntArray

    @classmethod
    def of_equals(cls, alpha: FloatArray, mark: BoolArray | None = None) -> Self:
        """Items of the same alpha (and mark), in ascending order of alpha."""
        order = np.argsort(alpha, kind="stable") if mark is None else np.lexsort((mark, alpha))
        new = np.ones(alpha.size, dtype=np.bool_)
        new[1:] = np.diff(alpha[order]) > 0
        if mark is not None:
            new[1:] |= mark[order[1:]] != mark[order[:-1]]
        start = np.flatnonzero(new)
        of_item = np.empty(alpha.size, dtype=np.int64)
        of_item[order] = np.cumsum(new) - 1
        return cls(order, start, np.diff(start, append=alpha.size), of_item)

    @classmethod
    def singles(cls, n_items: int) -> Self:
        """Every item a group of its own."""
        each = np.arange(n_items)
        return cls(each, each, np.ones(n_items, dtype=np.int64), each)

    def members(self, group: int) -> IntArray:
        return self.order[self.start[group] : self.start[group] + self.size[group]]

    def counts(self, first: IntArray, second: IntArray) -> FloatArray:
        """How many pairs of items each pair of groups stands for."""
        a, b = self.size[first].astype(np.float64), self.size[second]
        return np.where(first == second, a * (a - 1) / 2, a * b)

    def draw(self, first: int, second: int, rng: np.random.Generator) -> Pair:
        """A random pair of items, one of each group."""
        one = int(rng.integers(self.size[first]))
        if first != second:
            return as_pair(
                int(self.members(first)[one]), int(self.members(second)[int(rng.integers(self.size[second]))])
            )
        other = int(rng.integers(self.size[first] - 1))
        return as_pair(int(self.members(first)[one]), int(self.members(first)[other + (other >= one)]))
