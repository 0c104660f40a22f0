"""What the full posterior takes: by how often it goes through all answers, not by the clock."""

import numpy as np
import pytest

from nextpair.core.comparisons import Comparisons
from nextpair.core.full_posterior import FullPosterior
from nextpair.inference.effort import SWEEPS_BY_HOW_MUCH, expected_seconds
from nextpair.inference.estimators import best_estimator


def a_file(answers, workers=0, items=30, says_much=True):
    rng = np.random.default_rng(1)
    scores = np.log(rng.gamma(1, size=items))
    i = rng.integers(items, size=answers)
    j = (i + rng.integers(1, items, size=answers)) % items
    seen = scores[i] - scores[j] + rng.logistic(size=answers)
    winners, losers, much = np.where(seen > 0, i, j), np.where(seen > 0, j, i), np.abs(seen) > 1.1
    who = rng.integers(workers, size=answers) if workers else -1
    return Comparisons.of(winners, losers, who, much=much & says_much, n_items=items, n_workers=workers)


@pytest.mark.parametrize("workers", [0, 3, 20])
def test_the_sweeps_that_are_foreseen_where_answers_say_by_how_much(workers):
    moves = []
    FullPosterior.fit(a_file(4000, workers), on_sweep=moves.append)
    foreseen = SWEEPS_BY_HOW_MUCH[workers > 0]
    assert foreseen / 4 < len(moves) < 2 * foreseen


@pytest.mark.parametrize("workers", [0, 200])
def test_auto_knows_that_saying_by_how_much_takes_longer(workers):
    said, plain = a_file(300_000, workers), a_file(300_000, workers, says_much=False)
    assert expected_seconds(said) > 2 * expected_seconds(plain)
    assert best_estimator(plain)[0] == "full-posterior"
    assert best_estimator(said)[0] == "dirichlet"
