"""Crowd-BT on a fixed set of comparisons (Chen et al. 2013): scores and reliabilities of largest posterior density.

Worker w answers by Bradley-Terry with probability rho_w, else the opposite. The priors are those of the sequential
belief, s_i ~ N(0, 1) and rho_w ~ Beta(mu, nu), the density taken in the coordinates (s, logit rho): a worker who has
not answered is given the prior's mean. Not convex: the climb starts where all items are equal and workers reliable.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit
from scipy.special import expit, log_expit, logit

from nextpair.core.arrays import FloatArray, IntArray
from nextpair.core.comparisons import Comparisons
from nextpair.core.model import RELIABILITY
from nextpair.errors import InvalidSetting
from nextpair.inference.fits import Fit


def fit_crowd_bt(told: Comparisons, *, reliability: tuple[float, float] = RELIABILITY, item_var: float = 1.0) -> Fit:
    """The posterior mode; `item_var` is the prior variance of a score. A tie is half a win for each, fully believed."""
    from scipy.optimize import minimize

    mu, nu = reliability
    if not (mu > 0 and nu > 0 and item_var > 0):
        raise InvalidSetting(f"crowd-bt needs positive priors, not reliability {reliability} and item_var {item_var}")
    n, m = told.n_items, told.n_workers
    counted = _counted(told)

    def minus_log_posterior(x: FloatArray) -> tuple[float, FloatArray]:
        scores, odds = x[:n], x[n:]
        slope = np.concatenate([-scores / item_var, mu * expit(-odds) - nu * expit(odds)])
        value = -scores @ scores / (2 * item_var) + mu * log_expit(odds).sum() + nu * log_expit(-odds).sum()
        value += _add_likelihood(x, n, *counted, slope)
        return -float(value), -slope

    start = np.concatenate([np.zeros(n), np.full(m, logit(mu / (mu + nu)))])
    found = minimize(
        minus_log_posterior, start, jac=True, method="L-BFGS-B", options={"maxiter": 2000, "ftol": 1e-13, "gtol": 1e-6}
    )
    return Fit(found.x[:n], expit(found.x[n:]) if m else None)


@njit(cache=True)
def _add_likelihood(
    x: FloatArray,
    n_items: int,
    winners: IntArray,
    losers: IntArray,
    workers: IntArray,
    count: FloatArray,
    slope: FloatArray,
) -> float:  # pragma: no cover
    """The log-likelihood at x = (scores, log odds of rho); its gradient is added to `slope`."""
    total = 0.0
    for t in range(winners.size):
        i, j, w = winners[t], losers[t], workers[t]
        up = 1.0 / (1.0 + math.exp(min(x[j] - x[i], 700.0)))
        rho = 1.0 if w < 0 else 1.0 / (1.0 + math.exp(min(-x[n_items + w], 700.0)))
        chance = max(rho * up + (1.0 - rho) * (1.0 - up), 1e-300)
        total += count[t] * math.log(chance)
        pull = count[t] * (2.0 * rho - 1.0) * up * (1.0 - up) / chance
        slope[i] += pull
        slope[j] -= pull
        if w >= 0:
            slope[n_items + w] += count[t] * (2.0 * up - 1.0) * rho * (1.0 - rho) / chance
    return total


def _counted(told: Comparisons) -> tuple[IntArray, IntArray, IntArray, FloatArray]:
    """Each different (winner, loser, worker) once, with its weight; ties as half a win each by nobody in particular."""
    tied = told.ties == 1
    winners = np.concatenate([told.winners, told.losers[tied]])
    losers = np.concatenate([told.losers, told.winners[tied]])
    workers = np.concatenate([np.where(tied, -1, told.workers), np.full(int(tied.sum()), -1)])
    weight = np.concatenate([1.0 - 0.5 * tied, np.full(int(tied.sum()), 0.5)])
    n = told.n_items
    code, spot = np.unique(((workers + 1) * n + winners) * n + losers, return_inverse=True)
    count = np.asarray(np.bincount(spot, weight), dtype=np.float64)
    return code // n % n, code % n, code // (n * n) - 1, count
