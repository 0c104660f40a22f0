"""A worker may be asked the same pair more than once, as models may: sides are exchanged, and each answer counts."""

from __future__ import annotations

import itertools
from collections import Counter

import pytest

from nextpair import Campaign
from nextpair.campaign.events import Created, decode, encode
from nextpair.core.candidates import Candidates
from nextpair.core.policies import POLICIES
from nextpair.errors import InvalidFile, InvalidSetting, NothingLeft, UnknownWorker
from program import in_this_process

ITEMS = list("abcd")  # six pairs


def to_the_end(campaign, worker=None):
    """Each question, answered left at once."""
    asked = []
    while True:
        try:
            question = campaign.ask(worker)
        except NothingLeft:
            return asked
        asked.append(question)
        campaign.tell(question.id, "left")


def shown(asked):
    return Counter((question.worker, question.left, question.right) for question in asked)


@pytest.mark.parametrize("policy", sorted(POLICIES))
def test_each_pair_is_asked_so_often_and_each_item_stands_left_as_often(policy):
    campaign = Campaign(ITEMS, ["gpt"], times=4, policy=policy, seed=3)
    assert campaign.questions_left("gpt") == 24
    asked = to_the_end(campaign)
    assert shown(asked) == {("gpt", *pair): 2 for pair in itertools.permutations(ITEMS, 2)}
    pairs = [frozenset((question.left, question.right)) for question in asked]
    assert all(len(set(pairs[k : k + 6])) == 6 for k in range(0, 24, 6))  # none again before all the others
    assert campaign.questions_left("gpt") == 0
    assert len(campaign.comparisons()) == 24


def test_with_an_odd_number_nobody_stands_left_more_than_once_oftener():
    asked = shown(to_the_end(Campaign(ITEMS, ["gpt"], times=3)))
    for one, other in itertools.combinations(ITEMS, 2):
        assert sorted((asked["gpt", one, other], asked["gpt", other, one])) == [1, 2]


def test_people_once_and_models_more_often():
    campaign = Campaign(ITEMS, ["ann", "gpt"], times={"gpt": 2}, cost={"ann": 1, "gpt": 0.1})
    campaign.add_worker("ben")
    campaign.add_worker("claude", times=3)
    asked = Counter(question.worker for question in to_the_end(campaign))
    assert asked == {"ann": 6, "ben": 6, "gpt": 12, "claude": 18}


def test_nothing_is_asked_again_before_everything_was_asked_also_of_who_joins_late():
    campaign = Campaign(ITEMS, ["gpt"], times=2)
    first = [campaign.ask() for _ in range(5)]
    for question in first:
        campaign.tell(question.id, "right")
    campaign.add_item("e")
    later = to_the_end(campaign)
    pairs = [frozenset((q.left, q.right)) for q in [*first, *later]]
    assert len(set(pairs[:10])) == len(set(pairs[10:])) == 10
    assert len(pairs) == 20


def test_it_is_not_asked_again_before_it_is_answered():
    campaign = Campaign(ITEMS, ["gpt"], times=2)
    first = campaign.ask_batch(12)
    assert len({frozenset((q.left, q.right)) for q in first}) == len(first) == 6
    with pytest.raises(NothingLeft, match=r"but for what is out and can still be answered"):
        campaign.ask()
    campaign.tell(first[2].id, "tie")
    again = campaign.ask()
    assert (again.left, again.right) == (first[2].right, first[2].left)
    assert again.id != first[2].id


def test_what_is_skipped_is_asked_no_more_by_anybody_who_skipped_it():
    campaign = Campaign(["a", "b"], ["gpt", "other"], times=2)
    campaign.skip(campaign.ask("gpt").id)
    assert campaign.questions_left("gpt") == 0
    with pytest.raises(NothingLeft):
        campaign.ask("gpt")
    campaign.tell(campaign.ask("other").id, "left")
    campaign.skip(campaign.ask("other").id)
    with pytest.raises(NothingLeft):
        campaign.ask("other")


def test_a_second_question_that_ran_out_is_asked_as_it_was():
    campaign = Campaign(["a", "b"], ["gpt"], times=2, lease=10)
    first = campaign.ask(now=0)
    campaign.tell(first.id, "left")
    second = campaign.ask(now=0)
    campaign.expire(now=20)
    assert campaign.questions_left("gpt") == 1
    again = campaign.ask(now=20)
    assert (again.id, again.left) == (second.id, second.left)
    assert second.left == first.right


def test_an_undone_answer_is_no_answer_and_may_be_given_anew():
    campaign = Campaign(["a", "b"], ["gpt"], times=2)
    question = campaign.ask()
    campaign.tell(question.id, "left")
    campaign.undo(question.id)
    with pytest.raises(NothingLeft):
        campaign.ask()
    campaign.tell(question.id, "right")
    campaign.tell(campaign.ask().id, "right")
    assert campaign.questions_left("gpt") == 0
    assert len(campaign.comparisons()) == 2


def test_answers_from_elsewhere_count_as_often_as_they_were_given():
    campaign = Campaign(["a", "b"], ["gpt"], times=3)
    campaign.add_answers([("gpt", "a", "b", "left")], as_shown=True)
    assert campaign.questions_left("gpt") == 2
    question = campaign.ask()
    assert (question.left, question.right) == ("b", "a")
    campaign.add_answers([("gpt", "a", "b", "left"), ("gpt", "a", "b", "left")])
    assert campaign.questions_left("gpt") == 0
    campaign.tell(question.id, "left")
    with pytest.raises(NothingLeft):
        campaign.ask()


def test_where_nobody_knows_how_it_was_shown_a_coin_decides():
    def first_left(seed):
        campaign = Campaign(["a", "b"], ["gpt"], times=2, policy="random", seed=seed)
        campaign.add_answers([("gpt", "a", "b", "left")])
        return campaign.ask().left

    assert set(map(first_left, range(20))) == {"a", "b"}


def test_pairs_of_a_removed_item_keep_none_from_being_asked_again():
    campaign = Campaign(["a", "b", "c"], ["gpt"], times=3)
    campaign.add_answers([("gpt", *pair, "left") for pair in ("ab", "ab", "ac", "bc")])
    campaign.remove_item("c")
    assert campaign.questions_left("gpt") == len(to_the_end(campaign)) == 1


def test_two_answers_tell_more_than_one():
    once, twice = (Campaign(["a", "b"], ["gpt"], times=times) for times in (1, 2))
    for campaign in (once, twice):
        while campaign.questions_left("gpt"):
            question = campaign.ask()
            campaign.tell(question.id, "left" if question.left == "a" else "right")
    assert twice.expected_accuracy() > once.expected_accuracy() + 0.02


def test_a_quota_holds_all_the_same():
    campaign = Campaign(ITEMS, ["gpt"], times=4, quota=7)
    assert campaign.questions_left("gpt") == 7
    assert len(to_the_end(campaign)) == 7


def test_a_policy_knows_how_many_more_questions_there_may_be():
    candidates = Candidates(n_items=4, workers=(0, 1), seen={0: {(0, 1)}, 1: {(0, 1)}}, left={1: 17})
    assert candidates.room().tolist() == [5, 17]


def test_journals_hold_it_and_those_without_are_as_before(tmp_path):
    campaign = Campaign(ITEMS, ["gpt"], times=2)
    assert campaign.settings.times == 2
    assert decode(encode(campaign.events[0])) == campaign.events[0]
    assert "times" not in encode(Campaign(ITEMS, ["gpt"]).events[0])
    campaign.save(tmp_path / "c.journal")
    assert Campaign.load(tmp_path / "c.journal").questions_left("gpt") == 12
    edited = (tmp_path / "c.journal").read_text().replace('"times":2', '"times":0')
    (tmp_path / "c.journal").write_text(edited)
    with pytest.raises(InvalidFile, match="line 1: a pair may be asked once or more"):
        Campaign.load(tmp_path / "c.journal")


def test_what_makes_no_sense_is_refused():
    for times in (0, -1, 1.5, "2"):
        with pytest.raises(InvalidSetting, match="times"):
            Campaign(ITEMS, ["gpt"], times=times)
        with pytest.raises(InvalidSetting, match="times of 'gpt'"):
            Campaign(ITEMS, ["gpt"], times={"gpt": times})
    with pytest.raises(UnknownWorker, match="times are given for 'gtp'"):
        Campaign(ITEMS, ["gpt"], times={"gtp": 2})
    with pytest.raises(InvalidSetting, match="again and again: leave times out"):
        Campaign(ITEMS, times=2)
    with pytest.raises(InvalidSetting, match="name the workers"):
        Campaign(ITEMS, times={"gpt": 2})
    assert isinstance(Campaign(ITEMS, times=1).events[0], Created)


def test_from_the_shell(tmp_path):
    words = ("start", "c.journal", "--item", "a", "--item", "b", "--worker", "ann")
    done = in_this_process(*words, "--times-of", "gpt", "4", "--cost-of", "gpt", "0.01", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    campaign = Campaign.load(tmp_path / "c.journal")
    assert (campaign.questions_left("ann"), campaign.questions_left("gpt")) == (1, 4)
    assert campaign.terms("gpt")[1] == 0.01
    assert in_this_process(*words, "--times", "0", cwd=tmp_path / "..").returncode == 1
    for option, *values in (("--times-of", "x", "2"), ("--times", "2")):
        refused = in_this_process("start", "d.journal", *words[2:6], "--alike", option, *values, cwd=tmp_path)
        assert f"--alike knows no workers: leave it out, or {option}\n" in refused.stderr
