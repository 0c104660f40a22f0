"""Answers that say by how much: what a campaign saves whose workers may call an item much better.

`python -m nextpair.lab.much` plays the worlds of `nextpair lab run homogeneous` (or, with `--workers`, of
`heterogeneous`) of the same seed, with the same answers; what is new is that who answers may say "much". A worker who
compares with care sees the difference d + e of two log-scores, e logistic, names the better one by its sign, and says
"much" where it lies beyond a cut. Who answered the opposite of what they saw, in a world of workers who differ, says it
every other time, whatever they saw. The lines are, besides two policies without it:

- by how much: all have the cut 1.1, so that of two equal items one is called much better every other time;
- cuts differ: each worker has a cut of their own, exp(normal) around that with a standard deviation of 0.6;
- 30 % at random, all at random: so often the word means nothing, and is said every other time.
"""

from __future__ import annotations

import math
from pathlib import Path
from zlib import crc32

import click
import numpy as np

from nextpair.command import run
from nextpair.core.arrays import FloatArray
from nextpair.core.candidates import Choice
from nextpair.core.model import RELIABILITY
from nextpair.core.policies import find_policy
from nextpair.extras import require_figure
from nextpair.lab.play import Answer, noted_budgets, play
from nextpair.lab.progress import all_of
from nextpair.lab.savings import draw, tell
from nextpair.lab.trials import generator, one_thread
from nextpair.lab.worlds import Rules, Simulated, World, uniform, uniform_scores

EACH = 10  # answers an item that a campaign buys
CUT, APART = 1.1, 0.6  # the cut, and the standard deviation of its logarithm where cuts differ
BASE, OURS = "akg", "full-posterior"
WAYS = {
    "by how much": (0.0, 0.0),
    "cuts differ": (APART, 0.0),
    "30 % at random": (0.0, 0.3),
    "all at random": (0.0, 1.0),
}


class Saying(Simulated):
    """A world whose workers say by how much: each beyond a cut, and for a share of answers at random."""

    def __init__(self, world: World, cuts: FloatArray, at_random: float, rules: Rules | None = None) -> None:
        super().__init__(world, rules)
        self._cuts, self._at_random, self._told = cuts, at_random, 0

    def answer(self, choice: Choice) -> Answer:
        told = super().answer(choice)
        self._told += 1
        seen, random, word = (uniform(self.world.key, self._told, draw) for draw in range(3))
        says = word < self._if_seen(told) if seen < self._care(told) and random >= self._at_random else word < 0.5
        return told._replace(much=says)

    def _gap(self, told: Answer) -> float:
        return math.log(self.truth[told.winner] / self.truth[told.loser])

    def _care(self, told: Answer) -> float:
        """How likely it is that the worker said what they saw."""
        if self.world.reliability is None or told.worker is None:
            return 1.0
        rho, straight = self.world.reliability[told.worker], _sigma(self._gap(told))
        return float(rho * straight / (rho * straight + (1 - rho) * (1 - straight)))

    def _if_seen(self, told: Answer) -> float:
        """How likely the difference is beyond the cut, given who was seen to be better."""
        gap, cut = self._gap(told), self._cuts[0 if told.worker is None else told.worker]
        return _sigma(gap - cut) / _sigma(gap)


def _sigma(x: float) -> float:
    return 1 / (1 + math.exp(-x))


def campaign(items: int, workers: int, ways: tuple[str, ...], seed: int, trial: int) -> dict[str, FloatArray]:
    """The accuracy at each noted budget: of both policies without it, and of ours with it."""
    rng = generator(seed, trial, 0)
    key, scores = int(rng.integers(1 << 62)), uniform_scores(items, rng)
    world = World(scores, rng.beta(*RELIABILITY, workers) if workers else None, key)
    around = generator(seed, trial, 2).normal(size=max(workers, 1))
    lines: dict[str, tuple[str, Simulated]] = {name: (name, Simulated(world)) for name in (BASE, OURS)}
    for way in ways:
        apart, at_random = WAYS[way]
        lines[f"{OURS}, {way}"] = OURS, Saying(world, CUT * np.exp(apart * around), at_random)
    with one_thread():
        return {
            label: play(
                find_policy(name), source, EACH * items, generator(seed, trial, 1, crc32(name.encode()))
            ).accuracy
            for label, (name, source) in lines.items()
        }


@click.command()
@click.option("--items", type=click.IntRange(min=2), default=10, show_default=True)
@click.option("--workers", type=click.IntRange(min=0), default=0, show_default=True, help="0: workers are alike.")
@click.option("--trials", type=click.IntRange(min=2), default=100, show_default=True)
@click.option("--ways", default=",".join(WAYS), show_default=True, help="Of saying by how much.")
@click.option("--seed", default=0, show_default=True)
@click.option("--jobs", default=-1, show_default=True, help="Processes; -1: one a core.")
@click.option("--figure", type=click.Path(path_type=Path), help="Draw accuracy against budget there (PNG).")
def main(items: int, workers: int, trials: int, ways: str, seed: int, jobs: int, figure: Path | None) -> None:
    """What a campaign saves whose workers say by how much."""
    require_figure(figure)
    chosen = tuple(way.strip() for way in ways.split(","))
    if unknown := [way for way in chosen if way not in WAYS]:
        raise click.UsageError(f"there is no way {unknown[0]!r}: they are {', '.join(WAYS)}")
    given = [(items, workers, chosen, seed, trial) for trial in range(trials)]
    found = all_of("by how much", campaign, given, jobs)
    lines = {label: np.array([accuracy[label] for accuracy in found]) for label in found[0]}
    budgets = noted_budgets(EACH * items)
    tell(budgets, lines, BASE)
    if figure is not None:
        draw({f"{items} items" + (f", {workers} workers" if workers else ""): (budgets, lines)}, BASE, figure)


if __name__ == "__main__":
    run(main)
