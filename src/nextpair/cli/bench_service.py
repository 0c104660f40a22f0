"""`nextpair bench service`: what the live service holds, and that it loses nothing."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

CALM_SECONDS = 40.0
COLUMNS = ("as seen", "network", "database", "us", "choosing", "waiting")  # the last two are parts of "us"


@click.command(short_help="Load and kill live servers: is anything lost?")
@click.option("--workers", default=200, show_default=True, type=click.IntRange(1, 2000), help="Concurrent workers.")
@click.option(
    "--answers", default=2000, show_default=True, type=click.IntRange(1, 1_000_000), help="Budget, in answers."
)
@click.option("--items", default=40, show_default=True, type=click.IntRange(2, 2000))
@click.option("--kills", default=3, show_default=True, type=click.IntRange(0, 100), help="kill -9 of server processes.")
@click.option("--seconds", default=120.0, show_default=True, help="Longest time for each run.")
@click.option(
    "--round-trip",
    default=30.0,
    show_default=True,
    type=click.FloatRange(0, 10_000),
    help="Milliseconds of network to half of the calm crowd.",
)
@click.option("--seed", default=1, show_default=True)
@click.option("--only", type=click.Choice(["sqlite", "postgresql"]), help="One of the two databases.")
@click.option("--postgres", envvar="NEXTPAIR_BENCH_POSTGRES", help="A PostgreSQL database to use instead of a new one.")
def service(
    workers: int,
    answers: int,
    items: int,
    kills: int,
    seconds: float,
    round_trip: float,
    seed: int,
    only: str | None,
    postgres: str | None,
) -> None:
    """Load, faults and kills against real servers on this machine; the exit code is 1 if anything was lost.

    Runs on SQLite with one process and on PostgreSQL with two: first a calm crowd of 50 on 100 items for latencies,
    half of it a network away; then a storm of workers who retry, send twice, contradict themselves, drop connections
    and walk away, while servers are killed.
    """
    from nextpair.service.bench.run import POLITE, Plan, run

    failed = False
    for name, processes in (("sqlite", 1), ("postgresql", 2)):
        if only not in (None, name):
            continue
        with _database(name, postgres) as (url, folder):
            plan = Plan(url, processes, workers, items, answers, kills=kills, seconds=seconds, seed=seed)
            calm = replace(
                plan, workers=50, items=100, budget=10_000, kills=0, lease=60.0, manners=POLITE,
                seconds=min(seconds, CALM_SECONDS), round_trip=round_trip / 1000,
            )  # fmt: skip
            click.echo(f"\n{name}, {processes} process{'es' * (processes > 1)}")
            for title, step in (
                ("calm: 50 workers, 100 items", calm),
                (f"storm: {workers} workers, {items} items", plan),
            ):
                report = run(step, folder)
                _print(title, report)
                failed |= bool(report.lost)
    sys.exit(1 if failed else 0)


@contextmanager
def _database(name: str, given: str | None) -> Iterator[tuple[str, Path]]:
    from nextpair.service.bench.postgres import running_postgres

    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="nextpair-bench-")))
        if name == "sqlite":
            yield f"sqlite:///{folder}/bench.db", folder
        else:
            yield given or stack.enter_context(running_postgres()), folder


def _print(title: str, report: Any) -> None:
    click.echo(f"  {title}")
    click.echo(
        f"    answers   {report.answers} in {report.seconds:.1f} s, {report.answers / report.seconds:.0f} a second"
    )
    click.echo(f"    money     {report.spent:g} spent of {report.budget:g}")
    click.echo(f"    {'ms, p50 / p99':28}" + "".join(f"{column:>16}" for column in COLUMNS))
    for name, split in (
        ("question, on this machine", report.question),
        ("answer, on this machine", report.answer),
        ("question, a network away", report.far_question),
        ("answer, a network away", report.far_answer),
    ):
        if split.seen.n:
            _print_split(name, split)
    for name, latency in (("bare SELECT 1", report.read), ("bare append of an event", report.append)):
        click.echo(f"    {name:28}{_both(latency):>16}   ({latency.n})")
    faults = ", ".join(f"{count} {fault}" for fault, count in sorted(report.faults.items())) or "none"
    click.echo(f"    faults    {faults}; {report.kills} kill -9")
    click.echo(f"    lost      {'nothing' if not report.lost else ''}")
    for line in report.lost[:20]:
        click.echo(f"      {line}")


def _print_split(name: str, split: Any) -> None:
    parts = (split.seen, split.network, split.database, split.ours, split.choosing, split.waiting)
    click.echo(f"    {name:28}" + "".join(f"{_both(part):>16}" for part in parts) + f"   ({split.seen.n})")


def _both(latency: Any) -> str:
    return f"{latency.p50:.1f} / {latency.p99:.1f}"
