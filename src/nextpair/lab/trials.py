"""Trials: independent repetitions, seeded one by one, so that it does not matter where or in which order they run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from zlib import crc32

import numpy as np

from nextpair.core.arrays import FloatArray, IntArray
from nextpair.core.policies import find_policy
from nextpair.lab.experiments import Line
from nextpair.lab.play import Played, Source, play
from nextpair.lab.recording import Replayed
from nextpair.lab.settings import Job
from nextpair.lab.worlds import Simulated, World

RESAMPLED = 200


@dataclass(frozen=True)
class Trial:
    """What one trial of one line gave: the accuracy at each noted budget, and counts where they are asked for."""

    line: str
    number: int
    accuracy: list[float]
    tally: list[Any]

    def as_record(self) -> dict[str, Any]:
        return {"line": self.line, "trial": self.number, "accuracy": self.accuracy, "tally": self.tally}

    @classmethod
    def from_record(cls, record: dict[str, Any]) -> Trial:
        return cls(record["line"], record["trial"], record["accuracy"], record["tally"])


def generator(seed: int, *key: int) -> np.random.Generator:
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=key))


def run_trials(job: Job, line: Line, numbers: Sequence[int]) -> list[Trial]:
    """The trials of these numbers of one line: the unit of work that is sent to another process or machine."""
    with one_thread():
        return [run_trial(job, line, number) for number in numbers]


@contextmanager
def one_thread() -> Iterator[None]:
    """Trials are what runs side by side; threads inside each would only get in the way."""
    from numba import get_num_threads, set_num_threads

    threads = get_num_threads()
    set_num_threads(1)
    try:
        yield
    finally:
        set_num_threads(threads)


def run_trial(job: Job, line: Line, number: int) -> Trial:
    """One trial. The world depends on seed and number only: every line meets the same one."""
    settings = job.settings
    source = make_source(job, line, generator(settings.seed, number, 0))
    rng = generator(settings.seed, number, 1, crc32((line.luck or line.label).encode()))
    played = play(
        find_policy(line.policy),
        source,
        settings.budget,
        rng,
        reliability=line.prior,
        known=line.known,
        batch=line.batch,
        estimator=line.estimator,
        best=settings.best,
        aims=line.aims,
    )
    return Trial(line.label, number, played.accuracy.tolist(), count(job, source, played))


def make_source(job: Job, line: Line, rng: np.random.Generator) -> Source:
    if job.recording is not None:
        drawn = job.settings.drawn
        recording = job.recording.of_drawn(job.settings.workers, rng) if drawn else job.recording
        return Replayed(recording, rng, by_worker=job.declared.by_worker)
    if job.lookalikes is not None:
        return job.lookalikes.draw(rng)
    key = int(rng.integers(1 << 62))
    scores = job.declared.scores(job.settings.items, rng)
    n_workers = job.settings.workers
    reliability = job.declared.crowd(n_workers, rng, line) if n_workers else None
    return Simulated(World(scores, reliability, key))


def count(job: Job, source: Source, played: Played) -> list[Any]:
    """How often each pair of true ranks (0 is the lowest score), or each worker, was asked."""
    asked = played.asked
    if job.declared.tally == "pairs":
        place = np.argsort(np.argsort(source.truth, kind="stable"))
        table = np.zeros((source.n_items, source.n_items), dtype=np.int64)
        np.add.at(table, (place[asked[:, 0]], place[asked[:, 1]]), 1)
        counted: list[Any] = (table + table.T).tolist()
        return counted
    if job.declared.tally == "workers":
        work: list[Any] = np.bincount(asked[:, 2], minlength=source.n_workers).tolist()
        return work
    return []


@dataclass(frozen=True, eq=False)
class Curve:
    """Accuracy against budget: the mean over trials and its standard error, with the trials themselves."""

    line: Line
    trials: FloatArray  # one row a trial
    tallies: FloatArray  # what was counted in each trial; empty rows where nothing was

    @property
    def tally(self) -> FloatArray:
        return np.asarray(self.tallies.mean(axis=0))

    @property
    def tally_stderr(self) -> FloatArray:
        return standard_error(self.tallies)

    @property
    def accuracy(self) -> FloatArray:
        return np.asarray(self.trials.mean(axis=0))

    @property
    def stderr(self) -> FloatArray:
        return standard_error(self.trials)


def resampled(n: int, seed: int = 0) -> list[IntArray]:
    """Trials drawn anew from n of them, many times: what is worked out from each tells how sure it is."""
    rng = np.random.default_rng(seed)
    return [rng.integers(n, size=n) for _ in range(RESAMPLED)]


def standard_error(rows: FloatArray) -> FloatArray:
    """Of the mean over rows; nan for a single row, which says nothing about its spread."""
    if len(rows) < 2:
        return np.full(rows.shape[1:], np.nan)
    return np.asarray(rows.std(axis=0, ddof=1) / np.sqrt(len(rows)))


def summarise(job: Job, trials: Iterable[Trial]) -> dict[str, Curve]:
    """One curve a line, from trials in any order."""
    by_line: dict[str, list[Trial]] = {line.label: [] for line in job.lines()}
    for trial in trials:
        by_line[trial.line].append(trial)
    curves = {}
    for line in job.lines():
        found = sorted(by_line[line.label], key=lambda trial: trial.number)
        tallies = np.array([trial.tally for trial in found], dtype=np.float64)
        curves[line.label] = Curve(line, np.array([trial.accuracy for trial in found]), tallies)
    return curves
