"""The batch that knows of itself, against the expectation written out."""

import numpy as np
import pytest

from nextpair.core.akg import akg_scores, choose
from nextpair.core.belief import Belief
from nextpair.core.candidates import Candidates
from nextpair.core.pending import SCENARIOS, _answered, choose_pending

BELIEF = Belief([1.0, 1.4, 0.6, 2.0, 2.2], [4.0, 3.0], [1.0, 2.0])


def expectation(belief, asked, worker):
    """Scores for `worker` averaged over both answers to each asked question, in turn."""
    if not asked:
        return akg_scores(belief, worker)
    (i, j, w), *rest = asked
    p = 1.0 if w is None else belief.reliability[w]
    share = belief.alpha[i] / (belief.alpha[i] + belief.alpha[j])
    chance = p * share + (1 - p) * (1 - share)
    yes, no = belief.update(i, j, w), belief.update(j, i, w)
    return chance * expectation(yes, rest, worker) + (1 - chance) * expectation(no, rest, worker)


@pytest.mark.parametrize(
    "asked", [[], [(0, 1, None)], [(0, 1, None), (3, 4, None)], [(0, 3, 1), (4, 0, 0), (1, 2, None)]]
)
def test_the_next_question_is_best_in_expectation(asked):
    got = choose_pending(BELIEF, Candidates(5, in_flight=tuple(asked)), np.random.default_rng(0))[0]
    want = expectation(BELIEF, asked, None)
    assert got.score == pytest.approx(np.nanmax(want), rel=1e-9)
    assert want[got.i, got.j] == pytest.approx(got.score, rel=1e-9)


def test_a_batch_starts_like_the_plain_one_and_then_looks_elsewhere():
    belief = Belief(np.linspace(1.0, 3.0, 14), [4.0, 2.0], [1.0, 2.5])
    candidates = Candidates(14, (0, 1))
    rng = np.random.default_rng(0)
    plain = choose(belief, candidates, rng, 6)
    batch = choose_pending(belief, candidates, rng, 6)
    assert batch[0].pair == plain[0].pair
    assert len({choice.pair for choice in batch}) == 6
    assert {choice.pair for choice in batch} != {choice.pair for choice in plain}


def test_listed_and_needy_hold_and_a_batch_may_run_short():
    rows = np.array([(0, 1, -1), (1, 2, -1), (3, 4, -1)])
    needy = np.array([True, False, False, True, False])
    got = choose_pending(BELIEF, Candidates(5, listed=rows, needy=needy), np.random.default_rng(0), 5)
    assert {choice.pair for choice in got} == {(0, 1), (3, 4)}
    unlisted = choose_pending(BELIEF, Candidates(5, needy=needy), np.random.default_rng(0), 10)
    assert all(needy[choice.i] or needy[choice.j] for choice in unlisted)


def test_weaker_workers_in_a_batch():
    workers = Candidates(5, (0, 1), seen={0: {(i, j) for i in range(5) for j in range(i + 1, 5)}})
    assert {c.worker for c in choose_pending(BELIEF, workers, np.random.default_rng(0), 2)} == {1}


@pytest.mark.parametrize("costs", [{}, {0: 1.0, 1: 0.7, 2: 2.5}, {0: 0.9, 1: 0.3, 2: 0.8}])
@pytest.mark.parametrize("n_seen", [0, 40, 3160])
def test_the_next_question_is_the_best_of_all_workers_in_expectation(costs, n_seen):
    """The strongest has seen the pairs that are best for them: what a weaker one is worth per cost decides.

    With so many items there are bounds, by which most questions are passed over.
    """
    belief = Belief(np.random.default_rng(1).gamma(1.5, 1.0, 80), [9.0, 6.0, 2.0], [1.0, 1.0, 6.0])
    asked = [(0, 1, 2), (4, 3, None)]
    i, j = np.triu_indices(80, 1)
    tables = [expectation(belief, asked, w)[i, j] / costs.get(w, 1.0) for w in range(3)]
    tables[0][np.argsort(-tables[0])[:n_seen]] = -np.inf
    seen = {0: {(int(i[k]), int(j[k])) for k in np.flatnonzero(tables[0] == -np.inf)}}
    candidates = Candidates(80, (0, 1, 2), costs, seen, in_flight=tuple(asked))
    (got,) = choose_pending(belief, candidates, np.random.default_rng(0))
    worker, best = np.unravel_index(np.argmax(tables), (3, i.size))
    assert (got.i, got.j, got.worker) == (i[best], j[best], worker)
    assert got.score == pytest.approx(tables[worker][best], rel=1e-9)


def test_scenarios_are_thinned_out_without_bias():
    """Five questions in flight have 32 outcomes, of which eight are kept: on average what all of them come to."""
    asked = [(0, 1, 0), (3, 4, None), (2, 0, 1), (4, 1, 0), (1, 2, None)]

    def after(belief, rest):
        """(alpha, reliability) on average over all answers."""
        if not rest:
            return np.concatenate([belief.alpha, belief.reliability])
        (i, j, w), *later = rest
        p = 1.0 if w is None else belief.reliability[w]
        share = belief.alpha[i] / (belief.alpha[i] + belief.alpha[j])
        chance = p * share + (1 - p) * (1 - share)
        yes, no = after(belief.update(i, j, w), later), after(belief.update(j, i, w), later)
        return chance * yes + (1 - chance) * no

    rng, found = np.random.default_rng(0), []
    for _ in range(150):
        beliefs, weights = [BELIEF], np.ones(1)
        for question in asked:
            beliefs, weights = _answered(beliefs, weights, question, rng)
        assert len(beliefs) == SCENARIOS
        assert weights.sum() == pytest.approx(1)
        found.append(weights @ [np.concatenate([one.alpha, one.reliability]) for one in beliefs])
    error = np.std(found, axis=0) / np.sqrt(len(found))
    assert (np.abs(np.mean(found, axis=0) - after(BELIEF, asked)) < 4 * error).all()
