"""How many workers to hire for a budget: few for many answers each, or many for few.

`python -m nextpair.lab.hiring` plays campaigns of the same worlds with crowds of different sizes. Reliabilities are
drawn from Beta(4, 1), a smaller crowd is the beginning of a larger one, and everybody answers at most ROOM times their
share of the budget: so there is as much choice among few who have much time as among many who have little.
"""

from __future__ import annotations

import math
from zlib import crc32

import click
import numpy as np

from nextpair.command import run
from nextpair.core.arrays import FloatArray
from nextpair.core.model import RELIABILITY
from nextpair.core.policies import find_policy
from nextpair.errors import InvalidSetting
from nextpair.lab.play import play
from nextpair.lab.progress import Progress
from nextpair.lab.trials import generator, one_thread, standard_error
from nextpair.lab.worlds import Rules, Simulated, World, uniform_scores

EACH = 10  # answers an item that a campaign buys
ROOM = 2  # how many times their share of the budget a worker has time for
POLICIES = ("full-posterior", "akg", "random")


def quota(items: int, workers: int) -> int:
    """How many answers each of so many workers gives at most."""
    return math.ceil(ROOM * EACH * items / workers)


def campaign(items: int, crowds: tuple[int, ...], policies: tuple[str, ...], seed: int, trial: int) -> FloatArray:
    """(crowds, policies, 3): the accuracy after a quarter of the budget, half of it and all."""
    rng = generator(seed, trial, 0)
    key, scores = int(rng.integers(1 << 62)), uniform_scores(items, rng)
    reliability, found = rng.beta(*RELIABILITY, max(crowds)), []
    for workers in crowds:
        world, rules = (
            World(scores, reliability[:workers], key),
            Rules(quotas=dict.fromkeys(range(workers), quota(items, workers))),
        )
        for name in policies:
            with one_thread():
                luck = generator(seed, trial, 1, crc32(name.encode()))
                curve = play(find_policy(name), Simulated(world, rules), EACH * items, luck).accuracy
            found.append(np.interp([0.25, 0.5, 1], np.linspace(0, 1, curve.size), curve))
    return np.reshape(found, (len(crowds), len(policies), 3))


def _sizes(crowds: str, items: int) -> tuple[int, ...]:
    pairs = items * (items - 1) // 2
    for crowd in crowds.split(","):
        if not crowd.strip().isdecimal():
            raise InvalidSetting(f"--crowds takes numbers of workers, such as 5,10,25, not {crowd!r}")
        if int(crowd) * pairs < EACH * items:
            raise InvalidSetting(f"{crowd} workers cannot give {EACH * items} answers about {pairs} pairs: hire more")
    return tuple(map(int, crowds.split(",")))


@click.command()
@click.option("--items", type=click.IntRange(min=2), default=25, show_default=True)
@click.option("--crowds", default="5,10,25,50,125,250", show_default=True, help="How many workers, of several crowds.")
@click.option("--policies", default=",".join(POLICIES), show_default=True)
@click.option("--trials", type=click.IntRange(min=2), default=100, show_default=True)
@click.option("--seed", default=0, show_default=True)
@click.option("--jobs", default=-1, show_default=True, help="Processes; -1: one a core.")
def main(items: int, crowds: str, policies: str, trials: int, seed: int, jobs: int) -> None:
    """How right a ranking is, by how many workers share the budget."""
    from joblib import Parallel, delayed

    sizes, names = _sizes(crowds, items), tuple(policies.split(","))
    for name in names:
        find_policy(name)
    progress, found = Progress("hiring", trials), []
    for one in Parallel(n_jobs=jobs, return_as="generator")(
        delayed(campaign)(items, sizes, names, seed, trial) for trial in range(trials)
    ):
        found.append(one)
        progress.advance(1)
    progress.close()
    accuracy = np.array(found)
    mean, error = accuracy.mean(axis=0), standard_error(accuracy)
    click.echo("| workers | answers each, at most | policy | at T/4 | at T/2 | at T |\n" + "| --- " * 6 + "|")
    for row, workers in enumerate(sizes):
        for column, name in enumerate(names):
            cells = [f"{mean[row, column, at]:.3f} ± {error[row, column, at]:.3f}" for at in range(3)]
            click.echo(f"| {workers} | {quota(items, workers)} | {name} | " + " | ".join(cells) + " |")


if __name__ == "__main__":
    run(main)
