"""What an answer costs in time and memory as campaigns grow.

`python -m nextpair.lab.growth` prints, for each size, the seconds of one choice, of taking in one answer, of the answer
with which all answers are matched again, and of the claims (intervals, expected accuracy), with the size of the belief.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import fields

import click
import numpy as np

from nextpair.command import run
from nextpair.core.candidates import Candidates
from nextpair.core.model import Model
from nextpair.core.policies import find_policy
from nextpair.errors import InvalidSetting
from nextpair.lab.trials import generator


def best_time(work: Callable[[], object], repeat: int) -> float:
    """The least seconds of a few runs: what the machine does besides only adds."""
    times = []
    for _ in range(repeat):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times)


def megabytes(belief: Model) -> float:
    """All arrays of a belief."""
    arrays = (getattr(belief, field.name) for field in fields(belief))  # type: ignore[arg-type]
    return sum(array.nbytes for array in arrays if isinstance(array, np.ndarray)) / 1e6


def row(policy_name: str, items: int, workers: int, per_item: int, repeat: int) -> str:
    """One line of the table, after `per_item` random answers an item."""
    policy, rng = find_policy(policy_name), generator(0, items, workers)
    n = per_item * items
    winners = rng.integers(0, items, n)
    losers = (winners + rng.integers(1, items, n)) % items
    who = rng.integers(0, workers, n) if workers else np.full(n, -1)
    belief = policy.prior(items, workers).fold(winners, losers, who)
    worker = 0 if workers else None
    candidates = Candidates(items, tuple(range(workers)) if workers else None)
    updates = []
    for _ in range(max(repeat, items // 10 + 10, n // 50 + 10)):  # so many that a refit is among them
        start = time.perf_counter()
        belief = belief.update(0, 1, worker)
        updates.append(time.perf_counter() - start)
    choice = best_time(lambda: policy.choose(belief, candidates, rng, 1), repeat)
    start = time.perf_counter()
    belief.intervals()
    belief.expected_accuracy()
    claims = time.perf_counter() - start
    times = (choice, min(updates), max(updates), claims)
    cells = " | ".join(f"{1000 * seconds:.3g} ms" for seconds in times)
    return f"| {items} | {workers or 'alike'} | {cells} | {megabytes(belief):.3g} MB |"


@click.command()
@click.option("--sizes", default="10x10,100x50,300x50,1000x0,1000x50,2000x0", show_default=True, help="ITEMSxWORKERS,…")
@click.option("--policy", default="full-posterior", show_default=True)
@click.option(
    "--answers", type=click.IntRange(min=1), default=5, show_default=True, help="An item, before anything is timed."
)
@click.option(
    "--repeat", type=click.IntRange(min=1), default=5, show_default=True, help="The best of so many choices counts."
)
def main(sizes: str, policy: str, answers: int, repeat: int) -> None:
    """How time and memory grow with the number of items and workers."""
    asked = [_size(size) for size in sizes.split(",")]
    row(policy, 5, 2, 3, 1)  # compiles
    row(policy, 5, 0, 3, 1)
    click.echo("| items | workers | choice | answer | answer with a refit | claims | belief |")
    click.echo("| --- | --- | --- | --- | --- | --- | --- |")
    for items, workers in asked:
        click.echo(row(policy, items, workers, answers, repeat))


def _size(text: str) -> tuple[int, int]:
    """(items, workers) of a size such as 100x50."""
    items, times, workers = text.partition("x")
    if not (times and items.isdecimal() and workers.isdecimal() and int(items) >= 2):
        raise InvalidSetting(f"--sizes are ITEMSxWORKERS with 2 items at least, such as 10x10,1000x0, not {text!r}")
    return int(items), int(workers)


if __name__ == "__main__":
    run(main)
