"""What the dashboard says: one count of answers, a forecast that keeps its word, and what time brings."""

from __future__ import annotations

import asyncio
import time

import pytest
from browsing import campaign_of_ada
from playwright.sync_api import expect

from nextpair import Campaign
from nextpair.service import demo, hall, live
from nextpair.service.content import Item
from nextpair.service.forecast import Point, forecast


def dashboard(service, campaign):
    return service.get(f"/campaigns/{campaign}/dashboard").json()


def answers(service, campaign, token, n):
    """Answer up to n questions, always the first in the alphabet; give how many there were."""
    for given in range(n):
        question = service.ask(campaign, token)
        if question is None:
            return given
        service.answer(question["id"], "left" if question["left"]["id"] < question["right"]["id"] else "right", token)
    return n


def test_there_is_one_count_of_answers_and_a_ban_lowers_it(service, open_service):
    campaign = service.campaign(budget=100)
    ada, bob = (service.worker(campaign, name) for name in ("Ada", "Bob"))
    for worker in (ada, bob):
        answers(service, campaign, worker["token"], 6)
    last = service.get(f"/campaigns/{campaign}/comparisons").json()[-1]["question"]
    service.post(f"/questions/{last}/undo")
    before = dashboard(service, campaign)
    assert before["campaign"]["answers"] == 11
    service.post(f"/campaigns/{campaign}/workers/{bob['id']}/ban")
    answers(service, campaign, ada["token"], 2)
    # in the process that lived through it, and in one that reads the journal
    for place in (service, open_service(database=service.settings.database)):
        shown = dashboard(place, campaign)
        assert shown["campaign"]["answers"] == 8 == len(place.get(f"/campaigns/{campaign}/comparisons").json())
        assert [point["answers"] for point in shown["curve"]] == [*range(13), 6, 7, 8, 8]


def test_the_forecast_has_the_price_of_an_answer_after_an_import_and_a_ban_and_ends_with_the_campaign(service):
    ids = [f"i{k}" for k in range(8)]
    pairs = [(a, b) for a in ids for b in ids if a < b]
    rows = [{"winner": a, "loser": b, "worker": f"w{k}"} for k, (a, b) in enumerate(pairs)]
    items = [{"id": name, "text": name} for name in ids]
    campaign = service.campaign(items=items, comparisons=rows, target_accuracy=0.99, price=2, budget=100)
    found = dashboard(service, campaign)["forecast"]
    assert found["cost"] == 2 * found["answers"] > 0
    assert found["at_budget"] is not None
    worker, _ = service.worker(campaign), service.worker(campaign, "Bob")
    answers(service, campaign, worker["token"], 5)
    service.post(f"/campaigns/{campaign}/workers/{worker['id']}/ban")
    found = dashboard(service, campaign)["forecast"]
    assert found["cost"] == pytest.approx(2 * found["answers"])
    assert found["at_budget"] is not None
    service.post(f"/campaigns/{campaign}/end")
    found = dashboard(service, campaign)["forecast"]
    assert [found[name] for name in ("answers", "cost", "at_budget")] == 3 * [None]  # no line goes on from here


def test_a_target_that_a_flat_curve_would_never_reach_is_too_far_to_tell():
    """The number of answers to it is larger than any that a computer holds; the dashboard failed over it."""
    flat = [Point(n, float(n), 1 - 0.3 * ((n + 20) / 40) ** -0.011, 20) for n in range(50, 101, 5)]
    found = forecast(flat, 0.9999, 100.0, 1.0)
    assert (found.answers, found.cost) == (None, None)
    assert 0.70 < found.at_budget < 0.71
    steep = [Point(n, float(n), 1 - 0.3 * ((n + 20) / 40) ** -1, 20) for n in range(50, 101, 5)]
    assert forecast(steep, 0.95, 200.0, 2.0).answers == 120  # 0.3 · 40 / (answers + 20) = 0.05


def test_the_curve_of_the_past_is_there_for_who_looks_and_nobody_else_waits_for_it(service, open_service, monkeypatch):
    """After a restart, workers waited for the accuracy at every point of a long journal."""
    campaign = service.campaign(budget=40, policy="akg")
    for name in "abcd":
        token = service.worker(campaign, name)["token"]
        for _ in range(9):
            service.answer(service.ask(campaign, token)["id"], "left", token)
    before = dashboard(service, campaign)["curve"]
    looks = []
    real = Campaign.expected_accuracy
    monkeypatch.setattr(Campaign, "expected_accuracy", lambda self: looks.append(1) or real(self))
    anew = open_service(database=service.settings.database)
    question = anew.ask(campaign, token)
    assert question
    assert len(looks) <= 1
    lock = anew.client.app.state.desk._lives[campaign].lock
    drawing = []  # whether workers had to wait for it
    monkeypatch.setattr(hall, "curve_of", lambda events: drawing.append(lock.locked()) or live.curve_of(events))
    after = dashboard(anew, campaign)["curve"]
    assert len(looks) > 10
    assert after == before == dashboard(anew, campaign)["curve"]
    assert drawing == [False]
    monkeypatch.setattr(live, "LONG", 10)
    fewer = dashboard(open_service(database=service.settings.database), campaign)["curve"]
    assert len(fewer) < len(before)
    assert all(point in before for point in fewer)
    anew.answer(question["id"], "left", token)
    assert dashboard(anew, campaign)["curve"][-2]["answers"] == 37


def test_it_says_when_nobody_can_be_asked_any_more(service):
    campaign = service.campaign(budget=100, comparisons=[{"winner": "cow", "loser": "ant", "worker": "earlier"}])
    assert not dashboard(service, campaign)["nobody_left"]  # nobody was invited yet
    ada, bob = (service.worker(campaign, name) for name in ("Ada", "Bob"))
    assert answers(service, campaign, ada["token"], 99) == 10  # every pair of five
    shown = dashboard(service, campaign)
    assert not shown["nobody_left"]
    assert shown["forecast"]["at_budget"] is not None
    service.post(f"/campaigns/{campaign}/workers/{bob['id']}/ban")
    shown = dashboard(service, campaign)
    assert shown["nobody_left"]  # who was imported cannot be asked
    assert (shown["forecast"]["answers"], shown["forecast"]["at_budget"]) == (None, None)
    service.worker(campaign, "Eve")
    assert not dashboard(service, campaign)["nobody_left"]


def test_a_quota_and_an_open_question_count_when_nobody_is_left(service):
    campaign = service.campaign(budget=100, quota=2)
    token = service.worker(campaign)["token"]
    assert all(service.ask(campaign, token) for _ in range(2))
    assert not dashboard(service, campaign)["nobody_left"]  # two questions are out
    for open_question in service.get(f"/campaigns/{campaign}/questions", token=token).json():
        service.answer(open_question["id"], "left", token)
    assert dashboard(service, campaign)["nobody_left"]
    service.post(f"/campaigns/{campaign}/end")
    assert not dashboard(service, campaign)["nobody_left"]


def test_it_says_how_many_more_those_can_be_asked_for_whom_the_budget_is_too_large(service):
    """Two jurors and five items have 20 answers, whatever the curve promises of a budget of 100."""

    def most(campaign):
        return dashboard(service, campaign)["forecast"]["most"]

    campaign = service.campaign(budget=100, comparisons=[{"winner": "cow", "loser": "ant", "worker": "earlier"}])
    assert most(campaign) is None  # that nobody is there is said elsewhere
    ada, bob = (service.worker(campaign, name) for name in ("Ada", "Bob"))
    assert most(campaign) == 20  # who was imported cannot be asked
    answers(service, campaign, ada["token"], 3)
    service.ask(campaign, bob["token"])
    assert most(campaign) == 16
    service.client.patch(f"/api/v1/campaigns/{campaign}", json={"budget": 20}, headers=service.organiser)
    assert most(campaign) is None  # they can use all of it up
    service.client.patch(f"/api/v1/campaigns/{campaign}", json={"price": 0.1}, headers=service.organiser)
    assert most(campaign) == 16
    service.post(f"/campaigns/{campaign}/workers/{bob['id']}/ban")
    assert most(campaign) == 7
    service.post(f"/campaigns/{campaign}/end")
    assert most(campaign) is None


def test_the_demo_uses_up_its_budget_before_its_crowd_has_seen_every_pair():
    pairs = len(demo.DISHES) * (len(demo.DISHES) - 1) // 2
    assert len(demo.CROWD) * pairs * demo.PRICE > demo.BUDGET


def test_the_demos_crowd_answers_about_a_dish_that_a_newcomer_adds(service, monkeypatch):
    """They knew no other dishes than their own, and left the questions about it open, one after the other."""
    monkeypatch.setattr(demo, "PACE", 0.01)
    desk = service.client.app.state.desk

    async def add_one():
        async with demo.run_demo(desk):
            campaign = desk.records.campaigns()[0].id
            await desk.add_item(campaign, lambda _: Item("Dosa", "Dosa"))
            for _ in range(3000):
                rows = await desk.run(campaign, lambda live: live.campaign.comparisons())
                if any("Dosa" in (row.winner, row.loser) for row in rows):
                    return True
                await asyncio.sleep(0.02)
        return False

    assert service.client.portal.call(add_one)


def test_who_was_imported_is_not_answering_now(service):
    campaign = service.campaign(comparisons=[{"winner": "cow", "loser": "ant", "worker": "earlier"}])
    answers(service, campaign, service.worker(campaign)["token"], 1)
    rows = {row["name"]: row for row in service.get(f"/campaigns/{campaign}/workers").json()}
    assert (rows["earlier"]["answering"], rows["earlier"]["seen_at"]) == (False, None)
    assert rows["Ada"]["answering"]


def test_when_a_question_went_out_and_came_back_and_who_is_at_it(service, wait):
    campaign = service.campaign()
    token = service.worker(campaign)["token"]

    def seen():
        (row,) = service.get(f"/campaigns/{campaign}/workers").json()
        return row["answering"], row["seen_at"]

    assert seen() == (False, None)
    question = service.ask(campaign, token)["id"]
    (out,) = dashboard(service, campaign)["in_flight"]
    assert seen() == (True, out["asked_at"])
    assert abs(out["asked_at"] - time.time()) < 60
    wait(600)
    assert seen() == (False, out["asked_at"])
    service.answer(question, "left", token)
    (told,) = dashboard(service, campaign)["recent"]
    assert seen() == (True, told["at"])
    assert told["at"] - out["asked_at"] > 599


def test_looking_takes_in_what_time_has_brought(service, wait):
    campaign = service.campaign(lease=60)
    assert service.ask(campaign, service.worker(campaign)["token"])
    ending = service.campaign(ends_at=time.time() + 60)
    wait(61)
    shown = dashboard(service, campaign)
    assert (shown["campaign"]["held"], shown["in_flight"]) == (0, [])
    assert dashboard(service, ending)["campaign"]["phase"] == "ended"


def test_without_scripts_the_dashboard_leads_to_the_report_and_the_worker_is_told_what_to_do(visitor):
    organiser, campaign, link = campaign_of_ada(visitor)
    page = visitor(java_script_enabled=False)
    page.context.add_cookies(organiser.context.cookies())
    page.goto(f"/campaigns/{campaign}")
    expect(page.locator("#live")).to_be_hidden()  # it would be connecting for ever
    page.get_by_role("link", name="the report").click()
    expect(page.get_by_role("heading", name="Ranking")).to_be_visible()
    page.goto(link)
    advice = page.locator("noscript p")
    expect(advice).to_be_visible()
    assert "switch it on in your browser, or open your link in another one" in advice.inner_html()
