"""Crowd-BT among many workers: the search asks what is asked if all questions are worked out, to the last bit."""

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from nextpair.core import crowd_bt_search
from nextpair.core.candidates import Candidates
from nextpair.core.crowd_bt import FEW, CrowdBtBelief, choose, information_gain
from nextpair.core.crowd_bt_search import Search
from nextpair.core.kernels.crowd_bt import ceilings, gains, pair_chances, worker_part
from nextpair.core.questions import best_questions


def some_case(seed, gamma):
    """Few kinds of items and workers, so that many questions are worth the same, or all different."""
    rng = np.random.default_rng(seed)
    n_items, n_workers = int(rng.integers(2, 9)), int(rng.integers(1, 24))
    items, kinds = (rng.integers(0, most, n) for most, n in ((rng.choice([1, 2, 50]), n_items), (3, n_workers)))
    mean, var = rng.normal(0, 2, 50)[items], rng.uniform(0.05, 6, 50)[items]
    each = np.arange(n_workers) if rng.random() < 0.5 else kinds
    mu, nu = rng.uniform(0.2, 30, 24)[each], rng.uniform(0.2, 8, 24)[each]
    if rng.random() < 0.2:
        nu[0] = 0.0  # known for certain
    costs = {w: float(rng.choice([0.5, 1.0])) for w in range(n_workers) if rng.random() < 0.3}
    seen = {
        w: {tuple(sorted(rng.choice(n_items, 2, replace=False).tolist())) for _ in range(rng.integers(0, 9))}
        for w in range(n_workers)
        if rng.random() < 0.6
    }
    needy = None if rng.random() < 0.7 else rng.random(n_items) < 0.5
    workers = tuple(rng.permutation(n_workers)[: rng.integers(1, n_workers + 1)].tolist())
    forbidden = frozenset({(0, 1)}) if rng.random() < 0.3 else frozenset()
    return CrowdBtBelief(mean, var, mu, nu, gamma), Candidates(n_items, workers, costs, seen, forbidden, needy)


@given(seed=st.integers(0, 99_999), gamma=st.sampled_from([0.0, 0.1, 1.0, 20.0]), n=st.integers(1, 6))
@settings(max_examples=300)
def test_the_search_asks_what_working_out_everything_asks(seed, gamma, n):
    belief, candidates = some_case(seed, gamma)
    searched = Search(belief, candidates).choose(np.random.default_rng(seed), n)
    assert searched == best_questions(candidates, information_gain(belief), np.random.default_rng(seed), n)


@given(
    up=st.floats(0.01, 0.99),
    var=st.tuples(st.floats(0.05, 6), st.floats(0.05, 6)),
    p=st.tuples(st.floats(0.02, 0.98), st.floats(0.02, 0.98)),
    known=st.floats(0.5, 60),
    gamma=st.sampled_from([0.0, 20.0]),
)
@example(up=0.3, var=(1, 1), p=(0.8, 0.8), known=1.0, gamma=20.0)  # one worker: what is read of the table is too little
@settings(max_examples=200)
def test_no_question_is_worth_more_than_its_ceiling(up, var, p, known, gamma):
    """Whoever of a range of workers is asked."""
    mean, var = np.array([np.log(up / (1 - up)), 0.0]), np.array(var)
    pair = np.array([0]), np.array([1])
    betas = [(known * share, known * (1 - share)) for share in np.linspace(min(p), max(p), 9)]
    part = np.max([worker_part(*beta, gamma) for beta in betas], axis=0)
    ends = betas[0][0] / sum(betas[0]), betas[-1][0] / sum(betas[-1])
    (most,) = ceilings(var, *pair, *pair_chances(mean, var, *pair), *ends, part)
    assert max(gains(mean, var, *pair, *beta, gamma, -np.inf)[0] for beta in betas) <= most


@pytest.mark.parametrize("n_workers", [FEW - 1, FEW])
def test_few_workers_and_many_are_asked_by_the_same_rule(n_workers):
    rng = np.random.default_rng(3)
    belief = CrowdBtBelief(rng.normal(0, 1, 30), np.ones(30), rng.uniform(2, 9, n_workers), np.ones(n_workers))
    candidates = Candidates(30, tuple(range(n_workers)))
    (choice,) = choose(belief, candidates, np.random.default_rng(0))
    assert [choice] == best_questions(candidates, information_gain(belief), np.random.default_rng(0))


def test_few_of_the_workers_are_looked_at_exactly(monkeypatch):
    """Of 200 workers who all differ. Those of whom the same is believed, as at the start, are one."""
    worked_out = []

    def counted(mean, var, rows, *rest):
        worked_out.append(rows.size)
        return gains(mean, var, rows, *rest)

    monkeypatch.setattr(crowd_bt_search, "gains", counted)
    rng = np.random.default_rng(5)
    told = rng.integers(0, 40, 3000), rng.integers(40, 80, 3000), rng.integers(0, 200, 3000)
    candidates, prior = Candidates(80, tuple(range(200))), CrowdBtBelief.prior(80, 200)
    choose(prior.fold(*told), candidates, rng)
    assert sum(worked_out) < 80 * 79 / 2 * 200 / 50
    worked_out.clear()
    choose(prior, candidates, rng)
    assert worked_out == [80 * 79 / 2]
