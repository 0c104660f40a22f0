"""The loop of judges: every answer is told, money and pairs are kept to, and what fails is lost to nobody."""

import asyncio
import os
import signal
import subprocess
import sys
import threading
from time import sleep

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import nextpair
from nextpair.campaign.campaign import Campaign
from nextpair.errors import CampaignError, InvalidFile, InvalidSetting
from nextpair.judging import rounds
from nextpair.judging.rounds import ALL_DOWN, ENOUGH, STOPPED
from nextpair.store.file import create, opened

ITEMS = ["a", "b", "c", "d", "e", "f"]


def alphabetical(question):
    return "left" if question.left < question.right else "right"


def failing(question):
    raise TimeoutError("nobody is there")


@pytest.fixture
def journal(tmp_path):
    path = tmp_path / "c.journal"
    create(path, Campaign(ITEMS, ["ann", "ben"], budget=20, seed=3))
    return path


def test_judges_answer_until_the_money_is_spent(journal):
    asked = []

    def noting(question):
        asked.append(question)
        return alphabetical(question)

    # one by one, so that the ranking is the same each time
    judged = nextpair.judge(journal, {"ann": noting, "new": noting}, at_once=1)
    campaign = Campaign.load(journal)
    assert {question.worker for question in asked} == {"ann", "new"}
    assert sorted(answer.question for answer in campaign.comparisons()) == sorted(question.id for question in asked)
    assert judged.total == campaign.spent == 20
    assert "the budget of 20" in judged.why
    assert not judged.is_cut_short
    assert [row.item for row in campaign.ranking()] == ITEMS


def test_a_campaign_without_a_journal_is_answered_too():
    campaign = Campaign(ITEMS, budget=5)
    assert nextpair.judge(campaign, {"whoever": alphabetical}).answers == {"whoever": 5}
    assert len(campaign.comparisons()) == 5


def test_so_many_are_judged_at_once_and_no_more(journal):
    together, most, lock, meeting = 0, 0, threading.Lock(), threading.Barrier(3)

    def meet(question):
        nonlocal together, most
        with lock:
            together += 1
            most = max(most, together)
        meeting.wait(timeout=20)  # three of them, or nobody goes on
        with lock:
            together -= 1
        return "left"

    nextpair.judge(journal, {"ann": meet}, at_once=3, most=15)
    assert most == 3
    assert len(Campaign.load(journal).comparisons()) == 15


def test_who_fails_is_called_again(journal):
    calls = []

    def slow_to_start(question):
        calls.append(question.id)
        if calls.count(question.id) == 1:
            raise ConnectionError("not yet")
        return "left"

    judged = nextpair.judge(journal, {"ann": slow_to_start}, at_once=2, tries=2, most=2)
    assert judged.answers == {"ann": 2}
    assert judged.unanswered == {}
    assert len(calls) == 4


def test_who_is_to_be_patient_calls_again_each_minute(monkeypatch):
    """`tries` is how a long outage is outlasted: doubled each time, the pauses would become days."""
    pauses = []

    class Hurried(threading.Event):
        def wait(self, timeout=None):
            return super().wait(timeout) if timeout is None else pauses.append(timeout)

    monkeypatch.setattr(rounds, "Event", Hurried)
    nextpair.judge(Campaign(ITEMS, ["ann"], budget=1), {"ann": failing}, tries=1200)
    assert pauses[:8] == [1, 2, 4, 8, 16, 32, 60, 60]
    assert max(pauses) == 60


def test_who_keeps_failing_is_given_up_and_the_others_go_on(journal):
    judged = nextpair.judge(journal, {"ann": failing, "ben": alphabetical}, at_once=1, tries=1)
    campaign = Campaign.load(journal)
    lost = [question.id for question in campaign.open_questions()]
    assert judged.down == {"ann": "TimeoutError: nobody is there"}
    assert judged.unanswered == dict.fromkeys(lost, "ann: TimeoutError: nobody is there")
    assert judged.answers == {"ben": len(campaign.comparisons())}
    assert campaign.spent > 0
    # the next run begins with what was left open, and loses nothing of it
    seen = []
    again = nextpair.judge(journal, {"ann": lambda question: seen.append(question.id) or "tie"}, at_once=1)
    assert seen[: len(lost)] == lost
    assert again.unanswered == {}
    assert Campaign.load(journal).open_questions() == []


def test_when_nobody_answers_it_ends_and_says_so(journal):
    judged = nextpair.judge(journal, {"ann": failing, "ben": failing}, tries=1)
    assert judged.why == ALL_DOWN
    assert judged.is_cut_short
    assert len(judged.unanswered) == len(Campaign.load(journal).open_questions()) > 0


def test_who_was_given_up_is_not_called_for_what_was_open_before(journal):
    with opened(journal) as campaign:
        before = [question.id for question in campaign.ask_batch(6, "ann")]
    calls = []

    def counting(question):
        calls.append(question.id)
        raise TimeoutError("nobody is there")

    judged = nextpair.judge(journal, {"ann": counting}, at_once=1, tries=1)
    assert calls == before[:3]
    assert list(judged.unanswered) == before


def test_errors_that_overtake_answers_do_not_give_up_a_judge_who_answers(journal):
    """Three texts are refused at once, while the first answers are still thought about."""
    with opened(journal) as campaign:
        before = [question.id for question in campaign.ask_batch(6, "ann")]
    refused, calls = threading.Event(), []

    def selective(question):
        calls.append(question.id)
        if question.id in before[1:4]:
            raise ValueError("I cannot judge this")
        assert refused.wait(timeout=60)
        return "left"

    class Counting(Noting):
        def answered(self, place, answers, judging):
            if judging == 1:
                refused.set()

    judged = nextpair.judge(journal, {"ann": selective}, at_once=4, tries=1, most=8, watching=Counting())
    assert (judged.answers, judged.why, judged.down) == ({"ann": 8}, ENOUGH, {})
    assert set(judged.unanswered) == set(before[1:4])
    assert set(before[4:]) < set(calls[4:8])


def test_where_workers_are_alike_who_was_given_up_is_named_too():
    campaign = Campaign(ITEMS, budget=4)
    campaign.ask_batch(4)
    judged = nextpair.judge(campaign, {"x": failing}, at_once=1, tries=1)
    assert list(judged.unanswered.values()) == ["x: TimeoutError: nobody is there"] * 4


def test_an_answer_that_is_none_is_named(journal):
    judged = nextpair.judge(journal, {"ann": lambda question: "both"}, tries=1, at_once=1)
    assert judged.down["ann"] == "it said 'both', and an answer is one of left, right, tie, much-left, much-right, skip"


def test_an_error_is_told_by_its_kind_too(journal):
    judged = nextpair.judge(journal, {"ann": lambda question: {}["choices"]}, tries=1, at_once=1)
    assert judged.down["ann"] == "KeyError: 'choices'"


def test_skipping_costs_nothing(journal):
    judged = nextpair.judge(journal, {"ann": lambda question: "skip"})
    assert (judged.skipped, judged.answers) == (15, {})
    assert Campaign.load(journal).spent == 0


def test_so_many_answers_and_no_more(journal):
    judged = nextpair.judge(journal, {"ann": alphabetical}, most=4)
    campaign = Campaign.load(journal)
    assert judged.why == ENOUGH
    assert len(campaign.comparisons()) == 4
    assert campaign.open_questions() == []


def test_a_skip_is_one_of_so_many_answers(journal):
    """For who is tried out may skip everything, and each is paid for."""
    judged = nextpair.judge(journal, {"ann": lambda question: "skip"}, most=4)
    assert (judged.skipped, judged.why) == (4, ENOUGH)


def test_workers_who_are_alike_have_one_judge(tmp_path):
    path = tmp_path / "alike.journal"
    create(path, Campaign(ITEMS, budget=5))
    before = path.read_bytes()
    with pytest.raises(InvalidSetting, match="one judge answers, not 2"):
        nextpair.judge(path, {"x": alphabetical, "y": alphabetical})
    assert path.read_bytes() == before
    assert nextpair.judge(path, {"x": alphabetical}).answers == {"x": 5}


@pytest.mark.parametrize("wrong", [{"at_once": 0}, {"tries": 0}, {"most": 0}, {"at_once": 1.5}])
def test_absurd_numbers_are_refused(journal, wrong):
    (name,) = wrong
    with pytest.raises(InvalidSetting, match=name):
        nextpair.judge(journal, {"ann": alphabetical}, **wrong)


def test_no_judge_is_refused(journal):
    with pytest.raises(InvalidSetting, match="there is no judge"):
        nextpair.judge(journal, {})


def test_others_may_change_the_journal_meanwhile(journal):
    """Somebody closes the first question in another way, and an answer of their own comes in."""
    others = []

    def interfered(question):
        if not others:
            with opened(journal) as campaign:
                others.append(campaign.ask("ben").id)
                campaign.tell(others[0], "left")
                campaign.skip(question.id)
                others.append(question.id)
        return alphabetical(question)

    judged = nextpair.judge(journal, {"ann": interfered}, at_once=1, most=3)
    campaign = Campaign.load(journal)
    told = [answer.question for answer in campaign.comparisons()]
    assert others[0] in told
    assert list(judged.refused) == [others[1]]
    assert "was already skipped" in judged.refused[others[1]]
    assert others[1] not in told
    assert len(told) == 4


def test_one_run_at_a_time_for_a_judge(journal, monkeypatch):
    """A second one would begin with what is being judged, and pay for it again."""
    monkeypatch.chdir(journal.parent)
    came = []

    def begin_another(question):
        if not came:
            came.append(nextpair.judge(journal, {"ben": alphabetical}, most=1).answers)
            with pytest.raises(CampaignError, match="ann answers there in another run already.*paid, twice"):
                nextpair.judge(journal.name, {"ann": alphabetical})
        return alphabetical(question)

    assert nextpair.judge(journal, {"ann": begin_another}, at_once=1, most=2).answers == {"ann": 2}
    assert came == [{"ben": 1}]
    assert nextpair.judge(journal, {"ann": alphabetical}, most=1).answers == {"ann": 1}


def test_one_run_at_a_time_where_workers_are_alike(tmp_path):
    path = tmp_path / "alike.journal"
    create(path, Campaign(ITEMS, budget=3))

    def begin_another(question):
        with pytest.raises(CampaignError, match="in another run already"):
            nextpair.judge(path, {"y": alphabetical})
        return "left"

    assert nextpair.judge(path, {"x": begin_another}, at_once=1).answers == {"x": 3}


def test_no_answer_goes_to_another_campaign_that_took_the_place(journal):
    others = [item.upper() for item in ITEMS]

    def replaced(question):
        if question.left in ITEMS:
            journal.unlink()
            create(journal, Campaign(others, ["ann"], budget=3))
            with opened(journal) as campaign:
                campaign.ask("ann")
        return "left"

    judged = nextpair.judge(journal, {"ann": replaced}, at_once=1, most=1)
    assert "q1 asks something else there" in judged.refused["q1"]
    assert [answer.question for answer in Campaign.load(journal).comparisons()] == ["q2"]


class Noting:
    def __init__(self, note=lambda words: None, answered=lambda: None):
        self.note, self._answered = note, answered

    def answered(self, place, answers, judging):
        self._answered()


def test_what_is_paid_for_finds_its_place_once_the_journal_is_right_again(journal):
    away, moved, calls = journal.with_suffix(".away"), threading.Event(), iter((True, False))

    def put_right(words):
        assert "no such file" in words
        assert "waiting for 1 question" in words
        os.rename(away, journal)
        moved.set()

    def move(question):
        if next(calls):
            sleep(0.5)  # for the other to begin
            os.rename(journal, away)
        else:
            assert moved.wait(60)
        return "left"

    with pytest.raises(InvalidFile, match="no such file or directory$"):
        nextpair.judge(journal, {"ann": move}, at_once=2, watching=Noting(put_right))
    assert len(Campaign.load(journal).comparisons()) == 2


def test_answers_that_find_no_place_are_told(journal):
    def remove(question):
        journal.unlink(missing_ok=True)
        return "left"

    with pytest.raises(InvalidFile, match=r"These answers came and are not written down: q\d left, q\d left"):
        nextpair.judge(journal, {"ann": remove}, at_once=2)


def test_what_goes_wrong_in_any_other_way_waits_for_what_is_paid_for_too(journal):
    """As where the program that watches cannot print any more."""
    both = threading.Barrier(2)
    calls = iter((0.0, 0.5))

    def one_by_one(question):
        both.wait(timeout=60)
        sleep(next(calls))
        return "left"

    def broken():
        raise OSError("nobody reads this")

    with pytest.raises(OSError, match="nobody reads this"):
        nextpair.judge(journal, {"ann": one_by_one}, at_once=2, watching=Noting(answered=broken))
    campaign = Campaign.load(journal)
    assert (len(campaign.comparisons()), campaign.open_questions()) == (2, [])


def test_more_at_once_than_there_can_be_threads_ends_with_what_was_begun(journal, monkeypatch):
    class Scarce(threading.Thread):
        left = 2

        def start(self):
            Scarce.left -= 1
            if Scarce.left < 0:
                raise RuntimeError("can't start new thread")
            super().start()

    monkeypatch.setattr(rounds, "Thread", Scarce)
    with pytest.raises(RuntimeError, match="can't start"):
        nextpair.judge(journal, {"ann": alphabetical}, at_once=5)
    assert len(Campaign.load(journal).comparisons()) == 2


def test_answers_that_find_no_place_are_told_whatever_the_reason(journal, monkeypatch):
    def locks_are_gone(place, answers):
        raise OSError(37, "no locks available")

    monkeypatch.setattr(rounds.InJournal, "tell", locks_are_gone)
    with pytest.raises(OSError, match="no locks") as told:
        nextpair.judge(journal, {"ann": alphabetical}, at_once=2)
    lost = ", ".join(f"{q.id} {alphabetical(q)}" for q in Campaign.load(journal).open_questions())
    assert told.value.__notes__ == [f"These answers came and are not written down: {lost}"]


def test_an_interrupt_amid_compiled_code_is_one_too(journal):
    """numba makes a SystemError of it."""

    def interrupted():
        raise SystemError from KeyboardInterrupt()

    judged = nextpair.judge(journal, {"ann": alphabetical}, at_once=1, watching=Noting(answered=interrupted))
    assert (judged.why, judged.total) == (STOPPED, 1)


SLEEPY = """
import nextpair, signal, sys, time
signal.signal(signal.SIGINT, signal.default_int_handler)
def sleepy(question):
    print("begun", flush=True)
    time.sleep(300)
nextpair.judge(nextpair.Campaign(["a", "b", "c"], ["ann"], budget=2), {"ann": sleepy}, at_once=1)
"""


def test_a_second_interrupt_does_not_wait_for_functions_either():
    process = subprocess.Popen(
        [sys.executable, "-c", SLEEPY], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout.readline() == "begun\n"
    process.send_signal(signal.SIGINT)
    assert process.stderr.readline() == "waiting for 1 question that is being judged. Ctrl-C again ends them\n"
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert err.rstrip().endswith("KeyboardInterrupt")
    assert process.returncode != 0


FORKING = """
import nextpair, os, signal, sys
def forking(question):
    if os.fork():
        os.kill(os.getpid(), signal.SIGKILL)
    os.read(0, 1)
    os._exit(0)
nextpair.judge(sys.argv[1], {"ann": forking}, at_once=1)
"""


def test_a_killed_run_holds_nobody_up_though_what_it_forked_lives_on(journal):
    """As the processes of a pool do."""
    with subprocess.Popen([sys.executable, "-c", FORKING, journal], stdin=subprocess.PIPE) as process:
        assert process.wait(timeout=60) == -signal.SIGKILL
        assert nextpair.judge(journal, {"ann": alphabetical}, most=1).answers == {"ann": 1}


def test_what_takes_longer_than_its_lease_is_judged_once(tmp_path):
    path = tmp_path / "leased.journal"
    create(path, Campaign(ITEMS, ["ann"], budget=6, lease=0.01))
    under_way, twice = set(), []

    def slow(question):
        twice.extend({question.id} & under_way)
        under_way.add(question.id)
        sleep(0.05)
        under_way.discard(question.id)
        return alphabetical(question)

    nextpair.judge(path, {"ann": slow}, at_once=2)
    assert twice == []
    assert Campaign.load(path).spent == 6


@settings(max_examples=25, deadline=None)
@given(
    st.lists(st.sampled_from(["left", "right", "tie", "much-left", "skip", "nonsense", "error"]), max_size=12),
    st.integers(1, 4),
    st.integers(1, 9),
)
def test_whatever_judges_do_the_books_are_right(tmp_path_factory, said, at_once, budget):
    path = tmp_path_factory.mktemp("books") / "c.journal"
    create(path, Campaign(ITEMS[:4], ["ann", "ben"], budget=budget, policy="random"))
    lines, lock = iter(said), threading.Lock()

    def moody(question):
        with lock:
            word = next(lines, "left")
        if word == "error":
            raise OSError("gone")
        return word

    judged = nextpair.judge(path, {"ann": moody, "ben": moody}, at_once=at_once, tries=1)
    campaign = Campaign.load(path)
    assert campaign.spent == judged.total == len(campaign.comparisons()) <= budget
    assert {question.id for question in campaign.open_questions()} == set(judged.unanswered)
    assert campaign.spent + campaign.held <= budget
    assert Campaign.replay(campaign.events).ranking() == campaign.ranking()
    assert not judged.refused


async def awaited(question):
    return "left"


class Awaited:
    async def __call__(self, question):
        return "left"


@pytest.mark.parametrize(
    ("judges", "says"),
    [
        (None, "there is no judge: .*, not None"),
        (["ann"], r"there is no judge: .*, not \['ann'\]"),
        ({"ann": "gpt"}, "the judge of 'ann' is a function that takes a question, not 'gpt'"),
        ({"ann": alphabetical, "ben": awaited}, "the judge of 'ben' is an async function"),
        ({"ben": Awaited()}, "the judge of 'ben' is an async function"),
    ],
)
def test_who_cannot_judge_is_told_before_anything_is_asked(judges, says):
    """An async function was called, for nothing, until it was given up, and its questions held their money."""
    campaign = Campaign(ITEMS, ["ann", "ben"])
    with pytest.raises(InvalidSetting, match=says):
        nextpair.judge(campaign, judges)
    assert campaign.events == [campaign.settings]


def test_an_async_judge_answers_as_the_error_advises():
    campaign = Campaign(ITEMS, ["ben"], budget=3)
    judged = nextpair.judge(campaign, {"ben": lambda question: asyncio.run(awaited(question))})
    assert judged.answers == {"ben": 3}
