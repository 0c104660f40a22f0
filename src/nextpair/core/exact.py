"""The exact posterior of a few items' scores, by quadrature that converges exponentially.

The prior is uniform on the simplex. It is cut into the K! cones of one order each, on which every P(theta_i > theta_j)
is 0 or 1. The cone theta_1 >= ... >= theta_K is itself a simplex with corners (1/m, ..., 1/m, 0, ..., 0). In the nested
coordinates used here (a product of Gauss-Jacobi rules) every theta_i / (theta_i + theta_j) is a smooth function, even
at the corner where both are zero. A worker's reliability is integrated out at each node, exactly.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import permutations

import numpy as np

from nextpair.core.arrays import FloatArray, IntArray, among
from nextpair.core.comparisons import Comparisons
from nextpair.core.model import RELIABILITY
from nextpair.errors import InvalidSetting

MAX_ITEMS = 5  # 120 cones in 4 dimensions; for more items sample instead
ORDER = {2: 60, 3: 40, 4: 14, 5: 6}  # nodes a direction that leave an error below 1e-6 after 100 answers


@dataclass(frozen=True)
class Grid:
    """Nodes theta (N, K) on the simplex, their prior weights, and log theta_i / (theta_i + theta_j) as (K, K, N)."""

    theta: FloatArray
    weight: FloatArray
    log_chance: FloatArray


@lru_cache(maxsize=8)
def simplex_grid(n_items: int, order: int) -> Grid:
    """`order` nodes in each of the K - 1 directions of each of the K! cones."""
    from scipy.special import roots_jacobi

    if not 2 <= n_items <= MAX_ITEMS:
        raise InvalidSetting(f"exact quadrature is for 2 to {MAX_ITEMS} items, not {n_items}")
    weight = left = np.ones(1)
    ordered = np.zeros((1, n_items))
    for m in range(1, n_items):
        x, w = roots_jacobi(order, 0.0, n_items - 1.0 - m)  # the volume shrinks with this power of x
        x, w = (x + 1) / 2, w / w.sum()
        ordered = np.repeat(ordered, order, axis=0)
        ordered[:, :m] += np.outer(left, (1 - x) / m).reshape(-1, 1)
        weight, left = np.outer(weight, w).ravel(), np.outer(left, x).ravel()
    ordered += left[:, None] / n_items
    orders = list(permutations(range(n_items)))
    theta = np.concatenate([ordered[:, order] for order in orders])
    log_chance = np.log(theta.T[:, None, :] / (theta.T[:, None, :] + theta.T[None, :, :]))
    return Grid(theta, np.tile(weight, len(orders)) / len(orders), log_chance)


@dataclass(frozen=True)
class ExactPosterior:
    """The posterior of the scores as weights on the nodes of a grid."""

    grid: Grid
    probability: FloatArray

    def among(self, without: Collection[int]) -> ExactPosterior:
        """That of each theta as a share of those that are not left out."""
        if not without:
            return self
        theta = self.grid.theta
        shares = theta / theta[:, among(theta.shape[1], without)].sum(axis=1, keepdims=True)
        return replace(self, grid=replace(self.grid, theta=shares))

    def mean(self) -> FloatArray:
        """E[theta]."""
        return self.probability @ self.grid.theta

    def var(self) -> FloatArray:
        """The variance of each theta."""
        return self.probability @ (self.grid.theta - self.mean()) ** 2

    def prob_above(self) -> FloatArray:
        """(K, K): P(theta_i > theta_j); one half on the diagonal."""
        theta = self.grid.theta.T
        above = (theta[:, None, :] > theta[None, :, :]) @ self.probability
        return above + 0.5 * np.eye(theta.shape[0])

    def answer_chance(self) -> FloatArray:
        """(K, K): the chance that the next fully reliable answer prefers i to j (eq. Eprobij1)."""
        return np.exp(self.grid.log_chance) @ self.probability

    def prob_top(self, k: int, without: Collection[int] = ()) -> FloatArray:
        """The probability of each item to be among the k best, of those that are not left out."""
        theta = self.grid.theta.copy()
        theta[:, list(without)] = -np.inf
        place = np.argsort(np.argsort(-theta, axis=1), axis=1)
        return self.probability @ (place < k)

    def quantiles(self, q: float) -> FloatArray:
        """The q-quantile of each theta, to the spacing of the nodes."""
        order = np.argsort(self.grid.theta, axis=0)
        reached = np.cumsum(self.probability[order], axis=0)
        first = np.argmax(reached >= q * reached[-1], axis=0)
        columns = np.arange(self.grid.theta.shape[1])
        return np.asarray(self.grid.theta[order[first, columns], columns], dtype=np.float64)


def from_log_likelihood(grid: Grid, log_likelihood: FloatArray) -> ExactPosterior:
    weight = grid.weight * np.exp(log_likelihood - log_likelihood.max())
    return ExactPosterior(grid, weight / weight.sum())


def exact_posterior(
    told: Comparisons, *, reliability: tuple[float, float] = RELIABILITY, order: int | None = None
) -> ExactPosterior:
    """The posterior after these answers. A tie multiplies in sqrt(theta_i theta_j) / (theta_i + theta_j).

    Answers by worker -1 are fully reliable; every other worker's reliability has the prior Beta(*reliability). Ties
    by a worker count as if fully reliable.
    """
    grid = simplex_grid(told.n_items, order or ORDER.get(told.n_items, 6))
    sure = (told.workers < 0) | (told.ties == 1)
    plain = Comparisons.of(told.winners[sure], told.losers[sure], -1, told.ties[sure], n_items=told.n_items)
    total = np.tensordot(plain.wins(), grid.log_chance, axes=2)
    for worker in np.unique(told.workers[~sure]):
        mine = ~sure & (told.workers == worker)
        total = total + _worker_log_likelihood(grid, told.winners[mine], told.losers[mine], reliability)
    return from_log_likelihood(grid, total)


def _worker_log_likelihood(
    grid: Grid, winners: IntArray, losers: IntArray, reliability: tuple[float, float]
) -> FloatArray:
    """log of the integral over rho of prod(rho p + (1 - rho)(1 - p)) against its Beta prior, at each node."""
    from scipy.special import logsumexp, roots_jacobi

    mu, nu = reliability
    x, w = roots_jacobi(winners.size // 2 + 1, nu - 1.0, mu - 1.0)  # exact for a polynomial of this degree
    rho = (x + 1) / 2
    chance = np.exp(grid.log_chance[winners, losers])
    log_terms = np.stack([np.log(r * chance + (1 - r) * (1 - chance)).sum(axis=0) for r in rho])
    return np.asarray(logsumexp(log_terms, axis=0, b=(w / w.sum())[:, None]), dtype=np.float64)
