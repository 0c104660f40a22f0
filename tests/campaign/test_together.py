"""What is well alone must be well together: earlier answers and leases, looks and batches, looks and bans, and more."""

from collections import Counter

import pytest

from nextpair import Campaign
from nextpair.campaign.choosing import instead_of
from nextpair.campaign.events import Retracted
from nextpair.core.policies import POLICIES
from nextpair.errors import BudgetExhausted, NothingLeft, QuestionClosed, TargetReached

ITEMS = [f"item {k}" for k in range(6)]


def items_of(question):
    return {question.left, question.right}


def test_who_answered_a_pair_elsewhere_is_not_asked_it_again_when_their_question_runs_out():
    campaign = Campaign(["a", "b", "c"], ["ann"], lease=10)
    question = campaign.ask("ann", now=0)
    campaign.add_answers([("ann", question.left, question.right, "left")])
    campaign.expire(now=20)
    asked = campaign.ask_batch(3, "ann", now=20)
    assert len(asked) == 2
    assert items_of(question) not in map(items_of, asked)
    with pytest.raises(QuestionClosed, match="answered elsewhere"):
        campaign.tell(question.id, "right")


def test_when_nothing_is_left_of_what_they_answered_elsewhere_the_pair_is_asked_again():
    campaign = Campaign(["a", "b", "c"], ["ann"], lease=10)
    question = campaign.ask("ann", now=0)
    campaign.add_answers([("ann", question.left, question.right, "left")])
    campaign.expire(now=20)
    campaign.undo("q2", now=20)
    campaign.expire(now=40)
    assert campaign.ask("ann", now=40).id == "q2"
    assert items_of(campaign.question("q2")) == items_of(question)


def test_an_earlier_answer_that_was_undone_and_is_asked_here_has_sides():
    campaign = Campaign(["a", "b", "c"], ["ann"], lease=10)
    campaign.add_answers([("ann", "a", "b", "left")])
    assert campaign.comparisons()[0].left is None
    campaign.undo("q1", now=0)
    again = campaign.ask("ann", now=20)
    assert (again.id, again.cost) == ("q1", 1.0)
    campaign.tell("q1", "right")
    (told,) = campaign.comparisons()
    assert (told.winner, told.left) == ("b", "a")


@pytest.mark.parametrize("policy", sorted(set(POLICIES) - {"optimal"}))
def test_a_batch_shows_every_item_as_often_as_it_needs(policy):
    campaign = Campaign(ITEMS, ["ann", "ben"], min_looks=1, policy=policy)
    looks = Counter(item for question in campaign.ask_batch(6) for item in items_of(question))
    assert min(looks[item] for item in ITEMS) >= 1


def test_a_batch_shows_a_late_item_as_often_as_it_needs_and_then_asks_what_is_worth_most():
    """Of a random batch of 8, one question is about it for its one look, and two of the others by chance."""
    campaign = Campaign(ITEMS, ["ann", "ben"], min_looks=1, policy="random")
    for left, right in zip(ITEMS[::2], ITEMS[1::2], strict=True):
        campaign.add_answers([("ann", left, right, "left")])
    campaign.add_item("late")
    first, *others = campaign.ask_batch(8)
    assert "late" in items_of(first)
    assert sum("late" in items_of(question) for question in others) < 5  # or all six pairs of it were there


def test_where_every_pair_is_forbidden_no_larger_budget_is_asked_for():
    campaign = Campaign(["a", "b", "c"], budget=1, cost=2, forbidden=[("a", "b")])
    with pytest.raises(BudgetExhausted):
        campaign.ask()
    campaign.remove_item("c")
    with pytest.raises(NothingLeft, match="every pair of items is forbidden: add items"):
        campaign.ask()


def test_looks_of_a_banned_worker_do_not_count_and_the_target_waits_for_others():
    campaign = Campaign(ITEMS, ["ann", "ben"], min_looks=2, stop_at=0.5)
    with pytest.raises(TargetReached):
        while True:
            campaign.tell(campaign.ask("ann").id, "left")
    campaign.retract("ann")
    campaign.apply(Retracted("ann"))  # as a journal that was edited may have it: once is enough
    assert not campaign.target_reached
    with pytest.raises(TargetReached):
        while True:
            campaign.tell(campaign.ask().id, "left")
    counted = Counter(item for told in campaign.comparisons() for item in (told.winner, told.loser))
    assert min(counted[item] for item in ITEMS) == 2


def test_what_could_have_been_asked_instead_of_a_banned_workers_question_needs_the_looks_that_are_needed():
    campaign = Campaign(["a", "b", "c", "d"], ["ann", "ben"], min_looks=1)
    question = campaign.ask("ann")
    campaign.tell(question.id, "left")
    campaign.add_answers([("ben", "a", "b", "left"), ("ben", "c", "d", "left")])
    campaign.retract("ann")
    assert instead_of(campaign._state, question).needy is None
