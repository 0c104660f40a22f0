"""All answers at once in few sweeps, also where they say by how much: long steps end where short ones do."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nextpair.core import settling
from nextpair.core.comparisons import Comparisons
from nextpair.core.full_posterior import FullPosterior
from nextpair.core.kernels.much import NEVER, learn_much
from nextpair.core.kernels.refit import sweep
from nextpair.core.kernels.sense import settle_much
from nextpair.core.settling import MOST_SWEEPS, SETTLED


def a_file(
    seed, items=25, answers=1000, workers=3, cuts=(0.5, 1.1, 2.0), at_random=0.0, ties=0.0, leans=0.0, right=1.0
):
    """Answers that say by how much: what is seen is d + e, e logistic; who leans sees the left one better by that."""
    rng = np.random.default_rng(seed)
    scores = np.log(rng.gamma(1, size=items))
    left = rng.integers(items, size=answers)
    other = (left + rng.integers(1, items, size=answers)) % items
    who = rng.integers(workers, size=answers) if workers else np.full(answers, -1)
    turned = np.where(rng.random(answers) < np.resize(right, max(workers, 1))[who], 1, -1)
    seen = turned * (scores[left] - scores[other]) + leans * (who + 1) + rng.logistic(size=answers)
    tied = np.abs(seen) < ties
    far = np.abs(seen) > np.asarray(cuts)[who % len(cuts)]
    much = np.where(rng.random(answers) < at_random, rng.random(answers) < 0.4, far) & ~tied
    first = seen > 0
    return Comparisons.of(
        np.where(first, left, other), np.where(first, other, left), who, ties=tied,
        sides=np.where(first, 1, -1) if leans else 0, much=much, n_items=items, n_workers=workers,
    )  # fmt: skip


FILES = {
    "two judges": {"workers": 2},
    "four judges": {"workers": 4},
    "nobody in particular": {"workers": 0},
    "many": {"workers": 15, "right": [0.95, 0.8, 0.6]},
    "the word means nothing": {"workers": 2, "at_random": 1.0},
    "ties": {"ties": 0.4},
    "leans": {"leans": 0.4},
    "one answers the opposite": {"right": [0.95, 0.05, 0.6]},
}


def by_short_steps(told, monkeypatch):
    with monkeypatch.context() as patient:
        patient.setattr(settling, "ROUGHLY", 0.0)
        patient.setattr(settling, "SETTLED", 1e-8)
        patient.setattr(settling, "MOST_SWEEPS", 5000)
        return FullPosterior.fit(told)


@pytest.mark.parametrize("kind", FILES)
def test_few_sweeps_end_where_thousands_of_short_steps_do(kind, monkeypatch):
    told, moves = a_file(1, **FILES[kind]), []
    belief = FullPosterior.fit(told, on_sweep=moves.append)
    assert moves[-1] < SETTLED
    assert len(moves) < 100
    slow = by_short_steps(told, monkeypatch)
    assert belief.mean == pytest.approx(slow.mean, abs=1e-4)
    assert np.sqrt(np.diag(belief.cov)) == pytest.approx(np.sqrt(np.diag(slow.cov)), abs=1e-4)
    assert belief.much == pytest.approx(slow.much, abs=3e-3)  # the cut of all still goes to it
    assert belief.reliability == pytest.approx(slow.reliability, abs=1e-4)


def test_files_in_which_nobody_says_much_are_as_they_were(monkeypatch):
    told = a_file(2, cuts=(np.inf,))
    here = FullPosterior.fit(told)
    monkeypatch.setattr(settling, "ROUGHLY", 0.0)
    there = FullPosterior.fit(told)
    assert (here.mean == there.mean).all()
    assert (here.cov == there.cov).all()
    assert (here.much[0] == NEVER).all()


def standing(told, sweeps):
    """The arrays after a few sweeps, as kernels change them."""
    belief = FullPosterior.prior(told.n_items, told.n_workers)
    at = belief.to_change(told.columns())
    at.factors[2] = 0.5
    for number in range(sweeps):
        sweep(at, 1.0, number == 0, False)
    return at


@given(
    st.integers(0, 10_000), st.integers(0, 3), st.integers(0, 5), st.sampled_from([0.0, 0.3, 1.0]),
    st.sampled_from([(1.1,), (0.05, 6.0), (2.5, 0.4, 4.0)]),
)  # fmt: skip
@settings(max_examples=30)
def test_what_is_meant_is_where_short_steps_lead(seed, workers, sweeps, at_random, cuts):
    told = a_file(seed, items=6, answers=60, workers=workers, cuts=cuts, at_random=at_random, right=0.8)
    if not told.much.any():
        return
    long, short = standing(told, sweeps), standing(told, sweeps)
    for _ in range(200):  # the cut moves once a call
        settle_much(len(told), long)
    for _ in range(20_000):
        was = short.much.copy()
        learn_much(len(told), short)
        if np.abs(short.much - was).max() < 1e-12:
            break
    assert long.much == pytest.approx(short.much, abs=1e-6)
    assert ((long.much[1] > 0) & (long.much[1] < 1)).all()


@pytest.mark.parametrize("seed", range(4))
def test_judges_who_make_no_sense_stay_within_bounds(seed):
    told, moves = a_file(seed, items=4, answers=60, workers=3, right=[0.9, 0.1, 0.5], at_random=0.5), []
    belief = FullPosterior.fit(told, on_sweep=moves.append)
    assert len(moves) <= 2 * MOST_SWEEPS
    assert np.isfinite(belief.mean).all()
    assert ((belief.much > 0) & (belief.much <= 8)).all()
