"""The form for a new campaign makes one campaign, however often it is sent."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor

import pytest
from browsing import send
from harness import TOKEN
from playwright.sync_api import expect
from test_pages import FORM
from test_security import PAGE, PNG, form_of, sign_in

from nextpair.service.security import new_token


@pytest.fixture
def form(any_service):
    """What a browser sends: all fields of a form that was opened once, and a file."""
    sign_in(any_service)
    return FORM | {"csrf": form_of(any_service, "/campaigns/new"), "key": new_token()}


def sent(service, form, content=b"water\nmilk\n"):
    """The campaign that a form leads to."""
    files = [("items_file", ("more.csv", content)), ("pictures", ("dot.png", PNG))]
    response = service.client.post("/campaigns", data=form, files=files, headers=PAGE)
    assert response.status_code == 303, response.text
    return response.headers["location"].split("/")[2]


def test_a_form_that_is_sent_again_makes_no_second_campaign(any_service, form):
    first = sent(any_service, form)
    there = len(any_service.get("/campaigns").json())
    sign_in(any_service)  # meanwhile the session ended
    anew = {"csrf": form_of(any_service, "/campaigns/new"), "workers_from": ""}  # which is there since the first one
    assert sent(any_service, form | anew) == first
    assert len(any_service.get("/campaigns").json()) == there
    assert any_service.get(f"/campaigns/{first}").json()["n_items"] == 6


def test_two_at_once_make_one_campaign(any_service, form):
    with ThreadPoolExecutor(4) as clicks:
        assert len(set(clicks.map(lambda _: sent(any_service, form), range(4)))) == 1


def test_what_is_written_anew_is_another_campaign(any_service, form):
    first = sent(any_service, form)
    assert sent(any_service, form | {"name": "Another"}) != first
    assert sent(any_service, form, b"wine\n") != first
    assert sent(any_service, form | {"key": new_token()}) != first


def test_a_form_whose_campaign_was_deleted_makes_a_new_one_and_not_the_old_links(any_service, form):
    first = sent(any_service, form)
    path = f"/api/v1/campaigns/{first}"
    assert any_service.client.delete(path, params={"name": FORM["name"]}, headers=any_service.organiser).is_success
    assert sent(any_service, form) != first


def test_a_campaign_that_broke_off_is_completed(any_service, form, monkeypatch):
    store = any_service.client.app.state.desk.store
    with monkeypatch.context() as broken:
        broken.setattr(store, "append", None)  # the process ends here
        any_service.client.post("/campaigns", data=form, headers=PAGE)
    names = [campaign["name"] for campaign in any_service.get("/campaigns").json()]
    response = any_service.client.post("/campaigns", data=form, headers=PAGE)
    campaign = response.headers["location"].split("/")[2]
    assert any_service.get(f"/campaigns/{campaign}").json()["n_items"] == 3
    assert len(any_service.get("/campaigns").json()) == len(names) + 1


@pytest.mark.parametrize("scripts", [True, False])
def test_who_goes_back_and_sends_the_form_again_finds_the_campaign_that_they_made(visitor, scripts):
    page = visitor(java_script_enabled=scripts)
    send(page, "/signin", token=TOKEN)
    page.goto("/campaigns/new")
    page.get_by_label("Name of the campaign").fill("Drinks")
    page.get_by_label("Items, one per line").fill("tea\ncoffee")
    page.get_by_role("button", name="Create the campaign").click()
    expect(page.get_by_role("heading", name="Invite workers")).to_be_visible()
    first = page.url
    page.go_back()
    expect(page.get_by_label("Items, one per line")).to_have_value("tea\ncoffee")
    page.get_by_role("button", name="Create the campaign").click()
    expect(page).to_have_url(re.compile(re.escape(first)))
    page.get_by_role("link", name="New").click()  # who wants one like it opens a new form
    page.get_by_label("Name of the campaign").fill("Drinks")
    page.get_by_label("Items, one per line").fill("tea\ncoffee")
    page.get_by_role("button", name="Create the campaign").click()
    expect(page.get_by_role("heading", name="Invite workers")).to_be_visible()
    assert page.url != first
