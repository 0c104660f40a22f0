"""A set of comparisons on dense integers: the one shape in which data reaches the models."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from nextpair.core.arrays import FloatArray, IntArray, as_codes
from nextpair.errors import InvalidSetting


@dataclass(frozen=True, eq=False)
class Comparisons:
    """Answer t says that winners[t] is better than losers[t], or equal to it where ties[t] is 1.

    workers[t] is who said so, -1 for nobody in particular (fully reliable). sides[t] is 1 where winners[t] was shown
    left (or first), -1 where right, 0 where that is not known. much[t] is 1 where winners[t] was called much better.
    Items and workers are numbered from 0; names are mapped at the edge. The order matters to sequential models only.
    `Comparisons.of` fills in defaults.
    """

    winners: IntArray
    losers: IntArray
    workers: IntArray
    ties: IntArray
    sides: IntArray
    much: IntArray
    n_items: int
    n_workers: int

    def __post_init__(self) -> None:
        for name in ("winners", "losers", "workers", "ties", "sides", "much"):
            array = np.array(getattr(self, name), dtype=np.int64)
            if array.shape != np.shape(self.winners) or array.ndim != 1:
                raise InvalidSetting(f"{name} must be one number a comparison, not of shape {array.shape}")
            array.flags.writeable = False
            object.__setattr__(self, name, array)
        if self.n_items < 2:
            raise InvalidSetting(f"a ranking needs at least 2 items, not {self.n_items}")
        refuse_outside("item", self.winners, 0, self.n_items)
        refuse_outside("item", self.losers, 0, self.n_items)
        refuse_outside("worker", self.workers, -1, self.n_workers)
        refuse_outside("tie mark", self.ties, 0, 2)
        refuse_outside("side", self.sides, -1, 2)
        refuse_outside("mark of much", self.much, 0, 2)
        if (self.ties & self.much).any():
            raise InvalidSetting("in a tie neither item is much better: its `much` is 0")
        refuse_itself(self.winners, self.losers)

    @classmethod
    def of(
        cls,
        winners: Sequence[int] | IntArray,
        losers: Sequence[int] | IntArray,
        workers: Sequence[int] | IntArray | int = -1,
        ties: Sequence[int] | IntArray | int = 0,
        sides: Sequence[int] | IntArray | int = 0,
        much: Sequence[int] | IntArray | int = 0,
        *,
        n_items: int | None = None,
        n_workers: int | None = None,
    ) -> Comparisons:
        """Comparisons with what is missing filled in: nobody, no ties, no sides, as many items and workers as occur."""
        won = as_codes("winners", winners)
        lost = as_codes("losers", losers, won.size)
        who, tied = as_codes("workers", workers, won.size), as_codes("ties", ties, won.size)
        if n_items is None:
            n_items = int(max(won.max(initial=0), lost.max(initial=0))) + 1
        if n_workers is None:
            n_workers = int(who.max(initial=-1)) + 1
        side, far = as_codes("sides", sides, won.size), as_codes("much", much, won.size)
        return cls(won, lost, who, tied, side, far, n_items, n_workers)

    def __len__(self) -> int:
        return self.winners.size

    def columns(self) -> IntArray:
        """(6, N): one column an answer, as kernels take them."""
        return np.stack([self.winners, self.losers, self.workers, self.ties, self.sides, self.much])

    def wins(self) -> FloatArray:
        """(K, K): how often the row beat the column. A tie is half a win for each."""
        n = self.n_items
        half = 0.5 * self.ties
        won = np.bincount(self.winners * n + self.losers, 1 - half, n * n)
        lost = np.bincount(self.losers * n + self.winners, half, n * n)
        return np.asarray((won + lost).reshape(n, n), dtype=np.float64)


def answers_by_worker(workers: IntArray, n_workers: int) -> IntArray:
    """How many of the answers each worker gave; those of nobody in particular are not counted."""
    return np.bincount(workers + 1, minlength=n_workers + 1)[1:]


def refuse_itself(winners: IntArray, losers: IntArray) -> None:
    """An error for the first item that is compared with itself."""
    same = winners == losers
    if same.any():
        raise InvalidSetting(f"item {winners[same][0]} cannot be compared with itself")


def refuse_outside(what: str, values: IntArray, first: int, stop: int) -> None:
    """An error for the first value that is not in range(first, stop)."""
    outside = values[(values < first) | (values >= stop)]
    if outside.size:
        raise InvalidSetting(f"there is no {what} {outside[0]}: they go from {first} to {stop - 1}")
