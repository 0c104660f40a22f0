"""`nextpair rank`: the ranking of the items in a file of comparisons."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import click

from nextpair.cli.figure import FIGURE, draw_to
from nextpair.errors import InvalidFile, InvalidSetting

if TYPE_CHECKING:
    from pathlib import Path

    from nextpair.cli.progress import Patience
    from nextpair.cli.rank_report import Report, TruthCheck
    from nextpair.store.comparisons import ComparisonTable


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("file")
@click.option("--json", "as_json", is_flag=True, help="Print JSON: the ranking, the workers and the accuracy.")
@click.option("--csv", "as_csv", is_flag=True, help="Print CSV: rank,item,score,low,high.")
@click.option("--out", metavar="FILE", help="Write to FILE (all or nothing). Its ending .json or .csv sets the format.")
@click.option("--truth", metavar="FILE", help="CSV item,score (higher is better), to check the ranking against.")
@click.option("--top", type=click.IntRange(min=1), metavar="N", help="Show only the first N items.")
@FIGURE
@click.option("--model", default="auto", show_default=True, help="How to estimate; an unknown name lists them all.")
@click.option("--skip-bad", is_flag=True, help="Skip bad rows instead of refusing the file.")
def rank(
    file: str,
    as_json: bool,
    as_csv: bool,
    out: str | None,
    truth: str | None,
    top: int | None,
    figure: Path | None,
    model: str,
    skip_bad: bool,
) -> None:
    """Rank the items of FILE, a file of comparisons: CSV or JSON (gzip or not; - is standard input).

    \b
    These headers are understood, columns in any order, other columns ignored:
      left,right,winner[,worker][,much]         winner: left, right, tie or a name
      winner,loser[,worker][,tie][,left][,much] tie: 1 or 0; left: stood left
      model_a,model_b,winner[,judge][,much]     as Chatbot Arena has them
    JSON is one object a line, or an array of objects, with these as its fields.
    Without a worker column every answer counts as fully reliable. much is 1 where
    the winner was called better by far.

    The models full-posterior and dirichlet give intervals and an expected accuracy; the others (bradley-terry,
    bradley-terry-map, thurstone, rank-centrality, crowd-bt, borda) give scores only. The default, auto, is
    full-posterior, or dirichlet on the rows in random order where that would take more than about ten seconds.

    \b
    Exit codes: 0 done; 1 a file cannot be read or written (bad rows are listed
    by line); 2 wrong usage.
    """
    from nextpair.cli import rank_report
    from nextpair.cli.progress import Patience
    from nextpair.extras import require_figure
    from nextpair.inference import find_estimator

    try:
        find_estimator(model)  # before a long file is read
    except InvalidSetting as error:
        raise click.UsageError(f"--model: {error}.") from None
    kind = _kind(as_json, as_csv, out)
    if file == truth == "-":
        raise click.UsageError("FILE and --truth cannot both be standard input.")
    _refuse_overwriting(out, file, truth)
    require_figure(figure)
    with Patience() as patience:
        report = _report(file, truth, model, skip_bad, patience)
    rank_report.emit(report, kind, top, out)
    draw_to(figure, report.found.rows, report.found.workers, top)


def _kind(as_json: bool, as_csv: bool, out: str | None) -> str:
    if as_json and as_csv:
        raise click.UsageError("--json and --csv cannot be combined: choose one.")
    ending = os.path.splitext(out or "")[1].lower()
    if as_json or (ending == ".json" and not as_csv):
        return "json"
    return "csv" if as_csv or ending == ".csv" else "table"


def _refuse_overwriting(out: str | None, *inputs: str | None) -> None:
    for path in inputs:
        if (
            out
            and path
            and path != "-"
            and os.path.exists(path)
            and os.path.exists(out)
            and os.path.samefile(path, out)
        ):
            raise InvalidSetting(f"--out {out} would overwrite what is read: name another file")


def _report(file: str, truth_file: str | None, model: str, skip_bad: bool, patience: Patience) -> Report:
    from nextpair.cli.rank_report import Report
    from nextpair.ranking import rank_table

    table = _read(file, skip_bad, patience)
    truth = None if truth_file is None else _read_truth(truth_file, skip_bad)
    found = rank_table(table, model, following=patience)
    report = Report(found, table, in_haste=model == "auto" and found.model != "full-posterior")
    if truth is not None and truth_file is not None:
        report.truth = _check(report, truth, truth_file)
    return report


def _read(file: str, skip_bad: bool, patience: Patience) -> ComparisonTable:
    from nextpair.store.comparisons import read_comparisons
    from nextpair.store.streams import open_source

    with open_source(file) as source:
        return read_comparisons(
            source, skip_bad=skip_bad, on_rows=lambda n: patience.tell(f"reading: {n:,} rows", source.share)
        )


def _read_truth(file: str, skip_bad: bool) -> dict[str, float]:
    from nextpair.cli.notes import tell_skipped
    from nextpair.store.scores import read_truth
    from nextpair.store.streams import open_source

    with open_source(file) as source:
        truth, skipped = read_truth(source, skip_bad=skip_bad)
        tell_skipped(source.name, skipped)
    return truth


def _check(report: Report, truth: dict[str, float], file: str) -> TruthCheck:
    """The Kendall accuracy over the items that have a true score; which have none is told."""
    import numpy as np

    from nextpair.campaign.amounts import plural
    from nextpair.cli.rank_report import TruthCheck
    from nextpair.core.accuracy import kendall_accuracy
    from nextpair.store.rows import shown

    names = [row.item for row in report.found.rows]
    known = [name for name in names if name in truth]
    unknown = [name for name in names if name not in truth]
    if len(known) < 2:
        raise InvalidFile(
            f"{file} has a score for {len(known)} of the {plural(len(names), 'item')} that were compared: "
            f"2 are needed. It has none for {shown(unknown[0])}: are the names the same?"
        )
    if unknown:
        some = ", ".join(shown(name) for name in unknown[:5]) + (", …" if len(unknown) > 5 else "")
        click.echo(
            f"nextpair: {file} has no score for {plural(len(unknown), 'item')}, left out of the accuracy: {some}",
            err=True,
        )
    if len(truth) > len(known):
        click.echo(
            f"nextpair: {file} has scores for {plural(len(truth) - len(known), 'item')} never compared", err=True
        )
    accuracy = kendall_accuracy(np.arange(len(known)), np.array([truth[name] for name in known]))
    return TruthCheck(accuracy, len(known), file)
