"""What a policy may choose from, and what it chooses."""

from __future__ import annotations

import math
from collections.abc import Mapping, Set
from dataclasses import dataclass, field

import numpy as np

from nextpair.core.arrays import BoolArray, IntArray

Pair = tuple[int, int]  # two items, the smaller index first
Asked = tuple[int, int, int | None]  # item, item, worker


def as_pair(i: int, j: int) -> Pair:
    return (i, j) if i < j else (j, i)


@dataclass(frozen=True)
class Choice:
    """One question to ask: items i < j, the worker (None where workers are alike), and what it is worth."""

    i: int
    j: int
    worker: int | None
    score: float

    @property
    def pair(self) -> Pair:
        return (self.i, self.j)


@dataclass(frozen=True)
class Candidates:
    """The questions that may be asked now.

    Every pair of `n_items` items of every worker in `workers`, except `forbidden` pairs, pairs in `seen[worker]` and,
    where `needy` is given, pairs of two items that are both not needy. `workers=None`: workers are alike
    (Algorithm 1), nobody in particular is asked, and a pair may be asked again. With `listed` (a replay of answers that
    exist) only the listed questions count, less those that the other rules exclude. Who is in `stays` is asked only
    pairs with one of their items there.
    """

    n_items: int
    workers: tuple[int, ...] | None = None
    costs: Mapping[int, float] = field(default_factory=dict)  # per worker; 1 where not given
    seen: Mapping[int, Set[Pair]] = field(default_factory=dict)
    forbidden: Set[Pair] = frozenset()
    needy: BoolArray | None = None
    listed: IntArray | None = None  # rows (i, j, worker), i < j, worker -1 for nobody in particular: only these, then

    in_flight: tuple[Asked, ...] = ()  # asked and not answered yet; only a policy that looks ahead of them cares
    best: int | None = None  # who is among so many best is all that matters; to such a policy, too
    removed: Set[int] = frozenset()  # items whose order does not matter
    quotas: Mapping[int, int] = field(default_factory=dict)  # how many more questions each worker takes, where limited
    left: Mapping[int, int] = field(default_factory=dict)  # the same of who may be asked a pair more than once
    stays: Mapping[int, tuple[int, ...]] = field(default_factory=dict)

    def cost(self, worker: int | None) -> float:
        return 1.0 if worker is None else self.costs.get(worker, 1.0)

    def allows(self, i: int, j: int, worker: int | None) -> bool:
        pair = as_pair(i, j)
        if i == j or pair in self.forbidden or (worker is not None and pair in self.seen.get(worker, ())):
            return False
        if worker is not None and worker in self.stays and not {i, j} & set(self.stays[worker]):
            return False
        return self.needy is None or bool(self.needy[i] or self.needy[j])

    def open_pairs(self, worker: int | None) -> BoolArray:
        """A symmetric (K, K) mask of the pairs that may be asked of this worker."""
        mask = ~np.eye(self.n_items, dtype=np.bool_)
        if self.needy is not None:
            mask &= self.needy[:, None] | self.needy[None, :]
        for i, j in self.forbidden:
            mask[i, j] = mask[j, i] = False
        if worker is not None:
            for i, j in self.seen.get(worker, ()):
                mask[i, j] = mask[j, i] = False
            if worker in self.stays:
                kept = np.isin(np.arange(self.n_items), self.stays[worker])
                mask &= kept[:, None] | kept
        return mask

    def askable(self) -> tuple[int | None, ...]:
        """The workers to consider, with None standing for anybody."""
        return (None,) if self.workers is None else self.workers

    def room(self) -> IntArray:
        """How many more questions each of `workers` can be asked at most, whatever the rules for single pairs."""
        assert self.workers is not None
        if self.listed is not None:
            listed = np.bincount(self.listed[:, 2] + 1, minlength=max(self.workers, default=-1) + 2)[1:]
            return listed[np.array(self.workers, dtype=np.int64)]
        pairs = self.n_items * (self.n_items - 1) // 2
        unseen = ((w, self.left.get(w, pairs - len(self.seen.get(w, ())))) for w in self.workers)
        return np.array([min(self.quotas.get(w, left), left) for w, left in unseen], dtype=np.int64)

    def listed_of_askable(self) -> IntArray:
        """The listed questions of those who may be asked; the other rules are still to be applied."""
        assert self.listed is not None
        codes = [-1 if worker is None else worker for worker in self.askable()]
        return self.listed[np.isin(self.listed[:, 2], codes)]


TIE = 1e-10  # scores closer than this share of the best one count as equal


def just_below(value: float) -> float:
    """What counts as equal to this value at least."""
    return value - TIE * abs(value) if math.isfinite(value) else value
