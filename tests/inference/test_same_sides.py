"""Whether a better item can be told from a favoured side, against plain least squares."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from nextpair.core.comparisons import Comparisons
from nextpair.inference import groups_apart, shown_the_same_way
from nextpair.inference.sides import BY_CHANCE, ENOUGH, FEWEST


def told_of_a_lean(told):
    """How many answers' worth: what is left of a column of sides after the best scores, a row for each answer."""
    design = np.zeros((len(told), told.n_items))
    design[np.arange(len(told)), told.winners] += 1
    design[np.arange(len(told)), told.losers] -= 1
    scores = np.linalg.lstsq(design, told.sides, rcond=None)[0]
    return ((told.sides - design @ scores) ** 2).sum()


@given(
    n_items=st.integers(2, 7),
    answers=st.integers(1, 60),
    turned=st.sampled_from([0, 0.02, 0.1, 0.5]),
    unknown=st.sampled_from([0, 0, 0.1]),
    adjacent=st.booleans(),
    seed=st.integers(0, 9999),
)
@settings(max_examples=200)
def test_it_is_told_exactly_where_least_squares_leave_next_to_nothing(
    n_items, answers, turned, unknown, adjacent, seed
):
    """Items stand by their number, the smaller left, but for some; neighbours only (then scores explain it) or any."""
    rng = np.random.default_rng(seed)
    i = rng.integers(0, n_items - 1, answers)
    j = i + 1 if adjacent else rng.integers(i + 1, n_items)
    left, right = np.where(rng.random(answers) < turned, [j, i], [i, j])
    wins = rng.random(answers) < 0.7
    sides = np.where(rng.random(answers) < unknown, 0, np.where(wins, 1, -1))
    told = Comparisons.of(np.where(wins, left, right), np.where(wins, right, left), -1, 0, sides, n_items=n_items)
    free = (sides != 0).sum() - (n_items - len(groups_apart(told)))
    told_of, limit = told_of_a_lean(told), min(ENOUGH, BY_CHANCE * free)
    assume(abs(told_of - limit) > 1e-6)  # just at the limit it is rounding that decides
    assert bool(shown_the_same_way(told)) == (free >= FEWEST and told_of < limit)


def test_the_pairs_are_named_as_they_mostly_stood():
    """The first item always left, but for one answer; nobody knows how it stood in the last one."""
    won, lost = [0] * 20 + [2] * 30 + [2, 0], [1] * 20 + [0] * 30 + [0, 1]
    told = Comparisons.of(won, lost, -1, 0, [1] * 20 + [-1] * 30 + [1, 0])
    assert shown_the_same_way(told) == [(0, 2, 30, 31), (0, 1, 20, 20)]


@pytest.mark.parametrize("n_items", [2, 30])
def test_sides_drawn_by_lot_are_no_cause_for_alarm(n_items):
    rng = np.random.default_rng(1)
    i = rng.integers(0, n_items, 100)
    j = (i + rng.integers(1, n_items, 100)) % n_items
    assert shown_the_same_way(Comparisons.of(i, j, -1, 0, rng.choice([-1, 1], 100))) == []
