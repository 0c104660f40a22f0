"""From what each question is worth to which ones are asked: the part that every scoring policy shares."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple, Protocol

import numpy as np

from nextpair.core.arrays import BoolArray, FloatArray, IntArray
from nextpair.core.candidates import Candidates, Choice, just_below
from nextpair.core.staying import parts

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


class Block(NamedTuple):
    """Questions and what each is worth per unit of cost."""

    workers: IntArray
    rows: IntArray
    columns: IntArray
    worth: FloatArray

    def near(self, best: float) -> Block:
        """Only those that count as equal to the best."""
        near = self.worth >= just_below(best)
        if near.all():
            return self
        return Block(self.workers[near], self.rows[near], self.columns[near], self.worth[near])


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
    whoever is asked: with it, the most promising pairs are tried first, and those that cannot be better passed over.
    """
    taken = np.zeros((candidates.n_items, candidates.n_items), dtype=np.bool_)
    for choice in besides:
        taken[choice.pair] = True
    choices: list[Choice] = []
    while len(choices) < n:
        if ceiling is None or ceiling.size <= SAMPLE:
            best, blocks = _worth_most(candidates, value, taken)
        else:
            promising = ceiling >= np.partition(ceiling, -SAMPLE, axis=None)[-SAMPLE]
            best, blocks = _worth_most(candidates, value, taken | ~promising)
            beaten = ceiling < just_below(best)
            best, more = _worth_most(candidates, value, taken | promising | beaten, best)
            blocks += more
        if not blocks:
            break
        tied = [block.near(best) for block in blocks]
        ends = np.cumsum([block.worth.size for block in tied])
        draw = int(rng.integers(ends[-1]))
        number = int(np.searchsorted(ends, draw, side="right"))
        block, spot = tied[number], draw - int(ends[number])  # counted from the end of the block
        code = int(block.workers[spot])
        i, j = int(block.rows[spot]), int(block.columns[spot])
        choices.append(Choice(i, j, None if code < 0 else code, float(block.worth[spot])))
        taken[i, j] = True
    return choices


def _worth_most(
    candidates: Candidates, value: Value, out: BoolArray, best: float = -np.inf
) -> tuple[float, list[Block]]:
    """(best, blocks): what the best question is worth, or `best` if that is more; all that was near it when found."""
    costs = np.ones(max(candidates.costs, default=-1) + 2)  # the last is nobody's, whose code is -1
    for worker in candidates.costs:
        costs[worker] = candidates.cost(worker)
    blocks = []
    for workers, rows, columns in open_questions(candidates, out):
        cost = costs[np.minimum(workers, costs.size - 1)]
        worth = value(workers, rows, columns, just_below(best) * cost) / cost
        best = max(best, float(worth.max()))
        blocks.append(Block(workers, rows, columns, worth).near(best))
    return best, blocks


def open_questions(candidates: Candidates, taken: BoolArray) -> Iterator[tuple[IntArray, IntArray, IntArray]]:
    """Blocks of (workers, rows, columns): the pairs i < j that may be asked and are not `taken`; no block is empty.

    Without a list a block is all that one worker may be asked; a list is one block, sorted by worker.
    """
    for part in parts(candidates):
        yield from _open_questions(part, taken)


def _open_questions(candidates: Candidates, taken: BoolArray) -> Iterator[tuple[IntArray, IntArray, IntArray]]:
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
    n = candidates.n_items
    rows, columns, workers = candidates.listed_of_askable().T
    numbers = np.sort(((workers + 1) * n + rows) * n + columns)  # one number a question
    numbers = numbers[np.append(True, numbers[1:] > numbers[:-1])] if numbers.size else numbers
    seen = [((worker + 1) * n + i) * n + j for worker, pairs in candidates.seen.items() for i, j in pairs]
    numbers = numbers[~np.isin(numbers, seen)] if seen else numbers
    places = numbers % (n * n)
    numbers = numbers[(candidates.open_pairs(None) & ~taken).ravel()[places]]
    return numbers // (n * n) - 1, numbers // n % n, numbers % n
