"""A campaign that starts from a guess: over the API, in the form and in a browser."""

from __future__ import annotations

import re

import pytest
from browsing import PHONE, WIDE, accessible, campaign_of_ada, fits, open_all
from browsing import sign_in as sign_in_page
from harness import ITEMS
from playwright.sync_api import expect
from test_api import error_of
from test_security import sign_in

SIZES = {"ant": 1, "bee": 2, "cow": 800, "dog": 30, "eel": 4}
GUESSED = [item | {"guess": SIZES[item["id"]]} for item in ITEMS]


def test_the_ranking_begins_with_it(service):
    campaign = service.campaign(items=GUESSED)
    assert [row["item"] for row in service.get(f"/campaigns/{campaign}/ranking").json()] == sorted(
        SIZES, key=SIZES.get, reverse=True
    )
    assert service.get(f"/campaigns/{campaign}").json()["guess_agreement"] == pytest.approx(0.37, abs=0.01)
    (created, *_) = service.get(f"/campaigns/{campaign}/journal").text.splitlines()
    assert '"guess":{"ant":1.0,"bee":2.0,"cow":800.0,"dog":30.0,"eel":4.0}' in created.replace(" ", "")


def test_without_one_there_is_none(service):
    campaign = service.campaign()
    assert service.get(f"/campaigns/{campaign}").json()["guess_agreement"] is None
    assert service.get(f"/campaigns/{campaign}/dashboard").json()["guess"] == ""


def test_workers_are_not_shown_it(service):
    campaign = service.campaign(items=GUESSED)
    token = service.worker(campaign)["token"]
    assert "guess" not in service.get(f"/campaigns/{campaign}", token).text
    assert set(service.ask(campaign, token)["left"]) == {"id", "kind", "text"}


@pytest.mark.parametrize(
    ("items", "terms", "words"),
    [
        ([ITEMS[0] | {"guess": "many"}, *ITEMS[1:]], {}, "guess.*must be a number"),
        ([ITEMS[0] | {"guess": True}, *ITEMS[1:]], {}, "guess.*must be a number"),
        ([ITEMS[0] | {"guess": 3}, *ITEMS[1:]], {}, "two items at least have different numbers"),
        ([item | {"guess": 3} for item in ITEMS], {}, "two items at least have different numbers"),
        (GUESSED, {"policy": "akg"}, "'akg' makes nothing of a guess: choose full-posterior"),
    ],
)
def test_what_tells_nothing_is_refused(service, items, terms, words):
    before = service.get("/campaigns").json()
    said = error_of(
        service.post("/campaigns", {"name": "a", "question": "b", "budget": 5, "items": items} | terms), 422
    )
    assert re.search(words, said["message"])
    assert len(service.get("/campaigns").json()) == len(before)


def test_who_comes_later_may_have_one_where_the_others_do(service):
    campaign = service.campaign(items=GUESSED)
    path = f"/campaigns/{campaign}/items"
    assert service.post(path, {"id": "elk", "text": "The elk", "guess": 500}).status_code == 201
    assert [row["item"] for row in service.get(f"/campaigns/{campaign}/ranking").json()][:3] == ["cow", "elk", "dog"]
    assert service.client.delete(f"/api/v1{path}/elk", headers=service.organiser).status_code == 200
    assert (
        "leave the guess 3.0 out"
        in error_of(service.post(path, {"id": "elk", "text": "x", "guess": 3}), 422)["message"]
    )
    assert service.post(path, {"id": "elk", "text": "The elk"}).status_code == 201
    plain = service.campaign()
    told = error_of(service.post(f"/campaigns/{plain}/items", {"text": "The elk", "guess": 500}), 422)["message"]
    assert "nothing was guessed of the other items" in told
    assert service.get(f"/campaigns/{plain}").json()["n_items"] == 5


def test_the_report_says_where_it_is_the_wrong_way_round(service):
    sign_in(service)
    wrong = [item | {"guess": -SIZES[item["id"]]} for item in ITEMS]
    rows = [
        {"winner": more, "loser": less, "worker": worker}
        for worker in ("Ada", "Bob", "Cleo")
        for more in SIZES
        for less in SIZES
        if SIZES[more] > SIZES[less]
    ]
    for items, round_the_wrong_way in ((wrong, True), (GUESSED, False)):
        campaign = service.campaign(items=items, comparisons=rows)
        report = service.client.get(f"/campaigns/{campaign}/report", headers={"Accept": "text/html"}).text
        assert "with the scores, as far as answers tell." in report
        assert ("So it is the wrong way round, and taken so." in report) is round_the_wrong_way
        shown = service.get(f"/campaigns/{campaign}/dashboard").json()
        assert (shown["campaign"]["guess_agreement"] < 0) is round_the_wrong_way
        assert shown["guess"] in report
        assert [row["item"] for row in shown["ranking"]] == sorted(SIZES, key=SIZES.get, reverse=True)


@pytest.mark.parametrize("screen", [WIDE, PHONE])
def test_a_column_of_the_items_file_is_one(visitor, screen):
    page = visitor(viewport=screen)
    sign_in_page(page)

    def send(rows: str) -> None:
        page.goto("/campaigns/new")
        page.get_by_label("Name of the campaign").fill("Animals")
        open_all(page)
        file = {"name": "animals.csv", "mimeType": "text/csv", "buffer": rows.encode()}
        page.get_by_label("…or a CSV or JSON file").set_input_files(file)
        page.get_by_role("button", name="Create the campaign").click()

    send("text,guess\nant,1\ncow,heavy\ndog,30\n")
    expect(page.get_by_role("alert")).to_contain_text("item 2: the guess is 'heavy', which is not a number")
    send("text,guess\nant,1\nbee,\ncow,800\ndog,30\n")
    expect(page.get_by_role("heading", name="Invite workers")).to_be_visible()
    page.goto(page.url.removesuffix("/invite"))
    expect(page.locator("#guess")).to_have_text(
        "The guess: a correlation of about 0.37 with the scores, which is assumed before any answer."
    )
    expect(page.locator("#ranking tr").first).to_contain_text("cow")
    accessible(page)
    assert fits(page)


def test_where_nothing_was_guessed_nothing_is_said(visitor):
    page, _, _ = campaign_of_ada(visitor)
    expect(page.locator("#ranking tr")).to_have_count(6)
    expect(page.locator("#guess")).to_be_hidden()
