"""Workers who come back: what a campaign saves that starts from what earlier ones learnt of them.

`python -m nextpair.lab.returning` draws crowds, has each work through some campaigns of other items, one after the
other, and then plays one more campaign several times, in the same world: among strangers, and known from one earlier
campaign, two, and so on. "mixed up" is known from all of them, but each worker by what was learnt of another: what it
costs where people are not what they were.
With `--data FOLDER` the crowd is that of a recording: a campaign about half of its items, drawn at random, among
strangers, and among workers who are known from all answers about the other half.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import click
import numpy as np

from nextpair.command import run
from nextpair.core.arrays import FloatArray
from nextpair.core.full_posterior import FullPosterior
from nextpair.core.model import RELIABILITY, Model
from nextpair.core.policies import Policy, find_policy
from nextpair.extras import require_figure
from nextpair.lab.play import Beta, Source, noted_budgets, play
from nextpair.lab.progress import all_of
from nextpair.lab.recording import Recording, Replayed, find_recording
from nextpair.lab.savings import draw, tell
from nextpair.lab.trials import generator, one_thread
from nextpair.lab.worlds import Simulated, World, uniform_scores

EACH = 10  # answers an item that a campaign buys
Known = Sequence[Beta]  # of each worker; of strangers, none
Scene = tuple[Callable[[], Source], dict[str, Known]]
"""The campaign to play, and the ways in which workers may be known from what was before it."""
Story = Callable[[Policy, int, int], Scene]
"""(policy, seed, trial): what a crowd has been through."""


def learnt(belief: Model) -> Known:
    """What a campaign knows of its workers in the end."""
    return list(zip(belief.mu.tolist(), belief.nu.tolist(), strict=True))


def simulated(items: int, workers: int, campaigns: int) -> Story:
    """Crowds as the prior says, each of which goes through some campaigns before, under the same policy."""

    def story(policy: Policy, seed: int, trial: int) -> Scene:
        rng = generator(seed, trial)
        crowd = rng.beta(*RELIABILITY, workers)
        worlds = [World(uniform_scores(items, rng), crowd, int(rng.integers(1 << 62))) for _ in range(campaigns + 1)]
        ways: dict[str, Known] = {}
        known: Known = ()
        for number, world in enumerate(worlds[:-1], start=1):
            played = play(policy, Simulated(world), EACH * items, generator(seed, trial, number), known=known)
            ways[f"after {number}"] = known = learnt(played.belief)
        return lambda: Simulated(worlds[-1]), ways

    return story


def recorded(recording: Recording) -> Story:
    """The crowd of a recording: a campaign about half of its items, and all answers about the other half before."""
    recording.refuse_halves("workers who come back")

    def story(policy: Policy, seed: int, trial: int) -> Scene:
        here, before = recording.halves(generator(seed, trial))
        part = recording.about(here)
        known = learnt(FullPosterior.fit(recording.about(before).answers))
        return lambda: Replayed(part, generator(seed, trial, 1), by_worker=True), {"known": known}

    return story


def returned(name: str, story: Story, seed: int, trial: int) -> dict[str, FloatArray]:
    """The accuracy at each noted budget of the last campaign, by how workers are known."""
    policy = find_policy(name)
    with one_thread():
        source, found = story(policy, seed, trial)
        ways: dict[str, Known] = {name: ()} | {f"{name}, {way}": known for way, known in found.items()}
        *_, known = found.values()
        ways[f"{name}, mixed up"] = [*known[1:], known[0]]
        budget = EACH * source().n_items
        return {
            label: play(policy, source(), budget, generator(seed, trial, 0), known=known).accuracy
            for label, known in ways.items()
        }


@click.command()
@click.option("--items", type=click.IntRange(min=2), default=10, show_default=True)
@click.option("--workers", type=click.IntRange(min=2), default=10, show_default=True)
@click.option("--campaigns", type=click.IntRange(min=1), default=3, show_default=True, help="How many were before.")
@click.option("--data", help="The folder of a recording, whose items and workers are taken instead.")
@click.option("--trials", type=click.IntRange(min=2), default=100, show_default=True)
@click.option("--policies", default="akg,full-posterior", show_default=True, help="The first is compared with.")
@click.option("--seed", default=0, show_default=True)
@click.option("--jobs", default=-1, show_default=True, help="Processes; -1: one a core.")
@click.option("--figure", type=click.Path(path_type=Path), help="Draw accuracy against budget there (PNG).")
def main(
    items: int,
    workers: int,
    campaigns: int,
    data: str | None,
    trials: int,
    policies: str,
    seed: int,
    jobs: int,
    figure: Path | None,
) -> None:
    """What a campaign saves if its workers are known from earlier ones."""
    require_figure(figure)
    names = [find_policy(name).name for name in policies.split(",")]
    story, title = simulated(items, workers, campaigns), f"{items} × {workers} workers"
    if data is not None:
        recording = find_recording(data)
        story, title, items = recorded(recording), recording.name, -(-recording.answers.n_items // 2)
    given = [(name, story, seed, trial) for name in names for trial in range(trials)]
    found = all_of("returning", returned, given, jobs)
    lines: dict[str, FloatArray] = {}
    for number in range(len(names)):
        some = found[number * trials : (number + 1) * trials]
        lines |= {label: np.array([accuracy[label] for accuracy in some]) for label in some[0]}
    tell(noted_budgets(EACH * items), lines, names[0])
    if figure is not None:
        draw({title: (noted_budgets(EACH * items), lines)}, names[0], figure)


if __name__ == "__main__":
    run(main)
