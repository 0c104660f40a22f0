"""Whether the first row of a table is an item or names the columns: what users expect, and are told."""

from __future__ import annotations

import pytest
from browsing import PHONE, WIDE, accessible, fits, sign_in
from harness import TOKEN, bearer
from playwright.sync_api import expect
from test_api import error_of

from nextpair.service.content import Item, items_of_file, items_of_lines
from nextpair.service.item_tables import told_of

AB = [Item("Alpha", "Alpha"), Item("Beta", "Beta")]


@pytest.mark.parametrize(
    "header",
    ["Title", "title ", "NAME", "Project", "Item", "Titles", "Project title", "Team name", "Name;"],
)
def test_a_single_column_may_have_a_common_header(header):
    assert items_of_file(f"{header}\nAlpha\nBeta\n".encode()) == AB


@pytest.mark.parametrize(
    ("header", "rows"),
    [
        ("Title,Description", ["Alpha,the first", "Beta,the second"]),
        ("Table,Title", ["1,Alpha", "2,Beta"]),
        ("id;Title", ["Alpha;Alpha", "Beta;Beta"]),
        ("Project,Team", ["Alpha,Ann", "Beta,Bob"]),
        ("Team,Project name", ["Ann,Alpha", "Bob,Beta"]),
        ("Project,Title", ["p1,Alpha", "p2,Beta"]),  # the title is more of a text than the project
        ("Titles,Text", ["1,Alpha", "2,Beta"]),
    ],
)
def test_one_of_several_columns_may_have_it(header, rows):
    assert items_of_file("\n".join([header, *rows]).encode()) == AB


def test_a_title_describes_its_picture():
    (item,) = items_of_file(b"Title,image\nA cat,https://x.example/cat.png\n")
    assert item == Item("1", "A cat", "image", "https://x.example/cat.png")


@pytest.mark.parametrize("first", ["The Name of the Rose", "Team", "Job offers", "Untitled", "Names of birds"])
def test_what_is_no_common_header_is_an_item(first):
    assert [item.text for item in items_of_file(f"{first}\nAlpha\n".encode())] == [first, "Alpha"]


@pytest.mark.parametrize("first", ["Title", "Name", "Item", "text"])
def test_an_item_may_be_called_like_a_column(first):
    assert [item.text for item in items_of_file(f"text\n{first}\nAlpha\n".encode())] == [first, "Alpha"]
    assert [item.text for item in items_of_lines(f"{first}\nAlpha")] == [first, "Alpha"]  # lines are all items


IS_NONE = "was taken for the names of columns and is no item."
WRITE_ABOVE = "If it is one, write a row above it that says “text”."
WRITE_TEXT = "If that is no item but what the column is called, write “text” in its place."


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("Title\nAlpha\nBeta\n", f"2 items. The first is “Alpha”. The first row, “Title”, {IS_NONE} {WRITE_ABOVE}"),
        ("text\nTitle\nBeta\n", f"2 items. The first is “Title”. The first row, “text”, {IS_NONE}"),
        ("Titel\nAlpha\n", f"2 items. The first is “Titel”. {WRITE_TEXT}"),
        (
            "Title;Abstract;guess\nAlpha;long;3\n",
            f"1 item. The first is “Alpha”. The first row, “Title”, “Abstract”, “guess”, {IS_NONE} "
            "Workers do not see “Abstract”.",
        ),
        ("id,image\ncat,cat.png\n", f"1 item. The first is “cat”. The first row, “id”, “image”, {IS_NONE}"),
        ("Title\n", "This file has no items: its one row, “Title”, was taken for the names of columns."),
        ("", "This file has no items."),
        ('["Title", "Alpha"]', "2 items. The first is “Title”."),
        ('[{"id": "a", "text": "Alpha"}]', "1 item. The first is “Alpha”."),
        (f"{'long ' * 20}\nAlpha\n", f"2 items. The first is “{('long ' * 20)[:59]}…”. {WRITE_TEXT}"),
    ],
)
def test_it_is_told_what_became_of_the_first_row(content, told):
    assert told_of(content.encode()) == told


def test_only_organisers_are_told_and_of_what_cannot_be_read_why(service):
    path, worker = "/api/v1/items/reading", service.worker(service.campaign())["token"]
    for token, status in ((TOKEN, 200), (worker, 403), (None, 401)):
        reply = service.client.post(path, files={"file": ("a.csv", b"Title\nAlpha\n")}, headers=bearer(token))
        assert reply.status_code == status, reply.text
    bad = service.client.post(path, files={"file": ("a.csv", b"Paris, France\n")}, headers=bearer(TOKEN))
    assert "'Paris, France'" in error_of(bad, 422)["message"]


@pytest.mark.parametrize("viewport", [WIDE, PHONE], ids=["wide", "phone"])
def test_the_form_says_how_it_reads_a_file_that_was_chosen(visitor, tmp_path, viewport):
    page = visitor(viewport)
    sign_in(page)
    page.goto("/campaigns/new")
    told, choose = page.locator("#items_file_told"), page.get_by_label("…or a CSV or JSON file")
    for number, (content, words) in enumerate(
        (
            ("Title\nAlpha\nBeta\n", "The first row, “Title”, was taken for the names of columns"),
            ("Beta\nAlpha\n", "2 items. The first is “Beta”."),
            ("Paris, France\n", "quote texts that hold commas"),
        )
    ):
        (tmp_path / f"{number}.csv").write_text(content)  # a browser tells of no change of the same file
        choose.set_input_files(tmp_path / f"{number}.csv")
        expect(told).to_contain_text(words)
        accessible(page)
        assert fits(page)
    choose.set_input_files([])
    expect(told).to_be_empty()
