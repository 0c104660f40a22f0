"""The bench's account must be able to find fault: journals that are wrong on purpose."""

from __future__ import annotations

import pytest

from nextpair.campaign import events as ev
from nextpair.campaign.campaign import Campaign
from nextpair.service.bench.audit import audit, compare_with_replay
from nextpair.service.bench.load import Account

CREATED = Campaign(["a", "b", "c"], ["w"], 0.3, cost=0.1).events[0]


def asked(number, left="a", right="b"):
    return ev.Asked(f"q{number}", "w", left, right, 0.1)


GOOD = [CREATED, asked(1), ev.Answered("q1", "left"), asked(2, "b", "c"), ev.Expired("q2"), asked(3, "b", "c")]


def account(**changes):
    return Account(**{"acknowledged": {"c.q1": "left"}, **changes})


def test_a_good_journal_has_nothing_to_answer_for():
    assert audit(GOOD, account(), "c.") == []


def test_what_ran_out_may_be_skipped_late_or_asked_again_under_its_id():
    late = [CREATED, asked(1), ev.Expired("q1"), ev.Skipped("q1"), asked(2, "b", "c"), ev.Expired("q2")]
    again = [*late, asked(2, "b", "c"), ev.Answered("q2", "tie"), asked(3, "a", "c")]
    assert audit(again, account(acknowledged={"c.q2": "tie"}), "c.") == []
    over = [*again, asked(4, "a", "x"), asked(5, "a", "y")]
    assert any("0.4" in problem for problem in audit(over, account(acknowledged={}), "c."))


@pytest.mark.parametrize(
    ("journal", "seen", "word"),
    [
        (GOOD[:2], account(), "acknowledged"),
        (GOOD, account(acknowledged={"c.q1": "right"}), "acknowledged"),
        ([*GOOD, ev.Answered("q1", "left")], account(), "twice"),
        (GOOD, account(skipped={"c.q1"}), "skipped"),
        ([CREATED, asked(1), asked(2, "b", "a")], account(acknowledged={}), "was asked"),
        ([*GOOD, ev.Answered("q2", "left"), ev.Answered("q3", "tie")], account(), "answered ['b', 'c'] 2 times"),
        (
            [CREATED, asked(1), asked(2, "b", "c"), asked(3, "a", "c"), asked(4, "x", "y")],
            account(acknowledged={}),
            "0.4",
        ),
        (GOOD, account(problems=["odd"]), "odd"),
    ],
)
def test_what_is_wrong_is_found(journal, seen, word):
    assert any(word in problem for problem in audit(journal, seen, "c."))


def test_a_server_that_shows_something_else_than_the_replay_is_found():
    rows = [row.__dict__ if hasattr(row, "__dict__") else row._asdict() for row in Campaign.replay(GOOD).ranking()]
    assert compare_with_replay(GOOD, [rows]) == []
    assert len(compare_with_replay(GOOD, [rows, rows[::-1]])) == 1
