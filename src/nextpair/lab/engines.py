"""Where trials run: in this process, on all cores through joblib, or on a Dask cluster. The results are the same."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from nextpair.errors import InvalidSetting
from nextpair.extras import require
from nextpair.lab.experiments import Line
from nextpair.lab.settings import Job
from nextpair.lab.trials import Trial, run_trials

Task = tuple[Line, Sequence[int]]
ENGINES = ("local", "dask")
CONNECT_SECONDS = 10
LOST = (
    "killed, perhaps for want of memory. Finished trials are kept: run the same command to go on, or with fewer --jobs"
)


def cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1


@dataclass(frozen=True)
class Engine:
    """Which engine, how many processes (0: one a core), and the scheduler's address for a Dask cluster that exists."""

    name: str = "local"
    jobs: int = 0
    scheduler: str | None = None

    def __post_init__(self) -> None:
        if self.name not in ENGINES:
            raise InvalidSetting(f"unknown engine {self.name!r}: choose one of {', '.join(ENGINES)}")
        if self.jobs < 0:
            raise InvalidSetting(f"jobs must be 1 or more (0: one a core), not {self.jobs}")
        if self.scheduler and self.name != "dask":
            raise InvalidSetting("a scheduler's address needs --engine dask")

    @property
    def width(self) -> int:
        return self.jobs or cores()

    def run(self, job: Job, tasks: Sequence[Task]) -> Iterator[list[Trial]]:
        """The trials of each task, as they get done."""
        if self.name == "dask":
            require("distributed", "--engine dask")
            return _run_dask(self, job, tasks)
        if self.width == 1 or len(tasks) == 1:
            return (run_trials(job, *task) for task in tasks)
        require("joblib", "more than one process (--jobs)")
        return _run_joblib(self.width, job, tasks)


def _run_joblib(width: int, job: Job, tasks: Sequence[Task]) -> Iterator[list[Trial]]:
    from joblib import Parallel, delayed, parallel_config
    from joblib.externals.loky.process_executor import BrokenProcessPool

    # one thread inside each process: the cores are taken already
    with parallel_config(backend="loky", inner_max_num_threads=1):
        done: Iterator[list[Trial]] = Parallel(n_jobs=width, return_as="generator_unordered", batch_size=1)(
            delayed(run_trials)(job, *task) for task in tasks
        )
        try:
            yield from done
        except BrokenProcessPool:
            raise InvalidSetting(f"a process that ran trials was {LOST}") from None


def _run_dask(engine: Engine, job: Job, tasks: Sequence[Task]) -> Iterator[list[Trial]]:
    from distributed import KilledWorker, as_completed

    client = _connect(engine)
    try:
        shared = client.scatter(job, broadcast=True)  # a recording travels once, not with every task
        futures = [client.submit(run_trials, shared, *task, pure=False) for task in tasks]
        for _, trials in as_completed(futures, with_results=True):
            yield trials
    except KilledWorker:
        raise InvalidSetting(f"a worker of the Dask cluster was {LOST}") from None
    finally:
        client.close()
        if client.cluster is not None:
            client.cluster.close()


def _connect(engine: Engine) -> Any:
    from distributed import Client, LocalCluster

    if engine.scheduler is None:
        cluster = LocalCluster(n_workers=engine.width, threads_per_worker=1, dashboard_address=None)
        return Client(cluster)
    try:
        return Client(engine.scheduler, timeout=CONNECT_SECONDS)
    except (OSError, TimeoutError, ValueError) as error:
        raise InvalidSetting(f"no Dask scheduler answers at {engine.scheduler!r}: {error}") from None
