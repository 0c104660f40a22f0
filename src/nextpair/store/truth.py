"""Reading the true scores of items from CSV, with every bad row told by its line."""

from __future__ import annotations

from math import isfinite

from nextpair.errors import InvalidFile
from nextpair.store.rows import BadRows, Fault, Names, Rows, describe, shown
from nextpair.store.spreadsheet import plain_names
from nextpair.store.streams import Source


def read_truth(source: Source, *, skip_bad: bool = False) -> tuple[dict[str, float], BadRows]:
    """The true score of each item (header `item,score`, higher is better), and the rows that were skipped."""
    rows = Rows(source)
    if not rows.has("item", "score"):
        raise InvalidFile(
            f"{rows.name} has the header {describe(rows.header)}: a truth needs item,score in the first line"
        )
    at_item, at_score = rows.column("item"), rows.column("score")
    names = Names("item")
    truth: dict[str, float] = {}
    for row in rows:
        try:
            name, score = names.names[names[row[at_item]]], _number(row[at_score])
            if truth.setdefault(name, score) != score:
                raise Fault(f"item {shown(name)} has the score {score:g} here and {truth[name]:g} before")
        except Fault as fault:
            rows.report(str(fault))
    rows.refuse_bad(skip_bad)
    return dict(zip(plain_names(list(truth)), truth.values(), strict=True)), rows.bad


def _number(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = float("nan")
    if not isfinite(value):
        raise Fault(f"the score is {shown(text)}, which is not a number")
    return value
