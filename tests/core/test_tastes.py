"""Judges with tastes of their own: the evidence against dense normals, when it is believed, and what claims become."""

import numpy as np
import pytest

from nextpair.core.comparisons import Comparisons
from nextpair.core.doubts import _without_tastes, claimed_cov
from nextpair.core.full_posterior import FullPosterior
from nextpair.core.gaussian import mean_certainty
from nextpair.core.kernels.joint import Joint
from nextpair.core.tastes import GRID, SURE, hint, parted, said, taste_cov, with_tastes


def answers(items, judges, each, taste, seed):
    """(scores, answers) of judges who compare with care, each by scores that are off by a taste of theirs."""
    rng = np.random.default_rng(seed)
    scores, n = rng.normal(0, 1.28, items), each * items
    seen = scores + rng.normal(0, 1, (judges, items)) * np.sqrt(taste)
    i, j, who = rng.integers(items, size=n), rng.integers(1, items, size=n), rng.integers(judges, size=n)
    j = (i + j) % items
    won = rng.random(n) < 1 / (1 + np.exp(seen[who, j] - seen[who, i]))
    return scores, Comparisons.of(np.where(won, i, j), np.where(won, j, i), who, n_items=items, n_workers=judges)


def belief_of(told):
    return FullPosterior.prior(told.n_items, told.n_workers).after(told)


def bare(told, precision, shift, spread=1.5):
    """The arrays that tastes look at."""
    rows = np.zeros((6, len(told)), dtype=np.int64)
    rows[:3] = np.array(told).T
    items, judges = rows[:2].max() + 1, rows[2].max() + 1
    none = np.zeros(0)
    factors = np.stack([precision, shift, np.full(len(told), 0.5)])
    nodes = np.zeros((judges, 3))
    return Joint(rows, factors, np.zeros(items), np.eye(items), none, nodes, none, none, none, none, none,
                 np.array([spread, 0.0]), none, none)  # fmt: skip


@pytest.mark.parametrize("var", [0.0, 0.3, 2.0])
def test_evidence_and_covariance_are_those_of_dense_normals(var):
    """y = A s + B t + noise, all normal: log-density of y and covariance of s, written out."""
    rng = np.random.default_rng(2)
    told = [(*rng.choice(5, 2, replace=False), rng.integers(3)) for _ in range(30)]
    precision = rng.uniform(0.05, 0.4, 30)
    gaps = rng.normal(0, 2, 30)
    at = bare(told, precision, precision * gaps)
    judges = (0, 1)  # the third gave few
    others = said(at, ~np.isin(at.told[2], judges))
    others.precision[np.diag_indices(5)] += 1 / at.spread[0]
    parts = [parted(said(at, at.told[2] == judge)) for judge in judges]
    evidence, cov = with_tastes(var, others, parts)

    design = np.zeros((30, 5 + 10))
    for row, (i, j, judge) in enumerate(told):
        design[row, [i, j]] = 1, -1
        if judge in judges:
            design[row, [5 + 5 * judge + i, 5 + 5 * judge + j]] = 1, -1
    before = np.diag([at.spread[0]] * 5 + [var] * 10)
    noisy = design @ before @ design.T + np.diag(1 / precision)
    gain = before @ design.T @ np.linalg.inv(noisy)
    assert cov == pytest.approx((before - gain @ design @ before)[:5, :5], abs=1e-10)

    def log_density(var):
        before = np.diag([at.spread[0]] * 5 + [var] * 10)
        noisy = design @ before @ design.T + np.diag(1 / precision)
        return -0.5 * (gaps @ np.linalg.solve(noisy, gaps) + np.linalg.slogdet(noisy)[1])

    without, _ = with_tastes(0.0, others, parts)
    assert evidence - without == pytest.approx(log_density(var) - log_density(0.0), abs=1e-9)
    slope = (log_density(1e-5) - log_density(0.0)) / 1e-5
    assert np.sign(hint(others, [said(at, at.told[2] == judge) for judge in judges])) == np.sign(slope)


def test_the_hint_is_of_the_size_of_chance_where_there_are_no_tastes():
    """Factors as they are with normal noise: slopes of 400 worlds are 0 on average, and about 1 apart."""
    rng, found = np.random.default_rng(5), []
    told = [(*rng.choice(12, 2, replace=False), rng.integers(3)) for _ in range(150)]
    precision = rng.uniform(0.1, 0.3, 150)
    rows = np.array(told)
    for _ in range(400):
        scores = rng.normal(0, np.sqrt(1.5), 12)
        gaps = scores[rows[:, 0]] - scores[rows[:, 1]] + rng.normal(size=150) / np.sqrt(precision)
        at = bare(told, precision, precision * gaps)
        others = said(at, np.zeros(150, dtype=np.bool_))
        others.precision[np.diag_indices(12)] += 1 / 1.5
        found.append(hint(others, [said(at, rows[:, 2] == judge) for judge in range(3)]))
    assert abs(np.mean(found)) < 4 * np.std(found) / 20
    assert 0.8 < np.std(found) < 1.3


def naive(at):
    """All of the grid, whatever the first look at it says."""
    asked = np.bincount(at.told[2][at.told[2] >= 0], minlength=len(at.nodes))
    judges = np.flatnonzero((asked > 0.1 * at.told.shape[1]) & (asked >= 10))
    others = said(at, ~np.isin(at.told[2], judges))
    others.precision[np.diag_indices(at.mean.size)] += 1 / at.spread[0]
    parts = [parted(said(at, at.told[2] == judge)) for judge in judges]
    plain, *found = [with_tastes(var, others, parts) for var in (0.0, *GRID)]
    likeliest, cov = max(found, key=lambda one: one[0])
    return likeliest - plain[0], cov - plain[1]


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("taste", [0.0, 0.3, 1.0])
def test_the_first_look_passes_over_nothing_that_all_of_the_grid_would_find(seed, taste):
    at = belief_of(answers(20, 3, 20, taste, seed)[1]).joint()
    evidence, more = naive(at)
    found = taste_cov(at)
    assert (found is not None) == (evidence >= SURE)
    if found is not None:
        assert found == pytest.approx(more, abs=1e-12)
        assert np.linalg.eigvalsh(found).min() > -1e-9  # nothing is surer with tastes


def test_judges_without_tastes_change_nothing_to_the_last_bit():
    for seed in range(12):
        at = belief_of(answers(25, 3, 12, 0.0, seed)[1]).joint()
        assert taste_cov(at) is None
        assert np.array_equal(claimed_cov(at), _without_tastes(at))


def test_where_nobody_gave_many_or_nobody_is_named_there_is_nothing_to_find():
    _, told = answers(20, 3, 30, 1.0, 1)
    assert taste_cov(belief_of(told).joint()) is not None
    many = Comparisons.of(told.winners, told.losers, np.arange(len(told)) % 60, n_items=20, n_workers=60)
    assert taste_cov(belief_of(many).joint()) is None
    nobody = Comparisons.of(told.winners, told.losers, n_items=20)
    assert taste_cov(FullPosterior.prior(20).after(nobody).joint()) is None
    assert taste_cov(FullPosterior.prior(20, 2).joint()) is None


def test_one_judge_alone_has_no_taste_that_could_be_seen():
    for seed in range(4):
        assert taste_cov(belief_of(answers(20, 1, 40, 1.0, seed)[1]).joint()) is None


def test_items_and_judges_may_be_numbered_anyhow():
    _, told = answers(15, 3, 90, 1.5, 4)
    at = belief_of(told).joint()
    order, who = np.random.default_rng(0).permutation(15), np.array([2, 0, 1])
    turned = at._replace(told=np.vstack([order[at.told[:2]], who[at.told[2]][None], at.told[3:]]))
    assert taste_cov(turned)[np.ix_(order, order)] == pytest.approx(taste_cov(at), abs=1e-9)


def test_claims_about_judges_with_tastes_come_near_to_what_is_right():
    """Three judges, 30 items, 60 answers an item, taste variance 1: what they were too sure by is more than halved."""
    claimed, before, right = [], [], []
    for seed in range(10):
        scores, told = answers(30, 3, 60, 1.0, 100 + seed)
        belief = belief_of(told)
        rows, columns = np.triu_indices(30, 1)
        order = np.sign(belief.mean[rows] - belief.mean[columns])
        right.append((order == np.sign(scores[rows] - scores[columns])).mean())
        claimed.append(belief.expected_accuracy())
        before.append(mean_certainty(belief.mean, _without_tastes(belief.joint())))
    right, claimed, before = map(np.mean, (right, claimed, before))
    assert before - right > 0.06
    assert abs(claimed - right) < 0.5 * (before - right)
