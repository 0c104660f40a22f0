"""What `nextpair rank` found, as a table, JSON or CSV."""

from __future__ import annotations

import io
import json
import math
import shutil
import sys
from dataclasses import dataclass
from typing import Any

import click
from rich.console import Console

from nextpair.campaign.amounts import plural
from nextpair.cli.tables import print_ranking, print_workers, visible
from nextpair.command import print_no_more, speaks_unicode
from nextpair.errors import InvalidFile, reason
from nextpair.ranking import Ranking
from nextpair.store.comparisons import ComparisonTable
from nextpair.store.rows import describe
from nextpair.store.spreadsheet import csv_text
from nextpair.store.streams import write_atomically

MOST_ROWS = 1_000  # of a table, if no --top asks for more: nobody reads on, and drawing them takes seconds
SCALES = {
    "full-posterior": "Scores are logarithms: 0.7 more means preferred two times out of three.",
    "dirichlet": "Scores sum to one: twice as much means preferred two times out of three.",
}


@dataclass(frozen=True)
class TruthCheck:
    """How right the ranking is by the true scores of `items` of its items."""

    accuracy: float
    items: int
    file: str


@dataclass
class Report:
    """What was found of a table, and how right that is by the truth."""

    found: Ranking
    table: ComparisonTable
    truth: TruthCheck | None = None
    in_haste: bool = False  # the model is not the best, which would take too long


def _known(value: float) -> float | None:
    return None if math.isnan(value) else value


def emit(report: Report, kind: str, top: int | None, out: str | None) -> None:
    """Write the report to the file `out`, or to standard output."""
    if kind == "json":
        text = json.dumps(as_json(report, top), ensure_ascii=out is None and not speaks_unicode(), indent=2) + "\n"
    elif kind == "csv":
        rows = [(row.rank, row.item, row.score, _known(row.low), _known(row.high)) for row in report.found.rows[:top]]
        text = csv_text([("rank", "item", "score", "low", "high"), *rows])
    else:
        text = as_table(report, top, colour=out is None and sys.stdout.isatty())
    if out is None:
        _print(text)
    else:
        write_atomically(out, text)
        click.echo(f"nextpair: wrote {out}", err=True)


def _print(text: str) -> None:
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except OSError as error:
        print_no_more()
        if not isinstance(error, BrokenPipeError):  # whoever reads may have seen enough (`| head`): no error
            raise InvalidFile(f"cannot write to standard output: {reason(error)}") from error


def as_json(report: Report, top: int | None) -> dict[str, Any]:
    """The documented shape; `truth` is there only where a truth was given."""
    found: dict[str, Any] = {
        "ranking": [
            {"rank": row.rank, "item": row.item, "score": row.score, "low": _known(row.low), "high": _known(row.high)}
            for row in report.found.rows[:top]
        ],
        "workers": [
            {
                "worker": row.worker,
                "reliability": row.reliability,
                "low": _known(row.low),
                "high": _known(row.high),
                "answers": row.answers,
                "leaning": row.leaning,
            }
            for row in report.found.workers
        ],
        "expected_accuracy": report.found.expected_accuracy,
        "model": report.found.model,
    }
    if report.truth is not None:
        found["truth"] = {"accuracy": report.truth.accuracy, "items": report.truth.items}
    return found


def as_table(report: Report, top: int | None, *, colour: bool) -> str:
    """Tables for people: the ranking with a picture of the intervals, the workers, and how sure it all is."""
    paper = io.StringIO()
    width = max(60, shutil.get_terminal_size((100, 24)).columns)
    # force_terminal either way: no colour in a pipe, even where the environment asks rich for it
    console = Console(
        file=paper, width=width, force_terminal=colour, color_system="auto" if colour else None, highlight=False
    )
    rows = report.found.rows[: top or MOST_ROWS]
    print_ranking(console, rows)
    left = len(report.found.rows) - len(rows)
    if left and top is None:
        console.print(f"… {plural(left, 'more item')}: --csv or --json has all.")
    print_workers(console, report.found.workers)
    lines = paper.getvalue().split("\n")
    return "".join(f"{line.rstrip()}\n" for line in [*lines, *_summary(report)])


def _summary(report: Report) -> list[str]:
    told = report.table.comparisons
    n_ties = int(told.ties.sum())
    ties = f" ({plural(n_ties, 'tie')})" if n_ties else ""
    by = f" by {plural(len(report.found.workers), 'worker')}" if report.found.workers else ""
    of = f"{plural(len(told), 'comparison')}{ties} of {plural(len(report.found.rows), 'item')}"
    longer = " (full-posterior would take longer: --model full-posterior)" if report.in_haste else ""
    lines = [f"{of}{by}; model {report.found.model}{longer}."]
    if not told.n_workers and report.table.ignored:
        ignored = describe(report.table.ignored)
        nobody = "No column is called worker or judge, so every answer counts as fully reliable"
        lines.append(f"{nobody}. Ignored: {ignored}.")
    if report.found.model in SCALES:
        lines.append(SCALES[report.found.model])
    if report.found.expected_accuracy is not None:
        lines.append(f"Expected accuracy: {report.found.expected_accuracy:.1%} of pairs in the right order.")
    if report.truth is not None:
        which = f"{report.truth.items:,} of {len(report.found.rows):,} items"
        lines.append(f"Accuracy against {visible(report.truth.file)}: {report.truth.accuracy:.1%} of pairs ({which}).")
    return lines
