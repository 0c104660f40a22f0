"""A worker's page with nothing to ask: it looks again, politely, offers what comes later and keeps the code it gave."""

from __future__ import annotations

import httpx
import pytest
from browsing import AWAY, accessible, campaign_of_ada, shown
from harness import TOKEN, bearer
from playwright.sync_api import expect

LONG_MS = 400_000  # longer than from one look to the next, and than the page waits for an answer of the server
HEARD = """window.heard = []; const { json } = Response.prototype;
Response.prototype.json = async function () { const it = await json.call(this); heard.push(this.url); return it; }"""


@pytest.fixture
def organise(web_server):
    with httpx.Client(base_url=f"{web_server.url}/api/v1", headers=bearer(TOKEN), timeout=60) as client:

        def send(method, path, **body):
            response = client.request(method, path, json=body or None)
            assert response.is_success, response.text
            return response.json()

        yield send


@pytest.fixture
def unseen(visitor):
    """Open a worker's page in a tab behind others, with a clock of its own."""

    def open_page(link):
        worker = visitor()
        worker.clock.install()
        worker.add_init_script(f"({AWAY})(true); {HEARD}")
        worker.goto(link)
        return worker

    return open_page


@pytest.fixture
def thanked(visitor, unseen):
    """A worker who was thanked after one answer and looks elsewhere, and what their page asks for from then on."""

    def work(**fields):
        _, campaign, link = campaign_of_ada(visitor, **{"items": "tea\ncoffee", "completion_code": "C0DE", **fields})
        worker = unseen(link)
        shown(worker)
        worker.locator("#choose-left").click()
        expect(worker.locator("#done-text")).to_have_text("You answered 1 question. That was everything.")
        sent = []
        worker.on("request", lambda request: sent.append(request.method))
        return worker, campaign, sent

    return work


def test_who_was_thanked_is_offered_what_comes_later_and_keeps_the_code(thanked, organise):
    worker, campaign, sent = thanked()
    code, go_on = worker.locator("#completion-code"), worker.get_by_role("button", name="Go on")
    organise("POST", f"/campaigns/{campaign}/items", id="water", text="water")
    worker.clock.fast_forward(LONG_MS)  # nobody sees the page, and it does not look
    assert sent == []
    worker.evaluate(AWAY, False)
    expect(go_on).to_be_visible()
    expect(worker.locator("#done-text")).to_have_text(
        "You answered 1 question. There is more to answer now, if you like."
    )
    expect(code).to_have_text("C0DE")
    accessible(worker)
    assert set(sent) == {"GET"}
    out = organise("GET", f"/campaigns/{campaign}/dashboard")["in_flight"]
    assert out == []  # nothing is held for who may be gone
    go_on.click()
    for answers in (2, 3):
        shown(worker)
        expect(code).to_be_visible()
        worker.locator("#choose-left").click()
        expect(worker.locator("#progress-text")).to_have_text(f"{answers} answered")
    expect(worker.locator("#done-text")).to_have_text("You answered 3 questions. That was everything.")
    expect(worker.locator("#done #completion-code")).to_have_text("C0DE")
    expect(go_on).to_be_hidden()


def test_the_code_is_there_after_a_reload_though_the_budget_was_raised(thanked, organise):
    worker, campaign, _ = thanked(budget="1", items="tea\ncoffee\nwater")
    organise("PATCH", f"/campaigns/{campaign}", budget=9)
    worker.reload()
    shown(worker)
    expect(worker.locator("#completion-code")).to_have_text("C0DE")
    expect(worker.locator("#completion-code")).to_be_visible()
    accessible(worker)
    worker.get_by_role("button", name="Skip").click()
    expect(worker.locator("#status")).to_have_text("Saved.")  # nobody is told to work for what they have
    shown(worker)
    worker.get_by_role("button", name="Skip").click()
    expect(worker.locator("#done-text")).to_have_text("You answered 1 question. That was everything.")
    expect(worker.locator("#done #completion-code")).to_have_text("C0DE")


def test_an_answer_that_the_organiser_undid_is_offered_though_the_budget_is_used_up(thanked, organise):
    worker, campaign, _ = thanked(budget="1")
    (answer,) = organise("GET", f"/campaigns/{campaign}/comparisons")
    organise("POST", f"/questions/{answer['question']}/undo")
    worker.clock.fast_forward(LONG_MS)
    worker.evaluate(AWAY, False)
    worker.get_by_role("button", name="Go on").click()
    shown(worker)
    expect(worker.locator("#asking")).to_have_attribute("data-question", answer["question"])


@pytest.mark.parametrize(("what", "last"), [("end", ""), ("workers/{}/ban", "/questions")], ids=["ended", "banned"])
def test_the_page_looks_no_more_when_it_is_over_and_keeps_its_thanks(thanked, organise, what, last):
    worker, campaign, sent = thanked()
    (ada,) = organise("GET", f"/campaigns/{campaign}/workers")
    organise("POST", f"/campaigns/{campaign}/{what.format(ada['id'])}")
    worker.clock.fast_forward(LONG_MS)
    before = worker.evaluate("heard.length")
    worker.evaluate(AWAY, False)
    # the page must know before its clock goes on, or it has waited too long for the server and looks again
    worker.wait_for_function(
        "([before, last]) => heard.slice(before).some((url) => url.endsWith(last))", arg=[before, f"/{campaign}{last}"]
    )
    looks = len(sent)
    for _ in range(3):
        worker.clock.fast_forward(LONG_MS)
    expect(worker.locator("#completion-code")).to_have_text("C0DE")
    assert len(sent) == looks


def test_a_page_that_nobody_sees_takes_no_question_while_it_waits(visitor, unseen, organise):
    _, campaign, link = campaign_of_ada(visitor)
    organise("POST", f"/campaigns/{campaign}/pause")
    worker = unseen(link)
    expect(worker.locator("#waiting-title")).to_have_text("No question for you just now")
    sent = []
    worker.on("request", lambda request: sent.append(request.method))
    organise("POST", f"/campaigns/{campaign}/resume")
    worker.clock.fast_forward(LONG_MS)
    expect(worker.locator("#waiting")).to_be_visible()
    assert sent == []
    worker.evaluate(AWAY, False)
    shown(worker)
