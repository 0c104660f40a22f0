"""Answers that say by how much, from the campaign's side: told, kept, replayed, exported and taken over."""

from itertools import pairwise

import numpy as np
import pytest

from nextpair import Campaign
from nextpair.core.policies import POLICIES
from nextpair.errors import InvalidSetting, QuestionClosed

ITEMS = list("abcdefgh")


def judged(answers=50, seed=1, says_much=True, **settings):
    """A campaign of two who know the order, and see differences of 0.6 with logistic noise; "much" is beyond 1.1."""
    rng = np.random.default_rng(seed)
    campaign = Campaign(ITEMS, ["ann", "ben"], seed=seed, **settings)
    for _ in range(answers):
        question = campaign.ask()
        seen = 0.6 * (ITEMS.index(question.right) - ITEMS.index(question.left)) + rng.logistic()
        side = "left" if seen > 0 else "right"
        campaign.tell(question.id, f"much-{side}" if says_much and abs(seen) > 1.1 else side)
    return campaign


def test_what_is_told_is_what_is_kept():
    campaign = Campaign(["a", "b", "c"], ["ann"])
    question = campaign.ask()
    answered = campaign.tell(question.id, "much-right")
    assert (answered.choice, answered.winner) == ("much-right", question.right)
    assert campaign.tell(question.id, "much-right") == answered  # a double click
    with pytest.raises(QuestionClosed, match="already answered 'much-right', so 'right' was not taken"):
        campaign.tell(question.id, "right")
    (row,) = campaign.comparisons()
    assert (row.winner, row.loser, row.tie, row.left, row.much) == (
        question.right, question.left, False, question.left, True,
    )  # fmt: skip


def test_there_is_no_much_tie():
    campaign = Campaign(["a", "b"], ["ann"])
    with pytest.raises(InvalidSetting, match="one of left, right, tie, much-left, much-right, not 'much-tie'"):
        campaign.tell(campaign.ask().id, "much-tie")


def test_a_replay_repeats_it_to_the_last_bit(tmp_path):
    campaign = judged()
    said = [row.much for row in campaign.comparisons()]
    assert 10 < sum(said) < 45
    path = tmp_path / "much.journal"
    campaign.save(path)
    again = Campaign.load(path)
    assert again.comparisons() == campaign.comparisons()
    assert np.array_equal(again.belief.much, campaign.belief.much)
    assert np.array_equal(again.belief.mean, campaign.belief.mean)
    assert again.ranking() == campaign.ranking()


def test_what_is_undone_no_longer_counts():
    campaign = judged(answers=3)
    for row in campaign.comparisons():
        campaign.undo(row.question)
        campaign.tell(row.question, "left")
    assert not any(row.much for row in campaign.comparisons())
    assert np.isinf(campaign.belief.much[0]).all()


def test_answers_from_elsewhere_may_say_it():
    campaign = Campaign(["a", "b", "c"], ["ann"])
    campaign.add_answers([("ann", "a", "b", "much-left"), ("ann", "c", "b", "much-right"), ("ann", "a", "c", "left")])
    assert [(row.winner, row.loser, row.much) for row in campaign.comparisons()] == [
        ("a", "b", True), ("b", "c", True), ("a", "c", False),
    ]  # fmt: skip


@pytest.mark.parametrize("policy", ["akg", "crowd-bt", "rank-centrality", "asap", "random"])
def test_policies_that_do_not_know_of_it_hear_who_is_better(policy):
    said, plain = judged(30, policy=policy), judged(30, says_much=False, policy=policy)
    assert any(row.much for row in said.comparisons())
    assert said.ranking() == plain.ranking()


def test_what_is_said_makes_surer():
    """Of campaigns of 40 answers that the same noise decides; how much righter rankings get is `lab.much`'s."""
    plain, said = (np.mean([judged(40, seed, much).expected_accuracy() for seed in range(8)]) for much in (False, True))
    assert said > plain + 0.01


@pytest.mark.parametrize("policy", sorted(POLICIES))
def test_a_campaign_tells_where_it_is_not_heard(policy):
    """Heard is what changes the ranking."""
    said, plain = Campaign(ITEMS[:4], ["ann"], policy=policy), Campaign(ITEMS[:4], ["ann"], policy=policy)
    answers = [("ann", a, b, "left") for a, b in (*pairwise("abcd"), *pairwise("abcd"))]
    plain.add_answers(answers)
    said.add_answers([*((*answer[:3], "much-left") for answer in answers[:2]), *answers[2:]])
    assert plain.much_unheard == 0
    assert said.much_unheard == (2 if said.ranking() == plain.ranking() else 0)
    assert (said.much_unheard == 0) == policy.startswith("full-posterior")


@pytest.mark.parametrize("policy", ["full-posterior", "full-posterior-checked", "akg"])
def test_an_explanation_says_that_it_does_not_count_it(policy):
    campaign = Campaign(ITEMS, ["ann"], policy=policy)
    campaign.tell(campaign.ask().id, "left")
    assert "by how much" not in str(campaign.explain(campaign.ask()))
    campaign.tell(campaign.ask().id, "much-left")
    told = str(campaign.explain(campaign.ask()))
    assert ("as if nobody said by how much; where they do, it is about a quarter more" in told) == (policy != "akg")
    assert ("drawn at random" in told) == (policy == "full-posterior-checked")
