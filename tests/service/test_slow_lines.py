"""Clicks that come early, replies that come late and ways back, in a real browser: nothing is lost or done twice."""

from __future__ import annotations

import re
from itertools import count

import httpx
import pytest
from browsing import (
    CITIES,
    PATIENCE,
    WIDE,
    Held,
    accessible,
    ada_at_work,
    asked,
    campaign_of_ada,
    create,
    fits,
    next_question,
    shown,
    sign_in,
    stop_the_clock,
)
from harness import TOKEN, bearer
from playwright.sync_api import expect

import parts

ADDRESSES = count(1)

# an organiser


def test_a_late_reply_takes_no_dialog_away_that_is_in_use(visitor):
    organiser, _, _ = campaign_of_ada(visitor)
    pause = Held(organiser, "**/pause")
    organiser.get_by_role("button", name="Pause").click()
    pause.arrived()
    organiser.get_by_role("button", name="Add item…").click()
    organiser.get_by_label("One more item").fill("Lima")
    pause.let_go()
    expect(organiser.locator("#status")).to_have_text("paused")
    expect(organiser.locator("#dialog-title")).to_have_text("Add an item")
    items = Held(organiser, "**/items")
    organiser.locator("#dialog-ok").click()
    expect(organiser.locator("#dialog-title")).to_have_text("Paused")  # told when there is time for it
    items.arrived()
    items.let_go()
    expect(organiser.locator("#dialog-body")).to_have_text(f"The campaign has {len(CITIES) + 1} items now.")


def test_two_items_that_are_added_at_the_same_time_both_are(visitor):
    organiser, _, _ = campaign_of_ada(visitor)
    items = Held(organiser, "**/items")
    for number, item in enumerate(("Lima", "Rome"), start=1):
        organiser.get_by_role("button", name="Add item…").click()
        expect(organiser.get_by_label("One more item")).to_have_value("")
        organiser.get_by_label("One more item").fill(item)
        organiser.locator("#dialog-ok").click()
        items.arrived(number)
    items.let_go()
    expect(organiser.locator("#ranking tr")).to_have_count(len(CITIES) + 2)


@pytest.mark.parametrize(
    ("change", "offered"),
    [
        ("pause", ["Resume", "Add item…", "Change item…", "Remove item…", "Budget…", "End time…", "Language…", "End…"]),
        ("end", ["Change item…", "Remove item…", "Budget…", "Language…"]),
    ],
)
def test_a_dashboard_offers_from_the_first_moment_what_can_be_done(visitor, web_server, change, offered):
    """Before the script is there nothing can be pressed, but a paused campaign looked as if it could be paused."""
    organiser, campaign, _ = campaign_of_ada(visitor)
    address = f"{web_server.url}/api/v1/campaigns/{campaign}/{change}"
    httpx.post(address, headers=bearer(TOKEN), timeout=PATIENCE / 1000).raise_for_status()
    script = Held(organiser, "**/static/dashboard.js*")
    organiser.goto(f"/campaigns/{campaign}", wait_until="commit")
    buttons = organiser.locator(".title-row button:visible")
    expect(buttons).to_have_text(offered)
    script.arrived()
    script.let_go()
    expect(organiser.locator("#answers")).to_have_text("0")
    expect(buttons).to_have_text(offered)


def test_the_first_look_does_not_wait_for_the_stream_of_events(visitor):
    """Some proxies hold a stream back. The page was empty for twenty seconds, and no button could be pressed."""
    organiser, campaign, _ = campaign_of_ada(visitor)
    organiser.clock.install()
    stop_the_clock(organiser)
    Held(organiser, "**/events")
    organiser.goto(f"/campaigns/{campaign}")
    expect(organiser.locator("#answers")).to_have_text("0")
    organiser.get_by_role("button", name="End…").click()
    expect(organiser.locator("#dialog-title")).to_have_text("End the campaign?")


def test_a_menu_of_the_browser_does_not_stop_the_dashboard(visitor):
    """The right button is pressed on the page, and let go on the menu."""
    organiser, _, _, worker = ada_at_work(visitor)
    organiser.locator("#ranking-title").hover()
    organiser.mouse.down(button="right")
    worker.locator("#choose-left").click()
    expect(organiser.locator("#answers")).to_have_text("1")


@pytest.fixture
def rememberer(chrome, web_server):
    """A page in a browser that keeps pages as they were for who comes back. Those of Playwright forget."""
    browser = chrome.browser_type.launch(
        executable_path=parts.chromium(),
        args=["--no-sandbox"],
        ignore_default_args=["--disable-back-forward-cache"],
    )
    address = {"X-Forwarded-For": f"10.0.1.{next(ADDRESSES)}"}
    page = browser.new_page(base_url=web_server.url, viewport=WIDE, extra_http_headers=address)
    page.set_default_timeout(PATIENCE)
    yield page
    browser.close()


def test_a_form_can_be_sent_again_after_a_way_back(rememberer):
    """The second half of a double click is not sent; this is no double click."""
    sign_in(rememberer)
    first = create(rememberer)
    rememberer.go_back(wait_until="commit")
    rememberer.get_by_label("Name of the campaign").fill("Once more")
    rememberer.get_by_role("button", name="Create the campaign").click()
    expect(rememberer.get_by_role("link", name="Once more")).to_be_visible()
    assert first not in rememberer.url


def test_a_new_campaign_is_in_the_list_after_a_way_back(rememberer):
    sign_in(rememberer)
    rememberer.get_by_role("link", name="New campaign").click()
    rememberer.get_by_label("Name of the campaign").fill("Was there a way back?")
    rememberer.get_by_label("Items, one per line").fill("yes\nno")
    rememberer.get_by_role("button", name="Create the campaign").click()
    expect(rememberer.get_by_role("heading", name="Invite workers")).to_be_visible()
    for path in (r"/campaigns/new\?key=.+", "/"):
        rememberer.go_back(wait_until="commit")
        expect(rememberer).to_have_url(re.compile(f"{path}$"))
    expect(rememberer.get_by_role("link", name="Was there a way back?")).to_be_visible()


def test_the_form_counts_what_is_there_after_a_way_back(visitor):
    organiser = visitor()
    sign_in(organiser)
    organiser.goto("/campaigns/new")
    organiser.get_by_label("Items, one per line").fill("a\nb")
    organiser.get_by_role("link", name="Campaigns").click()
    expect(organiser.get_by_role("heading", name="Campaigns")).to_be_visible()
    organiser.go_back()
    expect(organiser.get_by_label("Items, one per line")).to_have_value("a\nb")
    expect(organiser.locator("#item-count")).to_contain_text("2 items.")


# a worker


def test_a_picture_that_did_not_load_is_told_and_tried_again(visitor, web_server):
    picture = f"{web_server.url}/static/icon.svg"
    _, _, link = campaign_of_ada(visitor, f"{picture}?one\n{picture}?other", kind="image")
    worker = visitor({"width": 360, "height": 740})
    worker.route("**/icon.svg?other", lambda route: route.abort())
    worker.goto(link)
    shown(worker)
    told = worker.get_by_text("This picture did not load")
    expect(told.locator("visible=true")).to_have_count(1)  # and the other did
    accessible(worker)
    assert fits(worker)
    worker.unroute_all()
    expect(told.locator("visible=true")).to_have_count(0)
    assert worker.evaluate("[...document.images].every((image) => image.naturalWidth > 0)")


def test_who_starts_in_two_windows_is_one_worker(visitor):
    organiser = visitor()
    sign_in(organiser)
    campaign = create(organiser)
    link = organiser.locator("#join-url").inner_text()
    worker = visitor()
    windows = [worker, worker.context.new_page()]
    for window in windows:
        window.goto(link)
        window.get_by_label("Your name").fill("Ada")
    for window in windows:
        window.get_by_role("button", name="Start").click()
        shown(window)
    assert asked(windows[0]) == asked(windows[1])
    organiser.goto(f"/campaigns/{campaign}")
    expect(organiser.locator("#workers tr")).to_have_count(1)


@pytest.mark.parametrize("button", ["#resume", "#undo-last"])
def test_the_second_half_of_a_double_click_is_no_answer_to_a_pair_that_comes_back(visitor, button):
    """Where “Go on” and “Undo my last answer” were, a card is a moment later."""
    _, _, link = campaign_of_ada(visitor, "tea\ncoffee")
    worker = visitor()
    worker.goto(link)
    pair = shown(worker)
    worker.locator("#pause" if button == "#resume" else "#choose-left").click()
    expect(worker.locator(button)).to_be_visible()
    answered = worker.locator(button).evaluate(
        """button => {
          button.click();
          document.querySelector("#right").click();
          return document.querySelector("#asking").hidden;
        }"""
    )
    assert not answered
    assert shown(worker) == pair


def test_a_question_whose_answer_is_on_its_way_is_not_shown_again(visitor):
    """Its time is over, so the server asks it once more, for it has not heard the answer yet."""
    _, _, link = campaign_of_ada(visitor, "\n".join(CITIES[:3]), lease_minutes="0.01")
    worker = visitor()
    worker.goto(link)
    shown(worker)
    first = asked(worker)
    worker.wait_for_timeout(1000)  # longer than the lease
    answer = Held(worker, "**/answer")
    with worker.expect_response(lambda reply: reply.url.endswith("/questions")) as asked_again:
        worker.locator("#choose-left").click()
        answer.arrived()
    assert asked_again.value.status == 201
    second = next_question(worker, first)
    answer.let_go()
    expect(worker.locator("#progress-text")).to_have_text("1 answered")
    worker.locator("#choose-left").click()
    assert next_question(worker, second) not in (first, second)
    expect(worker.locator("#progress-text")).to_have_text("2 answered")


def test_what_could_not_be_sent_is_sent_when_the_connection_is_back(visitor):
    _, _, link = campaign_of_ada(visitor)
    worker = visitor()
    worker.clock.install()
    worker.goto(link)
    shown(worker)
    stop_the_clock(worker)  # it does not wait for the next try
    worker.context.set_offline(True)
    worker.keyboard.press("ArrowLeft")
    expect(worker.locator("#status")).to_contain_text("kept")
    worker.context.set_offline(False)
    expect(worker.locator("#progress-text")).to_have_text("1 answered")


def test_a_connection_that_comes_back_does_not_start_a_page_twice(visitor):
    """Once for what is open, once for what is next: a pair was shown that was taken away again."""
    _, campaign, link = campaign_of_ada(visitor)
    worker = visitor()
    worker.route(f"**/api/v1/campaigns/{campaign}", lambda route: route.abort())
    sent = []
    worker.on("request", lambda it: sent.append(it.method) if it.url.endswith("/questions") else None)
    worker.goto(link)
    expect(worker.locator("#status")).to_contain_text("No connection just now")
    worker.evaluate("dispatchEvent(new Event('online'))")
    worker.unroute_all()
    shown(worker)
    assert sent[0] == "GET", sent


def test_the_page_does_not_say_that_there_is_nothing_while_the_next_pair_is_on_its_way(visitor):
    _, campaign, link = campaign_of_ada(visitor)
    worker = visitor()

    def nothing(route):
        route.fulfill(status=204) if route.request.method == "POST" else route.fulfill(json=[])

    worker.route(f"**/{campaign}/questions", nothing)
    worker.goto(link)
    expect(worker.locator("#waiting-title")).to_have_text("No question for you just now")
    worker.unroute_all()
    shown(worker)
    more = Held(worker, f"**/{campaign}/questions")
    while worker.locator("#asking").is_visible():
        question = asked(worker)
        worker.keyboard.press("ArrowLeft")
        worker.wait_for_function(
            """id => {
              const { hidden, dataset } = document.querySelector("#asking");
              return hidden || (dataset.question !== id && !("settling" in dataset));
            }""",
            arg=question,
        )
    expect(worker.locator("#waiting-title")).to_have_text("One moment…")
    more.arrived()
    more.let_go()
    shown(worker)
