"""An item that is removed is asked about no more and has no place in the ranking; what is known of it stays known."""

from itertools import combinations

import numpy as np
import pytest

from nextpair import Campaign
from nextpair.campaign.events import decode, encode
from nextpair.core.policies import POLICIES
from nextpair.errors import InvalidFile, InvalidSetting, NothingLeft, TargetReached, UnknownItem


def _answered(policy="auto", items="abcde", n=8, **settings):
    campaign = Campaign(list(items), ["ann", "bob", "cy"], policy=policy, seed=1, **settings)
    for choice in np.random.default_rng(0).choice(["left", "right"], n):
        campaign.tell(campaign.ask().id, str(choice))
    return campaign


@pytest.mark.parametrize("policy", sorted(POLICIES))
@pytest.mark.parametrize("workers", [None, ["ann", "bob"]])
def test_it_is_asked_about_no_more_under_any_policy(policy, workers):
    campaign = Campaign(["a", "b", "c", "d"], workers, policy=policy, seed=1)
    campaign.tell(campaign.ask().id, "left")
    campaign.remove_item("b")
    for n in (1, 3):
        for question in campaign.ask_batch(n):
            assert "b" not in (question.left, question.right)
            campaign.tell(question.id, "right")
    assert sorted(row.item for row in campaign.ranking()) == ["a", "c", "d"]
    assert 0.4 <= campaign.expected_accuracy() <= 1
    again = Campaign.replay([decode(encode(event)) for event in campaign.events])
    assert (again.ranking(), again.ask().id) == (campaign.ranking(), campaign.ask().id)


def test_the_others_keep_their_order_and_what_was_learnt_of_them():
    campaign = _answered()
    before, workers = campaign.ranking(), campaign.workers()
    gone = before[1].item
    campaign.remove_item(gone)
    after = campaign.ranking()
    assert [row.item for row in after] == [row.item for row in before if row.item != gone]
    assert [row.rank for row in after] == [1, 2, 3, 4]
    assert after[0].prob_above_next == campaign.prob_above(after[0].item, after[1].item)
    assert campaign.workers() == workers
    assert len(campaign.comparisons()) == 8
    assert (campaign.removed_items, campaign.items) == ((gone,), tuple("abcde"))
    campaign.remove_item(gone)  # twice is harmless
    campaign.add_item(gone)
    assert (campaign.ranking(), campaign.removed_items) == (before, ())


@pytest.mark.parametrize("policy", ["full-posterior", "full-posterior-checked", "adaptive-polling"])
@pytest.mark.parametrize("gone", ["a", "bd"])
def test_scores_are_0_on_average_over_those_who_take_part(policy, gone):
    campaign = _answered(policy)
    before = {row.item: row.score for row in campaign.ranking()}
    for item in gone:
        campaign.remove_item(item)
    after = {row.item: row.score for row in campaign.ranking()}
    assert sum(before.values()) == pytest.approx(0, abs=1e-7)
    assert sum(after.values()) == pytest.approx(0, abs=1e-7)
    moved = [after[item] - before[item] for item in after]
    assert moved == pytest.approx([moved[0]] * len(moved), abs=1e-7)
    assert abs(moved[0]) > 1e-3
    assert all(row.low < row.score < row.high for row in campaign.ranking())


@pytest.mark.parametrize("policy", ["akg", "distance", "rank-centrality", "optimal"])
def test_shares_are_of_those_who_take_part(policy):
    campaign = _answered(policy, items="abcd")
    before = {row.item: row.score for row in campaign.ranking()}
    campaign.remove_item("c")
    after = {row.item: row.score for row in campaign.ranking()}
    assert sum(after.values()) == pytest.approx(1)
    assert all(after[item] > before[item] for item in after)
    assert sorted(after, key=after.get) == sorted(after, key=before.get)
    assert all(row.low <= row.score <= row.high for row in campaign.ranking())


@pytest.mark.parametrize("policy", ["full-posterior", "akg", "crowd-bt", "rank-centrality"])
@pytest.mark.parametrize("gone", ["b", "bd"])
def test_the_expected_accuracy_is_that_of_the_pairs_that_are_left(policy, gone):
    campaign = _answered(policy)
    for item in gone:
        campaign.remove_item(item)
    pairs = [*combinations([row.item for row in campaign.ranking()], 2)]
    right = np.mean([campaign.prob_above(first, second) for first, second in pairs])
    assert campaign.expected_accuracy() == pytest.approx(right, abs=1e-9)


def test_the_target_is_about_the_items_that_are_left():
    campaign = _answered(items="abcd", n=18)  # every worker has compared every pair
    campaign.add_item("new")  # of which nothing is known
    unsure = campaign.expected_accuracy()
    campaign.remove_item("new")
    campaign.stop_at((unsure + campaign.expected_accuracy()) / 2)
    with pytest.raises(TargetReached):
        campaign.ask()


def test_a_removed_item_needs_no_looks_and_who_has_compared_the_rest_is_through():
    campaign = Campaign(["a", "b", "c", "d"], ["ann"], min_looks=1)
    campaign.remove_item("d")
    for _ in range(3):
        campaign.tell(campaign.ask().id, "left")
    assert campaign.is_through("ann")
    with pytest.raises(NothingLeft):
        campaign.ask()
    campaign.add_item("d")
    question = campaign.ask()
    assert "d" in (question.left, question.right)


def test_what_is_out_can_be_answered_and_what_ran_out_is_not_asked_again():
    campaign = Campaign(["a", "b", "c"], ["ann"], lease=10)
    out = campaign.ask(now=0)
    campaign.remove_item(out.left)
    campaign.expire(now=20)
    asked = campaign.ask("ann", now=20)
    assert out.left not in (asked.left, asked.right)
    campaign.tell(out.id, "left")
    assert campaign.comparisons()[0].winner == out.left
    assert out.left not in [row.item for row in campaign.ranking()]


def test_an_item_that_joins_later_does_not_meet_a_removed_one():
    campaign = Campaign(["a", "b", "c"], ["ann"], forbidden=[("b", "c")])
    campaign.remove_item("a")
    campaign.add_item("d")
    assert {frozenset((q.left, q.right)) for q in campaign.ask_batch(9)} == {frozenset("bd"), frozenset("cd")}


def test_what_cannot_be_removed_is_told():
    campaign = Campaign(["a", "b", "c"], ["ann"])
    for strange in ("x", ["a"]):
        with pytest.raises(UnknownItem, match="cannot be removed: check the spelling"):
            campaign.remove_item(strange)
    campaign.remove_item("a")
    with pytest.raises(InvalidSetting, match="at least 2 items, so 'b' stays"):
        campaign.remove_item("b")
    with pytest.raises(InvalidSetting, match="no top 3 of 2 items"):
        campaign.prob_top(3)
    with pytest.raises(InvalidSetting, match="'b' is there twice"):
        campaign.add_item("b")


@pytest.mark.parametrize(
    ("events", "flaw"),
    [
        (["x"], "no item 'x' takes part"),
        (["a", "a"], "no item 'a' takes part"),
        (["a", "b"], "at least 2 items, and 'b'"),
    ],
)
def test_a_journal_that_removes_what_it_cannot_is_refused(events, flaw):
    written = [encode(Campaign(["a", "b", "c"], ["ann"]).events[0])]
    written += [{"event": "ItemRemoved", "item": item} for item in events]
    with pytest.raises(InvalidFile, match=flaw):
        Campaign.replay(map(decode, written))


def test_who_is_at_the_top_is_told_of_those_who_are_left():
    campaign = Campaign(["a", "b", "c", "d"], ["ann"])
    for _ in range(5):
        question = campaign.ask()
        campaign.tell(question.id, "left" if question.left < question.right else "right")
    campaign.remove_item("a")
    assert campaign.prob_top(3) == {"b": 1, "c": 1, "d": 1}
    campaign.remove_item("c")
    top = campaign.prob_top(1)
    assert top["b"] == pytest.approx(campaign.prob_above("b", "d"), abs=0.015)
    assert sum(top.values()) == pytest.approx(1)
