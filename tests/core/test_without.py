"""Scores and intervals where some items are left out: those of the others among themselves, by naive sums."""

import numpy as np
import pytest

from nextpair.core.adaptive_polling import PollingBelief
from nextpair.core.asap import AsapBelief
from nextpair.core.belief import Belief
from nextpair.core.centrality import CentralityBelief
from nextpair.core.crowd_bt import CrowdBtBelief
from nextpair.core.full_posterior import FullPosterior
from nextpair.core.optimal import ExactBelief

KINDS = [AsapBelief, Belief, CentralityBelief, CrowdBtBelief, ExactBelief, FullPosterior, PollingBelief]
WON, LOST = [0, 0, 1, 3, 0, 1, 0], [1, 2, 2, 0, 3, 3, 1]
GONE = {0, 2}
KEPT = [1, 3]


def told(kind):
    return kind.prior(4).fold(WON, LOST)


def less_the_average_of_kept(mean, cov):
    centre = np.eye(4)
    centre[:, KEPT] -= 1 / len(KEPT)
    return centre @ mean, np.sqrt(np.diag(centre @ cov @ centre.T))


@pytest.mark.parametrize("kind", KINDS)
def test_nobody_left_out_is_all(kind):
    belief = told(kind)
    assert (belief.scores() == belief.scores(frozenset())).all()
    for here, there in zip(belief.intervals(), belief.intervals(without=frozenset()), strict=True):
        assert (here == there).all()


@pytest.mark.parametrize("kind", KINDS)
def test_the_order_stays_and_scores_lie_in_their_intervals(kind):
    belief = told(kind)
    scores, (low, high) = belief.scores(GONE), belief.intervals(without=GONE)
    assert (np.argsort(scores) == np.argsort(belief.scores())).all()
    assert (low[KEPT] <= scores[KEPT]).all()
    assert (scores[KEPT] <= high[KEPT]).all()


@pytest.mark.parametrize("kind", [FullPosterior, PollingBelief])
def test_log_scores_are_less_the_average_of_those_that_are_kept(kind):
    belief = told(kind)
    cov = belief.claimed_cov if kind is FullPosterior else belief.covariance
    mean, sd = less_the_average_of_kept(belief.scores(), cov)
    low, high = belief.intervals(0.9, GONE)
    assert belief.scores(GONE) == pytest.approx(mean, abs=1e-8)
    assert (high + low) / 2 == pytest.approx(mean, abs=1e-8)
    assert (high - low) / (2 * 1.6448536) == pytest.approx(sd, abs=1e-6)


@pytest.mark.parametrize("kind", [AsapBelief, CrowdBtBelief])
def test_scores_on_no_common_scale_stay(kind):
    belief = told(kind)
    assert (belief.scores(GONE) == belief.scores()).all()
    assert np.array_equal(belief.intervals(without=GONE), belief.intervals())


def test_a_dirichlet_of_some_is_one_of_the_others():
    belief = told(Belief)
    drawn = np.random.default_rng(1).dirichlet(belief.alpha, 200_000)[:, KEPT]
    drawn /= drawn.sum(axis=1, keepdims=True)
    assert belief.scores(GONE)[KEPT] == pytest.approx(drawn.mean(axis=0), abs=0.003)
    ends = [end[KEPT] for end in belief.intervals(0.9, GONE)]
    assert ends == [pytest.approx(end, abs=0.006) for end in np.quantile(drawn, [0.05, 0.95], axis=0)]


def test_exact_shares_are_expected_shares():
    belief = told(ExactBelief)
    posterior = belief.posterior
    theta = posterior.grid.theta
    share = theta[:, 1] / (theta[:, 1] + theta[:, 3])
    assert belief.scores(GONE)[1] == pytest.approx(posterior.probability @ share)
    low, high = belief.intervals(0.9, GONE)
    assert posterior.probability[share < low[1]].sum() == pytest.approx(0.05, abs=0.01)
    assert posterior.probability[share > high[1]].sum() == pytest.approx(0.05, abs=0.01)
