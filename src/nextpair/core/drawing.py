"""Uniformly random questions."""

from __future__ import annotations

import numpy as np

from nextpair.core.candidates import Candidates, Choice, as_pair
from nextpair.core.model import Model
from nextpair.core.staying import OneStays

_TRIES = 50  # draws before all that may be asked is gone through


def choose_random(belief: Model, candidates: Candidates, rng: np.random.Generator, n: int = 1) -> list[Choice]:
    """Uniformly random questions, whatever is believed."""
    choices: list[Choice] = []
    taken: set[tuple[int, int]] = set()
    while len(choices) < n:
        if candidates.listed is not None:
            found = _draw_listed(candidates, rng, taken)
        elif isinstance(candidates, OneStays):
            found = _draw_staying(candidates, rng, taken)
        else:
            found = _draw(candidates, rng, taken)
        if found is None:
            break
        choices.append(found)
        taken.add(found.pair)
    return choices


def _draw(candidates: Candidates, rng: np.random.Generator, taken: set[tuple[int, int]]) -> Choice | None:
    workers = candidates.askable()
    for _ in range(_TRIES):  # nearly every question may be asked: draw until one may
        i, j = as_pair(*(int(k) for k in rng.choice(candidates.n_items, 2, replace=False)))
        worker = workers[int(rng.integers(len(workers)))] if workers else None
        if workers and (i, j) not in taken and candidates.allows(i, j, worker):
            return Choice(i, j, worker, 0.0)
    rows, columns = np.triu_indices(candidates.n_items, 1)
    fresh = np.array([pair not in taken for pair in zip(rows.tolist(), columns.tolist(), strict=True)])
    left = [(w, np.flatnonzero(candidates.open_pairs(w)[rows, columns] & fresh)) for w in workers]
    sizes = np.cumsum([pairs.size for _, pairs in left])
    if not sizes.size or sizes[-1] == 0:
        return None
    spot = int(rng.integers(sizes[-1]))
    row = int(np.searchsorted(sizes, spot, side="right"))
    worker, pairs = left[row]
    pick = pairs[spot - (sizes[row - 1] if row else 0)]
    return Choice(int(rows[pick]), int(columns[pick]), worker, 0.0)


def _draw_staying(candidates: OneStays, rng: np.random.Generator, taken: set[tuple[int, int]]) -> Choice | None:
    """Of all pairs of few workers and few pairs of many: a draw from all pairs of all would rarely be one of them."""
    bound, free = candidates.parts
    assert bound.listed is not None
    each = candidates.n_items * (candidates.n_items - 1) // 2
    for _ in range(_TRIES if candidates.workers else 0):
        spot = int(rng.integers(len(bound.listed) + each * len(free.askable())))
        if spot < len(bound.listed):
            i, j, worker = bound.listed[spot].tolist()
        else:
            i, j = as_pair(*(int(k) for k in rng.choice(candidates.n_items, 2, replace=False)))
            worker = free.askable()[(spot - len(bound.listed)) // each]
        if (i, j) not in taken and candidates.allows(i, j, worker):
            return Choice(i, j, worker, 0.0)
    return _draw(candidates, rng, taken)


def _draw_listed(candidates: Candidates, rng: np.random.Generator, taken: set[tuple[int, int]]) -> Choice | None:
    rows = candidates.listed_of_askable()
    for spot in rng.permutation(len(rows)):
        i, j, code = (int(number) for number in rows[spot])
        worker = None if code < 0 else code
        if as_pair(i, j) not in taken and candidates.allows(i, j, worker):
            return Choice(*as_pair(i, j), worker, 0.0)
    return None
