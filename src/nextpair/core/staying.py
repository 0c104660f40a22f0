"""Where one item stays: some workers are asked only pairs with one of a few items, the others about everything."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from nextpair.core.arrays import BoolArray, IntArray
from nextpair.core.candidates import Candidates


@dataclass(frozen=True)
class OneStays(Candidates):
    """Candidates of whom each worker in `stays` is asked only pairs with one of their items."""

    stays: Mapping[int, tuple[int, ...]] = field(default_factory=dict)

    def allows(self, i: int, j: int, worker: int | None) -> bool:
        kept = None if worker is None else self.stays.get(worker)
        return (kept is None or i in kept or j in kept) and super().allows(i, j, worker)

    def open_pairs(self, worker: int | None) -> BoolArray:
        mask = super().open_pairs(worker)
        if worker is not None and worker in self.stays:
            kept = np.isin(np.arange(self.n_items), self.stays[worker])
            mask &= kept[:, None] | kept[None, :]
        return mask

    @cached_property
    def parts(self) -> tuple[Candidates, Candidates]:
        """The same in two: a list of what those in `stays` may be asked, which is short, and all of the others."""
        bound = tuple(worker for worker in self.workers or () if worker in self.stays)
        free = tuple(worker for worker in self.workers or () if worker not in self.stays)
        rows = [np.empty((0, 3), dtype=np.int64), *(self._pairs_of(worker) for worker in bound)]
        return self._plain(bound, np.concatenate(rows)), self._plain(free, None)

    def _pairs_of(self, worker: int) -> IntArray:
        kept = np.unique(self.stays[worker])
        first, second = np.repeat(kept, self.n_items), np.tile(np.arange(self.n_items), kept.size)
        once = (first < second) | ((first > second) & ~np.isin(second, kept))  # pairs of two such items come twice
        rows = np.column_stack([np.minimum(first, second), np.maximum(first, second), np.full(first.size, worker)])
        return np.asarray(rows[once])

    def _plain(self, workers: tuple[int, ...], listed: IntArray | None) -> Candidates:
        rules = (self.costs, self.seen, self.forbidden, self.needy, listed, self.in_flight, self.best, self.removed)
        return Candidates(self.n_items, workers, *rules)


def parts(candidates: Candidates) -> tuple[Candidates, ...]:
    """What together makes up the candidates, each part either a list or all that its workers may be asked."""
    return candidates.parts if isinstance(candidates, OneStays) and candidates.listed is None else (candidates,)
