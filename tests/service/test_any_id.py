"""Items and workers are called as their organiser likes: a browser shortens some of these in an address."""

from __future__ import annotations

import httpx
import pytest
from browsing import campaign_of_ada
from harness import ITEMS, TOKEN, bearer
from playwright.sync_api import expect
from test_api import error_of

IDS = [".", "..", "a/..", "ban", "token", "?id=x", "%2e", "a b\nc", "#", "💡"]


@pytest.mark.parametrize("name", IDS)
def test_an_item_of_any_id_is_removed(service, name):
    path = f"/campaigns/{service.campaign(items=[*ITEMS, {'id': name, 'text': 'odd'}])}"
    asked = service.client.delete(f"/api/v1{path}/items", params={"id": name}, headers=service.organiser)
    assert asked.status_code == 200, asked.text
    assert name.strip() not in [row["item"] for row in service.get(f"{path}/ranking").json()]
    unknown = service.client.delete(f"/api/v1{path}/items", params={"id": "none"}, headers=service.organiser)
    error_of(unknown, 404)


@pytest.mark.parametrize("name", IDS)
def test_a_worker_of_any_id_is_banned_and_given_a_new_link(service, name):
    before = [{"winner": "cow", "loser": "ant", "worker": name}]
    path = f"/campaigns/{service.campaign(comparisons=before)}"
    if name in (".", ".."):
        token = service.post(f"{path}/workers", {"id": name}).json()["token"]
        new = service.post(f"{path}/workers/token", params={"id": name})
        assert (new.status_code, new.json()["id"]) == (201, name)
        assert service.get(path, token=token).status_code == 401
        gone = service.client.delete(f"/api/v1{path}/workers/token", params={"id": name}, headers=service.organiser)
        assert gone.status_code == 204
        assert service.get(path, token=new.json()["token"]).status_code == 401
    assert service.post(f"{path}/workers/ban", params={"id": name}).status_code == 200
    (row,) = service.get(f"{path}/workers").json()
    assert (row["id"], row["status"]) == (name, "banned")


def test_the_dashboard_removes_and_bans_whatever_they_are_called(visitor, web_server):
    organiser, campaign, _ = campaign_of_ada(visitor, "..\n.\ntea\ncoffee")
    with httpx.Client(base_url=f"{web_server.url}/api/v1", headers=bearer(TOKEN)) as client:
        client.post(f"/campaigns/{campaign}/workers", json={"id": "..", "name": "Dot"}).raise_for_status()
    organiser.reload()
    for name in ("..", "."):
        organiser.get_by_role("button", name="Remove item…").click()
        organiser.locator("#old-item").select_option(name)
        organiser.locator("#dialog-ok").click()
        expect(organiser.locator("#dialog-title")).to_have_text(f"{name} is removed")
        organiser.get_by_role("button", name="Close").click()
    organiser.get_by_role("button", name="Ban Dot").click()
    organiser.locator("#dialog-ok").click()
    expect(organiser.locator("#dialog-title")).to_have_text("Dot is banned")
