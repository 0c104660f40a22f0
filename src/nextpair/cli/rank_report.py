"""What `nextpair rank` found, as a table, JSON or CSV."""

from __future__ import annotations

import io
import json
import math
import shutil
import sys
from dataclasses import dataclass
from typing import Any, Self

import click
from rich.console import Console

from nextpair.campaign.amounts import plural
from nextpair.campaign.questions import RankingRow, WorkerRow
from nextpair.campaign.views import ranking_rows, worker_rows
from nextpair.cli.tables import print_ranking, print_workers, visible
from nextpair.command import print_no_more, speaks_unicode
from nextpair.core.comparisons import answers_by_worker
from nextpair.core.model import Model
from nextpair.errors import InvalidFile, reason
from nextpair.inference import Fit
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
    """Items best first, workers most reliable first, and how right the ranking is believed and found to be."""

    ranking: list[RankingRow]
    workers: list[WorkerRow]
    table: ComparisonTable
    model: str
    expected_accuracy: float | None  # None, as bounds of intervals are nan, where the model does not say how sure it is
    truth: TruthCheck | None = None
    in_haste: bool = False  # the model is not the best, which would take too long

    @classmethod
    def of_fit(cls, table: ComparisonTable, model: str, fit: Fit) -> Self:
        """What a model found that gives scores only."""
        rows = [
            RankingRow(place, table.items[k], float(fit.scores[k]), math.nan, math.nan, None)
            for place, k in enumerate(fit.ranking.tolist(), start=1)
        ]
        answers = _answers(table)
        workers = [] if fit.reliability is None else [
            WorkerRow(name, float(fit.reliability[w]), math.nan, math.nan, answers[w])
            for w, name in enumerate(table.workers)
        ]  # fmt: skip
        return cls(rows, sorted(workers, key=lambda row: -row.reliability), table, model, None)

    @classmethod
    def of(cls, table: ComparisonTable, model: str, belief: Model) -> Self:
        rows = ranking_rows(belief, table.items)
        workers = sorted(worker_rows(belief, table.workers, _answers(table)), key=lambda row: -row.reliability)
        return cls(rows, workers, table, model, belief.expected_accuracy())


def _answers(table: ComparisonTable) -> list[int]:
    answers: list[int] = answers_by_worker(table.comparisons.workers, len(table.workers)).tolist()
    return answers


def _known(value: float) -> float | None:
    return None if math.isnan(value) else value


def emit(report: Report, kind: str, top: int | None, out: str | None) -> None:
    """Write the report to the file `out`, or to standard output."""
    if kind == "json":
        text = json.dumps(as_json(report, top), ensure_ascii=out is None and not speaks_unicode(), indent=2) + "\n"
    elif kind == "csv":
        rows = [(row.rank, row.item, row.score, _known(row.low), _known(row.high)) for row in report.ranking[:top]]
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
            for row in report.ranking[:top]
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
            for row in report.workers
        ],
        "expected_accuracy": report.expected_accuracy,
        "model": report.model,
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
    rows = report.ranking[: top or MOST_ROWS]
    print_ranking(console, rows)
    left = len(report.ranking) - len(rows)
    if left and top is None:
        console.print(f"… {plural(left, 'more item')}: --csv or --json has all.")
    print_workers(console, report.workers)
    lines = paper.getvalue().split("\n")
    return "".join(f"{line.rstrip()}\n" for line in [*lines, *_summary(report)])


def _summary(report: Report) -> list[str]:
    told = report.table.comparisons
    n_ties = int(told.ties.sum())
    ties = f" ({plural(n_ties, 'tie')})" if n_ties else ""
    by = f" by {plural(len(report.workers), 'worker')}" if report.workers else ""
    of = f"{plural(len(told), 'comparison')}{ties} of {plural(len(report.ranking), 'item')}"
    longer = " (full-posterior would take longer: --model full-posterior)" if report.in_haste else ""
    lines = [f"{of}{by}; model {report.model}{longer}."]
    if not told.n_workers and report.table.ignored:
        ignored = describe(report.table.ignored)
        nobody = "No column is called worker or judge, so every answer counts as fully reliable"
        lines.append(f"{nobody}. Ignored: {ignored}.")
    if report.model in SCALES:
        lines.append(SCALES[report.model])
    if report.expected_accuracy is not None:
        lines.append(f"Expected accuracy: {report.expected_accuracy:.1%} of pairs in the right order.")
    if report.truth is not None:
        which = f"{report.truth.items:,} of {len(report.ranking):,} items"
        lines.append(f"Accuracy against {visible(report.truth.file)}: {report.truth.accuracy:.1%} of pairs ({which}).")
    return lines
