"""How many workers to hire for a budget: few for many answers each, or many for few.

`python -m nextpair.lab.hiring` plays campaigns of the same worlds with crowds of different sizes. Reliabilities are
drawn from Beta(4, 1), and a smaller crowd is the beginning of a larger one. There are two ways to ask them:

- chosen: the policy says who is asked. Everybody has time for ROOM times their share of the budget, so there is as much
  choice among few who have much time as among many who have little;
- as they come: whoever is here is asked, in random order, until everybody has given their share.
"""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import product
from zlib import crc32

import click
import numpy as np

from nextpair.command import run
from nextpair.core.arrays import FloatArray
from nextpair.core.candidates import Candidates, Choice
from nextpair.core.model import RELIABILITY
from nextpair.core.policies import find_policy
from nextpair.errors import InvalidSetting
from nextpair.lab.play import Answer, play
from nextpair.lab.progress import all_of
from nextpair.lab.trials import generator, one_thread, standard_error
from nextpair.lab.worlds import Rules, Simulated, World, uniform_scores

EACH = 10  # answers an item that a campaign buys
ROOM = 2  # how many times their share of the budget a worker has time for
POLICIES = ("full-posterior", "akg")
CHOSEN, COMING = "chosen", "as they come"


def quota(items: int, workers: int, way: str) -> int:
    """How many answers each of so many workers gives at most."""
    return math.ceil((ROOM if way == CHOSEN else 1) * EACH * items / workers)


class Coming(Simulated):
    """A world whose workers come as they like: whoever is here is asked, so many `answers` in all."""

    def __init__(self, world: World, answers: int) -> None:
        super().__init__(world)
        self._order = np.random.default_rng(world.key).permutation(np.arange(answers) % self.n_workers)
        self._heard = 0

    def candidates(self) -> Candidates:
        return replace(super().candidates(), workers=(int(self._order[self._heard]),))

    def answer(self, choice: Choice) -> Answer:
        self._heard += 1
        return super().answer(choice)


def campaign(items: int, crowds: tuple[int, ...], policies: tuple[str, ...], seed: int, trial: int) -> FloatArray:
    """(crowds, ways, policies, 3): the accuracy after a quarter of the budget, half of it and all."""
    rng = generator(seed, trial, 0)
    key, scores = int(rng.integers(1 << 62)), uniform_scores(items, rng)
    reliability, budget, found = rng.beta(*RELIABILITY, max(crowds)), EACH * items, []
    for workers in crowds:
        world = World(scores, reliability[:workers], key)
        rules = Rules(quotas=dict.fromkeys(range(workers), quota(items, workers, CHOSEN)))
        for way in (CHOSEN, COMING):
            for name in policies:
                source = Simulated(world, rules) if way == CHOSEN else Coming(world, budget)
                with one_thread():
                    luck = generator(seed, trial, 1, crc32(name.encode()))
                    curve = play(find_policy(name), source, budget, luck).accuracy
                found.append(np.interp([0.25, 0.5, 1], np.linspace(0, 1, curve.size), curve))
    return np.reshape(found, (len(crowds), 2, len(policies), 3))


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
    sizes, names = _sizes(crowds, items), tuple(policies.split(","))
    for name in names:
        find_policy(name)
    accuracy = np.array(
        all_of("hiring", campaign, [(items, sizes, names, seed, trial) for trial in range(trials)], jobs)
    )
    mean, error = accuracy.mean(axis=0), standard_error(accuracy)
    click.echo(
        "| workers | who is asked | answers each, at most | policy | at T/4 | at T/2 | at T |\n" + "| --- " * 7 + "|"
    )
    for row, way, column in product(range(len(sizes)), range(2), range(len(names))):
        of = (CHOSEN, COMING)[way]
        cells = [f"{mean[row, way, column, at]:.3f} ± {error[row, way, column, at]:.3f}" for at in range(3)]
        click.echo(" | ".join([f"| {sizes[row]}", of, str(quota(items, sizes[row], of)), names[column], *cells]) + " |")


if __name__ == "__main__":
    run(main)
