"""Campaigns that are to stop at an accuracy: when they do, and how right they are then.

`python -m nextpair.lab.stopping` prints, for items as far apart as policies assume, closer and further, how many
answers were bought until campaigns stopped, at their target or at the end of the budget, and what was claimed and right
then.
"""

from __future__ import annotations

import click
import numpy as np

from nextpair.command import run
from nextpair.core.accuracy import kendall_accuracy
from nextpair.core.arrays import FloatArray
from nextpair.core.policies import POLICIES, find_policy
from nextpair.lab.progress import all_of
from nextpair.lab.trials import generator, standard_error
from nextpair.lab.worlds import Simulated, drawn_world

SPREADS = (None, 0.5, 3.0)


def stopped(
    name: str, items: int, workers: int, budget: int, target: float, spread: float | None, seed: int, trial: int
) -> tuple[float, float, float, float]:
    """(reached, answers, claimed, right) of one campaign."""
    rng, policy = generator(seed, trial), find_policy(name)
    world = drawn_world(items, workers, rng, spread)
    source = Simulated(world)
    belief, answers, claimed = policy.prior(items, workers), 0, 0.0
    while answers < budget and claimed < target:
        answer = source.answer(policy.choose(belief, source.candidates(), rng, 1)[0])
        belief = belief.update(answer.winner, answer.loser, answer.worker)
        answers, claimed = answers + 1, belief.expected_accuracy()
    return claimed >= target, answers, claimed, kendall_accuracy(belief.ranking(), world.scores)


def row(found: FloatArray) -> str:
    """The cells of a table."""
    reached, answers, claimed, right = found.mean(axis=0)
    errors = standard_error(found)
    there = found[found[:, 0] > 0, 3]
    of = f"{there.mean():.3f} ± {standard_error(there):.3f}" if there.size > 1 else "too few"
    bought, all_right = f"{answers:.0f} ± {errors[1]:.0f}", f"{right:.3f} ± {errors[3]:.3f}"
    return f"{100 * reached:.0f} % | {bought} | {of} | {claimed:.3f} | {all_right}"


@click.command()
@click.option("--items", type=click.IntRange(min=2), default=25, show_default=True)
@click.option(
    "--workers", type=click.IntRange(min=1), default=20, show_default=True, help="Also the same with workers all alike."
)
@click.option("--budget", type=click.IntRange(min=1), default=250, show_default=True)
@click.option("--target", type=click.FloatRange(0.5, 1.0), default=0.85, show_default=True)
@click.option("--trials", type=click.IntRange(min=2), default=100, show_default=True)
@click.option("--policies", default="full-posterior,full-posterior-checked", show_default=True)
@click.option("--seed", default=0, show_default=True)
@click.option("--jobs", default=-1, show_default=True, help="Processes; -1: one a core.")
def main(
    items: int, workers: int, budget: int, target: float, trials: int, policies: str, seed: int, jobs: int
) -> None:
    """When campaigns stop that are to stop at an accuracy, and how right they are then."""
    names = policies.split(",")
    if unknown := [name for name in names if name not in POLICIES]:
        raise click.UsageError(f"unknown policy {unknown[0]!r}: choose from {', '.join(POLICIES)}")
    settings = [(spread, crowd, name) for spread in SPREADS for crowd in (0, workers) for name in names]
    given = [
        (name, items, crowd, budget, target, spread, seed, trial)
        for spread, crowd, name in settings
        for trial in range(trials)
    ]
    found = all_of("stopping", stopped, given, jobs, what="campaigns")
    click.echo(f"{items} items, at most {budget} answers, to stop at {target}, {trials} campaigns a row\n")
    click.echo("| spread | workers | policy | reached by | answers | right where reached | claimed, all | right, all |")
    click.echo("| --- | --- | --- | --- | --- | --- | --- | --- |")
    for (spread, crowd, name), of in zip(settings, np.array(found).reshape(len(settings), trials, 4), strict=True):
        who = "alike" if not crowd else f"{crowd}, differ"
        click.echo(f"| {spread or 'as assumed'} | {who} | {name} | {row(of)} |")


if __name__ == "__main__":
    run(main)
