"""Answers that exist already, and who is here: a campaign that goes on where others stopped."""

import gc
from collections import Counter
from dataclasses import replace
from decimal import Decimal

import numpy as np
import pytest

from nextpair import Campaign
from nextpair.core.full_posterior import FullPosterior
from nextpair.errors import BudgetExhausted, InvalidSetting, NothingLeft, QuestionClosed, UnknownItem, UnknownWorker

ITEMS = ["a", "b", "c", "d"]
PAST = [("ann", "a", "b", "left"), ("ben", "a", "b", "right"), ("ann", "c", "d", "tie"), ("ann", "a", "b", "left")]


def test_earlier_answers_count_and_cost_nothing():
    campaign = Campaign(ITEMS, ["ann"], budget=2)
    campaign.add_answers(PAST)
    assert (campaign.spent, campaign.held, campaign.worker_names) == (0, 0, ("ann", "ben"))
    belief = FullPosterior.prior(4, 2).fold([0, 1, 2, 0], [1, 0, 3, 1], [0, 1, 0, 0], [0, 0, 1, 0])
    assert [row.score for row in campaign.ranking()] == sorted(belief.scores().tolist(), reverse=True)
    assert [row.answers for row in campaign.workers()] == [3, 1]
    assert Campaign.replay(campaign.events).ranking() == campaign.ranking()


def test_the_comparisons_of_a_campaign_are_answers_for_another():
    first = Campaign(["a", "b", "c"], ["ann", "ben"], budget=9)
    for choice in ("left", "right", "tie", "much-left", "much-right"):
        first.tell(first.ask().id, choice)
    first.add_answers([("cho", "c", "a", "right")])  # of which nobody knows how it was shown
    second = Campaign(["d", "c", "b", "a"], ["ben"], budget=2)
    second.add_answers(first.comparisons())
    assert [replace(row, question="") for row in second.comparisons()] == [
        replace(row, question="") for row in first.comparisons()
    ]
    assert second.spent == 0
    assert second.worker_names[0] == "ben"
    assert set(second.worker_names) == {"ann", "ben", "cho"}
    with pytest.raises(UnknownItem, match="answer 1 names the item"):
        Campaign(["x", "y"], ["ben"]).add_answers(first.comparisons())


def test_who_answered_a_pair_earlier_is_not_asked_it_again():
    campaign = Campaign(ITEMS, ["ann"])
    campaign.add_answers(PAST)
    asked = {frozenset((q.left, q.right)) for q in campaign.ask_batch(9, "ann")}
    assert len(asked) == 4
    assert asked.isdisjoint([frozenset("ab"), frozenset("cd")])
    assert len({q.id for q in campaign.open_questions()} | {c.question for c in campaign.comparisons()}) == 8


def test_earlier_answers_may_come_later_and_be_taken_back():
    campaign = Campaign(ITEMS, ["ann"], budget=9)
    question = campaign.ask()
    campaign.tell(question.id, "left")
    before = campaign.ranking()
    campaign.add_answers([("zoe", "d", "a", "left")] * 5)
    assert campaign.ranking() != before
    campaign.retract("zoe")
    assert campaign.ranking() == before
    assert campaign.spent == 1
    with pytest.raises(QuestionClosed, match="'zoe', whose answers were retracted"):
        campaign.add_answers([("zoe", "d", "a", "left")])


@pytest.mark.parametrize(
    ("answer", "error", "says"),
    [
        (("ann", "a", "x", "left"), UnknownItem, "answer 2 names the item 'x'"),
        (("ann", "a", None, "left"), UnknownItem, "answer 2 names the item None"),
        (("ann", "a", "a", "left"), InvalidSetting, "'a' with itself"),
        (("ann", "a", "b", "a"), InvalidSetting, "one of left, right, tie, much-left, much-right, not 'a'"),
        (("ann", "a", "b"), InvalidSetting, "worker, left, right, choice"),
        ({"worker": "ann", "left": "a", "right": "b", "choice": "left"}, InvalidSetting, "worker, left, right, choice"),
        ("abcd", InvalidSetting, "worker, left, right, choice"),
        ((None, "a", "b", "left"), InvalidSetting, "names no worker"),
        ((3, "a", "b", "left"), InvalidSetting, "by 3"),
    ],
)
def test_one_wrong_answer_refuses_all(answer, error, says):
    campaign = Campaign(ITEMS, ["ann"])
    with pytest.raises(error, match=says):
        campaign.add_answers([PAST[1], answer])
    assert len(campaign.events) == 1


def test_where_workers_are_alike_nobody_gave_them():
    campaign = Campaign(ITEMS)
    campaign.add_answers([(None, "a", "b", "left")])
    assert campaign.ranking()[0].item == "a"
    with pytest.raises(InvalidSetting, match="knows none"):
        campaign.add_answers(PAST)


def test_only_those_who_are_here_are_asked():
    campaign = Campaign(ITEMS, ["ann", "ben", "cho"], budget=99, cost={"ann": 1, "ben": 3, "cho": 0.01})
    asked = Counter(q.worker for q in campaign.ask_batch(6, ["ben", "ann", "ben"]))
    assert asked == {"ann": 6}  # the better buy of the two; cho, the best, is not here
    assert campaign.ask(["ben"]).worker == "ben"
    campaign.retract("ann")
    assert campaign.ask(("ann", "ben")).worker == "ben"


def test_what_ran_out_on_those_who_are_here_comes_first():
    campaign = Campaign(ITEMS, ["ann", "ben", "cho"], lease=10)
    first, second = campaign.ask("ben", now=0), campaign.ask("cho", now=0)
    again = campaign.ask_batch(3, ["ann", "ben"], now=20)
    assert again[0].id == first.id
    assert second.id not in [q.id for q in again]
    assert len({frozenset((q.left, q.right)) for q in again}) == 3


def test_nobody_of_those_who_are_here_can_be_asked():
    campaign = Campaign(["a", "b"], ["ann", "ben", "cho"], budget=2, cost={"ann": 1, "ben": 1, "cho": 5})
    with pytest.raises(BudgetExhausted, match="one more answer costs 5"):
        campaign.ask(["cho"])
    for name in ("ann", "ben"):
        campaign.tell(campaign.ask(name).id, "left")
    with pytest.raises(NothingLeft, match="none of those who are here"):
        campaign.ask(["ann", "ben"])
    with pytest.raises(UnknownWorker, match="'zoe'"):
        campaign.ask(["ann", "zoe"])
    with pytest.raises(UnknownWorker, match="3"):
        campaign.ask(3)
    with pytest.raises(InvalidSetting, match="nobody is here"):
        campaign.ask([])


def test_all_pairs_forbidden_is_said():
    with pytest.raises(NothingLeft, match="forbidden"):
        Campaign(["a", "b"], forbidden=[("a", "b")]).ask()


def test_thousands_of_earlier_answers_are_taken_in_at_once():
    rng = np.random.default_rng(1)
    rows = [(f"w{rng.integers(50)}", *rng.choice(ITEMS, 2, replace=False).tolist(), "left") for _ in range(3000)]
    campaign = Campaign(ITEMS, [])
    campaign.add_answers(rows)
    assert len(campaign.comparisons()) == 3000
    assert len(campaign.worker_names) == 50


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"forbidden": [1]}, "two different items, not 1"),
        ({"forbidden": ["ab"]}, "two different items, not 'ab'"),
        ({"items": ["a", 1]}, "the name of an item"),
    ],
)
def test_more_mistakes_name_the_value(settings, says):
    with pytest.raises(InvalidSetting, match=says):
        Campaign(**{"items": ITEMS} | settings)


def test_money_may_be_decimal():
    campaign = Campaign(ITEMS, ["ann"], cost=Decimal("0.1"), budget=Decimal("0.3"))
    assert len(campaign.ask_batch(9)) == 3
    with pytest.raises(InvalidSetting, match="positive"):
        Campaign(ITEMS, cost=Decimal("sNaN"))


def test_a_top_is_a_whole_number_of_items():
    with pytest.raises(InvalidSetting, match=r"no top 1\.5"):
        Campaign(ITEMS).prob_top(1.5)


def test_millions_of_answers_are_not_searched_for_cycles_over_and_over():
    collecting = []

    def answers():
        collecting.append(gc.isenabled())
        yield "ann", "a", "b", "left"

    campaign = Campaign(["a", "b"], [])
    campaign.add_answers(answers())
    assert collecting == [False]
    assert gc.isenabled()
    with pytest.raises(UnknownItem):
        campaign.add_answers([("ann", "a", "z", "left")])
    assert gc.isenabled()
