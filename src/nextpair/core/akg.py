"""The approximated knowledge gradient ([CJL], Algorithms 1 and 2): which pair, of whom, gains most accuracy."""

from __future__ import annotations

import numpy as np

from nextpair.core.arrays import FloatArray
from nextpair.core.belief import Belief
from nextpair.core.candidates import Candidates, Choice, pick_best
from nextpair.core.kernels.scorer import Scorer


def akg_scores(belief: Belief, worker: int | None = None) -> FloatArray:
    """The expected gain in accuracy of asking each pair: eq. AKGw of that worker, or eq. AKG for `worker=None`.

    A symmetric (K, K) array with nan on the diagonal. Pairs whose alphas have both vanished score 0.
    """
    p = mean_reliability(belief, worker)
    return Scorer(belief.alpha, [p]).all(p)


def mean_reliability(belief: Belief, worker: int | None) -> float:
    """The mean reliability of the worker; nobody in particular (None) is fully reliable."""
    return 1.0 if worker is None else float(belief.reliability[worker])


def choose(belief: Belief, candidates: Candidates, rng: np.random.Generator, n: int = 1) -> list[Choice]:
    """The n best questions, no pair twice (the paper's batch version for n > 1); fewer where there are not so many."""
    upper = np.triu_indices(belief.n_items, 1)
    workers = candidates.askable()
    by_reliability: dict[float, FloatArray] = {}
    table = np.empty((len(workers), upper[0].size))
    for row, worker in enumerate(workers):
        p = mean_reliability(belief, worker)
        if p not in by_reliability:
            by_reliability[p] = akg_scores(belief, worker)[upper]
        allowed = candidates.open_pairs(worker)[upper]
        table[row] = np.where(allowed, by_reliability[p] / candidates.cost(worker), -np.inf)
    choices: list[Choice] = []
    while len(choices) < n and np.isfinite(table).any():
        row, column = divmod(pick_best(table.ravel(), rng), upper[0].size)
        i, j = int(upper[0][column]), int(upper[1][column])
        choices.append(Choice(i, j, workers[row], float(table[row, column])))
        table[:, column] = -np.inf
    return choices
