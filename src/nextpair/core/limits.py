"""The best that any policy could do, in campaigns that can be planned to their end: three items.

What has been heard is a state; V(state, n answers left) is the largest, over the questions that may be asked, of the
mean of V(next state, n - 1 left) over the two answers, and V(state, 0) the expected accuracy of the best ranking. With
fully reliable answers a state is how often each of the six answers came: two million states for 30 answers. Where
workers differ, each answers a pair at most once, so a worker is one of 27 codes and a crowd a multiset of them.

`optimal` does the same for one campaign at a time, four items and ties; this goes further and gives every budget.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from nextpair.core.arrays import FloatArray, IntArray
from nextpair.core.exact import Grid, simplex_grid
from nextpair.core.kernels import plan
from nextpair.core.model import RELIABILITY
from nextpair.errors import InvalidSetting

ITEMS = 3
FIRST, SECOND = np.triu_indices(ITEMS, 1)  # of each pair
ORDER = 16  # nodes a direction: the values then change by less than 1e-6 with more
MOST_ANSWERS = 40
MOST_WORKERS = 7  # some four million crowds


def best_alike(budget: int) -> FloatArray:
    """The expected accuracy of the best policy for every budget up to `budget`, fully reliable answers."""
    if not 0 <= budget <= MOST_ANSWERS:
        raise InvalidSetting(f"the best policy is computed for up to {MOST_ANSWERS} answers, not {budget}")
    grid = simplex_grid(ITEMS, ORDER)
    log_chance = np.stack([grid.log_chance[FIRST, SECOND], grid.log_chance[SECOND, FIRST]], axis=1).reshape(6, -1)
    choose = plan.binomials(budget + 6, 6)
    states = [plan.states_of(heard, 6, choose) for heard in range(budget + 1)]
    facts = [plan.alike_facts(each, log_chance, grid.weight, _above(grid)) for each in states]
    best = np.empty(budget + 1)
    for end in range(budget + 1):
        value = facts[end][:, -1]
        for heard in range(end - 1, -1, -1):
            value = plan.alike_step(states[heard], facts[heard], value, choose)
        best[end] = value[0]
    return best


def best_of_crowd(n_workers: int, reliability: tuple[float, float] = RELIABILITY) -> FloatArray:
    """The same of workers with Beta(*reliability), each asked a pair at most once: for up to 3 answers each."""
    if not 1 <= n_workers <= MOST_WORKERS:
        raise InvalidSetting(f"the best policy is computed for 1 to {MOST_WORKERS} workers, not {n_workers}")
    told = CrowdAnswers(reliability)
    choose = plan.binomials(told.likelihood.shape[0] + n_workers, n_workers)
    crowds = plan.crowds_of(n_workers, told.likelihood.shape[0], choose)
    chance, right = plan.crowd_facts(crowds, told.digits, told.likelihood, told.grid.weight, _above(told.grid))
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


def _above(grid: Grid) -> FloatArray:
    """(pairs, nodes): whether the first of each pair is the better one."""
    return np.asarray(grid.theta[:, FIRST] > grid.theta[:, SECOND], dtype=np.float64).T.copy()


@lru_cache(maxsize=4)
def _likelihood(reliability: tuple[float, float]) -> tuple[IntArray, FloatArray]:
    """(digits, likelihood) of each of a worker's 27 codes: what was answered, and how likely that is at each node."""
    from scipy.special import roots_jacobi

    mu, nu = reliability
    x, w = roots_jacobi(3, nu - 1.0, mu - 1.0)  # exact for the product of three answers
    rho, w = (x + 1) / 2, w / w.sum()
    grid = simplex_grid(ITEMS, ORDER)
    first = np.exp(grid.log_chance[FIRST, SECOND])
    codes = np.arange(plan.DONE**ITEMS)
    digits = codes[:, None] // plan.DONE ** np.arange(ITEMS) % plan.DONE
    share = rho[:, None, None] * first + (1 - rho[:, None, None]) * (1 - first)  # (rho, pairs, nodes)
    said = np.stack([np.ones_like(share), share, 1 - share])  # by digit
    likelihood = np.ones((codes.size, rho.size, grid.weight.size))
    for k in range(ITEMS):
        likelihood *= said[digits[:, k], :, k]
    return digits, np.einsum("r,crn->cn", w, likelihood)


@dataclass(frozen=True)
class CrowdAnswers:
    """What three items' answers of a crowd say exactly, given the Beta that its reliabilities are drawn from."""

    reliability: tuple[float, float] = RELIABILITY

    @property
    def grid(self) -> Grid:
        return simplex_grid(ITEMS, ORDER)

    @property
    def digits(self) -> IntArray:
        return _likelihood(self.reliability)[0]

    @property
    def likelihood(self) -> FloatArray:
        return _likelihood(self.reliability)[1]

    def prob_above(self, codes: IntArray) -> FloatArray:
        """(pairs,): the chance that the first of each pair is better, after what workers of these codes said."""
        weight = self.grid.weight * self.likelihood[codes].prod(axis=0)
        return np.asarray(_above(self.grid) @ weight / weight.sum())
