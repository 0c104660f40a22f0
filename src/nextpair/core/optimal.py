"""The optimal policy of a tiny campaign: dynamic programming on the exact posterior ([CJL], eq. maxA).

What is known is how often each item beat each other. V(0 questions left) is the expected accuracy of the best
ranking, V(n left) the largest, over pairs, of the mean of V(n - 1 left) over the two answers. Relabelling the items
changes no value, so each state is looked up under the smallest of its K! names.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import combinations, permutations
from typing import Self

import numpy as np

from nextpair.core.accuracy import expected_accuracy
from nextpair.core.arrays import FloatArray, IntArray, frozen
from nextpair.core.candidates import Candidates, Choice
from nextpair.core.exact import ExactPosterior, from_log_likelihood, simplex_grid
from nextpair.core.model import RELIABILITY, WinCounts, alike
from nextpair.core.questions import best_questions
from nextpair.core.sureness import refuse_level, refuse_top, with_score
from nextpair.errors import InvalidSetting

MAX_ITEMS = 4
WHOLE = {2: 30, 3: 16, 4: 9}  # the longest campaign that is planned to its end: seconds at the first question
LOOK_AHEAD = {2: 9, 3: 5, 4: 3}  # answers planned ahead in a longer one, or one of unknown length
_ORDER = {2: 40, 3: 24, 4: 9}  # nodes a direction; the values then change by less than 1e-6 with more


class Planner:
    """Values of states of `n_items` items. A state is the (K, K) matrix of wins, in halves because of ties."""

    def __init__(self, n_items: int) -> None:
        if not 2 <= n_items <= MAX_ITEMS:
            raise InvalidSetting(f"the optimal policy is computed for 2 to {MAX_ITEMS} items, not {n_items}")
        self.n_items = n_items
        self.pairs = np.array(list(combinations(range(n_items), 2)))
        self.grid = simplex_grid(n_items, _ORDER[n_items])
        self.orders = np.array(list(permutations(range(n_items))))
        i, j = self.pairs.T
        above = self.grid.theta[:, i] > self.grid.theta[:, j]
        self._facts: FloatArray = np.vstack([above.T, np.exp(self.grid.log_chance[i, j])])
        self._shares: dict[bytes, FloatArray] = {}
        self._values: dict[tuple[bytes, int], float] = {}

    def posterior(self, wins: FloatArray) -> ExactPosterior:
        return from_log_likelihood(self.grid, np.tensordot(wins, self.grid.log_chance, axes=2))

    def shares(self, wins: FloatArray) -> FloatArray:
        """(2, pairs): P(theta_i > theta_j), and the chance that the next answer prefers i."""
        key = wins.tobytes()
        if key not in self._shares:
            found = self._facts @ self.posterior(wins).probability
            self._shares[key] = np.asarray(found, dtype=np.float64).reshape(2, -1)
        return self._shares[key]

    def accuracies(self, wins: FloatArray) -> FloatArray:
        """The expected accuracy of each of `orders`."""
        return expected_accuracy(self.orders, self.shares(wins)[0])

    def value(self, wins: FloatArray, left: int) -> float:
        """The expected accuracy at the end when `left` more questions are asked in the best way."""
        wins = self._smallest_name(wins)
        key = (wins.tobytes(), left)
        if key not in self._values:
            worth = self.question_values(wins, left) if left else self.accuracies(wins)
            self._values[key] = float(worth.max())
        return self._values[key]

    def question_values(self, wins: FloatArray, left: int) -> FloatArray:
        """The value of asking each pair first, when `left` questions remain, this one among them."""
        chance = self.shares(wins)[1]
        values = np.empty(chance.size)
        for k, (i, j) in enumerate(self.pairs):
            up, down = wins.copy(), wins.copy()
            up[i, j] += 1
            down[j, i] += 1
            values[k] = chance[k] * self.value(up, left - 1) + (1 - chance[k]) * self.value(down, left - 1)
        return values

    def _smallest_name(self, wins: FloatArray) -> FloatArray:
        names = wins[self.orders[:, :, None], self.orders[:, None, :]].reshape(len(self.orders), -1)
        return np.asarray(names[np.lexsort(names.T)[0]], dtype=np.float64).reshape(wins.shape)


@lru_cache(maxsize=4)
def planner(n_items: int) -> Planner:
    """One planner for each number of items: what it has worked out serves every campaign."""
    return Planner(n_items)


def optimal_accuracy(n_items: int, budget: int) -> float:
    """The expected accuracy of the optimal policy after `budget` fully reliable answers."""
    return planner(n_items).value(np.zeros((n_items, n_items)), budget)


@dataclass(frozen=True, eq=False)
class ExactBelief(WinCounts):
    """The exact posterior of up to four items, from the counts of wins. Workers are taken as fully reliable.

    `horizon` is how many answers the campaign will have. Up to WHOLE of them the plan is optimal; otherwise it reaches
    LOOK_AHEAD answers from where it is, and never beyond the horizon.
    """

    wins: FloatArray
    mu: FloatArray
    nu: FloatArray
    horizon: int | None = None

    def __post_init__(self) -> None:
        for name in ("wins", "mu", "nu"):
            object.__setattr__(self, name, frozen(getattr(self, name)))
        if self.horizon is not None and self.horizon < 1:
            raise InvalidSetting(f"the horizon is at least 1 answer, not {self.horizon}")
        planner(self.n_items)

    @classmethod
    def prior(
        cls,
        n_items: int,
        n_workers: int = 0,
        *,
        reliability: tuple[float, float] = RELIABILITY,
        horizon: int | None = None,
    ) -> Self:
        """Every score equally likely."""
        mu, nu = alike(n_workers, reliability)
        return cls(np.zeros((n_items, n_items)), mu, nu, horizon)

    @property
    def left(self) -> int:
        """How many answers to plan ahead."""
        if self.horizon is None:
            return LOOK_AHEAD[self.n_items]
        left = max(1, self.horizon - int(self.wins.sum()))
        return left if self.horizon <= WHOLE[self.n_items] else min(left, LOOK_AHEAD[self.n_items])

    @cached_property
    def posterior(self) -> ExactPosterior:
        return planner(self.n_items).posterior(self.wins)

    def scores(self, without: Collection[int] = ()) -> FloatArray:
        """The expected score of each item; scores sum to one."""
        return self.posterior.among(without).mean()

    def ranking(self) -> IntArray:
        """The order of largest expected accuracy, found among all; of equal ones the first by index."""
        plan = planner(self.n_items)
        return np.array(plan.orders[int(np.argmax(np.round(plan.accuracies(self.wins), 12)))], dtype=np.int64)

    def intervals(self, level: float = 0.9, without: Collection[int] = ()) -> tuple[FloatArray, FloatArray]:
        refuse_level(level)
        posterior = self.posterior.among(without)
        low, high = posterior.quantiles((1 - level) / 2), posterior.quantiles((1 + level) / 2)
        return with_score(low, high, posterior.mean())

    def probs_above(self, first: IntArray, second: IntArray) -> FloatArray:
        return np.asarray(self.posterior.prob_above()[first, second])

    def prob_top(self, k: int, without: Collection[int] = ()) -> FloatArray:
        refuse_top(k, self.n_items - len(without))
        return self.posterior.prob_top(k, without)

    def expected_accuracy(self) -> float:
        return float(planner(self.n_items).accuracies(self.wins).max())


def choose(belief: ExactBelief, candidates: Candidates, rng: np.random.Generator, n: int = 1) -> list[Choice]:
    """The pairs of largest value; what may be asked later is not limited by the candidates of now."""
    plan = planner(belief.n_items)
    table = np.zeros((belief.n_items, belief.n_items))
    i, j = plan.pairs.T
    table[i, j] = np.round(plan.question_values(belief.wins, belief.left), 10)

    def value(workers: IntArray, rows: IntArray, columns: IntArray, floor: FloatArray) -> FloatArray:
        return table[rows, columns]

    return best_questions(candidates, value, rng, n)
