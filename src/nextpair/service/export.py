"""Exports: CSV that is safe to open in a spreadsheet, JSON, and the journal as lines."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Sequence
from typing import Any

from nextpair.campaign.events import Event
from nextpair.campaign.journal import to_line

_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")


def safe_cell(value: Any) -> Any:
    """A cell that no spreadsheet takes for a formula: a text that begins like one gets an apostrophe before it."""
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA) else value


def as_csv(columns: Sequence[str], rows: Iterable[dict[str, Any]]) -> str:
    """Rows as CSV, in the order of the columns."""
    out = io.StringIO(newline="")
    writer = csv.writer(out)
    writer.writerow(columns)
    for row in rows:
        writer.writerow([safe_cell("" if row[name] is None else row[name]) for name in columns])
    return out.getvalue()


def as_json(rows: Sequence[dict[str, Any]]) -> str:
    return json.dumps(rows, ensure_ascii=False, indent=1)


def as_journal(events: Iterable[Event]) -> str:
    """The journal as `nextpair show` and Campaign.load read it: one JSON object a line."""
    return "".join(map(to_line, events))
