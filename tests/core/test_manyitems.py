"""The expected accuracy of very many items by a grid, against the sum over every pair."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import betainc

from nextpair import Belief
from nextpair.core import belief as belief_module
from nextpair.core.arrays import FloatArray
from nextpair.core.manyitems import sum_of_certainties_by_grid


def over_all_pairs(alpha: FloatArray) -> float:
    i, j = np.triu_indices(alpha.size, 1)
    high, low = np.maximum(alpha[i], alpha[j]), np.minimum(alpha[i], alpha[j])
    return float((1 - betainc(high, low, 0.5)).sum())


@settings(max_examples=60, deadline=None)
@given(
    centre=st.floats(-60, 13),
    width=st.sampled_from([0.0, 1e-6, 0.1, 1.0, 5.0, 30.0]),
    n=st.integers(2, 120),
    seed=st.integers(0, 2**32 - 1),
)
def test_within_a_hundred_millionth_of_the_sum_over_pairs(centre: float, width: float, n: int, seed: int) -> None:
    alpha = np.exp(centre + width * np.random.default_rng(seed).uniform(-0.5, 0.5, n))
    error = sum_of_certainties_by_grid(alpha) - over_all_pairs(alpha)
    assert abs(error) <= 1e-8 * n * (n - 1) / 2


@pytest.mark.parametrize("extreme", [[1e-100, 1.0, 1e6], [1e-100, 1e-100], [1e9, 1e9, 1e-8]])
def test_extremes_stay_finite(extreme: list[float]) -> None:
    alpha = np.array(extreme)
    assert sum_of_certainties_by_grid(alpha) == pytest.approx(over_all_pairs(alpha), abs=1e-7)


def test_a_belief_about_many_items_uses_it(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(1)
    belief = Belief(rng.gamma(2.0, size=300), [], [])
    exact = belief.expected_accuracy()
    monkeypatch.setattr(belief_module, "MANY", 299)
    by_grid = belief.expected_accuracy()
    assert exact != by_grid
    assert exact == pytest.approx(by_grid, abs=1e-8)
