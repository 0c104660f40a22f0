"""`nextpair rank`: the ranking of the items in a file of comparisons."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import click

from nextpair.cli.figure import FIGURE, draw_to
from nextpair.errors import InvalidFile, InvalidSetting, Unconnected

if TYPE_CHECKING:
    from pathlib import Path

    from nextpair.cli.progress import Patience
    from nextpair.cli.rank_report import Report, TruthCheck
    from nextpair.core.comparisons import Comparisons
    from nextpair.core.model import Model
    from nextpair.store.comparisons import ComparisonTable

DOUBTFUL = 0.02  # the chance of the opposite order from which on it is told
DISORDER = 3.0  # times the pairs expected to be wrong: more are turned by no order of rows but one that leads astray
CHUNK = 10_000_000  # items times comparisons folded between two looks at the clock


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
    """Rank the items of FILE, a CSV file of comparisons (gzip or not; - is standard input).

    \b
    Two headers are understood, columns in any order, other columns ignored:
      left,right,winner[,worker][,much]         winner: left, right, tie or a name
      winner,loser[,worker][,tie][,left][,much] tie: 1 or 0; left: stood left
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
    draw_to(figure, report.ranking, report.workers, top)


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
    from nextpair.cli.notes import tell_groups, tell_sides, tell_unheard
    from nextpair.cli.rank_report import Report
    from nextpair.inference import best_estimator, fit
    from nextpair.store.rows import shown

    table = _read(file, skip_bad, patience)
    truth = None if truth_file is None else _read_truth(truth_file, skip_bad)
    told = table.comparisons
    asked = model
    if model == "auto":
        model, told = best_estimator(told)
    if model in BELIEFS:
        belief = BELIEFS[model](told, patience)
        if model == "dirichlet" and told is table.comparisons:  # in the order of the file
            _tell_where_order_matters(belief, told, patience)
        with patience.meanwhile("working out the expected accuracy"):
            report = Report.of(table, model, belief)
    else:
        try:
            with patience.meanwhile(f"fitting {model}"):
                report = Report.of_fit(table, model, fit(model, told))
        except Unconnected as error:
            raise error.named([shown(name) for name in table.items]) from None
    report.in_haste = asked == "auto" and model != "full-posterior"
    tell_groups(table)
    tell_sides(table)
    if model != "full-posterior":
        tell_unheard(int(told.much.sum()), f"the model {model}")
    if truth is not None and truth_file is not None:
        report.truth = _check(report, truth, truth_file)
    return report


def _read(file: str, skip_bad: bool, patience: Patience) -> ComparisonTable:
    from nextpair.cli.notes import tell_look_alikes, tell_skipped, tell_weights
    from nextpair.store.comparisons import read_comparisons
    from nextpair.store.streams import open_source

    with open_source(file) as source:
        table = read_comparisons(
            source, skip_bad=skip_bad, on_rows=lambda n: patience.tell(f"reading: {n:,} rows", source.share)
        )
        tell_skipped(source.name, table.skipped)
    tell_look_alikes("item", table.items)
    tell_look_alikes("worker", table.workers)
    tell_weights(table.ignored)
    return table


def _read_truth(file: str, skip_bad: bool) -> dict[str, float]:
    from nextpair.cli.notes import tell_skipped
    from nextpair.store.scores import read_truth
    from nextpair.store.streams import open_source

    with open_source(file) as source:
        truth, skipped = read_truth(source, skip_bad=skip_bad)
        tell_skipped(source.name, skipped)
    return truth


def _all_at_once(told: Comparisons, patience: Patience) -> Model:
    """The full posterior of all comparisons, whatever their order."""
    from math import log

    from nextpair.cli.notes import tell_effort
    from nextpair.core.comparisons import Comparisons
    from nextpair.core.full_posterior import FullPosterior
    from nextpair.core.settling import SETTLED, SWINGS
    from nextpair.inference.memory import refuse_too_large

    refuse_too_large(told.n_items, "leave --model out, or take dirichlet")
    tell_effort(told)
    with patience.first_use():
        FullPosterior.fit(Comparisons.of([0], [1], [0])).expected_accuracy()
    moves = [0.0]

    def tell(moved: float) -> None:
        moves.append(moved)
        patience.tell(f"ranking {told.n_items:,} items", abs(log(min(max(moved, SETTLED), 1.0)) / log(SETTLED)))

    belief = FullPosterior.fit(told, on_sweep=tell)
    if moves[-1] > SWINGS:
        _warn("more than one order fits, and none was settled on: believe neither the order nor the intervals")
    elif (doubt := min(belief.opposite, 1 - belief.opposite)) > DOUBTFUL:
        _warn(f"the opposite order has a chance of {doubt:.0%}: answers of others would decide")
    return belief


def _warn(what: str) -> None:
    question = "Do some answer the opposite of what was asked?"
    click.echo(f"nextpair: workers contradict each other so much that {what}. {question}", err=True)


def _one_by_one(comparisons: Comparisons, patience: Patience) -> Model:
    """The belief after all comparisons, a chunk at a time so that there is progress to tell."""
    from nextpair.core.belief import Belief

    with patience.first_use():
        Belief.prior(2, 1).update(0, 1, 0)
    data = comparisons
    belief = Belief.prior(data.n_items, data.n_workers)
    step = max(1, CHUNK // data.n_items)
    for start in range(0, len(data), step):
        patience.tell(f"ranking {data.n_items:,} items", start / len(data))
        part = slice(start, start + step)
        belief = belief.fold(data.winners[part], data.losers[part], data.workers[part], data.ties[part])
    return belief


BELIEFS = {"full-posterior": _all_at_once, "dirichlet": _one_by_one}  # the models that say how sure they are


def _tell_where_order_matters(belief: Model, told: Comparisons, patience: Patience) -> None:
    """Compare with the ranking by the same rows in a random order: rows that are sorted by winner lead far astray."""
    from nextpair.core.accuracy import kendall_accuracy
    from nextpair.inference import shuffled

    turned = 1 - kendall_accuracy(belief.ranking(), _one_by_one(shuffled(told), patience).scores())
    doubt = 1 - belief.expected_accuracy()
    if turned > DISORDER * doubt:
        click.echo(
            f"nextpair: dirichlet takes rows in the order of the file. In a random one {turned:.1%} of pairs come out "
            f"the other way round, and it takes only {doubt:.1%} for wrong: shuffle the file, or leave --model out",
            err=True,
        )


def _check(report: Report, truth: dict[str, float], file: str) -> TruthCheck:
    """The Kendall accuracy over the items that have a true score; which have none is told."""
    import numpy as np

    from nextpair.campaign.amounts import plural
    from nextpair.cli.rank_report import TruthCheck
    from nextpair.core.accuracy import kendall_accuracy
    from nextpair.store.rows import shown

    names = [row.item for row in report.ranking]
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
