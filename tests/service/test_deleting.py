"""A campaign is deleted with all that belongs to it, on every database and in every process, and nothing else is."""

from __future__ import annotations

import re
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from browsing import accessible, ada_at_work, campaign_of_ada, fits, send, shown
from harness import ITEMS
from playwright.sync_api import expect
from sqlalchemy import func, insert, select, text
from test_api import error_of
from test_security import PAGE, PNG, form_of, sign_in

from nextpair.service.api import stream
from nextpair.service.errors import ServiceError
from nextpair.store import schema as db


def rows(service, table, campaign):
    column = table.c.id if table is db.campaigns else table.c.campaign
    with service.client.app.state.desk.records.engine.connect() as connection:
        return connection.scalar(select(func.count()).select_from(table).where(column == campaign))


def media(service):
    return service.client.post("/api/v1/media", files={"file": ("a.png", PNG)}, headers=service.organiser).json()[
        "image"
    ]


def delete(service, campaign, name="Animals"):
    path = f"/api/v1/campaigns/{campaign}"
    return service.client.delete(path, params={"name": name}, headers=service.organiser)


def test_a_campaign_that_is_deleted_while_they_are_listed_takes_none_along(service):
    """The first look at many long campaigns takes seconds: one that went meanwhile left the page without any."""
    goes, stays = service.campaign(), service.campaign()
    desk = service.client.app.state.desk
    live, _ = service.client.portal.call(desk.live, stays)
    with ThreadPoolExecutor(1) as organiser:
        service.client.portal.call(live.lock.acquire)
        listing = organiser.submit(service.get, "/campaigns")
        while not live.lock._waiters:  # it has read which there are, the newest first
            time.sleep(0.01)
        assert delete(service, goes).status_code == 204
        service.client.portal.call(live.lock.release)
        assert listing.result().status_code == 200, listing.result().text
    listed = [campaign["id"] for campaign in listing.result().json()]
    assert stays in listed
    assert goes not in listed


def test_a_question_whose_campaign_is_deleted_before_it_is_shown_is_not_there(service):
    campaign = service.campaign()
    worker = service.worker(campaign)
    desk, portal = service.client.app.state.desk, service.client.portal
    question = portal.call(desk.run, campaign, lambda live: live.given(live.ask(worker["id"], time.time())))
    assert delete(service, campaign).status_code == 204
    with pytest.raises(ServiceError) as refused:
        portal.call(desk.show_question, campaign, question)
    assert refused.value.status == 404


TABLES = (db.campaigns, db.items, db.workers, db.tokens, db.journal)


def test_all_that_belongs_to_a_campaign_is_gone_and_nothing_else(any_service):
    own, shared = media(any_service), media(any_service)
    pictures = [{"id": "own", "image": own}, {"id": "shared", "image": shared}]
    gone = any_service.campaign(items=[*ITEMS, *pictures])
    stays = any_service.campaign(items=[*ITEMS, pictures[1]])
    tokens = {}
    for campaign in (gone, stays):
        tokens[campaign] = any_service.worker(campaign)["token"]
        question = any_service.ask(campaign, tokens[campaign])["id"]
        any_service.answer(question, "left", tokens[campaign])
    before = [rows(any_service, table, stays) for table in TABLES]
    join = any_service.get(f"/campaigns/{gone}").json()["join_url"]
    assert delete(any_service, gone).status_code == 204
    assert [rows(any_service, table, gone) for table in TABLES] == [0] * 5
    assert [rows(any_service, table, stays) for table in TABLES] == before
    assert [any_service.client.get(f"/{image}").status_code for image in (own, shared)] == [404, 200]
    # no link and no address leads there any more
    error_of(any_service.post(f"/campaigns/{gone}/questions", token=tokens[gone]), 401)
    error_of(any_service.client.get(join), 404)
    for path in ("", "/ranking", "/dashboard", "/journal"):
        error_of(any_service.get(f"/campaigns/{gone}{path}"), 404)
    error_of(delete(any_service, gone), 404)
    assert gone not in [campaign["id"] for campaign in any_service.get("/campaigns").json()]
    assert any_service.ask(stays, tokens[stays]) is not None


def test_another_process_that_knows_the_campaign_does_not_bring_it_back(service, open_service):
    campaign = service.campaign()
    token = service.worker(campaign)["token"]
    other = open_service(database=service.settings.database)
    question = other.ask(campaign, token)["id"]
    other.get(f"/campaigns/{campaign}/dashboard")
    delete(service, campaign)
    error_of(other.answer(question, "left", token), 401)
    error_of(other.post(f"/questions/{question}/undo"), 404)
    for path in ("pause", "workers", "items"):
        error_of(other.post(f"/campaigns/{campaign}/{path}", {"text": "a"} if path == "items" else None), 404)
    assert [rows(service, table, campaign) for table in TABLES] == [0] * 5
    desk = other.client.app.state.desk
    assert campaign not in {*desk._lives, *desk._items, *(known for known, _ in desk._met)}  # nor in its memory


def test_what_another_process_is_writing_goes_too(open_service, postgres_url):
    """The deletion waits for it. On SQLite only one of them writes at a time anyway."""
    service = open_service(database=postgres_url)
    campaign, engine = service.campaign(), service.client.app.state.desk.records.engine
    waiting = text("SELECT count(*) FROM pg_locks WHERE NOT granted")
    with ThreadPoolExecutor(1) as other, engine.begin() as writer, engine.connect() as watch:
        writer.execute(insert(db.journal).values(campaign=campaign, seq=1, at=0.0, event='{"event":"Paused"}'))
        deletion = other.submit(delete, service, campaign)
        while not deletion.done() and not watch.scalar(waiting):
            time.sleep(0.01)
    assert deletion.result().status_code == 204
    assert [rows(service, table, campaign) for table in TABLES] == [0] * 5


@pytest.mark.parametrize("name", ["", "animals", "Animals and more"])
def test_whoever_deletes_gives_the_name(service, name):
    campaign = service.campaign()
    error = error_of(delete(service, campaign, name), 422)
    assert (error["code"], "'Animals'" in error["message"]) == ("wrong_name", True)
    error_of(service.client.delete(f"/api/v1/campaigns/{campaign}", headers=service.organiser), 422)
    assert rows(service, db.journal, campaign) == 1


def test_a_form_from_elsewhere_and_a_worker_delete_nothing(service):
    campaign = service.campaign()
    token = service.worker(campaign)["token"]
    path = f"/api/v1/campaigns/{campaign}?name=Animals"
    error_of(service.client.delete(path, headers={"Authorization": f"Bearer {token}"}), 403)
    sign_in(service)
    error_of(service.client.delete(path), 403)
    for data in ({"name": "Animals"}, {"name": "Animals", "csrf": "guessed"}):
        assert service.client.post(f"/campaigns/{campaign}/delete", data=data, headers=PAGE).status_code == 403
    assert service.get(f"/campaigns/{campaign}").status_code == 200
    csrf = form_of(service, f"/campaigns/{campaign}")
    done = service.client.post(f"/campaigns/{campaign}/delete", data={"name": " Animals ", "csrf": csrf}, headers=PAGE)
    assert (done.status_code, done.headers["location"]) == (303, "/")
    error_of(service.get(f"/campaigns/{campaign}"), 404)


def test_a_stream_ends_with_its_campaign(service, monkeypatch):
    monkeypatch.setattr(stream, "CHECK_SECONDS", 0.0)
    campaign = service.campaign()
    real = stream.is_organiser

    async def meanwhile(request):
        await request.app.state.desk.delete(campaign, "Animals")
        return await real(request)

    monkeypatch.setattr(stream, "is_organiser", meanwhile)
    assert "state" in service.get(f"/campaigns/{campaign}/events").text  # would not come back otherwise


def test_the_organiser_deletes_a_campaign_and_the_worker_is_told(visitor):
    organiser, _, link, worker = ada_at_work(visitor)
    name, typed = "Cities", organiser.get_by_label("Type its name")
    organiser.get_by_text("Delete the campaign").click()
    accessible(organiser)
    typed.fill("Towns")
    organiser.get_by_role("button", name="Delete for good").click()
    expect(organiser.get_by_role("alert")).to_contain_text("'Towns' is not the name")
    assert fits(organiser)
    before = organiser.locator("#dashboard").get_attribute("data-campaign")
    typed.fill(name)
    organiser.get_by_role("button", name="Delete for good").click()
    expect(organiser).to_have_url(re.compile("/$"))
    expect(organiser.locator(f"a[href='/campaigns/{before}']")).to_have_count(0)
    shown(worker)
    worker.locator("#choose-left").click()
    expect(worker.locator("#waiting-title")).to_have_text("This link no longer works")
    worker.goto(link)
    expect(worker.get_by_text("This link does not work (any more)")).to_be_visible()


def test_a_dashboard_that_is_open_elsewhere_says_that_the_campaign_was_deleted(visitor):
    organiser, campaign, _ = campaign_of_ada(visitor)
    other = organiser.context.new_page()
    other.clock.install()
    other.goto(f"/campaigns/{campaign}")
    expect(other.locator("#live")).to_have_text("live")
    send(organiser, f"/campaigns/{campaign}", to=f"/campaigns/{campaign}/delete", name="Cities")
    expect(other.locator("#live")).to_contain_text("This campaign was deleted")
    expect(other.locator("#pause")).to_be_disabled()
    expect(other.get_by_role("button", name="Ban Ada")).to_be_disabled()
    asked_for = []
    other.on("request", lambda request: asked_for.append(request.url))
    other.clock.fast_forward(60_000)
    other.wait_for_timeout(300)
    assert asked_for == []  # there is nothing to try again
    expect(other.locator("#live")).to_contain_text("This campaign was deleted")
