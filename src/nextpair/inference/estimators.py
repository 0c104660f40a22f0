"""The estimators by name. Most of them look at counts only, so that a million comparisons take seconds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from nextpair.core.belief import Belief
from nextpair.core.centrality import PSEUDO_WINS, stationary
from nextpair.core.comparisons import Comparisons
from nextpair.core.full_posterior import FullPosterior
from nextpair.core.likelihood import LOGISTIC, NORMAL, Link, fit_scores
from nextpair.core.model import RELIABILITY, Model
from nextpair.errors import InvalidSetting
from nextpair.inference.connected import refuse_unconnected
from nextpair.inference.crowd import fit_crowd_bt
from nextpair.inference.effort import expected_seconds
from nextpair.inference.fits import Fit
from nextpair.inference.memory import refuse_too_large

MOST_SECONDS = 10.0  # that the full posterior may take to be the best


@dataclass(frozen=True)
class Estimator:
    """A named way from comparisons to scores; `settings` of its own are keyword arguments of `fit`."""

    name: str
    summary: str
    fit: Callable[..., Fit]


def _likelihood(name: str, link: Link) -> Callable[[Comparisons], Fit]:
    def fit_it(told: Comparisons) -> Fit:
        """log scores of largest likelihood; they sum to zero."""
        wins = told.wins()
        refuse_unconnected(wins, name)
        return Fit(fit_scores(wins, link).scores)

    return fit_it


def _fit_map(told: Comparisons, *, prior: float = 1.0) -> Fit:
    """log scores of largest posterior density under theta ~ Dir(prior, ...); they sum to zero."""
    if not prior > 0:
        raise InvalidSetting(f"the prior of bradley-terry-map must be positive, not {prior}")
    return Fit(fit_scores(told.wins(), LOGISTIC, prior=prior).scores)


def _fit_dirichlet(told: Comparisons, *, reliability: tuple[float, float] = RELIABILITY) -> Fit:
    """The expected scores of the moment-matched belief, answers taken in their order."""
    belief = Belief.prior(told.n_items, told.n_workers, reliability=reliability)
    return _fit_of(belief.fold(told.winners, told.losers, told.workers, told.ties))


def _fit_full_posterior(told: Comparisons, *, reliability: tuple[float, float] = RELIABILITY) -> Fit:
    """The expected log scores of the full posterior; they sum to zero."""
    refuse_too_large(told.n_items, "take the model auto or dirichlet")
    return _fit_of(FullPosterior.fit(told, reliability=reliability))


def _fit_of(belief: Model) -> Fit:
    return Fit(belief.scores(), belief.reliability if belief.n_workers else None)


def _fit_centrality(told: Comparisons, *, pseudo_wins: float = PSEUDO_WINS) -> Fit:
    """The stationary distribution of the walk from losers to winners."""
    if pseudo_wins < 0:
        raise InvalidSetting(f"pseudo_wins must not be negative, as {pseudo_wins} is")
    wins = told.wins()
    if pseudo_wins == 0:
        refuse_unconnected(wins, "rank-centrality without pseudo_wins")
    return Fit(stationary(wins, pseudo_wins))


def _fit_borda(told: Comparisons) -> Fit:
    """The share of its comparisons that each item won, ties half; one half for an item never compared."""
    half = told.ties / 2
    won, lost = (  # no table of all pairs: of 50,000 items it would take 20 GB
        np.bincount(first, 1 - half, told.n_items) + np.bincount(second, half, told.n_items)
        for first, second in ((told.winners, told.losers), (told.losers, told.winners))
    )
    return Fit(np.divide(won, won + lost, out=np.full(told.n_items, 0.5), where=won + lost > 0))


def _fit_auto(told: Comparisons) -> Fit:
    name, told = best_estimator(told)
    return fit(name, told)


ESTIMATORS = {
    one.name: one
    for one in (
        Estimator("auto", "full-posterior, or dirichlet where that would take long", _fit_auto),
        Estimator("full-posterior", "scores with full covariance, workers learnt jointly", _fit_full_posterior),
        Estimator("dirichlet", "the moment-matched Dirichlet of [CJL], with workers; sequential", _fit_dirichlet),
        Estimator("bradley-terry", "Bradley-Terry by maximum likelihood", _likelihood("bradley-terry", LOGISTIC)),
        Estimator("bradley-terry-map", "Bradley-Terry, the mode under a uniform prior on the simplex", _fit_map),
        Estimator("thurstone", "Thurstone's case V by maximum likelihood", _likelihood("thurstone", NORMAL)),
        Estimator("rank-centrality", "rank centrality (Negahban et al. 2012), regularised", _fit_centrality),
        Estimator("crowd-bt", "Bradley-Terry with workers of unknown reliability (Chen et al. 2013)", fit_crowd_bt),
        Estimator("borda", "the share of comparisons won", _fit_borda),
    )
}


def best_estimator(told: Comparisons) -> tuple[str, Comparisons]:
    """The best of those that say how sure they are, and the answers as it is to take them.

    That is full-posterior unless it would take too long; then dirichlet, to which answers come in a random order: files
    are often sorted, and it is far off, and sure of itself, when it hears first all that one item won.
    """
    if expected_seconds(told) <= MOST_SECONDS:
        return "full-posterior", told
    return "dirichlet", shuffled(told)


def shuffled(told: Comparisons) -> Comparisons:
    """The same comparisons in a random order, the same each time."""
    order = np.random.default_rng(0).permutation(len(told))
    columns = {name: getattr(told, name)[order] for name in ("winners", "losers", "workers", "ties", "sides", "much")}
    return replace(told, **columns)


def find_estimator(name: str) -> Estimator:
    """The estimator of that name."""
    try:
        return ESTIMATORS[name]
    except KeyError:
        raise InvalidSetting(f"unknown model {name!r}: choose one of {', '.join(ESTIMATORS)}") from None


def fit(name: str, comparisons: Comparisons, **settings: Any) -> Fit:
    """Scores (and reliabilities) of these comparisons under the model of that name."""
    return find_estimator(name).fit(comparisons, **settings)
