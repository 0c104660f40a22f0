"""Kendall accuracy against counting every pair by hand, and against scipy's tau where nothing is equal."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import kendalltau

from nextpair.core.accuracy import kendall_accuracy
from nextpair.errors import InvalidSetting


def by_hand(ranking, truth):
    """The paper's sum for levels: pairs with pi(i) > pi(j) and s_i >= s_j, over all pairs."""
    k = len(truth)
    right = sum(truth[ranking[a]] >= truth[ranking[b]] for a in range(k) for b in range(a + 1, k))
    return 2 * right / (k * (k - 1))


@settings(max_examples=200)
@given(st.lists(st.integers(0, 5), min_size=2, max_size=20), st.randoms(use_true_random=False))
def test_agrees_with_counting_every_pair(levels, random):
    ranking = list(range(len(levels)))
    random.shuffle(ranking)
    assert kendall_accuracy(np.array(ranking), np.array(levels, dtype=float)) == pytest.approx(by_hand(ranking, levels))


@pytest.mark.parametrize("k", [2, 3, 64, 65, 1000])
def test_agrees_with_scipy_when_all_scores_differ(k):
    rng = np.random.default_rng(k)
    truth, ranking = rng.normal(size=k), rng.permutation(k)
    place = np.empty(k)
    place[ranking] = -np.arange(k)
    assert kendall_accuracy(ranking, truth) == pytest.approx((1 + kendalltau(place, truth).statistic) / 2)


def test_ends_of_the_scale():
    truth = np.array([3.0, 1.0, 2.0])
    assert kendall_accuracy(np.array([0, 2, 1]), truth) == 1
    assert kendall_accuracy(np.array([1, 2, 0]), truth) == 0
    assert kendall_accuracy(np.array([1, 2, 0]), np.ones(3)) == 1
    assert kendall_accuracy([0, 1, 2], [3, 1, 2]) == pytest.approx(2 / 3)


@pytest.mark.parametrize(
    ("ranking", "truth", "word"),
    [([0], [1.0], "2 items"), ([0, 1], [1.0, 2.0, 3.0], "each of 0 to 2"), ([0, 0, 1], [1.0, 2.0, 3.0], "once"),
     ([0, 1], [1.0, np.nan], "item 1 has no true score")],
)  # fmt: skip
def test_refuses_what_is_no_ranking(ranking, truth, word):
    with pytest.raises(InvalidSetting, match=word):
        kendall_accuracy(np.array(ranking), np.array(truth))
