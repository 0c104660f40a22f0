"""An undo says which answer it means: one that is late takes back nothing that was answered meanwhile."""

from __future__ import annotations

import httpx
import pytest
from browsing import PATIENCE, Held, ada_at_work, asked, next_question, shown, until
from harness import bearer
from playwright.sync_api import expect
from test_api import error_of
from test_clumsy import answer_the_first, answers_of, undo_unheard


@pytest.fixture
def answered(any_service):
    """A service, and one question of a worker, answered left."""
    campaign = any_service.campaign()
    token = any_service.worker(campaign)["token"]
    question = any_service.ask(campaign, token)
    assert question["undone"] == 0
    reply = any_service.answer(question["id"], "left", token).json()
    assert (reply["choice"], reply["undone"]) == ("left", 0)
    return any_service, campaign, question["id"], token


def undo(service, question, token, **means):
    by = {} if token is None else {"token": token}
    return service.post(f"/questions/{question}/undo", means or None, **by)


def choices(service, campaign):
    events = [event for event in service.get(f"/campaigns/{campaign}/journal").text.splitlines() if '"Undone"' in event]
    return [row["choice"] for row in service.get(f"/campaigns/{campaign}/dashboard").json()["recent"]], len(events)


@pytest.mark.parametrize("whose", ["worker", "organiser"])
@pytest.mark.parametrize("anew", ["right", "left"])
def test_an_undo_that_comes_late_leaves_the_new_answer_in_every_process(answered, open_service, whose, anew):
    service, campaign, question, token = answered
    by, means = token if whose == "worker" else None, {"choice": "left", "undone": 0}
    other = open_service(database=service.settings.database)
    for place in (service, other, service):  # the second time nothing changes
        assert undo(place, question, by, **means).status_code == 200
        assert choices(service, campaign) == ([], 1)
    reply = other.answer(question, anew, token).json()
    assert (reply["choice"], reply["undone"]) == (anew, 1)
    for place in (service, other):
        refused = error_of(undo(place, question, by, **means), 409)
        assert refused["code"] == "other_answer"
        assert f"('left', after 0 undone before it): '{anew}', after 1" in refused["message"]
        assert choices(place, campaign) == ([anew], 1)
    assert undo(service, question, by, choice=anew, undone=1).status_code == 200
    assert choices(other, campaign) == ([], 2)


@pytest.mark.parametrize("whose", ["worker", "organiser"])
@pytest.mark.parametrize(
    ("means", "status"),
    [
        ({}, 200),
        ({"choice": "left"}, 200),
        ({"undone": 0}, 200),
        ({"choice": None, "undone": None}, 200),
        ({"choice": "right", "undone": 0}, 409),  # another window was faster, and said something else
        ({"choice": "much-left"}, 409),
        ({"undone": 1}, 409),
        ({"undone": -1}, 422),
        ({"choice": "skip"}, 422),
    ],
)
def test_an_undo_means_what_it_says_and_without_that_any_answer(answered, whose, means, status):
    service, campaign, question, token = answered
    reply = undo(service, question, token if whose == "worker" else None, **means)
    assert reply.status_code == status, reply.text
    assert choices(service, campaign) == (([], 1) if status == 200 else (["left"], 0))


def test_an_empty_body_is_an_undo_of_whatever_is_there(answered):
    service, _, question, token = answered
    reply = service.client.post(f"/api/v1/questions/{question}/undo", json={}, headers=bearer(token))
    assert (reply.json()["status"], reply.json()["undone"]) == ("open", 1)


def test_what_was_undone_and_skipped_since_is_not_undone(answered):
    service, _, question, token = answered
    undo(service, question, token)
    service.answer(question, "skip", token)
    assert "skipped" in error_of(undo(service, question, token, choice="left", undone=0), 409)["message"]
    assert "skipped" in error_of(undo(service, question, None, choice="left", undone=0), 409)["message"]


def test_how_often_a_question_was_undone_is_known_after_a_restart(answered, open_service):
    service, campaign, question, token = answered
    undo(service, question, token)
    again = open_service(database=service.settings.database)
    (held,) = again.get(f"/campaigns/{campaign}/questions", token).json()
    assert (held["id"], held["undone"]) == (question, 1)
    again.answer(question, "tie", token)
    last = again.get(f"/campaigns/{campaign}", token).json()["last"]
    assert (last["id"], last["choice"], last["undone"]) == (question, "tie", 1)


# pages


def elsewhere(link):
    """The same worker on another device."""
    address, _, token = link.partition("/w/")
    return httpx.Client(base_url=f"{address}/api/v1", headers=bearer(token), timeout=PATIENCE / 1000)


def answer_anew(link, question, choice):
    with elsewhere(link) as device:
        device.post(f"/questions/{question}/undo").raise_for_status()
        device.post(f"/questions/{question}/answer", json={"choice": choice}).raise_for_status()


@pytest.mark.parametrize("reloaded", [False, True])
def test_an_undo_on_its_way_does_not_take_back_what_was_answered_meanwhile(visitor, reloaded):
    organiser, campaign, link, worker = ada_at_work(visitor)
    pair, first, second = answer_the_first(worker)
    if reloaded:  # the page is told which answer was the last
        worker.reload()
        shown(worker)
    on_its_way = Held(worker, "**/undo")
    worker.locator("#undo").click()
    assert next_question(worker, second) == first
    on_its_way.arrived()
    answer_anew(link, first, "right")
    on_its_way.let_go()
    expect(worker.locator("#status")).to_contain_text("That question has another answer by now")
    expect(worker.locator("#asking")).to_have_attribute("data-question", second)  # and is asked no more
    assert answers_of(organiser, campaign) == [(first, pair[1])]


def test_an_undo_that_was_kept_over_a_reload_still_says_which_answer_it_means(visitor):
    organiser, campaign, link, worker = ada_at_work(visitor)
    pair, first, second = answer_the_first(worker)
    worker.context.route("**/undo", lambda route: route.abort())
    undo_unheard(worker, first, second)
    answer_anew(link, first, "left")  # the same again
    worker.context.unroute("**/undo")
    worker.goto(link)
    shown(worker)
    expect(worker.locator("#asking")).to_have_attribute("data-question", second)
    expect(worker.locator("#progress-text")).to_have_text("1 answered")
    assert answers_of(organiser, campaign) == [(first, pair[0])]
    assert worker.evaluate("localStorage.length") == 0


def test_a_new_answer_can_be_undone_as_often_as_the_first(visitor):
    organiser, campaign, _, worker = ada_at_work(visitor)
    pair, first, second = answer_the_first(worker)
    for button in ("#choose-right", "#choose-left", "#choose-right"):
        worker.locator("#undo").click()
        assert next_question(worker, second) == first
        expect(worker.locator("#progress-text")).to_have_text("0 answered")
        worker.locator(button).click()
        assert next_question(worker, first) == second
        expect(worker.locator("#progress-text")).to_have_text("1 answered")
    assert answers_of(organiser, campaign) == [(first, pair[1])]


def test_an_answer_given_here_after_one_elsewhere_was_undone_can_be_undone(visitor):
    """The page was given the question before that."""
    organiser, campaign, link, worker = ada_at_work(visitor)
    first = asked(worker)
    with elsewhere(link) as device:
        device.post(f"/questions/{first}/answer", json={"choice": "right"}).raise_for_status()
        device.post(f"/questions/{first}/undo").raise_for_status()
    _, first, second = answer_the_first(worker)
    worker.locator("#undo").click()
    assert next_question(worker, second) == first
    expect(worker.locator("#progress-text")).to_have_text("0 answered")
    assert answers_of(organiser, campaign) == []


def test_the_organiser_undoes_the_answer_that_they_saw(visitor):
    organiser, campaign, link, worker = ada_at_work(visitor)
    pair, first, _ = answer_the_first(worker)
    organiser.locator("#recent button").click()
    expect(organiser.locator("#dialog-title")).to_have_text("Undo this answer?")
    answer_anew(link, first, "right")
    organiser.locator("#dialog-ok").click()
    expect(organiser.locator("#dialog-title")).to_have_text("That did not work")
    expect(organiser.locator("#dialog-body")).to_contain_text("has another answer by now")
    until(organiser, lambda: answers_of(organiser, campaign) == [(first, pair[1])])
