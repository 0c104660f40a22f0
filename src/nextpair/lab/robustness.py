"""Worlds that are not what the policies assume: other scores, other crowds, workers who tire.

`python -m nextpair.lab.robustness` prints the accuracy of each policy in each world, and what it falls short of its own
accuracy where the world is as assumed; all policies of a trial meet the same world and the same answers.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import click
import numpy as np

from nextpair.command import run
from nextpair.core.arrays import FloatArray
from nextpair.core.candidates import Choice
from nextpair.core.model import RELIABILITY
from nextpair.core.policies import find_policy
from nextpair.lab.demo import CROWD
from nextpair.lab.play import Answer, play
from nextpair.lab.trials import generator, standard_error
from nextpair.lab.worlds import Quirky, Simulated, World, normal_scores, uniform_scores

Draw = Callable[[int, np.random.Generator], FloatArray]


def _normal(spread: float) -> Draw:
    return lambda n, rng: normal_scores(n, rng, spread)


def _two_clusters(n: int, rng: np.random.Generator) -> FloatArray:
    return np.asarray(np.exp(np.where(np.arange(n) < n // 2, -1.5, 1.5) + rng.normal(0.0, 0.3, n)))


def _runaway(n: int, rng: np.random.Generator) -> FloatArray:
    return np.asarray(np.exp(rng.normal(0.0, 0.7, n) + 5.0 * (np.arange(n) == rng.integers(n))))


def _crowd(n: int, rng: np.random.Generator) -> FloatArray:
    return rng.beta(*RELIABILITY, n)


def _with(share: float, reliability: float) -> Draw:
    """A crowd of which a share has a reliability that the prior hardly expects."""

    def draw(n: int, rng: np.random.Generator) -> FloatArray:
        found = rng.beta(8.0, 1.0, n)
        found[: round(share * n)] = reliability
        return rng.permutation(found)

    return draw


def _demo(n: int, rng: np.random.Generator) -> FloatArray:
    return rng.permutation(np.resize(list(CROWD.values()), n))


class Tiring(Simulated):
    """Workers whose reliability falls from the first answer of the campaign to the last, half of it to one half."""

    def __init__(self, world: World, budget: int) -> None:
        super().__init__(world)
        self._fresh, self._left, self._budget = world, budget, budget

    def answer(self, choice: Choice) -> Answer:
        fresh = self._fresh.reliability
        assert fresh is not None
        tired = np.where(np.arange(fresh.size) % 2 == 0, 0.5, fresh)
        share = self._left / self._budget
        self.world = replace(self._fresh, reliability=share * fresh + (1 - share) * tired)
        self._left -= 1
        return super().answer(choice)


@dataclass(frozen=True)
class Setting:
    scores: Draw = uniform_scores
    crowd: Draw | None = _crowd
    tiring: bool = False
    quirky: bool = False


SETTINGS = {
    "as assumed, workers alike": Setting(crowd=None),
    "normal log-scores, sd 0.5, workers alike": Setting(_normal(0.5), None),
    "normal log-scores, sd 3, workers alike": Setting(_normal(3.0), None),
    "two clusters, workers alike": Setting(_two_clusters, None),
    "one runaway winner, workers alike": Setting(_runaway, None),
    "each pair off by its own 0.9, workers alike": Setting(crowd=None, quirky=True),
    "as assumed, Beta(4,1) workers": Setting(),
    "30 % answer at random": Setting(crowd=_with(0.3, 0.5)),
    "10 % answer the opposite": Setting(crowd=_with(0.1, 0.05)),
    "half tire to random": Setting(crowd=_with(0.0, 0.5), tiring=True),
    "six good, three random, one opposite": Setting(crowd=_demo),
}


def accuracies(
    setting: Setting, policy: str, items: int, workers: int, budget: int, trials: int, seed: int = 0
) -> FloatArray:
    """One row a trial: the accuracy at each noted budget."""
    rows = []
    for trial in range(trials):
        rng = generator(seed, trial)
        scores = setting.scores(items, rng)
        reliability = None if setting.crowd is None else setting.crowd(workers, rng)
        kind = Quirky if setting.quirky else World
        world = kind(scores / scores.sum(), reliability, int(rng.integers(1 << 62)))
        source = Tiring(world, budget) if setting.tiring else Simulated(world)
        rows.append(play(find_policy(policy), source, budget, rng).accuracy)
    return np.array(rows)


@click.command()
@click.option("--items", type=click.IntRange(min=2), default=10, show_default=True)
@click.option("--workers", type=click.IntRange(min=1), default=10, show_default=True)
@click.option("--budget", type=click.IntRange(min=1), default=100, show_default=True)
@click.option("--trials", type=click.IntRange(min=2), default=60, show_default=True)
@click.option("--policies", default="akg,full-posterior,random", show_default=True)
@click.option("--seed", default=0, show_default=True)
def main(items: int, workers: int, budget: int, trials: int, policies: str, seed: int) -> None:
    """Accuracy with half and with all of the budget, in worlds that are not what the policies assume."""
    names = policies.split(",")
    click.echo("| world | " + " | ".join(f"{name}, T/2 and T (short of its best case)" for name in names) + " |")
    click.echo("| --- |" + " --- |" * len(names))
    best: dict[tuple[str, bool], float] = {}
    for label, setting in SETTINGS.items():
        cells = []
        for name in names:
            found = accuracies(setting, name, items, workers, budget, trials, seed)
            last, error = float(found[:, -1].mean()), float(standard_error(found[:, -1]))
            short = best.setdefault((name, setting.crowd is None), last) - last  # as assumed comes first of its kind
            cells.append(f"{found[:, found.shape[1] // 2].mean():.3f} {last:.3f} ± {error:.3f} ({short:+.3f})")
        click.echo(f"| {label} | " + " | ".join(cells) + " |")


if __name__ == "__main__":
    run(main)
