"""Answers as records, each a mapping of fields to values: JSON objects of a file, or what a program has at hand.

The fields of the first record are the header of all. What is no part of an answer may be there, and is not looked at.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from itertools import chain
from numbers import Integral
from typing import Any

from nextpair.errors import InvalidFile
from nextpair.store.layouts import READ, WORKER
from nextpair.store.rows import ARRAY, CsvRows, Fault, Lines, Rows, shown
from nextpair.store.streams import Source

OBJECT = re.compile(r'\s*\{\s*(?:"|\}|$)')
EXAMPLE = '{"worker": "ann", "left": "tea", "right": "coffee", "winner": "left"}'
Record = Callable[[], Mapping[Any, Any]]  # a Fault, where it is none


class Records(Rows):
    """The rows that records make, each with its number."""

    heading, place = "fields", ""

    def __init__(self, name: str, unit: str, records: Iterable[tuple[int, Record]]) -> None:
        super().__init__(name, unit, made_safe=False)
        self._records = iter(records)
        self._begin: list[tuple[int, Record]] = []
        self._fields: list[Any] = []  # of the first, as they are written
        for number, record in self._records:
            self._begin.append((number, record))
            with suppress(Fault):
                self._fields = _said(record())
            if self._fields:
                self.header = [plain_field(field) for field in self._fields]
                return
        for _ in self:  # there is none with a field: say why
            self.report("it has no fields")
        self.refuse_bad(skip_bad=False)
        raise InvalidFile(f"{self.name} holds no comparisons: nothing to rank")

    def __iter__(self) -> Iterator[list[str]]:
        for number, record in chain(self._begin, self._records):
            self.line = number
            try:
                yield self._cells(record())
            except Fault as fault:
                self.report(str(fault))

    def _cells(self, record: Mapping[Any, Any]) -> list[str]:
        fields = self._fields
        if list(record) != fields:
            record = {plain_field(field): value for field, value in record.items()}
            fields = self.header
            if late := [field for field in _said(record) if field in READ and field not in fields]:
                raise Fault(f"it has {shown(late[0])}, and the first one has not: say it in all of them, or in none")
        wanted = zip(self.header, fields, strict=True)
        return [cell_of(name, record.get(field)) if name in READ else "" for name, field in wanted]


def _said(record: Mapping[Any, Any]) -> list[Any]:
    """Its fields, less a worker who is nobody: so answers say in which nobody is told apart."""
    return [name for name, value in record.items() if plain_field(name) not in WORKER or cell_of("worker", value)]


def plain_field(field: object) -> str:
    """A field as it is compared, whatever its capitals."""
    return str(field).strip().lower()


def cell_of(field: str, value: Any) -> str:
    """A value as a cell of a table holds it. A number with a point is no name: 7 and 7.0 would be two."""
    if isinstance(value, str):
        return str.__str__(value)
    if getattr(value, "ndim", None) == 0:  # of numpy
        value = value.item()
    if isinstance(value, bool):
        return "1" if value else "0"
    if isinstance(value, Integral):
        return str(int(value))
    if value is None or _is_missing(value):
        return ""
    raise Fault(f"the {field} is {value!r:.60}: text is wanted, or a whole number")


def _is_missing(value: Any) -> bool:
    """Whether it is what a table of numbers holds where there is nothing: nan, or what is neither like nor unlike."""
    try:
        return bool(value != value)
    except (TypeError, ValueError):
        return type(value).__name__ == "NAType"


def rows_of(source: Source) -> Rows:
    """A file as the table that it is: CSV, JSON lines or a JSON array, by how it begins."""
    lines = Lines(source)
    if ARRAY.match(lines.first):
        return Records(lines.name, "answer", _of_array(lines))
    if OBJECT.match(lines.first) and not lines.first.startswith('{"event"'):
        return Records(lines.name, "line", _of_lines(lines))
    return CsvRows(lines)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        raise Fault(f"an object with {shown(next(name for name in names if names.count(name) > 1))} twice: leave one")
    return found


DECODER = json.JSONDecoder(object_pairs_hook=_once)


def _of_lines(lines: Lines) -> Iterator[tuple[int, Record]]:
    for line in chain([lines.first], lines):
        if line.strip():
            yield lines.last, lambda text=line: _as_object(_parsed(text))  # type: ignore[misc]


def _of_array(lines: Lines) -> Iterator[tuple[int, Record]]:
    try:
        array = _parsed(lines.whole())
    except Fault as fault:
        raise InvalidFile(f"{lines.name} is {fault}") from None
    return ((number, lambda one=one: _as_object(one)) for number, one in enumerate(array, start=1))  # type: ignore[misc]


def _parsed(text: str) -> Any:
    text = text.rstrip()
    try:
        return DECODER.decode(text)
    except RecursionError:
        why = "brackets within brackets without end"
    except json.JSONDecodeError as error:
        at = f"line {error.lineno:,}" if "\n" in text else f"character {error.pos + 1:,}"
        why = f"{error.msg}: {at}"
    except ValueError as error:  # a number of thousands of digits
        why = str(error)
    raise Fault(f"no JSON that can be read ({why}): is it cut short?")


def _as_object(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise Fault(f"{shown(json.dumps(value))} is no JSON object: an answer is one, such as {EXAMPLE}")
    return value
