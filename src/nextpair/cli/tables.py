"""Rankings and workers as tables with a small picture, for a person at a terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isnan
from typing import IO, TYPE_CHECKING

from rich.console import Console
from rich.table import Table
from rich.text import Text

if TYPE_CHECKING:
    from nextpair.campaign.questions import RankingRow, WorkerRow

BAR, SHORT_BAR = 32, 16  # characters, on a wide screen and on one of less than WIDE
WIDE = 110
STEERING = {*range(0x20), *range(0x7F, 0xA0), *range(0x202A, 0x202F), *range(0x2066, 0x206A), 0x2028, 0x2029}
ESCAPES = {code: repr(chr(code))[1:-1] for code in STEERING}


def console(file: IO[str] | None = None) -> Console:
    return Console(file=file, highlight=False)


def visible(name: str) -> Text:
    """A name on one line that can steer neither the terminal nor the markup: control characters as escapes."""
    return Text(name.translate(ESCAPES))


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


def print_ranking(out: Console, rows: Sequence[RankingRow], extra: Extra | None = None) -> None:
    top, bottom = max(row.high for row in rows), min(0.0, min(row.low for row in rows))  # log-scores fall below 0
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column("rank", justify="right", no_wrap=True, min_width=4)
    width = BAR if out.width >= WIDE else SHORT_BAR
    # a long name gives way to the numbers, which take at most 52 characters with the gaps
    table.add_column("item", no_wrap=True, overflow="ellipsis", max_width=max(8, out.width - width - 52))
    table.add_column("score", justify="right", no_wrap=True)
    numbers = extra is None or out.width >= WIDE  # else the picture must do
    if numbers:
        table.add_column("90 % interval", justify="right", no_wrap=True)
    table.add_column("" if numbers else "90 % interval", no_wrap=True)
    table.add_column("above the next", justify="right", no_wrap=True)
    if extra is not None:
        table.add_column(extra[0], justify="right", no_wrap=True)
    for row in rows:
        chance = "" if row.prob_above_next is None else f"{row.prob_above_next:.0%}"
        bar = Text(interval_bar(row.low, row.score, row.high, top, width, bottom=bottom), style="cyan")
        between = ["" if isnan(row.low) else f"{row.low:.2g} – {row.high:.2g}"] if numbers else []
        more = [] if extra is None else [extra[1][row.item]]
        table.add_row(str(row.rank), visible(row.item), f"{row.score:.3g}", *between, bar, chance, *more)
    out.print(table)


def print_workers(out: Console, rows: Sequence[WorkerRow], extra: Extra | None = None, most: int = 20) -> None:
    """The workers, most reliable first; of very many only the two ends."""
    if not rows:
        return
    ordered = sorted(rows, key=lambda row: -row.reliability)
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column("worker", no_wrap=True, overflow="ellipsis", max_width=max(8, out.width - BAR - 28))
    table.add_column("reliability", justify="right")
    table.add_column("90 % interval", no_wrap=True)
    table.add_column("answers", justify="right")
    leaning = any(row.favours for row in rows)
    if leaning:
        table.add_column("favours", justify="right", no_wrap=True)
    if extra is not None:
        table.add_column(extra[0], justify="right")
    shown = ordered if len(ordered) <= most else [*ordered[: most // 2], *ordered[-(most // 2) :]]
    for place, row in enumerate(shown):
        if len(ordered) > most and place == most // 2:
            table.add_row(f"… {len(ordered) - most:,} more")
        name = row.worker if row.status == "active" else f"{row.worker} (retracted)"
        name += " (known)" if row.known and row.status == "active" else ""
        bar = Text(interval_bar(row.low, row.reliability, row.high, 1.0), style="cyan")
        more = [row.favours] if leaning else []
        more += [] if extra is None else [extra[1][row.worker]]
        table.add_row(visible(name), f"{row.reliability:.2f}", bar, f"{row.answers:,}", *more)
    out.print()
    out.print(table)
