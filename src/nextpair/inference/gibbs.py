"""The posterior of scores and reliabilities for any number of items, by Gibbs sampling of the model of [CJL].

With theta = lambda / sum(lambda) and lambda_i ~ Gamma(1) the prior is the paper's. Given lambda, each pair gets a
latent Gamma(n_ij) / (lambda_i + lambda_j) and each worker's answer a latent "agreed with the draw"; given those, lambda
and rho are Gamma and Beta (Caron and Doucet 2012, with workers). Independent chains make the error of the means known.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nextpair.core.arrays import FloatArray
from nextpair.core.comparisons import Comparisons
from nextpair.core.model import RELIABILITY
from nextpair.errors import InvalidSetting

BURN_IN, SWEEPS = 100, 300  # draws of each chain that are left out, and that count


@dataclass(frozen=True)
class PosteriorSummary:
    """What is compared with a belief: mean and variance of theta, P(theta_i > theta_j), mean reliabilities.

    `error` is the largest standard error of the probabilities (zero for a quadrature).
    """

    mean: FloatArray
    var: FloatArray
    prob_above: FloatArray
    reliability: FloatArray
    error: float = 0.0


class _Chains:
    """Many chains side by side: every array has one row a chain."""

    def __init__(
        self, told: Comparisons, rng: np.random.Generator, reliability: tuple[float, float], chains: int
    ) -> None:
        self.rng, self.prior = rng, reliability
        self.doubted = (told.workers >= 0) & (told.ties == 0)
        self.winners, self.losers = told.winners[self.doubted], told.losers[self.doubted]
        self.workers = told.workers[self.doubted]
        sure = ~self.doubted
        plain = Comparisons.of(told.winners[sure], told.losers[sure], -1, told.ties[sure], n_items=told.n_items)
        self.wins = plain.wins().sum(axis=1)
        played = told.wins() + told.wins().T
        self.rows, self.columns = np.nonzero(np.triu(played))
        self.played = played[self.rows, self.columns]
        items, who = np.eye(told.n_items), np.eye(told.n_workers)
        self.is_winner, self.is_loser, self.by = items[self.winners], items[self.losers], who[self.workers]
        self.touches = items[self.rows] + items[self.columns]
        self.score = rng.standard_gamma(1.0, (chains, told.n_items))
        self.rho = rng.beta(*reliability, (chains, told.n_workers))

    def sweep(self) -> None:
        """One draw of everything given everything else."""
        rng, score = self.rng, self.score
        rho = self.rho[:, self.workers]
        for_winner = rho * score[:, self.winners]
        against = (1 - rho) * score[:, self.losers]
        agreed = (rng.random(rho.shape) * (for_winner + against) < for_winner).astype(np.float64)
        wins = self.wins + agreed @ self.is_winner + (1 - agreed) @ self.is_loser
        latent = rng.standard_gamma(self.played, (score.shape[0], self.played.size))
        latent /= score[:, self.rows] + score[:, self.columns]
        score = rng.standard_gamma(1.0 + wins) / (1.0 + latent @ self.touches)
        # the data say nothing about the sum: drawing it anew from its prior makes the chains mix faster
        total = rng.standard_gamma(float(score.shape[1]), (score.shape[0], 1))
        self.score = score * total / score.sum(axis=1, keepdims=True)
        mu, nu = self.prior
        self.rho = rng.beta(mu + agreed @ self.by, nu + (1 - agreed) @ self.by)


def sample_posterior(
    told: Comparisons,
    rng: np.random.Generator,
    *,
    reliability: tuple[float, float] = RELIABILITY,
    chains: int = 200,
) -> PosteriorSummary:
    """The posterior after these answers from `chains` times SWEEPS draws. Ties count as in `core.exact`."""
    if chains < 2:
        raise InvalidSetting(f"sampling needs 2 chains at least, not {chains}")
    state = _Chains(told, rng, reliability, chains)
    for _ in range(BURN_IN):
        state.sweep()
    n = told.n_items
    first, second = np.zeros((chains, n)), np.zeros((chains, n))
    above, rho = np.zeros((chains, n, n)), np.zeros((chains, told.n_workers))
    for _ in range(SWEEPS):
        state.sweep()
        theta = state.score / state.score.sum(axis=1, keepdims=True)
        first += theta
        second += theta**2
        above += theta[:, :, None] > theta[:, None, :]
        rho += state.rho
    mean = first.mean(axis=0) / SWEEPS
    error = float((above / SWEEPS).std(axis=0).max() / np.sqrt(chains - 1))
    prob_above = above.mean(axis=0) / SWEEPS + 0.5 * np.eye(n)
    return PosteriorSummary(mean, second.mean(axis=0) / SWEEPS - mean**2, prob_above, rho.mean(axis=0) / SWEEPS, error)
