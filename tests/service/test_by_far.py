"""Workers who are asked by how much: over the API, in the form and in a browser."""

from __future__ import annotations

import re

import pytest
from browsing import PHONE, WIDE, accessible, asked, campaign_of_ada, fits, next_question, send, shown
from harness import TOKEN
from playwright.sync_api import expect
from test_api import error_of
from test_security import sign_in


def test_an_answer_may_say_it_and_everybody_hears_of_it(service):
    campaign = service.campaign(by_how_much=True)
    assert service.get(f"/campaigns/{campaign}").json()["by_how_much"] is True
    token = service.worker(campaign, "Ada")["token"]
    assert service.get(f"/campaigns/{campaign}", token).json()["by_how_much"] is True
    question = service.ask(campaign, token)
    told = service.answer(question["id"], "much-right", token)
    assert told.json()["choice"] == "much-right"
    assert service.answer(question["id"], "much-right", token).status_code == 200  # a double click
    assert error_of(service.answer(question["id"], "right", token), 409)
    (row,) = service.get(f"/campaigns/{campaign}/comparisons").json()
    assert (row["winner"], row["much"], row["tie"]) == (question["right"]["id"], True, False)
    (recent,) = service.get(f"/campaigns/{campaign}/dashboard").json()["recent"]
    assert recent["much"] is True


def test_there_is_no_much_tie(service):
    campaign = service.campaign()
    assert service.get(f"/campaigns/{campaign}").json()["by_how_much"] is False
    token = service.worker(campaign, "Ada")["token"]
    assert error_of(service.answer(service.ask(campaign, token)["id"], "much-tie", token), 422)


def test_earlier_comparisons_may_say_it(service):
    rows = [{"winner": "cow", "loser": "ant", "much": True}, {"winner": "cow", "loser": "bee"}]
    campaign = service.campaign(comparisons=rows)
    found = service.get(f"/campaigns/{campaign}/comparisons").json()
    assert [row["much"] for row in found] == [True, False]


@pytest.mark.parametrize("screen", [WIDE, PHONE])
def test_a_worker_says_so_with_a_click_or_with_shift_and_an_arrow(visitor, screen):
    organiser, campaign, link = campaign_of_ada(visitor, "tea\ncoffee\nwater", by_how_much="yes")
    worker = visitor(viewport=screen)
    worker.goto(link)
    shown(worker)
    accessible(worker)
    assert fits(worker)
    first = asked(worker)
    worker.get_by_role("button", name="This one, by far (the first)").click()
    second = next_question(worker, first)
    worker.keyboard.press("Shift+ArrowRight")
    next_question(worker, second)
    worker.keyboard.press("ArrowLeft")
    expect(worker.locator("#done-text")).to_contain_text("You answered 3 questions.")
    rows = organiser.request.get(f"/campaigns/{campaign}/export/comparisons.csv").text().splitlines()
    assert [row.rsplit(",", 1)[1] for row in rows] == ["much", "True", "True", "False"]
    organiser.goto(f"/campaigns/{campaign}")
    expect(organiser.locator("li .what", has_text="≫")).to_have_count(2)


def test_it_is_not_asked_unless_it_is_wanted(visitor):
    _, _, link = campaign_of_ada(visitor, "tea\ncoffee")
    worker = visitor()
    worker.goto(link)
    shown(worker)
    expect(worker.get_by_text("By far")).to_have_count(0)
    worker.keyboard.press("Shift+ArrowRight")  # selects text, and is no answer
    worker.wait_for_timeout(300)
    assert worker.locator("#progress-text").inner_text() == "0 answered"


@pytest.mark.parametrize(
    ("terms", "heard"),
    [
        ({}, True),
        ({"target_accuracy": 0.9}, True),
        ({"policy": "akg"}, False),
        ({"items": [{"text": f"item {k}"} for k in range(501)]}, False),
        ({"items": [{"text": f"item {k}"} for k in range(501)], "best": 3}, True),
    ],
)
def test_the_dashboard_says_where_it_is_not_heard(service, terms, heard):
    sign_in(service)
    for asks in (True, False):
        campaign = service.campaign(by_how_much=asks, **terms)
        shown = service.get(f"/campaigns/{campaign}").json()
        page = service.client.get(f"/campaigns/{campaign}", headers={"Accept": "text/html"}).text
        assert shown["hears_much"] is heard
        words = f"the policy of this campaign, {shown['policy']}, only uses which one is better"
        assert (words in page) is (asks and not heard)


def test_the_form_says_who_hears_it(visitor):
    organiser = visitor(PHONE)
    send(organiser, "/signin", token=TOKEN)
    organiser.goto("/campaigns/new")
    expect(organiser.get_by_label("Ask by how much")).to_have_accessible_description(
        re.compile("Only the policies full-posterior and full-posterior-checked use it: “auto” is one .* 500 items")
    )
    accessible(organiser)
    assert fits(organiser)
