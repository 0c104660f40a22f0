"""What it brings to know which side items stood on, where workers favour one.

`python -m nextpair.lab.sides` plays campaigns of full-posterior with judges who lean to one side, once told which item
was shown left and once not, and prints the accuracy of both. `python -m nextpair.lab.sides FILE …` fits one half of the
answers of each file, with its sides and without, and prints how well either foretells the other half.
"""

from __future__ import annotations

import math

import click
import numpy as np

from nextpair.command import run
from nextpair.core.arrays import BoolArray, FloatArray
from nextpair.core.candidates import Choice
from nextpair.core.comparisons import Comparisons
from nextpair.core.full_posterior import FullPosterior
from nextpair.core.kernels.davidson import decided_moments
from nextpair.core.policies import find_policy
from nextpair.errors import InvalidSetting
from nextpair.lab.play import Answer, noted_budgets, play
from nextpair.lab.progress import Progress
from nextpair.lab.trials import generator, standard_error
from nextpair.lab.worlds import Simulated, World, uniform, uniform_scores
from nextpair.store.comparisons import read_comparisons
from nextpair.store.streams import open_source

SIDE, FLIP = -3, -4  # what a draw is for, beside the answers themselves


class Leaning(Simulated):
    """Workers who favour the left by `leans`, in log-odds; `known`: whether the policy is told who stood left."""

    def __init__(self, world: World, leans: FloatArray, known: bool) -> None:
        super().__init__(world)
        self._leans, self._known = leans, known

    def answer(self, choice: Choice) -> Answer:
        i, j, worker = *choice.pair, choice.worker
        assert worker is not None
        assert self.world.reliability is not None
        self._seen[worker].add(choice.pair)
        left, right = (i, j) if uniform(self.world.key, i, j, worker, SIDE) < 0.5 else (j, i)
        gap = math.log(self.truth[left] / self.truth[right])
        gap *= 1 if uniform(self.world.key, i, j, worker, FLIP) < self.world.reliability[worker] else -1
        says_left = uniform(self.world.key, i, j, worker, 0) < 1 / (1 + math.exp(-gap - self._leans[worker]))
        winner, loser, side = (left, right, 1) if says_left else (right, left, -1)
        return Answer(winner, loser, worker, side=side if self._known else 0)


def campaigns(
    leans: FloatArray, reliability: FloatArray, items: int, budget: int, trials: int, seed: int, *, known: bool
) -> FloatArray:
    """One row a campaign: the accuracy at each noted budget."""
    rows, progress = [], Progress("sides known" if known else "sides not known", trials, what="campaigns")
    for trial in range(trials):
        rng = generator(seed, trial)
        world = World(uniform_scores(items, rng), reliability, int(rng.integers(1 << 62)))
        rows.append(play(find_policy("full-posterior"), Leaning(world, leans, known), budget, rng).accuracy)
        progress.advance(1)
    progress.close()
    return np.array(rows)


def taken(told: Comparisons, which: BoolArray, *, known: bool = True) -> Comparisons:
    """Some of the answers, with their sides or without."""
    columns = told.columns()[:, which]
    columns[4] *= known
    return Comparisons.of(*columns, n_items=told.n_items, n_workers=told.n_workers)


def log_loss(belief: FullPosterior, told: Comparisons) -> float:
    """Of answers that are no ties: minus the mean logarithm of how likely they were."""
    trust, loss = np.append(1.0, belief.trusts[0]), []
    for i, j, w, tie, side, _ in told.columns().T.tolist():
        if not tie:
            gap, lean, rate = belief.mean[i] - belief.mean[j], side * belief.leans[w + 1], belief.rates[w + 1]
            var = belief.cov[i, i] + belief.cov[j, j] - 2 * belief.cov[i, j]
            straight, turned = (decided_moments(sign * gap + lean, var, rate)[0] for sign in (1, -1))
            loss.append(-math.log(trust[w + 1] * straight + (1 - trust[w + 1]) * turned))
    return float(np.mean(loss))


def held_out(told: Comparisons, rng: np.random.Generator) -> tuple[float, float]:
    """The log-loss of one half of the answers after the other: sides known, and not."""
    first = rng.random(len(told)) < 0.5
    rest = taken(told, ~first)
    known, unknown = (log_loss(FullPosterior.fit(taken(told, first, known=known)), rest) for known in (True, False))
    return known, unknown


def _tell_files(files: tuple[str, ...], trials: int, seed: int) -> None:
    click.echo("| file | log-loss, sides known | not known | gain |\n| --- | --- | --- | --- |")
    for file in files:
        with open_source(file) as source:
            told = read_comparisons(source).comparisons
        losses, progress = [], Progress(file, trials, what="halvings")
        for trial in range(trials):
            losses.append(held_out(told, generator(seed, trial)))
            progress.advance(1)
        progress.close()
        known, unknown = np.array(losses).T
        gain = unknown - known
        click.echo(
            f"| {file} | {known.mean():.4f} | {unknown.mean():.4f} | {gain.mean():.4f} ± {standard_error(gain):.4f} |"
        )


def _tell_campaigns(
    leans: FloatArray, reliability: FloatArray, items: int, budget: int, trials: int, seed: int
) -> None:
    crowd = leans, reliability, items, budget, trials, seed
    known, unknown = (campaigns(*crowd, known=known) for known in (True, False))
    notes = noted_budgets(budget)
    click.echo("| answers | sides known | not known | gain |\n| --- | --- | --- | --- |")
    for at in np.linspace(0, notes.size - 1, 5).astype(np.int64)[1:]:
        gain = known[:, at] - unknown[:, at]
        means = f"{known[:, at].mean():.4f} | {unknown[:, at].mean():.4f}"
        click.echo(f"| {notes[at]:.0f} | {means} | {gain.mean():.4f} ± {standard_error(gain):.4f} |")


def _leans(text: str) -> FloatArray:
    try:
        return np.array([float(lean) for lean in text.split(",")])
    except ValueError:
        raise InvalidSetting(f"--leans are numbers with commas between them, such as 0,1,-1.5, not {text!r}") from None


@click.command()
@click.argument("files", nargs=-1)
@click.option("--leans", default="0,1,-1.5", show_default=True, help="Of each judge, to the left, in log-odds.")
@click.option("--reliability", default=0.95, show_default=True, help="Of each judge.")
@click.option("--items", type=click.IntRange(min=2), default=14, show_default=True)
@click.option("--budget", type=click.IntRange(min=1), default=200, show_default=True)
@click.option("--trials", type=click.IntRange(min=2), default=100, show_default=True)
@click.option("--seed", default=0, show_default=True)
def main(
    files: tuple[str, ...], leans: str, reliability: float, items: int, budget: int, trials: int, seed: int
) -> None:
    """What it brings to know on which side items stood: in simulated campaigns, or on the answers of FILES."""
    if files:
        _tell_files(files, trials, seed)
    else:
        each = _leans(leans)
        _tell_campaigns(each, np.full(each.size, reliability), items, budget, trials, seed)


if __name__ == "__main__":
    run(main)
