"""Writing CSV that is safe to open in a spreadsheet, and reading it again."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Sequence
from operator import eq
from types import SimpleNamespace

FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")


def csv_text(rows: Iterable[Sequence[object]]) -> str:
    """Rows as CSV, one line each, text cells made safe."""
    lines: list[str] = []
    # the writer quotes a carriage return only if its own line end has one: let it write \r\n and take that off
    writer = csv.writer(SimpleNamespace(write=lambda line: lines.append(line.removesuffix("\r\n"))))
    for row in rows:
        writer.writerow([safe_cell(cell) if isinstance(cell, str) else cell for cell in row])
    return "".join(f"{line}\n" for line in lines)


def safe_cell(text: str) -> str:
    """The text, behind an apostrophe where a spreadsheet would run it as a formula. Plain numbers stay.

    So is a text that looks like one made safe already: `plain_cell` always gives back what was there.
    """
    bare = text.lstrip("'")
    return f"'{text}" if bare.startswith(FORMULA) and not NUMBER.fullmatch(bare) else text


def plain_cell(cell: str) -> str:
    """What `safe_cell` made a cell of."""
    rest = cell.removeprefix("'")
    return rest if safe_cell(rest) == cell else cell


def plain_names(names: Sequence[str]) -> list[str]:
    """What the names of a table were before they were made safe; as they stand, if one of them is not safe."""
    plain = [plain_cell(name) for name in names]
    return plain if all(map(eq, map(safe_cell, plain), names)) else list(names)
