"""Files of items as rows, and what is told of how they were read: whether the first row names the columns."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from nextpair.campaign.amounts import plural
from nextpair.errors import InvalidFile
from nextpair.store.rows import rows_of_text
from nextpair.store.spreadsheet import plain_cell
from nextpair.store.streams import refuse_stranger

COLUMNS = ("id", "text", "kind", "image", "guess")
TEXT_COLUMNS = ("text", "item", "name", "title", "project")  # what texts are called: the first of them that is there
THINGS = (*TEXT_COLUMNS, "team", "product", "idea", "option", "candidate", "entry")  # that have a name or a title
LONGEST = 60  # characters of what is told of a cell


class Table(NamedTuple):
    """Rows that items are made of; the first row, if it names the columns, and the one of them that holds the texts."""

    rows: Sequence[Any]
    header: Sequence[str] = ()
    texts: str = ""


def read_table(text: str) -> Table:
    """The rows of a CSV file or of a JSON list."""
    return Table(_of_json(text)) if is_json(text) else _of_csv(text)


def is_json(text: str) -> bool:
    """Whether a file of items is JSON."""
    return text.lstrip().startswith(("[", "{"))


def decode(content: bytes) -> str:
    """The text of a file, or an error that says what to do."""
    refuse_stranger("the file", content)
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InvalidFile("the file is not UTF-8 text: save it as UTF-8 (or as CSV UTF-8) and try again") from None


def json_of(text: str, what: str) -> Any:
    """What a file of JSON says; `what` it should be, for the error."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InvalidFile(f"{what} is not JSON: {error}") from None


def _of_json(text: str) -> list[Any]:
    data = json_of(text, "the file")
    rows = data.get("items") if isinstance(data, dict) else data
    if not isinstance(rows, list):
        raise InvalidFile('a JSON file of items is a list, e.g. ["first", "second"] or [{"id": "a", "text": "first"}]')
    return [{"text": row} if isinstance(row, str) else row for row in rows]


def _of_csv(text: str) -> Table:
    rows = rows_of_text(text)
    if not rows:
        return Table([])
    header = [cell.strip() for cell in rows[0]]
    names = [name.lower() for name in header]
    texts = _column_of_texts(names)
    if texts is None and not {"image", "id"} & set(names):
        header, columns = [], ["text"]
    else:
        del rows[0]
        columns = ["text" if k == texts else name for k, name in enumerate(names)]
    of_texts = header[texts] if texts is not None else ""
    return Table([_cells(columns, row, number) for number, row in enumerate(rows, start=1)], header, of_texts)


def _column_of_texts(names: Sequence[str]) -> int | None:
    """The column that is called as texts are: "title", and failing that "Titles" or "Project title"."""
    called = [_kind_of_text(name) for name in names]
    for candidates in (names, called):
        for known in TEXT_COLUMNS:
            if known in candidates:
                return candidates.index(known)
    return None


def _kind_of_text(name: str) -> str | None:
    *things, word = name.split() or [""]
    word = word.removesuffix("s")
    if len(things) == 1 and things[0] in THINGS and word in ("name", "title"):
        return word
    return word if not things and word in TEXT_COLUMNS else None


def _cells(columns: list[str], row: list[str], number: int) -> dict[str, str]:
    if any(cell.strip() for cell in row[len(columns) :]):
        written = ", ".join(map(str.strip, row))[:60]
        raise InvalidFile(
            f"row {number} of the items has {len(row)} cells and not {len(columns)}: {written!r}; "
            f"name the columns in the first line ({', '.join(COLUMNS)}), or quote texts that hold commas or semicolons"
        )
    return dict(zip(columns, map(plain_cell, row), strict=False))


def told_of(content: bytes) -> str:
    """How a file of items is read, for who is about to send it."""
    text = decode(content)
    table = read_table(text)
    if not table.rows:
        return f"This file has no items{_and_only(table.header)}."
    told = f"{plural(len(table.rows), 'item')}. The first is {_quoted(_words(table.rows[0]))}."
    if is_json(text):
        return told
    if not table.header:
        return f"{told} If that is no item but what the column is called, write “text” in its place."
    return f"{told} {_of_header(table)}"


def _and_only(header: Sequence[str]) -> str:
    return f": its one row, {_list(header)}, was taken for the names of columns" if header else ""


def _of_header(table: Table) -> str:
    ignored = [name for name in table.header if name and name != table.texts and name.lower() not in COLUMNS]
    parts = [f"The first row, {_list(table.header)}, was taken for the names of columns and is no item."]
    if table.texts.lower() not in ("", "text") and len(list(filter(None, table.header))) == 1:
        parts.append("If it is one, write a row above it that says “text”.")
    if ignored:
        parts.append(f"Workers do not see {_list(ignored)}.")
    return " ".join(parts)


def _words(row: Any) -> str:
    if not isinstance(row, Mapping):
        return str(row)
    return next((str(row[name]).strip() for name in ("text", "id", "image") if str(row.get(name) or "").strip()), "")


def _list(names: Sequence[str]) -> str:
    return ", ".join(_quoted(name) for name in names if name)


def _quoted(words: str) -> str:
    line = " ".join(words.split())
    return f"“{line if len(line) <= LONGEST else line[: LONGEST - 1] + '…'}”"
