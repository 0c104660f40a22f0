"""What is no name, number or list is refused in words, and nothing is taken that a journal could not hold."""

from decimal import Decimal

import numpy as np
import pytest

import nextpair
from nextpair import Campaign
from nextpair.errors import InvalidSetting, UnknownItem, UnknownQuestion, UnknownWorker

ITEMS = ["tea", "coffee", "water"]


@pytest.mark.parametrize("policy", [[], {"akg": 1}, Decimal("sNaN"), None])
def test_a_policy_is_a_name(policy):
    with pytest.raises(InvalidSetting, match="unknown policy"):
        Campaign(ITEMS, policy=policy)


@pytest.mark.parametrize("forbidden", [None, 3, True])
def test_forbidden_pairs_are_a_list(forbidden):
    with pytest.raises(InvalidSetting, match=f"forbidden is a list of pairs of items, not {forbidden}"):
        Campaign(ITEMS, forbidden=forbidden)


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
