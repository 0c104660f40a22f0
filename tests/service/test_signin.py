"""Where signing in leads to: the page that was asked for, and never to another server."""

from __future__ import annotations

import re

import pytest
from browsing import campaign_of_ada
from harness import TOKEN
from playwright.sync_api import expect
from test_security import form_of

PAGE = {"Accept": "text/html"}
ELSEWHERE = [
    "//evil.example/campaigns/c1",
    "https://evil.example/campaigns/c1",
    "/\\evil.example",
    "\\\\evil.example",
    "/\t/evil.example",
    "javascript:alert(1)",
    "/w/somebodys-link",
    "/signout",
    "/api/v1/campaigns",
    "@evil.example",
    "x" * 10_000,
    "",
]


def sent_to(service, path):
    response = service.client.get(path, headers=PAGE)
    assert response.status_code == 303, path
    return response.headers["location"]


def sign_in_at(service, address, **more):
    """Fill in the form of a page to sign in, as a browser would: with every hidden field that it has."""
    page = service.client.get(address, headers=PAGE).text
    form = dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)">', page))
    return service.client.post("/signin", data=form | {"token": TOKEN} | more, headers=PAGE)


def test_who_signs_in_lands_on_the_page_that_they_asked_for(service):
    campaign = service.campaign()
    for path in ("/tokens", "/campaigns/new", *(f"/campaigns/{campaign}{end}" for end in ("", "/invite", "/report"))):
        service.client.cookies.clear()
        address = sent_to(service, path)
        assert address == f"/signin?next={path.replace('/', '%2F')}"
        assert sign_in_at(service, address).headers["location"] == path
        assert sent_to(service, address) == path  # in another window, say
    service.client.cookies.clear()
    assert sent_to(service, "/") == "/signin"
    assert sign_in_at(service, "/signin").headers["location"] == "/"
    # a table is no page: whoever had its address lands beside it, and not on a form that seems to do nothing
    service.client.cookies.clear()
    address = sent_to(service, f"/campaigns/{campaign}/export/ranking.csv")
    assert sign_in_at(service, address).headers["location"] == f"/campaigns/{campaign}"


def test_a_wrong_token_does_not_forget_the_page(service):
    address = sent_to(service, "/tokens")
    wrong = sign_in_at(service, address, token="wrong")
    assert wrong.status_code == 401
    assert '<input type="hidden" name="next" value="/tokens">' in wrong.text


@pytest.mark.parametrize("address", ELSEWHERE)
def test_signing_in_leads_to_no_other_server_and_does_nothing_else(service, address):
    form = {"csrf": form_of(service, "/signin"), "token": TOKEN, "next": address}
    assert service.client.post("/signin", data=form, headers=PAGE).headers["location"] == "/"
    again = service.client.get("/signin", params={"next": address}, headers=PAGE)
    assert again.headers["location"] == "/"


def test_who_was_signed_out_meanwhile_comes_back_to_the_dashboard(visitor):
    organiser, campaign, _ = campaign_of_ada(visitor)
    expect(organiser.locator("#pause")).to_be_enabled()
    organiser.context.clear_cookies()
    organiser.locator("#pause").click()
    organiser.get_by_label("Organiser's token").fill(TOKEN)
    organiser.get_by_role("button", name="Sign in").click()
    expect(organiser).to_have_url(re.compile(f"/campaigns/{campaign}$"))


def test_the_address_of_a_form_opened_anew_leads_to_its_page(service):
    """After a refused form it stands in the address bar, and Enter there, or a tab that comes back, asks for it."""
    campaign = service.campaign()
    for path, page in (
        ("/campaigns", "/"),
        (f"/campaigns/{campaign}/delete", f"/campaigns/{campaign}"),
        ("/signout", "/"),
    ):
        assert sent_to(service, path) == page
    refused = service.client.get("/campaigns", headers={"Accept": "application/json"})
    assert refused.status_code == 405


def test_who_is_signed_out_in_another_window_can_sign_out_here_too(visitor):
    organiser, _, _ = campaign_of_ada(visitor)
    other = organiser.context.new_page()
    other.goto("/")
    for window in (organiser, other):
        window.get_by_role("button", name="Sign out").click()
        expect(window.get_by_role("heading", name="Sign in to organise")).to_be_visible()
