"""Double clicks, two windows, lost connections, odd items and very many of them, in a real browser."""

from __future__ import annotations

import json
import re

from browsing import PHONE, WIDE, accessible, create, fits, next_question, personal_links, shown, sign_in
from playwright.sync_api import expect

ANOTHER = """id => {
  const asking = document.querySelector("#asking");
  return asking.hidden || asking.dataset.question !== id;
}"""
ODD = {
    "script": "<script>document.title = 'owned'</script><img src=x onerror=\"document.title = 'owned'\">",
    "long": "W" * 3000,
    "right to left": "مرحبا بالعالم",
    "emoji": "🧑🏽‍🚀🏳️‍🌈" * 40,
    "markdown": "[a](javascript:document.title='owned') <b onclick=1>x</b>\n\n|a|b|\n|-|-|\n|1|2|\n\n" + "x" * 500,
}


def test_clumsy_hands_and_two_windows_of_one_worker(visitor):
    organiser = visitor()
    sign_in(organiser)
    create(organiser)
    (link,) = personal_links(organiser, "Max")
    worker = visitor()
    worker.goto(link)
    shown(worker)
    # a second window shows the same question
    other = worker.context.new_page()
    other.goto(link)
    assert shown(other) == shown(worker)
    # a double click answers once; the next pair stays
    question = worker.locator("#asking").get_attribute("data-question")
    worker.locator("#choose-left").dblclick()
    second = next_question(worker, question)
    expect(worker.locator("#progress-text")).to_have_text("1 answered")
    assert worker.locator("#asking").get_attribute("data-question") == second
    # the other window says something else about it: kindly refused, and on it goes
    other.locator("#choose-right").click()
    expect(other.locator("#status")).to_contain_text("answered that one already")
    next_question(other, question)
    # a lost connection in both windows at once, and both are closed: nothing is lost
    for page in (worker, other):
        page.route("**/answer", lambda route: route.abort())
    expect(other.locator("#asking")).not_to_have_attribute("data-question", question)
    worker.keyboard.press("ArrowLeft")
    third = next_question(worker, second)
    expect(worker.locator("#status")).to_contain_text("kept")
    assert third
    other.close()
    worker.go_back()  # and the back button
    worker.unroute("**/answer")
    worker.goto(link)
    expect(worker.locator("#progress-text")).to_have_text("2 answered")


def test_odd_items_break_nothing(visitor, tmp_path):
    rows = [
        {"id": name, "text": text, "kind": "markdown" if name == "markdown" else "text"} for name, text in ODD.items()
    ]
    (tmp_path / "odd.json").write_text(json.dumps(rows))
    organiser = visitor(PHONE)
    sign_in(organiser)
    organiser.goto("/campaigns/new")
    organiser.get_by_label("Name of the campaign").fill("N" * 200)
    organiser.get_by_label("The question that workers see").fill("Q" * 300)
    organiser.locator("#items_file").set_input_files(tmp_path / "odd.json")
    organiser.get_by_role("button", name="Create the campaign").click()
    (link,) = personal_links(organiser, "O" * 200)
    campaign = re.search(r"/campaigns/(\w+)/invite", organiser.url)[1]
    worker = visitor(PHONE)
    worker.goto(link)
    for _ in range(10):
        shown(worker)
        assert fits(worker)
        if worker.locator("#left p[dir=auto], #right p[dir=auto]", has_text="مرحبا").count():
            box = worker.locator("p[dir=auto]", has_text="مرحبا")
            assert box.evaluate("e => getComputedStyle(e).direction") == "rtl"
        question = worker.locator("#asking").get_attribute("data-question")
        worker.keyboard.press("t")
        worker.wait_for_function(ANOTHER, arg=question)
        if worker.locator("#asking").is_hidden():
            break
    home = f"/campaigns/{campaign}"
    pages = {home: "#ranking .what", f"{home}/invite": "#join-url", f"{home}/report": "h1", "/": "h2"}
    for path, drawn in pages.items():
        organiser.goto(path)
        expect(organiser.locator(drawn).first).to_be_visible()
        for viewport in (PHONE, WIDE):
            organiser.set_viewport_size(viewport)
            assert fits(organiser), path
        assert organiser.title() != "owned"
    assert worker.title() != "owned"


def test_a_redraw_takes_neither_a_button_from_under_the_finger_nor_the_focus(visitor):
    organiser = visitor()
    sign_in(organiser)
    create(organiser)
    (link,) = personal_links(organiser, "Ada")
    organiser.get_by_role("link", name="To the dashboard").click()
    ban, title = organiser.get_by_role("button", name="Ban Ada"), organiser.locator("#dialog-title")
    ban.focus()
    worker = visitor()
    worker.goto(link)
    shown(worker)
    for answers in (1, 2):
        question = worker.locator("#asking").get_attribute("data-question")
        worker.keyboard.press("ArrowLeft")
        next_question(worker, question)
        expect(organiser.locator("#answers")).to_have_text(str(answers))
        expect(ban).to_be_focused()
    # pressed before an answer comes, let go after
    ban.hover()
    organiser.mouse.down()
    worker.keyboard.press("ArrowLeft")
    expect(worker.locator("#progress-text")).to_have_text("3 answered")
    organiser.wait_for_timeout(2000)  # a redraw that did not wait would be there
    organiser.mouse.up()
    expect(title).to_have_text("Ban Ada?")
    expect(organiser.locator("#answers")).to_have_text("3")  # redrawn behind the dialog
    organiser.get_by_role("button", name="Close").click()
    expect(ban).to_be_focused()


def test_many_items_can_be_searched(visitor):
    organiser = visitor()
    sign_in(organiser)
    campaign = create(organiser, "\n".join(f"Essay {k}" for k in range(1, 301)), budget="1000")
    organiser.goto(f"/campaigns/{campaign}")
    expect(organiser.locator("#ranking tr")).to_have_count(300)
    organiser.get_by_label("Find an item").fill("essay 27")
    expect(organiser.locator("#ranking tr:visible")).to_have_count(11)  # 27 and 270 to 279
    accessible(organiser)
    assert organiser.locator("#flight-title").bounding_box()["y"] < 2500  # not below three hundred rows
