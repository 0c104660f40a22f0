"""What `nextpair rank` found, as a table, JSON or CSV."""

from __future__ import annotations

import io
import json
import os
import shutil
import sys
from dataclasses import dataclass
from typing import Any, Literal, Self

import click
import numpy as np
from rich import box
from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from nextpair.core.model import Model
from nextpair.store.comparisons import ComparisonTable
from nextpair.store.files import write_atomically
from nextpair.store.rows import plural
from nextpair.store.spreadsheet import csv_text

MOST_ROWS = 1_000  # of a table, if no --top asks for more: nobody reads on, and drawing them takes seconds
MANY_WORKERS = 12  # with more, only the MOST and the LEAST reliable are shown
ENDS = 5
PICTURE = 24  # characters of the picture of an interval
INVISIBLE = {*range(0x20), *range(0x7F, 0xA0), *range(0x202A, 0x202F), *range(0x2066, 0x206A), 0x2028, 0x2029}
ESCAPED = {code: repr(chr(code))[1:-1] for code in INVISIBLE}  # a name must not steer the terminal


@dataclass(frozen=True)
class TruthCheck:
    """How right the ranking is by the true scores of `items` of its items."""

    accuracy: float
    items: int
    file: str


@dataclass
class Report:
    """Items best first with their scores and intervals, workers most reliable first."""

    items: list[str]
    scores: list[float]
    low: list[float]
    high: list[float]
    workers: list[str]
    reliability: list[float]
    answers: list[int]  # of each worker
    n_comparisons: int
    n_ties: int
    accuracy: float
    truth: TruthCheck | None = None

    @classmethod
    def of(cls, table: ComparisonTable, belief: Model) -> Self:
        data, order = table.comparisons, belief.ranking()
        low, high = belief.intervals()
        by_trust = np.argsort(-belief.reliability, kind="stable")
        answers = np.bincount(data.workers[data.workers >= 0], minlength=data.n_workers)
        return cls(
            [table.items[k] for k in order],
            belief.scores()[order].tolist(),
            low[order].tolist(),
            high[order].tolist(),
            [table.workers[w] for w in by_trust],
            belief.reliability[by_trust].tolist(),
            answers[by_trust].tolist(),
            len(data),
            int(data.ties.sum()),
            belief.expected_accuracy(),
        )

    def rows(self, top: int | None) -> list[tuple[int, str, float, float, float]]:
        """(rank, item, score, low, high) of the first `top` items."""
        ranks = range(1, len(self.items) + 1)
        return list(zip(ranks, self.items, self.scores, self.low, self.high, strict=True))[:top]


def emit(report: Report, kind: str, top: int | None, out: str | None) -> None:
    """Write the report to the file `out`, or to standard output."""
    to_terminal = out is None and sys.stdout.isatty()
    plain = out is None and not (sys.stdout.encoding or "").lower().startswith("utf")
    if kind == "json":
        text = json.dumps(as_json(report, top), ensure_ascii=plain, indent=2) + "\n"
    elif kind == "csv":
        text = csv_text([("rank", "item", "score", "low", "high"), *report.rows(top)])
    else:
        text = as_table(report, top, colour=to_terminal, plain=plain)
    if out is None:
        _print(text)
    else:
        write_atomically(out, text)
        click.echo(f"nextpair: wrote {out}", err=True)


def _print(text: str) -> None:
    encoding = sys.stdout.encoding or "utf-8"
    try:
        sys.stdout.write(text.encode(encoding, "backslashreplace").decode(encoding))
        sys.stdout.flush()
    except BrokenPipeError:  # whoever reads has seen enough (`| head`): not our error; nor may the last flush be one
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def as_json(report: Report, top: int | None) -> dict[str, Any]:
    """The documented shape; `truth` is there only where a truth was given."""
    names = ("rank", "item", "score", "low", "high")
    workers = zip(report.workers, report.reliability, strict=True)
    found: dict[str, Any] = {
        "ranking": [dict(zip(names, row, strict=True)) for row in report.rows(top)],
        "workers": [{"worker": worker, "reliability": value} for worker, value in workers],
        "accuracy": report.accuracy,
    }
    if report.truth is not None:
        found["truth"] = {"accuracy": report.truth.accuracy, "items": report.truth.items}
    return found


def as_table(report: Report, top: int | None, *, colour: bool, plain: bool) -> str:
    """Tables for people: the ranking with a picture of the intervals, the workers, and how sure it all is."""
    rows = report.rows(top or MOST_ROWS)
    parts: list[RenderableType] = [_ranking(rows, plain)]
    left = len(report.items) - len(rows)
    if left and top is None:
        parts.append(Text(f"{left:,} more {'item' if left == 1 else 'items'}: --csv or --json has all.\n"))
    if report.workers:
        parts.append(_workers(report, plain))
    paper = io.StringIO()
    width = shutil.get_terminal_size((100, 24)).columns
    console = Console(file=paper, width=max(width, 60), force_terminal=colour, color_system="auto" if colour else None)
    console.print(Group(*parts))
    lines = paper.getvalue().split("\n")[:-1]
    return "".join(f"{line.rstrip()}\n" for line in [*lines, *_summary(report)])


def _table(plain: bool) -> Table:
    return Table(box=box.ASCII if plain else box.SIMPLE_HEAD, pad_edge=False)


def _ranking(rows: list[tuple[int, str, float, float, float]], plain: bool) -> Table:
    table = _table(plain)
    for title in ("rank", "item", "score", "90 % interval", ""):
        side: Literal["left", "right"] = "left" if title in ("item", "") else "right"
        table.add_column(title, justify=side, no_wrap=True, overflow="ellipsis")
    widest = max(high for *_, high in rows)
    for rank, item, score, low, high in rows:
        picture = Text(_picture(score / widest, low / widest, high / widest, plain), style="cyan")
        name = Text(visible(item), style="bold" if rank == 1 else "")
        between = f"{low:.2g} {'-' if plain else '–'} {high:.2g}"
        table.add_row(str(rank), name, f"{score:.3g}", between, picture)
    return table


def _picture(score: float, low: float, high: float, plain: bool) -> str:
    """The interval as a line with the score on it, on a scale from 0 to the highest end of all."""
    line, dot = ("-", "o") if plain else ("─", "●")
    spots = [round(share * (PICTURE - 1)) for share in (low, score, high)]
    return " " * spots[0] + line * (spots[1] - spots[0]) + dot + line * (spots[2] - spots[1])


def _workers(report: Report, plain: bool) -> Table:
    table = _table(plain)
    table.add_column("worker", no_wrap=True, overflow="ellipsis")
    table.add_column("reliability", justify="right")
    table.add_column("answers", justify="right")
    rows = list(zip(report.workers, report.reliability, report.answers, strict=True))
    hidden = len(rows) - 2 * ENDS if len(rows) > MANY_WORKERS else 0
    for worker, reliability, answers in rows[:ENDS] if hidden else rows:
        table.add_row(Text(visible(worker)), f"{reliability:.2f}", f"{answers:,}")
    if hidden:
        table.add_row(f"({hidden:,} more)", "", "")
        for worker, reliability, answers in rows[-ENDS:]:
            table.add_row(Text(visible(worker)), f"{reliability:.2f}", f"{answers:,}")
    return table


def _summary(report: Report) -> list[str]:
    ties = f" ({plural(report.n_ties, 'tie')})" if report.n_ties else ""
    by = f" by {plural(len(report.workers), 'worker')}" if report.workers else ""
    lines = [
        f"{plural(report.n_comparisons, 'comparison')}{ties} of {plural(len(report.items), 'item')}{by}.",
        f"Expected accuracy: {report.accuracy:.1%} of pairs in the right order.",
    ]
    if report.truth is not None:
        which = f"{report.truth.items:,} of {len(report.items):,} items"
        lines.append(f"Accuracy by {visible(report.truth.file)}: {report.truth.accuracy:.1%} of pairs ({which}).")
    return lines


def visible(name: str) -> str:
    """A name on one line that cannot steer the terminal: control characters as escapes."""
    return name.translate(ESCAPED)
