"""Run a job: what is missing of its trials, wherever the engine runs them; then the result."""

from __future__ import annotations

import math
import time
from collections.abc import Container
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, TextIO

from nextpair.core.arrays import FloatArray
from nextpair.lab.checkpoint import Checkpoint, cache_folder
from nextpair.lab.engines import Engine, Task
from nextpair.lab.play import noted_budgets
from nextpair.lab.progress import Progress
from nextpair.lab.settings import Job
from nextpair.lab.timing import Timing, measure_all
from nextpair.lab.trials import Curve, summarise

MOST_IN_A_TASK = 10  # small enough that an interruption costs little


@dataclass(frozen=True, eq=False)
class Result:
    """What a run gave: a curve a line, or timings."""

    job: Job
    curves: dict[str, Curve]
    timings: list[Timing] = field(default_factory=list)
    seconds: float = 0.0  # of work in this call; not part of what is compared or written as data
    fresh: float = 1.0  # the share of its trials that ran in this call, and not in an earlier one

    @property
    def budgets(self) -> FloatArray:
        return noted_budgets(self.job.settings.budget, in_money=self.job.in_money)

    @property
    def spots(self) -> list[int]:
        """Where a curve is read off, among its budgets: at a fifth, half and all of it."""
        n = len(self.budgets)
        return sorted({n // 5, n // 2, n - 1})

    def as_json(self) -> dict[str, Any]:
        """The data of the run, as `--json` prints it."""
        data: dict[str, Any] = {"experiment": self.job.experiment, "settings": asdict(self.job.settings)}
        data["curves"] = {
            label: {
                "budget": [plain(budget) for budget in self.budgets],
                "accuracy": curve.accuracy.tolist(),
                "stderr": [None if math.isnan(error) else error for error in curve.stderr.tolist()],
            }
            for label, curve in self.curves.items()
        }
        if self.job.declared.tally:
            data[f"asked_{self.job.declared.tally}"] = {
                label: curve.tally.tolist() for label, curve in self.curves.items()
            }
        if self.timings:
            data["timing"] = [asdict(timing) for timing in self.timings]
        return data


def plain(budget: float) -> int | float:
    """A whole number as one, so that 20 answers are not written as 20.0."""
    return int(budget) if budget == int(budget) else float(budget)


def run(job: Job, engine: Engine, folder: Path | None = None, stream: TextIO | None = None) -> Result:
    """Run what is missing of a job and summarise. Finished trials are kept in `folder`, or in a cache until done."""
    start = time.monotonic()
    if job.declared.timing:
        return Result(job, {}, measure_all(job), time.monotonic() - start)
    checkpoint = Checkpoint(folder or cache_folder(), job)
    checkpoint.refuse_unwritable()
    done = checkpoint.load(job)
    tasks = missing_tasks(job, done.keys(), engine.width)
    progress = Progress(job.experiment, len(job.lines()) * job.settings.trials, len(done), stream=stream)
    try:
        for trials in engine.run(job, tasks) if tasks else ():
            checkpoint.add(trials)
            done.update({(trial.line, trial.number): trial for trial in trials})
            progress.advance(len(trials))
    finally:
        progress.close()
    if folder is None:
        checkpoint.remove()
    fresh = sum(len(numbers) for _, numbers in tasks) / len(done)
    return Result(job, summarise(job, done.values()), seconds=time.monotonic() - start, fresh=fresh)


def missing_tasks(job: Job, done: Container[tuple[str, int]], width: int) -> list[Task]:
    """Batches of the trials still to run: several in one, since a task each would cost more than a small trial."""
    size = max(1, min(MOST_IN_A_TASK, job.settings.trials // (4 * width)))
    tasks: list[Task] = []
    for line in job.lines():
        left = [number for number in range(job.settings.trials) if (line.label, number) not in done]
        tasks += [(line, left[at : at + size]) for at in range(0, len(left), size)]
    return tasks
