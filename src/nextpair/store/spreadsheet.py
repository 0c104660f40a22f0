"""Writing CSV that is safe to open in a spreadsheet, and reading it again."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Sequence
from operator import eq
from types import SimpleNamespace

FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")
# Where a spreadsheet begins a cell too, if it separates them by semicolons, as many do. Our quotes are none there:
# a line break ends its row, and a doubled quote is an empty cell that a formula may follow.
WITHIN = re.compile(r"""(?<=[;\t\r\n])(?=["']*[=+\-@])""")
MADE_SAFE = re.compile(r"""(?<=[;\t\r\n])'(?=["']*[=+\-@])""")
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
    """The text, with an apostrophe before what a spreadsheet would run as a formula. Plain numbers stay.

    So is a text that looks like one made safe already: `plain_cell` always gives back what was there.
    """
    bare = text.lstrip("'")
    first = "'" if bare.startswith(FORMULA) and not NUMBER.fullmatch(bare) else ""
    return first + WITHIN.sub("'", text)


def plain_cell(cell: str) -> str:
    """What `safe_cell` made a cell of."""
    rest = MADE_SAFE.sub("", cell)
    return next((text for text in (rest.removeprefix("'"), rest) if safe_cell(text) == cell), cell)


def plain_names(names: Sequence[str]) -> list[str]:
    """What the names of a table were before they were made safe; as they stand, if one of them is not safe."""
    plain = [plain_cell(name) for name in names]
    return plain if all(map(eq, map(safe_cell, plain), names)) else list(names)
