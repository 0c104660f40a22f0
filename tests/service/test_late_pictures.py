"""On the dashboard, an item that joins late or is changed can have a picture that is uploaded there."""

from __future__ import annotations

import re

import pytest
from browsing import PHONE, WIDE, accessible, campaign_of_ada, fits, shown
from PIL import Image
from playwright.sync_api import expect

from nextpair.service.settings import Settings


@pytest.fixture
def cat(tmp_path):
    path = tmp_path / "grey cat.png"
    Image.new("RGB", (60, 40), "grey").save(path)
    return path


def items_of(organiser, campaign):
    return organiser.request.get(f"/api/v1/campaigns/{campaign}/items").json()


def choose(organiser, button, picture, kind="image"):
    organiser.get_by_role("button", name=button).click()
    organiser.get_by_label("It is").select_option(kind)
    organiser.get_by_label("…or upload it").set_input_files(picture)


@pytest.mark.parametrize("viewport", [WIDE, PHONE], ids=["wide", "phone"])
def test_a_late_item_is_a_picture_that_was_uploaded(visitor, cat, viewport):
    organiser, campaign, _ = campaign_of_ada(visitor)
    organiser.set_viewport_size(viewport)
    choose(organiser, "Add item…", cat)
    accessible(organiser)
    assert fits(organiser)
    organiser.locator("#dialog-ok").click()
    expect(organiser.locator("#dialog-body")).to_have_text("The campaign has 7 items now.")
    *_, late = items_of(organiser, campaign)
    assert (late["text"], late["kind"]) == ("grey cat", "image")  # called by its file, as in the form
    assert organiser.request.get(f"/{late['image']}").headers["content-type"] == "image/png"
    organiser.get_by_role("button", name="Close").click()
    organiser.get_by_role("button", name="Add item…").click()
    assert organiser.get_by_label("…or upload it").evaluate("({ files }) => files.length") == 0  # the next is another


def test_the_worker_sees_it(visitor, cat):
    organiser, _, link = campaign_of_ada(visitor, items="tea\ncoffee")
    choose(organiser, "Add item…", cat, kind="markdown")
    organiser.get_by_label("One more item").fill("**A cat**, table 3")
    organiser.locator("#dialog-ok").click()
    expect(organiser.locator("#dialog-title")).to_have_text("The item is added")
    worker = visitor()
    worker.goto(link)
    for _ in range(2):
        if "A cat" in "".join(shown(worker)):
            break
        worker.keyboard.press("ArrowLeft")
        worker.wait_for_timeout(300)
    expect(worker.locator(".item strong")).to_have_text("A cat")
    worker.wait_for_function("() => document.querySelector('.item img').naturalWidth === 60")


def test_another_picture_takes_the_place_of_the_wrong_one(visitor, cat):
    organiser, campaign, _ = campaign_of_ada(visitor)
    choose(organiser, "Change item…", cat)
    organiser.get_by_role("button", name="Change", exact=True).click()
    expect(organiser.locator("#dialog-title")).to_have_text("The item is changed")
    first, *_ = items_of(organiser, campaign)
    assert first["kind"] == "image"
    assert re.fullmatch(r"media/[\w-]+", first["image"])


def test_what_is_no_picture_is_refused_and_what_was_written_stays(visitor, tmp_path, cat):
    organiser, campaign, _ = campaign_of_ada(visitor)
    (tmp_path / "story.txt").write_text("once upon a time")
    choose(organiser, "Add item…", tmp_path / "story.txt")
    organiser.get_by_label("One more item").fill("A cat")
    organiser.locator("#dialog-ok").click()
    expect(organiser.locator("#dialog-body")).to_contain_text("not a picture that can be shown here")
    organiser.get_by_role("button", name="Close").click()
    organiser.get_by_role("button", name="Add item…").click()
    expect(organiser.get_by_label("One more item")).to_have_value("A cat")
    assert organiser.get_by_label("…or upload it").evaluate("({ files }) => files[0].name") == "story.txt"
    organiser.get_by_label("…or upload it").set_input_files(cat)
    organiser.locator("#dialog-ok").click()
    expect(organiser.locator("#dialog-title")).to_have_text("The item is added")
    assert [item["text"] for item in items_of(organiser, campaign)[-1:]] == ["A cat"]


def test_a_picture_is_sent_once_though_its_item_is_sent_again(visitor, cat):
    organiser, _, _ = campaign_of_ada(visitor)
    uploads = []
    organiser.on("request", lambda request: uploads.append(request) if request.url.endswith("/media") else None)
    organiser.route("**/items", lambda route: route.abort())
    choose(organiser, "Add item…", cat)
    organiser.locator("#dialog-ok").click()
    expect(organiser.locator("#dialog-body")).to_contain_text("The server did not answer")
    organiser.unroute("**/items")
    organiser.get_by_role("button", name="Close").click()
    organiser.get_by_role("button", name="Add item…").click()
    organiser.locator("#dialog-ok").click()
    expect(organiser.locator("#dialog-title")).to_have_text("The item is added")
    assert len(uploads) == 1


def test_a_file_that_is_too_large_is_told_of_before_it_is_sent_and_only_where_it_is_wanted(visitor, tmp_path):
    organiser, campaign, _ = campaign_of_ada(visitor)
    (tmp_path / "large.png").write_bytes(bytes(Settings().upload_bytes + 1))
    choose(organiser, "Add item…", tmp_path / "large.png")
    told = organiser.get_by_label("…or upload it").evaluate("field => field.validationMessage")
    assert "large.png has 5 MB, but a file may have at most 5" in told
    organiser.get_by_label("One more item").fill("A cat")
    organiser.locator("#dialog-ok").click()
    expect(organiser.locator("#dialog-title")).to_have_text("Add an item")
    organiser.get_by_label("It is").select_option("text")
    organiser.locator("#dialog-ok").click()
    expect(organiser.locator("#dialog-title")).to_have_text("The item is added")
    assert items_of(organiser, campaign)[-1]["image"] is None
