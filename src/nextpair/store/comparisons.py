"""Reading comparisons from CSV, with every bad row told by its line.

Two headers of comparisons are understood, with columns in any order, in any case and among others:

- `left,right,winner[,worker]`: the winner is the word left, right or tie, or the name of one of the two items;
- `winner,loser[,worker][,tie][,left]`: names only; the tie column holds 1, true, yes or tie, or else 0, false, no or
  nothing; left is the one of the two that stood left, or nothing.

Names are taken as they stand, less the white space around them; where a table was made safe for a spreadsheet, as ours
are, also less the apostrophe of that. Without a column `worker` every answer counts as fully reliable.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import ClassVar, Protocol

import numpy as np

from nextpair.campaign.earlier import Earlier
from nextpair.core.arrays import IntArray
from nextpair.core.comparisons import Comparisons
from nextpair.errors import InvalidFile
from nextpair.store.rows import BadRows, Fault, Names, Rows, describe, encodable, shown
from nextpair.store.spreadsheet import plain_names
from nextpair.store.streams import Source

FIRST, SECOND, TIE = 0, 1, 2
SAID = {"left": FIRST, "right": SECOND, "tie": TIE}
YES, NO = ("1", "true", "yes"), ("0", "false", "no", "")
EVERY = 1 << 14  # rows between two reports of progress


@dataclass(frozen=True)
class ComparisonTable:
    """Comparisons on dense integers, with the names they stand for. Of a tie the "winner" is the first one named.

    Under `left,right,winner`, or with a column `left`, it is known which of the two stood left, unless every winner
    did, or every loser: then that is how the file was written, and not how items were shown.
    """

    items: list[str]
    workers: list[str]  # empty where the file names none
    comparisons: Comparisons
    skipped: BadRows
    ignored: list[str]  # columns that were not read

    def named(self, alike: bool = False) -> Iterator[tuple[bool, Iterator[Earlier]]]:
        """The comparisons as `Campaign.add_answers` takes them in: whether they are as shown, and a run of such.

        alike: whoever gave them.
        """

        def earlier(row: list[int]) -> Earlier:
            winner, loser, worker, tie, side, much = row
            who = None if alike or worker < 0 else self.workers[worker]
            left, right, says = (loser, winner, "right") if side < 0 else (winner, loser, "left")
            return who, self.items[left], self.items[right], "tie" if tie else f"much-{says}" if much else says

        for as_shown, rows in groupby(self.comparisons.columns().T.tolist(), lambda row: row[4] != 0):
            yield as_shown, map(earlier, rows)


def read_comparisons(
    source: Source, *, skip_bad: bool = False, on_rows: Callable[[int], None] | None = None
) -> ComparisonTable:
    """All comparisons of `source`. A bad row refuses the whole file, unless bad rows are to be skipped."""
    rows = Rows(source)
    reading = _Reading(rows)
    reading.run(on_rows)
    rows.refuse_bad(skip_bad)
    if len(reading.won) == len(reading.dropped):
        why = f"no row that is not bad\n{rows.bad.listing()}" if rows.bad.count else "no comparisons: nothing to rank"
        raise InvalidFile(f"{rows.name} holds {why}")
    return reading.table()


class _Reading:
    """The comparisons read so far. Compact arrays, since a list of a million tuples would take 200 MB."""

    def __init__(self, rows: Rows) -> None:
        self.rows = rows
        self.items, self.workers = Names("item"), Names("worker")
        self.won, self.lost, self.by = array("i"), array("i"), array("i")
        self.ties, self.sides, self.much = array("b"), array("b"), array("b")
        self.dropped: list[int] = []
        self.worker, self.far = rows.optional_column("worker"), rows.optional_column("much")
        self.judge: _Judge
        if rows.has("left", "right", "winner"):
            self.judge = _LeftRight(rows, self.items)
        elif rows.has("winner", "loser"):
            self.judge = _WinnerLoser(rows, self.items)
        else:
            raise InvalidFile(f"{rows.name} {_stranger(rows.header)}")

    def run(self, on_rows: Callable[[int], None] | None) -> None:
        judge, items, workers, who = self.judge, self.items, self.workers, self.worker
        first, second = judge.first, judge.second
        for row in self.rows:
            try:
                a, b = items[row[first]], items[row[second]]
                if a == b:
                    raise Fault(f"item {shown(row[first].strip())} is compared with itself")
                w = -1 if who is None else workers[row[who]]
                outcome = judge.outcome(row, a, b, len(self.won))
                side = judge.side(row, a, b, outcome)
                much = self.far is not None and _yes("much", row[self.far])
                if much and outcome == TIE:
                    raise Fault("it is a tie, in which neither is much better: clear one of the two")
            except Fault as fault:
                self.rows.report(str(fault))
                continue
            self.won.append(b if outcome == SECOND else a)
            self.lost.append(a if outcome == SECOND else b)
            self.by.append(w)
            self.ties.append(outcome == TIE)
            self.sides.append(side)
            self.much.append(much)
            if on_rows is not None and len(self.won) % EVERY == 0:
                on_rows(len(self.won))
        judge.settle(self)

    def table(self) -> ComparisonTable:
        columns = (self.won, self.lost, self.by, self.ties, self.sides, self.much)
        won, lost, by, ties, sides, much = (np.delete(np.array(c, dtype=np.int64), self.dropped) for c in columns)
        items, number = _only_used(self.items.names, won, lost)
        workers, known = _only_used(self.workers.names, by[by >= 0])
        by = known[by] if self.worker is not None else by
        decided = sides[ties == 0]
        if not ((decided > 0).any() and (decided < 0).any()):
            sides[:] = 0
        comparisons = Comparisons(number[won], number[lost], by, ties, sides, much, len(items), len(workers))
        ignored = [name for name in self.rows.header if name and name not in (*self.judge.columns, "worker", "much")]
        return ComparisonTable(plain_names(items), plain_names(workers), comparisons, self.rows.bad, ignored)


def _stranger(header: list[str]) -> str:
    """What is wrong with a first line that is no header of comparisons."""
    if header[0].startswith('{"event"'):
        return "is a journal: nextpair show ranks it, and nextpair export makes a file of comparisons of it"
    if header[0].startswith(("{", "[")):
        return "is JSON: write it as CSV with the header worker,left,right,winner"
    return (
        f"has the header {describe(header)}: name the columns left,right,winner[,worker][,much] or "
        "winner,loser[,worker][,tie][,left][,much] in the first line"
    )


def _yes(what: str, cell: str) -> bool:
    """Whether a cell of the column `what` says yes, in one of the words for that or by the column's own name."""
    word = cell.strip().lower()
    if word not in (*YES, *NO, what):
        raise Fault(f"the {what} is {shown(cell)}: neither 1, true, yes nor 0, false, no")
    return word not in NO


def _only_used(names: list[str], *used: IntArray) -> tuple[list[str], IntArray]:
    """The names that occur in a good row, and the new number of each old one: a bad row must bring in nobody."""
    seen = np.zeros(len(names), dtype=np.bool_)
    for codes in used:
        seen[codes] = True
    return [name for name, there in zip(names, seen, strict=True) if there], np.cumsum(seen, dtype=np.int64) - 1


class _Judge(Protocol):
    """How a header tells who won: the columns of the two items, and the outcome of a row."""

    columns: ClassVar[tuple[str, ...]]
    first: int
    second: int

    def outcome(self, row: list[str], a: int, b: int, spot: int) -> int:
        """FIRST, SECOND or TIE for the row that will be number `spot`, between items a and b."""

    def side(self, row: list[str], a: int, b: int, outcome: int) -> int:
        """1 where the winner (of a tie, item a) stood left, -1 where right, 0 where nobody knows."""

    def settle(self, reading: _Reading) -> None:
        """Called when every row is read."""


class _LeftRight:
    """`left,right,winner`.

    Where an item is called left, right or tie, the winner's cell may be a word or a name. A column speaks one
    language: such rows are settled, when all are read, by what the winners of the other rows are.
    """

    columns: ClassVar[tuple[str, ...]] = ("left", "right", "winner")

    def __init__(self, rows: Rows, items: Names) -> None:
        self.first, self.second, self.winner = rows.column("left"), rows.column("right"), rows.column("winner")
        if rows.has("tie"):
            raise InvalidFile(
                f"{rows.name} has a column tie beside left,right,winner: say tie in winner, and drop the column"
            )
        self.rows, self.items = rows, items
        self.words = self.names = False  # which of the two occurred where only that one can be meant
        self.open: list[tuple[int, int, int]] = []  # (spot, line, outcome if the cell is a name)

    def outcome(self, row: list[str], a: int, b: int, spot: int) -> int:
        cell = row[self.winner]
        word = SAID.get(cell)
        if word is not None and not self.items.tricky:
            self.words = True
            return word
        cell = cell.strip()
        word, code = SAID.get(cell.lower()), self.items.get(cell)
        name = FIRST if code == a else SECOND if code == b else None
        if word is None:
            if name is None:
                raise Fault(self._neither(cell, row))
            self.names = True
            return name
        if name is None:
            self.words = True
        elif word != name:
            self.open.append((spot, self.rows.line, name))
        return word

    def side(self, row: list[str], a: int, b: int, outcome: int) -> int:
        return -1 if outcome == SECOND else 1

    def _neither(self, cell: str, row: list[str]) -> str:
        if not encodable(cell):
            return f"broken encoding: the winner {shown(cell)} is not UTF-8 (save the table as CSV in UTF-8)"
        left, right = shown(row[self.first].strip()), shown(row[self.second].strip())
        said = f"is {shown(cell)}" if cell else "is missing"
        return f"the winner {said}: neither left, right, tie nor one of the items {left} and {right}"

    def settle(self, reading: _Reading) -> None:
        if self.words == self.names:
            for spot, line, _ in self.open:
                reading.dropped.append(spot)
                self.rows.report(
                    "the winner may be the word or the item of that name, and the other rows do not tell which: "
                    "use the header winner,loser",
                    line,
                )
        elif self.names:  # what was read as the word was a name
            for spot, _, name in self.open:
                if name == SECOND or not reading.ties[spot]:
                    reading.won[spot], reading.lost[spot] = reading.lost[spot], reading.won[spot]
                    reading.sides[spot] = -reading.sides[spot]
                reading.ties[spot] = 0


class _WinnerLoser:
    """`winner,loser`, with or without columns that mark ties and say who stood left."""

    columns: ClassVar[tuple[str, ...]] = ("winner", "loser", "tie", "left")

    def __init__(self, rows: Rows, items: Names) -> None:
        self.first, self.second, self.tie = rows.column("winner"), rows.column("loser"), rows.optional_column("tie")
        self.left, self.items = rows.optional_column("left"), items

    def outcome(self, row: list[str], a: int, b: int, spot: int) -> int:
        return TIE if self.tie is not None and _yes("tie", row[self.tie]) else FIRST

    def side(self, row: list[str], a: int, b: int, outcome: int) -> int:
        cell = "" if self.left is None else row[self.left].strip()
        if not cell:
            return 0
        code = self.items.get(cell)
        if code not in (a, b):
            raise Fault(f"{shown(cell)} cannot have stood left: it is neither of the two items")
        return 1 if code == a else -1

    def settle(self, reading: _Reading) -> None:
        """Nothing is ever left open: a name is a name."""
