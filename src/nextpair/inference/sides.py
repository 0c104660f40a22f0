"""Whether answers tell a better item from a favoured side: not if the same items always stood left."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from nextpair.core.arrays import IntArray
from nextpair.core.comparisons import Comparisons
from nextpair.inference.connected import groups_apart

ENOUGH = 10.0  # answers' worth, from which on a lean is found out: it is then known to 0.6 in log-odds
BY_CHANCE = 0.2  # of what sides tell that are drawn by lot; less is left by chance in one file of 200 at most
FEWEST = 10  # answers beyond what connects the items: among fewer the same sides may be chance
ROUNDS = 200  # of solving; unsolved, sides seem to tell more than they do, and nothing is said


class SameWay(NamedTuple):
    """Of `of` answers about the two items, in `times` the first one named stood left."""

    left: int
    right: int
    times: int
    of: int


def shown_the_same_way(told: Comparisons) -> list[SameWay]:
    """The pairs, most answers first, if side and item cannot be told apart; none if they can, or sides are unknown.

    A lean of everybody adds the same to every gap between who stood left and who stood right. Where scores x have
    x[left] - x[right] = 1 in all answers, it does what x does. What is left of 1 after the best x, squared and summed,
    is how many answers' worth is told of a lean; answers whose sides are unknown hold the gaps of x at 0.
    """
    known = told.sides != 0
    first = np.where(told.sides > 0, told.winners, told.losers)[known]
    second = (told.winners + told.losers)[known] - first
    free = first.size - (told.n_items - len(groups_apart(told)))
    if free < FEWEST:
        return []
    pairs = _pairs(first, second, told.n_items)
    limit = min(ENOUGH, BY_CHANCE * free)
    if _within(pairs) >= limit or first.size - _explained(told, first, second) >= limit:
        return []
    return [SameWay(*row) for row in pairs.tolist()]


def _pairs(first: IntArray, second: IntArray, n: int) -> IntArray:
    """Rows (left, right, times, of) for each pair, called by the way in which it mostly stood; most answers first."""
    number, place = np.unique(np.minimum(first, second) * n + np.maximum(first, second), return_inverse=True)
    of, forth = np.bincount(place), np.bincount(place[first < second], minlength=number.size)
    small, large = np.divmod(number, n)
    turned = 2 * forth < of
    columns = np.where(turned, large, small), np.where(turned, small, large), np.maximum(forth, of - forth), of
    return np.stack(columns, axis=1)[np.argsort(-of, kind="stable")]


def _within(pairs: IntArray) -> float:
    """What pairs tell that stood both ways round, each by itself: never more than all together."""
    times, of = pairs[:, 2], pairs[:, 3]
    return float((4 * times * (of - times) / of).sum())


def _explained(told: Comparisons, first: IntArray, second: IntArray) -> float:
    """How many answers' worth scores explain of who stood left, by the normal equations of least squares."""
    from scipy.sparse import coo_array, diags_array
    from scipy.sparse.linalg import cg

    n = told.n_items
    met = coo_array((np.ones(len(told)), (told.winners, told.losers)), (n, n)).tocsr()
    met = met + met.T
    pull = (np.bincount(first, minlength=n) - np.bincount(second, minlength=n)).astype(np.float64)
    scores, _ = cg(diags_array(met.sum(axis=1)) - met, pull, rtol=1e-8, maxiter=ROUNDS)
    return float(pull @ scores)
