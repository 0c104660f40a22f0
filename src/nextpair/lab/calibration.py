"""Are posteriors as sure as they may be? Simulated campaigns, and how often what they claimed was true.

`python -m nextpair.lab.calibration --out FILE.png` prints, for each policy's posterior, how many true scores lay inside
their 90 % intervals, how many pairs claimed about 80 % sure were in the right order, and how often the likeliest to
be the best was; and it draws claim against truth.
With `--at-once` it is the posterior of `nextpair rank`: random questions, all answers taken together.
With `--guess R` each campaign starts from a guess of this correlation with the true order.
With `--data FOLDER` each campaign is about some items of a recording, whose answers are real, and what is true is what
all of its answers together say: the order that the crowd would come to.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import click
import numpy as np

from nextpair.command import run
from nextpair.core.arrays import FloatArray
from nextpair.core.belief import Belief
from nextpair.core.comparisons import Comparisons
from nextpair.core.full_posterior import FullPosterior
from nextpair.core.model import Model
from nextpair.core.policies import find_policy
from nextpair.errors import InvalidSetting
from nextpair.extras import require_figure, save_drawn
from nextpair.lab.guesses import guess_of
from nextpair.lab.play import Source
from nextpair.lab.recording import Recording, Replayed, find_recording
from nextpair.lab.trials import generator, standard_error
from nextpair.lab.worlds import Simulated, drawn_world

Draw = Callable[[np.random.Generator], Source]  # the world of a campaign, with its true scores
LEVEL = 0.9
EDGES = np.array([0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.775, 0.825, 0.85, 0.9, 0.95, 0.98, 1.0])


@dataclass(frozen=True, eq=False)
class Claims:
    """Of one posterior: which true scores were inside their intervals; claim and truth of pairs, and of the best."""

    inside: FloatArray  # one mean a trial
    claimed: FloatArray
    right: FloatArray
    best: FloatArray  # one row a trial: how likely the likeliest to be the best was said to be, and whether it was

    def coverage(self) -> tuple[float, float]:
        return float(self.inside.mean()), float(standard_error(self.inside))

    def bins(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """(mean claim, share that was right, how many) in bins of the claim."""
        place = np.digitize(self.claimed, EDGES[1:-1])
        count = np.bincount(place, minlength=EDGES.size - 1)
        some = np.maximum(count, 1)
        claim, right = (np.bincount(place, values, EDGES.size - 1) / some for values in (self.claimed, self.right))
        return claim, right, count.astype(np.float64)


def truth_of(belief: Model, scores: FloatArray) -> FloatArray:
    """The true scores on the scale of the belief: shares for a Dirichlet, else centred logarithms."""
    return np.asarray(scores / scores.sum() if isinstance(belief, Belief) else np.log(scores) - np.log(scores).mean())


def simulated(items: int, workers: int = 0, spread: float | None = None) -> Draw:
    """Worlds as the prior says, or with normal log-scores of this spread."""
    return lambda rng: Simulated(drawn_world(items, workers, rng, spread))


def recorded(recording: Recording, items: int, *, by_worker: bool) -> Draw:
    """Some items of a recording at random, with the answers about them; as scores, those that all its answers give."""
    answers = recording.answers
    if items > answers.n_items:
        raise InvalidSetting(
            f"{recording.name} has {answers.n_items} items, fewer than the {items} that were asked for"
        )
    decided = np.flatnonzero(answers.ties == 0)
    winners, losers = answers.winners[decided], answers.losers[decided]
    who = answers.workers[decided] if by_worker else np.full(decided.size, -1)
    every = Comparisons.of(winners, losers, who, n_items=answers.n_items, n_workers=answers.n_workers * by_worker)
    whole = Recording(recording.name, every, np.exp(FullPosterior.fit(every).scores()))

    def draw(rng: np.random.Generator) -> Source:
        part = whole.about(rng.choice(answers.n_items, items, replace=False))
        if by_worker:  # of many hundreds a few took part
            names, workers = np.unique(part.answers.workers, return_inverse=True)
            part = replace(part, answers=replace(part.answers, workers=workers, n_workers=names.size))
        return Replayed(part, rng, by_worker=by_worker)

    return draw


def claims(
    policy_name: str,
    asked_by: str,
    draw: Draw,
    budget: int,
    trials: int,
    seed: int,
    *,
    at_once: bool = False,
    guess: float | None = None,
) -> Claims:
    """What the posterior of a policy claims at the end of campaigns whose questions another policy (or it) asked.

    `at_once`, for full-posterior: what it claims when it takes all their answers together. `guess`: the correlation
    with the truth of a guess that campaigns start from.
    """
    policy, asks = find_policy(policy_name), find_policy(asked_by)
    inside, claimed, right, best = [], [], [], []
    for trial in range(trials):
        rng = generator(seed, trial)
        source = draw(rng)
        scores, items, workers = source.truth, source.n_items, source.n_workers
        more = {} if guess is None else {"guess": guess_of(scores, guess, generator(seed, trial, 1))}
        belief, leader = policy.prior(items, workers, **more), asks.prior(items, workers)
        for answers in range(budget):
            choices = asks.choose(leader, source.candidates(), rng, 1)
            if not choices:
                raise InvalidSetting(f"a budget of {budget} is too much: of {items} items there are {answers} answers")
            answer = source.answer(choices[0])
            belief = belief.update(answer.winner, answer.loser, answer.worker)
            leader = belief if asks is policy else leader.update(answer.winner, answer.loser, answer.worker)
        if at_once and isinstance(belief, FullPosterior):
            belief = FullPosterior.fit(Comparisons.of(*belief.told, n_items=items, n_workers=workers))
        low, high = belief.intervals(LEVEL)
        truth = truth_of(belief, scores)
        inside.append(float(((low <= truth) & (truth <= high)).mean()))
        top = belief.prob_top(1)
        best.append((top.max(), float(top.argmax() == scores.argmax())))
        for i in range(items):
            for j in range(i):
                above = belief.prob_above(i, j)
                claimed.append(max(above, 1 - above))
                right.append(float((above >= 0.5) == (scores[i] > scores[j])))
    return Claims(np.array(inside), np.array(claimed), np.array(right), np.array(best))


def draw(found: dict[str, Claims], path: Path) -> None:
    """Claim against truth, one line a posterior."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6, 5), dpi=110)
    axes = figure.subplots()
    axes.plot([0.5, 1], [0.5, 1], color="#999", linewidth=1)
    for (label, of), marker in zip(found.items(), "osD^v<>", strict=False):
        claim, right, count = of.bins()
        seen = count > 50
        axes.plot(claim[seen], right[seen], marker=marker, label=label)
    axes.set(xlabel="claimed probability of an order", ylabel="share of pairs in that order")
    axes.legend(frameon=False)
    axes.grid(alpha=0.3)
    figure.tight_layout()
    save_drawn(figure, path)


@click.command()
@click.option("--items", type=click.IntRange(min=2), default=10, show_default=True)
@click.option(
    "--workers", type=click.IntRange(min=1), default=10, show_default=True, help="Also the same with workers all alike."
)
@click.option("--budget", type=click.IntRange(min=1), default=60, show_default=True)
@click.option("--trials", type=click.IntRange(min=2), default=100, show_default=True)
@click.option("--seed", default=0, show_default=True)
@click.option("--spread", type=float, help="Of normal log-scores; without it, scores are as the prior says (1.28).")
@click.option("--data", type=click.Path(), help="A recording: real answers, with what all of them say for the truth.")
@click.option("--at-once", is_flag=True, help="Random questions, and full-posterior takes all answers at once.")
@click.option("--guess", type=click.FloatRange(-1, 1), help="The correlation of a guess that campaigns start from.")
@click.option("--out", type=click.Path(path_type=Path), help="Where to draw the figure (PNG).")
def main(
    items: int,
    workers: int,
    budget: int,
    trials: int,
    seed: int,
    spread: float | None,
    data: str | None,
    at_once: bool,
    guess: float | None,
    out: Path | None,
) -> None:
    """How far the posteriors of akg, full-posterior and full-posterior-checked can be believed."""
    require_figure(out)
    if data is not None and spread is not None:
        raise click.UsageError("a recording has the spread that it has: either --data or --spread")
    if at_once and guess is not None:
        raise click.UsageError("answers that are taken at once have no guess before them: either --at-once or --guess")
    if data is None:
        worlds = {"workers alike": simulated(items, 0, spread), "workers differ": simulated(items, workers, spread)}
    else:
        recording = find_recording(data)
        worlds = {
            "workers alike": recorded(recording, items, by_worker=False),
            "workers differ": recorded(recording, items, by_worker=True),
        }
    found = {}
    for words, world in worlds.items():
        for asked_by in ("random",) if at_once else ("random", ""):
            for name in ("akg", "full-posterior") if asked_by else ("akg", "full-posterior", "full-posterior-checked"):
                if guess is not None and not find_policy(name).takes_guess:
                    continue
                label = f"{name}, {words}, " + ("random questions" if asked_by else "own questions")
                of = claims(name, asked_by or name, world, budget, trials, seed, at_once=at_once, guess=guess)
                if at_once or not asked_by:
                    found[f"{name}, {words}"] = of
                claim, right, count = of.bins()
                at = int(np.argmin(np.abs(claim - 0.8)))
                cover, error = of.coverage()
                click.echo(
                    f"{label:54s} 90 % intervals cover {100 * cover:.1f}±{100 * error:.1f} %; of {count[at]:.0f} pairs "
                    f"claimed {100 * claim[at]:.1f} % sure {100 * right[at]:.1f} % are right; all pairs: claimed "
                    f"{100 * of.claimed.mean():.1f} %, right {100 * of.right.mean():.1f} %; the best item: claimed "
                    f"{100 * of.best[:, 0].mean():.1f} %, right {100 * of.best[:, 1].mean():.1f}"
                    f"±{100 * standard_error(of.best[:, 1]):.1f} %"
                )
    if out is not None:
        draw(found, out)


if __name__ == "__main__":
    run(main)
