"""The best that any policy could do, in campaigns that can be planned to their end: a few items.

What has been heard is a state; V(state, n answers left) is the largest, over the questions that may be asked, of the
mean of V(next state, n - 1 left) over the two answers, and V(state, 0) the expected accuracy of the best ranking. With
fully reliable answers a state is how often each of the K(K - 1) answers came, under the smallest of its K! names: ten
million states for 4 items and 20 answers. Where workers differ there are three items, and each worker answers a pair
at most once: so a worker is one of 27 codes and a crowd a multiset of them.

`optimal` does the same for one campaign at a time, and with ties; this goes further and gives every budget.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from itertools import permutations

import numpy as np

from nextpair.core.accuracy import expected_accuracy
from nextpair.core.arrays import FloatArray, IntArray
from nextpair.core.exact import simplex_grid
from nextpair.core.kernels import plan
from nextpair.core.model import RELIABILITY
from nextpair.errors import InvalidSetting

ITEMS = 3  # where workers differ
ORDER = {2: 24, 3: 16, 4: 5, 5: 3}  # nodes a direction: the values then change by less than 1e-5 with more
MOST_ANSWERS = {2: 40, 3: 40, 4: 20, 5: 13}  # some ten million states
MOST_WORKERS = 7  # some four million crowds
PORTION = 2**21  # numbers in memory at a time while states are weighed


def best_alike(items: int, budget: int, on_level: Callable[[int], None] | None = None) -> FloatArray:
    """The expected accuracy of the best policy for every budget up to `budget`, fully reliable answers.

    `on_level` hears after how many answers all states have been weighed.
    """
    if items not in MOST_ANSWERS or not 0 <= budget <= MOST_ANSWERS[items]:
        raise InvalidSetting(
            "the best policy is computed for "
            + ", ".join(f"{n} items and up to {most} answers" for n, most in MOST_ANSWERS.items())
            + f", not for {items} items and {budget} answers"
        )
    tree = Tree(items, budget)
    states, levels = np.zeros(1, dtype=np.int64), []  # of each level: the facts, and where each answer leads
    for heard in range(budget + 1):
        chance, right = tree.facts(states, heard)
        reached = plan.next_states(states if heard < budget else states[:0], heard, tree.names, tree.choose)
        states, place = np.unique(reached, return_inverse=True)
        levels.append((chance, right, place.reshape(reached.shape).astype(np.int32)))
        if on_level is not None:
            on_level(heard)
    best = np.empty(budget + 1)
    for end in range(budget + 1):
        value = levels[end][1]
        for chance, _, later in levels[:end][::-1]:
            worth = np.zeros(len(chance))
            for k in range(chance.shape[1]):
                first, second = value[later[:, 2 * k]], value[later[:, 2 * k + 1]]
                np.maximum(worth, second + chance[:, k] * (first - second), out=worth)
            value = worth
        best[end] = value[0]
    return best


class Tree:
    """What the states of one campaign with fully reliable answers have in common.

    Answers 2k and 2k + 1 are that the first and that the second item of pair k wins.
    """

    def __init__(self, items: int, budget: int) -> None:
        self.first, self.second = np.triu_indices(items, 1)
        winners = np.stack([self.first, self.second], axis=1).ravel()
        losers = np.stack([self.second, self.first], axis=1).ravel()
        number = np.empty((items, items), dtype=np.int64)
        number[winners, losers] = np.arange(winners.size)
        self.orders = np.array(list(permutations(range(items))))
        self.names = number[self.orders[:, winners], self.orders[:, losers]]
        self.choose = plan.binomials(budget + winners.size, winners.size)
        grid = simplex_grid(items, ORDER[items])
        self._log_chance = grid.log_chance[winners, losers]
        above = grid.theta[:, self.first] > grid.theta[:, self.second]
        facts = np.vstack([np.ones_like(grid.weight), np.exp(self._log_chance[::2]), above.T])
        self._facts = np.ascontiguousarray((facts * grid.weight).T)

    def facts(self, states: IntArray, heard: int) -> tuple[FloatArray, FloatArray]:
        """(chance, right): (S, pairs) that the first of a pair wins the next answer; (S,) the best order's accuracy."""
        pairs = self.first.size
        chance, right = np.empty((states.size, pairs)), np.empty(states.size)
        portion = max(1, PORTION // len(self._facts))
        for start in range(0, states.size, portion):
            some = slice(start, start + portion)
            counts = plan.counts_of_all(states[some], heard, 2 * pairs, self.choose)
            found = np.exp(counts @ self._log_chance) @ self._facts
            found /= found[:, :1]
            chance[some] = found[:, 1 : 1 + pairs]
            right[some] = expected_accuracy(self.orders, found[:, 1 + pairs :]).max(axis=1)
        return chance, right


def best_of_crowd(n_workers: int) -> FloatArray:
    """The same of workers with Beta(*RELIABILITY), each asked a pair at most once: for up to 3 answers each."""
    if not 1 <= n_workers <= MOST_WORKERS:
        raise InvalidSetting(f"the best policy is computed for 1 to {MOST_WORKERS} workers, not {n_workers}")
    told = crowd_answers()
    choose = plan.binomials(told.likelihood.shape[0] + n_workers, n_workers)
    crowds = plan.crowds_of(n_workers, told.likelihood.shape[0], choose)
    chance, right = plan.crowd_facts(crowds, told.digits, told.likelihood, told.grid.weight, told.above)
    answers = (told.digits > 0).sum(axis=1)[crowds].sum(axis=1)
    by_answers = [np.flatnonzero(answers == n) for n in range(ITEMS * n_workers + 1)]
    best = np.empty(len(by_answers))
    value = np.empty(right.size)
    for end, last in enumerate(by_answers):
        value[last] = right[last]
        for numbers in by_answers[:end][::-1]:
            plan.crowd_step(numbers, crowds, told.digits, chance, value, choose)
        best[end] = value[0]
    return best


class CrowdAnswers:
    """What three items' answers of a crowd say exactly, reliabilities drawn from Beta(*RELIABILITY).

    Of each of a worker's 27 codes `digits` are what was answered, and `likelihood` is how likely that is at each node.
    `above` is (pairs, nodes): whether the first of each pair is the better one.
    """

    def __init__(self) -> None:
        from scipy.special import roots_jacobi

        mu, nu = RELIABILITY
        x, w = roots_jacobi(3, nu - 1.0, mu - 1.0)  # exact for the product of three answers
        rho, w = (x + 1) / 2, w / w.sum()
        self.grid, (first, second) = simplex_grid(ITEMS, ORDER[ITEMS]), np.triu_indices(ITEMS, 1)
        self.above = (self.grid.theta[:, first] > self.grid.theta[:, second]).astype(np.float64).T.copy()
        codes = np.arange(plan.DONE**ITEMS)
        self.digits = codes[:, None] // plan.DONE ** np.arange(ITEMS) % plan.DONE
        chance = np.exp(self.grid.log_chance[first, second])
        share = rho[:, None, None] * chance + (1 - rho[:, None, None]) * (1 - chance)  # (rho, pairs, nodes)
        said = np.stack([np.ones_like(share), share, 1 - share])  # by digit
        likelihood = np.ones((codes.size, rho.size, self.grid.weight.size))
        for k in range(ITEMS):
            likelihood *= said[self.digits[:, k], :, k]
        self.likelihood: FloatArray = np.einsum("r,crn->cn", w, likelihood)

    def prob_above(self, codes: IntArray) -> FloatArray:
        """(pairs,): the chance that the first of each pair is better, after what workers of these codes said."""
        weight = self.grid.weight * self.likelihood[codes].prod(axis=0)
        return np.asarray(self.above @ weight / weight.sum())


@cache
def crowd_answers() -> CrowdAnswers:
    """The same each time."""
    return CrowdAnswers()
