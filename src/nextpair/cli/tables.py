"""Rankings and workers as tables with a small picture, for a person at a terminal."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from math import isnan
from typing import IO, TYPE_CHECKING, Literal

from rich.cells import cell_len, set_cell_size
from rich.console import Console
from rich.table import Table
from rich.text import Text

if TYPE_CHECKING:
    from nextpair.campaign.questions import RankingRow, WorkerRow

BAR, SHORT_BAR = 32, 16  # characters, on a wide screen and on one of less than WIDE
WIDE = 110
GAP = 2  # between two columns
PAPER = 100  # characters a line, where nobody says how many there are
STEERING = {*range(0x20), *range(0x7F, 0xA0), *range(0x202A, 0x202F), *range(0x2066, 0x206A), 0x2028, 0x2029}
ESCAPES = {code: repr(chr(code))[1:-1] for code in STEERING}


class _Console(Console):
    """One that leaves it to the command what happens when nobody reads any more: rich would exit with 1."""

    def on_broken_pipe(self) -> None:
        raise  # the error that is being handled


def console(file: IO[str] | None = None) -> Console:
    """Where tables are printed: as wide as the screen, and as `PAPER` where there is none."""
    out = _Console(file=file, highlight=False)
    if not out.is_terminal:
        out.width = shutil.get_terminal_size((PAPER, 24)).columns
    return out


def visible(name: str, room: int | None = None) -> Text:
    """A name on one line that can steer neither the terminal nor the markup: control characters as escapes.

    One that is longer than its room lacks its middle: names that are alike differ at one of their ends.
    """
    name = name.translate(ESCAPES)
    if room is not None and cell_len(name) > room:
        end = room // 3
        name = f"{set_cell_size(name, room - end - 1)}…{set_cell_size(name[::-1], end)[::-1]}"
    return Text(name)


def interval_bar(low: float, value: float, high: float, top: float, width: int = BAR, *, bottom: float = 0.0) -> str:
    """The interval as a line with a dot at the value, on a scale from bottom to top; nothing for nan."""
    if isnan(low):
        return ""
    at = [min(width - 1, int((part - bottom) / (top - bottom) * width)) for part in (low, value, high)]
    cells = [" "] * width
    for cell in range(at[0], at[2] + 1):
        cells[cell] = "─"
    cells[at[1]] = "●"
    return "".join(cells)


Extra = tuple[str, Mapping[str, str]]  # one more column: its head, and its cell by name


Column = tuple[str, Literal["left", "right"], Sequence[str | Text]]  # its head, the side of its cells, and these


def _room(out: Console, bars: Sequence[int], names: Sequence[str], columns: Sequence[Column]) -> tuple[int, int]:
    """(room, bar) for names beside these columns: the first bar that leaves every name whole, or else the last."""
    rest = out.width - sum(GAP + _wide(head, cells) for head, _, cells in columns)
    longest = max(cell_len(name.translate(ESCAPES)) for name in names)
    bar = next((bar for bar in bars if longest + GAP + bar <= rest), bars[-1])
    return max(8, rest - (GAP + bar if bar else 0)), bar


def _wide(head: str, cells: Sequence[str | Text]) -> int:
    """The width of a column in which everything is whole."""
    return max(cell_len(str(cell)) for cell in (head, *cells))


def print_columns(out: Console, columns: Sequence[Column]) -> None:
    """A table. A screen that is too narrow for it breaks its lines: half a number would be another number."""
    table = Table(box=None, pad_edge=False, padding=(0, GAP, 0, 0))
    for head, side, _ in columns:
        table.add_column(head, justify=side, no_wrap=True)
    for cells in zip(*(cells for _, _, cells in columns), strict=True):
        table.add_row(*cells)
    screen = out.width
    out.width = max(screen, sum(GAP + _wide(head, cells) for head, _, cells in columns))
    out.print(table)
    out.width = screen


def print_ranking(out: Console, rows: Sequence[RankingRow], extra: Extra | None = None) -> None:
    """The items, best first. The picture gives way to long names, and their middle to the numbers."""
    wide = out.width >= WIDE
    numbers: list[Column] = [("score", "right", [f"{row.score:.3g}" for row in rows])]
    if extra is None or wide:  # else the picture must do
        between = ["" if isnan(row.low) else f"{row.low:.2g} – {row.high:.2g}" for row in rows]
        numbers.append(("90 % interval", "right", between))
    chances = ["" if row.prob_above_next is None else f"{row.prob_above_next:.0%}" for row in rows]
    more: list[Column] = [("above the next", "right", chances)]
    if extra is not None:
        more.append((extra[0], "right", [extra[1][row.item] for row in rows]))
    rank: Column = ("rank", "right", [str(row.rank) for row in rows])
    bars = (BAR, SHORT_BAR, 0) if wide else (SHORT_BAR, 0)
    room, width = _room(out, bars, [row.item for row in rows], [rank, *numbers, *more])
    picture: list[Column] = []
    if width:
        top, bottom = max(row.high for row in rows), min(0.0, min(row.low for row in rows))  # log-scores fall below 0
        drawn = [interval_bar(row.low, row.score, row.high, top, width, bottom=bottom) for row in rows]
        head = "" if len(numbers) > 1 else "90 % interval"
        picture = [(head, "left", [Text(bar, style="cyan") for bar in drawn])]
    print_columns(out, [rank, ("item", "left", [visible(row.item, room) for row in rows]), *numbers, *picture, *more])


def _mark(row: WorkerRow) -> str:
    if row.status == "retracted":
        return " (retracted)"
    return " (known)" if row.known else ""


def print_workers(out: Console, rows: Sequence[WorkerRow], extra: Extra | None = None, most: int = 20) -> None:
    """The workers, most reliable first; of very many only the two ends."""
    if not rows:
        return
    ordered = sorted(rows, key=lambda row: -row.reliability)
    shown = ordered if len(ordered) <= most else [*ordered[: most // 2], *ordered[-(most // 2) :]]
    names = [f"{row.worker}{_mark(row)}" for row in shown]
    reliability: Column = ("reliability", "right", [f"{row.reliability:.2f}" for row in shown])
    more: list[Column] = [("answers", "right", [f"{row.answers:,}" for row in shown])]
    if any(row.favours for row in rows):
        more.append(("favours", "right", [row.favours for row in shown]))
    if extra is not None:
        more.append((extra[0], "right", [extra[1][row.worker] for row in shown]))
    room, width = _room(out, (BAR, SHORT_BAR), names, [reliability, *more])
    bars = [Text(interval_bar(row.low, row.reliability, row.high, 1.0, width), style="cyan") for row in shown]
    columns: list[Column] = [
        ("worker", "left", [visible(name, room) for name in names]),
        reliability,
        ("90 % interval", "left", bars),
        *more,
    ]
    if left := len(ordered) - len(shown):
        half, gap = most // 2, [f"… {left:,} more", *[""] * (len(columns) - 1)]
        parted = zip(columns, gap, strict=True)
        columns = [(head, side, [*cells[:half], cell, *cells[half:]]) for (head, side, cells), cell in parted]
    out.print()
    print_columns(out, columns)
