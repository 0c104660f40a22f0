"""What the benchmark runs on: beliefs after real campaigns, workers with histories, journals, and the transcription."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from nextpair.campaign.events import Answered, Asked, Created
from nextpair.campaign.journal import to_line
from nextpair.core.arrays import FloatArray, IntArray
from nextpair.core.belief import Belief
from nextpair.core.candidates import Candidates, Pair, as_pair
from nextpair.core.model import RELIABILITY

BATCHES = 20  # in which the questions of a campaign are chosen
CHOSEN = 1000  # items up to which they are chosen and not random


def after_answers(
    n_items: int,
    n_workers: int,
    n_answers: int,
    rng: np.random.Generator,
    *,
    at_random: bool = False,
    prior: Any = None,
) -> Any:
    """The belief after a simulated campaign: true scores Dir(1), workers Beta(4, 1), questions of akg in batches.

    Questions are random pairs of random workers where that is asked for and with more than `CHOSEN` items.
    """
    from nextpair.core.akg import choose

    belief = Belief.prior(n_items, n_workers) if prior is None else prior
    theta, rho = rng.standard_exponential(n_items), rng.beta(*RELIABILITY, n_workers)
    if at_random or n_items > CHOSEN or not n_answers:
        return belief.fold(*_answers(*_random_questions(n_items, n_workers, n_answers, rng), theta, rho, rng))
    candidates, size = Candidates(n_items, tuple(range(n_workers))), -(-n_answers // BATCHES)
    for begin in range(0, n_answers, size):
        chosen = choose(belief, candidates, rng, min(size, n_answers - begin))
        i, j, who = (np.array(part) for part in zip(*((c.i, c.j, c.worker) for c in chosen), strict=True))
        belief = belief.fold(*_answers(i, j, who, theta, rho, rng))
    return belief


def _random_questions(
    n_items: int, n_workers: int, size: int, rng: np.random.Generator
) -> tuple[IntArray, IntArray, IntArray]:
    i = rng.integers(n_items, size=size)
    j = (i + rng.integers(1, n_items, size=size)) % n_items
    return i, j, rng.integers(n_workers, size=size) if n_workers else np.full(size, -1)


def _answers(
    i: IntArray, j: IntArray, who: IntArray, theta: FloatArray, rho: FloatArray, rng: np.random.Generator
) -> tuple[IntArray, IntArray, IntArray]:
    honest = rng.random(i.size) < (rho[who] if rho.size else 1.0)
    wins = (rng.random(i.size) < theta[i] / (theta[i] + theta[j])) == honest
    return np.where(wins, i, j), np.where(wins, j, i), who


def crowd(n_items: int, n_workers: int, seed: int) -> Candidates:
    """Workers who have each seen twenty pairs."""
    rng = np.random.default_rng(seed)
    seen: dict[int, set[Pair]] = {
        w: {as_pair(int(i), int(j)) for i, j in rng.integers(n_items, size=(20, 2)) if i != j} for w in range(n_workers)
    }
    return Candidates(n_items, tuple(range(n_workers)), seen=seen)


def random_journal(path: Path, n_items: int, n_answers: int, rng: np.random.Generator) -> None:
    """A journal of so many answered questions."""
    items, workers = [f"item {k}" for k in range(n_items)], [f"worker {w}" for w in range(200)]
    i, j, who = _random_questions(n_items, len(workers), n_answers, rng)
    sides = rng.integers(2, size=n_answers)
    created = Created(
        tuple(items), tuple(workers), None, 0, "akg", 1.0, {}, None, (), 0, RELIABILITY, None
    )  # fmt: skip
    asked = to_line(Asked("Q", "WORKER", "LEFT", "RIGHT", 1.0))
    answered = {side: to_line(Answered("Q", side)) for side in ("left", "right")}
    with open(path, "w", encoding="utf-8") as file:
        file.write(to_line(created))
        for q in range(n_answers):
            line = asked.replace("WORKER", workers[who[q]]).replace("LEFT", items[i[q]]).replace("RIGHT", items[j[q]])
            file.write(line.replace('"Q"', f'"q{q}"'))
            file.write(answered["left" if sides[q] else "right"].replace('"Q"', f'"q{q}"'))


def transcription(alpha: FloatArray, best_of: Callable[[Callable[[], object]], float]) -> float:
    """Seconds for all scores: two sums over all pairs for each pair, extrapolated from one such sum."""
    from scipy.special import betainc

    ranked = np.sort(alpha)[::-1]
    above, below = np.triu_indices(alpha.size, 1)
    better, worse = ranked[above], ranked[below]
    once = best_of(lambda: betainc(better, worse, 0.5).sum())
    return 2.0 * better.size * once
