"""`nextpair bench ask`: how long the next question takes, against the paper transcribed literally."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from typing import Any

import click
import numpy as np

Row = dict[str, Any]


@click.command()
@click.option("--items", default="100,1000", show_default=True, help="Numbers of items, with commas between.")
@click.option("--answers", default="0,1,3,10", show_default=True, help="Answers per item before the question.")
@click.option("--repeat", default=5, show_default=True, help="The best of so many runs counts.")
@click.option("--seed", default=0, show_default=True)
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of a table.")
def ask(items: str, answers: str, repeat: int, seed: int, as_json: bool) -> None:
    """How long the next question takes, against [CJL] transcribed literally.

    The transcription evaluates I_1/2 for every pair of items, for both answers to every pair (scipy's betainc, on whole
    arrays); it is timed on a few of its sums and multiplied up. Crowd-BT is the criterion that gavel uses.
    """
    rows: list[Row] = []
    first = time.perf_counter()
    from nextpair.core.kernels.scorer import warm_up

    warm_up()
    rows.append({"work": "first use: import, compiled code, table of tails", "seconds": time.perf_counter() - first})
    for n_items in (int(word) for word in items.split(",")):
        for per_item in (int(word) for word in answers.split(",")):
            rows += _measure(n_items, per_item, repeat, np.random.default_rng(seed))
    if as_json:
        click.echo(json.dumps(rows, indent=2))
    else:
        _print(rows)


def _measure(n_items: int, per_item: int, repeat: int, rng: np.random.Generator) -> list[Row]:
    from nextpair.core.akg import akg_scores, choose
    from nextpair.core.belief import Belief
    from nextpair.core.candidates import Candidates

    n_workers = 50 if n_items <= 100 else 1000
    belief = _after_answers(n_items, n_workers, per_item * n_items, rng)
    workers = tuple(range(n_workers))
    history = {w: {tuple(sorted(rng.choice(n_items, 2, replace=False).tolist())) for _ in range(20)} for w in workers}
    crowd = Candidates(n_items, workers, seen=history)
    literal = _transcription(belief.update(0, 1).alpha, repeat)  # what it evaluates is beliefs after an answer
    alike = Belief(belief.alpha, np.empty(0), np.empty(0))
    several: list[tuple[str, Callable[[], object], float | None]] = [
        ("choose a pair", lambda: choose(alike, Candidates(n_items), rng), literal),
        (f"choose pair and worker, M = {n_workers}", lambda: choose(belief, crowd, rng), literal * n_workers),
        ("tell", lambda: belief.update(0, 1, 0), None),
        ("expected accuracy", belief.expected_accuracy, None),
        ("Crowd-BT's criterion, all pairs", lambda: crowd_bt_gains(belief.alpha), None),
    ]
    if n_items <= 2000:
        several.insert(0, ("all scores", lambda: akg_scores(alike), literal))
    rows = []
    for work, run, reference in several:
        seconds = _best_of(run, repeat)
        rows.append(
            {
                "work": work, "items": n_items, "answers": per_item * n_items, "seconds": seconds,
                "transcription": reference, "ratio": None if reference is None else reference / seconds,
            }
        )  # fmt: skip
    return rows


def _after_answers(n_items: int, n_workers: int, n_answers: int, rng: np.random.Generator) -> Any:
    """A belief from a simulated campaign: random pairs, random workers of different reliability."""
    from nextpair.core.belief import Belief

    theta, rho = rng.standard_exponential(n_items), rng.beta(4, 1, n_workers)
    i = rng.integers(n_items, size=n_answers)
    j = (i + rng.integers(1, n_items, size=n_answers)) % n_items
    who = rng.integers(n_workers, size=n_answers)
    honest = rng.random(n_answers) < rho[who]
    wins = (rng.random(n_answers) < theta[i] / (theta[i] + theta[j])) == honest
    return Belief.prior(n_items, n_workers).fold(np.where(wins, i, j), np.where(wins, j, i), who)


def _transcription(alpha: Any, repeat: int) -> float:
    """Seconds for all scores: two sums over all pairs for each pair, extrapolated from a sample of one sum's terms."""
    from scipy.special import betainc

    upper = np.triu_indices(alpha.size, 1) if alpha.size <= 1000 else _sample_of_pairs(alpha.size)
    ranked = np.sort(alpha)[::-1]
    better, worse = ranked[upper[0]], ranked[upper[1]]
    once = _best_of(lambda: betainc(better, worse, 0.5).sum(), repeat)
    n_pairs = alpha.size * (alpha.size - 1) / 2
    return float(2 * n_pairs * n_pairs * once / better.size)


def _sample_of_pairs(n_items: int) -> tuple[Any, Any]:
    first = np.arange(0, n_items - 1, max(1, n_items // 500))
    grid = np.broadcast_arrays(first[:, None], np.arange(n_items)[None, :])
    below = grid[0] < grid[1]
    return grid[0][below], grid[1][below]


def crowd_bt_gains(alpha: Any, var: float = 1.0, gamma: float = 0.1) -> Any:
    """Chen et al. 2013: the expected information of each pair under Gaussian scores, by their closed-form update.

    Means and variances are those of log theta under the belief; reliabilities are left out, as for known workers.
    """
    from scipy.special import digamma, polygamma

    mean, variance = digamma(alpha), var * polygamma(1, alpha)
    total = np.zeros((alpha.size, alpha.size))
    up = 1 / (1 + np.exp(mean[None, :] - mean[:, None]))
    for chance, step in ((up, 1 - up), (1 - up, -up)):
        curvature = -up * (1 - up)
        for own, sign in ((np.arange(alpha.size)[:, None], 1), (np.arange(alpha.size)[None, :], -1)):
            new_mean = mean[own] + sign * variance[own] * step
            new_var = variance[own] * np.maximum(1 + variance[own] * curvature, 1e-4)
            total += chance * (
                np.log(np.sqrt(variance[own] / new_var))
                + (new_var + (new_mean - mean[own]) ** 2) / (2 * variance[own])
                - 0.5
            )
    return (1 + gamma) * total


def _best_of(run: Callable[[], object], repeat: int) -> float:
    best = np.inf
    for _ in range(repeat):
        start = time.perf_counter()
        run()
        best = min(best, time.perf_counter() - start)
    return float(best)


def _print(rows: list[Row]) -> None:
    from rich.console import Console
    from rich.table import Table

    table = Table("work", "items", "answers", "time", "transcription", "times faster")
    for row in rows:
        reference, ratio = row.get("transcription"), row.get("ratio")
        table.add_row(
            row["work"], str(row.get("items", "")), str(row.get("answers", "")), _duration(row["seconds"]),
            "" if reference is None else _duration(reference), "" if ratio is None else f"{ratio:,.0f}",
        )  # fmt: skip
    Console().print(table)


def _duration(seconds: float) -> str:
    for unit, name in ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs")):
        if seconds >= unit:
            return f"{seconds / unit:,.3g} {name}" if seconds < 1000 else f"{seconds:,.0f} s"
    return f"{seconds:.1e} s"
