"""Uniformly random questions."""

from __future__ import annotations

import numpy as np

from nextpair.core.candidates import Candidates, Choice, as_pair
from nextpair.core.model import Model
from nextpair.core.staying import parts

_TRIES = 50  # draws before all that may be asked is gone through


def choose_random(belief: Model, candidates: Candidates, rng: np.random.Generator, n: int = 1) -> list[Choice]:
    """Uniformly random questions, whatever is believed."""
    choices: list[Choice] = []
    taken: set[tuple[int, int]] = set()
    bound, *free = parts(candidates)
    draw = _draw if candidates.listed is None else _draw_listed
    while len(choices) < n:
        found = (free and _try_staying(bound, free[0], rng, taken)) or draw(candidates, rng, taken)
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


def _try_staying(
    bound: Candidates, free: Candidates, rng: np.random.Generator, taken: set[tuple[int, int]]
) -> Choice | None:
    """Of all pairs of few workers and few pairs of many: a draw from all pairs of all would rarely be one of them."""
    assert bound.listed is not None
    each = free.n_items * (free.n_items - 1) // 2
    for _ in range(_TRIES if bound.workers or free.workers else 0):
        spot = int(rng.integers(len(bound.listed) + each * len(free.askable())))
        if spot < len(bound.listed):
            part, (i, j, worker) = bound, bound.listed[spot].tolist()
        else:
            i, j = as_pair(*(int(k) for k in rng.choice(free.n_items, 2, replace=False)))
            part, worker = free, free.askable()[(spot - len(bound.listed)) // each]
        if (i, j) not in taken and part.allows(i, j, worker):
            return Choice(i, j, worker, 0.0)
    return None


def _draw_listed(candidates: Candidates, rng: np.random.Generator, taken: set[tuple[int, int]]) -> Choice | None:
    rows = candidates.listed_of_askable()
    for spot in rng.permutation(len(rows)):
        i, j, code = (int(number) for number in rows[spot])
        worker = None if code < 0 else code
        if as_pair(i, j) not in taken and candidates.allows(i, j, worker):
            return Choice(*as_pair(i, j), worker, 0.0)
    return None
