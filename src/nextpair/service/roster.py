"""Workers of a file: who they are, and who was given the completion code, as the export of workers tells it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from nextpair.errors import InvalidFile
from nextpair.service.content import clean
from nextpair.service.item_tables import decode, json_of
from nextpair.service.records import MAX_OUTSIDE_ID, WorkerRecord
from nextpair.store.rows import rows_of_text
from nextpair.store.spreadsheet import plain_cell


def workers_of_file(content: bytes) -> list[WorkerRecord]:
    """The workers of an export, CSV or JSON. Of its columns id, name, outside_id and completed_at are read."""
    text = decode(content)
    rows = _of_json(text) if text.lstrip().startswith(("[", "{")) else _of_csv(text)
    workers = [_worker(row, number) for number, row in enumerate(rows, start=1)]
    _refuse_twice("id", [worker.id for worker in workers])
    _refuse_twice("outside_id", [worker.outside_id for worker in workers if worker.outside_id is not None])
    return workers


def _of_json(text: str) -> list[Any]:
    rows = json_of(text, "the file of workers")
    if not isinstance(rows, list):
        raise InvalidFile('a JSON file of workers is a list, e.g. [{"id": "w1", "name": "Ada"}]')
    return rows


def _of_csv(text: str) -> list[dict[str, str]]:
    header, *rows = rows_of_text(text) or [[]]
    columns = [cell.strip().lower() for cell in header]
    return [dict(zip(columns, map(plain_cell, row), strict=False)) for row in rows]


def _worker(row: Any, number: int) -> WorkerRecord:
    if not isinstance(row, dict) or not row.get("id"):
        raise InvalidFile(f"worker {number} has no id: give the export of workers, with its column id")
    try:
        worker, name, outside = (clean(str(row.get(key) or "")) for key in ("id", "name", "outside_id"))
    except ValueError as error:
        raise InvalidFile(f"worker {number}, {str(row['id'])[:60]!r}: the name or outside_id {error}") from None
    if len(outside) > MAX_OUTSIDE_ID:
        raise InvalidFile(f"worker {number} has an outside_id of {len(outside)} characters: at most {MAX_OUTSIDE_ID}")
    # who has no name is exported under their id
    return WorkerRecord("", worker, "" if name == worker else name, outside or None, _moment(row, number))


def _moment(row: dict[str, Any], number: int) -> float | None:
    written = row.get("completed_at")
    if written is None or written == "":
        return None
    try:
        moment = float(written)
    except (TypeError, ValueError):
        moment = math.nan
    if not math.isfinite(moment):
        raise InvalidFile(
            f"worker {number} has the completed_at {str(written)[:40]!r}: it is in seconds since 1970, or empty"
        )
    return moment


def _refuse_twice(column: str, values: Sequence[str]) -> None:
    if len(set(values)) < len(values):
        twice = next(value for value in values if values.count(value) > 1)
        raise InvalidFile(f"the file of workers has the {column} {twice[:60]!r} twice: leave one out")
