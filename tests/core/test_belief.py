"""The belief: its invariants, its ranking against exact solvers, its probabilities against simulation."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy import stats
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.special import betainc, betaincinv

from nextpair import Belief
from nextpair.core import sureness
from nextpair.core.belief import reliability_intervals
from nextpair.errors import InvalidSetting

alphas = st.lists(st.floats(1e-8, 1e6), min_size=2, max_size=6)


def expected_tau(order, alpha):
    """E[tau] of an order, pair by pair, from the incomplete beta function."""
    k = len(alpha)
    pairs = [(a, b) for at, a in enumerate(order) for b in order[at + 1 :]]
    return sum(betainc(alpha[b], alpha[a], 0.5) for a, b in pairs) * 2 / (k * (k - 1))


@given(alphas)
@settings(max_examples=60)
def test_the_ranking_is_the_best_of_all_permutations(alpha):
    """thmLOP by brute force."""
    belief = Belief(alpha, [], [])
    best = max(expected_tau(order, alpha) for order in permutations(range(len(alpha))))
    assert expected_tau(belief.ranking(), alpha) == pytest.approx(best, abs=1e-12)
    assert belief.expected_accuracy() == pytest.approx(best, abs=1e-12)
    assert 0.5 <= belief.expected_accuracy() <= 1


def test_items_of_equal_alpha_are_ranked_by_index():
    assert Belief([1.0, 2.0, 1.0, 2.0], [], []).ranking().tolist() == [1, 3, 0, 2]


@pytest.mark.parametrize("n_items", [22, 28, 38])
def test_rounding_takes_no_accuracy_below_one_half(n_items):
    """Of items all alike half of the pairs are right; summed up pair by pair it came out smaller in the last digit."""
    assert Belief(np.full(n_items, 0.1), [], []).expected_accuracy() == 0.5


def best_linear_order(weight):
    """The maximum linear ordering by integer programming: x_ij = 1 if i stands above j, with no 3-cycles."""
    k = len(weight)
    index = {pair: n for n, pair in enumerate((i, j) for i in range(k) for j in range(k) if i != j)}
    rows, low, high = [], [], []
    for i in range(k):
        for j in range(i + 1, k):
            row = np.zeros(len(index))
            row[[index[i, j], index[j, i]]] = 1
            rows.append(row), low.append(1), high.append(1)
            for m in range(k):
                if m not in (i, j):
                    for cycle in ((i, j, m), (j, i, m)):
                        row = np.zeros(len(index))
                        row[[index[cycle[0], cycle[1]], index[cycle[1], cycle[2]], index[cycle[2], cycle[0]]]] = 1
                        rows.append(row), low.append(0), high.append(2)
    cost = -np.array([weight[i, j] for i, j in index])
    result = milp(
        cost,
        constraints=LinearConstraint(np.array(rows), low, high),
        bounds=Bounds(0, 1),
        integrality=np.ones(len(index)),
    )
    return -result.fun


def test_the_ranking_solves_the_linear_ordering_problem():
    """thmLOP against the exact integer programme, on beliefs from trajectories too large for brute force."""
    rng = np.random.default_rng(2)
    for _ in range(3):
        belief = Belief.prior(10)
        for _ in range(40):
            i, j = rng.choice(10, 2, replace=False)
            belief = belief.update(int(i), int(j))
        weight = np.array([[belief.prob_above(i, j) for j in range(10)] for i in range(10)])
        assert belief.expected_accuracy() * 45 == pytest.approx(best_linear_order(weight), rel=1e-9)


@given(alphas, st.randoms(use_true_random=False))
@settings(max_examples=40)
def test_prob_above_is_a_probability_that_follows_the_order(alpha, random):
    belief = Belief(alpha, [], [])
    i, j = random.sample(range(len(alpha)), 2)
    p = belief.prob_above(i, j)
    assert p + belief.prob_above(j, i) == pytest.approx(1, abs=1e-12)
    assert (p >= 0.5) == (alpha[i] >= alpha[j]) or p == pytest.approx(0.5, abs=1e-9)


def test_prob_above_and_prob_top_against_simulation():
    alpha = np.array([0.3, 2.0, 1.1, 5.0])
    belief = Belief(alpha, [], [])
    draws = np.random.default_rng(7).dirichlet(alpha, 200_000)
    assert belief.prob_above(1, 2) == pytest.approx((draws[:, 1] > draws[:, 2]).mean(), abs=5e-3)
    order = np.argsort(-draws, axis=1)
    for k in (1, 2, 4):
        simulated = np.array([(order[:, :k] == i).any(axis=1).mean() for i in range(4)])
        np.testing.assert_allclose(belief.prob_top(k), simulated, atol=0.015)
    low, high = belief.intervals(0.8)
    inside = ((draws >= low) & (draws <= high)).mean(axis=0)
    np.testing.assert_allclose(inside, 0.8, atol=5e-3)


def test_the_interval_of_a_reliability_is_that_of_its_beta():
    belief = Belief(np.ones(3), [4.0, 0.7], [1.0, 9.0])
    low, high = reliability_intervals(belief, 0.8)
    assert betainc(belief.mu, belief.nu, low) == pytest.approx([0.1, 0.1])
    assert betainc(belief.mu, belief.nu, high) == pytest.approx([0.9, 0.9])
    with pytest.raises(InvalidSetting, match="not at 0"):
        reliability_intervals(belief, 0)


TINY = st.floats(-8, 0).map(lambda power: 10.0**power)


@given(st.lists(st.one_of(TINY, st.floats(1, 50)), min_size=2, max_size=6), st.floats(0.01, 0.99), st.booleans())
@example([1e-8, 1.0], 0.9, False)
@example([1e-8, 1e-8, 1e-8], 0.9, True)
@example([0.00029777109635358446, 0.00029777109635358446], 0.01, False)  # below 1 a float holds some mass
def test_a_score_lies_in_its_interval_however_skewed_its_beta(alpha, level, some):
    belief, gone = Belief(alpha, [], []), {0} if some and len(alpha) > 2 else ()
    scores, (low, high) = belief.scores(gone), belief.intervals(level, gone)
    assert (low <= scores).all()
    assert (scores <= high).all()
    for i in set(range(len(alpha))) - set(gone):  # and it holds at least what it is said to
        others = sum(a for j, a in enumerate(alpha) if j != i and j not in gone)
        of = stats.beta(alpha[i], others)
        below = of.cdf(np.nextafter(low[i], -1)) if low[i] > 1e-300 else 0.0  # what is less than that is 0
        assert of.cdf(high[i] + 4e-16) - below >= level - 1e-6


@given(st.lists(st.tuples(TINY, st.one_of(TINY, st.floats(1, 50))), min_size=1, max_size=4), st.booleans())
@example([(1e-8, 1.0)], False)
def test_a_reliability_lies_in_its_interval_too(betas, turned):
    one, other = np.array(betas).T
    belief = Belief(np.ones(2), *((other, one) if turned else (one, other)))
    low, high = reliability_intervals(belief)
    assert (low <= belief.reliability).all()
    assert (belief.reliability <= high).all()


def test_the_intervals_of_two_items_are_each_others_mirror_image():
    belief = Belief.prior(2).update(0, 1).update(0, 1).update(1, 0)
    low, high = belief.intervals(0.9)
    inside = [betainc(*belief.alpha, high[0]) - betainc(*belief.alpha, low[0])]
    assert inside == pytest.approx([0.9])
    assert low[1] == pytest.approx(1 - high[0])
    assert high[1] == pytest.approx(1 - low[0])


@pytest.mark.parametrize("alpha", [[1e-30, 3.0], [3.0, 1e-30, 1e-60], [1e-25, 2e-25, 20.0, 1e-99]])
def test_the_interval_of_an_item_with_all_the_mass_ends_at_one(alpha):
    low, high = Belief(alpha, [], []).intervals(0.9)
    first = np.arange(len(alpha)) == np.argmax(alpha)
    np.testing.assert_allclose(low, first, atol=1e-12)
    np.testing.assert_allclose(high, first, atol=1e-12)


@given(alphas)
@settings(max_examples=20)
def test_an_interval_is_that_of_the_beta_beside_all_others(alpha):
    low, high = Belief(alpha, [], []).intervals(0.7)
    for k, a in enumerate(alpha):
        others = sum(alpha[:k] + alpha[k + 1 :])
        score = a / (a + others)  # to which it is widened
        assert low[k] == pytest.approx(min(betaincinv(a, others, 0.15), score), rel=1e-9, abs=1e-12)
        assert high[k] == pytest.approx(max(betaincinv(a, others, 0.85), score), rel=1e-9, abs=1e-12)


def test_prob_top_copes_with_vanished_items():
    belief = Belief([1e-100, 3.0, 1e-100, 2.0], [], [])
    np.testing.assert_allclose(belief.prob_top(2), [0, 1, 0, 1], atol=1e-3)
    assert belief.prob_top(1)[1] == pytest.approx(belief.prob_above(1, 3), abs=0.01)


def test_the_top_of_many_items_is_drawn_in_portions():
    """As many draws in all as for a few items, no portion larger than fits, and none counted twice."""
    portions, inside = [], np.zeros(900)

    def draw(rng, n):
        portions.append(n)
        scores = rng.standard_normal((n, 900))
        scores[:, 7] += 2
        best = np.argsort(np.delete(scores, (3, 4), axis=1), axis=1)[:, -300:].ravel()
        np.add.at(inside, np.delete(np.arange(900), (3, 4))[best], 1)
        return scores

    top = sureness.prob_top(draw, 900, 300, without=(3, 4))
    assert sum(portions) == sureness.DRAWS
    assert len(portions) > 1
    assert max(portions) * 900 <= sureness.AT_ONCE
    assert top == pytest.approx(inside / sureness.DRAWS)
    assert top.sum() == pytest.approx(300)
    assert (top[[3, 4]] == 0).all()
    assert top.argmax() == 7


@pytest.mark.parametrize("better_first", [True, False])
@pytest.mark.parametrize("worker", [None, 0])
@pytest.mark.parametrize("k", [2, 3, 10, 30])
def test_100_000_answers_that_always_favour_the_same(k, worker, better_first):
    rng = np.random.default_rng(k)
    n = 100_000
    i = rng.integers(0, k, n)
    j = (i + rng.integers(1, k, n)) % k
    low, high = np.minimum(i, j), np.maximum(i, j)
    winners, losers = (low, high) if better_first else (high, low)
    belief = Belief.prior(k, 2).fold(winners, losers, -1 if worker is None else worker)
    assert np.isfinite(belief.alpha).all()
    assert (belief.alpha > 0).all()
    assert np.isfinite(belief.mu).all()
    assert (belief.mu + belief.nu > 0).all()
    expected = np.arange(k) if better_first else np.arange(k)[::-1]
    assert belief.ranking().tolist() == expected.tolist()
    assert len(np.unique(belief.alpha)) == k
    assert 0.5 <= belief.expected_accuracy() <= 1


def test_malicious_answers_are_turned_round_even_among_vanished_items():
    alpha = [5.0, 1e-80, 2e-80]
    honest = Belief(alpha, [9.0], [1.0]).update(1, 2, 0)
    assert honest.ranking().tolist() == [0, 1, 2]
    liar = Belief(alpha, [1.0], [9.0]).update(2, 1, 0)
    assert liar.ranking().tolist() == [0, 1, 2]
    coin = Belief(alpha, [3.0], [3.0]).update(1, 2, 0)
    np.testing.assert_array_equal(coin.alpha[1:], alpha[1:])
    for near in (alpha, [5.0, 1e-80, 1.0005e-80]):
        for pair in ((1, 2), (2, 1)):
            tie = Belief(near, [9.0], [1.0]).update(*pair, 0, tie=True)
            np.testing.assert_array_equal(tie.alpha[1:], near[1:])


@pytest.mark.parametrize(("p", "winner", "loser"), [(1.0, 0, 1), (0.0, 1, 0)])
def test_among_vanished_items_a_winner_stays_or_passes_and_a_loser_lands_above_the_next_smaller(p, winner, loser):
    def after(first, second, *others):
        return Belief([first, second, *others, 5.0], [p], [1 - p]).update(winner, loser, 0).alpha[:2].tolist()

    assert after(6e-60, 7e-80, 3e-90) == pytest.approx([6e-60, 3e-90 * 1.001], rel=1e-9, abs=0)
    assert after(6e-60, 7e-80, 3e-70) == pytest.approx([6e-60, 1e-100 * 1.001], rel=1e-9, abs=0)
    assert after(7e-80, 6e-60, 3e-70) == pytest.approx([6e-60 * 1.001, 3e-70 * 1.001], rel=1e-9, abs=0)


def test_fold_is_that_many_updates_bit_for_bit():
    rng = np.random.default_rng(3)
    k, m, n = 7, 3, 200
    i = rng.integers(0, k, n)
    j = (i + rng.integers(1, k, n)) % k
    workers, ties = rng.integers(-1, m, n), (rng.random(n) < 0.2).astype(int)
    one = Belief.prior(k, m)
    for a, b, w, t in zip(i.tolist(), j.tolist(), workers.tolist(), ties.tolist(), strict=True):
        one = one.update(a, b, None if w < 0 else w, tie=bool(t))
    many = Belief.prior(k, m).fold(i, j, workers, ties)
    for part in ("alpha", "mu", "nu"):
        np.testing.assert_array_equal(getattr(one, part), getattr(many, part))


def test_the_belief_is_frozen():
    belief = Belief.prior(3, 1)
    with pytest.raises(ValueError):
        belief.alpha[0] = 2
    after = belief.update(0, 1, 0)
    assert belief.alpha.tolist() == [1, 1, 1]
    assert after is not belief
    grown = after.with_item().with_worker((2, 1))
    assert (grown.n_items, grown.n_workers) == (4, 2)
    assert grown.alpha[3] == 1
    assert grown.reliability[1] == pytest.approx(2 / 3)


def test_a_worker_known_for_certain_stays_so():
    belief = Belief([1, 1, 1], [1.0, 0.0], [0.0, 1.0])
    after = belief.update(0, 1, 0).update(0, 1, 1)
    assert after.reliability.tolist() == [1, 0]
    np.testing.assert_allclose(belief.update(0, 1, 0).alpha, belief.update(0, 1).alpha)
    np.testing.assert_allclose(belief.update(1, 0, 1).alpha, belief.update(0, 1).alpha)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Belief([1.0], [], []), "at least 2 items"),
        (lambda: Belief([1.0, 0.0], [], []), "positive"),
        (lambda: Belief([1.0, np.nan], [], []), "positive"),
        (lambda: Belief([1.0, 1.0], [1.0], []), "one length"),
        (lambda: Belief([1.0, 1.0], np.ones((1, 2)), np.ones((1, 2))), "one length"),
        (lambda: Belief([1.0, 1.0], [-1.0], [1.0]), "zero or a positive"),
        (lambda: Belief([1.0, 1.0], [np.inf], [1.0]), "zero or a positive"),
        (lambda: Belief([1.0, 1.0], [0.0], [0.0]), "both be zero"),
        (lambda: Belief(np.ones((1, 3)), [], []), "a belief needs"),
        (lambda: Belief.prior(-1), "a ranking needs at least 2 items, not -1"),
        (lambda: Belief.prior(3).update(0, 3), "no item 3"),
        (lambda: Belief.prior(3).update(0, 0), "with itself"),
        (lambda: Belief.prior(3, 1).update(0, 1, 1), "no worker 1"),
        (lambda: Belief.prior(3, 1).fold([0], [1], [-2]), "no worker -2"),
        (lambda: Belief.prior(3).prob_above(0, -1), "no item -1"),
        (lambda: Belief.prior(3).prob_top(4), "no top 4"),
        (lambda: Belief.prior(3).intervals(1.0), "not at 1.0"),
        (lambda: Belief.prior(3).intervals("0.9"), "not at '0.9'"),
        (lambda: Belief.prior("3"), "at least 2 items, not '3'"),
        (lambda: Belief.prior(2.5), "at least 2 items, not 2.5"),
        (lambda: Belief.prior(3, -1), "a whole number from 0 up, not -1"),
        (lambda: Belief.prior(3, "2"), "a whole number from 0 up, not '2'"),
        (lambda: Belief.prior(3, 2, reliability=None), r"a pair of numbers \(mu, nu\), not as in \[None"),
        (lambda: Belief.prior(3, 2, reliability=(4,)), r"a pair of numbers \(mu, nu\), not as in \[\(4,\)"),
        (lambda: Belief.prior(3).with_worker(4), r"a pair of numbers \(mu, nu\), not as in \[4"),
        (lambda: Belief.prior(3).with_workers(4), r"a pair of numbers \(mu, nu\), not as in 4"),
        (lambda: Belief.prior(3).with_workers([(4, 1), (3,)]), r"not as in \[\(4, 1\), \(3,\)\]"),
        (lambda: Belief.prior(3).with_worker((4, "x")), "a pair of numbers"),
        (lambda: Belief.prior(3).prob_above("a", 0), "items are whole numbers"),
        (lambda: Belief.prior(3).prob_top(1, [-1]), "no item -1"),  # it was the last one
        (lambda: Belief.prior(3).prob_top(1, [3]), "no item 3"),
        (lambda: Belief.prior(3).prob_top(1, "a"), "items are whole numbers"),
        (lambda: Belief(["a", 1], [], []), r"numbers are needed, one for each item or worker, not \['a', 1\]"),
        (lambda: Belief([1, 2], [(4, 1), (3,)], [1]), "numbers are needed"),
        (lambda: Belief.prior(3).update(0, 1, tie=None), "ties are whole numbers, not None"),
        (lambda: Belief.prior(3).update(0, 1, tie="yes"), "ties are whole numbers, not 'yes'"),
        (lambda: Belief.prior(3).update(0.5, 1), r"winners are whole numbers, not \[0.5\]"),
        (lambda: Belief.prior(3).update(0, None), "losers are whole numbers"),
        (lambda: Belief.prior(3, 1).update(0, 1, "ann"), "workers are whole numbers"),
        (lambda: Belief.prior(3).fold([0, 1], [2]), "losers must be one number a comparison"),  # read beyond its end
        (lambda: Belief.prior(3).fold([0], [1, 2]), "losers must be one number a comparison"),
        (lambda: Belief.prior(3).fold(0, [1]), "winners must be one number a comparison"),
        (lambda: Belief.prior(3).fold([[0], [1, 2]], [1, 2]), "winners are numbers, one for each comparison"),
        (lambda: Belief.prior(3, 2).fold([0], [1], [0, 1]), "workers must be one number a comparison"),
    ],
)
def test_what_makes_no_sense_is_refused(make, message):
    with pytest.raises(InvalidSetting, match=message):
        make()
