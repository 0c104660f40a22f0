"""Items about which something was guessed: what a campaign saves that starts from a rough number for each.

`python -m nextpair.lab.guesses` plays campaigns without a guess, and the same with guesses of several correlations with
the true order (as normal scores; 0 is noise, below 0 the wrong way round). With `--data FOLDER` the answers are those
of a recording. With `--guess FILE` as well, the guess is that of the file, a table with the columns item and guess.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import click
import numpy as np

from nextpair.command import run
from nextpair.core.arrays import FloatArray
from nextpair.core.guess import normal_scores
from nextpair.core.model import RELIABILITY
from nextpair.core.policies import find_policy
from nextpair.errors import InvalidFile, InvalidSetting
from nextpair.extras import require_figure
from nextpair.lab.play import Source, noted_budgets, play
from nextpair.lab.progress import all_of
from nextpair.lab.recording import Recording, Replayed, find_recording
from nextpair.lab.savings import draw, tell
from nextpair.lab.trials import generator, one_thread
from nextpair.lab.worlds import Simulated, World, uniform_scores
from nextpair.store.scores import read_guess
from nextpair.store.streams import open_source

OURS, PAPERS = "full-posterior", "akg"
EACH = 10  # answers an item that a campaign buys
Line = tuple[FloatArray, float]
"""The accuracy at each noted budget, and what is claimed in the end."""


def guess_of(truth: FloatArray, correlation: float, rng: np.random.Generator) -> FloatArray:
    """A guess of this correlation with the true order."""
    noise = rng.normal(size=truth.size)
    return normal_scores(list(correlation * normal_scores(list(truth)) + np.sqrt(1 - correlation**2) * noise))


def correlations_in(text: str) -> list[float]:
    """The numbers of `text`, with commas between."""
    try:
        found = [float(word) for word in text.split(",")]
    except ValueError:
        found = [np.nan]
    if not all(-1 <= r <= 1 for r in found):
        raise InvalidSetting(f"--correlations takes numbers from -1 to 1, with commas between, not {text!r}")
    return found


def with_guess(recording: Recording, path: str) -> Recording:
    """The recording with the guess of a file; whatever else is in it is left aside."""
    with open_source(path) as source:
        guesses, _ = read_guess(source)
    if not any(guesses.get(item) is not None for item in recording.items):
        raise InvalidFile(f"{path} has no guess of any item of {recording.name}, such as {recording.items[0]!r}")
    return replace(recording, guess=normal_scores([guesses.get(item) for item in recording.items]))


def source_of(items: int, workers: int, recording: Recording | None, seed: int, trial: int) -> Source:
    rng = generator(seed, trial)
    if recording is not None:
        return Replayed(recording, rng, by_worker=True)
    crowd = rng.beta(*RELIABILITY, workers) if workers else None
    return Simulated(World(uniform_scores(items, rng), crowd, int(rng.integers(1 << 62))))


def campaign(
    items: int, workers: int, recording: Recording | None, correlations: list[float], seed: int, trial: int
) -> dict[str, Line]:
    """One world, with guesses and without."""
    first = source_of(items, workers, recording, seed, trial)
    lines: dict[str, tuple[str, FloatArray | None]] = {PAPERS: (PAPERS, None), OURS: (OURS, None)}
    if isinstance(first, Replayed) and first.guess is not None:
        lines[f"{OURS}, with the guess"] = OURS, first.guess
    else:
        for number, r in enumerate(correlations):
            lines[f"{OURS}, guess of {r:g}"] = OURS, guess_of(first.truth, r, generator(seed, trial, 1, number))
    found = {}
    with one_thread():
        for line, (policy, guess) in lines.items():
            source = source_of(items, workers, recording, seed, trial)
            luck = generator(seed, trial, 0)
            played = play(find_policy(policy), source, EACH * source.n_items, luck, guess=guess)
            found[line] = played.accuracy, played.belief.expected_accuracy()
    return found


@click.command()
@click.option("--items", type=click.IntRange(min=2), default=10, show_default=True)
@click.option("--workers", type=click.IntRange(min=0), default=10, show_default=True, help="0: all alike.")
@click.option("--correlations", default="0.9,0.7,0.5,0.3,0,-0.7", show_default=True, help="Of the guesses.")
@click.option("--data", help="The folder of a recording, whose items and answers are taken instead.")
@click.option("--guess", help="A table with the columns item and guess, for the items of the recording.")
@click.option("--base", default=PAPERS, show_default=True, help="The line to compare with.")
@click.option("--trials", type=click.IntRange(min=2), default=100, show_default=True)
@click.option("--seed", default=0, show_default=True)
@click.option("--jobs", default=-1, show_default=True, help="Processes; -1: one a core.")
@click.option("--figure", type=click.Path(path_type=Path), help="Draw accuracy against budget there (PNG).")
def main(
    items: int,
    workers: int,
    correlations: str,
    data: str | None,
    guess: str | None,
    base: str,
    trials: int,
    seed: int,
    jobs: int,
    figure: Path | None,
) -> None:
    """What a campaign saves if something is guessed of its items."""
    require_figure(figure)
    if guess is not None and data is None:
        raise InvalidSetting(f"--guess {guess} is of the items of a recording: say which with --data FOLDER")
    recording = None if data is None else find_recording(data)
    if recording is not None and guess is not None:
        recording = with_guess(recording, guess)
    title = f"{items} items, {workers} workers" if workers else f"{items} items alike"
    if recording is not None:
        title, items = recording.name, recording.answers.n_items
    of = correlations_in(correlations)
    found = all_of("guesses", campaign, [(items, workers, recording, of, seed, trial) for trial in range(trials)], jobs)
    lines = {line: np.array([one[line][0] for one in found]) for line in found[0]}
    budgets = noted_budgets(EACH * items)
    tell(budgets, lines, base)
    click.echo("\nbefore any answer, in the end, and what is claimed then")
    for line, accuracy in lines.items():
        claimed = np.mean([one[line][1] for one in found])
        click.echo(f"{line}: {accuracy[:, 0].mean():.3f}, {accuracy[:, -1].mean():.3f}, {claimed:.3f}")
    if figure is not None:
        draw({title: (budgets, lines)}, base, figure)


if __name__ == "__main__":
    run(main)
