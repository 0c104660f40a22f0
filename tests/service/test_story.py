"""The whole story in a real browser: an organiser, two workers, a wide screen and a phone, mouse and keyboard."""

from __future__ import annotations

import csv
import io
import json
import re
import time
from pathlib import Path

import httpx
from browsing import (
    CITIES,
    PATIENCE,
    PHONE,
    accessible,
    ada_at_work,
    asked,
    campaign_of_ada,
    create,
    fits,
    next_question,
    open_all,
    personal_links,
    shown,
    sign_in,
)
from harness import MINIMAL, TOKEN, bearer
from playwright.sync_api import Page, expect


def test_the_story(visitor):
    organiser = visitor()
    organiser.goto("/signin")
    accessible(organiser)
    sign_in(organiser)
    accessible(organiser)
    organiser.goto("/campaigns/new")
    open_all(organiser)
    accessible(organiser)
    campaign = create(organiser, budget="40", quota="20")
    accessible(organiser)
    ada_link, bob_link = personal_links(organiser, "Ada", "Bob")
    accessible(organiser)
    organiser.get_by_role("link", name="Go to the dashboard").click()
    expect(organiser.locator("#live")).to_have_text("live")
    expect(organiser.locator("#answers")).to_have_text("0")
    accessible(organiser)

    # Ada, on a wide screen, by keyboard alone; Bob, on a phone, by touch
    ada, bob = visitor(), visitor(PHONE, has_touch=True, is_mobile=True)
    ada.goto(ada_link)
    assert "/w/" not in ada.url  # the secret is not left in the address bar
    bob.goto(bob_link)
    for page in (ada, bob):
        assert set(shown(page)) < set(CITIES)
        accessible(page)
    left, right = ada.locator("#left").bounding_box(), ada.locator("#right").bounding_box()
    assert left["x"] + left["width"] <= right["x"]  # side by side
    left, right = bob.locator("#left").bounding_box(), bob.locator("#right").bounding_box()
    assert left["y"] + left["height"] <= right["y"]  # one above the other
    assert bob.locator("#choose-left").bounding_box()["height"] >= 44
    question = asked(ada)
    for key in ("ArrowLeft", "ArrowRight", "t", " "):
        ada.keyboard.press(key)
        question = next_question(ada, question)
    expect(ada.locator("#progress-text")).to_have_text("3 of 20")
    question = asked(bob)
    bob.locator("#choose-right").tap()
    question = next_question(bob, question)
    bob.locator("#left").tap()  # the whole card is a target
    next_question(bob, question)
    expect(organiser.locator("#answers")).to_have_text("5")
    expect(organiser.locator("#active")).to_have_text("2")
    _every_interval_lies_on_its_rail(organiser)

    _watch_ban_and_undo(organiser, ada, bob)
    _pause_and_export(organiser, ada, campaign)


def _every_interval_lies_on_its_rail(organiser: Page) -> None:
    bars = organiser.locator("#ranking .score svg").all()
    assert bars
    for bar in bars:
        rail, interval, point = (bar.locator(part) for part in (".rail", ".interval", ".point"))
        left, low, middle = (float(mark.get_attribute(name)) for mark, name in
                             ((rail, "x1"), (interval, "x1"), (point, "cx")))  # fmt: skip
        high, right = float(interval.get_attribute("x2")), float(rail.get_attribute("x2"))
        assert left <= low < middle < high <= right


def _watch_ban_and_undo(organiser: Page, ada: Page, bob: Page) -> None:
    ranking = organiser.locator("#ranking").inner_text()
    organiser.locator("#flight button").first.click()
    expect(organiser.locator("#dialog-body")).to_contain_text("The answer is expected to raise the accuracy by")
    expect(organiser.locator("#dialog-body")).to_contain_text("The next best pair")
    accessible(organiser)
    organiser.get_by_role("button", name="Close").click()
    organiser.get_by_role("button", name="Undo").first.click()
    organiser.locator("#dialog-ok").click()
    expect(organiser.locator(".before-after")).to_be_visible()
    organiser.get_by_role("button", name="Close").click()
    expect(organiser.locator("#answers")).to_have_text("4")
    organiser.get_by_role("button", name="Ban Ada").click()
    organiser.locator("#dialog-ok").click()
    expect(organiser.locator("#dialog-title")).to_have_text("Ada is banned")
    accessible(organiser)
    organiser.get_by_role("button", name="Close").click()
    expect(organiser.locator("#workers tr", has_text="Ada")).to_contain_text("banned")
    expect(organiser.locator("#answers")).to_have_text("1")
    assert organiser.locator("#ranking").inner_text() != ranking
    ada.keyboard.press("ArrowLeft")
    expect(ada.locator("#waiting-title")).to_have_text("This link no longer works")
    bob.locator("#undo").tap()
    expect(bob.locator("#status")).to_contain_text("undone")


def _pause_and_export(organiser: Page, ada: Page, campaign: str) -> None:
    organiser.get_by_role("button", name="Pause").click()
    expect(organiser.locator("#dialog-title")).to_have_text("Paused")
    organiser.get_by_role("button", name="Close").click()
    expect(organiser.locator("#status")).to_have_text("paused")
    organiser.get_by_role("button", name="Resume").click()
    organiser.get_by_role("button", name="Close").click()
    organiser.get_by_role("button", name="Budget…").click()
    organiser.locator("#new-budget").fill("55,5")
    organiser.keyboard.press("Enter")  # means what was written, not "Close"
    expect(organiser.locator("#dialog-title")).to_have_text("The terms have changed")
    organiser.get_by_role("button", name="Close").click()
    expect(organiser.locator("#budget")).to_contain_text("of 55.50")
    organiser.get_by_role("button", name="Budget…").click()
    organiser.locator("#new-price").fill("1,25")
    accessible(organiser)
    organiser.locator("#dialog-ok").click()
    expect(organiser.locator("#dialog-title")).to_have_text("The terms have changed")
    organiser.get_by_role("button", name="Close").click()
    expect(organiser.locator("#dashboard")).to_have_attribute("data-price", "1.25")
    organiser.get_by_role("button", name="Budget…").click()
    expect(organiser.locator("#new-budget")).to_have_value("55.5")
    expect(organiser.locator("#new-price")).to_have_value("1.25")
    organiser.locator("#new-budget").fill("1,000")  # a thousand, or one?
    organiser.locator("#dialog-ok").click()
    expect(organiser.locator("#dialog-body")).to_contain_text("not clear")
    organiser.get_by_role("button", name="Close").click()
    with organiser.expect_download() as download:
        organiser.get_by_role("link", name="Ranking CSV").click()
    rows = list(csv.DictReader(io.StringIO(Path(download.value.path()).read_text("utf-8-sig"))))
    assert {row["item"] for row in rows} == set(CITIES)
    assert [int(row["rank"]) for row in rows] == [1, 2, 3, 4, 5, 6]
    with organiser.expect_download() as download:
        organiser.get_by_role("link", name="Journal").click()
    events = [json.loads(line)["event"] for line in Path(download.value.path()).read_text().splitlines()]
    assert events[0] == "Created"
    assert "Retracted" in events
    organiser.get_by_role("link", name="Printable report").click()
    expect(organiser).to_have_url(re.compile("/report$"))
    expect(organiser.get_by_role("heading", name="Ranking")).to_be_visible()
    accessible(organiser)


def test_an_open_link_with_an_outside_id_ends_with_the_code(visitor):
    organiser = visitor()
    sign_in(organiser)
    done = "https://app.example/complete?cc={code}&who={worker}"
    create(organiser, quota="1", completion_code="C0DE", completion_url=done)
    link = organiser.locator("#join-url").inner_text()
    worker = visitor(PHONE)
    worker.goto(f"{link}?PROLIFIC_PID=p%2F7")
    accessible(worker)
    worker.get_by_role("button", name="Start").click()
    shown(worker)
    worker.locator("#choose-left").click()
    expect(worker.locator("#done-title")).to_be_visible()
    expect(worker.locator("#completion-code")).to_have_text("C0DE")
    assert worker.locator("#completion-link").get_attribute("href") == "https://app.example/complete?cc=C0DE&who=p%2F7"
    accessible(worker)
    # undo of the last answer works from here too, and a reload goes on with the question that is open
    worker.locator("#undo-last").click()
    pair = shown(worker)
    worker.reload()
    assert shown(worker) == pair
    # who has done nothing when all is over is not told that they had, and who comes then is told that it is
    idle = visitor(PHONE)
    idle.goto(f"{link}?PROLIFIC_PID=idle")
    idle.get_by_role("button", name="Start").click()
    shown(idle)
    organiser.get_by_role("link", name="Go to the dashboard").click()
    organiser.get_by_role("button", name="End…").click()
    organiser.locator("#dialog-ok").click()
    expect(organiser.locator("#dialog-title")).to_have_text("The campaign has ended")
    late = visitor(PHONE)
    late.goto(f"{link}?PROLIFIC_PID=late")
    expect(late.get_by_text("This campaign is over")).to_be_visible()
    expect(late.get_by_role("button", name="Start")).to_have_count(0)
    accessible(late)
    idle.get_by_role("button", name="Skip").click()  # what is out can be settled
    told = "You answered 0 questions and skipped 1. That was everything."
    expect(idle.locator("#done-text")).to_contain_text(told)
    expect(idle.locator("#completion")).to_be_hidden()


def test_a_pause_loses_nothing_and_answers_survive_a_lost_connection(visitor):
    _, _, _, worker = ada_at_work(visitor)
    pair = shown(worker)
    worker.locator("#pause").click()
    expect(worker.locator("#resting-title")).to_be_visible()
    accessible(worker)
    worker.locator("#resume").click()
    assert shown(worker) == pair
    question = asked(worker)
    expect(worker.locator("#status")).to_have_text("")
    worker.context.set_offline(True)  # the connection is gone, just when the answer is sent
    worker.keyboard.press("ArrowRight")
    expect(worker.locator("#status")).to_contain_text("kept")
    assert next_question(worker, question)  # the next pair was here already
    worker.context.set_offline(False)
    worker.reload()
    expect(worker.locator("#progress-text")).to_have_text("1 answered")


def test_everything_is_reachable_without_a_mouse_and_at_twice_the_size(visitor):
    organiser = visitor({"width": 640, "height": 450})  # a 1280 px window at 200 %
    sign_in(organiser)
    campaign = create(organiser)
    (link,) = personal_links(organiser, "Kim")
    organiser.goto(f"/campaigns/{campaign}")
    expect(organiser.locator("#live")).to_have_text("live")
    worker = visitor({"width": 640, "height": 450})
    worker.goto(link)
    shown(worker)
    for page in (organiser, worker):
        assert fits(page)
    # the order of a screen reader and of the tab key: the question, the first, the second, the other choices
    expect(worker.locator("#question")).to_be_focused()
    order = []
    for _ in range(4):
        worker.keyboard.press("Tab")
        order.append(worker.evaluate("document.activeElement.dataset.choice ?? document.activeElement.id"))
    assert order == ["left", "right", "tie", "skip"]
    question = asked(worker)
    worker.keyboard.press("Shift+Tab")
    worker.keyboard.press("Space")  # presses the button that has the focus: cannot tell
    next_question(worker, question)
    expect(worker.locator("#question")).to_be_focused()
    expect(organiser.locator("#recent")).to_contain_text("=")


def test_the_organiser_ends_a_campaign_while_a_question_is_open(visitor):
    organiser, _, _, worker = ada_at_work(visitor, PHONE)
    organiser.get_by_role("button", name="End…").click()
    organiser.get_by_role("button", name="Cancel").click()  # not yet
    expect(organiser.locator("#status")).to_have_text("running")
    organiser.get_by_role("button", name="End…").click()
    organiser.locator("#dialog-ok").click()
    expect(organiser.locator("#dialog-title")).to_have_text("The campaign has ended")
    expect(organiser.locator(".before-after")).to_be_visible()
    organiser.get_by_role("button", name="Close").click()
    expect(organiser.locator("#status")).to_have_text("ended")
    for name in ("Pause", "Resume", "End…"):
        expect(organiser.get_by_role("button", name=name, exact=True)).to_be_hidden()
    # what is out is still taken, and then the worker is thanked
    question = asked(worker)
    expect(worker.locator("#undo")).to_be_visible()
    worker.locator("#choose-left").click()
    next_question(worker, question)
    expect(worker.locator("#undo")).to_be_hidden()  # a result that is read out stays
    worker.keyboard.press("u")
    worker.locator("#choose-right").click()
    expect(worker.locator("#done-text")).to_contain_text("You answered 2 questions")
    expect(worker.locator("#undo-last")).to_be_hidden()
    expect(organiser.locator("#answers")).to_have_text("2")


def test_earlier_comparisons_are_imported_from_a_file(visitor, tmp_path):
    (tmp_path / "earlier.csv").write_text("winner,loser,worker\nPerth,Oslo,ann\nPerth,Cairo,ann\nOslo,Cairo,bob\n")
    organiser = visitor()
    sign_in(organiser)
    organiser.goto("/campaigns/new")
    organiser.get_by_label("Name of the campaign").fill("Cities again")
    organiser.get_by_label("Items, one per line").fill("\n".join(CITIES))
    organiser.get_by_text("Crowd platforms, earlier comparisons").click()
    organiser.get_by_label("Comparisons to start from").set_input_files(tmp_path / "earlier.csv")
    organiser.get_by_role("button", name="Create the campaign").click()
    organiser.get_by_role("link", name="Go to the dashboard").click()
    expect(organiser.locator("#answers")).to_have_text("3")
    expect(organiser.locator("#spent")).to_have_text("0")
    expect(organiser.locator("#ranking tr").first).to_contain_text("Perth")
    expect(organiser.locator("#ranking tr").last).to_contain_text("Cairo")
    # and a single one of them is undone, with the ranking before and after
    organiser.get_by_role("button", name="Undo Perth ≻ Oslo").click()
    organiser.locator("#dialog-ok").click()
    expect(organiser.locator(".before-after")).to_be_visible()
    organiser.get_by_role("button", name="Close").click()
    expect(organiser.locator("#answers")).to_have_text("2")


def test_pictures_and_markdown_are_shown(visitor, tmp_path):
    organiser = visitor()
    sign_in(organiser)
    from PIL import Image

    files = []
    for name, colour in (("red", "#c33"), ("blue", "#36c")):
        Image.new("RGB", (320, 240), colour).save(tmp_path / f"{name}.png")
        files.append(tmp_path / f"{name}.png")
    organiser.goto("/campaigns/new")
    organiser.get_by_label("Name of the campaign").fill("Colours")
    organiser.locator("#pictures").set_input_files(files)
    organiser.get_by_role("button", name="Create the campaign").click()
    (link,) = personal_links(organiser, "Vera")
    worker = visitor()
    worker.goto(link)
    worker.wait_for_selector("#asking:not([hidden])")
    worker.wait_for_function(
        "() => [...document.querySelectorAll('.item img')].filter(i => i.naturalWidth === 320).length === 2"
    )
    assert {img.get_attribute("alt") for img in worker.locator(".item img").all()} == {"red", "blue"}
    accessible(worker)

    (tmp_path / "items.json").write_text(
        json.dumps([{"id": k, "text": f"# {k}\n\n*x* <b>", "kind": "markdown"} for k in "ab"])
    )
    organiser.goto("/campaigns/new")
    organiser.get_by_label("Name of the campaign").fill("Words")
    organiser.locator("#items_file").set_input_files(tmp_path / "items.json")
    organiser.get_by_role("button", name="Create the campaign").click()
    (link,) = personal_links(organiser, "Vera")
    worker.goto(link)
    worker.wait_for_selector("#asking:not([hidden])")
    expect(worker.locator(".item em")).to_have_count(2)
    accessible(worker)

    (tmp_path / "both.csv").write_text(
        "text,kind,image\n# Red *one*,markdown,red.png\n# Blue *one*,markdown,blue.png\n"
    )
    organiser.goto("/campaigns/new")
    organiser.get_by_label("Name of the campaign").fill("Projects")
    organiser.locator("#items_file").set_input_files(tmp_path / "both.csv")
    organiser.locator("#pictures").set_input_files(files)
    organiser.get_by_role("button", name="Create the campaign").click()
    (link,) = personal_links(organiser, "Vera")
    worker.goto(link)
    worker.wait_for_function(
        "() => [...document.querySelectorAll('.item img')].filter(i => i.naturalWidth === 320).length === 2"
    )
    for side in worker.locator(".item").all():
        expect(side.locator("h1 em")).to_have_text("one")  # the picture stands above the words
        assert side.locator("img").bounding_box()["y"] < side.locator("em").bounding_box()["y"]
    accessible(worker)


def test_a_form_that_makes_no_sense_says_so_and_keeps_what_was_written(visitor):
    organiser = visitor()
    sign_in(organiser)
    organiser.goto("/campaigns/new")
    organiser.get_by_label("Name of the campaign").fill("Half a campaign")
    organiser.get_by_label("Items, one per line").fill("only one")
    with organiser.expect_response("**/campaigns") as response:
        organiser.get_by_role("button", name="Create the campaign").click()
    assert response.value.status == 422
    expect(organiser.get_by_role("alert")).to_contain_text("items")
    expect(organiser.get_by_label("Name of the campaign")).to_have_value("Half a campaign")
    accessible(organiser)


def test_one_question_is_not_one_questions(visitor):
    organiser, _, link = campaign_of_ada(visitor, budget="40", quota="1")
    expect(organiser.locator("#open")).to_have_text("0 open questions")
    visitor().goto(link)
    expect(organiser.locator("#open")).to_have_text("1 open question")


def test_the_dashboard_says_that_nobody_is_left_to_ask(visitor):
    organiser, _, link = campaign_of_ada(visitor, "tea\ncoffee", budget="40", price="0.0004", target="99 %")
    worker = visitor()
    worker.goto(link)
    shown(worker)
    worker.keyboard.press("ArrowLeft")
    expect(organiser.locator("#forecast")).to_have_text(
        "Nobody can be asked any more: every worker has compared every pair. Invite more workers."
    )
    expect(organiser.locator("#spent")).to_have_text("0.0004")


def test_the_dashboard_notices_what_time_alone_brings(visitor, web_server):
    organiser = visitor()
    sign_in(organiser)
    end = time.time() + 6  # a machine that takes longer for the next two lines sees nothing but the end
    terms = MINIMAL | {"ends_at": end}
    with httpx.Client(base_url=f"{web_server.url}/api/v1", headers=bearer(TOKEN), timeout=PATIENCE / 1000) as client:
        campaign = client.post("/campaigns", json=terms).json()["id"]
    organiser.clock.install()
    organiser.goto(f"/campaigns/{campaign}")
    expect(organiser.locator("#answers")).to_have_text("0")
    organiser.wait_for_timeout(max(0.0, 1000 * (end - time.time())))  # nothing happens any more but that the end comes
    organiser.clock.fast_forward(21_000)
    expect(organiser.locator("#status")).to_have_text("ended")
