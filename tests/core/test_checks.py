"""Check questions: how many, which pairs, of whom; and that they make claims honest."""

import numpy as np
import pytest

from nextpair import Campaign
from nextpair.core import checks
from nextpair.core.candidates import Candidates
from nextpair.core.full_posterior import FullPosterior
from nextpair.core.look_ahead import question_gains
from nextpair.core.policies import POLICIES, find_policy
from nextpair.lab.stopping import stopped

CLEAR = [(0, 1), (1, 2), (0, 2)] * 12  # 0 above 1 above 2, beyond doubt; nothing is known of 3 and 4


def clear_belief(n_items=5, n_workers=3):
    winners, losers = np.array(CLEAR).T
    return FullPosterior.prior(n_items, n_workers, learns_spread=True).fold(winners, losers)


def asked_about_what_is_clear(n, seed=0):
    """How many of n questions are about a pair that look-ahead has no reason to ask about."""
    rng, belief = np.random.default_rng(seed), clear_belief()
    choices = [checks.choose(belief, Candidates(5, (0, 1, 2)), rng, 1)[0] for _ in range(n)]
    return sum(max(choice.pair) <= 2 for choice in choices)


def test_one_question_in_five_is_about_any_pair():
    share = asked_about_what_is_clear(2000) / 2000
    assert share == pytest.approx(checks.SHARE * 3 / 10, abs=0.02)  # 3 of the 10 pairs; standard deviation 0.005
    plain, rng = find_policy("full-posterior"), np.random.default_rng(0)
    choices = [plain.choose(clear_belief(), Candidates(5, (0, 1, 2)), rng, 1)[0] for _ in range(50)]
    assert not any(max(choice.pair) <= 2 for choice in choices)


def test_of_listed_questions_a_check_is_one():
    rng, belief = np.random.default_rng(0), clear_belief()
    rows = np.array([(0, 1, 2), (0, 1, 0), (1, 2, 1), (3, 4, 0)])
    seen = {
        (c.i, c.j, c.worker)
        for c in (checks.choose(belief, Candidates(5, (0, 1, 2), listed=rows), rng, 1)[0] for _ in range(200))
    }
    assert {pair[:2] for pair in seen} == {(0, 1), (1, 2), (3, 4)}  # look-ahead asks about the last alone
    assert seen <= set(map(tuple, rows.tolist()))


def test_a_check_is_asked_of_who_is_best_to_ask():
    """Worker 1 agrees with everybody, 0 and 2 guess; and 1 has seen one of the pairs."""
    rng, belief = np.random.default_rng(0), clear_belief()
    for t, (i, j) in enumerate(CLEAR):
        belief = belief.update(i, j, 1)
        for guesser, guess in ((0, t % 2), (2, t // 2 % 2)):
            belief = belief.update(*((i, j) if guess else (j, i)), guesser)
    candidates = Candidates(5, (0, 1, 2), seen={1: {(0, 1)}})
    choices = [checks.choose(belief, candidates, rng, 1)[0] for _ in range(400)]
    whom = {choice.pair: choice.worker for choice in choices}
    assert len(whom) == 10
    assert {pair for pair, worker in whom.items() if worker != 1} == {(0, 1)}
    for choice in choices:
        assert choice.score == pytest.approx(question_gains(belief, choice.worker)[choice.pair])


@pytest.mark.parametrize("n", [2, 5, 10])
def test_a_batch_has_no_pair_twice_and_is_as_large_as_asked_for(n):
    rng, belief = np.random.default_rng(n), clear_belief()
    for _ in range(30):
        choices = checks.choose(belief, Candidates(5, (0, 1, 2)), rng, n)
        assert len({choice.pair for choice in choices}) == len(choices) == n
    assert len(checks.choose(belief, Candidates(5, (0, 1, 2)), rng, 20)) == 10


def test_why_says_that_some_pairs_are_drawn():
    campaign = Campaign(["a", "b", "c"], policy="full-posterior-checked")
    assert str(campaign.explain(campaign.ask())).endswith(str(POLICIES["full-posterior-checked"].note))
    plain = Campaign(["a", "b", "c"])
    assert plain.explain(plain.ask()).note is None


def test_it_looks_for_the_best_alone_if_told_to():
    campaign = Campaign([f"item {k}" for k in range(12)], budget=40, policy="full-posterior-checked", best=3)
    for _ in range(40):
        question = campaign.ask()
        campaign.tell(question.id, "left" if int(question.left[5:]) > int(question.right[5:]) else "right")
    told = {row.item for row in campaign.ranking()[:3]}
    assert len(told & {"item 9", "item 10", "item 11"}) >= 2


def test_claims_are_honest_where_items_are_closer_than_assumed():
    """Log-scores with a standard deviation of 0.5 instead of 1.28: too sure by ten points without checks."""
    over = {}
    for name in ("full-posterior", "full-posterior-checked"):
        found = np.array([stopped(name, 10, 0, 100, 1.0, 0.5, 5, trial) for trial in range(30)])
        over[name] = float(found[:, 2].mean() - found[:, 3].mean())
    assert over["full-posterior"] > 0.07
    assert over["full-posterior-checked"] < 0.06
