"""Seconds to choose one question, beside the paper's (Tables 1 and 2)."""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np

from nextpair.core.model import RELIABILITY
from nextpair.core.policies import find_policy
from nextpair.lab.settings import Job
from nextpair.lab.trials import generator
from nextpair.lab.worlds import Simulated, World, uniform_scores

SIZES = ((10, 0), (25, 0), (100, 0), (10, 10), (25, 20), (100, 50))
PAPER = {  # (policy, items, workers) -> seconds
    ("akg", 10, 0): 0.023, ("akg", 25, 0): 0.75, ("akg", 100, 0): 22.0,
    ("adaptive-polling", 10, 0): 20.0, ("adaptive-polling", 25, 0): 42 * 60.0,
    ("akg", 10, 10): 0.038, ("akg", 25, 20): 0.82, ("akg", 100, 50): 41.0,
}  # fmt: skip
WITHOUT_WORKERS = ("adaptive-polling",)  # has no notion of a worker
LONG = 30.0  # seconds a choice: above it a policy is not measured at larger sizes


@dataclass(frozen=True)
class Timing:
    """The median over a few choices, after `items` random answers; None where it would have taken too long."""

    policy: str
    items: int
    workers: int
    seconds: float | None
    paper_seconds: float | None


def measure_all(job: Job) -> list[Timing]:
    """Every policy at the paper's sizes, or at the one size asked for. One after the other, on an idle process."""
    settings = job.settings
    sizes = SIZES if (settings.items, settings.workers) == (10, 0) else ((settings.items, settings.workers),)
    timings = []
    for policy in settings.policies:
        too_long = False
        for items, workers in sizes:
            if workers and policy in WITHOUT_WORKERS:
                continue
            seconds = None if too_long else measure(policy, items, workers, settings.seed, settings.trials)
            too_long = too_long or (seconds is not None and seconds > LONG)
            timings.append(Timing(policy, items, workers, seconds, PAPER.get((policy, items, workers))))
    return timings


def measure(policy_name: str, items: int, workers: int, seed: int, repeats: int) -> float:
    """The median time of a choice. The first is not counted: it compiles and fills caches."""
    rng = generator(seed, items, workers)
    policy = find_policy(policy_name)
    source = Simulated(World(uniform_scores(items, rng), rng.beta(*RELIABILITY, workers) if workers else None, seed))
    belief = policy.prior(items, workers)
    random = find_policy("random")
    for _ in range(items):
        answer = source.answer(random.choose(belief, source.candidates(), rng, 1)[0])
        belief = belief.update(answer.winner, answer.loser, answer.worker)
    times: list[float] = []
    while len(times) < repeats + 1 and sum(times) < 4 * LONG:
        start = time.perf_counter()
        choice = policy.choose(belief, source.candidates(), rng, 1)[0]
        times.append(time.perf_counter() - start)
        answer = source.answer(choice)
        belief = belief.update(answer.winner, answer.loser, answer.worker)
    return float(np.median(times[1:] or times))
