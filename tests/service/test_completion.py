"""The completion code is money: it is for work, and who skipped most of it is told what is missing."""

from __future__ import annotations

import pytest
from browsing import accessible, campaign_of_ada, fits, send, shown
from harness import ITEMS
from playwright.sync_api import expect

CODE = {"completion_code": "C0DE"}
SHORT = {"width": 360, "height": 740}


def work(service, campaign, token, choices):
    """Answer with these choices until nothing is asked any more; what the worker is shown in the end."""
    for choice in choices:
        question = service.ask(campaign, token)
        if question is None:
            break
        assert service.answer(question["id"], choice, token).status_code == 200
    return service.get(f"/campaigns/{campaign}", token).json()


@pytest.mark.parametrize(
    ("terms", "choices", "missing"),
    [
        # all ten pairs of five items
        ({}, ["left"] + 9 * ["skip"], 8),
        ({}, 4 * ["left"] + 6 * ["skip"], 2),
        ({}, 5 * ["tie"] + 5 * ["skip"], 0),
        ({}, 10 * ["skip"], 10),
        # whoever gives as many answers as the quota has done their part, however many they skipped
        ({"quota": 3}, 7 * ["skip"] + 3 * ["left"], 0),
        ({"quota": 3}, 8 * ["skip"] + 2 * ["left"], 1),
        # the budget, the target or the end comes before the quota: that is not the worker's fault
        ({"quota": 9, "budget": 2}, 2 * ["left"], 0),
        ({"budget": 2}, 3 * ["skip"] + 2 * ["left"], 1),
    ],
)
def test_the_code_takes_the_quota_or_as_many_answers_as_skips(service, terms, choices, missing):
    campaign = service.campaign(**terms, **CODE)
    shown = work(service, campaign, service.worker(campaign)["token"], choices)
    assert shown["progress"]["state"] == "done"
    assert shown["progress"]["skipped"] == choices.count("skip")
    assert shown["progress"]["missing"] == missing
    assert ("completion" in shown) == (missing == 0)
    (row,) = service.get(f"/campaigns/{campaign}/workers").json()
    assert row["skipped"] == choices.count("skip")


def test_who_skipped_too_much_can_make_up_for_it_when_there_is_more(service):
    campaign = service.campaign(items=ITEMS[:3], **CODE)
    token = service.worker(campaign)["token"]
    assert "completion" not in work(service, campaign, token, ["left", "skip", "skip"])
    service.post(f"/campaigns/{campaign}/items", {"text": "late"})
    assert work(service, campaign, token, 3 * ["left"])["completion"]["code"] == "C0DE"


def test_when_the_code_was_first_given_stays_when_another_window_gives_it_too(any_service, wait):
    campaign = any_service.campaign(budget=1, **CODE)
    worker = any_service.worker(campaign)
    work(any_service, campaign, worker["token"], ["left"])
    (before,) = any_service.get(f"/campaigns/{campaign}/workers").json()
    assert before["completed_at"] is not None
    wait(60)
    any_service.client.app.state.desk.records.complete(campaign, worker["id"])  # it had asked before that
    (after,) = any_service.get(f"/campaigns/{campaign}/workers").json()
    assert after["completed_at"] == before["completed_at"]


def test_who_was_given_the_code_keeps_it_when_there_is_more_to_answer(any_service, open_service):
    campaign = any_service.campaign(budget=1, **CODE)
    ada, bob = (any_service.worker(campaign, name) for name in ("Ada", "Bob"))
    assert work(any_service, campaign, ada["token"], ["left"])["completion"]["code"] == "C0DE"
    any_service.client.patch(f"/api/v1/campaigns/{campaign}", json={"budget": 9}, headers=any_service.organiser)
    other = open_service(database=any_service.settings.database)  # after a restart, or another process
    for place in (any_service, other):
        mine = place.get(f"/campaigns/{campaign}", ada["token"]).json()
        assert (mine["progress"]["state"], mine["completion"]["code"]) == ("open", "C0DE")
    # nor is it taken from who skips all the rest
    mine = work(any_service, campaign, ada["token"], 9 * ["skip"])
    assert (mine["progress"]["missing"], mine["completion"]["code"]) == (0, "C0DE")
    assert "completion" not in any_service.get(f"/campaigns/{campaign}", bob["token"]).json()


@pytest.fixture
def too_late(any_service, wait):
    """A campaign whose whole budget others used while Ada looked at a question: her answer is refused."""

    def begin(skips=0, **terms):
        campaign = any_service.campaign(budget=1, lease=60, **terms, **CODE)
        ada, bob = (any_service.worker(campaign, name)["token"] for name in ("Ada", "Bob"))
        for _ in range(skips):
            any_service.answer(any_service.ask(campaign, ada)["id"], "skip", ada)
        question = any_service.ask(campaign, ada)["id"]
        wait(61)
        assert any_service.answer(any_service.ask(campaign, bob)["id"], "left", bob).status_code == 200
        return campaign, ada, question

    return begin


def own(service, campaign, token):
    return service.get(f"/campaigns/{campaign}", token).json()


def refused(service, question, token):
    reply = service.answer(question, "left", token)
    assert reply.status_code == 409, reply.text
    return reply.json()["error"]["code"]


@pytest.mark.parametrize("quota", [None, 5])
def test_who_answered_but_too_late_gets_the_code(any_service, open_service, too_late, quota):
    campaign, ada, question = too_late(quota=quota)
    before = own(any_service, campaign, ada)
    assert before["progress"]["state"] == "done"
    assert (before["progress"]["missing"], "completion" in before) == (1, False)  # who answers nothing gets none
    assert refused(any_service, question, ada) == "budget_exhausted"
    for place in (any_service, open_service(database=any_service.settings.database)):
        after = own(place, campaign, ada)
        assert after["completion"]["code"] == "C0DE"
        assert (after["progress"]["answers"], after["progress"]["missing"]) == (0, 0)
        assert place.get(f"/campaigns/{campaign}").json()["answers"] == 1  # it counts for nothing else
        assert place.get(f"/campaigns/{campaign}").json()["spent"] == 1
    rows = {row["name"]: row for row in any_service.get(f"/campaigns/{campaign}/workers").json()}
    assert [(rows[name]["late"], rows[name]["answered"]) for name in ("Ada", "Bob")] == [(1, 0), (0, 1)]
    table = any_service.client.get(f"/campaigns/{campaign}/export/workers.csv", headers=any_service.organiser).text
    head, *lines = (line.split(",") for line in table.splitlines())
    assert {line[1]: line[head.index("late")] for line in lines} == {"Ada": "1", "Bob": "0"}


def test_a_late_answer_counts_once_and_outweighs_no_more_skips_than_one_in_time(any_service, too_late):
    campaign, ada, question = too_late(skips=2)
    for _ in range(3):
        refused(any_service, question, ada)
    shown = own(any_service, campaign, ada)
    assert (shown["progress"]["missing"], "completion" in shown) == (1, False)


def test_after_the_end_it_is_the_same(service, wait):
    campaign = service.campaign(lease=60, **CODE)
    token = service.worker(campaign)["token"]
    question = service.ask(campaign, token)["id"]
    service.post(f"/campaigns/{campaign}/end")
    wait(61)
    assert "completion" not in own(service, campaign, token)
    assert refused(service, question, token) == "campaign_closed"
    assert own(service, campaign, token)["completion"]["code"] == "C0DE"


def test_what_was_too_late_and_is_answered_when_there_is_more_counts_once(any_service, too_late):
    campaign, ada, question = too_late(skips=2)
    refused(any_service, question, ada)
    any_service.client.patch(f"/api/v1/campaigns/{campaign}", json={"budget": 2}, headers=any_service.organiser)
    assert any_service.ask(campaign, ada)["id"] == question
    reply = any_service.answer(question, "left", ada).json()
    assert (reply["progress"]["answers"], reply["progress"]["missing"]) == (1, 1)
    rows = {row["name"]: row for row in any_service.get(f"/campaigns/{campaign}/workers").json()}
    assert rows["Ada"]["late"] == 0


def test_nobody_earns_a_code_by_an_answer_to_what_is_not_theirs_or_is_answered(any_service, too_late):
    campaign, _, question = too_late()
    cleo = any_service.worker(campaign, "Cleo")["token"]
    assert any_service.answer(question, "left", cleo).status_code == 404
    assert any_service.answer(question.replace("q1", "q99"), "left", cleo).status_code == 404
    assert "completion" not in own(any_service, campaign, cleo)


def test_the_page_says_that_a_late_answer_counts_towards_the_code(visitor):
    """Her whole campaign is over while she looks."""
    organiser, _, link = campaign_of_ada(visitor, "tea\ncoffee", lease_minutes="0.01", completion_code="C0DE")
    worker = visitor(SHORT)
    worker.goto(link)
    shown(worker)
    worker.wait_for_timeout(1000)  # longer than the lease
    organiser.get_by_role("button", name="End…").click()
    organiser.locator("#dialog-ok").click()
    expect(organiser.locator("#status")).to_have_text("ended")
    worker.locator("#choose-left").click()
    expect(worker.locator("#status")).to_contain_text("It counts towards your completion code all the same.")
    expect(worker.locator("#completion-code")).to_have_text("C0DE")
    expect(worker.locator("#completion-code")).to_be_visible()
    organiser.reload()
    expect(organiser.locator("#workers tr td").nth(2)).to_have_text("no answers yet, 1 too late")
    assert fits(worker)


@pytest.mark.parametrize("quota", [None, 1])
def test_an_answer_from_before_the_campaign_earns_no_code(service, quota):
    before = [{"winner": "cow", "loser": "ant", "worker": "ann"}]
    campaign = service.campaign(comparisons=before, quota=quota, **CODE)
    token = service.post(f"/campaigns/{campaign}/workers", {"id": "ann"}).json()["token"]
    service.post(f"/campaigns/{campaign}/end")
    shown = service.get(f"/campaigns/{campaign}", token).json()
    assert (shown["progress"]["answers"], shown["progress"]["state"]) == (1, "done")
    assert "completion" not in shown


def test_a_worker_is_told_while_they_skip_and_in_the_end_what_is_missing(visitor):
    _, _, link = campaign_of_ada(visitor, "tea\ncoffee\nwater", completion_code="C0DE")
    worker = visitor(SHORT)
    worker.goto(link)
    shown(worker)
    worker.locator("#choose-left").click()
    shown(worker)
    worker.get_by_role("button", name="Skip").click()
    expect(worker.locator("#status")).to_have_text("Saved.")  # one each: nothing is missing
    shown(worker)
    worker.get_by_role("button", name="Skip").click()
    expect(worker.locator("#done-text")).to_have_text(
        "You answered 1 question and skipped 2. That was everything. "
        "To get the completion code you must answer at least as many as you skip: 1 answer is missing."
    )
    expect(worker.locator("#completion")).to_be_hidden()
    expect(worker.locator("#status")).to_be_empty()  # nothing is said twice
    accessible(worker)
    assert fits(worker)


def test_a_worker_who_skips_more_than_they_answer_is_told_at_once(visitor):
    _, _, link = campaign_of_ada(visitor, completion_code="C0DE")
    worker = visitor(SHORT)
    worker.goto(link)
    shown(worker)
    worker.get_by_role("button", name="Skip").click()
    expect(worker.locator("#status")).to_have_text(
        "Skipped. So far you have skipped 1 and answered 0: for the completion code, answer at least as many as you "
        "skip. “Cannot tell” counts as an answer."
    )
    assert fits(worker)


def test_the_organiser_sees_who_skips_and_nothing_where_nobody_did(visitor):
    organiser, campaign, link = campaign_of_ada(visitor)
    send(organiser, f"/campaigns/{campaign}/invite", names="Bob")
    evidence = organiser.locator("#workers tr", has_text="Ada").locator("td").nth(2)
    expect(evidence).to_have_text("no answers yet")
    report = organiser.request.get(f"/campaigns/{campaign}/report")
    assert "Skipped" not in report.text()
    worker = visitor(SHORT)
    worker.goto(link)
    for _ in range(2):
        shown(worker)
        worker.get_by_role("button", name="Skip").click()
    expect(evidence).to_have_text("no answers yet, 2 skipped")
    expect(organiser.locator("#workers tr", has_text="Bob").locator("td").nth(2)).to_have_text("no answers yet")
    shown(worker)
    worker.locator("#choose-left").click()
    expect(evidence).to_have_text("1 of 1 agree, 2 skipped")
    organiser.goto(f"/campaigns/{campaign}/report")
    number = organiser.get_by_role("columnheader", name="Skipped").evaluate("th => th.cellIndex")
    ada, bob = (organiser.locator("tr", has_text=name).locator("td").nth(number) for name in ("Ada", "Bob"))
    expect(ada).to_have_text("2")
    expect(bob).to_have_text("0")
    accessible(organiser)


def test_nobody_is_told_of_a_code_where_there_is_none(visitor):
    _, _, link = campaign_of_ada(visitor, "tea\ncoffee")
    worker = visitor()
    worker.goto(link)
    shown(worker)
    worker.get_by_role("button", name="Skip").click()
    expect(worker.locator("#done-text")).to_have_text("There are no questions left here.")
