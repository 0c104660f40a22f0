"""Who favours a side: the model by integration, leans that are known, and crowds that favour none."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate
from scipy.special import expit
from scipy.stats import beta, norm

from nextpair.core.belief import Belief
from nextpair.core.centrality import CentralityBelief
from nextpair.core.comparisons import Comparisons
from nextpair.core.crowds import STRAY, hypotheses
from nextpair.core.full_posterior import FullPosterior
from nextpair.core.kernels.answer import match
from nextpair.core.kernels.davidson import EASED, FEW
from nextpair.core.kernels.lean import CHANCE, FAR, MOST, WIDEST, learn_leans
from nextpair.core.kernels.spread import PRIOR_VAR
from nextpair.core.settling import SETTLED
from nextpair.errors import InvalidSetting

KNOWN = np.array([0.0, 1.0, -1.5])


def davidson(x, rate):
    """P(first), P(second) and P(tie)."""
    z = 2 * np.cosh(x / 2) + rate
    return np.exp(x / 2) / z, np.exp(-x / 2) / z, rate / z


def expect(function, mean, var):
    return integrate.quad(lambda d: function(d) * norm.pdf(d, mean, np.sqrt(var)), mean - 25, mean + 25, limit=200)[0]


def a_world(seed, leans, answers, *, items=15, reliability=0.95, rate=0.0):
    """(log-scores, answers) of workers who lean so and call ties at this rate."""
    rng = np.random.default_rng(seed)
    scores = rng.normal(0, 1.28, items)
    left = rng.integers(items, size=answers)
    right = (left + rng.integers(1, items, size=answers)) % items
    who = rng.integers(len(leans), size=answers)
    gap = np.where(rng.random(answers) < reliability, 1, -1) * (scores[left] - scores[right]) + np.asarray(leans)[who]
    says = (rng.random(answers) > np.cumsum(davidson(gap, rate), axis=0)[:2]).sum(axis=0)
    winners, losers = np.where(says == 1, (right, left), (left, right))
    sides = np.where(says == 1, -1, 1)
    crowd = {"n_items": items, "n_workers": len(leans)}
    return scores - scores.mean(), Comparisons.of(winners, losers, who, says == 2, sides, **crowd)


def crowd_densities(rho, mu, nu):
    """(likely, densities): every hypothesis about a crowd and the density of a worker's rho under it."""
    betas, likely = hypotheses(mu, nu)
    declared = beta.pdf(rho, mu, nu)
    return likely, np.array([declared, *((1 - STRAY) * beta.pdf(rho, a, b) + STRAY * declared for a, b in betas[1:])])


def without_sides(told):
    return replace(told, sides=0 * told.sides)


@pytest.mark.parametrize("lean", [0.8, -2.0])
@pytest.mark.parametrize("p", [1.0, 0.8, 0.5, 0.1])
@pytest.mark.parametrize(("rate", "tie"), [(0.0, 0), (0.6, 0), (0.6, 1)])
def test_an_answer_is_matched_by_its_moments(p, lean, rate, tie):
    mean, var, r = 0.7, 1.3, 2 * p - 1
    turn = 1 if r >= 0 else -1
    tied, other_tied = (expect(lambda d, s=s: davidson(s * d + lean, rate)[2], mean, var) for s in (turn, -turn))
    first, other = (expect(lambda d, s=s: davidson(s * d + lean, rate)[0], mean, var) for s in (turn, -turn))
    first, other = first / (1 - tied), other / (1 - other_tied)

    def likelihood(d):
        straight, _, even = davidson(turn * d + lean, rate)
        if tie:  # who answers at random calls a tie as often as the pair deserves
            return abs(r) * even / tied + 1 - abs(r)
        return abs(r) * straight / (1 - tied) + (1 - abs(r)) * (first + other) / 2

    z, one, two = (expect(lambda d, k=k: likelihood(d) * d**k, mean, var) for k in range(3))
    chance, pull, bend, *_ = match(mean, var, p, tie, rate, lean)
    assert mean + var * pull == pytest.approx(one / z, abs=1e-4)
    assert var + var**2 * bend == pytest.approx(two / z - (one / z) ** 2, abs=1e-4)
    straight = (first if r >= 0 else other) / (first + other)
    assert chance == pytest.approx(0.5 if tie else straight, abs=1e-5)


@pytest.mark.parametrize("lean", [0.0, 0.8, -2.0])
@pytest.mark.parametrize("p", [1.0, 0.8, 0.5, 0.1])
def test_slopes_in_the_lean(p, lean):
    mean, var, step = 0.7, 1.3, 1e-4

    def says(x):
        """The probability that somebody says so who leans by x."""
        return expect(lambda d: p * expit(d + x) + (1 - p) * expit(-d + x), mean, var)

    *_, push, rise = match(mean, var, p, 0, 0.0, lean)
    assert rise == pytest.approx((says(lean + step) - says(lean - step)) / (2 * step), abs=1e-4)
    assert push == pytest.approx(rise / says(lean), rel=1e-4)
    *_, back, same = match(-mean, var, p, 0, 0.0, -lean)  # the other answer, of the same worker
    assert same == pytest.approx(rise, rel=1e-4)
    assert says(lean) * push**2 + (1 - says(lean)) * back**2 < rise + 1e-6  # the square that is expected


@pytest.mark.parametrize("lean", [0.8, -2.0])
@pytest.mark.parametrize("p", [1.0, 0.8, 0.5, 0.1])
def test_slopes_in_the_lean_where_ties_are_called(p, lean):
    """How often none is called is taken at the lean that is known."""
    mean, var, rate, step = 0.7, 1.3, 0.6, 1e-4
    turn, heard = (1 if p >= 0.5 else -1), abs(2 * p - 1)
    decided = {s: 1 - expect(lambda d, s=s: davidson(s * d + lean, rate)[2], mean, var) for s in (1, -1)}

    def won(x):
        first = {s: expect(lambda d, s=s: davidson(s * d + x, rate)[0], mean, var) / decided[s] for s in (1, -1)}
        return p * first[1] + (1 - p) * first[-1]

    def tied(x):
        return expect(lambda d: davidson(turn * d + x, rate)[2], mean, var)

    *_, push, rise = match(mean, var, p, 0, rate, lean)
    assert rise == pytest.approx((won(lean + step) - won(lean - step)) / (2 * step), abs=1e-4)
    assert push == pytest.approx(rise / won(lean), rel=1e-4)
    *_, push, rise = match(mean, var, p, 1, rate, lean)
    assert push == pytest.approx(heard * (tied(lean + step) - tied(lean - step)) / (2 * step) / tied(lean), abs=1e-4)
    assert rise == 0  # nothing that is expected of answers of who always says left


@given(st.floats(-4, 4), st.floats(0.05, 4), st.floats(0, 1), st.sampled_from([0.0, 0.7]), st.integers(0, 1))
def test_a_tiny_lean_is_as_good_as_none(mean, var, p, rate, tie):
    rate = max(rate, 0.1 * tie)
    assert match(mean, var, p, tie, rate, 1e-9)[:3] == pytest.approx(match(mean, var, p, tie, rate, 0.0)[:3], abs=1e-7)


@given(st.floats(-4, 4), st.floats(0.05, 4), st.floats(0, 1), st.sampled_from([0.0, 0.7]), st.floats(-3, 3))
def test_whoever_turns_answers_round_leans_all_the_same(mean, var, p, rate, lean):
    """Which is why the opposite order, with all reliabilities turned round, fits as well."""
    chance, pull, bend, push, _ = match(mean, var, p, 0, rate, lean)
    other, back, same, too, _ = match(-mean, var, 1 - p, 0, rate, lean)
    assert (chance, pull, bend, push) == pytest.approx((1 - other, -back, same, too), abs=1e-9)


@pytest.mark.parametrize("side", [1, -1])
def test_one_answer_of_who_is_known_to_lean_against_double_quadrature(side):
    """The gap of two items, of a worker who is nearly always right, and the reliability of one who may not be."""
    d, rho = np.linspace(-15, 15, 3001)[:, None], (np.arange(500) + 0.5)[None] / 500
    lean = 1.2 * side
    for mu, nu in [(200.0, 1.0), (3.0, 1.0)]:
        belief = replace(FullPosterior.prior(2, 1, reliability=(mu, nu)), leans=np.array([0.0, 1.2]))
        belief = belief.fold([0], [1], [0], sides=[side])
        likely, densities = crowd_densities(rho[0], mu, nu)
        weight = norm.pdf(d, 0, np.sqrt(2 * PRIOR_VAR)) * (likely @ densities)
        weight = weight * (rho * expit(d + lean) + (1 - rho) * expit(-d + lean))
        weight /= weight.sum()
        assert belief.reliability[0] == pytest.approx((weight * rho).sum(), abs=0.002)
        if mu == 200:
            mean = (weight * d).sum()
            assert belief.mean[0] - belief.mean[1] == pytest.approx(mean, abs=0.01)
            assert np.array([1, -1]) @ belief.cov @ [1, -1] == pytest.approx((weight * (d - mean) ** 2).sum(), abs=0.02)


@pytest.mark.parametrize("rate", [0.0, 1.0])
def test_leans_are_found(rate):
    found = np.array([FullPosterior.fit(a_world(seed, KNOWN, 900, rate=rate)[1]).leans for seed in range(8)])
    assert found[:, 1:].mean(axis=0) == pytest.approx(KNOWN, abs=0.15)
    assert found[:, 1:].std(axis=0).max() < 0.45
    assert (found[:, 0] == 0).all()  # nobody in particular gave no answer


def test_as_many_ties_are_expected_of_each_who_leans_as_were_called():
    """By quadrature, at the end of a fit: of each worker with FEW ties more at the rate of all, of all with EASED."""
    _, told = a_world(3, KNOWN, 400, rate=1.0)
    belief = FullPosterior.fit(told)
    assert np.abs(belief.leans[1:]).min() > 0
    won, lost, who, _, side, _ = belief.told
    var = belief.cov[won, won] + belief.cov[lost, lost] - 2 * belief.cov[won, lost]
    x = np.linspace(-8, 8, 801)[:, None]
    seen = belief.mean[won] - belief.mean[lost] + np.sqrt(var) * x + side * belief.leans[who + 1]
    rate = belief.rates[who + 1]
    each = np.bincount(who, (davidson(seen, rate)[2] / rate * norm.pdf(x)).sum(axis=0) * 0.02)
    called = np.bincount(who, told.ties)
    assert belief.rates[0] * (each.sum() + EASED) == pytest.approx(called.sum(), rel=1e-3)
    assert belief.rates[1:] * (each + FEW / belief.rates[0]) == pytest.approx(called + FEW, rel=1e-3)


def test_answers_of_nobody_in_particular_have_one_lean():
    found = []
    for seed in range(8):
        _, told = a_world(seed, [1.0], 600, reliability=1.0)
        found.append(FullPosterior.fit(Comparisons.of(told.winners, told.losers, sides=told.sides)).leans[0])
    assert np.mean(found) == pytest.approx(1.0, abs=0.15)


def test_claims_hold_where_judges_lean():
    """Taken for want of reliability, leans left 85 % of these intervals right instead of 91, and 89 % of pairs."""
    inside, right = [], []
    for seed in range(40):
        scores, told = a_world(seed, KNOWN, 400)
        for beliefs in (FullPosterior.fit(told), FullPosterior.fit(without_sides(told))):
            low, high = beliefs.intervals()
            inside.append(np.mean((low <= scores) & (scores <= high)))
            ordered = scores[beliefs.ranking()]
            right.append(np.mean([ordered[i] > ordered[j] for i in range(15) for j in range(i + 1, 15)]))
    with_leans, without = np.reshape(inside, (-1, 2)).mean(axis=0)
    assert with_leans > 0.88
    assert with_leans > without + 0.03
    better = np.reshape(right, (-1, 2)) @ [1, -1]
    assert better.mean() > 0.008


@pytest.mark.parametrize(("workers", "answers"), [(3, 300), (40, 2000)])
def test_a_crowd_that_favours_no_side_is_judged_as_if_sides_were_unknown(workers, answers):
    """Bit for bit, nearly always; what chance makes of the others is next to nothing."""
    told = [a_world(seed, np.zeros(workers), answers)[1] for seed in range(12)]
    leans = [FullPosterior.fit(one).leans for one in told]
    silent = [k for k, lean in enumerate(leans) if not lean.any()]
    assert len(silent) >= 9
    assert np.abs(leans).mean() < 0.02
    one = told[silent[0]]
    plain = FullPosterior.fit(without_sides(one))
    assert np.array_equal(FullPosterior.fit(one).mean, plain.mean)
    assert np.array_equal(FullPosterior.fit(one).cov, plain.cov)


def test_one_judge_among_many_people_is_found_out():
    _, few = a_world(3, np.zeros(60), 1200)
    _, many = a_world(3, [1.2], 800)
    both = [np.r_[getattr(few, name), getattr(many, name)] for name in ("winners", "losers")]
    who, sides = np.r_[few.workers, np.full(800, 60)], np.r_[few.sides, many.sides]
    belief = FullPosterior.fit(Comparisons.of(*both, who, sides=sides))
    assert belief.leaning[60] == pytest.approx(expit(1.2), abs=0.06)
    assert np.abs(belief.leaning[:60] - 0.5).mean() < 0.08


def test_who_only_ever_says_left_says_next_to_nothing():
    """Two hundred careful answers of ann, and of ben as many that are left whatever is asked."""
    scores, told = a_world(5, [0.0], 200, items=8, reliability=1.0)
    rng = np.random.default_rng(0)
    left = rng.integers(8, size=200)
    right = (left + rng.integers(1, 8, size=200)) % 8
    both = np.r_[told.winners, left], np.r_[told.losers, right], np.repeat([0, 1], 200)
    belief = FullPosterior.fit(Comparisons.of(*both, sides=np.r_[told.sides, np.ones(200, dtype=int)]))
    alone = FullPosterior.fit(told)
    assert belief.leaning[1] > 0.9
    assert 4 < belief.leans[2] < 8
    assert np.abs(belief.scores() - alone.scores()).max() < 0.3
    assert np.corrcoef(belief.scores(), scores)[0, 1] > 0.9


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from([0.0, 1.0]))
def test_turned_sides_turn_leans_and_nothing_else(seed, rate):
    _, told = a_world(seed, KNOWN, 120, items=6, rate=rate)
    belief, other = (FullPosterior.fit(one) for one in (told, replace(told, sides=-told.sides)))
    assert np.array_equal(belief.leans, -other.leans)
    assert np.array_equal(belief.mean, other.mean)
    assert np.array_equal(belief.cov, other.cov)
    assert np.array_equal(belief.workers, other.workers)


@pytest.mark.parametrize("rate", [0.0, 1.0])
def test_neither_order_nor_names_matter_to_leans(rate):
    moves = []
    _, told = a_world(11, KNOWN, 500, rate=rate)
    belief = FullPosterior.fit(told, on_sweep=moves.append)
    assert moves[-1] < SETTLED
    assert np.abs(belief.leans[1:]).min() > 0
    rng = np.random.default_rng(1)
    order, items, workers = rng.permutation(500), rng.permutation(15), rng.permutation(3)
    columns = items[told.winners], items[told.losers], workers[told.workers], told.ties, told.sides
    other = FullPosterior.fit(Comparisons.of(*(column[order] for column in columns)))
    assert other.leaning[workers] == pytest.approx(belief.leaning, abs=1e-4)
    assert other.scores()[items] == pytest.approx(belief.scores(), abs=1e-4)


def test_one_surprise_makes_no_lean():
    """Thirty answers by the order of the items, half of the winners left, and one that is not."""
    rng = np.random.default_rng(0)
    winners, losers = np.triu_indices(6, 1)
    sides = rng.permutation(np.tile([1, -1], 15))
    told = Comparisons.of(np.r_[np.tile(winners, 2), 5], np.r_[np.tile(losers, 2), 0], 0, sides=np.r_[sides, 1])
    assert not FullPosterior.fit(told).leans.any()


def test_who_joins_favours_no_side_yet():
    belief = FullPosterior.fit(a_world(2, KNOWN, 900)[1]).with_worker().with_item()
    assert belief.leans.shape == (5,)
    assert belief.leaning[3] == 0.5


def test_a_step_towards_leans_against_the_likelihood():
    """Normal slopes: the leans that learn_leans settles on are the posterior means under the t that it found."""
    rng = np.random.default_rng(4)
    sure = rng.uniform(5, 50, 200)
    found = rng.normal(0, np.sqrt(0.3 + 1 / sure))
    leans = np.zeros(200)
    for _ in range(30):
        learn_leans(leans, np.stack([sure * (found - leans), sure, 1.5 * sure]), 1.0)
    t = np.median(leans / sure / (found - leans))  # leans = found t / (t + 1 / sure)
    assert leans == pytest.approx(found * t / (t + 1 / sure))

    def slope(t):
        return np.sum(found**2 / (t + 1 / sure) ** 2 - 1 / (t + 1 / sure))

    likeliest = t + CHANCE * np.sqrt(2 / np.sum(sure**2))
    assert slope(0.99 * likeliest) > 0 > slope(1.01 * likeliest)
    assert likeliest < WIDEST


def test_a_step_towards_leans_is_a_share_of_the_way_and_ends_somewhere():
    """Where nothing surprises, what is expected of the squares counts: 1 / var is 3, not 1, times as much."""
    slopes, squares = np.array([40.0, -30.0, 60.0, 0.0]), np.array([10.0, 10.0, 10.0, 0.0])
    whole, half, further = np.zeros(4), np.zeros(4), np.array([7.5, -7.5, 0.0, 0.0])
    pushes = np.stack([slopes, squares, 4 * squares])
    learn_leans(whole, pushes, 0.3)
    learn_leans(half, pushes, 0.15)
    assert half == pytest.approx(whole / 2)
    found = slopes[:3] / 30
    t = (found**2).mean() - 1 / 30 - CHANCE * np.sqrt(2 / (3 * 30**2))  # of equal variances it can be written down
    assert whole[:3] == pytest.approx(0.3 * found * t / (t + 1 / 30))
    assert whole[3] == 0  # of whom nothing was heard
    learn_leans(further, 100 * pushes, 1.0)
    assert further == pytest.approx([MOST, -MOST, FAR, 0.0])


def test_where_nothing_is_known_of_sides_there_are_no_leans():
    belief = FullPosterior.fit(without_sides(a_world(2, KNOWN, 900)[1]))
    assert not belief.leans.any()
    leans = np.array([0.3, 0.2])
    learn_leans(leans, np.zeros((3, 2)), 1.0)
    assert not leans.any()
    little, sure = np.array([0.3, 0.2, -0.1]), np.full(3, 10.0)
    learn_leans(little, np.stack([-3.0 * sure * little, sure, sure]), 0.3)
    assert not little.any()  # no more than chance makes of it: none at once, and not step by step


def test_other_beliefs_know_no_sides():
    for belief in (Belief.prior(3, 2), CentralityBelief.prior(3, 2)):
        sided = belief.update(0, 1, 1, side=-1)
        assert np.array_equal(sided.scores(), belief.update(0, 1, 1).scores())
        assert sided.leaning is None


def test_a_side_is_left_right_or_unknown():
    with pytest.raises(InvalidSetting, match="no side 2"):
        FullPosterior.prior(2).update(0, 1, side=2)
