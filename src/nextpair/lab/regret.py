"""What another question would have been worth: full-posterior's choices against others, ten items and more.

At some moments of a campaign, worlds are drawn from what is believed, and in each of them the campaign is played to its
end several times: with the question that full-posterior asks, with the next best ones, with some at random; from the
second question on always by full-posterior itself. A policy of which no other question is better is the best there is
(policy iteration stands still), so what the best of the others adds, summed over a campaign, says how much is left.
Which one is the best is found on half of the worlds and measured on the other half, else noise would win.

A better policy would come to other states than full-posterior does, and its lead over it is what full-posterior's
choices lose in *those* (the performance difference lemma of Kakade and Langford 2002). So `along` walks through the
campaigns of another policy.

`python -m nextpair.lab.regret` prints the table. An end is judged by the accuracy that is expected there, and the same
answers are met on all ways: that leaves a hundredth of the noise.
"""

from __future__ import annotations

import click
import numpy as np

from nextpair.command import run
from nextpair.core.arrays import FloatArray, IntArray
from nextpair.core.full_posterior import FullPosterior
from nextpair.core.gaussian import mean_certainty
from nextpair.core.kernels.onward import finish
from nextpair.core.look_ahead import question_gains
from nextpair.core.policies import find_policy
from nextpair.lab.progress import all_of
from nextpair.lab.trials import generator, standard_error
from nextpair.lab.worlds import Simulated, drawn_world

OWN = "full-posterior"
NEXT = 5  # the next best questions that are tried
ANY = 3  # and so many of the others, at random; or as many as are wanted, up to all
MOMENTS = (0.07, 0.13, 0.27, 0.4, 0.6, 0.8, 0.93)  # of the budget; and before the last answer


def moments(budget: int) -> list[int]:
    """After how many answers a choice is looked at."""
    return sorted({max(1, round(share * budget)) for share in MOMENTS} | {budget - 1})


def campaign(
    n_items: int, budget: int, worlds: int, seed: int, number: int, along: str = OWN, others: int = ANY
) -> FloatArray:
    """(moments, 3): what is gained, on average, by the next best questions, by random ones, and by the best of all.

    The campaign itself is asked by the policy `along`. So many of the `others` are tried, beyond the next best.
    """
    rng = generator(seed, number)
    source = Simulated(drawn_world(n_items, 0, rng))
    policy, belief = find_policy(along), FullPosterior.prior(n_items)
    leading, rows = policy.prior(n_items), []
    for answers in range(budget):
        if answers in moments(budget):
            rows.append(_gained(ends(belief, questions(belief, rng, others), budget - answers, worlds, rng)))
        (choice,) = policy.choose(leading, source.candidates(), rng, 1)
        told = source.answer(choice)
        leading, belief = leading.update(told.winner, told.loser), belief.update(told.winner, told.loser)
    return np.array(rows)


def questions(belief: FullPosterior, rng: np.random.Generator, others: int = ANY) -> IntArray:
    """Rows (i, j), i > j: the best question, the next best, and some of the rest (all, if there are no more)."""
    rows, columns = np.tril_indices(belief.n_items, -1)
    order = np.argsort(-question_gains(belief, None)[rows, columns], kind="stable")
    rest = order[1 + NEXT :]
    picked = np.append(order[: 1 + NEXT], rng.choice(rest, min(others, len(rest)), replace=False))
    return np.stack([rows[picked], columns[picked]], axis=1)


def ends(belief: FullPosterior, pairs: IntArray, left: int, worlds: int, rng: np.random.Generator) -> FloatArray:
    """(worlds, pairs): the accuracy expected at the end of the budget, after each first question in each world."""
    n, root = belief.n_items, np.linalg.cholesky(belief.cov)
    out = np.empty((worlds, len(pairs)))
    for world in range(worlds):
        scores, luck = belief.mean + root @ rng.standard_normal(n), rng.random((n, n, left))
        for way, (i, j) in enumerate(pairs.tolist()):
            out[world, way] = mean_certainty(*finish(belief.mean, belief.cov, (i, j), scores, luck))
    return out


def _gained(ends: FloatArray) -> list[float]:
    gained = ends - ends[:, :1]
    half = len(gained) // 2
    found = [
        float(judged[:, chosen.mean(axis=0).argmax()].mean())
        for chosen, judged in ((gained[:half], gained[half:]), (gained[half:], gained[:half]))
    ]
    return [float(gained[:, 1 : 1 + NEXT].mean()), float(gained[:, 1 + NEXT :].mean()), float(np.mean(found))]


@click.command()
@click.option("--items", default=10, show_default=True)
@click.option("--budget", default=75, show_default=True, help="Answers in a campaign.")
@click.option("--campaigns", default=60, show_default=True)
@click.option("--worlds", default=1000, show_default=True, help="At each moment of each campaign.")
@click.option("--others", default=ANY, show_default=True, help="Questions tried beyond the next best, at random.")
@click.option("--along", default=OWN, show_default=True, help="The policy whose campaigns are looked at.")
@click.option("--seed", default=0, show_default=True)
@click.option("--jobs", default=-1, show_default=True, help="Processes; -1: one a core.")
def main(items: int, budget: int, campaigns: int, worlds: int, others: int, along: str, seed: int, jobs: int) -> None:
    """What another question than full-posterior's would have been worth."""
    pairs = items * (items - 1) // 2
    if pairs < 1 + NEXT + ANY or others < 1 or budget < 2 or campaigns < 2 or worlds < 2:
        raise click.UsageError("at least 5 items, 2 answers, campaigns and worlds, and 1 other question are needed")
    find_policy(along)  # a name that is not known is told before the work starts
    given = [(items, budget, worlds, seed, number, along, others) for number in range(campaigns)]
    table = np.array(all_of("regret", campaign, given, jobs, what="campaigns"))
    mean, error, at = table.mean(axis=0), standard_error(table), moments(budget)
    click.echo(f"{items} items, {budget} answers of workers who are alike, asked by {along}")
    click.echo(f"{campaigns} campaigns, {worlds} worlds a moment\n")
    tried = min(others, pairs - 1 - NEXT)
    click.echo(f"| after | the next {NEXT} | {tried} at random | the best of all, on other worlds |")
    click.echo("| --- | --- | --- | --- |")
    for row, answers in enumerate(at):
        cells = [f"{mean[row, k]:+.5f} ± {error[row, k]:.5f}" for k in range(3)]
        click.echo(f"| {answers} | " + " | ".join(cells) + " |")
    # a straight line between the moments, over all answers
    sums = np.array([np.interp(np.arange(budget), at, row).sum() for row in table[:, :, 2]])
    click.echo(f"\nThe best of all at every answer: {sums.mean():+.4f} ± {standard_error(sums):.4f}")


if __name__ == "__main__":
    run(main)
