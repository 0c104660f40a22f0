"""What every policy must do, whatever it believes: obey the rules of the candidates and break ties fairly."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nextpair.core.belief import Belief
from nextpair.core.candidates import Candidates
from nextpair.core.distance import closeness, relative_closeness
from nextpair.core.policies import POLICIES, find_policy, settled
from nextpair.errors import InvalidSetting

K, M = 4, 3  # small enough for the optimal policy
NAMES = sorted(POLICIES)
PAIRS = [(i, j) for i in range(K) for j in range(i + 1, K)]


def some_belief(name, seed, answers=6, n_items=K):
    rng = np.random.default_rng(seed)
    belief = find_policy(name).prior(n_items, M, reliability=(4.0, 1.0))
    for _ in range(answers):
        i, j = rng.choice(n_items, 2, replace=False)
        worker = [None, *range(M)][rng.integers(M + 1)]
        belief = belief.update(int(i), int(j), worker, tie=bool(rng.random() < 0.2))
    return belief


def choose(name, belief, candidates, seed=0, n=1):
    return find_policy(name).choose(belief, candidates, np.random.default_rng(seed), n)


pairs = st.frozensets(st.sampled_from(PAIRS), max_size=5)
rules = st.fixed_dictionaries(
    {
        "workers": st.one_of(st.none(), st.lists(st.integers(0, M - 1), unique=True).map(tuple)),
        "costs": st.dictionaries(st.integers(0, M - 1), st.sampled_from([0.5, 2.0])),
        "seen": st.dictionaries(st.integers(0, M - 1), pairs),
        "forbidden": pairs,
        "needy": st.one_of(st.none(), st.lists(st.booleans(), min_size=K, max_size=K).map(np.array)),
    }
)


@given(rule=rules)
def test_a_pair_is_allowed_where_it_is_open(rule):
    candidates = Candidates(K, **rule)
    for worker in (None, *range(M)):
        allowed = [[candidates.allows(i, j, worker) for j in range(K)] for i in range(K)]
        assert candidates.open_pairs(worker).tolist() == allowed
        needed = [True] * K if rule["needy"] is None else rule["needy"].tolist()
        out = rule["forbidden"] | rule["seen"].get(worker, frozenset())
        for i, j in PAIRS:
            assert allowed[i][j] == allowed[j][i] == ((i, j) not in out and (needed[i] or needed[j]))


@pytest.mark.parametrize("name", NAMES)
@given(rule=rules, seed=st.integers(0, 99), n=st.integers(1, 8))
@settings(max_examples=25)
def test_only_candidates_are_asked_and_all_when_many_are_wanted(name, rule, seed, n):
    candidates = Candidates(K, **rule)
    choices = choose(name, some_belief(name, seed), candidates, seed, n)
    assert all(c.i < c.j and c.worker in candidates.askable() for c in choices)
    assert all(candidates.allows(c.i, c.j, c.worker) for c in choices)
    assert len({c.pair for c in choices}) == len(choices)
    askable = {p for p in PAIRS for w in candidates.askable() if candidates.allows(*p, w)}
    assert len(choices) == min(n, len(askable))


@pytest.mark.parametrize("name", NAMES)
@given(
    rule=rules,
    rows=st.lists(st.tuples(st.sampled_from(PAIRS), st.integers(-1, M - 1)), max_size=8),
    seed=st.integers(0, 99),
    n=st.integers(1, 5),
)
@settings(max_examples=25)
def test_of_listed_questions_only_those_are_asked(name, rule, rows, seed, n):
    rows = [(i, j, w) for (i, j), w in rows]
    candidates = Candidates(K, **rule, listed=np.array(rows, dtype=np.int64).reshape(-1, 3))
    choices = choose(name, some_belief(name, seed), candidates, seed, n)
    left = {
        (i, j, None if w < 0 else w)
        for i, j, w in rows
        if (None if w < 0 else w) in candidates.askable() and candidates.allows(i, j, None if w < 0 else w)
    }
    assert {(c.i, c.j, c.worker) for c in choices} <= left
    assert len(choices) == len({c.pair for c in choices}) == min(n, len({(i, j) for i, j, _ in left}))


@pytest.mark.parametrize("name", NAMES)
def test_a_list_may_run_short_and_out(name):
    candidates = Candidates(K, (0, 1), listed=np.array([(0, 2, 1)]))
    (only,) = choose(name, some_belief(name, 1), candidates, 1, 3)
    assert (only.i, only.j, only.worker) == (0, 2, 1)
    assert choose(name, some_belief(name, 1), replace(candidates, listed=candidates.listed[:0]), 1, 3) == []


@pytest.mark.parametrize("name", NAMES)
def test_ties_are_broken_uniformly(name):
    belief = find_policy(name).prior(3, 2, reliability=(4.0, 1.0))
    rng = np.random.default_rng(1)
    candidates = Candidates(3, workers=(0, 1))
    drawn = Counter()
    for _ in range(600):
        (choice,) = find_policy(name).choose(belief, candidates, rng, 1)
        drawn[choice.pair, choice.worker] += 1
    assert len(drawn) == 6
    assert max(drawn.values()) < 145  # 100 expected, standard deviation 9
    assert min(drawn.values()) > 60


@pytest.mark.parametrize("name", NAMES)
def test_workers_who_hardly_differ_are_asked_as_often(name):
    """What a question is worth differs by rounding only: less than what counts as a difference."""
    belief = find_policy(name).prior(3, 0)
    for k in range(3):
        belief = belief.with_worker((9.0 + 1e-12 * k, 1.0))
    rng, drawn = np.random.default_rng(2), Counter()
    for _ in range(300):
        (choice,) = find_policy(name).choose(belief, Candidates(3, workers=(0, 1, 2)), rng, 1)
        drawn[choice.worker] += 1
    assert max(drawn.values()) < 140  # 100 expected, standard deviation 8
    assert min(drawn.values()) > 62


@pytest.mark.parametrize("name", ["random", "akg", "full-posterior"])
def test_of_a_few_that_are_left_each_is_drawn_as_often(name):
    """Of 40 items four pairs are left, one of which worker 0 has seen, and three of which worker 2 has."""
    every = {(i, j) for i in range(40) for j in range(i + 1, 40)}
    left = [(0, 1), (3, 17), (5, 39), (20, 21)]
    seen = {0: {left[1]}, 2: set(left[1:])}
    candidates = Candidates(40, (0, 1, 2), seen=seen, forbidden=frozenset(every - set(left)))
    belief, rng = find_policy(name).prior(40, M), np.random.default_rng(0)
    drawn = Counter(
        (choice.pair, choice.worker)
        for _ in range(240)
        for choice in find_policy(name).choose(belief, candidates, rng, 1)
    )
    assert set(drawn) == {(pair, w) for w in range(3) for pair in left if pair not in seen.get(w, ())}
    assert max(drawn.values()) < 56  # 30 expected of each of the eight, standard deviation 5
    assert min(drawn.values()) > 9


@pytest.mark.parametrize("name", NAMES)
def test_the_same_generator_gives_the_same_questions(name):
    belief = some_belief(name, 3)
    candidates = Candidates(K, workers=(0, 1, 2))
    assert choose(name, belief, candidates, 5, 4) == choose(name, belief, candidates, 5, 4)


@pytest.mark.parametrize("name", sorted(set(NAMES) - {"random", "centrality-random", "rank-centrality"}))
def test_a_cheaper_worker_is_asked_first_when_workers_are_alike(name):
    belief = find_policy(name).prior(K, M, reliability=(4.0, 1.0)).update(0, 1).update(2, 3)
    candidates = Candidates(K, workers=(0, 1, 2), costs={0: 3.0, 1: 2.0, 2: 2.5})
    assert {c.worker for c in choose(name, belief, candidates, n=3)} == {1}
    (choice,) = choose(name, belief, Candidates(K, workers=(0, 1, 2), costs={0: 1.05, 2: 1.1}))
    assert choice.worker == 1  # whose cost is not given: 1


@pytest.mark.parametrize("name", NAMES)
@given(seed=st.integers(0, 99), cut=st.integers(0, 9))
@settings(max_examples=10)
def test_folding_is_updating_bit_for_bit(name, seed, cut):
    rng = np.random.default_rng(seed)
    asked = np.array([rng.choice(K, 2, replace=False) for _ in range(9)])
    workers, ties = rng.integers(-1, M, 9), (rng.random(9) < 0.3).astype(int)
    start = find_policy(name).prior(K, M, reliability=(4.0, 1.0))
    one = start.fold(asked[:cut, 0], asked[:cut, 1], workers[:cut], ties[:cut])
    one = one.fold(asked[cut:, 0], asked[cut:, 1], workers[cut:], ties[cut:])
    other = start
    for (i, j), w, tie in zip(asked.tolist(), workers.tolist(), ties, strict=True):
        other = other.update(i, j, None if w < 0 else w, tie=bool(tie))
    assert one.scores().tobytes() == other.scores().tobytes()
    assert one.reliability.tobytes() == other.reliability.tobytes()


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("answers", [12, 90])
def test_a_belief_answers_every_question_of_the_model(name, answers):
    belief = some_belief(name, 8, answers=answers)
    ranking, scores = belief.ranking(), belief.scores()
    assert sorted(ranking.tolist()) == list(range(K))
    assert (np.diff(scores[ranking]) <= 0).all()
    low, high = belief.intervals(0.8)
    assert (low <= scores).all()
    assert (scores <= high).all()
    wider = belief.intervals(0.95)
    assert (wider[0] <= low).all()
    assert (high <= wider[1]).all()
    assert belief.prob_above(0, 1) + belief.prob_above(1, 0) == pytest.approx(1)
    assert belief.prob_top(2).sum() == pytest.approx(2)
    assert belief.prob_top(K) == pytest.approx(np.ones(K))
    rest = [one for one in range(K) if one not in (0, 1)]
    assert belief.prob_top(1, without=rest)[:2] == pytest.approx(
        [belief.prob_above(0, 1), belief.prob_above(1, 0)], abs=0.02
    )
    certain = [belief.prob_above(int(ranking[a]), int(ranking[b])) for a in range(K) for b in range(a + 1, K)]
    assert belief.expected_accuracy() == pytest.approx(np.mean(certain))
    assert belief.reliability.shape == (M,)


@pytest.mark.parametrize("name", NAMES)
def test_a_belief_grows_by_items_and_workers(name):
    belief = some_belief(name, 4, n_items=3).with_item().with_worker((9.0, 1.0))
    assert (belief.n_items, belief.n_workers) == (4, M + 1)
    assert belief.reliability[M] == pytest.approx(0.9)
    assert len(belief.update(3, 0, M).ranking()) == 4


@pytest.mark.parametrize("name", NAMES)
def test_who_comes_later_is_known_as_little_as_who_was_there(name):
    prior = find_policy(name).prior
    there = prior(4, 2, reliability=(3.0, 2.0))
    grown = prior(3, 1, reliability=(3.0, 2.0)).with_item().with_worker((3.0, 2.0))
    for belief in (grown, there):
        parts = [part for part in vars(belief).values() if isinstance(part, np.ndarray) and part.dtype == np.float64]
        assert not any(part.flags.writeable for part in parts)
    assert grown.scores().tolist() == there.scores().tolist()
    assert grown.reliability.tolist() == there.reliability.tolist()
    np.testing.assert_allclose(grown.intervals(0.8), there.intervals(0.8), rtol=1e-12)


@pytest.mark.parametrize("name", NAMES)
@given(joining=st.lists(st.sampled_from([(4.0, 1.0), (9.0, 1.0), (2.0, 3.0)]), max_size=5), answers=st.integers(0, 12))
def test_who_joins_together_is_as_who_joins_one_by_one(name, joining, answers):
    together = some_belief(name, 4, answers=answers)
    one_by_one = together
    together = together.with_workers(joining)
    for reliability in joining:
        one_by_one = one_by_one.with_worker(reliability)
    for mine, theirs in zip(bits(together), bits(one_by_one), strict=True):
        assert mine.dtype == theirs.dtype
        assert mine.tolist() == theirs.tolist()


def bits(belief):
    """All arrays that a belief keeps, also in another belief inside of it."""
    for part in vars(belief).values():
        if isinstance(part, np.ndarray):
            yield part
        elif hasattr(part, "with_workers"):
            yield from bits(part)


@pytest.mark.parametrize("name", NAMES)
def test_impossible_questions_to_a_belief_are_refused(name):
    belief = some_belief(name, 4)
    with pytest.raises(InvalidSetting, match="no item 9"):
        belief.prob_above(0, 9)
    with pytest.raises(InvalidSetting, match="no item 4"):
        belief.update(4, 0)
    with pytest.raises(InvalidSetting, match="no worker 7"):
        belief.update(1, 0, 7)
    with pytest.raises(InvalidSetting, match="itself"):
        belief.update(1, 1)
    for k in (0, K + 1):
        with pytest.raises(InvalidSetting, match=f"there is no top {k} of 4 items: k goes from 1 to 4"):
            belief.prob_top(k)
    with pytest.raises(InvalidSetting, match="there is no top 1.5 of 4"):
        belief.prob_top(1.5)
    with pytest.raises(InvalidSetting, match="there is no top 4 of 3 items: k goes from 1 to 3"):
        belief.prob_top(K, without=[1])
    with pytest.raises(InvalidSetting, match="between 0 and 1"):
        belief.intervals(1.0)
    with pytest.raises(InvalidSetting):
        find_policy(name).prior(1, 0)
    assert find_policy(name).prior(2, 0).update(1, 0).ranking().tolist() == [1, 0]


def test_an_unknown_policy_is_answered_with_the_known_ones():
    with pytest.raises(InvalidSetting, match="unknown policy 'agk': choose one of akg, .*random, distance"):
        find_policy("agk")


def looks(choose, seed, n_answers=600, n_items=6):
    """How often each item is looked at in the second half of a run; each item is twice as good as the next."""
    rng = np.random.default_rng(seed)
    theta = 2.0 ** np.arange(n_items)
    belief, looks = Belief.prior(n_items), np.zeros(n_items, dtype=int)
    for t in range(n_answers):
        i, j = choose(belief, rng)
        if t >= n_answers // 2:
            looks[[i, j]] += 1
        won = rng.random() < theta[i] / (theta[i] + theta[j])
        belief = belief.update(i, j) if won else belief.update(j, i)
    return looks


@pytest.mark.parametrize("name", ["distance", "relative-distance"])
def test_distance_goes_on_to_look_at_every_item_where_its_transcription_is_stuck_on_two(name):
    def transcribed(belief, rng):
        i, j = np.triu_indices(belief.n_items, 1)
        closest = np.argmin(np.abs(belief.alpha[i] - belief.alpha[j]))
        return int(i[closest]), int(j[closest])

    def ours(belief, rng):
        return find_policy(name).choose(belief, Candidates(belief.n_items), rng, 1)[0].pair

    assert sorted(looks(transcribed, 1))[:4] == [0, 0, 0, 0]
    for seed in range(3):
        assert looks(ours, seed).min() > 0


def test_closeness_is_nothing_where_alpha_vanished():
    alpha = np.array([1e-60, 1.001e-60, 1e-20, 1e-21, 2.0, 1.4])
    pairs = np.array([0, 2, 3, 4]), np.array([1, 3, 4, 5])
    assert closeness(alpha, *pairs) == pytest.approx([0, 1, 1 - 2.0 / 3.4, 1 - 0.6 / 3.4])
    assert relative_closeness(alpha, *pairs) == pytest.approx([0, 2 / 11, 1e-21, 2.8 / 3.4])


@pytest.mark.parametrize(("name", "closest"), [("distance", (2, 3)), ("relative-distance", (4, 5))])
def test_distance_asks_the_closest_pair_but_for_a_few_at_random(name, closest):
    belief = Belief([1e-60, 1.001e-60, 0.1, 0.15, 2.0, 1.4, 0.3], [], [])
    asked = Counter(choose(name, belief, Candidates(7), seed)[0].pair for seed in range(400))
    assert asked.most_common(1)[0][0] == closest
    assert 5 <= 400 - asked[closest] <= 40  # one in twenty
    assert len(choose(name, belief, Candidates(7), n=21)) == 21


def test_random_finds_the_one_question_that_is_left():
    every = [(i, j) for i in range(40) for j in range(i + 1, 40)]
    candidates = Candidates(40, workers=(0, 2), forbidden=frozenset(every) - {(3, 17)}, seen={0: {(3, 17)}})
    choices = choose("random", Belief.prior(40, 3), candidates, n=2)
    assert [(c.pair, c.worker) for c in choices] == [((3, 17), 2)]


def test_centrality_takes_what_it_cannot_know_from_the_moment_matched_belief():
    belief = some_belief("centrality-akg", 2)
    assert (belief.mu == belief.inner.mu).all()
    assert (belief.nu == belief.inner.nu).all()
    assert belief.inner.alpha == pytest.approx(some_belief("akg", 2).alpha)


@pytest.mark.parametrize(
    ("items", "best", "stops", "name"),
    [
        (500, None, False, "full-posterior"),
        (501, None, False, "akg"),
        (501, None, True, "akg"),
        (501, 3, False, "full-posterior"),
        (5, None, True, "full-posterior-checked"),
    ],
)
def test_what_auto_stands_for(items, best, stops, name):
    assert settled("auto", items, best, stops=stops) == name
    assert settled(name, items, stops=stops) == name


def test_a_name_that_cannot_be_run_is_refused_with_those_that_can():
    with pytest.raises(InvalidSetting, match="unknown policy 'agk': choose auto or one of akg, .*random, distance"):
        settled("agk", 5)
    with pytest.raises(InvalidSetting, match="'akg' cannot look for the best alone: choose full-posterior or "):
        settled("akg", 5, 2)
    with pytest.raises(InvalidSetting, match="'akg' makes nothing of a guess: choose full-posterior or "):
        settled("akg", 5, guessed=True)


def test_with_a_guess_auto_takes_one_at_any_size():
    assert settled("auto", 501, guessed=True) == "full-posterior"
    assert settled("auto", 501, stops=True, guessed=True) == "full-posterior-checked"
    assert settled("full-posterior", 5, guessed=True) == "full-posterior"


@pytest.mark.parametrize("name", NAMES)
def test_a_policy_says_whether_it_hears_by_how_much(name):
    told = [(0, 1, 0), (1, 2, 0), (0, 2, 1), (2, 3, 1)]

    def scores(much):
        belief = find_policy(name).prior(K, M, reliability=(4.0, 1.0))
        for number, (i, j, worker) in enumerate(told):
            belief = belief.update(i, j, worker, much=much and number % 2 == 0)
        return belief.scores().tolist()

    assert (scores(True) != scores(False)) is find_policy(name).hears_much
