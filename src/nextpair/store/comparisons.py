"""Reading comparisons from a table, CSV or not, with every bad row told by its line or its number.

These headers are understood, with columns in any order, in any case and among others:

- `left,right,winner[,worker]`: the winner is the word left, right or tie, or the name of one of the two items;
- `model_a,model_b,winner[,judge]`: the same in the words of Chatbot Arena;
- `winner,loser[,worker][,tie][,left]`: names only; the tie column holds 1, true, yes or tie, or else 0, false, no or
  nothing; left is the one of the two that stood left, or nothing.

Names are taken as they stand, less the white space around them; where a table was made safe for a spreadsheet, as ours
are, also less the apostrophe of that. Without a column `worker` or `judge` every answer counts as fully reliable.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import groupby

import numpy as np

from nextpair.campaign.earlier import Earlier
from nextpair.core.arrays import IntArray
from nextpair.core.comparisons import Comparisons
from nextpair.errors import InvalidFile
from nextpair.store.layouts import SECOND, TIE, WORKER, Heard, layout_of, says_yes
from nextpair.store.records import rows_of
from nextpair.store.rows import BadRows, Fault, Names, Rows, shown
from nextpair.store.spreadsheet import plain_names
from nextpair.store.streams import Source

EVERY = 1 << 14  # rows between two reports of progress


@dataclass(frozen=True)
class ComparisonTable:
    """Comparisons on dense integers, with the names they stand for. Of a tie the "winner" is the first one named.

    Where the items have sides, or with a column `left`, it is known which of the two stood left, unless every winner
    did, or every loser: then that is how the file was written, and not how items were shown.
    """

    items: list[str]
    workers: list[str]  # empty where the file names none
    comparisons: Comparisons
    skipped: BadRows
    ignored: list[str]  # columns that were not read
    name: str  # of the file

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
    return comparisons_of(rows_of(source), skip_bad=skip_bad, on_rows=on_rows)


def comparisons_of(
    rows: Rows, *, skip_bad: bool = False, on_rows: Callable[[int], None] | None = None
) -> ComparisonTable:
    """All comparisons of a table. A bad row refuses the whole of it, unless bad rows are to be skipped."""
    reading = _Reading(rows)
    reading.run(on_rows)
    rows.refuse_bad(skip_bad)
    if len(reading.heard.won) == len(reading.heard.dropped):
        why = f"no row that is not bad\n{rows.bad.listing()}" if rows.bad.count else "no comparisons: nothing to rank"
        raise InvalidFile(f"{rows.name} holds {why}")
    return reading.table()


class _Reading:
    """The comparisons of a table, as far as it is read."""

    def __init__(self, rows: Rows) -> None:
        self.rows = rows
        self.items, self.workers = Names("item"), Names("worker")
        self.heard = Heard()
        self.worker, self.far = rows.optional_column(*WORKER), rows.optional_column("much")
        self.layout = layout_of(rows, self.items)

    def run(self, on_rows: Callable[[int], None] | None) -> None:
        layout, items, workers, who, heard = self.layout, self.items, self.workers, self.worker, self.heard
        first, second, won = layout.first, layout.second, heard.won
        for row in self.rows:
            try:
                a, b = items[row[first]], items[row[second]]
                if a == b:
                    raise Fault(f"item {shown(row[first].strip())} is compared with itself")
                w = -1 if who is None else workers[row[who]]
                outcome = layout.outcome(row, a, b, len(won))
                side = layout.side(row, a, b, outcome)
                much = self.far is not None and says_yes("much", row[self.far])
                if much and outcome == TIE:
                    raise Fault("it is a tie, in which neither is much better: clear one of the two")
            except Fault as fault:
                self.rows.report(str(fault))
                continue
            won.append(b if outcome == SECOND else a)
            heard.lost.append(a if outcome == SECOND else b)
            heard.by.append(w)
            heard.ties.append(outcome == TIE)
            heard.sides.append(side)
            heard.much.append(much)
            if on_rows is not None and len(won) % EVERY == 0:
                on_rows(len(won))
        layout.settle(heard)

    def table(self) -> ComparisonTable:
        heard = self.heard
        columns = (heard.won, heard.lost, heard.by, heard.ties, heard.sides, heard.much)
        won, lost, by, ties, sides, much = (np.delete(np.array(c, dtype=np.int64), heard.dropped) for c in columns)
        items, number = _only_used(self.items.names, won, lost)
        workers, known = _only_used(self.workers.names, by[by >= 0])
        by = known[by] if self.worker is not None else by
        decided = sides[ties == 0]
        if not ((decided > 0).any() and (decided < 0).any()):
            sides[:] = 0
        if self.rows.made_safe:
            items, workers = plain_names(items), plain_names(workers)
        comparisons = Comparisons(number[won], number[lost], by, ties, sides, much, len(items), len(workers))
        return ComparisonTable(items, workers, comparisons, self.rows.bad, self._ignored(), self.rows.name)

    def _ignored(self) -> list[str]:
        header = self.rows.header
        read = {*self.layout.columns, "much"} | ({header[self.worker]} if self.worker is not None else set())
        return [name for name in header if name and name not in read]


def _only_used(names: list[str], *used: IntArray) -> tuple[list[str], IntArray]:
    """The names that occur in a good row, and the new number of each old one: a bad row must bring in nobody."""
    seen = np.zeros(len(names), dtype=np.bool_)
    for codes in used:
        seen[codes] = True
    return [name for name, there in zip(names, seen, strict=True) if there], np.cumsum(seen, dtype=np.int64) - 1
