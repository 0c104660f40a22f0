"""`nextpair lab`: experiments, reproduction of the paper, and comparison of policies on one's own campaign."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from nextpair.command import is_interrupt
from nextpair.errors import InvalidSetting, reason

if TYPE_CHECKING:
    from nextpair.lab.claims import Results
    from nextpair.lab.compare import Compared
    from nextpair.lab.engines import Engine
    from nextpair.lab.run import Result

HELP = {"help_option_names": ["-h", "--help"], "max_content_width": 100}


@click.group(context_settings=HELP)
def lab() -> None:
    """Simulate and replay campaigns under several policies."""


def engine_options(command: Any) -> Any:
    """The switches of where trials run."""
    for option in (
        click.option("--scheduler", metavar="ADDRESS", help="Address of a Dask scheduler, such as tcp://host:8786."),
        click.option(
            "--engine", "engine_name", default="local", metavar="local|dask", show_default=True, help="Where to run."
        ),
        click.option("--jobs", type=int, default=0, metavar="N", help="Processes; 0, the default, is one per core."),
    ):
        command = option(command)
    return command


@lab.command("list", context_settings=HELP)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def list_(as_json: bool) -> None:
    """List the experiments, with their defaults."""
    from nextpair.lab.experiments import EXPERIMENTS

    rows = [
        {"name": e.name, "title": e.title, "paper": e.paper, "policies": list(e.policies), "trials": e.trials}
        | ({"data": True} if e.replays else {"items": e.items, "workers": e.workers})
        for e in EXPERIMENTS.values()
    ]
    if as_json:
        click.echo(json.dumps(rows, indent=1))
        return
    wide = max(len(name) for name in EXPERIMENTS)
    for e in EXPERIMENTS.values():
        size = "your data" if e.replays else f"{e.items} items" + (f", {e.workers} workers" if e.workers else "")
        click.echo(f"{e.name:{wide}}  {e.title} ({e.paper}).")
        click.echo(f"{'':{wide}}  {size}; {e.trials} trials of {', '.join(e.policies)}.")
    click.echo("\nRun one: nextpair lab run NAME --out FOLDER. Change it: nextpair lab run --help.")


@lab.command(context_settings=HELP)
@click.argument("name")
@click.option("--items", type=int, metavar="K", help="How many items.")
@click.option(
    "--workers", type=int, metavar="M", help="How many workers; in a replay, those who gave the most answers."
)
@click.option("--drawn", is_flag=True, help="In a replay, draw --workers anew each time instead.")
@click.option(
    "--budget", type=int, metavar="T", help="How many answers to buy. Default: 10 per item; in a replay, all."
)
@click.option("--trials", type=int, metavar="N", help="How many independent repetitions.")
@click.option("--policies", metavar="A,B,…", help="Which policies to compare.")
@click.option("--best", type=int, metavar="K", help="Look for the best K only; accuracy is the share of them found.")
@click.option("--seed", type=int, default=0, show_default=True, help="The same seed gives the same curves.")
@click.option("--data", metavar="PATH", help="Comparisons to replay: a file or folder. Default: $NEXTPAIR_DATA.")
@click.option(
    "--out", metavar="DIR", help="Write JSON, CSV, a figure and a report there, and keep finished trials there."
)
@click.option("--json", "as_json", is_flag=True, help="Print the curves as JSON.")
@engine_options
def run(
    name: str, items: int | None, workers: int | None, drawn: bool, budget: int | None, trials: int | None,
    policies: str | None, best: int | None, seed: int, data: str | None, out: str | None, as_json: bool,
    engine_name: str, jobs: int, scheduler: str | None,
) -> None:  # fmt: skip
    """Run the experiment NAME (see: nextpair lab list).

    Run the same command again to continue an interrupted run.
    """
    from nextpair.lab.run import run as run_job
    from nextpair.lab.settings import Asked, prepare

    engine = make_engine(engine_name, jobs, scheduler)
    job = prepare(name, Asked(items, workers, budget, trials, split_names(policies), seed, data, best, drawn))
    folder = make_folder(out)
    with stoppable():
        result = run_job(job, engine, folder and folder / "trials")
    if folder is not None:
        from nextpair.lab.report import write_run

        write_run(result, folder, shlex.join(["nextpair", *sys.argv[1:]]))
    show_result(result, folder, as_json)


@contextmanager
def stoppable() -> Iterator[None]:
    """Around a long run: whoever stops it is told that it goes on from there."""
    try:
        yield
    except (KeyboardInterrupt, SystemError) as error:
        if not is_interrupt(error):
            raise
        click.echo("\nStopped. The finished trials are kept: run the same command to go on.", err=True)
        sys.exit(130)


def split_names(policies: str | None) -> tuple[str, ...] | None:
    if policies is None:
        return None
    names = tuple(name.strip() for name in policies.split(",") if name.strip())
    if not names:
        raise InvalidSetting("--policies names no policy: give names with commas between them, such as akg,random")
    return names


def make_engine(name: str, jobs: int, scheduler: str | None) -> Engine:
    from nextpair.lab.engines import Engine

    return Engine(name, jobs, scheduler)


def make_folder(out: str | None) -> Path | None:
    """The output folder, made now: a run of hours must not fail at its end for want of a place to write."""
    from tempfile import TemporaryFile

    from nextpair.extras import require

    if out is None:
        return None
    require("matplotlib", "--out, which draws figures,")
    folder = Path(out)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise InvalidSetting(f"cannot write to --out {out}: {reason(error)}") from None
    return folder


def show_result(result: Result, folder: Path | None, as_json: bool) -> None:
    if as_json:
        click.echo(json.dumps(result.as_json()))
        return
    wide = max([len(label) for label in result.curves] + [len(t.policy) for t in result.timings])
    if result.curves:
        click.echo(f"{'accuracy':{wide}}  " + "".join(f"{f'after {result.budgets[k]:g}':>14}" for k in result.spots))
        for label, curve in result.curves.items():
            cells = (f"{curve.accuracy[k]:.3f} ± {curve.stderr[k]:.3f}".replace(" ± nan", "") for k in result.spots)
            click.echo(f"{label:{wide}}  " + "".join(f"{cell:>14}" for cell in cells))
    for t in result.timings:
        took = "too long" if t.seconds is None else f"{t.seconds:.3g} s"
        paper = "" if t.paper_seconds is None else f"   (the paper: {t.paper_seconds:g} s)"
        who = f", {t.workers} workers" if t.workers else ""
        click.echo(f"{t.policy:{wide}}  {t.items} items{who}: {took}{paper}")
    if folder is not None:
        click.echo(f"Written: {folder / 'report.html'} (and result.json, result.csv, figure.png, figure.svg)")


@lab.command(context_settings=HELP, short_help="Run the paper's experiments and check its claims.")
@click.option(
    "--out", required=True, metavar="DIR", help="Where everything goes; the same folder continues a stopped run."
)
@click.option("--quick", is_flag=True, help="Few trials: minutes instead of hours.")
@click.option("--seed", type=int, default=0, show_default=True, help="The same seed gives the same curves.")
@click.option(
    "--data", metavar="PATH", help="The real data. Default: $NEXTPAIR_DATA. Without it, those runs are left out."
)
@engine_options
def reproduce(
    out: str, quick: bool, seed: int, data: str | None, engine_name: str, jobs: int, scheduler: str | None
) -> None:
    """Run every experiment of the paper and report which of its claims hold.

    Run the same command again to continue where it stopped.
    """
    from nextpair.lab.reproduce import reproduce as reproduce_paper

    engine = make_engine(engine_name, jobs, scheduler)
    folder = Path(out)
    make_folder(out)
    with stoppable():
        results, left_out = reproduce_paper(
            folder, engine, quick=quick, seed=seed, data=data, say=lambda text: click.echo(text, err=True)
        )
    show_claims(results)
    for name, why in left_out.items():
        click.echo(f"Left out: {name}. {why}")
    click.echo(f"Written: {folder / 'report.html'}")


def show_claims(results: Results) -> None:
    from nextpair.lab.claims import CLAIMS

    for claim in CLAIMS:
        finding = claim.check(results)
        if finding is not None:
            click.echo(f"{finding.verdict:20}  {claim.text}\n{'':20}  {finding.measured}")


@lab.command(context_settings=HELP, short_help="Compare policies on a campaign of your own.")
@click.argument("journal", type=click.Path(path_type=Path))
@click.option("--policies", metavar="A,B,…", help="Which policies to compare with the campaign's own.")
@click.option(
    "--accuracy",
    type=float,
    metavar="SHARE",
    help="The accuracy to reach. Default: what the campaign's own policy reached.",
)
@click.option(
    "--truth", type=click.Path(path_type=Path), metavar="FILE", help="CSV item,score: replay the answers you have."
)
@click.option("--trials", type=int, default=100, show_default=True, help="How many simulations of each policy.")
@click.option("--seed", type=int, default=0, show_default=True, help="The same seed gives the same curves.")
@click.option("--out", metavar="DIR", help="Write JSON, CSV, a figure and a report there.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@engine_options
def compare(
    journal: Path, policies: str | None, accuracy: float | None, truth: Path | None, trials: int, seed: int,
    out: str | None, as_json: bool, engine_name: str, jobs: int, scheduler: str | None,
) -> None:  # fmt: skip
    """What other policies would have cost to learn what the campaign in JOURNAL did.

    Worlds like yours are drawn from what the paper's belief makes of its answers, and every policy is simulated in all
    of them. With --truth, every policy chooses among the answers you have instead.
    """
    from nextpair.lab.compare import compare as compare_policies

    engine, folder = make_engine(engine_name, jobs, scheduler), make_folder(out)
    with stoppable():
        found = compare_policies(
            journal, engine, policies=split_names(policies), trials=trials, seed=seed, accuracy=accuracy, truth=truth
        )
    if folder is not None:
        from nextpair.lab.report import write_run

        write_run(found.result, folder, shlex.join(["nextpair", *sys.argv[1:]]))
    if as_json:
        click.echo(json.dumps(found.as_json()))
    else:
        show_compared(found)


def show_compared(found: Compared) -> None:
    settings = found.result.job.settings
    way = "replayed" if settings.data else "simulated in worlds like yours"
    click.echo(f"{found.journal}: {settings.items} items, policy {found.own}, {found.spent:g} spent.")
    click.echo(f"{settings.trials} campaigns {way}. What an accuracy of {found.target:.3f} costs:")
    wide = max(len(label) for label in found.costs)
    for label, cost in sorted(found.costs.items(), key=lambda row: (row[1] is None, row[1] or 0.0)):
        if cost is None:
            limit = "with all answers there are" if settings.data else "with three times the money"
            click.echo(f"  {label:{wide}}  not reached {limit}")
        else:
            more = None if label == found.own else found.more(label)
            ratio = "" if more is None else f" ({100 * more:+.0f} ± {100 * found.stderr[label]:.0f} %)"
            click.echo(f"  {label:{wide}}  {cost:.4g}{ratio.replace(' ± nan', '')}")
    if found.had_guess:
        click.echo("Your campaign started from a guess; here every policy starts without one.")
