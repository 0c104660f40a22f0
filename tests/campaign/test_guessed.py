"""Campaigns that start from a guess: who takes one, what is refused, and that the journal holds all of it."""

import json

import numpy as np
import pytest

from nextpair import Campaign
from nextpair.campaign.journal import to_line
from nextpair.core.guess import normal_score, normal_scores
from nextpair.errors import InvalidFile, InvalidSetting, UnknownItem

ITEMS = ["a", "b", "c", "d", "e"]
GUESS = {"d": 9, "a": 7.5, "b": -1}


def answered(campaign, n=8):
    for _ in range(n):
        question = campaign.ask()
        campaign.tell(question.id, "left" if question.left < question.right else "right")
    return campaign


def order(campaign):
    return [row.item for row in campaign.ranking()]


def test_before_any_answer_the_ranking_is_the_guess():
    campaign = Campaign(ITEMS, ["w"], guess=GUESS)
    assert order(campaign)[:2] == ["d", "a"]
    assert order(campaign)[-1] == "b"
    assert 0.3 < campaign.guess_agreement < 0.6
    assert campaign.settings.policy == "full-posterior"
    assert Campaign(ITEMS, ["w"]).guess_agreement is None
    assert Campaign(ITEMS, ["w"], policy="akg").guess_agreement is None


def test_answers_tell_how_far_it_can_be_believed():
    items = [f"item {k:02d}" for k in range(12)]
    right = answered(Campaign(items, ["w"], guess={item: -k for k, item in enumerate(items)}, seed=1), 40)
    wrong = answered(Campaign(items, ["w"], guess={item: k for k, item in enumerate(items)}, seed=1), 40)
    assert right.guess_agreement > 0.7
    assert wrong.guess_agreement < -0.2
    assert order(right)[:3] == items[:3]


def test_only_its_order_matters():
    one = answered(Campaign(ITEMS, ["w"], guess=GUESS, seed=3))
    other = answered(Campaign(ITEMS, ["w"], guess={"a": 2, "b": np.float32(-1e9), "d": np.int64(3)}, seed=3))
    assert one.ranking() == other.ranking()


@pytest.mark.parametrize("terms", [{}, {"best": 2}, {"stop_at": 0.99}])
def test_a_journal_resumes_to_the_last_bit(tmp_path, terms):
    campaign = answered(Campaign(ITEMS, ["v", "w"], guess=GUESS, seed=2, **terms), 5)
    campaign.add_item("f", guess=8)
    campaign.add_item("g")
    campaign.undo(campaign.comparisons()[1].question)
    campaign.remove_item("a")
    campaign.add_item("a")
    campaign.save(tmp_path / "c.journal")
    again = Campaign.load(tmp_path / "c.journal")
    assert again.events == campaign.events
    assert again.ranking() == campaign.ranking()
    assert again.guess_agreement == campaign.guess_agreement
    assert again.plan_ask(now=0) == campaign.plan_ask(now=0)


def test_who_joins_late_stands_where_their_guess_does():
    campaign = Campaign(ITEMS, ["w"], guess=GUESS)
    campaign.add_item("between", guess=8)
    campaign.add_item("unknown")
    scores = {row.item: row.score for row in campaign.ranking()}
    assert scores["a"] < scores["between"] < scores["d"]
    assert scores["unknown"] == scores["c"]
    late = [normal_score(8, list(GUESS.values())), *normal_scores(list(GUESS.values()))]
    assert campaign.belief.guess[[5, 3, 0, 1]].tolist() == late


def test_who_came_without_answers_is_ranked_by_it_above_the_items_that_auto_takes_else():
    items = [str(k) for k in range(501)]
    assert Campaign(items, ["w"]).settings.policy == "akg"
    assert Campaign(items, ["w"], guess={"1": 1, "2": 2}).settings.policy == "full-posterior"


@pytest.mark.parametrize(
    ("guess", "error", "message"),
    [
        ({"a": 1, "z": 2}, UnknownItem, "'z', which is not among the items"),
        ({"a": 1, "b": float("nan")}, InvalidSetting, "the guess of 'b' must be a number, not nan"),
        ({"a": 1, "b": "2"}, InvalidSetting, "the guess of 'b' must be a number, not '2'"),
        ({"a": True, "b": 2}, InvalidSetting, "the guess of 'a' must be a number, not True"),
        ({"a": 1, "b": 1.0}, InvalidSetting, "two items at least have different numbers"),
        ({}, InvalidSetting, "two items at least have different numbers"),
        ([1, 2, 3], InvalidSetting, "a guess is a mapping from items to numbers, not \\[1, 2, 3\\]"),
    ],
)
def test_what_says_nothing_is_refused(guess, error, message):
    with pytest.raises(error, match=message):
        Campaign(ITEMS, ["w"], guess=guess)


def test_policies_that_make_nothing_of_it_say_so():
    with pytest.raises(InvalidSetting, match=r"'akg' makes nothing of a guess: choose full-posterior or"):
        Campaign(ITEMS, ["w"], guess=GUESS, policy="akg")


def test_a_guess_of_one_who_joins_needs_others():
    with pytest.raises(InvalidSetting, match=r"nothing was guessed of the other items, so the guess 2 of 'f'"):
        Campaign(ITEMS, ["w"]).add_item("f", guess=2)
    campaign = Campaign(ITEMS, ["w"], guess=GUESS)
    with pytest.raises(InvalidSetting, match="the guess of 'f' must be a number, not inf"):
        campaign.add_item("f", guess=float("inf"))
    campaign.remove_item("a")
    with pytest.raises(InvalidSetting, match=r"'a' comes back with what is known of it: leave the guess 2 out"):
        campaign.add_item("a", guess=2)
    assert len(campaign.events) == 2


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"guess": {"z": 1, "a": 2}}, "a guess is given for 'z'"),
        ({"guess": {"a": 1, "b": 1}}, "no two items differ"),
        ({"guess": {"a": 1, "b": "x"}}, "a mapping from names to numbers"),
        ({"guess": [1, 2]}, "a mapping from names to numbers"),
        ({"policy": "random"}, "'random' makes nothing of a guess"),
    ],
)
def test_an_edited_journal_is_refused(tmp_path, changes, message):
    created = json.loads(to_line(Campaign(ITEMS, ["w"], guess=GUESS).events[0]))
    (tmp_path / "c.journal").write_text(json.dumps(created | changes) + "\n")
    with pytest.raises(InvalidFile, match=f"line 1:? .*{message}"):
        Campaign.load(tmp_path / "c.journal")


@pytest.mark.parametrize("guess", [None, GUESS])
def test_a_guess_out_of_place_is_refused(tmp_path, guess):
    lines = [to_line(event) for event in Campaign(ITEMS, ["w"], guess=guess).events]
    lines += ['{"event":"ItemRemoved","item":"a"}\n', '{"event":"ItemAdded","item":"a","guess":3}\n']
    (tmp_path / "c.journal").write_text("".join(lines))
    with pytest.raises(InvalidFile, match=r"line 3: the guess 3 of 'a' tells nothing"):
        Campaign.load(tmp_path / "c.journal")
