"""Fits of scores against a general optimiser, and adaptive polling against dense normal distributions."""

import numpy as np
import pytest
from scipy.optimize import minimize, minimize_scalar
from scipy.special import log_ndtr, ndtr

from nextpair.core.adaptive_polling import PollingBelief, expected_divergence
from nextpair.core.likelihood import LOGISTIC, NORMAL, fit_scores, hazard
from nextpair.errors import InvalidSetting


def some_wins(seed, n=6, plays=6.0):
    rng = np.random.default_rng(seed)
    scores = rng.normal(0, 0.8, n)
    wins = np.zeros((n, n))
    for i in range(n):
        for j in range(i + 1, n):
            count = rng.poisson(plays)
            wins[i, j] = rng.binomial(count, ndtr(scores[i] - scores[j]))
            wins[j, i] = count - wins[i, j]
    return wins + 0.15 * (1 - np.eye(n))


def minus_log_likelihood(scores, wins):
    return -(wins * log_ndtr(scores[:, None] - scores[None, :])).sum()


@pytest.mark.parametrize("seed", range(3))
def test_fit_is_that_of_a_general_optimiser(seed):
    wins = some_wins(seed)
    fit = fit_scores(wins, NORMAL)
    found = minimize(minus_log_likelihood, np.zeros(6), args=(wins,), method="BFGS", options={"gtol": 1e-7})
    assert fit.scores == pytest.approx(found.x - found.x.mean(), abs=1e-5)
    assert fit.scores.sum() == pytest.approx(0, abs=1e-12)


def test_information_is_the_curvature_of_the_likelihood():
    wins = some_wins(3, n=4)
    fit, step = fit_scores(wins, NORMAL), 1e-4
    basis = np.eye(4) * step

    def at(*moves):
        return minus_log_likelihood(fit.scores + sum(moves), wins)

    hessian = np.array(
        [[(at(a, b) - at(a, -b) - at(-a, b) + at(-a, -b)) / (4 * step**2) for b in basis] for a in basis]
    )
    assert fit.information == pytest.approx(hessian, abs=1e-5)
    centring = np.eye(4) - 0.25
    assert fit.covariance() @ fit.information == pytest.approx(centring, abs=1e-9)


def test_fit_survives_lopsided_counts():
    wins = np.full((3, 3), 0.15) * (1 - np.eye(3))
    wins[0, 1] = wins[1, 2] = 100_000
    scores = fit_scores(wins, NORMAL).scores
    assert np.isfinite(scores).all()
    assert scores[0] > scores[1] > scores[2]


def test_the_posterior_mode_is_that_of_a_general_optimiser():
    wins = np.zeros((4, 4))
    wins[0, 1], wins[1, 2], wins[0, 2] = 3, 2.5, 1  # nobody beat 0, nobody met 3: no maximum without a prior

    def minus_log_posterior(s):
        gap = s[:, None] - s[None, :]
        theta = np.exp(s) / np.exp(s).sum()
        return (wins * np.log1p(np.exp(-gap))).sum() - np.log(theta).sum() + 0.5 * s.sum() ** 2

    found = minimize(minus_log_posterior, np.zeros(4), method="BFGS", options={"gtol": 1e-8})
    fit = fit_scores(wins, LOGISTIC, prior=1.0)
    assert fit.scores == pytest.approx(found.x, abs=1e-6)


def test_hazard_is_the_slope_of_log_phi_far_out_too():
    x = np.array([-30.0, -5.0, 0.0, 4.0])
    assert hazard(x) == pytest.approx((log_ndtr(x + 1e-6) - log_ndtr(x - 1e-6)) / 2e-6, rel=1e-5)


def dense_divergence(mean, cov, winner, loser):
    """KL between two normals by their definition; the new one is the Laplace approximation of old times Phi."""
    n = mean.size
    precision = np.linalg.pinv(cov, hermitian=True)
    u = np.zeros(n)
    u[winner], u[loser] = 1, -1
    along = cov @ u

    def minus_log(t):
        return 0.5 * t * t * (along @ precision @ along) - log_ndtr(u @ (mean + t * along))

    t = minimize_scalar(minus_log, bounds=(0, 50), method="bounded", options={"xatol": 1e-12}).x
    gap = u @ (mean + t * along)
    pull = float(hazard(np.array(gap)))
    new_cov = np.linalg.pinv(precision + pull * (pull + gap) * np.outer(u, u), hermitian=True)
    values = lambda m: np.linalg.eigvalsh(m)[1:]  # noqa: E731  (the direction of the ones is not part of the model)
    moved = t * along
    trace = np.trace(precision @ new_cov)
    return 0.5 * (
        trace - (n - 1) + moved @ precision @ moved + np.log(values(cov)).sum() - np.log(values(new_cov)).sum()
    )


def test_expected_divergence_is_that_of_dense_normals():
    belief = PollingBelief(some_wins(5) - 0.15 * (1 - np.eye(6)), [], [])
    rows, columns = np.triu_indices(6, 1)
    found = expected_divergence(belief, rows, columns)
    mean, cov = belief.scores(), belief.covariance
    for k, (i, j) in enumerate(zip(rows, columns, strict=True)):
        up = ndtr(mean[i] - mean[j])
        expected = up * dense_divergence(mean, cov, i, j) + (1 - up) * dense_divergence(mean, cov, j, i)
        assert found[k] == pytest.approx(expected, rel=1e-6)


def refitted_divergence(wins, winner, loser):
    """The authors' way: fit again with the answer added and compare the two normals."""
    before, added = fit_scores(wins, NORMAL), wins.copy()
    added[winner, loser] += 1
    after = fit_scores(added, NORMAL)
    moved = after.scores - before.scores
    values = lambda fit: np.linalg.eigvalsh(fit.information)[1:]  # noqa: E731
    trace = np.trace(before.information @ after.covariance())
    logs = np.log(values(after)).sum() - np.log(values(before)).sum()
    return 0.5 * (trace - (wins.shape[0] - 1) + moved @ before.information @ moved + logs)


@pytest.mark.parametrize("seed", range(3))
def test_the_shortcut_agrees_with_refitting_once_there_are_data(seed):
    wins = some_wins(seed, plays=20)
    belief = PollingBelief(wins - 0.15 * (1 - np.eye(6)), [], [])
    rows, columns = np.triu_indices(6, 1)
    quick = expected_divergence(belief, rows, columns)
    up = ndtr(belief.scores()[rows] - belief.scores()[columns])
    full = np.array(
        [
            p * refitted_divergence(wins, i, j) + (1 - p) * refitted_divergence(wins, j, i)
            for i, j, p in zip(rows, columns, up, strict=True)
        ]
    )
    assert quick == pytest.approx(full, abs=0.1 * full.max())
    assert np.corrcoef(quick, full)[0, 1] > 0.995
    assert full[quick.argmax()] > 0.97 * full.max()


def test_an_item_never_asked_about_is_asked_next():
    belief = PollingBelief.prior(4, 0).fold([0, 1, 2, 0] * 3, [1, 2, 0, 2] * 3)
    rows, columns = np.triu_indices(4, 1)
    best = expected_divergence(belief, rows, columns).argmax()
    assert 3 in (rows[best], columns[best])


def test_settings_that_make_no_sense_are_refused():
    with pytest.raises(InvalidSetting, match="positive, not 0"):
        PollingBelief.prior(3, initial_wins=0)


def test_newton_overshoots_and_is_held_back():
    # found by search: here the plain Newton step lowers the likelihood
    tiny = 0.001
    wins = np.array(
        [
            [0, 0.5855, 14618.0, 0.6129, 15.54, 1517.9],
            [tiny, 0, 4.015, 601.54, 0.0021, 0.0102],
            [0.0067, 24811.9, 0, tiny, tiny, tiny],
            [tiny, tiny, tiny, 0, 87.83, 0.0483],
            [0.0025, 23.604, tiny, tiny, 0, tiny],
            [0.3634, tiny, tiny, 6.279, 19550.8, 0],
        ]
    )
    scores = fit_scores(wins, NORMAL).scores
    found = minimize(minus_log_likelihood, scores + 0.3 * np.cos(np.arange(6)), args=(wins,), method="Nelder-Mead",
                     options={"xatol": 1e-8, "fatol": 1e-10, "maxiter": 20_000, "maxfev": 20_000})  # fmt: skip
    assert minus_log_likelihood(scores, wins) <= found.fun + 1e-7
    assert fit_scores(wins, NORMAL, max_steps=1).scores != pytest.approx(scores)
