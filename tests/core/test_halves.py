"""Who gave many answers is judged by halves or in turn: judges are told apart, and no guesser vouches for himself."""

import numpy as np
import pytest
from scipy.special import expit
from scipy.stats import norm

from nextpair.core.comparisons import Comparisons
from nextpair.core.full_posterior import FullPosterior
from nextpair.core.kernels.answer import match
from nextpair.core.kernels.halves import halves
from nextpair.core.kernels.vouch import HEAVY, HEAVY_LEAST, NEARLY_ALL, judge_by_others
from nextpair.core.policies import find_policy
from nextpair.core.settling import SETTLED
from nextpair.lab.play import play
from nextpair.lab.worlds import Simulated, World


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
    precision, shift, found, first = belief.factors
    assert (first == found).all()  # none of them came first
    for t in np.r_[np.flatnonzero(half == 0)[:6], np.flatnonzero(half == 1)[:6], np.flatnonzero(half < 0)[:6]]:
        others = half != half[t] if half[t] >= 0 else np.arange(240) != t
        cov = np.linalg.inv(np.eye(8) / belief.spread[0] + (gaps[others].T * precision[others]) @ gaps[others])
        mean, sd = gaps[t] @ cov @ (shift[others] @ gaps[others]), np.sqrt(gaps[t] @ cov @ gaps[t])
        x = np.linspace(-9, 9, 901)
        assert found[t] == pytest.approx((expit(mean + sd * x) * norm.pdf(x)).sum() * 0.02, abs=1e-4)


def mostly_of_one(seed, ties, n=120, items=7):
    """Answers to random pairs, nearly all of them of worker 0, this share ties; and what they are found to say."""
    rng = np.random.default_rng(seed)
    _, told = a_file(seed, (0.9, 0.7, 0.8), (0.94, 0.03, 0.03), answers=n, items=items)
    drawn = (rng.random(n) < ties).astype(np.int64)
    told = Comparisons.of(told.winners, told.losers, told.workers, drawn, n_items=items, n_workers=3)
    belief = FullPosterior.prior(items, 3).after(told)
    return belief, belief.to_change(belief.told)


@pytest.mark.parametrize("ties", [0.0, 0.1])
def test_who_gave_nearly_all_is_judged_by_how_likely_each_answer_was_when_it_came(ties):
    """Against beliefs of the answers before each: no later answer, and none of the worker's own, vouches for one."""
    belief, at = mostly_of_one(6, ties)
    told, n = belief.told, belief.told.shape[1]
    assert (told[2] == 0).sum() > NEARLY_ALL * n
    judge_by_others(n, at, True)
    x = np.linspace(-9, 9, 1801)
    before = FullPosterior.prior(belief.n_items, 3)
    for t, (i, j, w, tie, _, _) in enumerate(told.T):
        gap, var = before.mean[i] - before.mean[j], before.cov[i, i] + before.cov[j, j] - 2 * before.cov[i, j]
        if w == 0 and not before.rates[1] and not tie:
            assert at.factors[2, t] == pytest.approx(
                (expit(gap + np.sqrt(var) * x) * norm.pdf(x)).sum() * 0.01, abs=1e-4
            )
        if w == 0:
            one = match(gap, var, before.trust(0)[0], tie, before.rates[1], 0.0)
            assert at.factors[2, t] == pytest.approx(one.chance, abs=1e-12)
        before = before.update(int(i), int(j), int(w), tie=bool(tie))


def test_what_was_not_asked_for_is_judged_by_halves_whoever_gave_it():
    belief, at = mostly_of_one(7, 0.1)
    again = belief.to_change(belief.told)
    judge_by_others(belief.told.shape[1], at, False)
    judge_by_others(belief.told.shape[1], again, True)
    mine = belief.told[2] == 0
    assert (at.factors[2, mine] != again.factors[2, mine]).any()
    assert (at.factors[2, ~mine] == again.factors[2, ~mine]).all()


def in_a_campaign_alone(reliability, answers, seeds, spread=1.28, items=16):
    """(accuracy, claimed, reliability) on average, of campaigns with one judge."""
    found = []
    for seed in range(seeds):
        rng = np.random.default_rng([seed, 9])
        world = World(np.exp(rng.normal(0, spread, items)), np.array([reliability]), int(rng.integers(1 << 60)))
        played = play(find_policy("full-posterior"), Simulated(world), answers, np.random.default_rng(seed))
        belief = played.belief
        found.append((played.accuracy[-1], belief.expected_accuracy(), belief.reliability[0]))
    return np.mean(found, axis=0)


def test_a_careful_judge_who_is_alone_does_not_look_careless():
    """Pairs are asked for because both halves leave them open; judged by halves, they seem to contradict each other."""
    accuracy, claimed, reliability = in_a_campaign_alone(0.97, 80, 12)
    assert reliability > 0.77  # by halves 0.70
    assert abs(accuracy - claimed) < 0.08
    _, _, sure = in_a_campaign_alone(1.0, 80, 12, spread=3.0)
    assert sure > 0.85


@pytest.mark.parametrize(
    ("shares", "in_turn"),
    [((0.5, 0.5), {0, 1}), ((0.46, 0.46, 0.08), {0, 1}), ((0.34, 0.33, 0.33), set()), ((0.7, 0.15, 0.15), set())],
)
def test_one_judge_or_two_who_gave_nearly_all_are_judged_in_turn(shares, in_turn):
    _, told = a_file(8, np.full(len(shares), 0.8), shares, answers=200, items=7)
    belief = FullPosterior.prior(7, len(shares)).after(told)
    at = belief.to_change(belief.told)
    judge_by_others(200, at, True)
    as_at_first = [(at.factors[2, at.told[2] == w] == at.factors[3, at.told[2] == w]).all() for w in range(len(shares))]
    assert set(np.flatnonzero(as_at_first)) == in_turn


def test_a_guesser_who_is_alone_is_believed_less_and_less():
    few, many = (in_a_campaign_alone(0.5, answers, 6)[2] for answers in (40, 120))
    assert many < few - 0.03
