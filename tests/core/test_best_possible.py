"""The best that is possible against slower ways to compute it."""

from functools import cache
from itertools import combinations, permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nextpair.core.comparisons import Comparisons
from nextpair.core.exact import exact_posterior
from nextpair.core.kernels import plan
from nextpair.core.limits import best_alike, best_of_crowd, crowd_answers
from nextpair.core.optimal import optimal_accuracy
from nextpair.errors import InvalidSetting


@pytest.mark.parametrize(("items", "budget"), [(2, 8), (3, 6), (4, 5)])
def test_workers_alike_against_the_planner(items, budget):
    slower = [optimal_accuracy(items, answers) for answers in range(budget + 1)]
    levels = []
    assert best_alike(items, budget, levels.append) == pytest.approx(slower, abs=1e-6)
    assert levels == list(range(budget + 1))


def five_items(told, left):
    """V by its definition for five items, no state looked up twice under another name."""
    columns = np.array(told, dtype=np.int64).reshape(-1, 2).T
    posterior = exact_posterior(Comparisons.of(*columns, n_items=5), order=5)
    if left == 0:
        above = posterior.prob_above()
        orders = np.array(list(permutations(range(5))))
        first, second = np.triu_indices(5, 1)
        return above[orders[:, first], orders[:, second]].mean(axis=1).max()
    chance = posterior.answer_chance()
    return max(
        chance[i, j] * five_items([*told, (i, j)], left - 1) + chance[j, i] * five_items([*told, (j, i)], left - 1)
        for i, j in combinations(range(5), 2)
    )


def test_five_items_against_the_definition():
    assert best_alike(5, 2) == pytest.approx([five_items([], answers) for answers in range(3)], abs=1e-5)


@given(st.lists(st.integers(0, 9), min_size=2, max_size=20).filter(lambda counts: sum(counts) <= 20))
def test_a_state_and_its_number(counts):
    choose, kinds, total = plan.binomials(20 + 20, 20), len(counts), sum(counts)
    number = plan.number_of(np.array(counts), choose)
    assert 0 <= number < choose[total + kinds - 1, kinds - 1]
    assert plan.counts_of_all(np.array([number]), total, kinds, choose).tolist() == [counts]


def recursion(told, open_questions, left):
    """V by its definition, every posterior by quadrature over scores and reliabilities."""
    if left == 0:
        return best_order(frozenset(told))
    values = []
    for i, j, w in open_questions:
        rest = [question for question in open_questions if question != (i, j, w)]
        first = evidence(frozenset([*told, (i, j, w)])) / evidence(frozenset(told))
        values.append(
            first * recursion([*told, (i, j, w)], rest, left - 1)
            + (1 - first) * recursion([*told, (j, i, w)], rest, left - 1)
        )
    return max(values)


@cache  # the order in which answers came tells nothing
def best_order(told):
    """What is expected of the best of all rankings after these answers."""
    columns = np.array(sorted(told)).reshape(-1, 3).T
    above = exact_posterior(Comparisons.of(*columns, n_items=3, n_workers=3)).prob_above()
    return max(np.mean([above[a, b], above[a, c], above[b, c]]) for a, b, c in permutations(range(3)))


@cache
def evidence(told, draws=60):
    """The probability of these answers, by a product rule over scores and all reliabilities."""
    from scipy.special import roots_jacobi

    from nextpair.core.exact import simplex_grid

    grid = simplex_grid(3, 20)
    x, w = roots_jacobi(draws // 10, 0.0, 3.0)  # Beta(4, 1)
    rho, w = (x + 1) / 2, w / w.sum()
    total = np.ones(grid.weight.size)
    for worker in (0, 1, 2):
        mine = [np.exp(grid.log_chance[a, b]) for a, b, who in told if who == worker]
        given = [np.prod([r * p + (1 - r) * (1 - p) for p in mine], axis=0) if mine else 1.0 for r in rho]
        total = total * sum(weight * each for weight, each in zip(w, given, strict=True))
    return float(total @ grid.weight)


@pytest.mark.parametrize(("workers", "most"), [(2, 3), (3, 2)])
def test_workers_who_differ_against_the_definition(workers, most):
    questions = [(i, j, w) for w in range(workers) for i, j in ((0, 1), (0, 2), (1, 2))]
    best = best_of_crowd(workers)
    assert best.size == 3 * workers + 1
    assert best[0] == pytest.approx(0.5)
    for answers in range(1, most + 1):
        assert best[answers] == pytest.approx(recursion([], questions, answers), abs=1e-6)


def test_what_a_crowd_says_is_the_exact_posterior():
    told = [(0, 1, 0), (2, 0, 0), (1, 2, 0), (0, 1, 1), (0, 2, 2)]
    codes = np.array([1 + 3 * 2 + 9 * 1, 1, 3])
    exact = exact_posterior(Comparisons.of(*np.array(told).T, n_items=3, n_workers=3), order=16).prob_above()
    assert crowd_answers().prob_above(codes) == pytest.approx(exact[np.triu_indices(3, 1)], abs=1e-6)


def test_too_much_is_refused():
    with pytest.raises(InvalidSetting, match="4 items and up to 20 answers, .*not for 4 items and 21 answers"):
        best_alike(4, 21)
    with pytest.raises(InvalidSetting, match="not for 6 items and 3 answers"):
        best_alike(6, 3)
    with pytest.raises(InvalidSetting, match="1 to 7 workers, not 8"):
        best_of_crowd(8)
