"""Moment matching against the print in many digits, against quadrature and against simulation."""

import literal
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import dblquad

from nextpair.core.belief import Belief

alphas = st.lists(st.floats(-8, 6).map(lambda x: 10.0**x), min_size=2, max_size=6)
counts = st.floats(0.01, 1e3)


@settings(max_examples=150)
@given(alphas, counts, counts)
def test_an_update_is_the_print(alpha, mu, nu):
    for winner, loser, y in ((0, 1, 1), (1, 0, -1)):
        after = Belief(alpha, [mu], [nu]).update(winner, loser, 0)
        want_alpha, want_mu, want_nu = literal.matched(alpha, 0, 1, mu, nu, y)
        np.testing.assert_allclose(after.alpha, want_alpha, rtol=1e-10)
        np.testing.assert_allclose([after.mu[0], after.nu[0]], [want_mu, want_nu], rtol=1e-10)


@pytest.mark.parametrize("n_items", [8, 9, 15, 16, 17, 26])
@pytest.mark.parametrize("heaviest", [1.0, 1e5])
def test_an_update_among_many_items_is_the_print(n_items, heaviest):
    """The sums over the others are eight running ones; added up otherwise where one item has nearly all the mass."""
    rng = np.random.default_rng(n_items)
    for at in range(n_items):
        alpha = 10.0 ** rng.uniform(-3, 1, n_items)
        alpha[at] = heaviest
        i, j = rng.choice(n_items, 2, replace=False).tolist()
        after = Belief(alpha, [3.0], [1.4]).update(i, j, 0)
        np.testing.assert_allclose(after.alpha, literal.matched(alpha, i, j, 3.0, 1.4, 1)[0], rtol=1e-12)


def test_the_measured_facts_of_the_design():
    np.testing.assert_allclose(Belief.prior(3).update(0, 1).alpha, [1.565217, 0.782609, 1.173913], atol=5e-7)
    belief = Belief([2, 1, 0.5, 3], [], [])
    np.testing.assert_allclose(belief.update(1, 3).alpha, [2.173913, 1.739130, 0.543478, 2.608696], atol=5e-7)
    np.testing.assert_allclose(belief.update(3, 1).alpha, [2.124352, 0.849741, 0.531088, 3.398964], atol=5e-7)


def test_the_reliability_by_quadrature():
    a, b, mu, nu = 1.3, 0.7, 3.0, 1.4

    def likelihood(x, rho):
        prior = x ** (a - 1) * (1 - x) ** (b - 1) * rho ** (mu - 1) * (1 - rho) ** (nu - 1)
        return prior * (rho * x + (1 - rho) * (1 - x))

    whole = dblquad(likelihood, 0, 1, 0, 1)[0]
    mean = dblquad(lambda x, rho: rho * likelihood(x, rho), 0, 1, 0, 1)[0] / whole
    after = Belief([a, b, 2.1, 4], [mu], [nu]).update(0, 1, 0)
    assert after.reliability[0] == pytest.approx(mean, abs=1e-5)
    assert after.reliability[0] == pytest.approx(0.7035519, abs=1e-7)


def test_the_first_moments_by_simulation():
    rng = np.random.default_rng(0)
    alpha, mu, nu = np.array([1.3, 0.7, 2.1, 4.0]), 3.0, 1.4
    theta, rho = rng.dirichlet(alpha, 400_000), rng.beta(mu, nu, 400_000)
    share = theta[:, 0] / (theta[:, 0] + theta[:, 1])
    weight = rho * share + (1 - rho) * (1 - share)
    after = Belief(alpha, [mu], [nu]).update(0, 1, 0)
    mean = (weight[:, None] * theta).sum(axis=0) / weight.sum()
    np.testing.assert_allclose(after.scores(), mean, atol=2e-3)
    squares = (weight * (theta**2).sum(axis=1)).sum() / weight.sum()
    total = after.alpha.sum()
    assert (after.alpha * (after.alpha + 1)).sum() / (total * (total + 1)) == pytest.approx(squares, abs=2e-3)


def test_a_tie_by_simulation():
    rng = np.random.default_rng(1)
    alpha = np.array([1.3, 0.7, 2.1])
    theta = rng.dirichlet(alpha, 400_000)
    tied = np.sqrt(theta[:, 0] * theta[:, 1]) / (theta[:, 0] + theta[:, 1])
    heard = 0.6  # |2p - 1| of a worker with p = 0.8
    weight = heard * tied / tied.mean() + (1 - heard)
    after = Belief(alpha, [4.0], [1.0]).update(0, 1, 0, tie=True)
    np.testing.assert_allclose(after.scores(), (weight[:, None] * theta).mean(axis=0) / weight.mean(), atol=2e-3)
    assert after.reliability[0] == 0.8


@settings(max_examples=60)
@given(alphas, st.sampled_from([1.0, 0.5, 0.0, 0.8, 0.3]))
def test_a_tie_keeps_the_moments(alpha, p):
    after = Belief(alpha, [p], [1 - p]).update(0, 1, 0, tie=True)
    lost = 1e-16 * sum(alpha) / (alpha[0] + alpha[1])  # of nearly nothing beside all, the change is a small difference
    np.testing.assert_allclose(after.alpha, literal.tied(alpha, 0, 1, p), rtol=1e-9 + lost)
    assert (after.mu[0], after.nu[0]) == (p, 1 - p)


def test_folding_is_updating_one_by_one():
    rng = np.random.default_rng(2)
    i = rng.integers(12, size=300)
    j = (i + rng.integers(1, 12, size=300)) % 12
    who, ties = rng.integers(-1, 3, size=300), (rng.random(300) < 0.1).astype(int)
    folded = Belief.prior(12, 3).fold(i, j, who, ties)
    single = Belief.prior(12, 3)
    for a, b, w, tie in zip(i.tolist(), j.tolist(), who.tolist(), ties.tolist(), strict=True):
        single = single.update(a, b, None if w < 0 else w, tie=bool(tie))
    assert (folded.alpha == single.alpha).all()
    assert (folded.mu == single.mu).all()
    assert (folded.nu == single.nu).all()


@pytest.mark.parametrize("p", [1.0, 0.0])
def test_vanishing_items_stay_positive_and_ordered(p):
    belief = Belief(np.ones(5), [p], [1 - p])
    winners, losers = ([0, 1, 2, 3] * 200, [1, 2, 3, 4] * 200) if p else ([1, 2, 3, 4] * 200, [0, 1, 2, 3] * 200)
    after = belief.fold(winners, losers, 0)
    assert (after.alpha > 0).all()
    assert np.isfinite(after.alpha).all()
    assert after.ranking().tolist() == [0, 1, 2, 3, 4]
    assert (after.update(3, 4, 0, tie=True).alpha > 0).all()
