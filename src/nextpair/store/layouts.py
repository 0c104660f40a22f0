"""How the columns of a table tell who won.

In most layouts two items stood on two sides, and a cell has the word for one of the sides or for a tie, or the name of
one of the items. In the other one the winner and the loser are named.
"""

from __future__ import annotations

from array import array
from typing import Protocol

from nextpair.errors import InvalidFile
from nextpair.store.rows import Fault, Names, Rows, describe, encodable, shown

FIRST, SECOND, TIE = 0, 1, 2
SAID = {"left": FIRST, "right": SECOND, "tie": TIE}
ARENA = {"model_a": FIRST, "model_b": SECOND, "tie": TIE, "tie (bothbad)": TIE, "both_bad": TIE}
SIDED = {  # left, right and winner, and the words of the last
    ("left", "right", "winner"): SAID,
    ("model_a", "model_b", "winner"): ARENA,  # Chatbot Arena's
    ("left", "right", "label"): SAID,  # crowd-kit's
}
NAMED = ("winner", "loser")
WORKER = ("worker", "judge")  # the first of the two that is there
READ = {"tie", "much", *NAMED, *WORKER, *(name for columns in SIDED for name in columns)}
YES, NO = ("1", "true", "yes"), ("0", "false", "no", "")


class Heard:
    """The answers read so far. Compact arrays, since a list of a million tuples would take 200 MB."""

    def __init__(self) -> None:
        self.won, self.lost, self.by = array("i"), array("i"), array("i")
        self.ties, self.sides, self.much = array("b"), array("b"), array("b")
        self.dropped: list[int] = []


class Layout(Protocol):
    """The columns of the two items, and the outcome of a row."""

    first: int
    second: int

    @property
    def columns(self) -> tuple[str, ...]:
        """All that it reads."""

    def outcome(self, row: list[str], a: int, b: int, spot: int) -> int:
        """FIRST, SECOND or TIE for the row that will be number `spot`, between items a and b."""

    def side(self, row: list[str], a: int, b: int, outcome: int) -> int:
        """1 where the winner (of a tie, item a) stood left, -1 where right, 0 where nobody knows."""

    def settle(self, heard: Heard) -> None:
        """Called when every row is read."""


def layout_of(rows: Rows, items: Names) -> Layout:
    """That of a table, by its header."""
    for columns, words in SIDED.items():
        if rows.has(*columns):
            return _Sided(rows, items, columns, words)
    if rows.has(*NAMED):
        return _Named(rows, items)
    raise InvalidFile(f"{rows.name} {_stranger(rows)}")


def _stranger(rows: Rows) -> str:
    """What is wrong with a table that is none of comparisons."""
    first = rows.header[0]
    if first.startswith('{"event"'):
        return "is a journal: nextpair show ranks it, and nextpair export makes a file of comparisons of it"
    if first.startswith(("{", "[")):
        return "is JSON, but neither an object a line nor an array of objects: make it one of these, or CSV"
    return (
        f"has the {rows.heading} {describe(rows.header)}: name the columns left,right,winner[,worker][,much] or "
        f"winner,loser[,worker][,tie][,left][,much]{rows.place}"
    )


def says_yes(what: str, cell: str) -> bool:
    """Whether a cell of the column `what` says yes, in one of the words for that or by the column's own name."""
    word = cell.strip().lower()
    if word not in (*YES, *NO, what):
        raise Fault(f"the {what} is {shown(cell)}: neither 1, true, yes nor 0, false, no")
    return word not in NO


class _Sided:
    """Two items on two sides, and who won.

    Where an item is called as a word is, the winner's cell may be that word or the name. A column speaks one language:
    such rows are settled, when all are read, by what the winners of the other rows are.
    """

    def __init__(self, rows: Rows, items: Names, columns: tuple[str, str, str], words: dict[str, int]) -> None:
        self.columns, self.words = columns, words
        self.first, self.second, self.winner = map(rows.column, columns)
        if rows.has("tie"):
            raise InvalidFile(
                f"{rows.name} has a column tie beside {','.join(columns)}: say tie in {columns[2]}, and drop the column"
            )
        self.rows, self.items = rows, items
        items.words = words
        self.by_word = self.by_name = False  # which of the two occurred where only that one can be meant
        self.open: list[tuple[int, int, int]] = []  # (spot, line, outcome if the cell is a name)

    def outcome(self, row: list[str], a: int, b: int, spot: int) -> int:
        cell = row[self.winner]
        word = self.words.get(cell)
        if word is not None and not self.items.tricky:
            self.by_word = True
            return word
        cell = cell.strip()
        word, code = self.words.get(cell.lower()), self.items.get(cell)
        name = FIRST if code == a else SECOND if code == b else None
        if word is None:
            if name is None:
                raise Fault(self._neither(cell, row))
            self.by_name = True
            return name
        if name is None:
            self.by_word = True
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
        return f"the winner {said}: neither {', '.join(self.words)} nor one of the items {left} and {right}"

    def settle(self, heard: Heard) -> None:
        if self.by_word == self.by_name:
            for spot, line, _ in self.open:
                heard.dropped.append(spot)
                self.rows.report(
                    "the winner may be the word or the item of that name, and the other rows do not tell which: "
                    "use the header winner,loser",
                    line,
                )
        elif self.by_name:  # what was read as the word was a name
            for spot, _, name in self.open:
                if name == SECOND or not heard.ties[spot]:
                    heard.won[spot], heard.lost[spot] = heard.lost[spot], heard.won[spot]
                    heard.sides[spot] = -heard.sides[spot]
                heard.ties[spot] = 0


class _Named:
    """`winner,loser`, with or without columns that mark ties and say who stood left."""

    columns = (*NAMED, "tie", "left")

    def __init__(self, rows: Rows, items: Names) -> None:
        self.first, self.second, self.tie = rows.column("winner"), rows.column("loser"), rows.optional_column("tie")
        self.left, self.items = rows.optional_column("left"), items

    def outcome(self, row: list[str], a: int, b: int, spot: int) -> int:
        return TIE if self.tie is not None and says_yes("tie", row[self.tie]) else FIRST

    def side(self, row: list[str], a: int, b: int, outcome: int) -> int:
        cell = "" if self.left is None else row[self.left].strip()
        if not cell:
            return 0
        code = self.items.get(cell)
        if code not in (a, b):
            raise Fault(f"{shown(cell)} cannot have stood left: it is neither of the two items")
        return 1 if code == a else -1

    def settle(self, heard: Heard) -> None:
        """Nothing is ever left open: a name is a name."""
