"""Workers who come back: a campaign starts from what an earlier one knows of them."""

import re
from math import isfinite

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from nextpair import Campaign
from nextpair.campaign.amounts import beta, passed_on
from nextpair.core.policies import POLICIES
from nextpair.errors import InvalidSetting

ITEMS = ["north", "east", "south", "west"]
LEARN = ["full-posterior", "full-posterior-checked", "akg", "crowd-bt"]


def answered(policy: str, **settings) -> Campaign:
    """Ann and ada put items in the order of their names, ben says the opposite half of the time, and cy nothing."""
    crowd = ["ann", "ada", "ben", "cy"]
    campaign = Campaign([f"text {k}" for k in range(6)], crowd, policy=policy, seed=3, **settings)
    for turn in range(36):
        question = campaign.ask(worker=crowd[turn % 3])
        right = question.left < question.right or (question.worker == "ben" and turn % 2 == 0)
        campaign.tell(question.id, "left" if right else "right")
    return campaign


@pytest.mark.parametrize("policy", LEARN)
def test_a_campaign_starts_from_what_an_earlier_one_knows(policy, tmp_path):
    earlier = answered(policy)
    known = earlier.reliabilities()
    assert list(known) == ["ann", "ada", "ben"]  # of cy nothing is known
    assert known["ann"][0] / sum(known["ann"]) > known["ben"][0] / sum(known["ben"])
    later = Campaign(ITEMS, earlier.worker_names, policy=policy, seed=4, reliability=known)
    assert later.reliabilities() == known
    assert [row.reliability for row in later.workers()[:3]] == pytest.approx(
        [row.reliability for row in earlier.workers()[:3]], abs=1e-3
    )
    assert [row.known for row in later.workers()] == [True, True, True, False]
    question = later.ask()
    assert question.worker != "ben"
    later.tell(question.id, "left")
    later.save(tmp_path / "later.journal")
    again = Campaign.load(tmp_path / "later.journal")
    assert again.events == later.events
    assert again.reliabilities() == later.reliabilities()
    assert again.ranking() == later.ranking()


def test_who_was_retracted_does_not_come_along():
    earlier = answered("full-posterior")
    earlier.retract("ben")
    assert list(earlier.reliabilities()) == ["ann", "ada"]


def test_who_is_not_known_is_a_stranger_and_who_does_not_come_is_left_out():
    campaign = Campaign(ITEMS, ["new", "ann"], reliability={"ann": (30.0, 2.0), "ben": (5.0, 5.0)})
    campaign.add_worker("late")
    assert campaign.reliabilities() == {"ann": (30.0, 2.0)}
    assert [float(campaign.belief.mu[w]) for w in range(3)] == [4.0, 30.0, 4.0]
    assert {row.worker: row.known for row in campaign.workers()} == {"new": False, "ann": True, "late": False}


def test_nobody_known_is_nothing_said():
    assert Campaign(ITEMS, ["ann"], reliability={}).events == Campaign(ITEMS, ["ann"]).events


def test_costs_go_with_their_workers():
    prices = {"ann": 3.0, "ben": 0.5}
    campaign = Campaign(ITEMS, prices, cost=prices, reliability={"ann": (30.0, 2.0)})
    assert [campaign.terms(name)[1] for name in prices] == [3.0, 0.5]
    assert campaign.reliabilities() == {"ann": (30.0, 2.0)}
    with pytest.raises(InvalidSetting, match="no cost is given for 'ben'"):
        Campaign(ITEMS, ["ann", "ben"], cost={"ann": 3.0}, reliability={"ann": (30.0, 2.0)})


def test_workers_who_are_alike_are_not_known():
    with pytest.raises(InvalidSetting, match="name the workers"):
        Campaign(ITEMS, reliability={"ann": (30.0, 2.0)})


@pytest.mark.parametrize("wrong", [0.9, (0.9,), (4, 0), (float("nan"), 1.0), "high"])
def test_a_reliability_that_is_none_is_refused_with_whose_it_is(wrong):
    with pytest.raises(InvalidSetting, match="the reliability of 'ben' is a pair of positive numbers"):
        Campaign(ITEMS, ["ann", "ben"], reliability={"ann": (30.0, 2.0), "ben": wrong})


@pytest.mark.parametrize("absurd", [(1e308, 1e308), (1e300, 1e-300), (5e-324, 5e-324), (1.0, 1e-300), (1e12, 1e-12)])
def test_an_absurd_reliability_is_refused_where_it_is_declared(absurd):
    said = re.escape(f"cannot be {absurd!r}: ") + ".*Give two numbers from 1e-12 to 1e\\+12"
    with pytest.raises(InvalidSetting, match=f"a reliability {said}"):
        Campaign(ITEMS, ["ann"], reliability=absurd)
    with pytest.raises(InvalidSetting, match=f"the reliability of 'ann' {said}"):
        Campaign(ITEMS, ["ann"], reliability={"ann": absurd})
    with pytest.raises(InvalidSetting, match=f"the reliability of 'ben' {said}"):
        Campaign(ITEMS, ["ann"]).add_worker("ben", reliability=absurd)


@pytest.mark.parametrize("policy", sorted(POLICIES))
@pytest.mark.parametrize("extreme", [(1e12, 1e12), (1e12, 1e-3), (1e-3, 1e12), (1e-12, 1e-12), (1.0, 1e-12)])
def test_what_is_taken_works(policy, extreme):
    campaign = Campaign(ITEMS, ["ann", "ben"], policy=policy, reliability=extreme)
    for choice in ("left", "right", "left", "tie"):
        campaign.tell(campaign.ask().id, choice)
    for row in campaign.workers():
        assert 0 <= row.low <= row.high <= 1
        assert isfinite(row.reliability)
    assert 0 <= campaign.expected_accuracy() <= 1


BOUND = st.floats(-12, 12).map(lambda power: 10.0**power)


@pytest.mark.parametrize("policy", ["akg", "full-posterior", "crowd-bt", "random"])
@given(st.tuples(BOUND, BOUND), st.lists(st.sampled_from(["left", "right", "tie"]), min_size=1, max_size=6))
@example((1e12, 1.0), ["left", "right", "left", "right", "left", "left"])
@example((1e-12, 1e-12), ["left", "right"])
@example((1e12, 1.2e-4), ["left", "right", "left"])
@settings(max_examples=25, deadline=None)
def test_what_one_campaign_gives_another_takes(policy, declared, told):
    try:
        campaign = Campaign(ITEMS, ["ann"], policy=policy, reliability=declared)
    except InvalidSetting:
        return  # too far apart
    for outcome in told:
        campaign.tell(campaign.ask().id, outcome)
    known = campaign.reliabilities()
    assert Campaign(ITEMS, ["ann"], policy=policy, reliability=known).reliabilities() == known


@given(st.floats(0, 1e15), st.floats(0, 1e15))
@example(0.0, 1e-300)
@example(1e-30, 1e-12)
@example(1e13, 3e12)
def test_what_is_passed_on_is_as_right_as_before(mu, nu):
    if mu + nu == 0:
        return  # no belief has that
    right, wrong = passed_on(mu, nu)
    assert beta("it", (right, wrong)) == (right, wrong)
    assert right / (right + wrong) == pytest.approx(mu / (mu + nu), abs=1e-11)
    if min(mu, nu) >= 1e-12 and max(mu, nu) <= 1e12 and mu / (mu + nu) < 1:
        assert (right, wrong) == (mu, nu)


def test_what_is_known_adds_up_from_campaign_to_campaign():
    known, crowd = {}, ["ann", "ada", "eve", "ben"]
    believed = []
    for number in range(3):
        campaign = Campaign([f"text {number} {k}" for k in range(5)], crowd, seed=number, reliability=known)
        for turn in range(24):
            question = campaign.ask(worker=crowd[turn % 4])
            right = question.left < question.right or (question.worker == "ben" and turn % 8 < 4)
            campaign.tell(question.id, "left" if right else "right")
        known = campaign.reliabilities()
        believed.append({row.worker: row.reliability for row in campaign.workers()})
    apart = [one["ann"] - one["ben"] for one in believed]
    assert apart[2] > apart[0] > 0
