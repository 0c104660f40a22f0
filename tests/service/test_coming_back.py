"""Workers who come back are known from an earlier campaign, and nobody else is taken for them."""

from __future__ import annotations

import html
import re

import pytest
from harness import MINIMAL
from test_api import error_of
from test_pages import FORM
from test_security import PAGE, form_of, sign_in

from nextpair import Campaign

STRANGER = pytest.approx(0.8)  # the mean of Beta(4, 1)


@pytest.fixture
def earlier(service):
    """A campaign in which Ada, p 7 and gpt judge by size and Ben turns everything round."""
    campaign = service.campaign(budget=100)
    invitations = [{"name": "Ada"}, {"outside_id": "p 7"}, {"name": "Machine", "id": "gpt"}, {"name": "Ben"}]
    tokens = [service.post(f"/campaigns/{campaign}/workers", who).json()["token"] for who in invitations]
    for turn in range(28):
        question = service.ask(campaign, tokens[turn % 4])
        larger = "left" if question["left"]["id"] > question["right"]["id"] else "right"
        if turn % 4 == 3:
            larger = "right" if larger == "left" else "left"
        assert service.answer(question["id"], larger, tokens[turn % 4]).status_code == 200
    return campaign


def known(service, campaign):
    """What a campaign believes of its workers, by name."""
    rows = service.get(f"/campaigns/{campaign}/workers").json()
    return {row["name"]: row["reliability"] for row in rows}


def test_who_comes_back_is_known(service, earlier):
    before = known(service, earlier)
    assert before["Ben"] < 0.6 < before["Ada"]
    later = service.campaign(workers_from=earlier)
    assert service.get(f"/campaigns/{later}").json()["workers_from"] == earlier
    for who in ({"name": " ada "}, {"outside_id": "p 7"}, {"name": "Other", "id": "gpt"}, {"name": "Ben"}):
        assert service.post(f"/campaigns/{later}/workers", who).status_code == 201
    service.worker(later, "Cy")
    now = known(service, later)
    close = {name: pytest.approx(before[name], abs=0.01) for name in ("p 7", "Ben")}
    assert now == {" ada ": pytest.approx(before["Ada"], abs=0.01), **close, "Other": now["Other"], "Cy": STRANGER}
    assert now["Other"] == pytest.approx(before["Machine"], abs=0.01)
    rows = service.get(f"/campaigns/{later}/workers").json()
    assert {row["name"] for row in rows if not row["known"]} == {"Cy"}
    sign_in(service)
    report = service.client.get(f"/campaigns/{later}/report", headers=PAGE).text
    assert report.count("known beforehand") == 4


def test_who_never_answered_is_a_stranger(service, earlier):
    service.post(f"/campaigns/{earlier}/workers", {"name": "Silent", "id": "silent"})
    later = service.campaign(workers_from=earlier)
    for who in ({"name": "Silent"}, {"name": "Again", "id": "silent"}, {"name": "Ada"}):
        assert service.post(f"/campaigns/{later}/workers", who).status_code == 201
    rows = service.get(f"/campaigns/{later}/workers").json()
    assert {row["name"]: row["known"] for row in rows} == {"Silent": False, "Again": False, "Ada": True}


def join(service, campaign, **fields):
    """Take part by the open link, as a browser does."""
    path = service.get(f"/campaigns/{campaign}").json()["join_url"].removeprefix("http://testserver")
    service.client.cookies.clear()
    data = {"csrf": form_of(service, path), **fields}
    assert service.client.post(path, data=data, headers=PAGE).status_code == 303
    service.client.cookies.clear()


def test_nobody_is_taken_for_whose_name_they_type(service, earlier):
    later = service.campaign(workers_from=earlier)
    join(service, later, name="Ada")
    join(service, later, name="Ben", outside_id="p 8")
    assert known(service, later) == {"Ada": STRANGER, "Ben": STRANGER}


def test_the_id_of_a_platform_is_the_same_person(service, earlier):
    later = service.campaign(workers_from=earlier)
    join(service, later, name="Whoever", outside_id="p 7")
    assert known(service, later) == {"Whoever": pytest.approx(known(service, earlier)["p 7"], abs=0.01)}


def test_a_banned_worker_is_a_stranger_and_so_are_two_of_one_name(service, earlier):
    rows = {row["name"]: row["id"] for row in service.get(f"/campaigns/{earlier}/workers").json()}
    service.post(f"/campaigns/{earlier}/workers/{rows['Ben']}/ban")
    join(service, earlier, name="ADA")
    later = service.campaign(workers_from=earlier)
    service.worker(later, "Ada")
    service.worker(later, "Ben")
    assert known(service, later) == {"Ada": STRANGER, "Ben": STRANGER}


def test_who_skipped_a_campaign_is_known_from_the_one_before(service, earlier):
    between = service.campaign(workers_from=earlier, name="Between")
    ids = {name: service.post(f"/campaigns/{between}/workers", {"name": name}).json()["id"] for name in ("Ada", "Ben")}
    service.post(f"/campaigns/{between}/workers/{ids['Ben']}/ban")
    later = service.campaign(workers_from=between)
    assert service.get(f"/campaigns/{later}").json()["workers_from"] == between
    join(service, later, name="Whoever", outside_id="p 7")
    for who in ({"name": "Ada"}, {"name": "Ben"}, {"name": "machine"}):
        assert service.post(f"/campaigns/{later}/workers", who).status_code == 201
    first, now = known(service, earlier), known(service, later)
    assert now["Whoever"] == pytest.approx(first["p 7"], abs=0.01)  # who was not there in between
    assert now["machine"] == pytest.approx(first["Machine"], abs=0.01)
    assert now["Ada"] == pytest.approx(known(service, between)["Ada"], abs=0.01)
    assert now["Ben"] == STRANGER  # banned in between: what was known of them before counts no more
    sign_in(service)
    assert offered(service, service.campaign(workers_from=between)) == ["Machine", "Ada"]
    assert offered(service, later) == [""]  # all are here, however their names were written
    delete(service, between, "Between")
    service.post(f"/campaigns/{later}/workers", {"name": "Third", "id": "gpt"})
    assert known(service, later)["Third"] == STRANGER  # the way to the first one led by the second


def offered(service, campaign):
    """The names of those who could come back, as the page to invite people has them."""
    page = service.client.get(f"/campaigns/{campaign}/invite", headers=PAGE).text
    return html.unescape(re.search(r'<textarea id="names"[^>]*>(.*?)</textarea>', page, re.S)[1]).split("\n")


def delete(service, campaign, name):
    gone = service.client.delete(f"/api/v1/campaigns/{campaign}", params={"name": name}, headers=service.organiser)
    assert gone.status_code == 204, gone.text


def test_an_earlier_campaign_that_is_not_there_is_refused_and_one_that_is_deleted_is_forgotten(service, earlier):
    there = len(service.get("/campaigns").json())
    refused = error_of(service.post("/campaigns", MINIMAL | {"workers_from": "c404"}), 422)
    assert "no campaign 'c404' from which workers could be known" in refused["message"]
    assert len(service.get("/campaigns").json()) == there
    later = service.campaign(workers_from=earlier)
    delete(service, earlier, MINIMAL["name"])
    service.worker(later, "Ada")
    assert known(service, later) == {"Ada": STRANGER}


def test_the_form_offers_earlier_campaigns_and_the_page_the_names(service, earlier):
    sign_in(service)
    page = service.client.get("/campaigns/new?key=k", headers=PAGE).text
    assert f'<option value="{earlier}">Animals ({earlier})</option>' in page
    data = FORM | {"csrf": form_of(service, "/campaigns/new"), "workers_from": earlier}
    response = service.client.post("/campaigns", data=data, files={"items_file": ("", b"")}, headers=PAGE)
    invite = response.headers["location"]
    page = service.client.get(invite, headers=PAGE).text
    later = invite.split("/")[2]
    assert offered(service, later) == ["Ada", "Machine", "Ben"]
    assert "known from an earlier campaign" in page
    key = re.search(r'name="key" value="([^"]+)"', page)[1]
    form = {"csrf": form_of(service, invite), "key": key, "names": "Ada\nCy"}
    for _ in range(2):  # a reload sends it again
        assert service.client.post(invite, data=form, headers=PAGE).status_code == 200
    assert known(service, later) == {"Ada": pytest.approx(known(service, earlier)["Ada"], abs=0.01), "Cy": STRANGER}
    assert offered(service, later) == ["Machine", "Ben"]


def test_the_first_campaign_is_offered_none(service):
    sign_in(service)
    for campaign in service.get("/campaigns").json():
        delete(service, campaign["id"], campaign["name"])
    assert "workers_from" not in service.client.get("/campaigns/new?key=k", headers=PAGE).text


def test_whom_an_earlier_campaign_knows_is_asked_of_it_once_and_not_for_every_name(service, earlier, monkeypatch):
    """To invite 300 workers after a campaign with 300 took 25 seconds."""
    later = service.campaign(workers_from=earlier)
    asked = []
    real = Campaign.reliabilities
    monkeypatch.setattr(Campaign, "reliabilities", lambda self: asked.append(1) or real(self))
    sign_in(service)
    path = f"/campaigns/{later}/invite"
    data = {"csrf": form_of(service, path), "key": "k", "names": "Ada\nBen\nCy\nDee"}
    asked.clear()
    assert service.client.post(path, data=data, headers=PAGE).status_code == 200
    assert len(asked) == 2  # for the links, and for the page that shows them
    assert {name for name, mean in known(service, later).items() if mean == STRANGER} == {"Cy", "Dee"}
