"""What a user of `Campaign` relies on, line by line of the issue."""

from collections import Counter
from dataclasses import replace
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest

import nextpair
from nextpair import Belief, Campaign
from nextpair.campaign.events import Asked
from nextpair.campaign.journal import to_line
from nextpair.core.akg import akg_scores
from nextpair.core.full_posterior import FullPosterior
from nextpair.errors import (
    BudgetExhausted,
    CampaignClosed,
    InvalidFile,
    InvalidSetting,
    NothingLeft,
    NothingToAsk,
    QuestionClosed,
    TargetReached,
    UnknownItem,
    UnknownQuestion,
    UnknownWorker,
)

ITEMS = ["a", "b", "c", "d", "e"]


def answer_by_name(campaign, question):
    """A worker who prefers the letter that comes first."""
    campaign.tell(question.id, "left" if question.left < question.right else "right")


def run(campaign, n):
    for _ in range(n):
        answer_by_name(campaign, campaign.ask())
    return campaign


def test_the_example_of_the_issue():
    campaign = Campaign(items=ITEMS, workers=["w1", "w2"], budget=16, seed=1)
    question = campaign.ask()
    assert question.worker in ("w1", "w2")
    assert {question.left, question.right} < set(ITEMS)
    campaign.tell(question.id, "left")
    assert campaign.ask(worker="w1").worker == "w1"
    run(campaign, 14)
    rows = campaign.ranking()
    assert [row.rank for row in rows] == [1, 2, 3, 4, 5]
    assert [row.score for row in rows] == sorted((row.score for row in rows), reverse=True)
    assert all(row.low < row.score < row.high for row in rows)
    assert rows[0].prob_above_next == pytest.approx(campaign.prob_above(rows[0].item, rows[1].item))
    assert rows[-1].prob_above_next is None
    assert 0.5 < campaign.expected_accuracy() < 1
    assert sum(campaign.prob_top(2).values()) == pytest.approx(2)
    assert {row.worker: row.answers for row in campaign.workers()}.keys() == {"w1", "w2"}


@pytest.mark.parametrize(
    ("policy", "n_items", "recorded"),
    [("auto", 5, "full-posterior"), ("auto", 500, "full-posterior"), ("auto", 501, "akg"), ("akg", 5, "akg")],
)
def test_the_journal_names_the_policy_that_auto_stands_for(policy, n_items, recorded):
    campaign = Campaign([f"item {k}" for k in range(n_items)], policy=policy)
    assert campaign.events[0].policy == recorded
    assert Campaign([f"item {k}" for k in range(5)]).events[0].policy == "full-posterior"


@pytest.mark.parametrize(
    ("policy", "n_items", "best", "recorded"),
    [
        ("auto", 5, None, "full-posterior-checked"),
        ("auto", 5, 2, "full-posterior-checked"),
        ("auto", 501, None, "akg"),
        ("auto", 501, 2, "full-posterior-checked"),
        ("full-posterior", 5, None, "full-posterior"),
    ],
)
def test_what_is_to_stop_by_itself_learns_when(policy, n_items, best, recorded):
    campaign = Campaign([f"item {k}" for k in range(n_items)], policy=policy, best=best, stop_at=0.9)
    assert campaign.events[0].policy == recorded
    assert campaign.target == 0.9
    assert Campaign.replay(campaign.events).target == 0.9
    with pytest.raises(InvalidSetting, match="0.4"):
        Campaign(ITEMS, stop_at=0.4)


def test_without_workers_it_is_algorithm_1():
    campaign = run(Campaign(ITEMS, budget=8, policy="akg"), 8)
    belief = Belief.prior(5)
    for c in campaign.comparisons():
        belief = belief.update(ITEMS.index(c.winner), ITEMS.index(c.loser))
    assert np.array_equal(belief.alpha, campaign.belief.alpha)
    assert campaign.workers() == []
    with pytest.raises(InvalidSetting, match="knows no workers"):
        campaign.ask(worker="w1")


def test_with_workers_it_is_algorithm_2():
    campaign = Campaign(ITEMS, ["x", "y"], budget=10, seed=3, policy="akg")
    belief = Belief.prior(5, 2)
    for _ in range(10):
        question = campaign.ask()
        w = ["x", "y"].index(question.worker)
        best = max(
            np.nanmax(np.where(_unseen(campaign, worker), akg_scores(belief, v), -np.inf))
            for v, worker in enumerate(["x", "y"])
        )
        i, j = ITEMS.index(question.left), ITEMS.index(question.right)
        assert akg_scores(belief, w)[i, j] == pytest.approx(best, rel=1e-9)
        answer_by_name(campaign, question)
        winner, loser = sorted((i, j))
        belief = belief.update(winner, loser, w)


def _unseen(campaign, worker):
    mask = ~np.eye(5, dtype=bool)
    for c in campaign.comparisons():
        if c.worker == worker:
            i, j = ITEMS.index(c.winner), ITEMS.index(c.loser)
            mask[i, j] = mask[j, i] = False
    return mask


def test_left_and_right_are_randomised():
    sides = {Campaign(ITEMS[:2], seed=seed).ask().left for seed in range(20)}
    assert sides == {"a", "b"}


def test_a_worker_never_compares_a_pair_twice_and_then_has_nothing_left():
    campaign = Campaign(ITEMS[:3], ["w"], quota=4)
    pairs = set()
    for _ in range(3):
        question = campaign.ask(worker="w")
        pairs.add(frozenset((question.left, question.right)))
        answer_by_name(campaign, question)
    assert len(pairs) == 3
    with pytest.raises(NothingLeft, match="w has compared every pair"):
        campaign.ask(worker="w")
    with pytest.raises(NothingLeft, match="every worker"):
        campaign.ask()
    campaign.add_worker("late")
    assert campaign.ask().worker == "late"


def test_the_quota_of_a_worker():
    campaign = Campaign(ITEMS, ["w", "v"], quota=2)
    question = campaign.ask("w")
    answer_by_name(campaign, question)
    campaign.undo(question.id)  # which takes up no more of it
    answer_by_name(campaign, question)
    run(campaign, 3)
    assert [row.answers for row in campaign.workers()] == [2, 2]
    with pytest.raises(NothingLeft, match="quota"):
        campaign.ask(worker="w")
    campaign.add_worker("u", quota=1)
    run(campaign, 1)
    with pytest.raises(NothingLeft, match="every worker has had the questions of their quota"):
        campaign.ask()


def test_a_quota_is_of_workers_who_have_names():
    with pytest.raises(InvalidSetting, match="a quota is for each worker, and they are all alike: name the workers"):
        Campaign(ITEMS, quota=2)


def test_who_was_retracted_has_not_compared_everything():
    campaign = Campaign(ITEMS, ["w", "v"])
    campaign.retract("w")
    campaign.retract("v")
    with pytest.raises(NothingLeft, match="the answers of every worker were retracted, and they are asked no more"):
        campaign.ask()


def test_the_quota_holds_within_a_batch():
    campaign = Campaign(ITEMS, ["w", "v"], quota=2)
    batch = campaign.ask_batch(9)
    assert sorted(question.worker for question in batch) == ["v", "v", "w", "w"]
    campaign = Campaign(ITEMS, ["dear", "cheap"], cost={"dear": 10, "cheap": 1}, quota=2)
    batch = campaign.ask_batch(4)  # when the better buy has had their share, the others come
    assert [question.worker for question in batch] == ["cheap", "cheap", "dear", "dear"]


def test_a_dear_worker_is_asked_only_when_worth_it():
    campaign = Campaign(ITEMS, ["cheap", "dear"], cost={"cheap": 1, "dear": 10}, budget=30)
    assert {campaign.ask().worker for _ in range(5)} == {"cheap"}
    question = campaign.ask(worker="dear")
    assert question.cost == 10
    assert (campaign.held, campaign.remaining) == (15, 15)


def test_forbidden_pairs_are_never_asked():
    forbidden = [("a", "b"), ("c", "a")]
    campaign = Campaign(ITEMS[:3], ["w"], forbidden=forbidden)
    question = campaign.ask()
    assert {question.left, question.right} == {"b", "c"}
    answer_by_name(campaign, question)
    with pytest.raises(NothingLeft):
        campaign.ask()


def test_every_item_gets_its_looks_first():
    campaign = Campaign([f"i{k}" for k in range(9)], ["w"], min_looks=3, policy="random")  # which would not by itself
    looks = dict.fromkeys(campaign.items, 0)
    while min(looks.values()) < 3:
        question = campaign.ask()
        assert min(looks[question.left], looks[question.right]) < 3
        for item in (question.left, question.right):
            looks[item] += 1
        campaign.tell(question.id, "left")


@pytest.mark.parametrize("policy", ["full-posterior", "akg"])
def test_an_item_that_a_worker_can_be_shown_no_more_does_not_end_their_questions(policy):
    campaign = Campaign(ITEMS, ["w", "v"], min_looks=1, policy=policy, forbidden=[("a", "b")])
    campaign.add_answers(("v", *pair, "left") for pair in combinations(ITEMS[1:], 2))
    for _ in ITEMS[2:]:
        question = campaign.ask("w")
        assert "a" in (question.left, question.right)
        campaign.skip(question.id)  # the picture of "a" is broken
    rest = campaign.ask_batch(99, "w")
    assert len(rest) == 6
    assert "a" not in {item for question in rest for item in (question.left, question.right)}
    question = campaign.ask("v")  # who has not skipped it
    assert "a" in (question.left, question.right)


def test_a_batch_goes_on_when_every_pair_of_an_item_that_needs_looks_is_in_it():
    campaign = Campaign(["b", "c", "d"], ["w", "v"], min_looks=4)
    campaign.add_answers(("w", *pair, "left") for pair in [*combinations("bcd", 2)] * 2)  # four looks at each
    campaign.add_item("new")
    batch = campaign.ask_batch(9, "v")
    assert ["new" in (question.left, question.right) for question in batch] == [True] * 3 + [False] * 3


def test_a_batch_asks_no_pair_twice_and_takes_the_top():
    campaign = Campaign(ITEMS, ["w", "v"], budget=7)
    batch = campaign.ask_batch(20)
    assert len(batch) == 7
    assert len({frozenset((q.left, q.right)) for q in batch}) == 7
    assert campaign.remaining == 0


@pytest.mark.parametrize("here", [None, ["cheap", "dear"]])
def test_money_is_missing_where_only_who_is_too_dear_has_pairs_left(here):
    campaign = Campaign(["a", "b", "c"], ["cheap", "dear"], budget=4.5, cost={"cheap": 1, "dear": 2})
    for _ in range(3):
        campaign.tell(campaign.ask(worker="cheap").id, "left")
    with pytest.raises(BudgetExhausted, match="of the budget of 4.5, 3 is spent, and one more answer costs 2"):
        campaign.ask(worker=here)
    with pytest.raises(NothingLeft, match="cheap has compared every pair"):
        campaign.ask(worker="cheap")


def test_a_quota_is_no_want_of_money():
    campaign = Campaign(["a", "b", "c"], ["w"], budget=3.5, quota=1)
    campaign.add_worker("dear", cost=9, quota=1)
    campaign.tell(campaign.ask(worker="w").id, "left")
    with pytest.raises(BudgetExhausted, match="one more answer costs 9"):
        campaign.ask()
    campaign.retract("dear")
    with pytest.raises(NothingLeft, match="every worker"):
        campaign.ask()


@pytest.mark.parametrize(
    ("quota", "here", "says"),
    [
        (None, None, "every worker has compared every pair"),
        (None, "w", "w has compared every pair"),
        (None, ["w", "v"], "none of those who are here"),
        (1, "w", "w has had the 1 questions of their quota"),
        (1, ["w", "v"], "none of those who are here"),
    ],
)
def test_where_all_is_asked_and_all_is_spent_no_larger_budget_is_asked_for(quota, here, says):
    campaign = Campaign(["a", "b"], ["w", "v"], budget=2, quota=quota)
    run(campaign, 2)
    assert campaign.remaining == 0
    with pytest.raises(NothingLeft, match=says):
        campaign.ask(here)


def test_a_pair_that_is_out_goes_to_another_worker_only_when_no_other_is_left():
    campaign = Campaign(ITEMS[:3], ["w", "v"])
    out, new, again = (
        {frozenset(q[2:4]) for q in campaign.ask_batch(n, who)} for n, who in ((2, "w"), (3, "v"), (3, "v"))
    )
    assert len(new) == 1
    assert new.isdisjoint(out)
    assert again == out


def test_open_questions_hold_the_budget_until_closed():
    campaign = Campaign(ITEMS, ["w", "v"], budget=2)
    first, second = campaign.ask(), campaign.ask()
    assert (campaign.spent, campaign.held, campaign.remaining) == (0, 2, 0)
    with pytest.raises(BudgetExhausted, match="0 is spent and 2 held by 2 open questions"):
        campaign.ask()
    campaign.skip(first.id)
    campaign.skip(first.id)
    assert campaign.remaining == 1
    campaign.tell(second.id, "tie")
    assert (campaign.spent, campaign.held, campaign.remaining) == (1, 0, 1)
    with pytest.raises(QuestionClosed, match="skipped"):
        campaign.tell(first.id, "left")
    with pytest.raises(QuestionClosed, match="undo it instead"):
        campaign.skip(second.id)
    campaign.set_budget(None)
    assert campaign.remaining is None
    campaign.ask()
    with pytest.raises(InvalidSetting, match="2 is spent or held"):
        campaign.set_budget(1)


def test_a_lease_runs_out_and_a_late_answer_counts_if_it_still_fits():
    campaign = Campaign(ITEMS[:3], ["w", "v"], budget=1, lease=60)
    first = campaign.ask(worker="w", now=1000)
    assert first.expires_at == 1060
    with pytest.raises(BudgetExhausted):
        campaign.ask(worker="v", now=1059)
    second = campaign.ask(worker="v", now=1060)
    assert campaign.question(first.id).status == "expired"
    with pytest.raises(BudgetExhausted, match="had expired"):
        campaign.tell(first.id, "left")
    campaign.skip(second.id)
    assert campaign.tell(first.id, "left").status == "answered"
    assert campaign.spent == 1


@pytest.mark.parametrize("worker", ["w", None])
def test_what_ran_out_is_asked_again_as_the_same_question(worker):
    campaign = Campaign(["a", "b"], ["w"], lease=10)
    first = campaign.ask(worker, now=0)
    assert campaign.ask(worker, now=20) == first._replace(expires_at=30)
    assert campaign.held == 1
    assert campaign.tell(first.id, "left").choice == "left"
    assert campaign.spent == 1


def test_what_ran_out_on_a_worker_comes_before_anything_new_and_keeps_their_quota():
    campaign = Campaign(ITEMS, ["w", "v"], lease=10, quota=3)
    first, second = campaign.ask_batch(2, "w", now=0)
    asked = campaign.ask_batch(4, "w", now=20)
    assert [question.id for question in asked] == [first.id, second.id, "q3"]
    assert [question[2:5] for question in asked[:2]] == [first[2:5], second[2:5]]
    for question in asked:
        campaign.tell(question.id, "tie")
    assert campaign.ask("v", now=20).id == "q4"
    with pytest.raises(NothingLeft, match="3 questions"):
        campaign.ask("w", now=20)


def test_so_many_questions_are_left_for_a_worker():
    campaign = Campaign(["a", "b", "c", "d"], ["w", "v"], forbidden=[("a", "b")], lease=10)
    assert campaign.questions_left("w") == 5
    first, second, third = campaign.ask_batch(3, "w", now=0)
    assert campaign.questions_left("w") == 2
    campaign.skip(first.id)
    campaign.tell(second.id, "left")
    assert campaign.questions_left("w") == 2
    campaign.expire(10)
    assert campaign.questions_left("w") == 3  # what ran out is asked again
    campaign.tell(third.id, "left")
    campaign.remove_item("d")  # and its three pairs
    assert campaign.questions_left("v") == 2
    assert campaign.questions_left("w") == sum(1 for _ in iter(lambda: _asked(campaign, "w"), False))
    campaign.retract("v")
    assert campaign.questions_left("v") == 0


def test_a_quota_leaves_no_more_questions_than_it_has():
    campaign = Campaign(["a", "b", "c", "d"], ["w"], quota=2)
    assert campaign.questions_left("w") == 2
    question = campaign.ask("w")
    assert campaign.questions_left("w") == 1
    campaign.skip(question.id)
    assert campaign.questions_left("w") == 2


def _asked(campaign: Campaign, worker: str) -> bool:
    try:
        campaign.ask(worker)
    except NothingLeft:
        return False
    return True


def test_a_worker_is_through_when_every_pair_is_settled_or_they_were_retracted():
    campaign = Campaign(["a", "b", "c"], ["w", "v"], forbidden=[("a", "b")])
    first, second = campaign.ask_batch(2, "w")
    assert not campaign.is_through("nobody")
    assert not campaign.is_through("w")
    campaign.skip(first.id)
    assert not campaign.is_through("w")  # one is open
    campaign.tell(second.id, "left")
    assert campaign.is_through("w")
    assert not campaign.is_through("v")
    campaign.retract("v")
    assert campaign.is_through("v")
    assert campaign.is_retracted("v")
    campaign.add_item("d")
    assert not campaign.is_through("w")


def test_a_late_skip_is_a_skip():
    campaign = Campaign(["a", "b"], ["w"], budget=1, lease=10)
    question = campaign.ask("w", now=0)
    campaign.expire(20)
    campaign.skip(question.id)
    assert campaign.question(question.id).status == "skipped"
    assert (campaign.spent, campaign.held) == (0, 0)
    with pytest.raises(NothingLeft):
        campaign.ask("w", now=20)


def test_a_late_answer_to_a_question_that_was_asked_anew_under_another_id_is_refused():
    campaign = Campaign(["a", "b"], ["w"], lease=10)
    first = campaign.ask(now=0)
    campaign.expire(20)
    campaign.apply(Asked("q2", "w", "b", "a", 1.0, 30.0))  # as journals of before have it
    with pytest.raises(QuestionClosed, match="asked anew"):
        campaign.tell(first.id, "left")
    campaign.skip(first.id)
    assert campaign.question(first.id).status == "expired"
    assert campaign.ask(now=40).id == "q2"


def test_the_same_answer_twice_is_harmless_and_another_is_an_error():
    campaign = Campaign(ITEMS, ["w"])
    question = campaign.ask()
    campaign.tell(question.id, "left")
    belief, events = campaign.belief, len(campaign.events)
    campaign.tell(question.id, "left")
    assert len(campaign.events) == events
    assert campaign.belief is belief
    with pytest.raises(QuestionClosed, match="already answered 'left', so 'right' was not taken; undo it first"):
        campaign.tell(question.id, "right")
    with pytest.raises(UnknownQuestion, match="'q99'"):
        campaign.tell("q99", "left")
    with pytest.raises(InvalidSetting, match="left, right, tie"):
        campaign.tell(campaign.ask().id, "both")


def test_undo_replays_without_the_answer_and_opens_the_question():
    campaign = run(Campaign(ITEMS, ["w", "v"], seed=5), 6)
    question = campaign.ask()
    before = campaign.belief
    campaign.tell(question.id, "left")
    answer_by_name(campaign, campaign.ask())
    campaign.undo(question.id)
    assert campaign.question(question.id).status == "open"
    kept = campaign.comparisons()
    assert question.id not in {c.question for c in kept}
    expected = before.update(ITEMS.index(kept[-1].winner), ITEMS.index(kept[-1].loser), "wv".index(kept[-1].worker))
    assert np.array_equal(campaign.belief.scores(), expected.scores())
    with pytest.raises(QuestionClosed, match="is open: there is no answer to undo"):
        campaign.undo(question.id)
    campaign.tell(question.id, "right")
    assert campaign.spent == 8


def test_retract_takes_a_worker_out():
    campaign = run(Campaign(ITEMS, ["w", "v"], budget=11, seed=2), 10)
    theirs = sum(c.worker == "w" for c in campaign.comparisons())
    assert 0 < theirs < 10
    campaign.ask(worker="w")
    campaign.retract("w")
    told = len(campaign.events)
    campaign.retract("w")
    assert len(campaign.events) == told
    belief = FullPosterior.prior(5, 2)
    for c in campaign.comparisons():
        belief = belief.update(ITEMS.index(c.winner), ITEMS.index(c.loser), 1)
    assert np.array_equal(campaign.belief.scores(), belief.scores())
    assert (campaign.spent, campaign.held) == (10, 0)
    assert campaign.workers()[0].status == "retracted"
    with pytest.raises(NothingLeft, match="retracted"):
        campaign.ask(worker="w")
    campaign.set_budget(10)
    with pytest.raises(NothingLeft, match="retracted"):  # a larger budget would not help
        campaign.ask(worker="w")
    with pytest.raises(BudgetExhausted):
        campaign.ask()
    answered = next(q for q in ("q1", "q2", "q3") if campaign.question(q).worker == "w")
    with pytest.raises(QuestionClosed, match="retracted"):
        campaign.tell(answered, "left")
    with pytest.raises(QuestionClosed, match="is retracted: there is no answer to undo"):
        campaign.undo(answered)


def test_stop_at_ends_the_asking():
    campaign = Campaign(ITEMS, [f"w{k}" for k in range(30)])
    campaign.stop_at(accuracy=0.9)
    asked = 0
    with pytest.raises(TargetReached, match="0.9 was asked for"):
        while True:
            answer_by_name(campaign, campaign.ask())
            asked += 1
    assert campaign.expected_accuracy() >= 0.9
    assert asked > 5
    campaign.stop_at(None)
    campaign.ask()
    for accuracy in (1.5, 0.49):
        with pytest.raises(InvalidSetting, match=str(accuracy)):
            campaign.stop_at(accuracy)
    guess = Campaign(ITEMS)
    guess.stop_at(0.5)  # as good as no answer at all
    with pytest.raises(TargetReached):
        guess.ask()


def test_new_items_join():
    campaign = run(Campaign(ITEMS, ["w", "v"]), 5)
    campaign.add_item("f")
    assert campaign.belief.n_items == 6
    run(campaign, 12)
    assert "f" in {item for c in campaign.comparisons() for item in (c.winner, c.loser)}
    with pytest.raises(InvalidSetting, match="'f' is there twice"):
        campaign.add_item("f")


def test_pause_and_end():
    campaign = Campaign(ITEMS, ["w"])
    question = campaign.ask()
    campaign.pause()
    campaign.pause()
    assert len(campaign.events) == 3
    with pytest.raises(CampaignClosed, match="resume"):
        campaign.ask()
    answer_by_name(campaign, question)
    campaign.resume()
    campaign.ask()
    campaign.end()
    assert campaign.phase == "ended"
    with pytest.raises(CampaignClosed, match="start a new one"):
        campaign.ask()
    with pytest.raises(CampaignClosed, match="has ended"):
        campaign.resume()


@pytest.mark.parametrize("policy", ["akg", "full-posterior"])
def test_explain_names_the_runner_up(policy):
    campaign = run(Campaign(ITEMS, ["w", "v"], seed=1, policy=policy), 3)
    question = campaign.ask()
    why = campaign.explain(question)
    assert why.gain >= (why.runner_up_gain or 0)
    assert set(why.runner_up) != {question.left, question.right}
    assert why.prob_left == pytest.approx(campaign.prob_above(question.left, question.right))
    assert question.left in str(why)
    assert str(question.worker) in str(why)
    two = Campaign(["a", "b"], policy=policy)
    assert two.explain(two.ask()).runner_up is None


@pytest.mark.parametrize("policy", ["akg", "full-posterior"])
@pytest.mark.parametrize("more", [{}, {"min_looks": 1}, {"min_looks": 3}, {"forbidden": [("a", "b"), ("c", "d")]}])
@pytest.mark.parametrize("workers", [None, ["w"], ["w", "v", "u"]])
def test_the_runner_up_could_have_been_asked_and_is_worth_no_more(policy, more, workers):
    campaign = run(Campaign(ITEMS, workers, seed=1, policy=policy, **more), 2)
    for _ in range(4):
        out = {frozenset((q.left, q.right)) for q in campaign.open_questions()}
        question = campaign.ask()
        why = campaign.explain(question)
        if why.runner_up is None:
            assert more
            continue
        other = frozenset(why.runner_up)
        assert other not in out
        assert why.gain >= why.runner_up_gain * (1 - 1e-9)
        instead = campaign.events[:-1]
        forbidden = [*campaign.settings.forbidden, (question.left, question.right)]
        without = Campaign.replay([replace(instead[0], forbidden=tuple(forbidden)), *instead[1:]])
        second = without.ask(question.worker)
        assert without.explain(second).gain == pytest.approx(why.runner_up_gain, rel=1e-9)


def test_when_all_pairs_are_out_the_runner_up_is_one_of_them():
    campaign = Campaign(["a", "b", "c"], ["w", "v"])
    campaign.ask_batch(3, "w")
    question = campaign.ask("v")
    why = campaign.explain(question)
    assert set(why.runner_up) != {question.left, question.right}
    campaign.ask("v")
    assert campaign.explain(campaign.ask("v")).runner_up is None


def test_a_resumed_campaign_asks_what_the_uninterrupted_would(tmp_path):
    whole = Campaign(ITEMS, ["w", "v"], budget=20, seed=9, lease=100)
    asked = []
    for t in range(20):
        question = whole.ask(now=t)
        asked.append(question)
        answer_by_name(whole, question)
    for stop in (0, 7, 19):
        part = Campaign(ITEMS, ["w", "v"], budget=20, seed=9, lease=100)
        for t in range(20):
            if t == stop:
                part.save(tmp_path / "c.journal")
                part = Campaign.load(tmp_path / "c.journal")
            question = part.ask(now=t)
            assert question == asked[t]
            answer_by_name(part, question)
        assert part.events == whole.events


def test_ties_are_answers_too():
    campaign = Campaign(["a", "b", "c"], ["w"])
    question = campaign.ask()
    campaign.tell(question.id, "tie")
    (only,) = campaign.comparisons()
    assert only.tie
    assert campaign.prob_above(question.left, question.right) == pytest.approx(0.5)
    assert campaign.question(question.id).winner is None


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"items": ["a"]}, "at least 2 items"),
        ({"items": "ab"}, "a list of names, not 'ab'"),
        ({"items": 5}, "a list of names, not 5"),
        ({"items": ["a", "b\udc80"]}, r"UTF-8 can hold, not 'b\\udc80'"),
        ({"items": ["a", "a"]}, "'a' is there twice"),
        ({"items": ["a", ""]}, "not ''"),
        ({"items": ["a", 3]}, "not 3"),
        ({"workers": ["w", "w"]}, "'w' is there twice"),
        ({"workers": ["\ud800"]}, r"the name of a worker .* not '\\ud800'"),
        ({"workers": ["w", "v", "u"], "cost": {"v": 2}}, "no cost is given for 'w', 'u': name the cost of every"),
        ({"workers": ["w"], "cost": {"w": "2"}}, "the cost of 'w' must be a positive number, not '2'"),
        ({"budget": -1}, "-1"),
        ({"budget": float("nan")}, "nan"),
        ({"budget": True}, "not True"),
        ({"budget": np.True_}, "not np.True_"),
        ({"budget": "5"}, "not '5'"),
        ({"budget": 10**400}, "the budget must be a positive number"),
        ({"cost": 0}, "not 0"),
        ({"quota": 0}, "not 0"),
        ({"quota": True}, "True"),
        ({"seed": -1}, "-1"),
        ({"min_looks": 1.5}, "1.5"),
        ({"lease": 0}, "not 0"),
        ({"policy": "magic"}, "unknown policy 'magic': choose auto or one of akg"),
        ({"items": list("abcde"), "policy": "optimal"}, "'optimal' takes up to 4 items, not 5"),
        ({"reliability": (0, 1)}, r"\(0, 1\)"),
        ({"reliability": (float("inf"), 1)}, r"\(inf, 1\)"),
        ({"reliability": (1, 2, 3)}, r"\(1, 2, 3\)"),
        ({"reliability": 4}, "not 4"),
        ({"reliability": "41"}, "not '41'"),
        ({"forbidden": [("a", "a")]}, "two different items"),
    ],
)
def test_settings_that_make_no_sense_are_named(settings, message):
    with pytest.raises(InvalidSetting, match=message):
        Campaign(**({"items": ["a", "b", "c"]} | settings))


def test_names_that_do_not_exist_are_named():
    with pytest.raises(UnknownItem, match="'z'"):
        Campaign(ITEMS, forbidden=[("a", "z")])
    with pytest.raises(UnknownWorker, match="'z'"):
        Campaign(ITEMS, ["w"], cost={"z": 1})
    campaign = Campaign(ITEMS, ["w"])
    with pytest.raises(UnknownItem, match="'z'"):
        campaign.prob_above("a", "z")
    with pytest.raises(UnknownWorker, match="add_worker"):
        campaign.ask("z")
    for act in (campaign.retract, lambda worker: campaign.set_cost(2, worker)):  # nobody joins to be banned
        with pytest.raises(UnknownWorker, match="'z' takes part: check the spelling"):
            act("z")
    with pytest.raises(InvalidSetting, match="the number of questions must be a whole number from 1 up, not 0"):
        campaign.ask_batch(0)
    with pytest.raises(InvalidSetting, match="workers="):
        Campaign(ITEMS).add_worker("w")
    with pytest.raises(NothingLeft, match="let one join with add_worker"):
        Campaign(ITEMS, []).ask()
    with pytest.raises(InvalidSetting, match="reliability"):
        campaign.add_worker("x", reliability=(1, -1))
    with pytest.raises(InvalidSetting, match="cost"):
        campaign.add_worker("x", cost=-1)


@pytest.mark.parametrize("wrong", ["5", True, float("nan"), float("inf"), -1, None, [1]])
def test_amounts_that_make_no_sense_are_named_wherever_they_are_given(wrong):
    campaign = Campaign(ITEMS, ["w"], lease=5)
    plans = {
        "budget": lambda: campaign.set_budget(wrong),
        "accuracy": lambda: campaign.stop_at(wrong),
        "cost": lambda: campaign.add_worker("x", cost=wrong),
        "quota": lambda: campaign.add_worker("x", quota=wrong),
        "reliability": lambda: campaign.add_worker("x", reliability=(1, wrong)),
    }
    if wrong is None:  # stands for "no limit" or "as everybody" in the first four
        plans = {"reliability": plans["reliability"]}
    for what, plan in plans.items():
        with pytest.raises(InvalidSetting, match=what):
            plan()
    assert len(campaign.events) == 1
    if wrong not in (None, -1):
        with pytest.raises(InvalidSetting, match="now must be a number"):
            campaign.ask(now=wrong)
    with pytest.raises(InvalidSetting, match="UTF-8"):
        campaign.add_worker("\ud800")
    with pytest.raises(InvalidSetting, match="UTF-8"):
        campaign.add_item("\ud800")


@pytest.mark.parametrize(("real", "integer"), [(np.float64, np.int64), (np.float32, np.uint8), (Fraction, np.int32)])
def test_numbers_of_any_kind_are_stored_as_plain_ones(real, integer):
    def told(real, integer):
        campaign = Campaign(
            np.array(ITEMS), iter(["w"]), integer(5), cost={"w": real(0.5)}, quota=integer(3), min_looks=integer(1),
            seed=integer(2), reliability=(integer(4), real(1)), lease=real(60),
        )  # fmt: skip
        campaign.set_budget(integer(6))
        campaign.stop_at(integer(1))
        campaign.add_worker("x", cost=real(2), quota=integer(2), reliability=(real(0.5), integer(2)))
        campaign.ask_batch(integer(2), now=real(7))
        return [to_line(event) for event in campaign.events]

    assert told(real, integer) == told(float, int)


def test_a_generator_of_items_is_read_once():
    assert Campaign(x for x in "abc").items == ("a", "b", "c")


def test_whoever_joins_a_campaign_with_a_price_for_each_costs_one_unless_told():
    campaign = Campaign(ITEMS, ["w"], cost={"w": 0.5})
    campaign.add_worker("late")
    campaign.add_worker("dear", cost=3)
    assert [row.cost for row in campaign.workers()] == [0.5, 1, 3]


def test_two_items_work():
    campaign = Campaign(["a", "b"], [f"w{k}" for k in range(9)])
    run(campaign, 9)
    assert [row.item for row in campaign.ranking()] == ["a", "b"]
    with pytest.raises(NothingToAsk):
        campaign.ask()


def test_money_is_counted_to_the_cent():
    campaign = Campaign(ITEMS, [f"w{k}" for k in range(5)], budget=0.3, cost=0.1)
    run(campaign, 3)
    assert campaign.remaining == 0
    with pytest.raises(BudgetExhausted):
        campaign.ask()


def test_a_budget_is_compared_to_the_cent():
    campaign = Campaign(ITEMS, [f"w{k}" for k in range(5)], cost=0.1)
    run(campaign, 1)
    campaign.ask_batch(2)
    campaign.set_budget(0.3)
    assert campaign.remaining == 0
    with pytest.raises(InvalidSetting, match=r"cannot be 0.29: 0.3 is spent or held"):
        campaign.set_budget(0.29)


def test_the_random_policy_runs_out_cleanly():
    campaign = Campaign(ITEMS[:4], ["w", "v"], policy="random")
    run(campaign, 12)
    with pytest.raises(NothingLeft):
        campaign.ask()


def test_journal_files_that_are_broken_are_named(tmp_path):
    path = tmp_path / "c.journal"
    with pytest.raises(InvalidFile, match="no such file"):
        Campaign.load(path)
    for left_behind in ('{"event":"Crea', ""):
        path.write_text(left_behind)
        with pytest.raises(InvalidFile, match="begins with a Created event, and there is none.* start anew"):
            Campaign.load(path)
    campaign = run(Campaign(ITEMS, ["w"]), 3)
    campaign.save(path)
    good = path.read_text()
    for bad, message in [
        ("nonsense\n", "line 8 is not"),
        ('{"event":"Gone"}\n', "line 8.*not an event"),
        ('{"event":"Skipped","question":"q1","why":1}\n', "line 8.*no field 'why'"),
        ('{"event":"Asked"}\n', "line 8.*lacks a field"),
        ("[1]\n", "line 8"),
        ('{"event":"Paused"} {"event":"Paused"}\n', "line 8 is not.*Extra data"),
        ('{"event":"Gone","question":"q1","choice":"left"}\n', "line 8.*not an event"),
        ('{"event":"Answered","question":"q1"\n', "line 8 is not"),
    ]:
        path.write_text(good + bad)
        with pytest.raises(InvalidFile, match=message):
            Campaign.load(path)
    path.write_text(good + '{"event":"Ski')  # killed while writing: never acknowledged
    assert Campaign.load(path).events == campaign.events
    path.write_text(good.replace('"format":1', '"format":99'))
    with pytest.raises(InvalidFile, match="format is 99"):
        Campaign.load(path)


def test_a_save_that_fails_leaves_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "c.journal"
    campaign = Campaign(ITEMS)
    campaign.save(path)
    before = path.read_bytes()
    campaign.ask()

    def full_disk(*_):
        raise OSError("no space left")

    monkeypatch.setattr("os.fsync", full_disk)
    with pytest.raises(InvalidFile, match="no space left. Nothing was written"):
        campaign.save(path)
    assert path.read_bytes() == before
    with pytest.raises(InvalidFile, match="no space left"):
        campaign.save(tmp_path / "new.journal")
    assert list(tmp_path.iterdir()) == [path]


def test_unknown_names_of_the_package():
    with pytest.raises(AttributeError, match="nothing"):
        _ = nextpair.nothing


@pytest.mark.parametrize("policy", ["akg", "distance", "random"])
def test_no_policy_gets_stuck_when_answers_always_favour_the_same(policy):
    campaign = Campaign(ITEMS[:4], seed=1, policy=policy)
    run(campaign, 300)
    late = {frozenset((c.winner, c.loser)) for c in campaign.comparisons()[-60:]}
    assert len(late) > 1
    assert [row.item for row in campaign.ranking()] == ITEMS[:4]
    assert all(np.isfinite([row.score, row.low, row.high]).all() for row in campaign.ranking())


def test_thousands_of_items_can_be_told_and_ranked():
    items = [f"i{k:04d}" for k in range(5000)]
    campaign = Campaign(items, ["w"], policy="random", seed=1)
    question = campaign.ask()
    campaign.tell(question.id, "left")
    rows = campaign.ranking()
    assert rows[0].item == question.left
    assert rows[-1].item == question.right
    assert len(rows) == 5000


def test_questions_in_flight_count_for_the_policy_that_looks_ahead_of_them():
    """One question after the other, unanswered, is the same as a batch of them."""
    from nextpair.core.candidates import Candidates
    from nextpair.core.pending import choose_pending

    campaign = Campaign(ITEMS, ["w", "v"], policy="akg-pending", seed=1)
    run(campaign, 8)
    first = campaign.ask()
    i, j, w = ITEMS.index(first.left), ITEMS.index(first.right), ["w", "v"].index(first.worker)
    seen = {0: set(), 1: set()}
    for question in campaign._state.questions.values():
        pair = tuple(sorted((ITEMS.index(question.left), ITEMS.index(question.right))))
        seen[["w", "v"].index(question.worker)].add(pair)
    candidates = Candidates(5, (0, 1), seen=seen, forbidden={(min(i, j), max(i, j))}, in_flight=((i, j, w),))
    expected, blind = (
        choose_pending(campaign.belief, known, np.random.default_rng([1, len(campaign.events)]))[0]
        for known in (candidates, replace(candidates, in_flight=()))
    )
    assert expected.pair != blind.pair  # here it matters
    second = campaign.ask()
    assert {second.left, second.right} == {ITEMS[expected.i], ITEMS[expected.j]}
    assert second.worker == ["w", "v"][expected.worker]


def test_a_question_in_flight_counts_as_much_as_its_worker():
    from nextpair.core.look_ahead import question_gains

    campaign = run(Campaign(ITEMS, ["w", "v"], seed=4), 4)
    (i, j), (k, m) = ((ITEMS.index(q.left), ITEMS.index(q.right)) for q in (campaign.ask("w"), campaign.ask("v")))
    (_, second) = campaign.open_questions()
    gains = question_gains(campaign.belief, 1, ((i, j, 0),))
    assert campaign.explain(second).gain == pytest.approx(gains[k, m], rel=1e-9)
    assert gains[k, m] != pytest.approx(question_gains(campaign.belief, 1, ((i, j, None),))[k, m], rel=1e-3)


@pytest.mark.parametrize("workers", [None, ["ann", "ben"]])
def test_the_target_waits_until_every_item_was_shown_as_often_as_promised(workers):
    campaign = Campaign(["a", "b", "c", "d", "e"], workers, min_looks=2)
    campaign.stop_at(accuracy=0.5)  # is reached from the start
    asked = Counter()
    with pytest.raises(TargetReached):
        while True:
            question = campaign.ask()
            asked.update((question.left, question.right))
            campaign.tell(question.id, "left")
    assert campaign.target_reached
    assert min(asked[item] for item in campaign.items) == 2
    assert sum(asked.values()) <= 12


def test_the_target_does_not_wait_for_what_nobody_can_be_shown_any_more():
    campaign = Campaign(["a", "b", "c"], ["ann"], min_looks=1)
    campaign.stop_at(accuracy=0.5)
    for _ in range(3):
        assert not campaign.target_reached
        question = campaign.ask()
        if "c" in (question.left, question.right):
            campaign.skip(question.id)
        else:
            campaign.tell(question.id, "left")
    assert campaign.target_reached
