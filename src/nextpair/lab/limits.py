"""How near policies come to the best that is possible: a few items, workers alike or not, planned to the end.

`python -m nextpair.lab.limits` prints, for four kinds of campaign and every budget, the accuracy of the best policy
there can be and of some that exist, and how much budget each saves against AKG. A ranking is judged by its expected
accuracy given the answers it rests on, exactly, and not by the truth of one world: that leaves a tenth of the noise.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import comb

import click
import numpy as np

from nextpair.command import run
from nextpair.core.accuracy import expected_accuracy
from nextpair.core.arrays import FloatArray
from nextpair.core.exact import from_log_likelihood, simplex_grid
from nextpair.core.kernels.plan import DONE
from nextpair.core.limits import ORDER, best_alike, best_of_crowd, crowd_answers
from nextpair.core.model import RELIABILITY
from nextpair.core.policies import find_policy
from nextpair.lab.progress import Progress, all_of
from nextpair.lab.savings import saved
from nextpair.lab.trials import generator, standard_error
from nextpair.lab.worlds import Simulated, World, uniform_scores

PORTION = 100  # campaigns in one task


@dataclass(frozen=True)
class Tiny:
    """A kind of campaign: how many items and workers (0: alike), and the budgets worth looking at."""

    items: int
    workers: int
    shown: tuple[int, ...]

    @property
    def budget(self) -> int:
        return self.shown[-1]

    @property
    def title(self) -> str:
        return f"{self.items} items, " + (f"{self.workers} workers of Beta(4, 1)" if self.workers else "workers alike")

    def best(self) -> FloatArray:
        """The accuracy of the best policy for each budget."""
        if self.workers:
            return best_of_crowd(self.workers)[: self.budget + 1]
        kinds = self.items * (self.items - 1)  # of answers; a tally is how often each came
        progress = Progress(f"{self.title}, the best possible", comb(self.budget + kinds, kinds), what="tallies")
        best = best_alike(self.items, self.budget, lambda heard: progress.advance(comb(heard + kinds - 1, heard)))
        progress.close()
        return best


KINDS = (
    Tiny(3, 0, (4, 7, 10, 15, 20, 25, 30)),
    Tiny(4, 0, (4, 7, 10, 15, 20)),
    Tiny(5, 0, (4, 7, 10, 13)),
    Tiny(3, 6, (4, 6, 8, 10, 12, 14)),
)


def campaigns(tiny: Tiny, policy: str, numbers: range, seed: int) -> FloatArray:
    """One row a campaign: the expected accuracy of the policy's ranking after each answer."""
    return np.array([_campaign(tiny, policy, generator(seed, number)) for number in numbers])


def _campaign(tiny: Tiny, policy: str, rng: np.random.Generator) -> FloatArray:
    rule, answers = find_policy(policy), crowd_answers()
    crowd = rng.beta(*RELIABILITY, tiny.workers) if tiny.workers else None
    source = Simulated(World(uniform_scores(tiny.items, rng), crowd, int(rng.integers(1 << 62))))
    belief = rule.prior(tiny.items, tiny.workers)
    first, second = np.triu_indices(tiny.items, 1)
    grid = simplex_grid(tiny.items, ORDER[tiny.items])
    log_likelihood, codes = np.zeros(grid.weight.size), np.zeros(tiny.workers, dtype=np.int64)
    right = [0.5]
    for _ in range(tiny.budget):
        (choice,) = rule.choose(belief, source.candidates(), rng, 1)
        told = source.answer(choice)
        belief = belief.update(told.winner, told.loser, told.worker)
        if told.worker is None:
            log_likelihood += grid.log_chance[told.winner, told.loser]
            above = from_log_likelihood(grid, log_likelihood).prob_above()[first, second]
        else:
            pair = int(np.flatnonzero((choice.i == first) & (choice.j == second))[0])
            codes[told.worker] += DONE**pair * (1 if told.winner == choice.i else 2)
            above = answers.prob_above(codes)
        right.append(float(expected_accuracy(belief.ranking(), above)))
    return np.array(right)


def measure(tiny: Tiny, policy: str, count: int, seed: int, jobs: int) -> FloatArray:
    """`count` campaigns in portions, side by side."""
    portions = [range(start, min(start + PORTION, count)) for start in range(0, count, PORTION)]
    given = [(tiny, policy, numbers, seed) for numbers in portions]
    return np.concatenate(all_of(f"{tiny.title}, {policy}", campaigns, given, jobs, what="portions"))


@click.command()
@click.option(
    "--count", type=click.IntRange(min=2), default=12_000, show_default=True, help="Campaigns of each kind and policy."
)
@click.option(
    "--policies", default="akg,full-posterior,random", show_default=True, help="akg is what others are held against."
)
@click.option("--seed", default=0, show_default=True)
@click.option("--jobs", default=-1, show_default=True, help="Processes; -1: one a core.")
def main(count: int, policies: str, seed: int, jobs: int) -> None:
    """The best that is possible, and how near policies come to it."""
    names = list(dict.fromkeys(["akg", *policies.split(",")]))
    for name in names:
        find_policy(name)  # before the best is planned, which takes minutes
    for tiny in KINDS:
        best = tiny.best()
        rows = {name: measure(tiny, name, count, seed, jobs) for name in names}
        mean = {name: found.mean(axis=0) for name, found in rows.items()}
        others = [name for name in names if name != "akg"]
        click.echo(f"\n{tiny.title}, {count} campaigns\n")
        click.echo("| answers | best possible | " + " | ".join(names) + " | best saves | "
                   + " | ".join(f"{name} saves" for name in others) + " |")  # fmt: skip
        click.echo("| --- |" + " --- |" * (len(names) + len(others) + 2))
        for budget in tiny.shown:
            cells = [f"{mean[name][budget]:.4f} ± {standard_error(rows[name])[budget]:.4f}" for name in names]
            cells += [
                f"{100 * saved(mean['akg'][budget], budget, np.arange(tiny.budget + 1.0), curve):.0f} %"
                for curve in (best, *(mean[name] for name in others))
            ]
            click.echo(f"| {budget} | {best[budget]:.4f} | " + " | ".join(cells).replace("nan %", "not reached") + " |")


if __name__ == "__main__":
    run(main)
