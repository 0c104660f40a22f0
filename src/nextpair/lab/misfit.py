"""How far recorded answers are from what every policy here assumes: one score an item, one reliability a worker.

`python -m nextpair.lab.misfit FOLDER …` fits Bradley-Terry scores to one half of the answers of each recording and
holds the other half against them. It prints how often answers agree with the truth and with the scores; how often two
answers to the same pair agree, and how often they would if scores were all there is (more: some pairs have a right and
a wrong answer that no scores explain); how much workers differ, beside what Beta(4, 1) supposes; and of the scores of
all answers how far apart they are and to which side they have the longer tail, beside what the paper's prior supposes.
"""

from __future__ import annotations

from dataclasses import dataclass

import click
import numpy as np

from nextpair.command import run
from nextpair.core.arrays import FloatArray, IntArray
from nextpair.core.comparisons import Comparisons
from nextpair.core.full_posterior import FullPosterior
from nextpair.inference.estimators import fit
from nextpair.lab.recording import Recording, find_recording

ENOUGH = 20  # answers of a worker whose own strength is estimated


@dataclass(frozen=True)
class Misfit:
    """Shares of answers, the spread of workers as a share of the average strength, and the shape of log-scores."""

    agree_with_truth: float
    agree_with_scores: float
    two_agree: float
    two_would_agree: float
    workers_differ: float
    spread: float
    skew: float


def misfit(recording: Recording, rng: np.random.Generator) -> Misfit:
    answers = recording.answers
    kept = answers.ties == 0
    winners, losers, workers = answers.winners[kept], answers.losers[kept], answers.workers[kept]
    every = FullPosterior.fit(Comparisons.of(winners, losers, n_items=answers.n_items)).scores()
    first_half = rng.random(winners.size) < 0.5
    learnt = Comparisons.of(winners[first_half], losers[first_half], n_items=answers.n_items)
    scores = fit("bradley-terry-map", learnt).scores
    winners, losers, workers = winners[~first_half], losers[~first_half], workers[~first_half]
    gap = scores[winners] - scores[losers]
    truth = recording.truth
    told_apart = truth[winners] != truth[losers]
    return Misfit(
        float((truth[winners] > truth[losers])[told_apart].mean()),
        float((gap > 0).mean()),
        *_two_agree(winners, losers, scores),
        _workers_differ(gap, workers),
        float(every.std()),
        float(((every - every.mean()) ** 3).mean() / every.std() ** 3),
    )


def _two_agree(winners: IntArray, losers: IntArray, scores: FloatArray) -> tuple[float, float]:
    """How often two answers to the same pair are the same, and how often they would be: a mean over pairs."""
    n = scores.size
    pair, up = np.unique(np.minimum(winners, losers) * n + np.maximum(winners, losers), return_inverse=True)
    asked = np.bincount(up).astype(np.float64)
    won = np.bincount(up, winners < losers)
    twice = asked >= 2
    asked, won, pair = asked[twice], won[twice], pair[twice]
    same = (won * (won - 1) + (asked - won) * (asked - won - 1)) / (asked * (asked - 1))
    chance = 1 / (1 + np.exp(scores[pair % n] - scores[pair // n]))
    return float(same.mean()), float((chance**2 + (1 - chance) ** 2).mean())


def _workers_differ(gap: FloatArray, workers: IntArray) -> float:
    """The standard deviation of workers' strengths as a share of their mean, less what chance alone makes of it.

    A worker of strength r prefers the better item with chance (1 + r tanh(gap / 2)) / 2; r is 2 rho - 1. nan where
    fewer than two workers have ENOUGH answers.
    """
    pull = np.tanh(gap / 2)
    size = np.bincount(workers, minlength=1)
    told = np.bincount(workers, pull**2)
    some = (size >= ENOUGH) & (told > 0)
    if some.sum() < 2:
        return float("nan")
    strength, noise = np.bincount(workers, pull)[some] / told[some], 1 / told[some]
    return float(np.sqrt(max(np.var(strength, ddof=1) - noise.mean(), 0.0)) / strength.mean())


@click.command()
@click.argument("folders", nargs=-1, required=True)
@click.option("--seed", default=0, show_default=True)
def main(folders: tuple[str, ...], seed: int) -> None:
    """How far recorded answers are from one score an item and one reliability a worker."""
    click.echo(
        "| recording | agree with the truth | with the scores | two answers to a pair agree | would, by scores alone "
        "| workers differ by (Beta(4, 1): 54 %) | spread of log-scores (1.28) | their skew (-1.1; normal: 0) |"
    )
    click.echo("| --- |" + " --- |" * 7)
    for folder in folders:
        recording = find_recording(folder)
        found = misfit(recording, np.random.default_rng(seed))
        cells = [found.agree_with_truth, found.agree_with_scores, found.two_agree, found.two_would_agree]
        text = " | ".join(f"{100 * cell:.1f} %" for cell in cells)
        differ = "too few answers each" if np.isnan(found.workers_differ) else f"{100 * found.workers_differ:.0f} %"
        click.echo(f"| {recording.name} | {text} | {differ} | {found.spread:.2f} | {found.skew:+.1f} |")


if __name__ == "__main__":
    run(main)
