"""Answers that say by how much: the model by integration, and worlds that are as it says, and that are not."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import integrate
from scipy.special import expit
from scipy.stats import norm

from nextpair.core.comparisons import Comparisons
from nextpair.core.full_posterior import FullPosterior
from nextpair.core.kernels.answer import match
from nextpair.core.kernels.mirror import mirror_odds
from nextpair.core.kernels.much import MEANT, NEVER, NOT, PLAIN, START, grade
from nextpair.errors import InvalidSetting


def chance_of(d, much, cut, sense, share):
    """P(first, and "much" or not), by the definition: seen beyond the cut, or said at random."""
    meant = expit(d - cut) if much else expit(d) - expit(d - cut)
    return sense * meant + (1 - sense) * (share if much else 1 - share) * expit(d)


def expect(function, mean, var):
    return integrate.quad(lambda d: function(d) * norm.pdf(d, mean, np.sqrt(var)), mean - 25, mean + 25, limit=200)[0]


def gap(belief, i=0, j=1):
    cov = belief.cov
    return belief.mean[i] - belief.mean[j], cov[i, i] + cov[j, j] - 2 * cov[i, j]


@pytest.mark.parametrize("much", [0, 1])
@pytest.mark.parametrize("p", [1.0, 0.8, 0.5, 0.2])
@pytest.mark.parametrize("lean", [0.0, -0.6])
@pytest.mark.parametrize("sense", [1.0, 0.7])
def test_an_answer_is_matched_by_its_moments(much, p, lean, sense):
    mean, var, worker, r = 0.7, 1.3, np.array([1.4, sense, 0.3]), 2 * p - 1

    def straight(d):
        return chance_of(d + lean, much, *worker)

    def turned(d):
        return chance_of(-d + lean, much, *worker)

    at_random = expect(lambda d: straight(d) + turned(d), mean, var) / 2

    def likelihood(d):  # who answers at random says nothing about the pair, nor by how much
        return abs(r) * (straight(d) if r > 0 else turned(d)) + (1 - abs(r)) * at_random

    z, one, two = (expect(lambda d, k=k: likelihood(d) * d**k, mean, var) for k in range(3))
    chance, pull, bend, *_ = match(mean, var, p, 0, 0.0, lean, grade(much, worker))
    assert mean + var * pull == pytest.approx(one / z, abs=1e-4)
    assert var + var**2 * bend == pytest.approx(two / z - (one / z) ** 2, abs=1e-4)
    up, down = expect(straight, mean, var), expect(turned, mean, var)
    assert chance == pytest.approx(up / (up + down), abs=1e-5)


@given(st.floats(-4, 4), st.floats(0.05, 4), st.floats(0, 1), st.booleans(), st.floats(0.05, 8), st.floats(0, 1))
def test_whoever_turns_answers_round_says_the_same_of_the_pair_turned_round(mean, var, p, much, cut, sense):
    said = grade(much, np.array([cut, sense, 0.4]))
    chance, pull, bend, *_ = match(mean, var, p, 0, 0.0, 0.0, said)
    other, back, same, *_ = match(-mean, var, 1 - p, 0, 0.0, 0.0, said)
    assert (chance, pull, bend) == pytest.approx((1 - other, -back, same), abs=1e-9)


@given(st.floats(-3, 3), st.floats(0.1, 3), st.floats(0.05, 1), st.floats(0, 1), st.floats(0, 2))
def test_much_and_not_much_are_all_that_can_be_said(mean, var, sense, share, rate):
    """Together they are what an answer without a word says."""
    worker = np.array([1.1, sense, share])
    both = [match(mean, var, 1.0, 0, rate, 0.0, grade(much, worker)) for much in (0, 1)]
    plain = match(mean, var, 1.0, 0, rate, 0.0)
    # pull = slope / value and rise = slope, so value = rise / pull
    values = [one.rise / one.pull for one in both]
    assert sum(values) == pytest.approx(plain.rise / plain.pull, rel=1e-6)
    assert sum(one.rise for one in both) == pytest.approx(plain.rise, rel=1e-6)


def test_who_never_says_it_says_nothing_by_that():
    assert grade(0, np.array([NEVER, 0.0, 0.0])) == PLAIN
    assert match(0.4, 1.2, 0.8, 0, 0.0, 0.0, PLAIN) == match(0.4, 1.2, 0.8, 0, 0.0, 0.0)


def test_much_moves_scores_further_apart_and_not_much_less_far():
    said, plain = [1, 0] * 5, [0] * 10  # of (0, 1) each time, of (2, 3) never
    belief, without_it = (FullPosterior.prior(4).fold([0, 2] * 5, [1, 3] * 5, much=much) for much in (said, plain))
    assert gap(belief, 0, 1)[0] > gap(without_it, 0, 1)[0] > gap(belief, 2, 3)[0] > 0


def test_two_items_against_quadrature():
    """Of nobody in particular: three answers for the first, two of them "much", and one for the second."""
    told = Comparisons.of([0, 0, 0, 1], [1, 1, 1, 0], much=[1, 1, 0, 0])
    belief = FullPosterior.fit(told)
    worker = belief.much[:, 0]

    def likelihood(d):
        return chance_of(d, 1, *worker) ** 2 * chance_of(d, 0, *worker) * chance_of(-d, 0, *worker)

    z, one, two = (expect(lambda d, k=k: likelihood(d) * d**k, 0, 2 * belief.spread[0]) for k in range(3))
    assert gap(belief) == pytest.approx((one / z, two / z - (one / z) ** 2), rel=0.03)


def a_world(seed, cuts=(1.1,), at_random=0.0, items=15, answers=400, workers=0, reliability=1.0):
    """(log-scores, answers): what is seen is d + e, e logistic; "much" is beyond the cut, or said every other time."""
    rng = np.random.default_rng(seed)
    scores = np.log(rng.gamma(1, size=items))
    first = rng.integers(items, size=answers)
    second = (first + rng.integers(1, items, size=answers)) % items
    who = rng.integers(workers, size=answers) if workers else np.full(answers, -1)
    seen = scores[first] - scores[second] + rng.logistic(size=answers)
    much = np.where(rng.random(answers) < at_random, rng.random(answers) < 0.5, np.abs(seen) > np.asarray(cuts)[who])
    says = np.where(rng.random(answers) < reliability, seen > 0, seen <= 0)
    winners, losers = np.where(says, (first, second), (second, first))
    told = Comparisons.of(winners, losers, who, much=much, n_items=items, n_workers=workers)
    return scores - scores.mean(), told


def without(told):
    return Comparisons.of(told.winners, told.losers, told.workers, n_items=told.n_items, n_workers=told.n_workers)


def standing(scores, told):
    """(share of intervals that hold, expected accuracy, accuracy)."""
    belief = FullPosterior.fit(told)
    low, high = belief.intervals()
    ordered = scores[belief.ranking()]
    right = np.mean([ordered[i] > ordered[j] for i in range(len(scores)) for j in range(i + 1, len(scores))])
    return np.mean((low <= scores) & (scores <= high)), belief.expected_accuracy(), right


@pytest.mark.parametrize(("at_random", "workers"), [(0.0, 0), (0.4, 0), (0.0, 4)])
def test_claims_hold_and_rankings_gain(at_random, workers):
    worlds = [a_world(seed, [1.1] * max(workers, 1), at_random, answers=150, workers=workers) for seed in range(60)]
    covered, expected, right = np.mean([standing(*world) for world in worlds], axis=0)
    *_, plainly = np.mean([standing(scores, without(told)) for scores, told in worlds], axis=0)
    assert 0.85 < covered < 0.95
    assert expected == pytest.approx(right, abs=0.02)
    assert right > plainly + (0.01 if at_random == 0 else 0.0)


def test_where_the_word_means_nothing_that_is_found_out():
    worlds = [a_world(seed, at_random=1.0) for seed in range(20)]
    beliefs = [FullPosterior.fit(told) for _, told in worlds]
    assert np.mean([belief.much[1, 0] for belief in beliefs]) < 0.35
    meant = FullPosterior.fit(a_world(1)[1])
    assert meant.much[1, 0] > 0.8
    _, _, right = np.mean([standing(*world) for world in worlds], axis=0)
    *_, plainly = np.mean([standing(scores, without(told)) for scores, told in worlds], axis=0)
    assert right == pytest.approx(plainly, abs=0.01)


def test_each_worker_has_a_cut_of_their_own():
    belief = FullPosterior.fit(a_world(5, [0.4, 2.5], answers=900, workers=2)[1])
    cuts = belief.much[0]
    assert cuts[1] == pytest.approx(0.4, abs=0.25)
    assert cuts[2] == pytest.approx(2.5, abs=0.5)
    assert cuts[1] < cuts[0] < cuts[2]
    assert (belief.with_worker().much[:, 3] == belief.much[:, 0]).all()


def test_reliabilities_are_as_true_as_without_it():
    _, told = a_world(3, [1.1, 1.1], answers=900, workers=2, reliability=0.95)
    said, plain = FullPosterior.fit(told).reliability, FullPosterior.fit(without(told)).reliability
    assert said == pytest.approx([0.95, 0.95], abs=0.06)
    assert np.abs(said - 0.95).mean() < np.abs(plain - 0.95).mean() + 0.02


def test_a_crowd_that_does_not_say_it_has_no_cut():
    _, told = a_world(7, workers=1)
    assert (FullPosterior.fit(without(told)).much[0] == NEVER).all()
    assert (FullPosterior.fit(told).much[0] < NEVER).all()


def test_once_said_it_has_a_cut_and_is_thought_to_mean_something():
    belief = FullPosterior.prior(3, 2).update(0, 1, 0, much=True)
    assert (belief.much[0] < NEVER).all()
    assert belief.much[1, 0] == pytest.approx(MEANT / (MEANT + NOT), abs=0.1)
    assert belief.much[0, 0] == pytest.approx(START, abs=0.5)


def test_how_items_are_numbered_does_not_matter():
    _, told = a_world(9, [1.1, 0.7, 2.0], workers=3, reliability=0.9)
    number = np.random.default_rng(1).permutation(told.n_items)
    other = Comparisons.of(
        number[told.winners], number[told.losers], told.workers, much=told.much, n_items=told.n_items, n_workers=3
    )
    here, there = FullPosterior.fit(told), FullPosterior.fit(other)
    assert there.scores()[number] == pytest.approx(here.scores(), abs=1e-5)
    assert there.reliability == pytest.approx(here.reliability, abs=1e-5)


def test_all_at_once_and_one_by_one_are_the_same_fold():
    _, told = a_world(4, [1.1, 0.7], workers=2, answers=80)
    one = two = FullPosterior.prior(told.n_items, 2)
    one = one.fold(told.winners, told.losers, told.workers, much=told.much)
    for winner, loser, worker, *_, much in told.columns().T.tolist():
        two = two.update(winner, loser, worker, much=bool(much))
    assert (one.mean == two.mean).all()
    assert (one.cov == two.cov).all()
    assert (one.much == two.much).all()


@pytest.mark.parametrize("lean", [0.0, 0.8])
def test_the_odds_of_the_opposite_order(lean):
    """Of nobody in particular: the likelihoods at the mean and at its mirror image, by the definition."""
    told = Comparisons.of([0, 1, 2, 0], [1, 2, 0, 2], sides=[1, -1, 1, 1], much=[1, 0, 1, 0])
    mean, worker = np.array([0.6, -0.2, 0.1]), np.array([1.3, 0.8, 0.4])

    def log_likelihood(scores):
        gaps = scores[told.winners] - scores[told.losers] + told.sides * lean
        return sum(np.log(chance_of(d, much, *worker)) for d, much in zip(gaps, told.much, strict=True))

    belief = FullPosterior.prior(3)
    found = mirror_odds(
        told.columns(), mean, belief.nodes, belief.crowd, belief.crowds, np.array([lean]), worker[:, None]
    )
    assert found == pytest.approx(log_likelihood(-mean) - log_likelihood(mean), abs=1e-9)


def test_a_tie_is_not_much():
    with pytest.raises(InvalidSetting, match="neither item is much better"):
        Comparisons.of([0], [1], ties=1, much=1)
    with pytest.raises(InvalidSetting, match="no mark of much 2"):
        Comparisons.of([0], [1], much=2)


def test_nothing_but_much():
    belief = FullPosterior.fit(Comparisons.of([0, 1, 2] * 40, [1, 2, 0] * 40, much=1))
    assert belief.scores() == pytest.approx(np.zeros(3), abs=1e-6)
    assert np.isfinite(belief.much).all()
