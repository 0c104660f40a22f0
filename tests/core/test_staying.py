"""One item stays: the same questions as a list of all that may be asked, which of many workers has millions of rows."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_policies import NAMES, PAIRS, K, M, choose, pairs, rules, some_belief

from nextpair.core.candidates import Candidates
from nextpair.core.policies import find_policy
from nextpair.core.questions import open_questions
from nextpair.core.staying import parts

kept = st.lists(st.integers(0, K - 1), min_size=1, max_size=2, unique=True).map(tuple)
stays = st.dictionaries(st.integers(0, M - 1), kept)
NONE = np.zeros((K, K), dtype=bool)
crowds = st.lists(st.integers(0, M - 1), unique=True).map(sorted).map(tuple)


def naive(candidates):
    """The same as one list of everything."""
    rows = [
        (*pair, w)
        for w in candidates.workers
        for pair in PAIRS
        if w not in candidates.stays or set(pair) & set(candidates.stays[w])
    ]
    rules = {name: getattr(candidates, name) for name in ("costs", "seen", "forbidden", "needy")}
    listed = np.array(rows, dtype=np.int64).reshape(-1, 3)
    return Candidates(K, candidates.workers, **rules, listed=listed)


def asked(candidates, taken):
    rows = [zip(*map(np.ndarray.tolist, block), strict=True) for block in open_questions(candidates, taken)]
    return sorted(row for block in rows for row in block)


@given(rules, crowds, stays, pairs)
def test_what_may_be_asked_is_what_a_list_would_have(rule, workers, stays, out):
    staying = Candidates(K, **rule | {"workers": workers}, stays=stays)
    taken = NONE.copy()
    for pair in out:
        taken[pair] = True
    everything = asked(naive(staying), taken)
    assert asked(staying, taken) == everything  # and nothing twice
    for w in workers:
        allowed = [[staying.allows(i, j, w) for j in range(K)] for i in range(K)]
        assert staying.open_pairs(w).tolist() == allowed
        assert [(w, i, j) for i, j in PAIRS if allowed[i][j] and not taken[i, j]] == [
            row for row in everything if row[0] == w
        ]


@pytest.mark.parametrize("name", NAMES)
@given(rules, crowds, stays, st.integers(0, 99))
@settings(max_examples=25)
def test_every_policy_chooses_as_from_a_list(name, rule, workers, stays, seed):
    staying = Candidates(K, **rule | {"workers": workers}, stays=stays)
    belief = some_belief(name, seed)
    found, from_list = choose(name, belief, staying, seed), choose(name, belief, naive(staying), seed)
    assert len(found) == len(from_list)
    if found and name != "full-posterior-checked":  # which draws what it chooses from
        assert found[0].score == pytest.approx(from_list[0].score, rel=1e-9)
    batch = choose(name, belief, staying, seed, 5)
    assert all(staying.allows(c.i, c.j, c.worker) and c.worker in workers for c in batch)
    assert len(batch) == len({c.pair for c in batch}) == min(5, len({row[1:] for row in asked(staying, NONE)}))


@pytest.mark.parametrize("name", ["akg", "full-posterior", "full-posterior-checked", "random"])
def test_equal_questions_are_drawn_alike_whoever_keeps_something(name):
    belief, rng = find_policy(name).prior(3, 3, reliability=(4.0, 1.0)), np.random.default_rng(1)
    staying = Candidates(3, (0, 1, 2), seen={0: {(0, 1)}, 2: {(0, 2)}}, stays={0: (1,), 1: (0, 2)})
    drawn = Counter((c.pair, c.worker) for _ in range(700) for c in find_policy(name).choose(belief, staying, rng, 1))
    may = [(pair, w) for w in range(3) for pair in [(0, 1), (0, 2), (1, 2)] if staying.allows(*pair, w)]
    assert drawn.keys() == set(may)
    assert len(may) == 6
    if name in ("akg", "random"):  # the others prefer some pairs: the mean and standard deviation are 117 and 10
        assert min(drawn.values()) > 70
        assert max(drawn.values()) < 165


@pytest.mark.parametrize("n_workers", [10, 300])
def test_only_who_keeps_something_has_a_list(n_workers):
    staying = Candidates(400, tuple(range(n_workers)), stays={3: (7,), 5: (8, 9)})
    bound, free = parts(staying)
    assert bound.workers == (3, 5)
    assert len(bound.listed) == 399 + 398 + 399
    assert free.listed is None
    assert len(free.workers) == n_workers - 2
    assert parts(replace(staying, listed=bound.listed[:5]))[0].listed.shape == (5, 3)
