"""Rankings and workers as tables with a small picture, for a person at a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import IO, TYPE_CHECKING

from rich.console import Console
from rich.table import Table
from rich.text import Text

if TYPE_CHECKING:
    from nextpair.campaign.questions import RankingRow, WorkerRow

BAR = 32  # characters


def console(file: IO[str] | None = None) -> Console:
    return Console(file=file, highlight=False)


def interval_bar(low: float, value: float, high: float, top: float, width: int = BAR) -> str:
    """The interval from low to high as a line with a dot at the value, on a scale from 0 to top."""
    at = [min(width - 1, int(part / top * width)) for part in (low, value, high)]
    cells = [" "] * width
    for cell in range(at[0], at[2] + 1):
        cells[cell] = "─"
    cells[at[1]] = "●"
    return "".join(cells)


def print_ranking(out: Console, rows: Sequence[RankingRow]) -> None:
    top = max(row.high for row in rows)
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column("rank", justify="right")
    table.add_column("item", overflow="fold")
    table.add_column("score", justify="right")
    table.add_column("90 % interval", no_wrap=True)
    table.add_column("above the next", justify="right")
    for row in rows:
        chance = "" if row.prob_above_next is None else f"{row.prob_above_next:.0%}"
        bar = interval_bar(row.low, row.score, row.high, top)
        table.add_row(str(row.rank), Text(row.item), f"{row.score:.3f}", Text(bar, style="cyan"), chance)
    out.print(table)


def print_workers(out: Console, rows: Sequence[WorkerRow], most: int = 20) -> None:
    """The workers, most reliable first; of very many only the two ends."""
    if not rows:
        return
    ordered = sorted(rows, key=lambda row: -row.reliability)
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column("worker", overflow="fold")
    table.add_column("reliability", justify="right")
    table.add_column("90 % interval", no_wrap=True)
    table.add_column("answers", justify="right")
    shown = ordered if len(ordered) <= most else [*ordered[: most // 2], *ordered[-(most // 2) :]]
    for place, row in enumerate(shown):
        if len(ordered) > most and place == most // 2:
            table.add_row(f"… {len(ordered) - most} more", "", "", "")
        name = row.worker if row.status == "active" else f"{row.worker} (retracted)"
        bar = interval_bar(row.low, row.reliability, row.high, 1.0)
        table.add_row(Text(name), f"{row.reliability:.2f}", Text(bar, style="cyan"), str(row.answers))
    out.print()
    out.print(table)
