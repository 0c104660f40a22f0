"""Who gave many answers is judged by halves: few judges are told apart, and no guesser vouches for himself."""

import numpy as np
import pytest
from scipy.special import expit
from scipy.stats import norm

from nextpair.core.comparisons import Comparisons
from nextpair.core.full_posterior import FullPosterior
from nextpair.core.kernels.halves import halves
from nextpair.core.kernels.vouch import HEAVY, HEAVY_LEAST
from nextpair.core.settling import SETTLED


def a_file(seed, reliability, shares, answers=1500, items=25):
    """(log-scores, answers): each worker gave this share of the answers, to random pairs."""
    rng = np.random.default_rng(seed)
    scores = rng.normal(0, 1.28, items)
    i = rng.integers(items, size=answers)
    j = (i + rng.integers(1, items, size=answers)) % items
    who = rng.choice(len(shares), size=answers, p=shares)
    up, rho = expit(scores[i] - scores[j]), np.array(reliability)[who]
    first = rng.random(answers) < rho * up + (1 - rho) * (1 - up)
    winners, losers = np.where(first, (i, j), (j, i))
    return scores, Comparisons.of(winners, losers, who, n_items=items, n_workers=len(shares))


@pytest.mark.parametrize("reliability", [(0.98, 0.55), (0.95, 0.65), (0.98, 0.65, 0.65)])
def test_the_good_one_of_two_or_three_judges_is_known_by_his_own_consistency(reliability):
    """Judged by the others alone, all came out between 0.5 and 0.7, or changed with each sweep and never settled."""
    found = []
    for seed in range(4):
        moves = []
        _, told = a_file(seed, reliability, [1 / len(reliability)] * len(reliability))
        found.append(FullPosterior.fit(told, on_sweep=moves.append).reliability)
        assert moves[-1] < SETTLED
    assert np.mean(found, axis=0) == pytest.approx(reliability, abs=0.06)


def test_a_guesser_who_gave_nearly_all_answers_is_known():
    crowd = np.random.default_rng(1).beta(4, 1, 20)
    shares = np.r_[0.7, np.full(20, 0.3 / 20)]
    found = [FullPosterior.fit(a_file(seed, np.r_[0.5, crowd], shares)[1]).reliability[0] for seed in range(4)]
    assert np.mean(found) == pytest.approx(0.5, abs=0.05)


def test_halves_hang_neither_on_order_nor_on_names_nor_on_what_the_worker_said():
    _, told = a_file(3, (0.9, 0.7), (0.5, 0.5), answers=300, items=9)
    rng = np.random.default_rng(4)
    columns = np.stack([told.winners, told.losers, told.workers, rng.random(300) < 0.2])
    half = halves(0, 300, columns, 9)
    assert set(half[columns[2] == 0]) == {0, 1}
    assert set(half[columns[2] == 1]) == {-1}
    order, names = rng.permutation(300), rng.permutation(9)
    renamed = np.stack([names[columns[0]], names[columns[1]], columns[2], columns[3]])
    assert np.array_equal(halves(0, 300, renamed, 9), half)
    assert np.array_equal(halves(0, 300, columns[:, order].copy(), 9), half[order])
    said = columns.copy()
    turned = (columns[2] == 0) & (rng.random(300) < 0.5)
    said[:2, turned] = columns[1::-1, turned]
    assert np.array_equal(halves(0, 300, said, 9), half)
    assert np.array_equal(halves(0, 300, columns[[1, 0, 2, 3]], 9), half)  # all answers turned round
    said = columns.copy()
    said[:2, columns[3] == 1] = columns[1::-1, columns[3] == 1]  # a tie has no winner
    assert np.array_equal(halves(0, 300, said, 9), half)
    pairs = {}
    for t in np.flatnonzero(columns[2] == 0):
        assert pairs.setdefault(frozenset(columns[:2, t]), half[t]) == half[t]


def test_an_answer_of_who_gave_many_is_as_likely_as_all_answers_outside_its_half_make_it():
    """Against the posterior of all other factors, added up and inverted; others' answers leave out themselves only."""
    _, told = a_file(5, np.r_[0.9, np.full(12, 0.8)], np.r_[0.4, np.full(12, 0.05)], answers=240, items=8)
    belief = FullPosterior.fit(told)
    gave = belief.answers_by_worker()
    assert gave[0] > HEAVY * 240 > gave[1:].max() > HEAVY_LEAST
    columns = told.columns()
    half = halves(0, 240, columns, 8)
    assert set(half) == {-1, 0, 1}
    gaps = np.zeros((240, 8))
    gaps[np.arange(240), told.winners], gaps[np.arange(240), told.losers] = 1, -1
    precision, shift, found = belief.factors
    for t in np.r_[np.flatnonzero(half == 0)[:6], np.flatnonzero(half == 1)[:6], np.flatnonzero(half < 0)[:6]]:
        others = half != half[t] if half[t] >= 0 else np.arange(240) != t
        cov = np.linalg.inv(np.eye(8) / belief.spread[0] + (gaps[others].T * precision[others]) @ gaps[others])
        mean, sd = gaps[t] @ cov @ (shift[others] @ gaps[others]), np.sqrt(gaps[t] @ cov @ gaps[t])
        x = np.linspace(-9, 9, 901)
        assert found[t] == pytest.approx((expit(mean + sd * x) * norm.pdf(x)).sum() * 0.02, abs=1e-4)
