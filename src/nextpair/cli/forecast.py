"""`nextpair forecast`: what a campaign will bring for its money, before it starts."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from nextpair.cli.figure import FIGURE

if TYPE_CHECKING:
    from nextpair.cli.tables import Column
    from nextpair.lab.forecast import Forecast, Intended

GOALS = (0.7, 0.8, 0.9)  # accuracies that most people ask for
FEWEST = 40  # campaigns of each kind
WORK = 1200  # items that are simulated in all, where nobody says how many campaigns: few items differ more
NARROW = 80  # letters a line, below which a table leaves out what is likely


@click.command()
@click.option("--items", type=int, required=True, metavar="K", help="How many items.")
@click.option("--workers", type=int, default=20, show_default=True, metavar="M", help="How many workers.")
@click.option("--budget", type=float, help="The most to spend in total. Default: 20 answers an item.")
@click.option("--cost", type=float, default=1.0, show_default=True, help="What one answer costs.")
@click.option("--accuracy", type=float, metavar="SHARE", help="How right it is to be, such as 0.85: what does it take?")
@click.option("--alike", is_flag=True, help="Every answer is fully reliable, as of a jury that takes its time.")
@click.option(
    "--reliability",
    type=(float, float),
    default=(4.0, 1.0),
    show_default=True,
    metavar="MU NU",
    help="How reliable workers are, as a Beta: 18 2 for careful ones, 2 1 where many guess.",
)
@click.option("--quota", type=int, metavar="N", help="At most N questions per worker.")
@click.option("--best", type=int, metavar="N", help="Find only the best N, not the order of all.")
@click.option("--by-how-much", is_flag=True, help="Workers also say whether an item is better by far.")
@click.option("--policy", default="auto", show_default=True, help="How questions are chosen.")
@click.option("--trials", type=int, metavar="N", help="Campaigns to simulate of each kind.  [default: 40 or more]")
@click.option("--seed", type=int, default=0, show_default=True, help="Another seed, other worlds.")
@click.option("--jobs", type=int, default=0, metavar="N", help="Processes; 0, the default, is one per core.")
@FIGURE
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def forecast(
    accuracy: float | None, trials: int | None, seed: int, jobs: int, figure: Path | None, as_json: bool, **given: Any
) -> None:
    """What a campaign of so many items and workers will bring for its money.

    Campaigns of that size are simulated, with items as far apart as nextpair assumes, closer together and farther
    apart: you know best which is nearest to yours.
    """
    from nextpair.campaign.amounts import whole
    from nextpair.cli.progress import compile_for
    from nextpair.errors import InvalidSetting
    from nextpair.extras import installed, require_figure
    from nextpair.lab.engines import cores
    from nextpair.lab.forecast import Intended, draw
    from nextpair.lab.forecast import forecast as simulate

    require_figure(figure)
    intended = Intended(**given)
    if accuracy is not None and not 0 < accuracy < 1:
        raise InvalidSetting(f"an accuracy lies between 0 and 1, not at {accuracy:g}")
    count = max(FEWEST, WORK // intended.simulated) if trials is None else whole("the number of campaigns", trials, 2)
    whole("the seed", seed, 0)
    whole("the number of processes", jobs, 0)
    compile_for(intended.runs_on)
    found = simulate(intended, count, seed, jobs or (cores() if installed("joblib") else 1))
    goals = GOALS if accuracy is None else (accuracy,)
    if as_json:
        click.echo(json.dumps(_as_json(found, goals)))
    else:
        _print(found, goals)
    if figure is not None:
        draw(figure, found, accuracy)
        click.echo(f"nextpair: wrote {figure}", err=True)


def _as_json(found: Forecast, goals: Sequence[float]) -> dict[str, Any]:
    from dataclasses import asdict

    from nextpair.lab.forecast import AGREE
    from nextpair.lab.run import plain

    kinds = {}
    for name, share in AGREE.items():
        low, high = found.likely(name)
        needed = {goal: found.answers_for(goal, name) for goal in goals}
        kinds[name] = {
            "careful_workers_agree": share,
            "accuracy": found.mean(name).tolist(), "low": low.tolist(), "high": high.tolist(),
            "answers_for": {f"{goal:g}": None if count is None else math.ceil(count) for goal, count in needed.items()},
        }  # fmt: skip
    campaign = asdict(found.intended) | {"policy": found.intended.runs_on, "simulated_items": found.intended.simulated}
    return {"campaign": campaign, "trials": found.trials, "answers": list(map(plain, found.answers)), "items": kinds}


def _print(found: Forecast, goals: Sequence[float]) -> None:
    from nextpair.campaign.amounts import money
    from nextpair.cli.tables import console, print_columns
    from nextpair.lab.forecast import AGREE

    out, intended = console(), found.intended
    what = "Pairs in the right order" if intended.best is None else f"Share of the best {intended.best} found"
    out.print(
        f"{_campaign(intended)} {what}, on average over {found.trials} simulated campaigns (and in 8 of 10 of them), "
        "by how far apart the items are:\n"
    )
    numbers: list[Column] = [
        ("answers", "right", [f"{count:,.0f}" for count in found.rows]),
        ("an item", "right", [f"{count / intended.items:.3g}" for count in found.rows]),
    ]
    if intended.cost != 1:
        numbers.append(("cost", "right", [money(count * intended.cost) for count in found.rows]))
    kinds: list[Column] = [(name, "right", _cells(found, name, out.width >= NARROW)) for name in AGREE]
    print_columns(out, [*numbers, *kinds])
    out.print()
    needs: list[Column] = [("to reach", "left", [f"{goal:.4g}" for goal in goals])]
    needs += [(name, "right", [_need(found, goal, name) for goal in goals]) for name in AGREE]
    print_columns(out, needs)
    closer, assumed, apart = (f"{share:.0%}" for share in AGREE.values())
    out.print(
        f"\nHow far apart are yours? Two careful workers who are asked the same agree in {closer} of cases where items "
        f"are closer together, in {assumed} as assumed, and in {apart} farther apart."
    )


def _campaign(intended: Intended) -> str:
    from nextpair.campaign.amounts import plural

    mu, nu = intended.reliability
    crowd = f"{plural(intended.workers, 'worker')} of Beta({mu:g}, {nu:g})"
    much = ", who say by how much" if intended.by_how_much else ""
    return f"{intended.items:,} items, {'workers alike' if intended.alike else crowd}{much}, policy {intended.runs_on}."


def _cells(found: Forecast, name: str, whole: bool) -> list[str]:
    import numpy as np

    mean, low, high = (np.interp(found.rows, found.answers, curve) for curve in (found.mean(name), *found.likely(name)))
    if not whole:
        return [f"{at:.2f}" for at in mean]
    return [f"{at:.2f} ({least:.2f} – {most:.2f})" for at, least, most in zip(mean, low, high, strict=True)]


def _need(found: Forecast, goal: float, name: str) -> str:
    from nextpair.campaign.amounts import money

    count, cost = found.answers_for(goal, name), found.intended.cost
    if count is None:
        return f"over {found.answers[-1]:,.0f}"
    paid = "" if cost == 1 else f" ({money(math.ceil(count) * cost)})"
    return f"{math.ceil(count):,}{paid}"
