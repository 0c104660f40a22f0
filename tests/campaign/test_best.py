"""A campaign of which only the best few matter: what it asks, claims and refuses."""

import json

import numpy as np
import pytest

from nextpair import Campaign
from nextpair.campaign.events import encode
from nextpair.errors import InvalidFile, InvalidSetting, TargetReached
from nextpair.lab.worlds import uniform_scores

ITEMS = [f"item {k}" for k in range(8)]


def answered(campaign, truth, n, rng):
    """The campaign after n more answers by who knows the truth as well as Bradley and Terry say."""
    for _ in range(n):
        question = campaign.ask()
        left, right = (truth[int(name.split()[1])] for name in (question.left, question.right))
        campaign.tell(question.id, "left" if rng.random() < left / (left + right) else "right")
    return campaign


@pytest.fixture
def played():
    rng = np.random.default_rng(5)
    return answered(Campaign(ITEMS, best=3, seed=2), uniform_scores(8, rng), 40, rng)


def test_the_accuracy_is_the_expected_share_of_the_told_best_that_are(played):
    rows = played.ranking()
    among = played.prob_top(3)
    assert [row.prob_best for row in rows] == [among[row.item] for row in rows]
    assert played.expected_accuracy() == pytest.approx(np.mean([row.prob_best for row in rows[:3]]))
    assert sum(row.prob_best for row in rows) == pytest.approx(3)
    plain = Campaign(ITEMS)
    assert (played.best, plain.best) == (3, None)
    assert all(row.prob_best is None for row in plain.ranking())


def test_it_is_what_is_found_on_average():
    """30 campaigns of 8 items and 40 answers; an error of 0.05."""
    claimed, found = [], []
    for number in range(30):
        rng = np.random.default_rng([3, number])
        truth = uniform_scores(8, rng)
        campaign = answered(Campaign(ITEMS, best=2, seed=number), truth, 40, rng)
        told = {row.item for row in campaign.ranking()[:2]}
        found.append(len(told & {f"item {k}" for k in np.argsort(-truth)[:2]}) / 2)
        claimed.append(campaign.expected_accuracy())
    assert np.mean(claimed) == pytest.approx(np.mean(found), abs=0.1)


def test_it_stops_when_they_are_known(played):
    reached = played.expected_accuracy()
    played.stop_at(accuracy=reached - 0.01)
    with pytest.raises(TargetReached, match="expected accuracy"):
        played.ask()


def test_replayed_it_is_the_same_and_asks_the_same(played, tmp_path):
    played.save(tmp_path / "best.journal")
    again = Campaign.load(tmp_path / "best.journal")
    assert again.best == 3
    assert again.ranking() == played.ranking()
    assert again.ask() == played.ask()


def test_it_asks_about_other_pairs_and_says_what_for(played):
    told = [(row.winner, row.loser) for row in played.comparisons()]
    plain = Campaign(ITEMS)
    plain.add_answers([(None, *pair, "left") for pair in told])
    aimed = Campaign(ITEMS, best=1)
    aimed.add_answers([(None, *pair, "left") for pair in told])
    first = aimed.ranking()[0].item
    question = aimed.ask()
    assert first in (question.left, question.right)
    reason = aimed.explain(question)
    assert "between the best and the others" in str(reason)
    assert "between the best 3 and the others" in str(played.explain(played.ask()))
    assert "raise the accuracy" in str(plain.explain(plain.ask()))


def test_what_is_not_asked_for_is_not_written():
    assert "best" not in encode(Campaign(ITEMS).events[0])
    assert encode(Campaign(ITEMS, best=2).events[0])["best"] == 2


@pytest.mark.parametrize(
    ("best", "words"), [(0, "from 1 up"), (8, "best goes from 1 to 7"), (9, "are all"), (1.5, "whole"), ("2", "whole")]
)
def test_a_number_that_makes_no_sense_is_refused(best, words):
    with pytest.raises(InvalidSetting, match=words):
        Campaign(ITEMS, best=best)


def test_a_policy_that_cannot_aim_is_refused_and_auto_is_one_that_can():
    with pytest.raises(InvalidSetting, match="'akg' cannot look for the best alone: choose full-posterior"):
        Campaign(ITEMS, policy="akg", best=2)
    many = [str(k) for k in range(501)]
    assert Campaign(many).settings.policy == "akg"
    assert Campaign(many, best=3).settings.policy == "full-posterior"


def test_the_best_are_told_of_the_items_that_are_left_and_some_must_be_left(played):
    first, *_ = (row.item for row in played.ranking())
    played.remove_item(first)
    rows = played.ranking()
    assert first not in [row.item for row in rows]
    assert sum(row.prob_best for row in rows) == pytest.approx(3)
    assert played.expected_accuracy() == pytest.approx(np.mean([row.prob_best for row in rows[:3]]))
    for row in rows[-3:]:
        played.remove_item(row.item)
    with pytest.raises(InvalidSetting, match="best 3 would be all"):
        played.remove_item(rows[0].item)
    asked = {name for _ in range(5) for name in (played.ask().left,)}
    assert first not in asked


@pytest.mark.parametrize("best", [0, 8])
def test_a_journal_that_was_edited_is_refused(tmp_path, best):
    record = encode(Campaign(ITEMS, best=2).events[0]) | {"best": best}
    path = tmp_path / "edited.journal"
    path.write_text(json.dumps(record) + "\n", encoding="utf-8")
    with pytest.raises(InvalidFile, match="line 1: the best"):
        Campaign.load(path)
