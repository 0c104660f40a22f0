"""Ties in the full posterior: Davidson's model by integration, and worlds that are as it says."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import integrate
from scipy.stats import norm

from nextpair.core.comparisons import Comparisons
from nextpair.core.full_posterior import FullPosterior
from nextpair.core.kernels.answer import match
from nextpair.core.kernels.davidson import EASED, FEW


def davidson(d, rate):
    """P(first), P(second) and P(tie)."""
    z = 2 * np.cosh(d / 2) + rate
    return np.exp(d / 2) / z, np.exp(-d / 2) / z, rate / z


def gap(belief, i=0, j=1):
    """Mean and variance of s_i - s_j."""
    cov = belief.cov
    return belief.mean[i] - belief.mean[j], cov[i, i] + cov[j, j] - 2 * cov[i, j]


def expect(function, mean, var):
    return integrate.quad(lambda d: function(d) * norm.pdf(d, mean, np.sqrt(var)), mean - 25, mean + 25, limit=200)[0]


@pytest.mark.parametrize("rate", [0.0, 0.05, 0.4, 3.0])
@pytest.mark.parametrize("p", [1.0, 0.8, 0.5, 0.2])
@pytest.mark.parametrize("tie", [0, 1])
def test_an_answer_is_matched_by_its_moments(rate, p, tie):
    mean, var, r = 0.7, 1.3, 2 * p - 1
    _, usual, tied = (expect(lambda d, k=k: davidson(d, rate or 1e-9)[k], mean, var) for k in range(3))
    decided = 1 - tied if rate else 1.0

    def likelihood(d):
        first, second, even = davidson(d, rate or 1e-9)
        if tie:  # who answers at random calls a tie as often as the pair deserves
            return abs(r) * even / tied + 1 - abs(r)
        return abs(r) * (first if r > 0 else second) + (1 - abs(r)) * decided / 2

    z, one, two = (expect(lambda d, k=k: likelihood(d) * d**k, mean, var) for k in range(3))
    chance, pull, bend, *_ = match(mean, var, p, tie, rate, 0.0)
    assert mean + var * pull == pytest.approx(one / z, abs=1e-4)
    assert var + var**2 * bend == pytest.approx(two / z - (one / z) ** 2, abs=1e-4)
    assert chance == pytest.approx(0.5 if tie else 1 - usual / decided, abs=1e-5)


@given(st.floats(-4, 4), st.floats(0.05, 4), st.floats(0, 1), st.floats(0, 5))
def test_whoever_turns_answers_round_says_the_same_of_the_pair_turned_round(mean, var, p, rate):
    chance, pull, bend, *_ = match(mean, var, p, 0, rate, 0.0)
    other, back, same, *_ = match(-mean, var, 1 - p, 0, rate, 0.0)
    assert (chance, pull, bend) == pytest.approx((1 - other, -back, same), abs=1e-9)


def test_a_tie_teaches_nothing_about_the_worker():
    before = FullPosterior.prior(2, 1, reliability=(3.0, 1.0)).update(1, 0, 0)
    assert before.update(0, 1, 0, tie=True).reliability == pytest.approx(before.reliability, abs=0.01)


def test_two_items_against_quadrature():
    """Three answers for the first, one for the second and two ties, of nobody in particular."""
    told = Comparisons.of([0, 0, 1, 0, 0, 1], [1, 1, 0, 1, 1, 0], ties=[0, 0, 0, 0, 1, 1])
    belief = FullPosterior.fit(told)

    def likelihood(d):
        first, second, tie = davidson(d, belief.rates[0])
        return first**3 * second * tie**2

    z, one, two = (expect(lambda d, k=k: likelihood(d) * d**k, 0, 2 * belief.spread[0]) for k in range(3))
    assert gap(belief) == pytest.approx((one / z, two / z - (one / z) ** 2), rel=0.01)
    expected = 6 * expect(lambda d: davidson(d, belief.rates[0])[2], *gap(belief))
    assert expected + EASED * belief.rates[0] == pytest.approx(2, abs=1e-3)


def a_world(seed, rates, items=15, answers=400, workers=0):
    """(log-scores, answers): workers who compare with care and call ties at these rates."""
    rng = np.random.default_rng(seed)
    scores = np.log(rng.gamma(1, size=items))
    first = rng.integers(items, size=answers)
    second = (first + rng.integers(1, items, size=answers)) % items
    who = rng.integers(workers, size=answers) if workers else np.full(answers, -1)
    chances = np.cumsum(davidson(scores[first] - scores[second], np.asarray(rates)[who]), axis=0)
    said = (rng.random(answers) > chances[:2]).sum(axis=0)
    winners, losers = np.where(said == 1, (second, first), (first, second))
    return scores - scores.mean(), Comparisons.of(winners, losers, who, said == 2, n_items=items, n_workers=workers)


def standing(scores, told):
    """(share of intervals that hold, expected accuracy, accuracy, slope of the scores found on the true ones)."""
    belief = FullPosterior.fit(told)
    low, high = belief.intervals()
    ordered = scores[belief.ranking()]
    right = np.mean([ordered[i] > ordered[j] for i in range(len(scores)) for j in range(i + 1, len(scores))])
    slope = np.polyfit(scores, belief.scores(), 1)[0]
    return np.mean((low <= scores) & (scores <= high)), belief.expected_accuracy(), right, slope


@pytest.mark.parametrize(("rate", "workers"), [(1.0, 0), (3.0, 0), (1.0, 4)])
def test_claims_hold_where_many_answers_are_ties(rate, workers):
    """Counted as half a win each, ties drew scores together: 52 to 74 % of these intervals held, slopes 0.4 to 0.6."""
    found = [standing(*a_world(seed, [rate] * max(workers, 1), workers=workers)) for seed in range(40)]
    covered, expected, right, slope = np.mean(found, axis=0)
    assert 0.86 < covered < 0.95
    assert expected == pytest.approx(right, abs=0.02)
    assert slope > 0.75


def test_each_worker_calls_ties_in_their_own_way():
    _, told = a_world(5, [0.0, 4.0], answers=600, workers=2)
    belief = FullPosterior.fit(told)
    assert belief.rates[1] < 0.1 < 2.5 < belief.rates[2] < 6
    assert belief.rates[1] < belief.rates[0] < belief.rates[2]
    joined = belief.with_worker()
    assert joined.rates[3] == belief.rates[0]


def test_who_hardly_answered_calls_ties_like_the_others():
    _, told = a_world(6, [1.0], answers=300, workers=1)
    belief = FullPosterior.fit(told).with_worker().update(0, 1, 1)
    belief = belief.fold(told.winners, told.losers, told.workers, told.ties)  # with refits
    assert belief.rates[2] == pytest.approx(belief.rates[0], rel=1 / FEW)


def test_nothing_but_ties():
    belief = FullPosterior.fit(Comparisons.of([0, 1, 2] * 40, [1, 2, 0] * 40, ties=1))
    assert belief.scores() == pytest.approx(np.zeros(3), abs=1e-6)
    assert np.isfinite(belief.rates).all()
    assert belief.prob_above(0, 1) == pytest.approx(0.5, abs=1e-6)


def test_a_crowd_without_ties_has_no_rate():
    _, told = a_world(7, [0.0], workers=1)
    belief = FullPosterior.fit(told)
    assert (belief.rates == 0).all()
