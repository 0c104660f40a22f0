"""Recordings: real answers with the truth they were about, read from files and replayed."""

from __future__ import annotations

import csv
import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from nextpair.core.arrays import BoolArray, FloatArray, IntArray
from nextpair.core.candidates import Candidates, Choice
from nextpair.errors import InvalidFile, InvalidSetting
from nextpair.lab.play import Answer

VARIABLE = "NEXTPAIR_DATA"
SIDES = {"left": (0, 1, False), "right": (1, 0, False), "tie": (0, 1, True)}


@dataclass(frozen=True, eq=False)
class Recording:
    """Answers that exist, in codes: who preferred what to what; and the true score of each item."""

    name: str
    items: tuple[str, ...]
    workers: tuple[str, ...]
    winners: IntArray
    losers: IntArray
    by: IntArray
    ties: BoolArray
    truth: FloatArray

    @property
    def n_answers(self) -> int:
        return self.winners.size


class Replayed:
    """A source of answers: only those of a recording, each used at most once.

    `by_worker=False` takes workers for alike: a policy picks a pair, and one of its unused answers is drawn. Items are
    renumbered at random in each replay, so that no policy profits from the order in which a file lists them.
    """

    def __init__(self, recording: Recording, rng: np.random.Generator, *, by_worker: bool) -> None:
        self.n_items = len(recording.items)
        self.n_workers = len(recording.workers) if by_worker else 0
        number = rng.permutation(self.n_items)
        self.truth = np.empty(self.n_items)
        self.truth[number] = recording.truth
        self._winners, self._losers = number[recording.winners], number[recording.losers]
        self._ties = recording.ties
        who = recording.by if by_worker else np.full(recording.n_answers, -1, dtype=np.int64)
        low, high = np.minimum(self._winners, self._losers), np.maximum(self._winners, self._losers)
        self._rows, place = np.unique(np.stack([low, high, who], axis=1), axis=0, return_inverse=True)
        self._spot = {(int(i), int(j), int(w)): row for row, (i, j, w) in enumerate(self._rows)}
        self._unused: list[list[int]] = [[] for _ in self._rows]
        for answer in rng.permutation(recording.n_answers):
            self._unused[place[answer]].append(int(answer))
        self._open = np.ones(len(self._rows), dtype=np.bool_)
        self._workers = tuple(range(self.n_workers)) if by_worker else None

    def candidates(self) -> Candidates:
        """The questions with an unused answer."""
        return Candidates(self.n_items, self._workers, listed=self._rows[self._open])

    def answer(self, choice: Choice) -> Answer:
        row = self._spot[choice.i, choice.j, -1 if choice.worker is None else choice.worker]
        number = self._unused[row].pop()
        self._open[row] = bool(self._unused[row])
        winner, loser = int(self._winners[number]), int(self._losers[number])
        return Answer(winner, loser, choice.worker, bool(self._ties[number]))


def read_recording(comparisons: Path, truth: Path) -> Recording:
    """A recording from a comparisons file (worker, left, right, winner) and a truth file (item, score)."""
    scores = _read_truth(truth)
    items = {name: number for number, name in enumerate(scores)}
    workers: dict[str, int] = {}
    rows: list[tuple[int, int, int, bool]] = []
    for line, row in enumerate(_rows(comparisons, ("worker", "left", "right", "winner")), start=2):
        where = f"{comparisons}, line {line}"
        for name in (row["left"], row["right"]):
            if name not in items:
                raise InvalidFile(f"{where}: item {name!r} is not in {truth}")
        if row["winner"] not in SIDES:
            raise InvalidFile(f"{where}: the winner must be left, right or tie, not {row['winner']!r}")
        if row["left"] == row["right"]:
            raise InvalidFile(f"{where}: item {row['left']!r} is compared with itself")
        pair = (items[row["left"]], items[row["right"]])
        won, lost, tie = SIDES[row["winner"]]
        rows.append((pair[won], pair[lost], workers.setdefault(row["worker"], len(workers)), tie))
    if len(items) < 2 or not rows:
        raise InvalidFile(f"{comparisons}: a replay needs at least 2 items and 1 answer")
    table = np.array(rows, dtype=np.int64)
    return Recording(
        comparisons.parent.name,
        tuple(items),
        tuple(workers),
        table[:, 0].copy(),
        table[:, 1].copy(),
        table[:, 2].copy(),
        table[:, 3].astype(np.bool_),
        np.array(list(scores.values())),
    )


def _read_truth(path: Path) -> dict[str, float]:
    scores: dict[str, float] = {}
    for line, row in enumerate(_rows(path, ("item", "score")), start=2):
        try:
            scores[row["item"]] = float(row["score"])
        except ValueError:
            raise InvalidFile(f"{path}, line {line}: the score must be a number, not {row['score']!r}") from None
        if not np.isfinite(scores[row["item"]]):
            raise InvalidFile(f"{path}, line {line}: the score must be a finite number, not {row['score']!r}")
    return scores


def _rows(path: Path, columns: tuple[str, ...]) -> list[dict[str, str]]:
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            reader = csv.DictReader(file)
            missing = [name for name in columns if name not in (reader.fieldnames or [])]
            if missing:
                raise InvalidFile(f"{path} has no column {missing[0]!r}: it needs {', '.join(columns)}")
            rows = list(reader)
    except UnicodeDecodeError:
        raise InvalidFile(f"{path} is not a text file in UTF-8") from None
    short = next((line for line, row in enumerate(rows, start=2) if None in (row[c] for c in columns)), None)
    if short is not None:
        raise InvalidFile(f"{path}, line {short}: too few columns")
    return rows


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
