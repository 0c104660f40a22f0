"""Corners of taking the best from very many or very few questions."""

from collections import Counter

import numpy as np
import pytest

from nextpair.core.akg import akg_scores
from nextpair.core.belief import Belief
from nextpair.core.candidates import Candidates
from nextpair.core.groups import Groups
from nextpair.core.policies import choose_random, find_policy
from nextpair.core.search import Offer, Picker, WorkerClass

ANYBODY = [WorkerClass(1.0, 1.0, (None,))]


def offer(values, first, second, classes, n_items):
    kinds = np.zeros(values.size, dtype=np.int64)
    return Offer(values, first, second, kinds, classes, Groups.singles(n_items))


@pytest.mark.parametrize("n", [1, 200, 257, 400, 599, 600])
def test_the_nth_best_of_hundreds(n):
    """They are put in order a part at a time; every third may not be asked."""
    values = np.random.default_rng(n).permutation(900) / 7
    place = np.arange(900)
    forbidden = {(int(k), int(k) + 1000) for k in place[::3]}
    picker = Picker(Candidates(2000, forbidden=forbidden), np.random.default_rng(0))
    allowed = np.sort(np.delete(values, place[::3]))[::-1]
    assert picker.nth_best(offer(values, place, place + 1000, ANYBODY, 2000), n) == allowed[n - 1]
    assert picker.nth_best(offer(values, place, place + 1000, ANYBODY, 2000), 601) == -np.inf


def test_the_best_of_a_million():
    values = np.random.default_rng(0).random(1_100_000)
    values[[5, 77]] = 2.0
    place = np.arange(values.size)
    picker = Picker(Candidates(3000), np.random.default_rng(1))
    taken = picker.take([offer(values, place // 2000, 1000 + place % 2000, ANYBODY, 3000)], 3)
    assert {choice.score for choice in taken[:2]} == {2.0}
    assert 0.99 < taken[2].score < 1


def test_when_draws_fail_equal_questions_are_gone_through():
    """Only one of 3,000 equal questions may be asked, and it is not at the front."""
    forbidden = {(0, k) for k in range(1, 3001) if k != 2999}
    picker = Picker(Candidates(3001, forbidden=forbidden), np.random.default_rng(0))
    second = np.arange(1, 3001)
    found = picker.take([offer(np.ones(3000), 0 * second, second, [WorkerClass(0.8, 1.0, (4, 5))], 3001)], 2)
    assert [choice.pair for choice in found] == [(0, 2999)]
    assert found[0].worker in (4, 5)


def test_where_draws_fail_every_question_left_is_as_likely():
    """Of 3,000 equal questions three may be asked, each of either worker; so are those equal but for rounding."""
    forbidden = {(0, k) for k in range(1, 3001) if k not in (7, 1500, 2999)}
    second, rng = np.arange(1, 3001), np.random.default_rng(0)
    values = 1 - 1e-12 * (second % 3)

    def drawn():
        some = offer(values.copy(), 0 * second, second, [WorkerClass(0.8, 1.0, (4, 5))], 3001)
        (choice,) = Picker(Candidates(3001, forbidden=forbidden), rng).take([some], 1)
        return choice.j, choice.worker

    counts = Counter(drawn() for _ in range(120))
    assert set(counts) == {(j, worker) for j in (7, 1500, 2999) for worker in (4, 5)}
    assert max(counts.values()) < 40  # 20 expected of each of the six, standard deviation 4


def test_equal_questions_of_several_offers_are_drawn_as_often():
    """Seven (pair, worker) in three offers, and an eighth that may not be asked; others are worth less."""
    candidates = Candidates(6, (0, 1, 2, 3), seen={3: {(0, 1)}})
    kinds = [[WorkerClass(0.9, 1.0, (0, 1))], [WorkerClass(0.8, 1.0, (2,))], [WorkerClass(0.7, 1.0, (3,))]]
    values, first = np.array([1.0, 1.0, 0.5]), np.array([0, 2, 3])

    def drawn(rng):
        offers = [offer(values.copy(), first, first + 1, kind, 6) for kind in kinds]
        (choice,) = Picker(candidates, rng).take(offers, 1)
        return choice.pair, choice.worker

    rng = np.random.default_rng(0)
    counts = Counter(drawn(rng) for _ in range(700))
    assert set(counts) == {((i, i + 1), w) for i in (0, 2) for w in range(4)} - {((0, 1), 3)}
    assert max(counts.values()) < 150  # 100 expected of each of the seven, standard deviation 9
    assert min(counts.values()) > 60


def test_random_questions_of_a_list():
    rows = np.array([(0, 1, 0), (1, 2, 1), (0, 1, 1), (2, 3, 7)])
    candidates = Candidates(4, (0, 1), listed=rows, seen={1: {(1, 2)}})
    found = choose_random(Belief.prior(4, 2), candidates, np.random.default_rng(0), 5)
    assert [choice.pair for choice in found] == [(0, 1)]


@pytest.mark.parametrize("name", ["asap", "full-posterior"])
def test_a_question_listed_twice_counts_once(name):
    rows = np.array([(0, 1, -1)] * 6 + [(2, 3, -1)])
    policy, rng = find_policy(name), np.random.default_rng(0)
    drawn = Counter(policy.choose(policy.prior(4, 0), Candidates(4, listed=rows), rng, 1)[0].pair for _ in range(100))
    assert 30 < drawn[0, 1] < 70


@pytest.mark.parametrize("name", ["akg", "akg-pending"])
def test_where_no_answer_gains_anything_the_cheapest_is_asked(name):
    """Item 0 won six times: no single answer turns the order. Divided by its price, the dearest would lose least."""
    belief = Belief.prior(2, 3).fold([0] * 6, [1] * 6)
    assert max(np.nanmax(akg_scores(belief, worker)) for worker in range(3)) < 1e-15
    costs, policy = {0: 1.0, 1: 0.05, 2: 20.0}, find_policy(name)

    def asked(**rules):
        found = (
            policy.choose(belief, Candidates(2, (0, 1, 2), costs, **rules), np.random.default_rng(k)) for k in range(9)
        )
        return {choice.worker for choices in found for choice in choices}

    assert asked() == {1}
    assert asked(seen={1: {(0, 1)}}) == {0}
    assert asked(listed=np.array([(0, 1, 0), (0, 1, 2)])) == {0}


def test_of_a_batch_what_gains_nothing_goes_to_the_cheapest():
    """Of items 0 and 1 nobody knows which is better; the order of 2 and 3, both far below, no answer turns."""
    belief = Belief(np.array([5.0, 5.0, 1.0, 0.001]), np.array([8.0, 8.0]), np.array([1.0, 1.0]))
    scores = akg_scores(belief, 0)
    assert scores[2, 3] < -1e-8 < 0.01 < scores[0, 1]
    listed = np.array([(0, 1, 1), (2, 3, 0), (2, 3, 1)])
    candidates = Candidates(4, (0, 1), {0: 1.0, 1: 3.0}, listed=listed)
    found = find_policy("akg").choose(belief, candidates, np.random.default_rng(0), 2)
    assert [(choice.pair, choice.worker) for choice in found] == [((0, 1), 1), ((2, 3), 0)]


def test_the_pending_policy_has_a_name():
    assert find_policy("akg-pending").choose(Belief.prior(4), Candidates(4), np.random.default_rng(0), 2)
