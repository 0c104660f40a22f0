"""The look-ahead against a naive twin that integrates over the answer and sums over all pairs."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate
from scipy.special import expit
from scipy.stats import norm

from nextpair.core.akg import akg_scores
from nextpair.core.belief import Belief
from nextpair.core.candidates import Candidates
from nextpair.core.full_posterior import FullPosterior
from nextpair.core.kernels.ahead import FOCUS, gains
from nextpair.core.look_ahead import EXPLORE, Ahead, accuracy, choose, look_ahead, question_gains


@pytest.fixture(scope="module")
def belief():
    rng = np.random.default_rng(4)
    i = rng.integers(0, 5, 25)
    j = (i + rng.integers(1, 5, 25)) % 5
    return FullPosterior.prior(5, 3).fold(i, j, rng.integers(-1, 3, 25))


def explained_share(mean, var, p):
    """Of the variance of a gap ~ N(mean, var), the share that an answer of a worker of reliability p explains."""
    sd = np.sqrt(var)
    moment = lambda f: integrate.quad(lambda d: f(d) * norm.pdf(d, mean, sd), mean - 12 * sd, mean + 12 * sd)[0]  # noqa: E731
    explained = 0.0
    for sign in (1, -1):
        heard = lambda d, sign=sign: p * expit(sign * d) + (1 - p) * expit(-sign * d)  # noqa: E731
        chance = moment(heard)
        explained += chance * (moment(lambda d: d * heard(d)) / chance - mean) ** 2  # noqa: B023
    return explained / var


def naive_gain(belief, i, j, p):
    mean, cov = belief.mean, belief.cov
    pairs = [(k, m) for k in range(mean.size) for m in range(k)]
    var = {(k, m): cov[k, k] + cov[m, m] - 2 * cov[k, m] for k, m in pairs}
    along = cov[i] - cov[j]
    total = 0.0
    for k, m in pairs:
        correlation = (along[k] - along[m]) / np.sqrt(var[k, m] * var[max(i, j), min(i, j)])
        total += np.exp(-FOCUS * (mean[k] - mean[m]) ** 2 / var[k, m] / 2) * correlation**2
    share = explained_share(mean[i] - mean[j], var[max(i, j), min(i, j)], p)
    return share * total / len(pairs) / (2 * np.pi * np.sqrt(1 / FOCUS * (1 - 1 / FOCUS)))


@pytest.mark.parametrize("p", [1.0, 0.8, 0.3])
def test_the_gain_is_the_explained_share_of_every_gap(belief, p):
    chance, worth = look_ahead(belief.mean, belief.cov)
    rows, columns = np.triu_indices(5, 1)
    nobody, one = np.full(rows.size, -1), np.ones(1)
    found = gains(nobody, rows, columns, chance, worth, p * one, (2 * p - 1) ** 2 * one)
    expected = [naive_gain(belief, i, j, p) for i, j in zip(rows, columns, strict=True)]
    assert found == pytest.approx(expected, rel=1e-3)


def test_the_best_question_is_chosen_per_unit_of_cost(belief):
    workers = (0, 1, 2)
    pairs = [(i, j) for j in range(5) for i in range(j)]
    reliable = {pair: naive_gain(belief, *pair, 1.0) for pair in pairs}
    best = choose(belief, Candidates(5, workers), np.random.default_rng(0))[0]
    expected = max(naive_value(belief, *pair, w, reliable) for w in workers for pair in pairs)
    assert best.score == pytest.approx(expected, rel=1e-3)
    dear = choose(belief, Candidates(5, workers, costs={best.worker: 100.0}), np.random.default_rng(0))[0]
    assert dear.worker != best.worker
    alike = choose(belief, Candidates(5), np.random.default_rng(0))[0]
    assert (alike.pair, alike.worker) == (max(reliable, key=reliable.get), None)
    assert alike.score == pytest.approx(max(reliable.values()), rel=1e-3)


def naive_value(belief, i, j, worker, reliable):
    """What the docstring of look_ahead says a question of a worker is worth; `reliable`: of one who is never wrong."""
    p, power = belief.trust(worker)
    counts = [int((belief.told[2] == w).sum()) for w in range(3)]
    less = (sum(counts) + 2) / 3 / (counts[worker] + 1)
    gap, var = belief.mean[i] - belief.mean[j], belief.cov[i, i] + belief.cov[j, j] - 2 * belief.cov[i, j]
    sd = np.sqrt(var)
    chance = integrate.quad(lambda d: expit(d) * norm.pdf(d, gap, sd), gap - 12 * sd, gap + 12 * sd)[0]
    up = p * chance + (1 - p) * (1 - chance)
    items = reliable[i, j] * chance * (1 - chance) / (up * (1 - up)) * power
    return items * (1 + EXPLORE * np.sqrt(less))


def test_a_batch_spreads_over_workers():
    batch = choose(FullPosterior.prior(6, 3), Candidates(6, (0, 1, 2)), np.random.default_rng(1), 3)
    assert {choice.worker for choice in batch} == {0, 1, 2}


def test_a_batch_knows_of_its_own_questions():
    """Nothing is known of 6 items: a batch of 3 touches each item once, although all pairs are equal at first."""
    batch = choose(FullPosterior.prior(6), Candidates(6), np.random.default_rng(1), 3)
    assert sorted(k for choice in batch for k in choice.pair) == [0, 1, 2, 3, 4, 5]


def test_what_is_expected_of_an_answer_is_what_it_does_on_average(belief):
    question = choose(belief, Candidates(5), np.random.default_rng(0))[0]
    i, j = question.pair
    gap, side = belief.mean[i] - belief.mean[j], np.array([1.0, -1.0])
    sd = np.sqrt(side @ belief.cov[np.ix_([i, j], [i, j])] @ side)
    up = integrate.quad(lambda d: expit(d) * norm.pdf(d, gap, sd), -30, 30)[0]
    after = up * belief.update(i, j).cov + (1 - up) * belief.update(j, i).cov
    ahead = Ahead.of(belief, [(i, j, None)])
    assert ahead.cov == pytest.approx(after, abs=0.03)  # the updates also refit


@pytest.mark.parametrize("worker", [None, 0, 2])
def test_a_question_in_flight_narrows_every_gap_by_the_share_that_its_answer_explains(belief, worker):
    """Two at once, the second in view of the first; a worker counts by E[(2 rho - 1)^2]."""
    p, power = belief.trust(worker)
    cov = belief.cov
    for i, j in ((3, 1), (0, 3)):
        along = cov[i] - cov[j]
        var = along[i] - along[j]
        share = explained_share(belief.mean[i] - belief.mean[j], var, p) * power / (2 * p - 1) ** 2
        cov = cov - share / var * np.outer(along, along)
    ahead = Ahead.of(belief, [(3, 1, worker), (0, 3, worker)])
    assert ahead.cov == pytest.approx(cov, rel=1e-3, abs=1e-5)
    more = np.zeros(3) if worker is None else 2 * (np.arange(3) == worker)
    assert ahead.asked.tolist() == (belief.answers_by_worker() + more).tolist()


def test_what_a_gap_is_worth_is_the_slope_of_the_chance_to_order_it_rightly():
    """Against the exact chance of a right order after answers that explain a share of the variance."""
    m, v, phi, step = 0.7, 1.9, 1 / FOCUS, 1e-4

    def right(explained):
        sd = np.sqrt(explained)
        sure = lambda x: norm.cdf(abs(x) / np.sqrt(v - explained)) * norm.pdf(x, m, sd)  # noqa: E731
        return integrate.quad(sure, -9, 0)[0] + integrate.quad(sure, 0, 9)[0]

    slope = (right((phi + step) * v) - right((phi - step) * v)) / (2 * step)
    assert accuracy(FOCUS) * np.exp(-FOCUS * m**2 / v / 2) == pytest.approx(slope, rel=1e-4)


def test_questions_in_flight_count_like_those_of_the_batch(belief):
    rng = np.random.default_rng(0)
    batch = choose(belief, Candidates(5, (0, 1, 2)), rng, 3)
    rest = choose(
        belief,
        Candidates(5, (0, 1, 2), forbidden={batch[0].pair}, in_flight=((*batch[0].pair, batch[0].worker),)),
        rng,
        2,
    )
    assert rest == batch[1:]
    alone = choose(belief, Candidates(5, (0, 1, 2), forbidden={batch[0].pair}), rng, 1)
    assert alone[0].score != pytest.approx(rest[0].score, rel=1e-3)


@pytest.mark.parametrize("worker", [None, 1])
def test_gains_of_all_pairs_are_what_choose_compares(belief, worker):
    table = question_gains(belief, worker)
    best = choose(belief, Candidates(5, None if worker is None else (worker,)), np.random.default_rng(0))[0]
    assert np.nanmax(table) == table[best.pair] == best.score
    assert np.isnan(np.diag(table)).all()
    assert np.array_equal(table, table.T, equal_nan=True)
    later = question_gains(belief, worker, [(*best.pair, worker)])
    assert later[best.pair] < best.score


def test_gains_where_nobody_in_particular_is_asked_are_those_of_who_is_always_right(belief):
    """Of every pair: of one that is open both ways, which `choose` takes, no reliability changes how likely it is."""
    table = question_gains(belief, None)
    for i, j in itertools.combinations(range(5), 2):
        assert table[i, j] == pytest.approx(naive_gain(belief, i, j, 1.0), rel=1e-3)


def test_nothing_to_ask(belief):
    assert choose(belief, Candidates(5, workers=()), np.random.default_rng(0), 2) == []


@given(st.integers(0, 10_000), st.integers(0, 120), st.booleans())
@settings(max_examples=25)
def test_pairs_are_passed_over_only_if_they_cannot_be_the_best(seed, answers, costly):
    """45 items, four workers who have seen much of it: the choice against the largest of all gains per unit of cost."""
    rng = np.random.default_rng(seed)
    i = rng.integers(0, 45, answers)
    j = (i + rng.integers(1, 45, answers)) % 45
    belief = FullPosterior.prior(45, 4).fold(i, j, rng.integers(0, 4, answers))
    costs = {w: float(rng.uniform(0.5, 2)) for w in range(4)} if costly else {}
    seen = {w: set(zip(*np.sort(rng.choice(45, (2, 400)), axis=0).tolist(), strict=True)) for w in range(2)}
    forbidden = frozenset(pair for pair in itertools.combinations(range(45), 2) if rng.random() < 0.3)
    candidates = Candidates(45, (0, 1, 2, 3), costs, seen, forbidden)
    found = choose(belief, candidates, rng, 2)
    gains = {w: question_gains(belief, w) / candidates.cost(w) for w in range(4)}
    asked = [(a, b, w) for w in gains for a, b in itertools.combinations(range(45), 2) if candidates.allows(a, b, w)]
    assert (found[0].i, found[0].j, found[0].worker) in asked
    assert found[0].score == pytest.approx(max(gains[w][a, b] for a, b, w in asked), rel=1e-9)
    assert found[1].pair != found[0].pair


def test_the_ceiling_is_above_every_gain(belief):
    candidates = Candidates(belief.n_items, tuple(range(belief.n_workers)), {0: 0.7})
    worth = Ahead.of(belief, ()).value()
    ceiling = worth.ceiling(candidates)
    for w in range(belief.n_workers):
        upper = np.triu_indices(belief.n_items, 1)
        assert np.all(question_gains(belief, w)[upper] / candidates.cost(w) <= ceiling[upper])
    assert worth.ceiling(Candidates(belief.n_items, (0,))) is None
    alike = FullPosterior.prior(5, 2).fold([0, 0, 1, 0, 0], [1, 2, 2, 3, 4])  # of workers alike it is the gain itself
    found = Ahead.of(alike, ()).value().ceiling(Candidates(5, (0, 1)))[np.triu_indices(5, 1)]
    assert found == pytest.approx(question_gains(alike, 0)[np.triu_indices(5, 1)], rel=1e-8)
    assert worth.ceiling(Candidates(belief.n_items)) is None


@given(st.integers(0, 10_000), st.integers(0, 60))
@settings(max_examples=25)
def test_turning_every_answer_round_turns_the_ranking_and_nothing_else(seed, answers):
    rng = np.random.default_rng(seed)
    first = rng.integers(0, 6, answers)
    second = (first + rng.integers(1, 6, answers)) % 6
    workers, ties = rng.integers(-1, 3, answers), rng.random(answers) < 0.1
    one = FullPosterior.prior(6, 3).fold(first, second, workers, ties)
    other = FullPosterior.prior(6, 3).fold(second, first, workers, ties)
    assert other.mean == pytest.approx(-one.mean, abs=1e-9)
    assert other.cov == pytest.approx(one.cov, abs=1e-9)
    assert other.reliability == pytest.approx(one.reliability, abs=1e-9)
    for worker in (None, 0):  # so whether people are asked for the better or the worse, they are asked the same
        assert question_gains(other, worker) == pytest.approx(question_gains(one, worker), rel=1e-7, nan_ok=True)


def test_akg_asks_about_who_lost_whichever_way_round():
    told = np.array([0, 0, 1, 3]), np.array([1, 2, 2, 4])
    for winners, losers in (told, told[::-1]):
        scores = akg_scores(Belief.prior(5).fold(winners, losers))
        asked = np.unravel_index(np.nanargmax(scores), scores.shape)
        assert set(asked) == set(losers) - set(winners)
