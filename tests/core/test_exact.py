"""The exact posterior and the optimal policy against closed forms and general integrators."""

import numpy as np
import pytest
from literal import matched
from scipy.integrate import dblquad, quad
from scipy.special import betainc, betaincinv

from nextpair.core.candidates import Candidates
from nextpair.core.comparisons import Comparisons
from nextpair.core.exact import exact_posterior, simplex_grid
from nextpair.core.optimal import ExactBelief, Planner, optimal_accuracy, planner
from nextpair.core.policies import find_policy
from nextpair.core.yardstick import tree_accuracy
from nextpair.errors import InvalidSetting


def test_two_items_are_a_beta():
    posterior = exact_posterior(Comparisons.of([0, 0, 0, 1], [1, 1, 1, 0]))
    assert posterior.mean() == pytest.approx([4 / 6, 2 / 6])
    assert posterior.var() == pytest.approx([8 / 36 / 7] * 2)
    assert posterior.prob_above()[1, 0] == pytest.approx(betainc(4, 2, 0.5))
    assert posterior.prob_above()[1, 1] == 0.5
    assert posterior.answer_chance()[0, 1] == pytest.approx(4 / 6)
    assert posterior.quantiles(0.1)[0] == pytest.approx(betaincinv(4, 2, 0.1), abs=0.02)
    low, high = ExactBelief.prior(2).fold([0, 0, 0, 1], [1, 1, 1, 0]).intervals(0.8)
    assert low == pytest.approx(betaincinv([4, 2], [2, 4], 0.1), abs=0.025)
    assert high == pytest.approx(betaincinv([4, 2], [2, 4], 0.9), abs=0.025)


def test_three_items_are_a_double_integral():
    told = Comparisons.of([0, 0, 1, 2, 0], [1, 2, 2, 1, 1], ties=[0, 0, 0, 0, 1])

    def density(y, x):
        z = 1 - x - y
        return x / (x + y) * x / (x + z) * y / (y + z) * z / (y + z) * np.sqrt(x * y) / (x + y)

    total = dblquad(density, 0, 1, 0, lambda x: 1 - x, epsabs=1e-11)[0]
    above = dblquad(density, 0, 1, 0, lambda x: min(x, 1 - x), epsabs=1e-11)[0]
    mean = dblquad(lambda y, x: x * density(y, x), 0, 1, 0, lambda x: 1 - x, epsabs=1e-11)[0]
    posterior = exact_posterior(told)
    assert posterior.prob_above()[0, 1] == pytest.approx(above / total, abs=1e-7)
    assert posterior.mean()[0] == pytest.approx(mean / total, abs=1e-7)


@pytest.mark.parametrize("n_items", [3, 4, 5])
def test_the_moments_after_one_answer_are_those_of_the_proposition(n_items):
    posterior = exact_posterior(Comparisons.of([2], [1], n_items=n_items))
    with np.errstate(invalid="ignore"):  # a known worker has no moments of their own
        alpha = matched(np.ones(n_items), 2, 1, 1.0, 0.0, +1)[0]
    assert posterior.mean() == pytest.approx((alpha / alpha.sum()).astype(float), abs=1e-9)
    second = (posterior.var() + posterior.mean() ** 2).sum()
    total = float(alpha.sum())
    assert second == pytest.approx(float((alpha * (alpha + 1)).sum()) / (total * (total + 1)), abs=1e-10)


def test_a_workers_reliability_is_integrated_out():
    told = Comparisons.of([0, 1, 0, 0] + [0] * 6, [1, 0, 1, 1] + [1] * 6, workers=[0, 0, 0, -1] + [0] * 6)

    def likelihood(x):
        def given(rho):
            agree, differ = rho * x + (1 - rho) * (1 - x), rho * (1 - x) + (1 - rho) * x
            return agree**8 * differ * rho**3  # Beta(4, 1)

        return x * quad(given, 0, 1)[0]

    total, mean = quad(likelihood, 0, 1)[0], quad(lambda x: x * likelihood(x), 0, 1)[0]
    assert exact_posterior(told, reliability=(4, 1)).mean()[0] == pytest.approx(mean / total, abs=1e-9)


def test_the_grid_is_fine_enough():
    rng = np.random.default_rng(2)
    pairs = np.array([rng.choice(4, 2, replace=False) for _ in range(60)])
    told = Comparisons.of(pairs.min(axis=1), pairs.max(axis=1), ties=(rng.random(60) < 0.3).astype(int), n_items=4)
    coarse, fine = exact_posterior(told), exact_posterior(told, order=24)
    assert coarse.prob_above() == pytest.approx(fine.prob_above(), abs=1e-6)
    assert simplex_grid(3, 8).weight.sum() == pytest.approx(1)
    with pytest.raises(InvalidSetting, match="2 to 5 items, not 6"):
        simplex_grid(6, 4)


def test_optimal_accuracy_of_two_items_is_that_of_a_coin():
    # all that can be done is to ask the one pair: the majority is right
    assert [optimal_accuracy(2, t) for t in range(6)] == pytest.approx([0.5, 0.75, 0.75, 0.8125, 0.8125, 0.84375])


def brute_force(theta, weight, left):
    """The optimal value on a sample of scores, with no symmetry and no quadrature."""
    n = theta.shape[1]
    pairs = [(i, j) for i in range(n) for j in range(i + 1, n)]
    if left == 0:
        above = {(i, j): weight @ (theta[:, i] > theta[:, j]) for i in range(n) for j in range(n) if i != j}
        from itertools import permutations

        return max(sum(above[o[a], o[b]] for a, b in pairs) for o in permutations(range(n))) / len(pairs)
    best = 0.0
    for i, j in pairs:
        up = theta[:, i] / (theta[:, i] + theta[:, j])
        chance = weight @ up
        best = max(
            best,
            chance * brute_force(theta, weight * up / chance, left - 1)
            + (1 - chance) * brute_force(theta, weight * (1 - up) / (1 - chance), left - 1),
        )
    return best


def test_dynamic_programming_is_brute_force_on_a_sample():
    rng = np.random.default_rng(0)
    theta = rng.dirichlet(np.ones(3), 20_000)
    theta = np.concatenate([theta[:, order] for order in ([0, 1, 2], [1, 2, 0], [2, 0, 1])])
    weight = np.full(len(theta), 1 / len(theta))
    assert optimal_accuracy(3, 2) == pytest.approx(brute_force(theta, weight, 2), abs=4e-3)


def test_values_do_not_depend_on_names_and_grow_with_the_budget():
    plan, wins = planner(4), np.zeros((4, 4))
    wins[0, 1], wins[2, 1], wins[3, 0] = 2, 1, 1
    order = np.array([2, 0, 3, 1])
    fresh = Planner(4)
    assert fresh.value(wins[order][:, order], 2) == pytest.approx(plan.value(wins, 2), abs=1e-12)
    values = [plan.value(wins, left) for left in range(4)]
    assert (np.diff(values) >= -1e-12).all()
    assert values[3] > values[0] + 0.02


def test_following_the_optimal_policy_earns_its_value():
    policy = find_policy("optimal")
    for n_items, budget in ((2, 3), (3, 4), (4, 3)):
        prior = ExactBelief.prior(n_items, horizon=budget)
        found = tree_accuracy(policy, n_items, budget, np.random.default_rng(0), prior=prior)
        assert found.own == pytest.approx(optimal_accuracy(n_items, budget), abs=1e-8)
        assert found.best == pytest.approx(found.own)


@pytest.mark.parametrize("name", ["akg", "random", "crowd-bt"])
def test_no_policy_beats_the_optimal_one(name):
    found = tree_accuracy(find_policy(name), 3, 4, np.random.default_rng(1))
    assert found.own <= found.best + 1e-12 <= optimal_accuracy(3, 4) + 1e-9
    assert found.own > optimal_accuracy(3, 1)


def test_akg_is_within_a_hundredth_of_the_optimum():
    assert tree_accuracy(find_policy("akg"), 3, 6, np.random.default_rng(0)).own > optimal_accuracy(3, 6) - 0.01


def test_the_plan_reaches_the_horizon_but_not_beyond():
    assert ExactBelief.prior(3).left == 5
    assert ExactBelief.prior(3, horizon=8).left == 8
    assert ExactBelief.prior(3, horizon=8).fold([0, 1], [1, 2]).left == 6
    assert ExactBelief.prior(3, horizon=1).fold([0, 1], [1, 2]).left == 1
    assert ExactBelief.prior(3, horizon=100).left == 5
    with pytest.raises(InvalidSetting, match="at least 1 answer, not 0"):
        ExactBelief.prior(3, horizon=0)
    with pytest.raises(InvalidSetting, match="2 to 4 items, not 5"):
        ExactBelief.prior(4).with_item()


def test_the_optimal_ranking_is_exact_where_moments_mislead():
    belief = ExactBelief.prior(3).fold([0, 0, 1], [1, 2, 2])
    assert belief.ranking().tolist() == [0, 1, 2]
    (choice,) = find_policy("optimal").choose(belief, Candidates(3), np.random.default_rng(0), 1)
    assert choice.pair in [(0, 1), (1, 2)]  # neighbours: what is nearly known is not asked
