"""Campaigns played on by compiled loops: what is asked, and how it is answered."""

import numpy as np
import pytest
from scipy.special import expit

from nextpair.core.full_posterior import FullPosterior
from nextpair.core.kernels.onward import best_pair, finish
from nextpair.core.look_ahead import question_gains


@pytest.mark.parametrize("seed", range(20))
def test_the_best_pair_is_the_one_of_largest_gain(seed):
    rng = np.random.default_rng(seed)
    i = rng.integers(5, size=12)
    belief = FullPosterior.prior(5).fold(i, (i + rng.integers(1, 5, size=12)) % 5)
    gains = question_gains(belief, None)
    assert best_pair(belief.mean, belief.cov) == np.unravel_index(np.nanargmax(np.tril(gains)), gains.shape)


def test_each_answer_to_a_pair_has_its_own_luck():
    """Of two items: six answers at once are one after the other, each with the luck that is its turn."""
    belief = FullPosterior.prior(2)
    scores, luck = np.array([0.3, -0.2]), np.random.default_rng(3).random((2, 2, 6))
    assert len(set((luck[1, 0] < expit(-0.5)).tolist())) == 2
    mean, cov = belief.mean, belief.cov
    for turn in range(6):
        mean, cov = finish(mean, cov, (1, 0), scores, luck[:, :, turn : turn + 1].copy())
    found = finish(belief.mean, belief.cov, (1, 0), scores, luck)
    assert (found[0] == mean).all()
    assert (found[1] == cov).all()
