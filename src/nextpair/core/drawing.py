"""Uniformly random questions."""

from __future__ import annotations

import numpy as np

from nextpair.core.candidates import Candidates, Choice, as_pair
from nextpair.core.model import Model


def choose_random(belief: Model, candidates: Candidates, rng: np.random.Generator, n: int = 1) -> list[Choice]:
    """Uniformly random questions, whatever is believed."""
    choices: list[Choice] = []
    taken: set[tuple[int, int]] = set()
    draw = _draw if candidates.listed is None else _draw_listed
    while len(choices) < n:
        found = draw(candidates, rng, taken)
        if found is None:
            break
        choices.append(found)
        taken.add(found.pair)
    return choices


def _draw(candidates: Candidates, rng: np.random.Generator, taken: set[tuple[int, int]]) -> Choice | None:
    workers = candidates.askable()
    for _ in range(50):  # nearly every question may be asked: draw until one may
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


def _draw_listed(candidates: Candidates, rng: np.random.Generator, taken: set[tuple[int, int]]) -> Choice | None:
    rows = candidates.listed_of_askable()
    for spot in rng.permutation(len(rows)):
        i, j, code = (int(number) for number in rows[spot])
        worker = None if code < 0 else code
        if as_pair(i, j) not in taken and candidates.allows(i, j, worker):
            return Choice(*as_pair(i, j), worker, 0.0)
    return None
