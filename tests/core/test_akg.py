"""The fast scores against [CJL] transcribed literally, and the choice against all scores."""

import literal
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nextpair.core.akg import akg_scores, choose
from nextpair.core.belief import Belief
from nextpair.core.candidates import Candidates
from nextpair.core.full_posterior import FullPosterior
from nextpair.core.kernels import grid
from nextpair.core.kernels.scorer import Scorer
from nextpair.errors import InvalidSetting

FLOOR = 1e-13  # what summing tails in double precision costs the transcription itself where alphas are in the thousands


def trajectory(n_items, n_answers, seed, n_workers=0):
    rng = np.random.default_rng(seed)
    theta = rng.standard_exponential(n_items)
    i = rng.integers(n_items, size=n_answers)
    j = (i + rng.integers(1, n_items, size=n_answers)) % n_items
    wins = rng.random(n_answers) < theta[i] / (theta[i] + theta[j])
    belief = Belief.prior(n_items).fold(np.where(wins, i, j), np.where(wins, j, i))
    return Belief(belief.alpha, rng.uniform(1, 9, n_workers), rng.uniform(0.5, 4, n_workers))


def assert_same(alpha, p, floor=FLOOR):
    got = akg_scores(Belief(alpha, [p], [1 - p]), 0)
    want = literal.scores(alpha, p, 1 - p)
    largest = np.nanmax(np.abs(want))
    np.testing.assert_allclose(got, want, rtol=0, atol=1e-9 * largest + floor)


reliability = st.sampled_from([0.0, 0.5, 1.0, 0.8, 0.3])


@settings(max_examples=40)
@given(st.lists(st.floats(-8, 6), min_size=2, max_size=4), reliability)
def test_scores_of_few_items_are_the_transcription(logs, p):
    assert_same(10.0 ** np.array(logs), p)


@settings(max_examples=12)
@given(st.lists(st.floats(-8, 3.5), min_size=4, max_size=14), reliability)
def test_scores_from_tables_are_the_transcription(logs, p):
    alpha = 10.0 ** np.resize(np.array(logs), 13)  # repeats: equal alphas
    rounding = 4 * np.finfo(float).eps * alpha.max()  # all that p = 1/2 scores; of 6,000 random cases 1.7 was the worst
    assert_same(alpha, p, max(FLOOR, rounding))


def test_few_different_alphas_are_scored_once_for_each_two():
    assert_same(np.repeat([0.3, 1.0, 4.0, 2.0], [3, 5, 1, 4])[[5, 0, 12, 3, 8, 1, 7, 2, 11, 4, 10, 6, 9]], 0.8)


@pytest.mark.parametrize("answers", [0, 16, 48, 160])
@pytest.mark.parametrize("p", [1.0, 0.7])
def test_scores_along_a_trajectory_are_the_transcription(answers, p):
    assert_same(trajectory(16, answers, 5).alpha, p)


def test_alphas_beyond_the_table_are_summed_directly():
    assert grid.grid_up_to(1e6) is None
    assert_same(np.append(np.linspace(9e5, 1e6, 6), np.ones(7)), 1.0)


@pytest.mark.parametrize("p", [0.0, 0.3, 1.0])
def test_one_item_with_nearly_all_the_mass(p):
    """Its panel is narrow and the factor s is not: a polynomial left its panel here, and was wrong by 3e-6."""
    assert_same(np.append(np.ones(12), 1000.0), p)
    assert_same(10.0 ** np.array([3.0, -4, -1, -1, -5, -1, -6, -4, -5, -1, 0, -4, -2, -4]), p)


def test_the_widest_band_of_s():
    """It asked for nine coefficients where there is room for eight, and wrote beyond the end."""
    logs = [0.581, -3.258, -7.147, -5.256, -0.29, -5.744, -5.371, -4.592, -1.656, 0.403, -5.196, -1.745, -2.376, -3.147]
    assert_same(10.0 ** np.array([*logs, -1.918]), 0.3)


def test_the_table_grows():
    assert_same(np.linspace(100.0, 900.0, 13), 0.9)


@pytest.mark.parametrize("largest", [126.0, 127.99])
def test_alphas_at_the_top_of_the_table(monkeypatch, largest):
    """Just below the top of the first table: what an answer makes of the largest alphas lies beyond it."""
    monkeypatch.setattr(grid, "_current", [])
    assert_same(np.linspace(60.0, largest, 13), 1.0)


def test_vanished_pairs_score_nothing_and_the_diagonal_is_nan():
    alpha = np.ones(14)
    alpha[:2] = 1e-60
    scores = akg_scores(Belief(alpha, [], []))
    assert scores[0, 1] == scores[1, 0] == 0.0
    assert np.isnan(np.diag(scores)).all()
    assert np.isfinite(scores[~np.eye(14, dtype=bool)]).all()


def test_expected_accuracy_is_the_transcription():
    for alpha in (trajectory(100, 300, 1).alpha, np.array([0.5, 2.0, 3.0])):
        assert Belief(alpha, [], []).expected_accuracy() == pytest.approx(literal.accuracy(alpha), rel=1e-12)


def best_by_all_scores(belief, candidates):
    best = -np.inf
    for worker in candidates.askable():
        allowed = candidates.open_pairs(worker)
        if candidates.listed is not None:
            listed = np.zeros_like(allowed)
            for i, j, w in candidates.listed:
                listed[i, j] |= (None if w < 0 else w) == worker
            allowed &= listed | listed.T
        scores = akg_scores(belief, worker) / candidates.cost(worker)
        best = max(best, np.where(allowed, scores, -np.inf).max())
    return best


def some_candidates(rng, n_items, n_workers):
    pairs = [(i, j) for i in range(n_items) for j in range(i + 1, n_items)]

    def some(size):
        return {pairs[k] for k in rng.integers(len(pairs), size=size)}

    rules = {"seen": {w: some(rng.integers(0, 2 * len(pairs))) for w in range(n_workers)}}
    if rng.random() < 0.4:
        rules["costs"] = {w: float(rng.choice([0.5, 1, 2])) for w in range(n_workers)}
    if rng.random() < 0.3:
        rules["needy"] = rng.random(n_items) < 0.4
    if rng.random() < 0.3:
        rules["forbidden"] = some(len(pairs) // 2)
    if rng.random() < 0.3:
        rules["listed"] = np.array([(*sorted(some(1)).pop(), int(rng.integers(n_workers))) for _ in range(20)])
    return Candidates(n_items, tuple(range(n_workers)), **rules)


@pytest.mark.parametrize("seed", range(40))
def test_the_choice_is_the_best_of_all_scores(seed):
    rng = np.random.default_rng(seed)
    n_items, n_workers = int(rng.integers(2, 20)), int(rng.integers(1, 7))
    belief = trajectory(n_items, int(rng.integers(0, 8)) * n_items, seed, n_workers)
    candidates = some_candidates(rng, n_items, n_workers)
    want = best_by_all_scores(belief, candidates)
    got = choose(belief, candidates, rng, 3)
    assert bool(got) == (want > -np.inf)
    assert len({choice.pair for choice in got}) == len(got)
    for choice in got:
        assert choice.i < choice.j
        assert candidates.allows(choice.i, choice.j, choice.worker)
        assert choice.score <= want + 1e-9 * abs(want) + FLOOR
    if got:
        assert got[0].score == pytest.approx(want, rel=1e-9, abs=FLOOR)


@pytest.mark.parametrize("answers", [0, 1, 3, 10])
def test_weaker_workers_are_not_overlooked(answers):
    """More questions than are all scored; the strongest worker has seen the pairs that are best for them."""
    belief = trajectory(45, answers * 45, answers, 30)
    strongest = int(np.argmax(np.abs(belief.reliability - 0.5)))
    rng = np.random.default_rng(0)
    seen = {strongest: {c.pair for c in choose(belief, Candidates(45, (strongest,)), rng, 40)}}
    for costs in ({}, {w: 1.0 + 0.02 * w for w in range(30)}):
        candidates = Candidates(45, tuple(range(30)), seen=seen, costs=costs)
        want = best_by_all_scores(belief, candidates)
        assert choose(belief, candidates, rng)[0].score == pytest.approx(want, rel=1e-9)


@pytest.mark.parametrize(
    ("n_items", "reliability", "costs"),
    [
        (12, (0.9, 0.7), {0: 9.0}),  # the second class is the last one
        (200, (0.9, 0.88), {1: 0.9}),  # the weaker is worth 1 % more: what bounds say of it is hardly more than that
        (12, (0.6, 0.1), {}),  # who is nearly always wrong tells more than who is often right
        (60, (0.3, 0.6, 0.05), {2: 1.5}),
    ],
)
def test_whoever_tells_most_for_their_price_is_asked(n_items, reliability, costs):
    alpha = np.random.default_rng(3).gamma(1.5, 1.0, n_items)
    belief = Belief(alpha, np.array(reliability), 1 - np.array(reliability))
    candidates = Candidates(n_items, tuple(range(len(reliability))), costs)
    (choice,) = choose(belief, candidates, np.random.default_rng(0))
    assert choice.worker == len(reliability) - 1
    assert choice.score == pytest.approx(best_by_all_scores(belief, candidates), rel=1e-9)


def test_equal_questions_are_drawn_from_at_random():
    belief = Belief.prior(20, 3)
    rng = np.random.default_rng(1)
    drawn = [choose(belief, Candidates(20, (0, 1, 2)), rng)[0] for _ in range(60)]
    assert len({choice.pair for choice in drawn}) > 30
    assert {choice.worker for choice in drawn} == {0, 1, 2}


def test_the_only_question_left_among_many_equal_ones_is_found():
    pairs = {(i, j) for i in range(40) for j in range(i + 1, 40)}
    choice = choose(Belief.prior(40), Candidates(40, forbidden=pairs - {(3, 7)}), np.random.default_rng(0), 2)
    assert [c.pair for c in choice] == [(3, 7)]


def test_nobody_to_ask_is_nothing_to_ask():
    assert choose(Belief.prior(5, 1), Candidates(5, ()), np.random.default_rng(0)) == []


def test_many_items_take_the_parallel_path_to_the_same_scores():
    belief = trajectory(320, 600, 2)
    scorer = Scorer(belief.alpha)
    i, j = np.triu_indices(320, 1)
    group = scorer.groups.of_item
    scores = scorer.some(group[i], group[j], np.ones(i.size))
    np.testing.assert_allclose(scores, scorer.square(1.0)[i, j], rtol=1e-9, atol=1e-18)
    few = np.arange(0, i.size, 997)
    np.testing.assert_allclose(scores[few], scorer.some(group[i[few]], group[j[few]], np.ones(few.size)), rtol=1e-9)


def test_scores_are_of_the_papers_belief():
    with pytest.raises(InvalidSetting, match=r"of a Belief, not of FullPosterior.*: .* under the policy akg"):
        akg_scores(FullPosterior.prior(3))
    assert np.isfinite(akg_scores(Belief.prior(3, 2), True)[0, 1])  # a number to Python; to numpy it was a mask


@pytest.mark.parametrize("worker", [2, -1, "ann", 0.5, [0]])
def test_scores_are_of_a_worker_who_is_there(worker):
    """-1 was the last of them, and 2 an IndexError."""
    with pytest.raises(InvalidSetting, match="no worker|workers (are whole|must be one)"):
        akg_scores(Belief.prior(3, 2), worker)
