"""What is no name, number or list is refused in words, and nothing is taken that a journal could not hold."""

import re
from decimal import Decimal

import numpy as np
import pytest

import nextpair
from nextpair import Campaign
from nextpair.campaign.events import Answered, Asked, Retracted, WorkerAdded
from nextpair.core.policies import POLICIES
from nextpair.errors import InvalidFile, InvalidSetting, UnknownItem, UnknownQuestion, UnknownWorker

ITEMS = ["tea", "coffee", "water"]


@pytest.mark.parametrize("policy", [[], {"akg": 1}, Decimal("sNaN"), None, np.array(["akg", "auto"])])
def test_a_policy_is_a_name(policy):
    with pytest.raises(InvalidSetting, match="unknown policy"):
        Campaign(ITEMS, policy=policy)


@pytest.mark.parametrize("forbidden", [None, 3, True, np.array(3)])
def test_forbidden_pairs_are_a_list(forbidden):
    with pytest.raises(InvalidSetting, match=re.escape(f"forbidden is a list of pairs of items, not {forbidden!r}")):
        Campaign(ITEMS, forbidden=forbidden)


ONE = np.array("ann")  # an array without a length: it says that one can go through it, and one cannot


def test_an_array_of_one_name_is_no_list():
    campaign = Campaign(ITEMS, ["ann"])
    for names in ({"items": ONE}, {"items": ITEMS, "workers": ONE}):
        with pytest.raises(InvalidSetting, match=r"are a list of names, not array\('ann'"):
            Campaign(**names)
    with pytest.raises(UnknownWorker, match=r"no worker array\('ann'"):
        campaign.ask(ONE)
    with pytest.raises(InvalidSetting, match=r"answers are a list of .*, not array\('ann'"):
        campaign.add_answers(ONE)


@pytest.mark.parametrize("choice", [None, 1, [], "Left", np.array(["left", "tie"])])
def test_a_choice_is_one_of_five_words(choice):
    campaign = Campaign(ITEMS, ["ann"])
    question = campaign.ask()
    for tell in (
        lambda: campaign.tell(question.id, choice),
        lambda: campaign.add_answers([("ann", "tea", "water", choice)]),
    ):
        with pytest.raises(InvalidSetting, match="is one of left, right, tie, much-left, much-right, not "):
            tell()


@pytest.mark.parametrize("policy", sorted(POLICIES))
def test_more_questions_than_there_are_may_be_wanted(policy):
    assert len(Campaign(ITEMS, policy=policy).ask_batch(10**30)) == 3


@pytest.mark.parametrize("amount", [5e-324, 1e-101, 1e101, 1e308])
def test_amounts_are_such_that_numbers_do_not_give_out(amount):
    """At 5e-324 an answer akg found nothing to ask; and a moment and a lease of 1e308 end at no time."""
    says = "goes from 1e-100 to 1e\\+100, and is not .*: take another unit"
    for terms in ({"cost": amount}, {"budget": amount}, {"lease": amount}, {"cost": {"ann": amount}}):
        with pytest.raises(InvalidSetting, match=says):
            Campaign(ITEMS, ["ann"], **terms)
    with pytest.raises(InvalidSetting, match=says):
        Campaign(ITEMS).set_cost(amount)


@pytest.mark.parametrize("policy", ["akg", "full-posterior", "random"])
@pytest.mark.parametrize("cost", [1e-100, 1e100])
def test_whatever_a_cost_may_be_all_is_asked(policy, cost):
    campaign = Campaign(ITEMS, ["ann"], policy=policy, cost=cost)
    for _ in range(3):
        campaign.tell(campaign.ask().id, "left")
    assert campaign.spent == pytest.approx(3 * cost)


@pytest.mark.parametrize("unhashable", [[], {}, ["q1"], Decimal("sNaN")])
def test_what_cannot_be_an_id_or_a_name_is_unknown(unhashable):
    campaign = Campaign(ITEMS, ["ann"])
    for use in (campaign.question, campaign.skip, campaign.undo, campaign.explain):
        with pytest.raises(UnknownQuestion, match="use the id of a question"):
            use(unhashable)
    with pytest.raises(UnknownItem, match="takes part"):
        campaign.prob_above(unhashable, "tea")
    with pytest.raises(UnknownWorker, match="takes part"):
        campaign.questions_left(unhashable)


@pytest.mark.parametrize("crowd", [None, ["ann"]])
def test_only_a_worker_has_questions_left(crowd):
    with pytest.raises(UnknownWorker, match=r"no worker 'bob' takes part: check the spelling, or add_worker\('bob'\)"):
        Campaign(ITEMS, crowd).questions_left("bob")


@pytest.mark.parametrize("level", [None, "0.9", [], True])
def test_a_level_is_a_number(level):
    for rows in (Campaign(ITEMS, ["ann"]).ranking, Campaign(ITEMS, ["ann"]).workers):
        with pytest.raises(InvalidSetting, match="the level must be a number"):
            rows(level)


@pytest.mark.parametrize("answers", [None, 3, "", "tea"])
def test_earlier_answers_are_a_list(answers):
    with pytest.raises(InvalidSetting, match=r"answers are a list of \(worker, left, right, choice\)"):
        Campaign(ITEMS, ["ann"]).add_answers(answers)


@pytest.mark.parametrize("as_shown", [1, "yes", np.True_, None])
def test_how_answers_were_shown_is_what_a_journal_can_hold(as_shown):
    """1 and "yes" were written, and then the journal could not be loaded."""
    campaign = Campaign(ITEMS, ["ann"])
    with pytest.raises(InvalidSetting, match="as_shown is True or False"):
        campaign.add_answers([("ann", "tea", "water", "left")], as_shown=as_shown)
    assert len(campaign.events) == 1


def test_numbers_of_numpy_are_saved(tmp_path):
    one = np.int64(1)
    campaign = Campaign(ITEMS, ["ann"], np.float32(5), best=one, seed=one, quota=one, min_looks=one)
    campaign.save(tmp_path / "c.journal")
    assert Campaign.load(tmp_path / "c.journal").settings == campaign.settings


def test_a_campaign_says_what_it_is():
    campaign = Campaign(ITEMS, ["ann"], 20, cost=0.5)
    campaign.tell(campaign.ask().id, "left")
    assert repr(campaign) == "<Campaign running: 3 items, 1 worker, 1 answer, 0.5 of 20 spent>"
    campaign.retract("ann")
    campaign.pause()
    assert repr(campaign) == "<Campaign paused: 3 items, 1 worker, 0 answers, 0.5 of 20 spent>"
    assert repr(Campaign(ITEMS)) == "<Campaign running: 3 items, 0 answers, 0 spent>"


def test_what_can_be_imported_is_found_by_completion():
    assert set(nextpair.__all__) <= set(dir(nextpair))


@pytest.mark.parametrize("path", [None, 0, True, 1.5, b"c.journal", ["c.journal"], object()])
def test_a_journal_is_named_by_its_path(path, tmp_path, monkeypatch):
    """0 was standard input and True standard output, which was closed in the end."""
    monkeypatch.chdir(tmp_path)
    campaign = Campaign(ITEMS, ["ann"])
    for use in (Campaign.load, campaign.save, lambda path: nextpair.judge(path, {"ann": lambda question: "left"})):
        with pytest.raises(InvalidSetting, match=f"by its path, as text or a Path, not by {re.escape(repr(path))}"):
            use(path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("events", [None, 3, "events", ONE, Campaign(ITEMS).settings])
def test_what_is_replayed_is_a_list(events):
    with pytest.raises(InvalidFile, match="a journal is a list of events"):
        Campaign.replay(events)


@pytest.mark.parametrize("event", [None, "x", [], {"event": "Ended"}])
def test_what_is_no_event_is_neither_replayed_nor_applied(event):
    campaign = Campaign(ITEMS)
    with pytest.raises(InvalidFile, match="event 2: .* is not an event of a campaign"):
        Campaign.replay([*campaign.events, event])
    with pytest.raises(InvalidFile, match="event 2: .* is not an event of a campaign"):
        campaign.apply(event)
    assert campaign.events == [campaign.settings]


@pytest.mark.parametrize(
    ("event", "says"),
    [
        (WorkerAdded("ann"), "takes part already"),
        (WorkerAdded("bob", reliability=()), "pair of positive numbers"),
        (Asked("q1", "ann", "tea", "water", 1.0), "was asked before"),
        (Answered("q9", "left"), "no question 'q9' was asked"),
        (Retracted("bob"), "no worker 'bob'"),
        (Campaign(ITEMS).settings, "a second campaign begins"),
    ],
)
def test_an_event_that_cannot_come_next_is_not_applied(event, says):
    """It was, and what was saved then could not be loaded."""
    campaign = Campaign(ITEMS, ["ann"])
    campaign.ask()
    with pytest.raises(InvalidFile, match=f"event 3: .*{says}"):
        campaign.apply(event)
    assert Campaign.replay(campaign.events).question("q1") == campaign.question("q1")
    assert len(campaign.events) == 2


@pytest.mark.parametrize("lease", [None, 60])
@pytest.mark.parametrize("now", ["noon", [], True, float("nan")])
def test_a_time_is_a_number_also_where_nothing_expires(now, lease):
    campaign = Campaign(ITEMS, ["ann"], lease=lease)
    question = campaign.tell(campaign.ask().id, "left")
    for use in (campaign.expire, lambda now: campaign.ask(now=now), lambda now: campaign.undo(question.id, now=now)):
        with pytest.raises(InvalidSetting, match="now must be a number"):
            use(now)
    assert campaign.question(question.id).choice == "left"


@pytest.mark.parametrize("stranger", ["bob", None, 3, [], {}])
def test_who_has_not_joined_is_neither_retracted_nor_through(stranger):
    campaign = Campaign(ITEMS, ["ann"], cost=0.5, quota=4)
    assert not campaign.is_retracted(stranger)
    assert not campaign.is_through(stranger)
    assert campaign.terms(stranger) == (4, 0.5)


@pytest.mark.parametrize("policy", ["full-posterior", "akg"])
@pytest.mark.parametrize("k", [[], {}, None, "1", 0, 3, 1.5])
def test_a_top_k_is_of_the_items_that_take_part(k, policy):
    campaign = Campaign(ITEMS, policy=policy)
    campaign.remove_item("tea")
    with pytest.raises(InvalidSetting, match=r"there is no top .* of 2 items: k goes from 1 to 2"):
        campaign.prob_top(k)
