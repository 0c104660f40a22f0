"""Recordings: real answers with the truth they were about, read from files and replayed."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from nextpair.core.arrays import FloatArray, IntArray, frozen
from nextpair.core.candidates import Candidates, Choice
from nextpair.core.comparisons import Comparisons, answers_by_worker
from nextpair.errors import InvalidFile, InvalidSetting
from nextpair.lab.play import Answer
from nextpair.store.comparisons import read_comparisons
from nextpair.store.scores import read_truth
from nextpair.store.streams import open_source

VARIABLE = "NEXTPAIR_DATA"


@dataclass(frozen=True, eq=False)
class Recording:
    """Answers that exist, and the true score of each item they are about."""

    name: str
    answers: Comparisons
    truth: FloatArray
    costs: Mapping[int, float] = field(default_factory=dict)  # of an answer of each worker; 1 where not given
    workers: Sequence[str] = ()  # their names, if they are known
    items: Sequence[str] = ()
    guess: FloatArray | None = None  # of the score of each item, as normal scores (see `core.guess`)

    def about(self, items: IntArray) -> Recording:
        """The answers about some items only, which are numbered in this order; workers keep their numbers."""
        told = self.answers
        number = np.full(told.n_items, -1)
        number[items] = np.arange(len(items))
        columns = told.columns()
        columns[:2] = number[columns[:2]]
        columns = columns[:, (columns[:2] >= 0).all(axis=0)]
        answers = Comparisons.of(*columns, n_items=len(items), n_workers=told.n_workers)
        guess = None if self.guess is None else self.guess[items]
        names = [self.items[old] for old in items if self.items]
        return replace(self, answers=answers, truth=self.truth[items], items=names, guess=guess)

    def refuse_halves(self, what: str) -> None:
        """An error where workers cannot be known from the answers about one half of the items, as `what` takes."""
        if self.answers.n_items < 4 or not self.answers.n_workers:
            raise InvalidFile(
                f"{self.name} has {self.answers.n_items} items and {self.answers.n_workers} workers with names: "
                f"for {what} it takes 4 items, two for each half, and a column `worker`"
            )

    def halves(self, rng: np.random.Generator) -> tuple[IntArray, IntArray]:
        """The items of a campaign, and those whose answers were there before: half and half, drawn at random."""
        here, before = np.array_split(rng.permutation(self.answers.n_items), 2)
        return here, before

    def answers_by_worker(self) -> IntArray:
        """How many answers each worker gave."""
        return answers_by_worker(self.answers.workers, self.answers.n_workers)

    def of_workers(self, kept: IntArray) -> Recording:
        """The answers of these workers, as if nobody else had been hired; they are numbered in this order."""
        told = self.answers
        number = np.full(told.n_workers + 1, -1)  # the last is nobody's, whose code is -1
        number[kept] = np.arange(kept.size)
        columns = told.columns()
        columns[2] = number[columns[2]]
        answers = Comparisons.of(*columns[:, columns[2] >= 0], n_items=told.n_items, n_workers=kept.size)
        costs = {int(number[worker]): cost for worker, cost in self.costs.items() if number[worker] >= 0}
        return replace(self, answers=answers, costs=costs, workers=[self.workers[old] for old in kept if self.workers])

    def of_busiest(self, n: int) -> Recording:
        """Only the n workers who gave the most answers; of equals, the first."""
        return self.of_workers(np.sort(np.argsort(-self.answers_by_worker(), kind="stable")[:n]))

    def of_drawn(self, n: int, rng: np.random.Generator) -> Recording:
        """Only n workers, drawn at random."""
        return self.of_workers(np.sort(rng.choice(self.answers.n_workers, n, replace=False)))


class Replayed:
    """A source of answers: only those of a recording, each used at most once.

    `by_worker=False`, or a recording that names nobody, takes workers for alike: a policy picks a pair, and one of its
    unused answers is drawn. Items are renumbered at random in each replay, so that no policy profits from the order in
    which a file lists them.
    """

    def __init__(self, recording: Recording, rng: np.random.Generator, *, by_worker: bool) -> None:
        answers = recording.answers
        self.n_items = answers.n_items
        self.n_workers = answers.n_workers if by_worker else 0
        number = rng.permutation(self.n_items)
        self.truth = np.empty(self.n_items)
        self.truth[number] = recording.truth
        self.guess = None if recording.guess is None else recording.guess[np.argsort(number)]
        self._winners, self._losers = number[answers.winners], number[answers.losers]
        self._said = np.stack([answers.ties, answers.sides, answers.much])
        who = answers.workers if by_worker else np.full(len(answers), -1, dtype=np.int64)
        low, high = np.minimum(self._winners, self._losers), np.maximum(self._winners, self._losers)
        self._rows, place = np.unique(np.stack([low, high, who], axis=1), axis=0, return_inverse=True)
        self._spot = {(int(i), int(j), int(w)): row for row, (i, j, w) in enumerate(self._rows)}
        self._unused: list[list[int]] = [[] for _ in self._rows]
        for answer in rng.permutation(len(answers)):
            self._unused[place[answer]].append(int(answer))
        self._open = np.ones(len(self._rows), dtype=np.bool_)
        self._workers = tuple(range(self.n_workers)) or None
        self._costs = recording.costs

    def candidates(self) -> Candidates:
        """The questions with an unused answer."""
        return Candidates(self.n_items, self._workers, self._costs, listed=self._rows[self._open])

    def answer(self, choice: Choice) -> Answer:
        row = self._spot[choice.i, choice.j, -1 if choice.worker is None else choice.worker]
        number = self._unused[row].pop()
        self._open[row] = bool(self._unused[row])
        winner, loser = int(self._winners[number]), int(self._losers[number])
        tie, side, much = self._said[:, number].tolist()
        return Answer(winner, loser, choice.worker, bool(tie), side, bool(much))


def read_recording(comparisons: Path, truth: Path) -> Recording:
    """A recording from a comparisons file and a truth file (item, score)."""
    with open_source(str(comparisons)) as source:
        table = read_comparisons(source)
    with open_source(str(truth)) as source:
        scores, _ = read_truth(source)
    for item in table.items:
        if item not in scores:
            raise InvalidFile(f"item {item!r} of {comparisons} has no score in {truth}")
    name = comparisons.stem if comparisons.stem != "comparisons" else comparisons.parent.name
    truth_of = frozen([scores[item] for item in table.items])
    return Recording(name, table.comparisons, truth_of, workers=table.workers, items=table.items)


def find_recording(data: str | None, folder: str = "", names: tuple[str, ...] = ("comparisons.csv",)) -> Recording:
    """The recording at `data` or, without it, at $NEXTPAIR_DATA: a comparisons file, or a folder that holds one.

    `folder` names the data set where the path leads to a folder of several; `names` are the files to try, in order.
    The truth is `truth.csv` beside the comparisons.
    """
    given = data or os.environ.get(VARIABLE)
    if not given:
        what = f"the {folder} data" if folder else "a comparisons file with a truth.csv beside it"
        raise InvalidSetting(f"this experiment replays {what}: say where with --data PATH or {VARIABLE}=PATH")
    base = Path(given).expanduser()
    tried = [base] if base.suffix else []
    tried += [base / name for name in names]
    tried += [base / folder / name for name in names] if folder else []
    comparisons = next((path for path in tried if path.is_file()), None)
    if comparisons is None:
        raise InvalidFile("no comparisons found. Looked for: " + ", ".join(str(path) for path in tried))
    truth = comparisons.parent / "truth.csv"
    if not truth.is_file():
        raise InvalidFile(f"{comparisons} has no truth beside it. Looked for: {truth}")
    return read_recording(comparisons, truth)
