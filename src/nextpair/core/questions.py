"""From what each question is worth to which ones are asked: the part that every scoring policy shares."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

import numpy as np

from nextpair.core.arrays import BoolArray, FloatArray, IntArray
from nextpair.core.candidates import TIE, Candidates, Choice

SAMPLE = 1000  # pairs tried first where it is known what each can be worth at most


class Value(Protocol):
    """What the questions (rows[k], columns[k]) of workers[k] are worth; -1 is nobody in particular.

    Workers come in rising order. Only questions worth at least `floor` (an array: one each) matter: for the others any
    smaller number, such as -inf, will do.
    """

    def __call__(self, workers: IntArray, rows: IntArray, columns: IntArray, floor: FloatArray) -> FloatArray: ...


def worth_nothing(workers: IntArray, rows: IntArray, columns: IntArray, floor: FloatArray) -> FloatArray:
    """The value of a question to one who asks at random."""
    return np.zeros(rows.size)


def best_questions(
    candidates: Candidates,
    value: Value,
    rng: np.random.Generator,
    n: int = 1,
    besides: Sequence[Choice] = (),
    ceiling: FloatArray | None = None,
) -> list[Choice]:
    """The n questions worth most per unit of cost, no pair twice, equal ones drawn at random; fewer where they end.

    Pairs of `besides` are already taken. `ceiling[i, j]` is what a pair i < j can be worth at most, per unit of cost,
    whoever is asked: with it, pairs that cannot be the best are passed over.
    """
    taken = np.zeros((candidates.n_items, candidates.n_items), dtype=np.bool_)
    for choice in besides:
        taken[choice.pair] = True
    costs = np.ones(max(candidates.costs, default=-1) + 2)  # the last is nobody's, whose code is -1
    for worker in candidates.costs:
        costs[worker] = candidates.cost(worker)

    def near_best(out: BoolArray) -> tuple[float, list[tuple[IntArray, IntArray, IntArray, FloatArray]]]:
        best, blocks = -np.inf, []
        for workers, rows, columns in open_questions(candidates, out):
            cost = costs[np.minimum(workers, costs.size - 1)]
            worth = value(workers, rows, columns, _just_below(best) * cost) / cost
            best = max(best, float(worth.max()))
            near = np.flatnonzero(worth >= _just_below(best))
            blocks.append((workers[near], rows[near], columns[near], worth[near]))
        return best, blocks

    choices: list[Choice] = []
    while len(choices) < n:
        out = taken
        if ceiling is not None and ceiling.size > SAMPLE:
            top = np.where(taken, -np.inf, ceiling)
            sample = np.partition(top, -SAMPLE, axis=None)[-SAMPLE]
            out = taken | (top < _just_below(near_best(taken | (top < sample))[0]))
        best, blocks = near_best(out)
        tied = [np.flatnonzero(worth >= _just_below(best)) for *_, worth in blocks]
        ends = np.cumsum([spots.size for spots in tied])
        if not blocks:
            break
        draw = int(rng.integers(ends[-1]))
        block = int(np.searchsorted(ends, draw, side="right"))
        spot = tied[block][draw - ends[block]]  # counted from the end of the block's own ties
        workers, rows, columns, worth = blocks[block]
        code = int(workers[spot])
        choices.append(Choice(int(rows[spot]), int(columns[spot]), None if code < 0 else code, float(worth[spot])))
        taken[rows[spot], columns[spot]] = True
    return choices


def _just_below(best: float) -> float:
    return best - TIE * abs(best) if np.isfinite(best) else best


def open_questions(candidates: Candidates, taken: BoolArray) -> Iterator[tuple[IntArray, IntArray, IntArray]]:
    """Blocks of (workers, rows, columns): the pairs i < j that may be asked and are not `taken`; no block is empty.

    Without a list a block is all that one worker may be asked; a list is one block, sorted by worker.
    """
    if candidates.listed is not None:
        block = _listed(candidates, taken)
        if block[0].size:
            yield block
        return
    rows, columns = np.nonzero(np.triu(candidates.open_pairs(None) & ~taken, 1))
    numbers = rows * candidates.n_items + columns
    for worker in candidates.askable():
        seen = [i * candidates.n_items + j for i, j in candidates.seen.get(-1 if worker is None else worker, ())]
        may = slice(None) if not seen else np.isin(numbers, seen, invert=True)
        if rows[may].size:
            code = -1 if worker is None else worker
            yield np.full(rows[may].size, code, dtype=np.int64), rows[may], columns[may]


def _listed(candidates: Candidates, taken: BoolArray) -> tuple[IntArray, IntArray, IntArray]:
    """What of the list may be asked. All of it at once: there may be thousands of workers with a few rows each."""
    assert candidates.listed is not None
    n = candidates.n_items
    rows, columns, workers = candidates.listed.T
    numbers = np.sort(((workers + 1) * n + rows) * n + columns)  # one number a question
    numbers = numbers[np.append(True, numbers[1:] > numbers[:-1])] if numbers.size else numbers
    if candidates.workers is not None:
        known = (0, *(worker + 1 for worker in candidates.workers))
        numbers = numbers[np.isin(numbers // (n * n), known)]
    seen = [((worker + 1) * n + i) * n + j for worker, pairs in candidates.seen.items() for i, j in pairs]
    numbers = numbers[~np.isin(numbers, seen)] if seen else numbers
    places = numbers % (n * n)
    numbers = numbers[(candidates.open_pairs(None) & ~taken).ravel()[places]]
    return numbers // (n * n) - 1, numbers // n % n, numbers % n
