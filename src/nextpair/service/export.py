"""Exports: CSV that is safe to open in a spreadsheet, JSON, and the journal as lines."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

from nextpair.campaign.events import Event
from nextpair.campaign.journal import to_line
from nextpair.store.spreadsheet import csv_text

JOURNAL_TYPE = "application/x-ndjson"
BOM = "\ufeff"  # without it a spreadsheet takes UTF-8 for something older; our own readers pass over it


def as_csv(columns: Sequence[str], rows: Iterable[dict[str, Any]]) -> str:
    """Rows as CSV, in the order of the columns, safe to open in a spreadsheet."""
    return BOM + csv_text([columns, *([row[name] for name in columns] for row in rows)])


def as_json(rows: Sequence[dict[str, Any]]) -> str:
    return json.dumps(rows, ensure_ascii=False, indent=1)


def as_journal(events: Iterable[Event]) -> str:
    """The journal as `nextpair show` and Campaign.load read it: one JSON object a line."""
    return "".join(map(to_line, events))
