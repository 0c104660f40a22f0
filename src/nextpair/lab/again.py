"""What it brings to ask a judge the same pairs again, with sides exchanged: `times` of a campaign.

`python -m nextpair.lab.again` lets a single judge answer campaigns until every pair was asked four times, and prints
how right the ranking is, and how right it claims to be, each time that all pairs are through. A judge either answers
anew each time, as a model does that sees another prompt; or says the same again, as a model at temperature 0 does, but
for the side that it may favour.
"""

from __future__ import annotations

import math

import click
import numpy as np

from nextpair.campaign.campaign import Campaign
from nextpair.campaign.questions import Question
from nextpair.command import run
from nextpair.core.accuracy import kendall_accuracy
from nextpair.core.arrays import FloatArray
from nextpair.lab.progress import all_of
from nextpair.lab.trials import generator, standard_error
from nextpair.lab.worlds import uniform_scores

NOTED = (1, 2, 4)  # how often all pairs were asked
JUDGES = (
    (True, 0.0),
    (True, 1.0),
    (False, 0.0),
    (False, 1.0),
)  # whether they answer anew; lean to the left, in log-odds


class Judge:
    """Prefers the better item by the logistic model; `anew`: with new luck each time, and not the same for a pair."""

    def __init__(self, scores: FloatArray, anew: bool, lean: float, rng: np.random.Generator) -> None:
        self._scores, self._anew, self._lean, self._rng = np.log(scores), anew, lean, rng
        self._opinions = rng.logistic(size=(len(scores), len(scores)))

    def __call__(self, question: Question) -> str:
        left, right = int(question.left), int(question.right)
        gap = self._scores[left] - self._scores[right]
        if self._anew:
            luck = self._rng.logistic()
        else:
            luck = self._opinions[left, right] if left < right else -self._opinions[right, left]
        return "left" if gap + luck + self._lean > 0 else "right"


def campaign(items: int, anew: bool, lean: float, seed: int, trial: int) -> list[tuple[float, float]]:
    """(right, claimed) each time that all pairs are through."""
    rng = generator(seed, trial)
    scores, found = uniform_scores(items, rng), []
    judge = Judge(scores, anew, lean, rng)
    asking = Campaign(map(str, range(items)), ["judge"], times=max(NOTED), seed=trial)
    pairs = math.comb(items, 2)
    for answers in range(1, max(NOTED) * pairs + 1):
        question = asking.ask()
        asking.tell(question.id, judge(question))
        if answers % pairs == 0 and answers // pairs in NOTED:
            ranking = np.array([int(row.item) for row in asking.ranking()])
            found.append((kendall_accuracy(ranking, scores), asking.expected_accuracy()))
    return found


@click.command()
@click.option("--items", type=click.IntRange(min=3), default=10, show_default=True)
@click.option("--trials", type=click.IntRange(min=2), default=200, show_default=True)
@click.option("--seed", default=0, show_default=True)
@click.option("--jobs", default=-1, show_default=True, help="Processes; -1: one a core.")
def main(items: int, trials: int, seed: int, jobs: int) -> None:
    """What it brings to ask a judge the same pairs again, with sides exchanged."""
    given = [(items, anew, lean, seed, trial) for anew, lean in JUDGES for trial in range(trials)]
    table = np.array(all_of("again", campaign, given, jobs, what="campaigns")).reshape(
        len(JUDGES), trials, len(NOTED), 2
    )
    pairs = math.comb(items, 2)
    click.echo(f"{items} items, one judge, {trials} campaigns a row: right (claimed)\n")
    heads = [f"all {pairs} pairs {f'{times} times' if times > 1 else 'once'}" for times in NOTED]
    click.echo("| the judge | lean to the left | " + " | ".join(heads) + " |")
    click.echo("| --- | --- |" + " --- |" * len(heads))
    for (anew, lean), of in zip(JUDGES, table, strict=True):
        right, claimed, error = of[..., 0].mean(axis=0), of[..., 1].mean(axis=0), standard_error(of[..., 0])
        cells = [f"{r:.3f} ± {e:.3f} ({c:.3f})" for r, e, c in zip(right, error, claimed, strict=True)]
        says = "answers anew" if anew else "says the same again"
        click.echo(f"| {says} | {lean:g} | " + " | ".join(cells) + " |")


if __name__ == "__main__":
    run(main)
