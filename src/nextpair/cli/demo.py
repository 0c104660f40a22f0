"""`nextpair demo`: a campaign with simulated workers, watched as it runs, and what it saved."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from nextpair.cli.figure import FIGURE

if TYPE_CHECKING:
    from rich.console import Console

    from nextpair.campaign.campaign import Campaign
    from nextpair.lab.demo import Savings
    from nextpair.lab.worlds import World


@click.command()
@click.option(
    "--items", "n_items", type=click.IntRange(3, 20), default=12, show_default=True, help="Ice creams to rank."
)
@click.option("--budget", type=click.IntRange(min=10), default=200, show_default=True, help="Answers to pay for.")
@click.option("--worlds", type=click.IntRange(min=1), default=20, show_default=True, help="Campaigns to average over.")
@click.option("--seed", type=click.IntRange(min=0), default=1, show_default=True, help="Another seed, another world.")
@click.option("--policy", default="full-posterior", show_default=True, help="How nextpair chooses its questions.")
@FIGURE
def demo(n_items: int, budget: int, worlds: int, seed: int, policy: str, figure: Path | None) -> None:
    """Watch a simulated campaign rank ice creams, and see what it saves.

    The crowd is mixed: six careful workers, three who answer at random, and one who gets every question backwards.
    """
    from nextpair.campaign.campaign import Campaign
    from nextpair.cli.progress import compile_for
    from nextpair.cli.tables import console
    from nextpair.extras import require_figure
    from nextpair.lab import demo as lab

    require_figure(figure)
    out = console()
    out.print(
        f"{n_items} ice creams with hidden true scores; {len(lab.CROWD)} workers, of whom three answer at random and "
        f"one gets every question backwards. nextpair knows none of this. Budget: {budget} answers.\n"
    )
    compile_for(policy)
    world = lab.demo_world(n_items, seed)
    campaign = Campaign(lab.FLAVOURS[:n_items], list(lab.CROWD), budget, seed=seed, policy=policy)
    _run(out, campaign, world)
    _print_result(out, campaign, world)
    saved = _compare(out, n_items, budget, worlds, seed, policy)
    _print_savings(out, saved, budget)
    if figure is not None:
        lab.draw(figure, campaign.ranking(), saved)
        out.print(f"Drawn: {figure}")


def _run(out: Console, campaign: Campaign, world: World) -> None:
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    from nextpair.core.accuracy import kendall_accuracy
    from nextpair.errors import NothingToAsk

    columns = (TextColumn("answers"), BarColumn(), MofNCompleteColumn(), TextColumn("{task.description}"))
    with Progress(*columns, console=out) as progress:
        task = progress.add_task("", total=int(campaign.budget or 0))
        items, workers = list(campaign.items), list(campaign.worker_names)
        while True:
            try:
                question = campaign.ask()
            except NothingToAsk:
                break
            i, j = items.index(question.left), items.index(question.right)
            first = world.prefers_first(i, j, workers.index(str(question.worker)), 0)
            campaign.tell(question.id, "left" if first else "right")
            right = kendall_accuracy(campaign.belief.ranking(), world.scores)
            note = f"pairs in the right order: {right:.0%}, and nextpair expects {campaign.expected_accuracy():.0%}"
            progress.update(task, advance=1, description=note)
    out.print()


def _print_result(out: Console, campaign: Campaign, world: World) -> None:
    import numpy as np

    from nextpair.cli.tables import print_ranking, print_workers
    from nextpair.lab.demo import CROWD

    place = np.empty(len(world.scores), dtype=int)
    place[np.argsort(-world.scores)] = np.arange(1, len(world.scores) + 1)
    true_place = dict(zip(campaign.items, place.tolist(), strict=True))
    print_ranking(out, campaign.ranking(), extra=("true rank", {item: str(rank) for item, rank in true_place.items()}))
    print_workers(out, campaign.workers(), extra=("true", {name: f"{rho:.2f}" for name, rho in CROWD.items()}))


def _compare(out: Console, n_items: int, budget: int, worlds: int, seed: int, policy: str) -> Savings:
    from rich.progress import Progress

    from nextpair.lab.demo import savings

    with Progress(console=out, transient=True) as progress:
        task = progress.add_task(f"\nthe same in {worlds} other worlds, and by random asking", total=worlds)
        for result in savings(n_items, budget, worlds, seed, policy):
            progress.update(task, completed=result.n_worlds)
    return result


def _print_savings(out: Console, saved: Savings, budget: int) -> None:
    from nextpair.campaign.amounts import plural

    over = plural(saved.n_worlds, "such campaign")
    out.print(f"\nOver {over}, {budget} answers put {saved.reached:.1%} of all pairs in order.")
    cost = saved.random_cost
    if cost is None:
        longest, best = saved.random_answers[-1], saved.random_accuracy[-1]
        out.print(f"Random asking had not got there after {longest:.0f} answers (it was at {best:.1%}).")
    elif cost > budget:
        out.print(
            f"Random asking needs {cost:.0f} answers for the same: "
            f"[bold]nextpair saves {1 - budget / cost:.0%} of the money[/bold]."
        )
    else:
        out.print(
            f"Random asking got there after {plural(round(cost), 'answer')}: nothing is saved here. Try more --worlds."
        )
