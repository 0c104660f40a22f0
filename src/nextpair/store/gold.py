"""Reading how many golden questions, those whose right answer is known, each worker got right and wrong."""

from __future__ import annotations

from nextpair.errors import InvalidFile
from nextpair.store.rows import BadRows, CsvRows, Fault, Lines, Names, describe, shown
from nextpair.store.spreadsheet import plain_names
from nextpair.store.streams import Source

COLUMNS = ("worker", "right", "wrong")
MOST = 100_000  # golden questions of one worker: more are a mistake


def read_gold(source: Source, *, skip_bad: bool = False) -> tuple[dict[str, tuple[int, int]], BadRows]:
    """(right, wrong) of each worker (header `worker,right,wrong`), and the rows that were skipped."""
    rows = CsvRows(Lines(source))
    if not rows.has(*COLUMNS):
        raise InvalidFile(
            f"{rows.name} has the header {describe(rows.header)}: gold needs {','.join(COLUMNS)} in the first line, "
            "and a row for each worker with how many of the questions they got right and wrong"
        )
    at_worker, at_right, at_wrong = map(rows.column, COLUMNS)
    names, lines = Names("worker"), dict[int, int]()
    counts: dict[str, tuple[int, int]] = {}
    for row in rows:
        try:
            number = names[row[at_worker]]
            if (before := lines.setdefault(number, rows.line)) != rows.line:
                raise Fault(f"worker {shown(names.names[number])} has a row already, line {before:,}: add them up")
            counts[names.names[number]] = _count(row[at_right], "right"), _count(row[at_wrong], "wrong")
        except Fault as fault:
            rows.report(str(fault))
    rows.refuse_bad(skip_bad)
    return dict(zip(plain_names(list(counts)), counts.values(), strict=True)), rows.bad


def _count(cell: str, column: str) -> int:
    """A whole number; an empty cell is none."""
    text = cell.strip()
    if not text:
        return 0
    if not (text.isascii() and text.isdecimal() and len(text) < 12 and int(text) <= MOST):
        raise Fault(f"how many are {column} is {shown(text)}, which is no whole number from 0 to {MOST:,}")
    return int(text)
