"""How near policies come to the best that is possible: three items, workers alike or not, planned to the end.

`python -m nextpair.lab.limits` prints, for both kinds of campaign and every budget, the accuracy of the best policy
there can be and of some that exist, and how much budget each saves against AKG. A ranking is judged by its expected
accuracy given the answers it rests on, exactly, and not by the truth of one world: that leaves a tenth of the noise.
"""

from __future__ import annotations

from dataclasses import dataclass

import click
import numpy as np

from nextpair.core.arrays import FloatArray, IntArray
from nextpair.core.kernels.plan import DONE
from nextpair.core.limits import FIRST, ITEMS, SECOND, CrowdAnswers, best_alike, best_of_crowd
from nextpair.core.optimal import planner
from nextpair.core.policies import find_policy
from nextpair.lab.progress import Progress
from nextpair.lab.savings import budget_for
from nextpair.lab.trials import generator, standard_error
from nextpair.lab.worlds import Simulated, World, uniform_scores

PORTION = 100  # campaigns in one task


@dataclass(frozen=True)
class Tiny:
    """A kind of campaign with three items: how many workers (0: alike), and the budgets worth looking at."""

    title: str
    workers: int
    budget: int
    shown: tuple[int, ...]

    def best(self) -> FloatArray:
        """The accuracy of the best policy for each budget."""
        return best_of_crowd(self.workers)[: self.budget + 1] if self.workers else best_alike(self.budget)


ALIKE = Tiny("3 items, workers alike", 0, 30, (4, 7, 10, 15, 20, 25, 30))
CROWD = Tiny("3 items, 6 workers of Beta(4, 1)", 6, 14, (4, 6, 8, 10, 12, 14))


def campaigns(tiny: Tiny, policy: str, numbers: range, seed: int) -> FloatArray:
    """One row a campaign: the expected accuracy of the policy's ranking after each answer."""
    return np.array([_campaign(tiny, policy, generator(seed, number)) for number in numbers])


def _campaign(tiny: Tiny, policy: str, rng: np.random.Generator) -> FloatArray:
    rule, answers = find_policy(policy), CrowdAnswers()
    crowd = rng.beta(*answers.reliability, tiny.workers) if tiny.workers else None
    source = Simulated(World(uniform_scores(ITEMS, rng), crowd, int(rng.integers(1 << 62))))
    belief = rule.prior(ITEMS, tiny.workers)
    wins, codes = np.zeros((ITEMS, ITEMS)), np.zeros(tiny.workers, dtype=np.int64)
    right = [0.5]
    for _ in range(tiny.budget):
        (choice,) = rule.choose(belief, source.candidates(), rng, 1)
        told = source.answer(choice)
        belief = belief.update(told.winner, told.loser, told.worker)
        if told.worker is None:
            wins[told.winner, told.loser] += 1
            above = planner(ITEMS).shares(wins)[0]
        else:
            pair = int(np.flatnonzero((choice.i == FIRST) & (choice.j == SECOND))[0])
            codes[told.worker] += DONE**pair * (1 if told.winner == choice.i else 2)
            above = answers.prob_above(codes)
        right.append(expected_accuracy(belief.ranking(), above))
    return np.array(right)


def expected_accuracy(ranking: IntArray, above: FloatArray) -> float:
    """Of a ranking, where above[k] is the chance that the first of pair k is the better one."""
    place = np.argsort(ranking)
    return float(np.where(place[FIRST] < place[SECOND], above, 1 - above).mean())


def measure(tiny: Tiny, policy: str, count: int, seed: int, jobs: int) -> FloatArray:
    """`count` campaigns in portions, side by side."""
    from joblib import Parallel, delayed

    portions = [range(start, min(start + PORTION, count)) for start in range(0, count, PORTION)]
    progress = Progress(f"{tiny.title}, {policy}", count)
    found = []
    tasks = Parallel(n_jobs=jobs, return_as="generator")(
        delayed(campaigns)(tiny, policy, numbers, seed) for numbers in portions
    )
    for rows in tasks:
        found.append(rows)
        progress.advance(len(rows))
    progress.close()
    return np.concatenate(found)


def saved(base: FloatArray, other: FloatArray, budget: int) -> float:
    """The share of `budget` that `other` does not need to be as accurate as `base` is with all of it."""
    return 1 - budget_for(float(base[budget]), np.arange(other.size, dtype=np.float64), other) / budget


@click.command()
@click.option("--count", default=12_000, show_default=True, help="Campaigns of each kind and policy.")
@click.option(
    "--policies", default="akg,full-posterior,random", show_default=True, help="akg is what others are held against."
)
@click.option("--seed", default=0, show_default=True)
@click.option("--jobs", default=-1, show_default=True, help="Processes; -1: one a core.")
def main(count: int, policies: str, seed: int, jobs: int) -> None:
    """The best that is possible, and how near policies come to it."""
    names = list(dict.fromkeys(["akg", *policies.split(",")]))
    for tiny in (ALIKE, CROWD):
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
                f"{100 * saved(mean['akg'], curve, budget):.0f} %" for curve in (best, *(mean[n] for n in others))
            ]
            click.echo(f"| {budget} | {best[budget]:.4f} | " + " | ".join(cells).replace("nan %", "not reached") + " |")


if __name__ == "__main__":
    main()
