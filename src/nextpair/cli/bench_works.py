"""What `nextpair bench ask` measures: one row of WORKS for each goal, with the goal beside it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from nextpair.cli.bench_beliefs import after_answers, crowd, random_journal, transcription
from nextpair.core.arrays import FloatArray
from nextpair.core.belief import Belief
from nextpair.core.candidates import Candidates

PER_ITEM = (0, 1, 3, 10)  # answers per item behind the beliefs
GROWTH = (100, 200, 500, 1000, 2000, 5000, 10_000)


@dataclass(frozen=True)
class Figure:
    """One line of the table. `reference` is what `measured` is compared with, `ratio` how many times."""

    work: str
    items: int
    answers: int | None
    measured: float
    unit: str = "s"
    compared: str = ""
    reference: float | None = None
    ratio: float | None = None
    goal: str = ""
    reached: bool | None = None


@dataclass(frozen=True)
class Bench:
    """How much is measured: the most items, the answers replayed, the runs of which the best counts, and the seed."""

    items: int
    replayed: int
    repeat: int
    seed: int

    def best_of(self, run: Callable[[], object]) -> float:
        times = []
        for _ in range(self.repeat + 1):  # the first finds things cold
            start = time.perf_counter()
            run()
            times.append(time.perf_counter() - start)
        return min(times[1:])

    def belief(self, n_items: int, n_workers: int, per_item: int) -> Belief:
        return _belief(n_items, n_workers, per_item, self.seed)

    def choose(self, belief: Belief, candidates: Candidates) -> float:
        from nextpair.core.akg import choose

        rng = np.random.default_rng(self.seed)
        return self.best_of(lambda: choose(belief, candidates, rng))


@cache
def _belief(n_items: int, n_workers: int, per_item: int, seed: int) -> Belief:
    belief: Belief = after_answers(n_items, n_workers, per_item * n_items, np.random.default_rng(seed))
    return belief


def alike(belief: Belief) -> Belief:
    return Belief(belief.alpha, np.empty(0), np.empty(0))


def all_scores(bench: Bench) -> Iterator[Figure]:
    from nextpair.core.akg import akg_scores

    for per_item in PER_ITEM:
        belief = alike(bench.belief(100, 50, per_item))
        seconds = bench.best_of(lambda belief=belief: akg_scores(belief))  # type: ignore[misc]
        literal = transcription(
            belief.update(0, 1).alpha, bench.best_of
        )  # what it evaluates is beliefs after an answer
        yield Figure(
            "all scores", 100, 100 * per_item, seconds, "s", "transcription", literal, literal / seconds,
            "10,000 times (2 ms)", literal / seconds >= 10_000,
        )  # fmt: skip


def choose_of_50(bench: Bench) -> Iterator[Figure]:
    for per_item in PER_ITEM:
        belief = bench.belief(100, 50, per_item)
        single = bench.choose(alike(belief), Candidates(100))
        several = bench.choose(belief, crowd(100, 50, bench.seed))
        yield Figure(
            "choose of 50 workers", 100, 100 * per_item, several, "s", "of no workers", single, several / single,
            "1.5 times", several <= 1.5 * single,
        )  # fmt: skip


def choose_of_1000(bench: Bench) -> Iterator[Figure]:
    if bench.items >= 1000:
        for per_item in PER_ITEM:
            seconds = bench.choose(bench.belief(1000, 1000, per_item), crowd(1000, 1000, bench.seed))
            literal = transcription(bench.belief(1000, 1000, per_item).update(0, 1).alpha, bench.best_of) * 1000
            yield Figure(
                "choose of 1,000 workers", 1000, 1000 * per_item, seconds, "s", "transcription", literal,
                literal / seconds, "0.15 s", seconds < 0.15,
            )  # fmt: skip


def choose_of_many_items(bench: Bench) -> Iterator[Figure]:
    """In a process each, so that the peak of memory is its own."""
    if bench.items >= 10_000:
        for per_item in PER_ITEM:
            seconds, peak = _in_a_process("choose_alone", 10_000, per_item, bench.seed)
            yield Figure("choose", 10_000, 10_000 * per_item, seconds, goal="5 s", reached=seconds < 5)
            yield Figure("peak memory of it", 10_000, 10_000 * per_item, peak, "MiB", goal="1 GiB", reached=peak < 1024)
        seconds, peak = _in_a_process("choose_alone", 10_000, 3, bench.seed, 1000)
        yield Figure("choose of 1,000 workers", 10_000, 30_000, seconds, goal="5 s", reached=seconds < 5)
        yield Figure("peak memory of it", 10_000, 30_000, peak, "MiB", goal="1 GiB", reached=peak < 1024)


def tell(bench: Bench) -> Iterator[Figure]:
    for n_items, goal in ((100, 50e-6), (10_000, 1e-3)):
        if bench.items >= n_items:
            belief = after_answers(n_items, 50, n_items, np.random.default_rng(bench.seed), at_random=True)
            seconds = bench.best_of(lambda belief=belief: [belief.update(0, 1, 0) for _ in range(100)]) / 100  # type: ignore[misc]
            yield Figure(
                "tell", n_items, n_items, seconds, goal=f"{goal * 1e6:,.0f} µs", reached=seconds < goal
            )  # fmt: skip


def replay(bench: Bench) -> Iterator[Figure]:
    n_items = min(bench.items, 1000)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "journal"
        random_journal(path, n_items, bench.replayed, np.random.default_rng(bench.seed))
        seconds, _ = _in_a_process("replay_alone", str(path))
    whole = bench.replayed == 1_000_000 and n_items == 1000
    yield Figure(
        "replay a journal",
        n_items,
        bench.replayed,
        seconds,
        goal="20 s a million",
        reached=seconds < 20 if whole else None,
    )


def growth(bench: Bench) -> Iterator[Figure]:
    sizes = [size for size in GROWTH if size <= bench.items]
    if len(sizes) > 1:
        beliefs = [
            alike(after_answers(size, 50, 3 * size, np.random.default_rng(bench.seed), at_random=True))
            for size in sizes
        ]
        seconds = [bench.choose(belief, Candidates(size)) for size, belief in zip(sizes, beliefs, strict=True)]
        exponent = float(np.polyfit(np.log(sizes), np.log(seconds), 1)[0])
        yield Figure(
            f"growth of choose from K = {sizes[0]}", sizes[-1], 3 * sizes[-1], exponent, "", goal="exponent 2.1",
            reached=exponent <= 2.1 if sizes[-1] == GROWTH[-1] else None,
        )  # fmt: skip


def other_criteria(bench: Bench) -> Iterator[Figure]:
    """The next pair of 100 items by the criteria of others, in our own implementation, after the same answers."""
    from nextpair.core.policies import find_policy

    for per_item in PER_ITEM:
        ours = bench.choose(alike(bench.belief(100, 50, per_item)), Candidates(100))
        for name in ("crowd-bt", "asap"):
            policy, rng = find_policy(name), np.random.default_rng(bench.seed)
            belief = after_answers(100, 0, 100 * per_item, rng, at_random=True, prior=policy.prior(100, 0))
            seconds = bench.best_of(lambda: policy.choose(belief, Candidates(100), rng, 1))  # noqa: B023
            yield Figure(f"choose by {name}", 100, 100 * per_item, seconds, "s", "akg", ours, seconds / ours)


def first_use(bench: Bench) -> Iterator[Figure]:
    """From starting Python to the first question of 20 items, by a user without and with compiled code on disk."""
    for policy in ("akg", "full-posterior"):
        with tempfile.TemporaryDirectory() as folder:
            for work in ("first question ever", "first of a process"):
                start = time.perf_counter()
                _in_a_process("ask_alone", policy, cache_dir=folder)
                yield Figure(f"{work}, {policy}", 20, 0, time.perf_counter() - start)


@dataclass(frozen=True)
class Work:
    name: str
    measure: Callable[[Bench], Iterator[Figure]]


WORKS = (
    Work("all scores", all_scores),
    Work("choose of 50 workers", choose_of_50),
    Work("choose of 1,000 workers", choose_of_1000),
    Work("choose of 10,000 items", choose_of_many_items),
    Work("tell", tell),
    Work("replay", replay),
    Work("growth", growth),
    Work("criteria of others", other_criteria),
    Work("first use", first_use),
)


def _in_a_process(function: str, *values: object, cache_dir: str | None = None) -> tuple[float, float]:
    """(seconds, peak of memory in MiB) that a function of this module reports from a process of its own."""
    code = f"from nextpair.cli import bench_works as works; works.report(works.{function}{values!r})"
    env = os.environ | ({"NUMBA_CACHE_DIR": cache_dir} if cache_dir else {})
    done = subprocess.run([sys.executable, "-c", code], env=env, stdout=subprocess.PIPE, check=True)
    seconds, peak = json.loads(done.stdout)
    return seconds, peak


def report(seconds: float) -> None:
    print(json.dumps([seconds, _peak_memory()]))


def _peak_memory() -> float:
    """Of this process, in MiB, by Linux's own count: getrusage may tell there what the process that started it had."""
    import resource

    status = Path("/proc/self/status")
    if status.exists():
        return int(status.read_text().partition("VmHWM:")[2].split()[0]) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1024 * 1024 if sys.platform == "darwin" else 1024)


def choose_alone(n_items: int, per_item: int, seed: int, n_workers: int = 0) -> float:
    bench = Bench(n_items, 0, 2, seed)
    rng = np.random.default_rng(seed)
    belief = after_answers(n_items, max(n_workers, 50), per_item * n_items, rng, at_random=True)
    if n_workers:
        return bench.choose(belief, crowd(n_items, n_workers, seed))
    return bench.choose(alike(belief), Candidates(n_items))


def replay_alone(path: str) -> float:
    from nextpair.campaign.campaign import Campaign

    Belief.prior(3, 1).update(0, 1, 0)  # the compiled code is loaded
    start = time.perf_counter()
    alpha: FloatArray = Campaign.load(path).belief.alpha  # type: ignore[attr-defined]
    assert np.isfinite(alpha).all()
    return time.perf_counter() - start


def ask_alone(policy: str) -> float:
    from nextpair.campaign.campaign import Campaign

    start = time.perf_counter()
    Campaign([f"item {k}" for k in range(20)], ["worker"], policy=policy).ask()
    return time.perf_counter() - start
