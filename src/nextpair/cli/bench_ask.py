"""`nextpair bench ask`: how long the next question takes, against goals and against the paper transcribed literally."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from nextpair.cli.bench_works import Figure

WIDTH = 132  # characters that a line of the table takes at most


@click.command(short_help="How long the next question takes.")
@click.option(
    "--items",
    type=click.IntRange(2),
    default=10_000,
    show_default=True,
    help="Leave out what needs more items than this.",
)
@click.option(
    "--replayed",
    type=click.IntRange(1),
    default=1_000_000,
    show_default=True,
    help="Answers in the journal that is replayed.",
)
@click.option(
    "--repeat", type=click.IntRange(1), default=5, show_default=True, help="Runs of each, of which the best counts."
)
@click.option("--quick", is_flag=True, help="Seconds instead of minutes: --items 100 --replayed 20000 --repeat 2.")
@click.option("--only", help="Only the works with this in their name, such as tell.")
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True)
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of a table.")
def ask(items: int, replayed: int, repeat: int, quick: bool, only: str | None, seed: int, as_json: bool) -> None:
    """How long the next question takes, against [CJL] transcribed literally.

    The transcription evaluates I_1/2 for every pair of items, for both answers to every pair (scipy's betainc, on whole
    arrays); it is timed on a few of its sums and multiplied up. Beliefs come from campaigns after 0, K, 3 K and 10 K
    answers: up to 1,000 items the questions are chosen by akg, in batches, above at random. Memory and the first use
    are measured in processes of their own.
    """
    from nextpair.cli.bench_works import WORKS, Bench
    from nextpair.cli.progress import Patience

    if quick:
        items, replayed, repeat = min(items, 100), min(replayed, 20_000), min(repeat, 2)
    bench = Bench(items, replayed, repeat, seed)
    works = [work for work in WORKS if only is None or only in work.name]
    if not works:
        raise click.UsageError(f"no work has {only!r} in its name. The works are: {', '.join(w.name for w in WORKS)}.")
    figures: list[Figure] = []
    with Patience() as patience:
        for done, work in enumerate(works):
            patience.tell(work.name, done / len(works))
            for figure in work.measure(bench):
                figures.append(figure)
                patience.tell(work.name, done / len(works))
    if as_json:
        click.echo(json.dumps([asdict(figure) for figure in figures], indent=2))
    else:
        _print(figures)


def _print(figures: list[Figure]) -> None:
    from rich.table import Table

    from nextpair.cli.tables import console

    table = Table("work", "K", "answers", "measured", "compared with", "times", "goal", "reached", box=None)
    for f in figures:
        table.add_row(
            f.work, f"{f.items:,}", "" if f.answers is None else f"{f.answers:,}", amount(f.measured, f.unit),
            "" if f.reference is None else f"{f.compared} {amount(f.reference, f.unit)}",
            "" if f.ratio is None else f"{f.ratio:,.3g}" if f.ratio < 100 else f"{f.ratio:,.0f}",
            f.goal, "" if f.reached is None else "yes" if f.reached else "no",
        )  # fmt: skip
    out = console()
    out.width = max(out.width, WIDTH)
    out.print(table)


def amount(value: float, unit: str) -> str:
    """A number with its unit, seconds in parts that a person reads."""
    if unit != "s":
        return f"{value:,.3g} {unit}".rstrip()
    for size, name in ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs")):
        if value >= size:
            return f"{value / size:,.3g} {name}" if value < 1000 else f"{value:,.0f} s"
    return f"{value:.1e} s"
