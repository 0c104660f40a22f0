"""Answers that make no sense: judges who guess or turn round, items far apart, ties at random. Claims stay claims."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import expit

from nextpair.core.comparisons import Comparisons
from nextpair.core.full_posterior import FullPosterior
from nextpair.core.kernels.joint import FURTHEST, LEAST, by_others, rebuild
from nextpair.core.kernels.spread import DOUBT, MOST, PRIOR_VAR, learn_spread


def nonsense(seed, answers=400):
    """One to three judges of any reliability at all, on few items as far apart as may be."""
    rng = np.random.default_rng(seed)
    items, workers = rng.choice([2, 3, 5, 10]), rng.choice([1, 2, 3])
    scores = rng.normal(0, rng.choice([0.1, 1.3, 10.0]), items)
    i = rng.integers(items, size=answers)
    j = (i + rng.integers(1, items, size=answers)) % items
    who = rng.integers(workers, size=answers)
    rho = rng.random(workers)[who]
    up = expit(scores[i] - scores[j])
    first = rng.random(answers) < rho * up + (1 - rho) * (1 - up)
    winners, losers = np.where(first, (i, j), (j, i))
    ties = rng.random(answers) < rng.choice([0.0, 0.05, 0.4])
    mixed = rng.random() < 0.3
    sides = rng.choice([-1, 0, 1], size=answers) if mixed else np.full(answers, rng.choice([-1, 0, 1]))
    return Comparisons.of(winners, losers, who, ties.astype(int), sides, n_items=int(items), n_workers=int(workers))


def is_sound(belief):
    first, second = np.triu_indices(belief.n_items, 1)
    low, high = belief.intervals()
    assert (low <= belief.scores()).all()
    assert (belief.scores() <= high).all()
    for chances in (belief.probs_above(first, second), belief.prob_top(1), belief.reliability, belief.leaning):
        assert ((chances >= 0) & (chances <= 1)).all()
    assert belief.prob_top(1).sum() == pytest.approx(1)
    assert 0 <= belief.expected_accuracy() <= 1
    assert np.linalg.eigvalsh(belief.cov)[0] > 0


@pytest.mark.parametrize("seed", [0, 16, 102, 135, 149, 321, 1407, 1471])
def test_claims_of_answers_that_make_no_sense(seed):
    told = nonsense(seed)
    is_sound(FullPosterior.fit(told))
    for learns in (False, True):
        is_sound(FullPosterior.prior(told.n_items, told.n_workers, learns_spread=learns).fold(*told.columns()))


@settings(max_examples=60)
@given(st.data(), st.booleans())
def test_claims_of_any_answers(data, learns):
    items, workers = data.draw(st.integers(2, 6)), data.draw(st.integers(0, 3))
    n = data.draw(st.integers(0, 40))
    column = st.lists(st.integers(0, 1000), min_size=n, max_size=n)
    winners = np.array(data.draw(column), dtype=np.int64) % items
    losers = (winners + 1 + np.array(data.draw(column), dtype=np.int64) % (items - 1)) % items
    who = np.array(data.draw(column), dtype=np.int64) % (workers + 1) - 1
    ties = np.array(data.draw(column), dtype=np.int64) % 2
    sides = np.array(data.draw(column), dtype=np.int64) % 3 - 1
    much = np.array(data.draw(column), dtype=np.int64) % 2 * (1 - ties)
    is_sound(FullPosterior.prior(items, workers, learns_spread=learns).fold(winners, losers, who, ties, sides, much))


def test_what_others_say_is_what_is_left_without_the_answer():
    rng = np.random.default_rng(4)
    winners = rng.integers(6, size=30)
    belief = FullPosterior.prior(6).fold(winners, (winners + rng.integers(1, 6, size=30)) % 6)
    for t in (0, 7, 29):
        i, j = belief.told[:2, t]
        apart = np.zeros(6)
        apart[[i, j]] = 1, -1
        precision = np.linalg.inv(belief.cov)
        pull = precision @ belief.mean - belief.factors[1, t] * apart
        without = np.linalg.inv(precision - belief.factors[0, t] * np.outer(apart, apart))
        mean, rest = by_others(t, belief.joint())
        assert mean == pytest.approx(apart @ without @ pull)
        assert 1 / rest == pytest.approx(apart @ without @ apart)


def test_what_others_say_has_bounds():
    belief = FullPosterior.prior(2).fold([0], [1])
    at = belief.to_change(belief.told)
    at.factors[0, 0], at.factors[1, 0] = 1e6, -1e6
    mean, rest = by_others(0, at)
    assert rest == LEAST / (2 * PRIOR_VAR)
    assert mean == FURTHEST * np.sqrt(2 * PRIOR_VAR)


def arrays(told, factors):
    """What a posterior of two items is rebuilt from and in."""
    nothing = FullPosterior.prior(2)
    return nothing.to_change(nothing.told)._replace(told=told, factors=factors)


@pytest.mark.parametrize("widening", [-0.4, -0.29])  # no posterior at all, and one ten times as wide as the prior
def test_where_answers_widen_too_much_they_keep_their_slope_at_the_mean(widening):
    told = np.array([[0, 0], [1, 1], [-1, -1], [0, 0], [0, 0]])
    factors = np.array([[widening, 0.1], [0.2, 0.3], [0.5, 0.5]])
    at, mean, cov = arrays(told, factors), np.array([0.6, -0.6]), np.empty((2, 2))
    if widening == -0.29:
        factors[0, 1] = 0.0
    slopes = factors[1] - factors[0] * 1.2
    rebuild(2, at._replace(mean=mean, cov=cov))
    assert factors[0, 0] == 0.0
    assert factors[1, 0] == pytest.approx(slopes[0])
    precision = np.eye(2) / PRIOR_VAR + factors[0, 1] * np.array([[1, -1], [-1, 1]])
    assert cov == pytest.approx(np.linalg.inv(precision))
    assert mean == pytest.approx(cov @ (factors[1].sum() * np.array([1, -1])))


def test_a_mean_has_a_bound():
    told, factors = np.array([[0], [1], [-1], [0], [0]]), np.array([[0.0], [1e4], [0.5]])
    at = arrays(told, factors)
    rebuild(1, at)
    assert at.mean == pytest.approx(np.array([1, -1]) * FURTHEST * np.sqrt(PRIOR_VAR))


def test_how_far_apart_items_are_has_a_bound():
    for mean in (1e9, 0.0):
        spread = np.array([PRIOR_VAR, DOUBT])
        for _ in range(50):
            learn_spread(np.tile([mean, -mean], 6), np.eye(12) * 1e-12, spread, np.empty(0))
        assert abs(np.log(spread[0] / PRIOR_VAR)) == pytest.approx(MOST)
