"""Double clicks, two windows, lost connections, odd items and very many of them, in a real browser."""

from __future__ import annotations

import io
import json
import re

import httpx
import pytest
from browsing import (
    AWAY,
    CITIES,
    PATIENCE,
    PHONE,
    WIDE,
    Held,
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
    stop_the_clock,
    until,
)
from harness import TOKEN, bearer
from PIL import Image
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


def test_who_double_clicks_on_words_goes_on_and_who_selects_them_chooses_nothing(visitor):
    """The second half of a double click selects a word of the next pair, which must not be in the way of the next."""
    _, _, _, worker = ada_at_work(visitor)
    answered = worker.locator("#progress-text")
    for number in range(1, 4):
        question = asked(worker)
        worker.locator("#right .plain").dblclick()
        next_question(worker, question)
        expect(answered).to_have_text(f"{number} answered")
    question, box = asked(worker), worker.locator("#right .plain").bounding_box()
    middle = box["y"] + box["height"] / 2
    worker.mouse.move(box["x"] + 1, middle)
    worker.mouse.down()
    worker.mouse.move(box["x"] + box["width"] - 1, middle, steps=5)
    worker.mouse.up()
    assert worker.evaluate("String(getSelection())")
    assert asked(worker) == question
    worker.locator("#right .plain").click()
    next_question(worker, question)
    expect(answered).to_have_text("4 answered")


def test_clumsy_hands_and_two_windows_of_one_worker(visitor):
    _, _, link, worker = ada_at_work(visitor)
    # a second window shows the same question
    other = worker.context.new_page()
    other.goto(link)
    assert shown(other) == shown(worker)
    # a double click answers once; the next pair stays
    question = asked(worker)
    worker.locator("#choose-left").evaluate("button => { button.click(); button.click(); }")
    second = next_question(worker, question)
    expect(worker.locator("#progress-text")).to_have_text("1 answered")
    assert asked(worker) == second
    # the other window says something else about it: kindly refused, and on it goes
    other.locator("#choose-right").click()
    expect(other.locator("#status")).to_contain_text("already answered")
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
        question = asked(worker)
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
    organiser, _, link = campaign_of_ada(visitor)
    ban, title = organiser.get_by_role("button", name="Ban Ada"), organiser.locator("#dialog-title")
    ban.focus()
    worker = visitor()
    worker.goto(link)
    shown(worker)
    for answers in (1, 2):
        question = asked(worker)
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
    organiser.get_by_role("button", name="Cancel").click()
    expect(ban).to_be_focused()


def test_the_focus_goes_to_the_heading_when_the_row_is_gone(visitor):
    organiser, campaign, _, worker = ada_at_work(visitor)
    answer_the_first(worker)
    organiser.goto(f"/campaigns/{campaign}")
    organiser.get_by_role("button", name="Undo").press("Enter")
    organiser.locator("#dialog-ok").press("Enter")
    expect(organiser.locator("#dialog-title")).to_have_text("The answer is undone")
    expect(organiser.locator("#recent")).to_have_text("No answers yet.")
    organiser.get_by_role("button", name="Close").press("Enter")
    expect(organiser.locator("#recent-title")).to_be_focused()


@pytest.mark.parametrize(
    ("script", "path", "buttons"),
    [("dashboard", "", ".title-row button"), ("copy", "/invite", "button.copy"), ("work", None, "button")],
    ids=["dashboard", "invite", "work"],
)
def test_no_button_takes_a_click_that_nobody_hears(visitor, script, path, buttons):
    """The script of a page comes after its buttons, on a slow line by seconds: a click before then would be lost."""
    page, campaign, link = campaign_of_ada(visitor)
    held = Held(page, f"**/static/{script}.js*")
    page.goto(link if path is None else f"/campaigns/{campaign}{path}", wait_until="commit")
    expect(page.locator("h1, .brand").first).to_be_visible()
    held.arrived()
    assert page.locator(f"{buttons}:enabled:visible").count() == 0
    held.let_go()
    expect(page.locator(f"{buttons}:enabled:visible").first).to_be_visible()


def test_the_dashboard_is_live_again_after_one_failed_look(visitor):
    organiser, _, _, worker = ada_at_work(visitor)
    expect(organiser.locator("#live")).to_have_text("live")
    organiser.route("**/dashboard", lambda route: route.abort())
    answer_the_first(worker)
    expect(organiser.locator("#live")).to_contain_text("connection lost")
    organiser.unroute("**/dashboard")
    worker.locator("#choose-left").click()
    expect(organiser.locator("#answers")).to_have_text("2")
    expect(organiser.locator("#live")).to_have_text("live")


def test_who_hears_the_dashboard_is_told_once_that_it_is_live(visitor):
    """A screen reader reads out what is written into a status, also where the same words were there before."""
    organiser, _, _, worker = ada_at_work(visitor)
    expect(organiser.locator("#live")).to_have_text("live")
    organiser.evaluate("""window.said = 0;
      const heard = new MutationObserver(() => { window.said += 1; });
      heard.observe(document.getElementById("live"), { childList: true });""")
    answer_the_first(worker)
    expect(organiser.locator("#answers")).to_have_text("1")
    worker.locator("#choose-left").click()
    expect(organiser.locator("#answers")).to_have_text("2")
    assert organiser.evaluate("window.said") == 0


def test_a_dashboard_that_nobody_sees_takes_no_connection_from_the_one_in_front(visitor):
    """Browsers have six for a server without HTTP/2, and a stream of events holds one."""
    organiser, campaign, link = campaign_of_ada(visitor)
    tabs = [organiser, *(organiser.context.new_page() for _ in range(7))]
    for tab in tabs:
        tab.goto(f"/campaigns/{campaign}")
        expect(tab.locator("#live")).to_have_text("live")
        tab.evaluate(AWAY, True)
    worker = visitor()
    worker.goto(link)
    shown(worker)
    expect(organiser.locator("#open")).to_have_text("0 open questions")
    organiser.evaluate(AWAY, False)
    expect(organiser.locator("#open")).to_have_text("2 open questions")
    worker.get_by_role("button", name="This one (the first)").click()
    expect(organiser.locator("#answers")).to_have_text("1")


def test_a_change_that_did_not_arrive_is_told_in_words_and_who_is_signed_out_signs_in(visitor):
    organiser, _, _ = campaign_of_ada(visitor)
    expect(organiser.locator("#live")).to_have_text("live")
    organiser.route(re.compile("/pause$"), lambda route: route.abort())
    organiser.get_by_role("button", name="Pause").click()
    expect(organiser.get_by_role("dialog")).to_contain_text("Check whether the change was made before you try again")
    organiser.get_by_role("button", name="Close").click()
    organiser.unroute_all()
    organiser.context.clear_cookies(name=re.compile("^nextpair_session_"))
    organiser.get_by_role("button", name="Pause").click()
    expect(organiser.get_by_role("heading", name="Sign in to organise")).to_be_visible()


def test_the_dashboard_says_that_everybody_is_banned(visitor):
    organiser, _, _, _ = ada_at_work(visitor)
    organiser.get_by_role("button", name="Ban Ada").click()
    organiser.locator("#dialog-ok").click()
    expect(organiser.locator("#dialog-title")).to_have_text("Ada is banned")
    organiser.get_by_role("button", name="Close").click()
    expect(organiser.locator("#forecast")).to_have_text("Nobody can be asked: every worker is banned. Invite others.")
    expect(organiser.locator("#workers-title")).to_be_focused()


def test_the_forecast_says_which_price_it_counts(visitor):
    """Where workers of a restored campaign cost less than the campaign's price."""
    organiser, campaign, _, _ = ada_at_work(visitor)
    average = {}

    def cheaper(route):
        found = route.fetch().json()
        found["campaign"] |= {"remaining": 0.5, "price": 1}
        found["workers"][0]["price"] = 0.25
        forecast = {"target": 0.9, "answers": 8, "cost": 2, "at_budget": 0.8, "price": 0.25, "most": None}
        found["forecast"] = forecast | average
        route.fulfill(json=found)

    organiser.route("**/dashboard", cheaper)
    organiser.goto(f"/campaigns/{campaign}")
    expect(organiser.locator("#forecast")).to_have_text(
        "About 8 more answers (2) to reach 90.0 %. That is more than is left of the budget. "
        "The whole budget is expected to reach 80.0 %. "
        "This assumes 0.25 an answer, the average price of the workers who can still be asked."
    )
    for price, counted, about in ((46 / 29, "1.59", "12.69"), (1 / 300, "0.00333", "0.0267")):
        average |= {"price": price, "cost": 8 * price}
        organiser.reload()
        expect(organiser.locator("#forecast")).to_contain_text(f"This assumes {counted} an answer")
        expect(organiser.locator("#forecast")).to_contain_text(f"About 8 more answers ({about}) to")


def test_the_dashboard_says_how_many_more_those_who_take_part_can_be_asked(visitor):
    organiser, campaign, _ = campaign_of_ada(visitor, "tea\ncoffee\nmilk", budget="12", price="0.1")
    expect(organiser.locator("#forecast")).to_have_text(
        "Your workers can be asked 3 more questions, but the budget buys 120 answers: "
        "invite more workers to use the rest."
    )
    near = {"target": 0.9, "answers": 3, "cost": 0.3, "at_budget": 0.95, "price": 0.1, "most": 3}
    organiser.route("**/dashboard", lambda route: route.fulfill(json=route.fetch().json() | {"forecast": near}))
    organiser.goto(f"/campaigns/{campaign}")  # where they are enough for the target, nobody else is called for
    expect(organiser.locator("#forecast")).to_have_text(
        "About 3 more answers (0.30) to reach 90.0 %. The whole budget is expected to reach 95.0 %."
    )


def test_the_dashboard_says_that_a_late_target_may_be_too_early_and_that_it_waits_for_looks(visitor, web_server):
    organiser, campaign, _ = campaign_of_ada(visitor, min_looks="2", budget="15")
    forecast = organiser.locator("#forecast")
    early = "If the items are closer together than this policy assumes, it stops before the target is really reached. "
    early += "A campaign that is created with a target has the policy full-posterior-checked, "
    early += "which learns how far apart they are."
    with httpx.Client(base_url=f"{web_server.url}/api/v1", headers=bearer(TOKEN), timeout=PATIENCE / 1000) as client:

        def change(**terms):
            client.patch(f"/campaigns/{campaign}", json=terms).raise_for_status()

        change(target_accuracy=0.9)
        expect(forecast).to_have_text(f"It is too early to say what reaching the target will take. {early}")
        (ada,) = client.get(f"/campaigns/{campaign}/workers").json()
        change(price=2, worker=ada["id"])  # which nothing is forecast with
        change(target_accuracy=0.5)
        expect(forecast).to_have_text(
            f"The target accuracy is reached; questions go on until every item has been shown 2 times. {early}"
        )
        assert fits(organiser)
        change(target_accuracy=None)
        expect(forecast).to_have_text("")


def test_a_worker_is_given_a_price_of_their_own_on_the_dashboard(visitor):
    organiser = visitor()
    sign_in(organiser)
    campaign = create(organiser, currency="EUR")
    links = personal_links(organiser, "Ada", "Bob")
    organiser.goto(f"/campaigns/{campaign}")
    ada, bob = (organiser.locator("#workers tr", has_text=name) for name in ("Ada", "Bob"))

    def change(price, whose=None):
        organiser.get_by_role("button", name="Budget…").click()
        accessible(organiser)
        if whose:
            organiser.get_by_label("Whose price").select_option(whose)
        organiser.get_by_label("Price of an answer from now on").fill(price)
        organiser.locator("#dialog-ok").click()
        expect(organiser.locator("#dialog-title")).to_have_text("The terms have changed")
        organiser.get_by_role("button", name="Close").click()

    expect(ada).to_be_visible()
    assert "an answer" not in organiser.locator("#workers").inner_text()  # nobody needs to be told
    change("2,50", "Ada")
    expect(ada).to_contain_text("2.50 EUR an answer, 0 EUR so far")
    expect(bob).not_to_contain_text("an answer,")
    for link in links:
        worker = visitor()
        worker.goto(link)
        shown(worker)
        worker.locator("#choose-left").click()
        expect(worker.locator("#progress-text")).to_have_text("1 answered")
    expect(organiser.locator("#spent")).to_have_text("3.50 EUR")
    expect(ada).to_contain_text("2.50 EUR an answer, 2.50 EUR so far")
    accessible(organiser)
    organiser.set_viewport_size(PHONE)
    assert fits(organiser)
    # what it is now is in the field of whoever is chosen, and everybody's price ends all others
    organiser.get_by_role("button", name="Budget…").click()
    field = organiser.get_by_label("Price of an answer from now on")
    expect(field).to_have_value("1")
    organiser.get_by_label("Whose price").select_option("Ada (2.50 EUR)")
    expect(field).to_have_value("2.5")
    field.fill("4")
    organiser.get_by_label("Whose price").select_option("Bob")
    expect(field).to_have_value("4")
    organiser.get_by_role("button", name="Cancel").click()
    change("3", "everybody's, replacing all prices of their own")
    expect(organiser.locator("#dashboard")).to_have_attribute("data-price", "3")
    expect(ada).not_to_contain_text("an answer,")


def test_many_items_can_be_searched(visitor):
    organiser, _, _ = campaign_of_ada(visitor, "\n".join(f"Essay {k}" for k in range(1, 301)), budget="1000")
    expect(organiser.locator("#ranking tr")).to_have_count(300)
    organiser.get_by_label("Find an item").fill("essay 27")
    expect(organiser.locator("#ranking tr:visible")).to_have_count(11)  # 27 and 270 to 279
    accessible(organiser)
    assert organiser.locator("#flight-title").bounding_box()["y"] < 2500  # not below three hundred rows


def test_an_organiser_tries_their_own_campaign_in_the_same_browser(visitor):
    organiser = visitor()
    sign_in(organiser)
    create(organiser)
    link = organiser.locator("#join-url").inner_text()
    worker = organiser.context.new_page()
    worker.goto(link)
    worker.get_by_role("button", name="Start").click()
    shown(worker)
    question = asked(worker)
    worker.locator("#choose-left").click()
    second = next_question(worker, question)
    expect(worker.locator("#progress-text")).to_have_text("1 answered")
    worker.locator("#undo").click()
    assert next_question(worker, second) == question
    expect(worker.locator("#progress-text")).to_have_text("0 answered")
    # signing out and in again in another tab makes the page's form token void: it takes a new one and goes on
    organiser.goto("/")
    organiser.get_by_role("button", name="Sign out").click()
    sign_in(organiser)
    worker.locator("#choose-right").click()
    next_question(worker, question)
    expect(worker.locator("#progress-text")).to_have_text("1 answered")


def test_two_personal_links_in_one_browser(visitor):
    organiser = visitor()
    sign_in(organiser)
    campaign = create(organiser)
    links = personal_links(organiser, "Ada", "Grace")
    ada = visitor()
    ada.goto(links[0])
    shown(ada)
    expect(ada.locator("#who")).to_have_text("You are Ada")
    grace = ada.context.new_page()
    grace.goto(links[1])
    shown(grace)
    expect(grace.locator("#who")).to_have_text("You are Grace")
    ada.locator("#choose-left").click()
    expect(ada.locator("#waiting-title")).to_have_text("Somebody else's link was opened here")
    expect(ada.locator("#waiting-title")).to_be_focused()
    accessible(ada)
    grace.locator("#choose-right").click()
    expect(grace.locator("#progress-text")).to_have_text("1 answered")
    ada.goto(links[0])  # her answer was kept and counts as hers
    expect(ada.locator("#progress-text")).to_have_text("1 answered")
    organiser.goto(f"/campaigns/{campaign}")
    for name in ("Ada", "Grace"):
        expect(organiser.locator("#workers tr", has_text=name)).to_contain_text("1")
    expect(organiser.locator("#answers")).to_have_text("2")


def test_a_long_line_of_code_and_a_wide_table_scroll_alone(visitor, tmp_path):
    code = "Read this first.\n\n```\n" + "code " * 60 + "\n```\n\nAnd this."
    head, line = "|word" * 30 + "|\n", "|-" * 30 + "|\n"
    table = f"Read this first.\n\n{head}{line}{head}\nAnd this."
    rows = [{"id": name, "text": text, "kind": "markdown"} for name, text in (("code", code), ("table", table))]
    (tmp_path / "wide.json").write_text(json.dumps(rows))
    organiser = visitor()
    sign_in(organiser)
    organiser.goto("/campaigns/new")
    organiser.get_by_label("Name of the campaign").fill("Wide")
    organiser.locator("#items_file").set_input_files(tmp_path / "wide.json")
    organiser.get_by_role("button", name="Create the campaign").click()
    (link,) = personal_links(organiser, "Ada")
    for viewport in (WIDE, PHONE):
        worker = visitor(viewport)
        worker.goto(link)
        shown(worker)
        expect(worker.locator(".sideways[tabindex]")).to_have_count(2)
        for frame in worker.locator(".sideways").all():
            assert frame.bounding_box()["height"] > 20
        for box in worker.locator(".rich").all():
            assert box.evaluate("e => e.scrollWidth <= e.clientWidth")
        accessible(worker)
        # the arrows scroll what has the focus, and do not answer
        question = asked(worker)
        worker.locator(".sideways").first.focus()
        worker.keyboard.press("ArrowRight")
        worker.wait_for_function("() => document.querySelector('.sideways').scrollLeft > 0")
        expect(worker.locator("#asking")).to_have_attribute("data-question", question)


def answers_of(organiser, campaign):
    rows = organiser.request.get(f"/campaigns/{campaign}/export/comparisons.json").json()
    return [(row["question"], row["winner"]) for row in rows]


def test_a_late_item_joins_from_the_dashboard(visitor):
    organiser, _, link = campaign_of_ada(visitor)
    expect(organiser.locator("#ranking tr")).to_have_count(len(CITIES))
    organiser.get_by_role("button", name="Add item…").click()
    accessible(organiser)
    organiser.get_by_label("One more item").fill("Lima")
    organiser.locator("#dialog-ok").click()
    expect(organiser.locator("#dialog-body")).to_have_text("The campaign has 7 items now.")
    organiser.get_by_role("button", name="Close").click()
    expect(organiser.locator("#ranking tr[data-item=Lima]")).to_be_visible()
    organiser.get_by_role("button", name="Add item…").click()
    expect(organiser.get_by_label("One more item")).to_have_value("")
    organiser.get_by_label("One more item").fill("Lima")
    organiser.locator("#dialog-ok").click()
    expect(organiser.locator("#dialog-body")).to_contain_text("there twice")
    organiser.get_by_role("button", name="Close").click()
    organiser.get_by_role("button", name="Add item…").click()
    expect(organiser.get_by_label("One more item")).to_have_value("Lima")  # what was refused can be mended
    worker = visitor()
    worker.goto(link)
    for _ in range(6):  # it has been seen least often
        if "Lima" in shown(worker):
            break
        question = worker.locator("#asking").get_attribute("data-question")
        worker.keyboard.press("ArrowLeft")
        next_question(worker, question)
    assert "Lima" in shown(worker)


BOXES = """rows => rows.map((row) => [...row.querySelectorAll(".one"), row].map((part) => {
  const { y, height } = part.getBoundingClientRect();
  return { y, height };
}))"""


def test_of_two_long_items_both_are_seen_in_the_lists_of_questions_and_answers(visitor):
    organiser, _, link = campaign_of_ada(visitor, "\n".join(f"{city}, {30 * 'a long story '}" for city in CITIES[:3]))
    worker = visitor()
    worker.goto(link)
    shown(worker)
    question = asked(worker)
    worker.keyboard.press("ArrowLeft")
    next_question(worker, question)
    organiser.set_viewport_size(PHONE)
    expect(organiser.locator("#answers")).to_have_text("1")
    # at once: a redraw puts others in their place
    rows = organiser.locator("#recent li, #flight li").evaluate_all(BOXES)
    for first, second, around in rows:
        assert (
            first["y"] + first["height"]
            <= second["y"]
            < second["y"] + second["height"]
            <= around["y"] + around["height"]
        )
    assert fits(organiser)


def test_an_item_is_removed_on_the_dashboard_and_brought_back(visitor):
    organiser, _, _, worker = ada_at_work(visitor)
    organiser.get_by_role("button", name="Remove item…").click()
    accessible(organiser)
    organiser.get_by_label("Item to remove").select_option("Quito")
    organiser.locator("#dialog-ok").click()
    expect(organiser.locator("#dialog-title")).to_have_text("Quito is removed")
    expect(organiser.locator("#dialog-body")).to_contain_text("The order stays as it was.")  # the others only move up
    organiser.get_by_role("button", name="Close").click()
    expect(organiser.locator("#ranking tr")).to_have_count(len(CITIES) - 1)
    accessible(organiser)
    question = asked(worker)
    for _ in range(2):  # what was out
        worker.keyboard.press("ArrowLeft")
        question = next_question(worker, question)
    for _ in range(5):
        assert "Quito" not in shown(worker)
        worker.keyboard.press("ArrowLeft")
        question = next_question(worker, question)
    sent = []
    organiser.on("request", lambda request: sent.append(request.url) if request.method == "POST" else None)
    organiser.get_by_role("button", name="Bring back Quito").dblclick()
    expect(organiser.locator("#dialog-body")).to_have_text(f"The campaign has {len(CITIES)} items now.")
    organiser.get_by_role("button", name="Close").click()
    expect(organiser.locator("#ranking tr[data-item=Quito]")).to_be_visible()
    expect(organiser.locator("#removed-part")).to_be_hidden()
    expect(organiser.locator("#ranking-title")).to_be_focused()
    assert len(sent) == 1, sent


def test_a_campaign_of_which_only_the_best_matter(visitor):
    organiser, campaign, link = campaign_of_ada(visitor, best="2", target="90 %")
    worker = visitor(PHONE)
    worker.goto(link)
    shown(worker)
    expect(organiser.locator("dt", has_text="Best 2, expected right")).to_be_visible()
    expect(organiser.locator(".ranking th").last).to_have_text("Of the best 2")
    rows = organiser.locator("#ranking tr")
    expect(rows).to_have_count(len(CITIES))
    expect(rows.nth(1)).to_have_class("last-best")  # the line below the best
    organiser.get_by_role("button", name="Why?").first.click()
    expect(organiser.locator("#dialog-body")).to_contain_text("between the best 2 and the others")
    organiser.locator("#dialog-close").click()
    accessible(organiser)
    page = visitor()
    sign_in(page)
    expect(page.locator("dt", has_text="Best 2, expected right").first).to_be_visible()
    page.goto(f"/campaigns/{campaign}/report")
    expect(page.locator("th", has_text="Of the best 2")).to_be_visible()
    expect(page.locator("body")).to_contain_text("the probability of being one of them")
    accessible(page)


def test_a_list_that_goes_on_below_says_so(visitor):
    """Twenty workers, of whom nine are to be seen and the tenth not even in part: a shadow, until one is at the end."""
    organiser = visitor()
    sign_in(organiser)
    campaign = create(organiser)
    personal_links(organiser, *(f"Worker {k}" for k in range(20)))
    organiser.goto(f"/campaigns/{campaign}")
    expect(organiser.locator("#workers tr")).to_have_count(20)
    box = organiser.get_by_role("group", name="workers, scrollable")
    box.locator("table").evaluate("it => { it.style.opacity = 0; }")  # what is behind it is looked at
    colours = []
    for to in (0, 10_000):
        box.evaluate("(it, to) => { it.scrollTop = to; }", to)
        picture = Image.open(io.BytesIO(box.screenshot()))
        colours.append({picture.getpixel((picture.width // 2, picture.height - above)) for above in range(2, 10)})
    assert len(colours[0]) > 1
    assert len(colours[1]) == 1


def test_long_names_have_room_in_the_report_on_a_phone(visitor):
    long = "A project of a name that is rather long, as names of projects are"
    organiser, campaign, _ = campaign_of_ada(visitor, "\n".join([long, *CITIES]))
    organiser.set_viewport_size(PHONE)
    organiser.goto(f"/campaigns/{campaign}/report")
    assert organiser.get_by_role("cell", name=long).locator("span").bounding_box()["width"] > 120
    assert fits(organiser)


def test_a_finger_leaves_no_mark_on_the_next_pair(visitor):
    """Where the card that was touched stays marked, it looks as if it was chosen already."""
    _, _, link = campaign_of_ada(visitor)
    worker = visitor(PHONE, is_mobile=True, has_touch=True)
    worker.goto(link)
    shown(worker)
    question = worker.locator("#asking").get_attribute("data-question")
    worker.locator("#choose-right").tap()
    next_question(worker, question)
    expect(worker.locator("#status")).to_have_text("Saved.")
    looks = """(ids) => ids.map((id) => {
      const button = document.querySelector(id), card = button.closest(".choice");
      return getComputedStyle(button).filter + getComputedStyle(card).borderColor;
    })"""
    left, right = worker.evaluate(looks, ["#choose-left", "#choose-right"])
    assert left == right


def test_a_drawing_without_a_size_is_shown_and_the_space_bar_scrolls_what_has_the_focus(visitor, tmp_path):
    organiser = visitor()
    sign_in(organiser)
    drawing = f"{organiser.evaluate('location.origin')}/static/icon.svg"
    items = [{"id": "drawing", "text": "A drawing", "image": drawing}, {"id": "words", "text": "Many words. " * 300}]
    (tmp_path / "items.json").write_text(json.dumps(items))
    organiser.goto("/campaigns/new")
    organiser.get_by_label("Name of the campaign").fill("Two kinds")
    organiser.locator("#items_file").set_input_files(tmp_path / "items.json")
    organiser.get_by_role("button", name="Create the campaign").click()
    (link,) = personal_links(organiser, "Max")
    worker = visitor()
    worker.goto(link)
    shown(worker)
    worker.wait_for_function("() => document.querySelector('.item img').complete")
    size = worker.locator(".item img").bounding_box()
    assert size["width"] > 50, size
    assert size["height"] > 50, size
    question = worker.locator("#asking").get_attribute("data-question")
    worker.locator(".item.long").focus()
    worker.keyboard.press("Space")
    worker.wait_for_function("() => document.querySelector('.item.long').scrollTop > 0")
    assert worker.locator("#asking").get_attribute("data-question") == question
    assert fits(worker)


def test_a_request_that_the_wifi_swallowed_is_sent_again(visitor):
    """A connection that is gone without a word: no answer comes, and no error either."""
    _, _, link = campaign_of_ada(visitor)
    worker = visitor()
    worker.clock.install()
    worker.goto(link)
    shown(worker)
    wifi = Held(worker, "**/api/v1/**")
    for _ in range(2):
        question = worker.locator("#asking").get_attribute("data-question")
        worker.keyboard.press("ArrowRight")
        worker.wait_for_function(ANOTHER, arg=question)
        worker.wait_for_selector("#asking:not([data-settling])", state="attached")
    expect(worker.locator("#waiting")).to_be_visible()
    wifi.arrived(2)  # the answer, and the question after the next
    worker.clock.fast_forward(16_000)
    expect(worker.locator("#status")).to_contain_text("kept")
    wifi.passes = True  # from now on: what was swallowed does not come back
    for _ in range(2):
        worker.clock.fast_forward(16_000)  # it tries again by and by
    expect(worker.locator("#progress-text")).to_have_text("2 answered")
    shown(worker)


def test_a_lost_connection_is_told_for_as_long_as_it_is_lost(visitor):
    _, _, link = campaign_of_ada(visitor)
    worker = visitor()
    worker.route("**/api/**", lambda route: route.abort())
    worker.goto(link)
    expect(worker.locator("#status")).to_contain_text("No connection just now")
    worker.unroute_all()
    shown(worker)
    expect(worker.locator("#status")).to_have_text("")


def test_an_answer_is_undone_without_a_connection(visitor):
    organiser, campaign, _, worker = ada_at_work(visitor)
    pair = shown(worker)
    first = asked(worker)
    worker.context.set_offline(True)
    worker.locator("#choose-left").click()
    second = next_question(worker, first)
    worker.locator("#undo").click()
    assert next_question(worker, second) == first
    assert shown(worker) == pair
    worker.locator("#choose-right").click()
    next_question(worker, first)
    worker.locator("#choose-left").click()
    expect(worker.locator("#asking")).to_be_hidden()
    worker.context.set_offline(False)
    expect(worker.locator("#progress-text")).to_have_text("2 answered")
    assert [question for question, _ in answers_of(organiser, campaign)] == [first, second]
    assert answers_of(organiser, campaign)[0] == (first, pair[1])


def test_an_answer_is_undone_whose_receipt_was_lost(visitor):
    organiser, campaign, _, worker = ada_at_work(visitor)
    pair = shown(worker)
    worker.route("**/answer", lose_the_reply)
    first = asked(worker)
    worker.locator("#choose-left").click()
    second = next_question(worker, first)
    expect(organiser.locator("#answers")).to_have_text("1")
    worker.locator("#undo").click()
    assert next_question(worker, second) == first
    worker.unroute("**/answer")
    expect(organiser.locator("#answers")).to_have_text("0")
    worker.locator("#choose-right").click()
    expect(worker.locator("#progress-text")).to_have_text("1 answered")
    assert answers_of(organiser, campaign) == [(first, pair[1])]


def lose_the_reply(route):
    route.fetch()  # it arrives, and nobody hears of it
    route.abort()


def answer_the_first(worker):
    pair, first = shown(worker), asked(worker)
    worker.locator("#choose-left").click()
    second = next_question(worker, first)
    expect(worker.locator("#progress-text")).to_have_text("1 answered")
    return pair, first, second


def undo_unheard(worker, first, second):
    """Undo the first answer while nothing is heard of the server."""
    worker.locator("#undo").click()
    assert next_question(worker, second) == first
    expect(worker.locator("#status")).to_contain_text("kept")


def test_an_undo_and_the_new_choice_survive_a_reload(visitor):
    organiser, campaign, link, worker = ada_at_work(visitor)
    for answers in range(1, 10):  # up to q10, which sorts before q9
        last, pair = asked(worker), shown(worker)
        worker.keyboard.press("ArrowLeft")
        following = next_question(worker, last)
        expect(worker.locator("#progress-text")).to_have_text(f"{answers} answered")
    worker.context.route("**/undo", lambda route: route.abort())
    undo_unheard(worker, last, following)
    worker.locator("#choose-right").click()
    next_question(worker, last)
    worker.locator("#choose-left").click()
    next_question(worker, following)
    worker.context.unroute("**/undo")
    worker.goto(link)
    expect(worker.locator("#progress-text")).to_have_text("10 answered")
    assert dict(answers_of(organiser, campaign))[last] == pair[1]
    assert worker.evaluate("localStorage.length") == 0


def test_an_undo_whose_receipt_was_lost_keeps_its_question(visitor):
    organiser, campaign, _, worker = ada_at_work(visitor)
    pair, first, second = answer_the_first(worker)
    worker.route("**/undo", lose_the_reply)
    undo_unheard(worker, first, second)
    worker.unroute("**/undo")
    expect(worker.locator("#progress-text")).to_have_text("0 answered")
    expect(worker.locator("#asking")).to_have_attribute("data-question", first)
    worker.locator("#choose-right").click()
    expect(worker.locator("#progress-text")).to_have_text("1 answered")
    assert answers_of(organiser, campaign) == [(first, pair[1])]


def test_an_undo_that_another_window_finds_does_not_take_the_new_answer_back(visitor):
    organiser, campaign, link, worker = ada_at_work(visitor)
    pair, first, second = answer_the_first(worker)
    worker.route("**/undo", lambda route: route.abort())
    undo_unheard(worker, first, second)
    other = worker.context.new_page()
    other.route("**/undo", lambda route: route.abort())  # it finds the undo, and cannot send it yet
    looks = Held(other, f"**/campaigns/{campaign}")  # or it looks before the new answer, and counts none
    other.goto(link)
    expect(other.locator("#status")).to_contain_text("kept")
    worker.unroute("**/undo")
    expect(worker.locator("#progress-text")).to_have_text("0 answered")
    worker.locator("#choose-right").click()
    expect(worker.locator("#progress-text")).to_have_text("1 answered")
    other.unroute("**/undo")
    looks.let_go()
    expect(other.locator("#asking")).to_have_attribute("data-question", second)
    expect(other.locator("#progress-text")).to_have_text("1 answered")
    assert answers_of(organiser, campaign) == [(first, pair[1])]


def test_what_was_undone_is_in_front_after_a_reload(visitor):
    _, _, link, worker = ada_at_work(visitor)
    pair, first, second = answer_the_first(worker)
    worker.context.route("**/undo", lambda route: route.abort())
    undo_unheard(worker, first, second)
    worker.context.unroute("**/undo")
    worker.goto(link)
    expect(worker.locator("#status")).to_have_text("Your last answer was undone: choose again.")
    expect(worker.locator("#asking")).to_have_attribute("data-question", first)
    assert shown(worker) == pair


def test_nobody_is_thanked_who_can_be_asked_again_in_a_moment(visitor):
    _, campaign, _, worker = ada_at_work(visitor)

    def nothing(route):  # all was held by others when the page asked, and free again when it looked why
        route.fulfill(status=204) if route.request.method == "POST" else route.fulfill(json=[])

    worker.route(f"**/{campaign}/questions", nothing)
    worker.reload()
    expect(worker.locator("#waiting-title")).to_have_text("No question for you just now")
    worker.unroute(f"**/{campaign}/questions")
    shown(worker)
    expect(worker.locator("#done")).to_be_hidden()


def test_every_answer_of_a_worker_who_is_slower_than_the_lease_counts_on_the_page(visitor):
    _, _, link = campaign_of_ada(visitor, "\n".join(CITIES[:3]), lease_minutes="0.01")
    worker = visitor()
    worker.goto(link)
    for answers in (1, 2, 3):
        pair = shown(worker)
        worker.wait_for_timeout(1000)  # longer than the lease
        assert shown(worker) == pair
        worker.locator("#choose-left").click()
        expect(worker.locator("#progress-text")).to_have_text(f"{answers} answered")
    expect(worker.locator("#done-text")).to_contain_text("You answered 3 questions")


def test_the_last_answer_can_still_be_undone_after_a_reload(visitor):
    _, _, _, worker = ada_at_work(visitor)
    first, pair = asked(worker), shown(worker)
    worker.locator("#choose-left").click()
    next_question(worker, first)
    expect(worker.locator("#progress-text")).to_have_text("1 answered")
    worker.reload()
    shown(worker)
    worker.locator("#undo").click()
    expect(worker.locator("#progress-text")).to_have_text("0 answered")
    assert (asked(worker), shown(worker)) == (first, pair)
    worker.reload()
    shown(worker)
    expect(worker.locator("#undo")).to_be_disabled()  # there is no other


def test_an_answer_that_came_too_late_is_not_offered_to_be_undone(visitor, web_server):
    _, campaign, link = campaign_of_ada(visitor, budget="1", lease_minutes="0.01")
    worker = visitor()
    worker.goto(link)
    shown(worker)
    with httpx.Client(base_url=f"{web_server.url}/api/v1", headers=bearer(TOKEN), timeout=PATIENCE / 1000) as client:
        client.headers = bearer(client.post(f"/campaigns/{campaign}/workers", json={"name": "Bob"}).json()["token"])
        while (reply := client.post(f"/campaigns/{campaign}/questions")).status_code != 201:
            worker.wait_for_timeout(50)  # until Ada's time is over, and the budget free
        client.post(f"/questions/{reply.json()['id']}/answer", json={"choice": "left"}).raise_for_status()
    worker.locator("#choose-left").click()
    expect(worker.locator("#status")).to_have_text("That answer came too late and was not counted.")
    expect(worker.locator("#done-text")).to_have_text("There are no questions left here.")
    expect(worker.locator("#undo-last")).to_be_hidden()


def test_the_keys_answer_alone_and_can_be_switched_off(visitor):
    """WCAG 2.1.4: single letters that do something can be switched off, as software for dictation types them."""
    _, _, link, worker = ada_at_work(visitor)
    question = asked(worker)
    for keys in ("Control+t", "Alt+t", "Meta+t", "Shift+ArrowLeft", "Shift+ArrowRight", "Shift+Space"):
        worker.keyboard.press(keys)
    assert asked(worker) == question
    worker.keyboard.press("Shift+T")  # the same letter
    question = next_question(worker, question)
    worker.get_by_role("button", name="Pause").click()
    accessible(worker)
    worker.get_by_label("Also answer with the keys").uncheck()
    worker.get_by_role("button", name="Go on").click()
    for page in (worker, worker.context.new_page()):  # and it is remembered
        page.goto(link)
        shown(page)
        for key in ("t", "u", "ArrowLeft", "Space"):
            page.keyboard.press(key)
        expect(page.locator("#progress-text")).to_have_text("1 answered")
        assert asked(page) == question
        expect(page.locator("kbd").first).to_be_hidden()
    worker.locator("#choose-left").click()
    next_question(worker, question)


def test_a_late_picture_from_another_host_is_shown_on_a_page_that_was_open_before(visitor, web_server):
    _, campaign, _, worker = ada_at_work(visitor)
    elsewhere = web_server.url.replace("127.0.0.1", "localhost") + "/static/icon.svg"
    with httpx.Client(base_url=f"{web_server.url}/api/v1", headers=bearer(TOKEN), timeout=PATIENCE / 1000) as client:
        late = {"id": "late", "text": "late", "image": elsewhere}
        assert client.post(f"/campaigns/{campaign}/items", json=late).status_code == 201
    given = []

    def read(route):
        reply = route.fetch()
        given.append(reply.text())
        route.fulfill(response=reply)

    worker.route(f"**/{campaign}/questions", read)
    worker.evaluate("document.documentElement.dataset.page = 'old'")
    for answers in range(1, 9):
        question = asked(worker)
        worker.keyboard.press("ArrowLeft")
        until(worker, lambda n=answers: len(given) >= n)
        if any(elsewhere in text for text in given):
            break
        next_question(worker, question)
    expect(worker.locator("html")).not_to_have_attribute("data-page", "old")  # it was loaded anew
    shown(worker)
    if not worker.locator("#asking img").count():
        question = asked(worker)
        worker.keyboard.press("ArrowLeft")
        next_question(worker, question)
    worker.wait_for_function("document.querySelector('#asking img').naturalWidth > 0")


def test_the_same_answer_in_two_windows_counts_once_and_both_go_on(visitor):
    organiser, _, link, worker = ada_at_work(visitor)
    other = worker.context.new_page()
    other.goto(link)
    assert shown(other) == shown(worker)
    question = asked(worker)
    for page in (worker, other):
        page.locator("#choose-left").click()
        expect(page.locator("#status")).to_have_text("Saved.")
        expect(page.locator("#progress-text")).to_have_text("1 answered")
    assert next_question(worker, question) == next_question(other, question)
    expect(organiser.locator("#answers")).to_have_text("1")


FIVE, APART = "5 items. The budget buys", "the farther apart the items, the more."
ORDER, MORE = (f"of all pairs in the right order{beyond}: {APART}" for beyond in ("", ", or more"))


def test_the_form_counts_items_and_what_the_budget_buys_and_brings(visitor):
    organiser, five = visitor(), "\n".join("abcde")
    sign_in(organiser)
    organiser.goto("/campaigns/new")
    for items, budget, price, words in (
        ("a", "1", "1", "1 item. The budget buys 1 answer."),
        ("a\n\nb", "3", "1", "2 items. The budget buys 3 answers, about 3.0 looks at each item."),
        ("a\nb", "0.7", "0,1", "2 items. The budget buys 7 answers, about 7.0 looks at each item."),
        ("a\nb", "1", "5", "2 items. The budget buys no answer."),
        ("a\nb", "five", "1", "2 items."),
        (five, "20", "1", f"{FIVE} 20 answers, about 8.0 looks at each item. Expect 65 to 79\u00a0% {ORDER}"),
        (five, "25", "10", f"{FIVE} 2 answers, about 0.8 looks at each item. Expect 53 to 56\u00a0% {ORDER}"),
        (five, "101", "1", f"{FIVE} 101 answers, about 40.4 looks at each item. Expect 78 to 94\u00a0% {MORE}"),
    ):
        organiser.get_by_label("Items, one per line").fill(items)
        organiser.get_by_label("Budget").fill(budget)
        organiser.get_by_label("Price of an answer").fill(price)
        expect(organiser.locator("#item-count")).to_have_text(words)
    open_all(organiser)
    organiser.get_by_label("Only the best … matter").fill("2")  # it is not about all pairs
    expect(organiser.locator("#item-count")).to_have_text(f"{FIVE} 101 answers, about 40.4 looks at each item.")


def test_an_end_time_is_told_where_the_organiser_is_and_an_end_by_hand_is_for_good(visitor):
    """The form takes UTC: an hour too late is noticed before the prizes are given, and no lunch break ends it all."""
    organiser = visitor(timezone_id="Asia/Tokyo", locale="ja-JP")
    sign_in(organiser)
    organiser.goto("/campaigns/new")
    open_all(organiser)
    organiser.get_by_label("End time (UTC)").fill("2099-05-01T18:00")
    expect(organiser.locator("#ends_at_hint")).to_have_text("In your time zone: Sat, 2 May 2099, 03:00 GMT+9.")
    campaign = create(organiser, ends_at="2099-05-01T18:00")
    organiser.goto(f"/campaigns/{campaign}")
    expect(organiser.locator("#ends-at")).to_have_text("Sat, 2 May 2099, 03:00 GMT+9")
    organiser.get_by_role("button", name="End…").click()
    expect(organiser.locator("#dialog-body")).to_contain_text("cannot be resumed: for a break, pause it instead")
    organiser.goto(f"/campaigns/{campaign}/report")
    expect(organiser.get_by_text("running, until 2099-05-01 18:00 UTC")).to_be_visible()


def test_the_end_time_is_changed_where_the_organiser_is(visitor):
    organiser = visitor(PHONE, timezone_id="Asia/Tokyo", locale="ja-JP")
    sign_in(organiser)
    campaign = create(organiser)
    organiser.goto(f"/campaigns/{campaign}")
    row, shown = organiser.locator("#ends-at-row"), organiser.locator("#ends-at")
    expect(row).to_be_hidden()
    for written, told in (("2099-05-02T03:00", "Sat, 2 May 2099, 03:00 GMT+9"), ("2099-05-02T03:30", "03:30")):
        organiser.get_by_role("button", name="End time…").click()
        field = organiser.get_by_label("End time, where you are")
        expect(field).to_have_accessible_description(re.compile("Asia/Tokyo.* ends for good"))
        accessible(organiser)
        field.fill(written)
        organiser.get_by_role("button", name="Change", exact=True).click()
        expect(organiser.locator("#dialog-title")).to_have_text("The end time has changed")
        organiser.get_by_role("button", name="Close").click()
        expect(shown).to_contain_text(told)
    organiser.goto(f"/campaigns/{campaign}/report")
    expect(organiser.get_by_text("running, until 2099-05-01 18:30 UTC")).to_be_visible()
    organiser.go_back()
    organiser.get_by_role("button", name="End time…").click()
    expect(field).to_have_value("2099-05-02T03:30")
    field.fill("")
    organiser.get_by_role("button", name="Change", exact=True).click()
    expect(row).to_be_hidden()
    assert fits(organiser)


def test_a_typo_is_mended_while_workers_answer(visitor):
    organiser, _, link = campaign_of_ada(visitor, items="Alpah, table 1\nBeta, table 2")
    worker = visitor(PHONE)
    worker.goto(link)
    expect(worker.get_by_text("Alpah, table 1")).to_be_visible()
    change = organiser.get_by_role("button", name="Change", exact=True)

    def begin():
        organiser.get_by_role("button", name="Change item…").click()
        accessible(organiser)
        return organiser.get_by_label("What it says")

    field = begin()
    organiser.get_by_label("Item", exact=True).select_option("Beta, table 2")
    expect(field).to_have_value("Beta, table 2")
    organiser.get_by_label("Item", exact=True).select_option("Alpah, table 1")
    field.fill(" ")
    change.click()
    expect(organiser.locator("#dialog-body")).to_contain_text("no text and no image")
    organiser.get_by_role("button", name="Close").click()
    field = begin()
    expect(field).to_have_value(" ")  # what was written is still there
    organiser.get_by_role("button", name="Cancel").click()
    field = begin()
    expect(field).to_have_value("Alpah, table 1")  # and nobody wants it
    for kind, has in (("image", True), ("text", False), ("markdown", True)):
        organiser.get_by_label("It is").select_option(kind)
        expect(organiser.get_by_label("Address of the picture")).to_be_visible(visible=has)
    field.fill("**Alpha**, table <script>9</script>")
    assert fits(organiser)
    change.click()
    expect(organiser.locator("#dialog-title")).to_have_text("The item is changed")
    organiser.get_by_role("button", name="Close").click()
    expect(organiser.locator("#ranking")).to_contain_text("Alpha")
    assert begin().input_value() == "**Alpha**, table <script>9</script>"
    worker.reload()
    expect(worker.locator("strong", has_text="Alpha")).to_be_visible()


def test_what_joins_late_is_offered_as_what_most_items_are(visitor):
    """Among Markdown, a late project pasted as plain text showed its marks."""
    organiser, _, _ = campaign_of_ada(visitor, items="**A** one\n**B** two", kind="markdown")
    organiser.get_by_role("button", name="Add item…").click()
    expect(organiser.get_by_label("It is")).to_have_value("markdown")
    organiser.get_by_label("One more item").fill("**C** three")
    organiser.locator("#dialog-ok").click()
    expect(organiser.locator("#dialog-title")).to_have_text("The item is added")
    expect(organiser.locator("#ranking tr").last).to_have_text(re.compile("C three"))


TWO_CLICKS = "button => { button.click(); setTimeout(() => button.click(), 250); }"


def test_a_slow_double_click_makes_one_campaign_and_one_set_of_links(visitor):
    """Links are shown once: those of the first click would be lost to the page of the second. The wifi is slow."""
    organiser = visitor()
    sign_in(organiser)
    sent = []

    def slowly(route):
        sent.append(route.request.url)
        organiser.wait_for_timeout(700)
        route.continue_()

    organiser.goto("/campaigns/new")
    organiser.route(re.compile("/(campaigns|invite)$"), slowly)
    organiser.route(re.compile("/static/once.js"), lambda route: (organiser.wait_for_timeout(700), route.continue_()))
    for label, text in {"Name of the campaign": "Clicked twice", "Items, one per line": "a\nb"}.items():
        organiser.get_by_label(label).fill(text)
    organiser.get_by_role("button", name="Create the campaign").evaluate(TWO_CLICKS)
    expect(organiser.get_by_role("heading", name="Invite workers")).to_be_visible()
    organiser.get_by_label("Names, one per line").fill("Ada\nBob")
    organiser.get_by_role("button", name="Make personal links").evaluate(TWO_CLICKS)
    expect(organiser.locator("[aria-labelledby=fresh] code")).to_have_count(2)
    assert [url.rsplit("/", 1)[1] for url in sent] == ["campaigns", "invite"]


def test_a_reload_shows_new_links_again_and_makes_no_other_link_or_token(visitor):
    """It sends the form again. Names give the same links; a link that was just sent must not be void by a reload."""
    organiser = visitor()
    organiser.route("**/copy.js*", lambda route: route.abort())  # scripts that come late must not matter
    sign_in(organiser)
    create(organiser)
    links = personal_links(organiser, "Ada", "Bob")
    fresh = organiser.locator("[aria-labelledby=fresh] code")
    organiser.reload()
    assert fresh.all_inner_texts() == links
    organiser.get_by_role("button", name="New link for Ada").click()
    expect(fresh).to_have_count(1)
    again = fresh.inner_text()
    organiser.reload()
    expect(fresh).to_have_count(0)
    worker = visitor()
    worker.goto(again)
    shown(worker)
    organiser.goto("/tokens")
    organiser.get_by_label("What is it for?").fill("reloaded")
    organiser.get_by_role("button", name="Make a token").click()
    expect(fresh).to_have_count(1)
    organiser.reload()
    expect(organiser.get_by_role("button", name="Revoke reloaded")).to_have_count(1)


def test_links_are_copied_also_where_there_is_no_https(visitor):
    """A phone's hotspot or a hall's wifi: browsers give pages of http no clipboard."""
    organiser = visitor()
    organiser.add_init_script("Object.defineProperty(navigator, 'clipboard', { value: undefined })")
    sign_in(organiser)
    create(organiser)
    organiser.clock.install()
    links = personal_links(organiser, "Ada", "Bob")
    stop_the_clock(organiser)
    names = organiser.get_by_label("Names, one per line")
    for button, text in (("Copy the link of Bob", links[1]), ("Copy all", f"Ada\t{links[0]}\nBob\t{links[1]}\n")):
        organiser.get_by_role("button", name=button).click()
        expect(organiser.get_by_role("button", name="Copied")).to_be_focused()
        names.fill("")
        names.press("Control+v")
        expect(names).to_have_value(text)
        organiser.clock.run_for(2000)
        expect(organiser.get_by_role("button", name="Copied")).to_have_count(0)


def test_on_a_phone_the_mark_of_what_can_be_opened_stays_in_its_card(visitor):
    """It stands before the words, 19 pixels wide."""
    organiser, campaign, _ = campaign_of_ada(visitor)
    organiser.set_viewport_size({"width": 360, "height": 740})
    for path in ("/campaigns/new", f"/campaigns/{campaign}"):
        organiser.goto(path)
        left = "mark => mark.getBoundingClientRect().left - mark.closest('.card').getBoundingClientRect().left"
        rooms = [mark.evaluate(left) for mark in organiser.locator("summary").all()]
        assert rooms
        assert min(rooms) > 19
        assert fits(organiser)
