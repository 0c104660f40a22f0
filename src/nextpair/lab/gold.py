"""Gold: questions whose right answer is known, asked to get to know the workers before a campaign.

`python -m nextpair.lab.gold` draws worlds, lets every worker answer so many of them, and plays a campaign in which a
worker who got r right and w wrong starts as Beta(4 + r, 1 + w). "paid" is the same with gold bought like any answer:
the campaign starts once everybody has answered theirs, and has that much less to spend.
With `--data FOLDER` the crowd is that of a recording: a campaign about half of its items, drawn at random, and gold
from the answers about the other half, pairs that stand at least half as far apart as the best and the last.
"""

from __future__ import annotations

from pathlib import Path

import click
import numpy as np

from nextpair.command import run
from nextpair.core.arrays import FloatArray, IntArray
from nextpair.core.model import RELIABILITY
from nextpair.core.policies import find_policy
from nextpair.errors import InvalidSetting
from nextpair.extras import require_figure
from nextpair.lab.play import Beta, Source, noted_budgets, play
from nextpair.lab.progress import all_of
from nextpair.lab.recording import Recording, Replayed, find_recording
from nextpair.lab.savings import draw, tell
from nextpair.lab.trials import generator, one_thread
from nextpair.lab.worlds import Simulated, drawn_world

POLICIES = PAPERS, OURS = "akg", "full-posterior"
EACH = 10  # answers an item that a campaign buys
FAR = 0.5  # of the way from the last place to the first, that gold of a recording stands apart at least
Answered = IntArray
"""(M, n): of the gold that each worker was asked, in turn: 1 right, 0 wrong, -1 never asked."""


def drawn(reliability: FloatArray, most: int, rng: np.random.Generator) -> Answered:
    """Answers to so many golden questions a worker: right as often as the worker is reliable."""
    return (rng.random((reliability.size, most)) < reliability[:, None]).astype(np.int64)


def found(recording: Recording, items: IntArray, most: int, rng: np.random.Generator) -> Answered:
    """The first so many answers of each worker, in a random order, about pairs of these items that are far apart."""
    part = recording.about(items)
    told, place = part.answers, np.argsort(np.argsort(part.truth, kind="stable"))
    ahead = place[told.winners] - place[told.losers]
    gold = np.zeros((told.n_workers, most), dtype=np.int64) - 1
    asked = np.zeros(told.n_workers, dtype=np.int64)
    far = (np.abs(ahead) >= FAR * (items.size - 1)) & (told.workers >= 0) & ~told.ties.astype(np.bool_)
    for answer in rng.permutation(np.flatnonzero(far)):
        worker = told.workers[answer]
        if asked[worker] < most:
            gold[worker, asked[worker]] = ahead[answer] > 0
            asked[worker] += 1
    return gold


def known(gold: Answered) -> list[Beta]:
    """What each worker starts as."""
    mu, nu = RELIABILITY
    return [(mu + int((row == 1).sum()), nu + int((row == 0).sum())) for row in gold]


def scene(
    items: int, workers: int, recording: Recording | None, most: int, seed: int, trial: int
) -> tuple[Source, Answered]:
    """The campaign to play, and how its workers answer gold. Nothing of it depends on how much is asked."""
    rng, luck = generator(seed, trial), generator(seed, trial, 1)
    if recording is None:
        world = drawn_world(items, workers, rng)
        assert world.reliability is not None
        return Simulated(world), drawn(world.reliability, most, luck)
    here, before = recording.halves(rng)
    return Replayed(recording.about(here), rng, by_worker=True), found(recording, before, most, luck)


def later(accuracy: FloatArray, budgets: FloatArray, paid: float) -> FloatArray:
    """The accuracy at each budget if so much of it was spent before the campaign began."""
    return np.interp(budgets - paid, budgets, accuracy)


def campaigns(
    items: int, workers: int, recording: Recording | None, asked: list[int], seed: int, trial: int
) -> dict[str, FloatArray]:
    """The accuracy at each noted budget of one world, by policy and by how much gold each worker was asked."""
    lines = {}
    with one_thread():
        for name in POLICIES:
            for number in (0, *asked):
                source, gold = scene(items, workers, recording, max(asked), seed, trial)
                asking = gold[:, :number]
                budget = EACH * source.n_items
                start = known(asking) if number else ()
                played = play(find_policy(name), source, budget, generator(seed, trial, 0), known=start)
                label = f"{name}, {number} gold" if number else name
                lines[label] = played.accuracy
                if number and name == OURS:
                    lines[f"{label}, paid"] = later(played.accuracy, noted_budgets(budget), float((asking >= 0).sum()))
    return lines


def numbers_in(text: str) -> list[int]:
    """The whole numbers of `text`, with commas between."""
    words = [word.strip() for word in text.split(",")]
    if not all(word.isdecimal() and 1 <= int(word) <= 1000 for word in words):
        raise InvalidSetting(f"--asked takes whole numbers from 1 to 1000, with commas between, not {text!r}")
    return [int(word) for word in words]


@click.command()
@click.option("--items", type=click.IntRange(min=2), default=10, show_default=True)
@click.option("--workers", type=click.IntRange(min=1), default=10, show_default=True)
@click.option("--asked", default="1,3,5", show_default=True, help="How much gold each worker is asked.")
@click.option("--data", help="The folder of a recording, whose items and workers are taken instead.")
@click.option("--trials", type=click.IntRange(min=2), default=100, show_default=True)
@click.option("--seed", default=0, show_default=True)
@click.option("--jobs", default=-1, show_default=True, help="Processes; -1: one a core.")
@click.option("--figure", type=click.Path(path_type=Path), help="Draw accuracy against budget there (PNG).")
def main(
    items: int,
    workers: int,
    asked: str,
    data: str | None,
    trials: int,
    seed: int,
    jobs: int,
    figure: Path | None,
) -> None:
    """What a campaign saves whose workers have answered questions of which the right answer is known."""
    require_figure(figure)
    recording, title = None, f"{items} × {workers} workers"
    if data is not None:
        recording = find_recording(data)
        recording.refuse_halves("gold")
        title, items = recording.name, -(-recording.answers.n_items // 2)
    tasks = [(items, workers, recording, numbers_in(asked), seed, trial) for trial in range(trials)]
    played = all_of("gold", campaigns, tasks, jobs)
    lines = {label: np.array([one[label] for one in played]) for label in played[0]}
    budgets = noted_budgets(EACH * items)
    for base in POLICIES:
        tell(budgets, lines, base)
    if figure is not None:
        draw({title: (budgets, {line: rows for line, rows in lines.items() if line.startswith(OURS)})}, OURS, figure)


if __name__ == "__main__":
    run(main)
