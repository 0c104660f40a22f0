import choix
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nextpair.core.centrality import CentralityBelief, stationary


def round_robin(seed, n=7, plays=15):
    rng = np.random.default_rng(seed)
    theta = rng.exponential(size=n)
    return [
        (i, j) if rng.random() < theta[i] / (theta[i] + theta[j]) else (j, i)
        for i in range(n)
        for j in range(i + 1, n)
        for _ in range(plays)
    ]


def counted(rows, n):
    wins = np.zeros((n, n))
    for i, j in rows:
        wins[i, j] += 1
    return wins


@pytest.mark.parametrize("seed", range(4))
def test_unregularised_it_is_that_of_choix(seed):
    rows = round_robin(seed)
    ours = np.log(stationary(counted(rows, 7), pseudo_wins=0))
    assert ours - ours.mean() == pytest.approx(choix.rank_centrality(7, rows), abs=1e-9)


@pytest.mark.parametrize("seed", range(2))
def test_pseudo_wins_are_those_of_choix_where_every_pair_was_compared(seed):
    rows = round_robin(seed) + round_robin(seed + 9, n=4)
    ours = np.log(stationary(counted(rows, 7), pseudo_wins=1))
    assert ours - ours.mean() == pytest.approx(choix.rank_centrality(7, rows, alpha=1.0), abs=1e-9)


@given(seed=st.integers(0, 99), shift=st.integers(1, 6))
@settings(max_examples=15)
def test_relabelling_relabels_and_it_is_a_distribution(seed, shift):
    rng = np.random.default_rng(seed)
    wins = rng.integers(0, 3, (7, 7)) * (1.0 - np.eye(7)) * (rng.random((7, 7)) < 0.4)
    found = stationary(wins)
    assert found.sum() == pytest.approx(1)
    assert (found >= 0).all()
    assert stationary(np.roll(wins, shift, (0, 1))) == pytest.approx(np.roll(found, shift), rel=1e-6)


def test_nothing_known_means_equal_and_parts_do_not_swallow_each_other():
    assert CentralityBelief.prior(5).scores().tolist() == [0.2] * 5
    belief = CentralityBelief.prior(5).fold([0, 0, 2], [1, 1, 3])  # {0, 1}, {2, 3} and {4} never met
    scores = belief.scores()
    assert scores[0] > scores[1] > 0
    assert scores[2] > scores[3] > 0
    assert scores[[0, 1]].sum() == pytest.approx(0.4)
    assert belief.ranking().tolist()[0] == 0


def test_an_unbeaten_item_is_first_but_does_not_take_all():
    for pseudo_wins, most in ((1.0, 0.8), (0.01, 0.99)):
        belief = CentralityBelief.prior(3, pseudo_wins=pseudo_wins)
        scores = belief.fold([0, 0, 1, 2], [1, 2, 2, 1]).scores()
        assert scores.argmax() == 0
        assert scores[0] < most


def test_an_interval_is_widened_to_the_score_and_no_further():
    belief = CentralityBelief.prior(4).fold([0, 0, 0, 0, 1, 2], [1, 1, 2, 3, 2, 3])
    (low, high), (inner_low, inner_high), scores = belief.intervals(0.95), belief.inner.intervals(0.95), belief.scores()
    outside = (scores < inner_low) | (scores > inner_high)
    assert outside.any()
    assert (~outside).any()
    for k in range(4):
        assert (low[k], high[k]) == (min(inner_low[k], scores[k]), max(inner_high[k], scores[k]))
