"""Two opposite orders, when workers contradict each other: against numerical integration over scores and workers."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import expit, logsumexp

from nextpair.campaign.campaign import Campaign
from nextpair.core import gaussian
from nextpair.core.comparisons import Comparisons
from nextpair.core.full_posterior import FullPosterior
from nextpair.core.kernels.mirror import mirror_odds
from nextpair.core.kernels.spread import PRIOR_VAR
from nextpair.errors import NothingToAsk

PAIRS = [(0, 1), (0, 2), (1, 2)]
GRID = np.linspace(-6, 6, 25)
SCORES = np.stack(np.meshgrid(GRID, GRID, GRID, indexing="ij"), axis=-1).reshape(-1, 3)


def given_crowds(likelihood, table):
    """log p of one worker's answers at each row of scores, for every hypothesis about their crowd."""
    most = likelihood.max(axis=1, keepdims=True)
    return (np.log(np.exp(likelihood - most) @ (table / table.sum(axis=1, keepdims=True)).T) + most).T


def log_posterior(belief, scores):
    """log p of each row of scores up to a constant, by its definition: a sum over the grid of every worker."""
    total = -(scores**2).sum(axis=1) / (2 * PRIOR_VAR)
    likelihood = np.zeros((belief.n_workers, len(scores), belief.nodes.shape[1]))
    for winner, loser, worker, tie, side, _ in belief.told.T:
        assert not tie
        gap, lean = (scores[:, winner] - scores[:, loser])[:, None], side * belief.leans[worker + 1]
        straight, turned = expit(gap + lean), expit(-gap + lean)
        if worker < 0:
            total += np.log(straight[:, 0])
        else:
            rho = belief.nodes[worker]
            likelihood[worker] += np.log(rho * straight + (1 - rho) * turned)
    for c, table in enumerate(belief.crowds):
        table = table[table.sum(axis=1) > 0]
        of_each = [given_crowds(likelihood[w], table) for w in np.flatnonzero(belief.crowd == c)]
        total += logsumexp(np.log(table.sum(axis=1))[:, None] + np.sum(of_each, axis=0), axis=0)
    return total


def exact_above(belief):
    """P(item 0 above 1), (0 above 2), (1 above 2) on a grid of scores."""
    weight = log_posterior(belief, SCORES)
    weight = np.exp(weight - weight.max())
    above = [(SCORES[:, i] > SCORES[:, j]) + 0.5 * (SCORES[:, i] == SCORES[:, j]) for i, j in PAIRS]
    return [float((weight * a).sum() / weight.sum()) for a in above]


def crowd(*says, times=6):
    """Each worker orders all pairs of three items, `times` over: as they are numbered, or the other way round."""
    rows = [((i, j) if straight else (j, i)) + (w,) for w, straight in enumerate(says) for i, j in PAIRS * times]
    return Comparisons.of(*np.array(rows).T, n_items=3)


def folded(told):
    return FullPosterior.prior(3, told.n_workers).fold(told.winners, told.losers, told.workers)


@settings(max_examples=40)
@given(
    st.lists(st.tuples(st.sampled_from(PAIRS), st.booleans(), st.integers(-1, 3), st.integers(-1, 1)), max_size=40),
    st.lists(st.floats(-3, 3), min_size=3, max_size=3),
    st.lists(st.floats(-3, 3), min_size=5, max_size=5),
)
def test_how_likely_the_opposite_is_against_the_definition(rows, mean, leans):
    told = np.array([(*(pair if straight else pair[::-1]), w, 0, side) for pair, straight, w, side in rows], dtype=int)
    belief = FullPosterior.prior(3, 3).with_worker((2.0, 5.0)).fold(*told.reshape(-1, 5).T)
    belief, mean = replace(belief, leans=np.array(leans)), np.array(mean)
    here, there = log_posterior(belief, np.stack([mean, -mean]))
    found = mirror_odds(belief.told, mean, belief.nodes, belief.crowd, belief.crowds, belief.leans, belief.much)
    assert found == pytest.approx(there - here, abs=1e-8)


@pytest.mark.parametrize("build", [folded, FullPosterior.fit])
@pytest.mark.parametrize("says", [(True, False), (True, True, False), (True, False, False), (True, True, False, False)])
def test_claims_where_workers_contradict_each_other_against_quadrature(build, says):
    belief = build(crowd(*says))
    exact = exact_above(belief)
    assert [belief.prob_above(i, j) for i, j in PAIRS] == pytest.approx(exact, abs=0.06)
    assert belief.expected_accuracy() == pytest.approx(np.maximum(exact, 1 - np.array(exact)).mean(), abs=0.06)


def test_a_crowd_that_agrees_leaves_no_doubt():
    belief = folded(crowd(True, True, True))
    assert belief.opposite < 1e-3
    assert FullPosterior.prior(3, 2).opposite == 0
    assert FullPosterior.prior(3).update(0, 1).opposite == 0


def test_claims_are_those_of_the_mixture():
    belief = folded(crowd(True, True, False, True, False))
    mean, doubt = belief._told
    assert 0.01 < doubt < 0.5
    rng = np.random.default_rng(0)
    draws = rng.multivariate_normal(mean, belief.claimed_cov, 200_000)
    draws[rng.random(len(draws)) < doubt] *= -1
    draws -= draws.mean(axis=1, keepdims=True)
    low, high = belief.intervals(0.9)
    assert (draws < low).mean(axis=0) == pytest.approx([0.05] * 3, abs=0.003)
    assert (draws > high).mean(axis=0) == pytest.approx([0.05] * 3, abs=0.003)
    top = [(draws.argmax(axis=1) == k).mean() for k in range(3)]
    assert belief.prob_top(1) == pytest.approx(top, abs=0.01)
    assert belief.prob_top(1) is belief.prob_top(1)  # drawn once


def exact_reliability(belief):
    """The mean reliability of each worker on the same grid of scores."""
    likelihood = np.zeros((belief.n_workers, len(SCORES), belief.nodes.shape[1]))
    for winner, loser, worker, *_ in belief.told.T:
        chance = expit(SCORES[:, winner] - SCORES[:, loser])[:, None]
        rho = belief.nodes[worker]
        likelihood[worker] += np.log(rho * chance + (1 - rho) * (1 - chance))
    (table,), (nodes, *_) = belief.crowds, belief.nodes
    of_each = np.array([given_crowds(one, table) for one in likelihood])  # (workers, hypotheses, scores)
    joint = np.log(table.sum(axis=1))[:, None] + of_each.sum(axis=0) - (SCORES**2).sum(axis=1) / (2 * PRIOR_VAR)
    joint = np.exp(joint - joint.max())
    means = [
        np.exp(given_crowds(one + np.log(nodes), table) - mine) for one, mine in zip(likelihood, of_each, strict=True)
    ]
    return [float((joint * mean).sum() / joint.sum()) for mean in means]


@pytest.mark.parametrize("says", [(True, False), (True, True, False), (True, False, False)])
def test_reliabilities_where_workers_contradict_each_other_against_quadrature(says):
    """Those who contradict each other, and one of whom nothing was heard: only what answers say turns round."""
    told = crowd(*says, times=3)
    belief = FullPosterior.prior(3, told.n_workers + 1).fold(told.winners, told.losers, told.workers)
    assert belief.reliability == pytest.approx(exact_reliability(belief), abs=0.06)
    assert belief.mu / (belief.mu + belief.nu) == pytest.approx(belief.reliability)


def contradicted(rng, straight):
    """150 answers of three workers about five items: scores, winners, losers, workers."""
    scores = rng.normal(0, 1.3, 5)
    i, j, who = rng.integers(0, 5, 150), rng.integers(1, 5, 150), rng.integers(0, 3, 150)
    j = (i + j) % 5
    first = (rng.random(150) < expit(scores[i] - scores[j])) == np.array(straight)[who]
    return scores, np.where(first, i, j), np.where(first, j, i), who


@pytest.mark.parametrize("seed", [*range(30), 601, 837, 902, 1631, 1708, 1754, 1938, 1999, 2980, 3053, 3366, 5773])
def test_all_answers_at_once_do_not_depend_on_how_workers_are_numbered(seed):
    """The large ones came to rest elsewhere while the first sweep heard workers in the order of their numbers."""
    rng = np.random.default_rng(seed)
    _, won, lost, who = contradicted(rng, [True, True, False])
    one, other = (
        FullPosterior.fit(Comparisons.of(won[o], lost[o], number[who[o]], n_items=5, n_workers=3))
        for number, o in ((np.arange(3), np.arange(150)), (rng.permutation(3), rng.permutation(150)))
    )
    if 0.4 < one.opposite < 0.6:
        return  # an even chance: either may be told
    assert other.expected_accuracy() == pytest.approx(one.expected_accuracy(), abs=0.02)
    assert other.scores() == pytest.approx(one.scores(), abs=0.05)


def test_all_answers_at_once_come_to_rest_on_the_likelier_of_two_opposite_orders():
    """Here the sweeps settle on the other one first, at odds of thirteen to one against it."""
    scores, won, lost, who = contradicted(np.random.default_rng(137), [True, False, False])
    belief = FullPosterior.fit(Comparisons.of(won, lost, who, n_items=5, n_workers=3))
    assert belief.opposite < 0.1
    assert belief.ranking()[[0, -1]].tolist() == [scores.argmax(), scores.argmin()]


@given(st.floats(-5, 5), st.floats(0.01, 3), st.floats(1e-6, 0.5), st.floats(0.05, 0.99))
def test_an_interval_of_the_mixture_has_its_share(mean, sd, doubt, level):
    low, high = (float(end[0]) for end in gaussian.intervals(np.array([mean]), np.array([sd**2]), level, doubt))

    def below(x):
        return (1 - doubt) * gaussian.prob_above(x - mean, sd**2) + doubt * gaussian.prob_above(x + mean, sd**2)

    assert below(low) == pytest.approx(min((1 - level) / 2, below(mean)), abs=1e-6)
    assert below(high) == pytest.approx(max((1 + level) / 2, below(mean)), abs=1e-6)
    assert low <= mean <= high


def test_the_likelier_of_two_opposite_orders_is_told():
    """Whatever the posterior came to rest on, the ranking and all claims follow the side that has more for it."""
    belief = folded(crowd(True, True, False))
    turned = replace(belief, mean=-belief.mean)
    assert belief.opposite < 0.1
    assert turned.opposite > 0.9
    assert turned.ranking().tolist() == belief.ranking().tolist() == [0, 1, 2]
    assert turned.scores() == pytest.approx(belief.scores())
    assert turned.prob_above(0, 2) == pytest.approx(belief.prob_above(0, 2), abs=0.1)
    assert turned.expected_accuracy() == pytest.approx(belief.expected_accuracy(), abs=0.1)


@pytest.mark.parametrize("seed", range(4))
def test_a_campaign_of_two_who_contradict_each_other_does_not_claim_to_be_done(seed):
    items = [f"item {k:02d}" for k in range(12)]
    campaign = Campaign(items, ["straight", "backwards"], seed=seed)
    campaign.stop_at(0.9)
    while True:
        try:
            question = campaign.ask()
        except NothingToAsk as end:
            reason = end
            break
        better = "left" if (question.left < question.right) == (question.worker == "straight") else "right"
        campaign.tell(question.id, better)
    assert "compared every pair" in str(reason)
    assert campaign.expected_accuracy() < 0.7
    assert abs(campaign.prob_above(items[0], items[-1]) - 0.5) < 0.2
