"""What is lost because workers are strangers: full-posterior, told about them what nobody can know.

`python -m nextpair.lab.hindsight FOLDER` takes the worlds of a finished run of workers who differ (`nextpair lab run
heterogeneous --policies full-posterior,akg --out FOLDER`), plays full-posterior in them twice more, and prints what
each saves. Once a worker's answers are judged by the true scores, so that workers are known as well as their answers
can tell; once all reliabilities are known from the start. Scores are learnt from answers alone both times.

No policy knows so much. What these two do not save, none that chooses as they do will.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Self

import click
import numpy as np

from nextpair.command import run
from nextpair.core import look_ahead
from nextpair.core.arrays import FloatArray, IntArray
from nextpair.core.comparisons import Comparisons
from nextpair.core.crowds import BINS, HYPOTHESES
from nextpair.core.full_posterior import FullPosterior
from nextpair.core.kernels.joint import rebuild
from nextpair.core.kernels.refit import absorb_one, match_all
from nextpair.core.kernels.trust import judge
from nextpair.core.policies import Policy
from nextpair.errors import InvalidSetting
from nextpair.lab.play import play
from nextpair.lab.progress import all_of
from nextpair.lab.savings import read_trials, tell
from nextpair.lab.settings import Asked, Job, prepare
from nextpair.lab.trials import generator, make_source
from nextpair.lab.worlds import Simulated, World


@dataclass(frozen=True, eq=False)
class Judged(FullPosterior):
    """The full posterior, with workers judged by true scores: their answers are held against what was likely."""

    truth: FloatArray = field(default_factory=lambda: np.empty(0))

    def after(self, told: Comparisons) -> Self:
        """Every answer is matched again after each, with what is known of its worker then."""
        belief = self
        for answer in told.columns().T:
            belief = belief._heard(answer)
        return belief

    def _heard(self, answer: IntArray) -> Self:
        told = np.column_stack([self.told, answer])
        chance = self.truth[told[0]] / (self.truth[told[0]] + self.truth[told[1]])
        n, at = chance.size, self.to_change(told)
        absorb_one(n - 1, at)
        at.workers[:] = judge(told, chance, self.nodes, self.crowd, self.crowds, n)
        at.factors[2] = chance
        match_all(n, at)
        rebuild(n, at)
        at.factors[2] = chance
        return replace(self, **at._asdict(), refitted=n)

    @property
    def opposite(self) -> float:
        """Who knows the truth about workers is in no doubt which way round the order is."""
        return 0.0


def judged(world: World) -> FullPosterior:
    """What full-posterior starts from where workers will be judged by the truth."""
    return replace(Judged.prior(world.scores.size, _crowd(world).size), truth=world.scores)


def known(world: World) -> FullPosterior:
    """What it starts from where all reliabilities are known: each worker a crowd of one, with one node that counts."""
    rho = _crowd(world)
    here, bins = np.arange(rho.size), np.minimum((rho * BINS).astype(np.int64), BINS - 1)
    nodes = np.tile((np.arange(BINS) + 0.5) / BINS, (rho.size, 1))
    nodes[here, bins] = rho
    crowds = np.zeros((rho.size, HYPOTHESES, BINS))
    crowds[here, 0, bins] = 1.0
    plain = FullPosterior.prior(world.scores.size, rho.size)
    return replace(plain, crowd=here, crowds=crowds, nodes=nodes, workers=crowds[:, 0].copy())


LINES: dict[str, Callable[[World], FullPosterior]] = {"judged by truth": judged, "known from start": known}


def _crowd(world: World) -> FloatArray:
    assert world.reliability is not None
    return world.reliability


def accuracy(job: Job, start: Callable[[World], FullPosterior], number: int) -> FloatArray:
    """The accuracy at each noted budget of one trial, in the same world as all lines of the run."""
    source = make_source(job, job.lines()[0], generator(job.settings.seed, number, 0))
    assert isinstance(source, Simulated)
    belief = start(source.world)
    policy = Policy("hindsight", "full-posterior, told about workers", look_ahead.choose, lambda *_, **__: belief)
    return play(policy, source, job.settings.budget, generator(job.settings.seed, number, 2)).accuracy


def read_job(folder: Path) -> Job:
    """What the run in the folder was."""
    result = json.loads((folder / "result.json").read_text(encoding="utf-8"))
    settings = result["settings"]
    if not settings["workers"] or settings["data"] is not None:
        raise InvalidSetting(f"{folder} holds no simulated run of workers who differ: lab run heterogeneous makes one")
    names = ("items", "workers", "budget", "trials", "seed")
    return prepare(result["experiment"], Asked(**{name: settings[name] for name in names}))


@click.command()
@click.argument("folders", type=click.Path(path_type=Path), nargs=-1, required=True)
@click.option("--base", default="akg", show_default=True, help="The line to compare with.")
@click.option("--jobs", default=-1, show_default=True, help="Processes; -1: one a core.")
def main(folders: tuple[Path, ...], base: str, jobs: int) -> None:
    """What would be saved if workers were known better than anybody can know them."""
    for folder in folders:
        budgets, lines = read_trials(folder, base)
        job, trials = read_job(folder), len(lines[base])
        for label, start in LINES.items():
            given = [(job, start, number) for number in range(trials)]
            lines[label] = np.array(all_of(f"{folder.name}, {label}", accuracy, given, jobs))
        tell(budgets, lines, base)


if __name__ == "__main__":
    run(main)
