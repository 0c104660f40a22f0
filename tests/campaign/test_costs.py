"""What an answer costs can change while a campaign runs, and the budget holds all the same."""

from __future__ import annotations

import json
from decimal import Decimal

import pytest
from click.testing import CliRunner
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from nextpair import Campaign
from nextpair.campaign.events import Answered, Asked, BudgetSet, CostSet, Created, Expired, Skipped, Undone
from nextpair.cli.main import cli
from nextpair.errors import CampaignError, InvalidSetting, UnknownWorker

ITEMS = ["a", "b", "c", "d", "e"]


def test_what_is_out_keeps_the_cost_it_was_asked_at():
    campaign = Campaign(ITEMS, ["u", "v"], budget=10)
    first = campaign.ask("u")
    campaign.set_cost(3)
    assert (campaign.held, campaign.cost) == (1, 3)
    second = campaign.ask("v")
    assert (campaign.held, second.cost) == (4, 3)
    for question in (first, second):
        campaign.tell(question.id, "left")
    assert campaign.spent == 4
    campaign.set_cost(1)
    campaign.undo(second.id)
    campaign.tell(second.id, "right")  # an old question, at its old cost
    assert campaign.spent == 4


def test_the_cost_of_one_worker_and_of_all():
    campaign = Campaign(ITEMS, ["u", "v"], cost={"u": 2, "v": 5})
    campaign.set_cost(7, "v")
    assert [row.cost for row in campaign.workers()] == [2, 7]
    campaign.set_cost(Decimal("0.5"))
    campaign.add_worker("late")
    campaign.add_worker("dear", cost=9)
    assert [row.cost for row in campaign.workers()] == [0.5, 0.5, 0.5, 9]
    alike = Campaign(ITEMS, budget=10)
    alike.set_cost(4)
    assert alike.ask().cost == 4


def test_a_cost_that_makes_no_sense_is_refused():
    campaign = Campaign(ITEMS, ["u"])
    for cost in (0, -1, float("nan"), "1"):
        with pytest.raises(InvalidSetting, match="the cost must be a positive number"):
            campaign.set_cost(cost)
    with pytest.raises(UnknownWorker, match="nobody"):
        campaign.set_cost(1, "nobody")
    with pytest.raises(InvalidSetting, match="knows no workers"):
        Campaign(ITEMS).set_cost(1, "u")


def test_what_ran_out_is_asked_again_at_the_cost_of_now():
    """At its old cost it would break the budget that was asked for the new one."""
    campaign = Campaign(ITEMS, ["u", "v"], budget=6, cost=5, lease=10)
    old = campaign.ask("u", now=0)
    campaign.expire(20)
    campaign.set_cost(1)
    for _ in range(4):
        campaign.tell(campaign.ask("v", now=20).id, "left")
    again = campaign.ask("u", now=20)
    assert (again.id, again.cost) == (old.id, 1)
    assert (campaign.spent, campaign.held) == (4, 1)
    assert Campaign.replay(campaign.events).held == 1


def committed(events):
    """What is spent and held by the events alone: an account that knows nothing of campaigns."""
    costs, out, paid = {}, set(), set()
    most = None
    for event in events:
        if isinstance(event, Created | BudgetSet):
            most = event.budget
        elif isinstance(event, Asked):
            costs[event.question] = Decimal(repr(event.cost))
            out.add(event.question)
        elif isinstance(event, Skipped | Expired):
            out.discard(event.question)
        elif isinstance(event, Answered):
            out.discard(event.question)
            paid.add(event.question)
        elif isinstance(event, Undone):
            paid.discard(event.question)
            out.add(event.question)
        yield sum((costs[question] for question in out | paid), Decimal(0)), most


ACTS = ["ask", "ask", "tell", "lapse", "undo", "skip", 0.1, 0.7, 2.5]  # a number: the cost from now on


@given(
    st.lists(st.tuples(st.sampled_from(ACTS), st.integers(0, 3)), min_size=20, max_size=40),
    st.sampled_from([2.0, 3.3]),
)
@settings(max_examples=250, suppress_health_check=list(HealthCheck))
def test_the_budget_holds_by_the_journal_alone(steps, budget):
    campaign = Campaign(ITEMS, ["u", "v"], budget, cost=2, lease=10, policy="random")
    now = 0.0
    for act, number in steps:
        who, asked = "uv"[number % 2], list(campaign._state.questions)
        try:
            if act in ("ask", "lapse"):
                campaign.ask(who, now=now)
                now += 11.0 * (act == "lapse")
                campaign.expire(now)
            elif isinstance(act, float):
                campaign.set_cost(act, (None, None, "u", "v")[number])
            elif asked:
                question = asked[-1 - number % len(asked)]
                more = {"tell": {"choice": "left"}, "undo": {"now": now}, "skip": {}}[act]
                getattr(campaign, act)(question, **more)
        except CampaignError:
            pass
    for amount, most in committed(campaign.events):
        assert amount <= Decimal(repr(most))
    again = Campaign.replay(campaign.events)
    assert (again.spent, again.held, again.cost) == (campaign.spent, campaign.held, campaign.cost)
    assert [row.cost for row in again.workers()] == [row.cost for row in campaign.workers()]


def test_costs_are_changed_from_the_shell(tmp_path):
    def nextpair(*words):
        done = CliRunner().invoke(cli, list(words))
        assert done.exit_code == 0, done.output
        return done.output

    path = str(tmp_path / "c.journal")
    nextpair("start", path, "--item", "a", "--item", "b", "--item", "c", "--worker", "u", "--worker", "v")
    nextpair("change", path, "--cost", "2", "--cost-of", "v", "0.5")
    assert Campaign.load(path).events[-2:] == [CostSet(2.0), CostSet(0.5, "v")]
    asked = {name: json.loads(nextpair("ask", path, "--worker", name, "--json"))["cost"] for name in "uv"}
    assert asked == {"u": 2.0, "v": 0.5}
