"""Workers who come back: what a campaign saves that starts from what earlier ones learnt of them.

`python -m nextpair.lab.returning` draws crowds, has each work through some campaigns of other items, one after the
other, and then plays one more campaign several times, in the same world: among strangers, and known from one earlier
campaign, two, and so on. "mixed up" is known from all of them, but each worker by what was learnt of another: what it
costs where people are not what they were.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import click
import numpy as np

from nextpair.command import run
from nextpair.core.arrays import FloatArray
from nextpair.core.model import RELIABILITY, Model
from nextpair.core.policies import Policy, find_policy
from nextpair.lab.play import Played, noted_budgets, play
from nextpair.lab.progress import Progress
from nextpair.lab.savings import tell
from nextpair.lab.trials import generator
from nextpair.lab.worlds import Simulated, World, uniform_scores

Known = Sequence[tuple[float, float]]  # the Beta of each worker


def prior(policy: Policy, n_items: int, known: Known) -> Model:
    """What a policy starts from where each worker is known so far."""
    belief = policy.prior(n_items, 0)
    for reliability in known:
        belief = belief.with_worker(reliability)
    return belief


def learnt(belief: Model) -> Known:
    """What a campaign knows of its workers in the end."""
    return list(zip(belief.mu.tolist(), belief.nu.tolist(), strict=True))


def returned(name: str, items: int, workers: int, campaigns: int, seed: int, trial: int) -> dict[str, FloatArray]:
    """The accuracy at each noted budget of the last campaign, by how workers are known."""
    rng, policy, budget = generator(seed, trial), find_policy(name), 10 * items
    crowd = rng.beta(*RELIABILITY, workers)
    *before, last = [World(uniform_scores(items, rng), crowd, int(rng.integers(1 << 62))) for _ in range(campaigns + 1)]

    def campaign(world: World, known: Known | None, number: int) -> Played:
        start = policy.prior(items, workers) if known is None else prior(policy, items, known)
        told = replace(policy, prior=lambda *_, **__: start)
        return play(told, Simulated(world), budget, generator(seed, trial, number))

    ways: dict[str, Known | None] = {name: None}
    known: Known | None = None
    for number, world in enumerate(before, start=1):
        known = learnt(campaign(world, known, number).belief)
        ways[f"{name}, after {number}"] = known
    if known is not None:
        ways[f"{name}, mixed up"] = [*known[1:], known[0]]
    return {label: campaign(last, way, 0).accuracy for label, way in ways.items()}


@click.command()
@click.option("--items", type=click.IntRange(min=2), default=10, show_default=True)
@click.option("--workers", type=click.IntRange(min=2), default=10, show_default=True)
@click.option("--campaigns", type=click.IntRange(min=1), default=3, show_default=True, help="How many were before.")
@click.option("--trials", type=click.IntRange(min=2), default=100, show_default=True)
@click.option("--policies", default="akg,full-posterior", show_default=True, help="The first is compared with.")
@click.option("--seed", default=0, show_default=True)
@click.option("--jobs", default=-1, show_default=True, help="Processes; -1: one a core.")
def main(items: int, workers: int, campaigns: int, trials: int, policies: str, seed: int, jobs: int) -> None:
    """What a campaign saves if its workers are known from earlier ones."""
    from joblib import Parallel, delayed

    names = [find_policy(name).name for name in policies.split(",")]
    progress, found = Progress("returning", len(names) * trials), []
    for one in Parallel(n_jobs=jobs, return_as="generator")(
        delayed(returned)(name, items, workers, campaigns, seed, trial) for name in names for trial in range(trials)
    ):
        found.append(one)
        progress.advance(1)
    progress.close()
    lines: dict[str, FloatArray] = {}
    for number in range(len(names)):
        some = found[number * trials : (number + 1) * trials]
        lines |= {label: np.array([accuracy[label] for accuracy in some]) for label in some[0]}
    tell(noted_budgets(10 * items), lines, names[0])


if __name__ == "__main__":
    run(main)
