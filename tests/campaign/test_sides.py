"""Which side an item was shown on: known of questions, of earlier answers only where that was said."""

import json

import numpy as np
import pytest

from nextpair import Campaign
from nextpair.campaign.events import _HOT, Asked, decode, encode
from nextpair.campaign.questions import WorkerRow
from nextpair.errors import InvalidFile

ITEMS = list("abcdefgh")


def judged(lean=2.0, answers=120, seed=1, **settings):
    """A campaign of two who know the order, one of whom leans to the left by so much."""
    rng = np.random.default_rng(seed)
    campaign = Campaign(ITEMS, ["ann", "gpt"], seed=seed, **settings)
    for _ in range(answers):
        question = campaign.ask(worker=["ann", "gpt"][int(rng.integers(2))]) if not _through(campaign) else None
        if question is None:
            break
        gap = 0.6 * (ITEMS.index(question.right) - ITEMS.index(question.left))
        gap += lean if question.worker == "gpt" else 0.0
        campaign.tell(question.id, "left" if rng.random() < 1 / (1 + np.exp(-gap)) else "right")
    return campaign


def _through(campaign):
    return any(campaign.is_through(name) for name in ("ann", "gpt"))


def test_a_judge_who_leans_is_found_and_a_replay_repeats_it(tmp_path):
    campaign = judged(lean=3.0, answers=50)
    sides = [question.choice for question in campaign._state.questions.values() if question.worker == "gpt"]
    assert sides.count("left") > 2 * sides.count("right")  # questions come with their sides drawn at random
    ann, gpt = campaign.workers()
    assert gpt.leaning > 0.7 > 0.6 > ann.leaning
    assert gpt.favours == f"left {100 * gpt.leaning:.0f} %"
    path = tmp_path / "judges.journal"
    campaign.save(path)
    again = Campaign.load(path)
    assert again.workers() == campaign.workers()
    assert np.array_equal(again.belief.leans, campaign.belief.leans)
    assert np.array_equal(again.belief.mean, campaign.belief.mean)
    folded = Campaign.replay(campaign.events[:31])
    for event in campaign.events[31:]:
        folded.belief  # noqa: B018 - folds what there is, so that answers come one at a time
        folded._state.apply(event)
    assert np.array_equal(folded.belief.leans, campaign.belief.leans)


def sides_of(campaign):
    return [answer.side for answer in campaign._state.answers]


PAST = [("ann", "a", "b", "left"), ("ann", "c", "b", "right"), ("ann", "c", "d", "tie")]


@pytest.mark.parametrize(("as_shown", "sides"), [(True, [1, -1, 1]), (False, [0, 0, 0])])
def test_of_earlier_answers_sides_are_known_only_if_said(as_shown, sides, tmp_path):
    campaign = Campaign(ITEMS, ["ann"])
    campaign.add_answers(PAST, as_shown=as_shown)
    question = campaign.ask()
    campaign.tell(question.id, "right")
    assert sides_of(campaign) == [*sides, -1]
    campaign.undo(question.id)
    campaign.tell(question.id, "left")
    assert sides_of(campaign) == [*sides, 1]
    campaign.save(tmp_path / "journal")
    assert sides_of(Campaign.load(tmp_path / "journal")) == [*sides, 1]


def test_winners_that_were_written_down_first_make_nobody_lean():
    """As journals of before have them, and whoever knows winners and losers only."""
    rows = [("ann", ITEMS[i], ITEMS[j], "left") for i in range(8) for j in range(i + 1, 8)] * 3
    campaign = Campaign(ITEMS, [])
    campaign.add_answers(rows)
    assert campaign.workers()[0].leaning == 0.5
    assert [row.item for row in campaign.ranking()] == ITEMS


@pytest.mark.parametrize("worker", ["ann", None])
@pytest.mark.parametrize("shown", [True, None])
def test_an_event_says_so_and_survives_the_way_to_the_file(worker, shown):
    event = Asked("q1", worker, "a", "b", 0.0, as_shown=shown)
    record = json.loads(json.dumps(encode(event)))
    assert ("as_shown" in record) is bool(shown)
    assert _HOT[tuple(record)](record) == event  # without the general way: a file of answers has very many
    assert decode(record) == event


def test_an_event_that_was_edited_by_hand_is_refused():
    record = encode(Asked("q1", "ann", "a", "b", 0.0)) | {"as_shown": "yes"}
    with pytest.raises(InvalidFile, match="as_shown of this Asked event is true or false, not 'yes'"):
        decode(record)


@pytest.mark.parametrize(
    ("leaning", "answers", "says"),
    [
        (0.5, 900, ""),
        (0.54, 900, ""),
        (0.46, 900, ""),
        (0.56, 900, "left 56 %"),
        (0.56, 53, ""),  # which a coin does, too
        (0.68, 53, "left 68 %"),
        (0.2, 16, "right 80 %"),
        (0.2, 4, ""),
        (0.9, 0, ""),
    ],
)
def test_a_side_is_named_where_it_is_clearly_favoured(leaning, answers, says):
    assert WorkerRow("ann", 0.9, 0.8, 1.0, answers, leaning=leaning).favours == says


@pytest.mark.parametrize(("policy", "leaning"), [("full-posterior", 0.5), ("akg", None), ("centrality-akg", None)])
def test_who_favours_a_side_is_said_only_by_a_policy_that_knows(policy, leaning):
    campaign = Campaign(ITEMS, ["ann"], policy=policy)
    (row,) = campaign.workers()
    assert row.leaning == leaning
    assert row.favours == ""
