"""What an organiser wrote is not lost when their session ends on the way, and is shown to nobody else."""

from __future__ import annotations

import re

import pytest
from browsing import AWAY, accessible, campaign_of_ada, fits, send
from harness import TOKEN
from playwright.sync_api import expect
from test_security import form_of

SESSION = re.compile("^nextpair_session_")
NARROW = {"width": 360, "height": 740}
PAGE = {"Accept": "text/html"}


def sign_in_beside(page, link):
    """Follow a link to sign in, do so in the window that it opens, and come back."""
    with page.expect_popup() as opened:
        link.click()
    opened.value.get_by_label("Organiser's token").fill(TOKEN)
    opened.value.get_by_role("button", name="Sign in").click()
    expect(opened.value.get_by_role("heading", name="Campaigns")).to_be_visible()
    opened.value.close()


@pytest.fixture
def filled_in(visitor, tmp_path):
    """A form for a new campaign with much in it, a file as well."""
    (tmp_path / "more.csv").write_text("water\nmilk\n")
    page = visitor(NARROW)
    send(page, "/signin", token=TOKEN)
    page.goto("/campaigns/new")
    page.get_by_label("Name of the campaign").fill("Drinks")
    page.get_by_label("Items, one per line").fill("tea\ncoffee")
    page.get_by_label("…or a CSV or JSON file").set_input_files(tmp_path / "more.csv")
    return page


def created(page):
    page.get_by_role("button", name="Create the campaign").click()
    expect(page.get_by_role("heading", name="Invite workers")).to_be_visible()
    campaign = re.search(r"/campaigns/(\w+)/invite", page.url)[1]
    return page.request.get(f"/api/v1/campaigns/{campaign}").json()


def test_who_is_signed_out_while_they_fill_in_the_form_loses_nothing(filled_in):
    page = filled_in
    page.context.clear_cookies(name=SESSION)
    page.get_by_role("button", name="Create the campaign").dblclick()
    notice = page.get_by_role("alert")
    expect(notice).to_contain_text("You were signed out. What you wrote is still here")
    accessible(page)
    assert fits(page)
    page.get_by_role("button", name="Create the campaign").click()  # before it can work
    expect(notice).to_have_count(1)
    sign_in_beside(page, notice.get_by_role("link", name="sign in in a new window"))
    expect(page.get_by_label("Items, one per line")).to_have_value("tea\ncoffee")
    assert created(page)["n_items"] == 4  # the file was kept, too


def test_who_signed_in_anew_in_another_window_is_not_told_that_the_form_is_too_old(filled_in):
    page = filled_in
    page.context.clear_cookies(name=SESSION)
    send(page, "/signin", token=TOKEN)
    assert created(page)["n_items"] == 4


def test_a_form_is_not_lost_to_a_connection_that_is_away(filled_in):
    page = filled_in
    page.context.set_offline(True)
    page.get_by_role("button", name="Create the campaign").click()
    expect(page.get_by_role("alert")).to_contain_text("The server did not answer. What you wrote is still here")
    page.context.set_offline(False)
    assert created(page)["n_items"] == 4


def test_files_that_are_too_large_are_told_of_before_they_are_sent(filled_in):
    """Photographs of a phone have 4 MB, and a campaign takes 20."""
    page = filled_in
    pictures = page.get_by_label("…or upload pictures")
    photo = {"name": "photo.png", "mimeType": "image/png", "buffer": bytes(4_200_000)}
    large = {"name": "large.png", "mimeType": "image/png", "buffer": bytes(5_100_000)}
    said = "field => field.validationMessage"
    for chosen, words in ((5 * [photo], "Your files have 21 MB together"), ([large], "large.png has 5.1 MB")):
        pictures.set_input_files(chosen)
        assert words in pictures.evaluate(said)
        page.get_by_role("button", name="Create the campaign").click()
        expect(page.get_by_role("heading", name="New campaign")).to_be_visible()  # the browser does not send it
    pictures.set_input_files([])
    assert pictures.evaluate(said) == ""
    assert created(page)["n_items"] == 4


def test_names_to_invite_are_not_lost(visitor):
    organiser, campaign, _ = campaign_of_ada(visitor)
    organiser.goto(f"/campaigns/{campaign}/invite")
    organiser.get_by_label("Names, one per line").fill("Bob\nCleo")
    organiser.context.clear_cookies(name=SESSION)
    organiser.get_by_role("button", name="Make personal links").click()
    sign_in_beside(organiser, organiser.get_by_role("alert").get_by_role("link"))
    organiser.get_by_role("button", name="Make personal links").click()
    expect(organiser.locator("[aria-labelledby=fresh] code")).to_have_count(2)


def test_an_item_to_add_is_not_lost(visitor):
    organiser, _, _ = campaign_of_ada(visitor)
    dialog, text = organiser.get_by_role("dialog"), organiser.get_by_label("One more item")
    organiser.get_by_role("button", name="Add item…").click()
    text.fill("A long story")
    organiser.context.clear_cookies(name=SESSION)
    organiser.evaluate(AWAY, False)  # the page looks anew, and may not
    expect(organiser.locator("#live")).to_have_text("signed out")
    expect(text).to_have_value("A long story")
    dialog.get_by_role("button", name="Add").click()
    expect(dialog).to_contain_text("You were signed out. What you wrote is still here")
    accessible(organiser)
    sign_in_beside(organiser, dialog.get_by_role("link"))
    dialog.get_by_role("button", name="Close").click()
    organiser.get_by_role("button", name="Add item…").click()
    expect(text).to_have_value("A long story")
    dialog.get_by_role("button", name="Add").click()
    expect(dialog).to_contain_text("The campaign has 7 items now.")


@pytest.fixture
def without_scripts(visitor):
    """Somebody who is signed in, with a browser that runs no scripts."""
    page = visitor(NARROW, java_script_enabled=False)
    send(page, "/signin", token=TOKEN)
    return page


def go_on(page):
    """Past the page that says that one was signed out: sign in beside it, and come back."""
    expect(page.get_by_role("heading", name="You were signed out")).to_be_visible()
    page.get_by_role("button", name="Go on").click()  # before it can work
    expect(page.get_by_role("heading", name="You were signed out")).to_be_visible()
    sign_in_beside(page, page.get_by_role("link", name="sign in in a new window"))
    page.get_by_role("button", name="Go on").click()
    expect(page.get_by_role("alert")).to_contain_text("What you wrote is still here: check it, and send it again.")


def test_without_scripts_a_campaign_to_create_is_not_lost(without_scripts, tmp_path):
    page, odd = without_scripts, '"><script>alert(1)</script>\n\ttwo'
    (tmp_path / "more.csv").write_text("water\nmilk\n")
    page.goto("/campaigns/new")
    page.get_by_label("Name of the campaign").fill("Drinks")
    page.get_by_label("Items, one per line").fill(odd)
    page.get_by_label("…or a CSV or JSON file").set_input_files(tmp_path / "more.csv")
    page.get_by_label("Ask by how much").check()
    page.context.clear_cookies(name=SESSION)
    page.get_by_role("button", name="Create the campaign").click()
    assert fits(page)
    go_on(page)
    expect(page.get_by_label("Items, one per line")).to_have_value(odd)
    expect(page.get_by_role("alert")).to_contain_text("Choose your files again")
    page.get_by_label("…or a CSV or JSON file").set_input_files(tmp_path / "more.csv")
    made = created(page)
    assert (made["name"], made["n_items"], made["by_how_much"]) == ("Drinks", 4, True)


def test_without_scripts_names_to_invite_are_not_lost(without_scripts):
    page = without_scripts
    new = {"name": "Cities", "question": "?", "items": "Oslo\nRome", "budget": "9", "price": "1"}
    page.goto(send(page, "/campaigns/new", to="/campaigns", **new).url)
    page.get_by_label("Names, one per line").fill("Bob\nCleo")
    page.context.clear_cookies(name=SESSION)
    page.get_by_role("button", name="Make personal links").click()
    go_on(page)
    page.get_by_role("button", name="Make personal links").click()
    expect(page.locator("[aria-labelledby=fresh] code")).to_have_count(2)


def test_what_was_sent_without_a_session_is_shown_to_who_wrote_it_and_stored_nowhere(service):
    """Nothing that comes from elsewhere, or from somebody else's window, is put into a page or kept for later."""
    csrf = form_of(service, "/signin")
    form = {"name": "A secret plan", "question": "?", "items": "tea\ncoffee", "budget": "9", "price": "1"}
    own = service.client.post("/campaigns", data=form | {"csrf": csrf}, headers=PAGE)
    assert own.status_code == 401
    assert 'name="name" value="A secret plan"' in own.text
    assert own.headers["cache-control"] == "no-store"
    pages = [service.client.post("/campaigns", data=form | {"csrf": odd}, headers=PAGE) for odd in ("", "0" * 128)]
    service.client.cookies.clear()
    pages += [service.client.post("/campaigns", data=form | {"csrf": csrf}, headers=PAGE)]  # as from elsewhere
    form_of(service, "/signin")
    pages += [service.client.post("/campaigns", data=form | {"csrf": csrf}, headers=PAGE)]  # another browser
    assert {page.status_code for page in pages} == {401}
    signed_in = service.client.post("/signin", data={"csrf": form_of(service, "/signin"), "token": TOKEN}, headers=PAGE)
    assert signed_in.headers["location"] == "/"
    pages += [service.client.post("/campaigns", data=form | {"csrf": csrf}, headers=PAGE)]
    assert pages[-1].status_code == 403
    pages += [service.client.get(path, headers=PAGE) for path in ("/", "/campaigns/new?key=k")]
    for page in pages:
        assert "A secret plan" not in page.text


def test_of_strangers_no_large_form_is_read(service):
    """Only what people write by hand is: who is not signed in could send megabytes, again and again."""
    csrf = form_of(service, "/signin")
    pieces = (piece.encode() for piece in (f"csrf={csrf}&name=", *["much " * 1000] * 210))
    kind = {"content-type": "application/x-www-form-urlencoded"}
    unmeasured = service.client.post("/campaigns", content=pieces, headers=PAGE | kind)
    large, small = (
        service.client.post("/campaigns", data={"csrf": csrf, "name": "much " * times}, headers=PAGE)
        for times in (210_000, 150_000)
    )
    assert (unmeasured.status_code, large.status_code, small.status_code) == (400, 401, 401)
    assert "You were signed out" in small.text
    assert "You were signed out" not in unmeasured.text + large.text
