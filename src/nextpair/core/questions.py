"""From what each question is worth to which ones are asked: the part that every scoring policy shares."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

import numpy as np

from nextpair.core.arrays import BoolArray, FloatArray, IntArray
from nextpair.core.candidates import TIE, Candidates, Choice


class Value(Protocol):
    """What the questions (rows[k], columns[k]) of one worker are worth.

    Only questions worth at least `floor` matter: for the others any smaller number, such as -inf, will do.
    """

    def __call__(self, worker: int | None, rows: IntArray, columns: IntArray, floor: float) -> FloatArray: ...


def worth_nothing(worker: int | None, rows: IntArray, columns: IntArray, floor: float) -> FloatArray:
    """The value of a question to one who asks at random."""
    return np.zeros(rows.size)


def best_questions(
    candidates: Candidates, value: Value, rng: np.random.Generator, n: int = 1, besides: Sequence[Choice] = ()
) -> list[Choice]:
    """The n questions worth most per unit of cost, no pair twice, equal ones drawn at random; fewer where they end.

    Pairs of `besides` are already taken.
    """
    taken = np.zeros((candidates.n_items, candidates.n_items), dtype=np.bool_)
    for choice in besides:
        taken[choice.pair] = True
    choices: list[Choice] = []
    while len(choices) < n:
        best, blocks = -np.inf, []
        for worker, rows, columns in open_questions(candidates, taken):
            cost = candidates.cost(worker)
            worth = value(worker, rows, columns, _just_below(best) * cost) / cost
            best = max(best, float(worth.max()))
            near = np.flatnonzero(worth >= _just_below(best))
            blocks.append((worker, rows[near], columns[near], worth[near]))
        tied = [np.flatnonzero(worth >= _just_below(best)) for *_, worth in blocks]
        ends = np.cumsum([spots.size for spots in tied])
        if not blocks:
            break
        draw = int(rng.integers(ends[-1]))
        block = int(np.searchsorted(ends, draw, side="right"))
        spot = tied[block][draw - ends[block]]  # counted from the end of the block's own ties
        worker, rows, columns, worth = blocks[block]
        choices.append(Choice(int(rows[spot]), int(columns[spot]), worker, float(worth[spot])))
        taken[rows[spot], columns[spot]] = True
    return choices


def _just_below(best: float) -> float:
    return best - TIE * abs(best) if np.isfinite(best) else best


def open_questions(candidates: Candidates, taken: BoolArray) -> Iterator[tuple[int | None, IntArray, IntArray]]:
    """Worker by worker the pairs i < j that may be asked and are not `taken`; workers without any are left out."""
    if candidates.listed is not None:
        blocks = _listed_blocks(candidates)
    else:
        rows, columns = np.triu_indices(candidates.n_items, 1)
        blocks = ((worker, rows, columns) for worker in candidates.askable())
    for worker, rows, columns in blocks:
        may = candidates.open_pairs(worker)[rows, columns] & ~taken[rows, columns]
        if may.any():
            yield worker, rows[may], columns[may]


def _listed_blocks(candidates: Candidates) -> Iterator[tuple[int | None, IntArray, IntArray]]:
    assert candidates.listed is not None
    listed = np.unique(candidates.listed, axis=0)
    for code in np.unique(listed[:, 2]):
        if code < 0 or candidates.workers is None or int(code) in candidates.workers:
            block = listed[listed[:, 2] == code]
            yield None if code < 0 else int(code), block[:, 0], block[:, 1]
