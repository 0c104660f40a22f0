"""Reading a number for each item from CSV, a true score or a guess, with every bad row told by its line."""

from __future__ import annotations

import re
from math import isfinite

from nextpair.errors import InvalidFile
from nextpair.store.rows import BadRows, CsvRows, Fault, Lines, Names, describe, shown
from nextpair.store.spreadsheet import plain_names
from nextpair.store.streams import Source

WITH_COMMA = re.compile(r"[+-]?\d*,\d+([eE][+-]?\d+)?")
TWO_WAYS = re.compile(r"[+-]?[1-9]\d{0,2},\d{3}")  # 1,000 is a thousand here and one there


def read_truth(source: Source, *, skip_bad: bool = False) -> tuple[dict[str, float], BadRows]:
    """The true score of each item (header `item,score`, higher is better), and the rows that were skipped."""
    truth, bad = _read(source, "truth", ("score",), skip_bad)
    return {item: score for item, score in truth.items() if score is not None}, bad


def read_guess(source: Source, *, skip_bad: bool = False) -> tuple[dict[str, float | None], BadRows]:
    """The guess of each item (header `item,guess`, or `item,score` as in a ranking), and the rows that were skipped.

    None of an item whose cell is empty.
    """
    return _read(source, "guess", ("guess", "score"), skip_bad, gaps=True)


def _read(
    source: Source, what: str, columns: tuple[str, ...], skip_bad: bool, *, gaps: bool = False
) -> tuple[dict[str, float | None], BadRows]:
    rows = CsvRows(Lines(source))
    column = next((name for name in columns if rows.has("item", name)), None)
    if column is None:
        wanted = " or ".join(f"item,{name}" for name in columns)
        raise InvalidFile(
            f"{rows.name} has the header {describe(rows.header)}: a {what} needs {wanted} in the first line"
        )
    at_item, at_number = rows.column("item"), rows.column(column)
    names = Names("item")
    numbers: dict[str, float | None] = {}
    for row in rows:
        try:
            name, cell = names.names[names[row[at_item]]], row[at_number].strip()
            number = None if gaps and not cell else number_of(cell, column)
            if numbers.setdefault(name, number) != number:
                here, before = (shown("" if one is None else f"{one:g}") for one in (number, numbers[name]))
                raise Fault(f"item {shown(name)} has the {column} {here} here and {before} before")
        except Fault as fault:
            rows.report(str(fault))
    rows.refuse_bad(skip_bad)
    return dict(zip(plain_names(list(numbers)), numbers.values(), strict=True)), rows.bad


def number_of(text: str, column: str) -> float:
    """The number in a cell of that column, with a point or, as spreadsheets of many a country write it, a comma."""
    if TWO_WAYS.fullmatch(text):
        raise Fault(f"the {column} is {shown(text)}, which can be read in two ways: write it like 1000 or 1.50")
    try:
        value = float(text.replace(",", ".") if WITH_COMMA.fullmatch(text) else text)
    except ValueError:
        value = float("nan")
    if not isfinite(value):
        raise Fault(f"the {column} is {shown(text)}, which is not a number")
    return value
