"""Pages with much on them, and on small screens: nothing is in the way, and nothing is left out in silence."""

from __future__ import annotations

import httpx
from browsing import PATIENCE, PHONE, WIDE, campaign_of_ada, fits, shown
from harness import TOKEN, bearer
from playwright.sync_api import expect


def test_the_page_of_a_crowd_ends_where_its_last_part_ends_and_says_how_many_questions_it_leaves_out(
    visitor, web_server
):
    organiser, campaign, _ = campaign_of_ada(visitor)
    with httpx.Client(base_url=f"{web_server.url}/api/v1", headers=bearer(TOKEN), timeout=PATIENCE / 1000) as client:
        for k in range(30):
            worker = client.post(f"/campaigns/{campaign}/workers", json={"name": f"Worker {k}"}).json()
            if k < 10:
                client.post(f"/campaigns/{campaign}/questions", headers=bearer(worker["token"])).raise_for_status()
    expect(organiser.locator("#workers tr")).to_have_count(31)
    expect(organiser.locator("#flight li")).to_have_count(9)
    expect(organiser.locator("#flight li").last).to_have_text("and 2 more")
    end = organiser.locator("main").bounding_box()
    assert organiser.evaluate("document.documentElement.scrollHeight") < end["y"] + end["height"] + 2


def test_a_long_name_on_a_phone_on_its_side_takes_no_line_from_the_items_and_no_keys_are_shown(visitor):
    name = "A contest of short stories, long poems and everything in between, for 2030"
    _, _, link = campaign_of_ada(visitor, name=name)
    phone = visitor({"width": 740, "height": 360}, has_touch=True, is_mobile=True)
    phone.goto(link)
    shown(phone)
    name, pause = (phone.locator(where).bounding_box() for where in (".work-name", "#pause"))
    assert pause["y"] < name["y"] + name["height"]
    expect(phone.locator("kbd").first).to_be_hidden()
    expect(phone.locator("kbd").last).to_be_hidden()


def test_a_tap_leaves_no_colour_on_the_next_pair(visitor):
    """The browser's own colour stays on a card for a moment, in which the next pair is there: it looked chosen."""
    _, _, link = campaign_of_ada(visitor)
    phone = visitor(PHONE, has_touch=True, is_mobile=True)
    phone.goto(link)
    shown(phone)
    colour = "card => getComputedStyle(card).webkitTapHighlightColor"
    assert {card.evaluate(colour) for card in phone.locator(".choice").all()} == {"rgba(0, 0, 0, 0)"}


def test_who_is_answering_is_marked_beside_their_name_however_long_it_is(visitor, web_server):
    organiser, campaign, _ = campaign_of_ada(visitor)
    with httpx.Client(base_url=f"{web_server.url}/api/v1", headers=bearer(TOKEN), timeout=PATIENCE / 1000) as client:
        worker = client.post(f"/campaigns/{campaign}/workers", json={"outside_id": "5f0c" * 15}).json()
        client.post(f"/campaigns/{campaign}/questions", headers=bearer(worker["token"])).raise_for_status()
    for viewport in (WIDE, PHONE):
        organiser.set_viewport_size(viewport)
        mark = organiser.locator("#workers .dot").bounding_box()
        name = organiser.locator("#workers .dot + span").bounding_box()
        assert name["y"] <= mark["y"] < name["y"] + 16


def test_all_columns_and_rows_of_tables_are_printed(visitor, web_server):
    """On A4, what a worker was paid stood beyond the edge."""
    cities = "\n".join(f"A city with a name of many words, number {k}" for k in range(30))
    organiser, campaign, _ = campaign_of_ada(visitor, items=cities, best="3", currency="EUR")
    with httpx.Client(base_url=f"{web_server.url}/api/v1", headers=bearer(TOKEN), timeout=PATIENCE / 1000) as client:
        worker = client.post(f"/campaigns/{campaign}/workers", json={"name": "Dr Maximiliane", "price": 12.5}).json()
        for choice in ("left", "skip"):
            asked = client.post(f"/campaigns/{campaign}/questions", headers=bearer(worker["token"])).json()["id"]
            client.post(f"/questions/{asked}/answer", json={"choice": choice}, headers=bearer(worker["token"]))
    organiser.set_viewport_size({"width": 718, "height": 1046})  # A4, less the margins of a browser
    for page in (f"/campaigns/{campaign}/report", f"/campaigns/{campaign}"):
        organiser.goto(page)
        expect(organiser.get_by_text("Dr Maximiliane").first).to_be_visible()
        organiser.emulate_media(media="print")
        hidden = "frame => [frame.scrollWidth - frame.clientWidth, frame.scrollHeight - frame.clientHeight]"
        frames = organiser.locator(".scroll").all()
        assert [frame.evaluate(hidden) for frame in frames] == [[0, 0]] * 2
        assert fits(organiser)
        organiser.emulate_media(media="screen")
