"""The pages' forms and exports, without a browser."""

from __future__ import annotations

import codecs
import csv
import html
import io
import itertools
import json
import re
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from click.testing import CliRunner
from harness import ITEMS, MINIMAL, TOKEN
from test_api import error_of
from test_security import PAGE, PNG, form_of, sign_in

from nextpair import Campaign
from nextpair.cli.main import cli
from nextpair.service import desk
from nextpair.service.api import campaigns
from nextpair.service.live import Live
from nextpair.service.pages import forms, organiser
from nextpair.service.pages.render import _money
from nextpair.service.security import new_token

FORM = {"name": "Form", "question": "Which?", "items": "a\nb\nc", "budget": "12,5", "price": "0.5", "kind": "text"}


@pytest.fixture
def signed_in(service):
    sign_in(service)
    return service


def submit(service, files=None, **changes):
    data = FORM | {"csrf": form_of(service, "/campaigns/new")} | changes
    return service.client.post("/campaigns", data=data, files=files or {"items_file": ("", b"")}, headers=PAGE)


def created(service, response):
    assert response.status_code == 303, re.findall(r'role="alert">(.*?)<', response.text)
    campaign = response.headers["location"].split("/")[2]
    return service.get(f"/campaigns/{campaign}").json()


def test_every_field_of_the_form_arrives(signed_in):
    fields = {
        "quota": "7", "min_looks": "2", "target": "95 %", "ends_at": "2099-01-31T18:00", "lease_minutes": "2,5",
        "policy": "full-posterior", "completion_url": "https://x.example/{code}", "completion_code": "C",
        "currency": "EUR", "show_ranking": "yes", "one_stays": "yes", "best": "2",
    }  # fmt: skip
    shown = created(signed_in, submit(signed_in, **fields))
    expected = {
        "name": "Form", "question": "Which?", "n_items": 3, "budget": 12.5, "price": 0.5, "quota": 7, "min_looks": 2,
        "target_accuracy": 0.95, "ends_at": 4073565600.0, "lease": 150.0, "policy": "full-posterior", "currency": "EUR",
        "completion_url": "https://x.example/{code}", "completion_code": "C", "show_ranking": True,
        "one_stays": True, "best": 2,
    }  # fmt: skip
    assert {name: shown[name] for name in expected} == expected


@pytest.mark.parametrize("budget", ["1,000", "1.000", "2 500", "1'000", "12,345.67", "1.234.567"])
def test_an_amount_that_can_be_read_in_two_ways_is_asked_about(signed_in, budget):
    response = submit(signed_in, budget=budget)
    assert response.status_code == 422
    assert "can be read in two ways" in response.text


@pytest.mark.parametrize(("written", "budget"), [("1000", 1000), ("1000,5", 1000.5), ("0,125", 0.125), ("12.50", 12.5)])
def test_an_amount_is_read_with_a_comma_or_a_point(signed_in, written, budget):
    assert created(signed_in, submit(signed_in, budget=written, price="0.1"))["budget"] == budget


def test_items_and_comparisons_come_from_files(signed_in):
    files = {
        "items_file": ("items.csv", b"id,text\nd,Delta\ne,Epsilon\n", "text/csv"),
        "comparisons_file": ("c.csv", b"winner,loser,worker\nd,a,ann\nd,b,ann\n", "text/csv"),
    }
    shown = created(signed_in, submit(signed_in, files))
    assert (shown["n_items"], shown["answers"], shown["spent"]) == (5, 2, 0)
    ranking = signed_in.get(f"/campaigns/{shown['id']}/ranking").json()
    assert (ranking[0]["item"], ranking[0]["label"]) == ("d", "Delta")


@pytest.mark.parametrize(
    ("changes", "word"),
    [
        ({"budget": "much"}, "budget"),
        ({"items": "a\na"}, "twice"),
        ({"kind": "film"}, "film"),
        ({"ends_at": "soon"}, "end time"),
        ({"ends_at": "2020-01-01T10:00"}, "has passed"),
        ({"target": "high"}, "target"),
        ({"lease_minutes": "x"}, "minutes"),
        ({"policy": "guess"}, "guess"),
        ({"name": " "}, "name"),
        ({"completion_url": "app.example/done"}, "https://"),
        ({"completion_url": "https://x.example/?cc={code}"}, "a place for a completion code, but there is none"),
        ({"kind": "image"}, "address"),
        ({"name": ""}, "name of the campaign: it is empty: fill it in"),
        ({"currency": "doubloons"}, "currency: 9 characters are more than the 8 allowed: shorten it"),
        (
            {"completion_url": f"https://x.example/{'y' * 2000}"},
            "completion address: 2,018 characters are more than the 2,000",
        ),
        (
            {"items": "one\n" + "x" * 20_001},
            "item 2, text: 20,001 characters are more than the 20,000 allowed: shorten it",
        ),
        (
            {"items": "\n".join(map(str, range(2001)))},
            "items: 2,001 entries are more than the 2,000 allowed: leave some out",
        ),
        ({"items": "one"}, "items: at least 2 entries are needed, but you gave 1: add some"),
        ({"min_looks": "-1"}, "fewest looks at each item: it must be at least 0, not -1"),
        ({"quota": "2.5"}, "most questions per worker: it must be a whole number"),
    ],
)
def test_a_wrong_field_is_named_and_nothing_is_forgotten(signed_in, changes, word):
    response = submit(signed_in, **changes)
    assert response.status_code == 422
    told = re.search(r'role="alert">(.*?)</p>', response.text, flags=re.S)[1]
    assert word in told
    assert "Value error" not in told
    assert 'value="0.5"' in response.text


def problem_of(response, status=422):
    assert response.status_code == status
    return html.unescape(re.search(r'role="alert">(.*?)</p>', response.text, flags=re.S)[1])


def test_a_file_that_is_no_table_is_told(signed_in):
    assert problem_of(submit(signed_in, {"comparisons_file": ("c.csv", b"\x00\xff", "text/csv")}))


def test_bad_rows_are_told_without_the_advice_for_the_command_line(signed_in):
    table = b"winner,loser\na,b\na,a\n"
    problem = problem_of(submit(signed_in, {"comparisons_file": ("c.csv", table, "text/csv")}))
    assert "line 3: item 'a' is compared with itself" in problem
    assert "--skip-bad" not in problem


def test_files_that_a_refused_form_loses_are_asked_for_again(signed_in):
    response = submit(signed_in, {"comparisons_file": ("c.csv", b"winner,loser\na,b\n", "text/csv")}, budget="much")
    assert "Choose your files again" in problem_of(response)
    assert response.text.count('<details class="card" open>') == 2  # one of them holds the field
    assert "again" not in problem_of(submit(signed_in, budget="much"))


def test_too_much_at_once_is_told_in_a_page_to_a_browser_and_in_json_to_a_program(open_service):
    small = open_service(upload_bytes=1000)
    sign_in(small)
    assert "up to 0.001 MB each and 0.004 MB together" in small.client.get("/campaigns/new?key=k", headers=PAGE).text
    pictures = [("pictures", (f"{k}.png", PNG + b"\0" * 800, "image/png")) for k in range(6)]
    page = submit(small, pictures)
    assert (page.status_code, page.headers["content-type"]) == (413, "text/html; charset=utf-8")
    assert "At most 0.004 MB can be sent at once" in page.text
    answer = small.client.post("/campaigns", files=pictures, headers={"Accept": "application/json"})
    assert (answer.status_code, answer.json()["error"]["code"]) == (413, "too_large")


@pytest.mark.parametrize(
    ("changes", "bad", "words"),
    [
        ({}, b"not a picture", "holiday.png: not a picture"),
        ({}, PNG + b"\0" * 1000, "holiday.png is too large"),
        ({"budget": "much"}, PNG, "budget"),
        ({"policy": "guess"}, PNG, "guess"),
        ({"items": "a\na"}, PNG, "twice"),
    ],
    ids=["no picture", "too large", "budget", "policy", "items"],
)
def test_pictures_are_stored_with_a_campaign_or_not_at_all(open_service, changes, bad, words):
    service = open_service(upload_bytes=1000)
    sign_in(service)
    names = {"good.png": PNG, "holiday.png": bad}
    pictures = [("pictures", (name, content, "image/png")) for name, content in names.items()]
    assert words in problem_of(submit(service, pictures, **changes))
    stored = sqlite3.connect(service.settings.database.removeprefix("sqlite:///"))
    assert stored.execute("SELECT count(*) FROM media").fetchone() == (0,)
    pictures[1] = ("pictures", ("holiday.png", PNG, "image/png"))
    shown = created(service, submit(service, pictures))
    assert shown["n_items"] == 5
    kept = stored.execute("SELECT id FROM media").fetchall()
    assert [service.client.get(f"/media/{name}").content for (name,) in kept] == [PNG, PNG]


def test_items_without_names_are_numbered_on_from_one_source_to_the_next(signed_in):
    files = {"items_file": ("m.csv", b"text\n# Third\n# Fourth\n", "text/csv")}
    shown = created(signed_in, submit(signed_in, files, kind="markdown", items="**first**\n**second**"))
    ranking = signed_in.get(f"/campaigns/{shown['id']}/ranking").json()
    assert {row["item"]: row["label"] for row in ranking} == {
        "1": "first", "2": "second", "3": "Third", "4": "Fourth"
    }  # fmt: skip


def test_exports_agree_with_the_api_and_the_journal_can_be_loaded(signed_in, tmp_path):
    campaign = signed_in.campaign()
    token = signed_in.worker(campaign)["token"]
    for choice in ("left", "tie", "right"):
        signed_in.answer(signed_in.ask(campaign, token)["id"], choice, token)
    get = signed_in.client.get
    for what, key in (("ranking", "item"), ("comparisons", "question"), ("workers", "id")):
        rows = signed_in.get(f"/campaigns/{campaign}/{what}").json()
        assert json.loads(get(f"/campaigns/{campaign}/export/{what}.json").text) == rows
        exported = get(f"/campaigns/{campaign}/export/{what}.csv")
        assert "attachment" in exported.headers["content-disposition"]
        assert exported.content.startswith(codecs.BOM_UTF8)  # or a spreadsheet garbles what is not ASCII
        table = list(csv.DictReader(io.StringIO(exported.content.decode("utf-8-sig"))))
        assert [row[key] for row in table] == [row[key] for row in rows]
    (tmp_path / "j.jsonl").write_text(get(f"/campaigns/{campaign}/export/journal.jsonl").text)
    loaded = Campaign.load(tmp_path / "j.jsonl")
    assert [row.item for row in loaded.ranking()] == [
        row["item"] for row in signed_in.get(f"/campaigns/{campaign}/ranking").json()
    ]
    assert get(f"/campaigns/{campaign}/export/secrets.csv").status_code == 404


def test_the_table_of_workers_says_what_each_is_paid(signed_in):
    """Prices of their own and of all, a change on the way, an undone answer and a ban: by hand, in cents."""
    campaign = signed_in.campaign(price=0.1, budget=5, comparisons=[{"winner": "cow", "loser": "ant", "worker": "old"}])
    path = f"/campaigns/{campaign}/workers"
    bodies = [{"outside_id": "P-1"}, {"outside_id": "P-2"}, {"name": "Expert", "price": 0.75}]
    ada, bob, expert = [signed_in.post(path, body).json() for body in bodies]

    def answer(worker, times):
        for _ in range(times):
            question = signed_in.ask(campaign, worker["token"])["id"]
            signed_in.answer(question, "left", worker["token"])
        return question

    for worker in (ada, bob, expert):
        answer(worker, 3)
    signed_in.post(f"/questions/{answer(ada, 1)}/undo", token=ada["token"])
    signed_in.client.patch(f"/api/v1/campaigns/{campaign}", json={"price": 0.12}, headers=signed_in.organiser)
    answer(bob, 2)
    signed_in.post(f"{path}/{bob['id']}/ban")
    exported = signed_in.client.get(f"/campaigns/{campaign}/export/workers.csv").content.decode("utf-8-sig")
    rows = [
        (row["name"], row["outside_id"], row["status"], row["answers"], row["answered"], row["spent"])
        for row in csv.DictReader(io.StringIO(exported))
    ]
    assert rows == [
        ("old", "", "active", "1", "1", "0.0"),
        ("P-1", "P-1", "active", "3", "3", "0.3"),
        ("P-2", "P-2", "banned", "0", "5", "0.54"),  # 3 at 0.10 and 2 at 0.12: what was paid stays paid
        ("Expert", "", "active", "3", "3", "2.25"),
    ]
    assert signed_in.get(f"/campaigns/{campaign}").json()["spent"] == 3.09


def test_the_table_of_comparisons_names_workers_and_has_ids_where_names_are_not_distinct(signed_in):
    earlier = {"winner": "cow", "loser": "ant", "worker": "Eve"}
    campaign = signed_in.campaign(comparisons=[earlier], budget=100)
    path = f"/campaigns/{campaign}/workers"
    bodies = [{"name": "Zoë"}, {"name": "Max", "id": "m1"}, {"name": "Max ", "id": "m2"}, {"name": "m1", "id": "m3"},
              {"name": "Eve", "id": "e2"}, {"id": "bot"}]  # fmt: skip
    for body in bodies:
        token = signed_in.post(path, body).json()["token"]
        signed_in.answer(signed_in.ask(campaign, token)["id"], "left", token)
    exported = signed_in.client.get(f"/campaigns/{campaign}/export/comparisons.csv").content.decode("utf-8-sig")
    named = [row["worker"] for row in csv.DictReader(io.StringIO(exported))]
    assert named == ["Eve", "Zoë", "m1", "m2", "m3", "e2", "bot"]


def test_exported_comparisons_can_be_imported_whatever_the_names_are(signed_in, tmp_path):
    names = ["@alice", "-3 dB", "=1+1", "+x", "'@quoted", "Zoë", "-5"]
    campaign = signed_in.campaign(items=[{"id": name, "text": name} for name in names], budget=30)
    token = signed_in.worker(campaign)["token"]
    for number in range(12):
        signed_in.answer(signed_in.ask(campaign, token)["id"], ("left", "right", "tie")[number % 3], token)
    exported = signed_in.client.get(f"/campaigns/{campaign}/export/comparisons.csv").content
    shown = created(
        signed_in, submit(signed_in, {"comparisons_file": ("c.csv", exported, "text/csv")}, items="\n".join(names))
    )
    rows = [signed_in.get(f"/campaigns/{which}/comparisons").json() for which in (campaign, shown["id"])]
    before, after = ([{key: row[key] for key in ("winner", "loser", "tie", "left")} for row in told] for told in rows)
    assert before == after  # and who favours a side can still be told
    # nextpair rank reads it too, and the ranking can be the items of another campaign
    (tmp_path / "c.csv").write_bytes(exported)
    ranked = CliRunner().invoke(cli, ["rank", str(tmp_path / "c.csv")], catch_exceptions=False)
    assert "Zoë" in ranked.output
    ranking = signed_in.client.get(f"/campaigns/{campaign}/export/ranking.csv").content
    again = created(signed_in, submit(signed_in, {"items_file": ("r.csv", ranking, "text/csv")}, items=""))
    found = {row["item"] for row in signed_in.get(f"/campaigns/{again['id']}/ranking").json()}
    assert found == set(names)


@pytest.mark.parametrize(
    ("written", "table"),
    [
        ({"items": ""}, "id,text,image\nCat,a cat,cat.png\nDog,a dog,https://x.example/dog.png\n"),
        ({"items": "cat.png\nhttps://x.example/dog.png", "kind": "image"}, ""),
    ],
)
def test_items_may_name_pictures_that_are_uploaded_with_them(signed_in, written, table):
    pictures = [("pictures", (name, PNG, "image/png")) for name in ("cat.png", "C:\\pictures\\eel.png")]
    shown = created(signed_in, submit(signed_in, [*pictures, ("items_file", ("i.csv", table.encode()))], **written))
    items = signed_in.client.app.state.desk.records.items(shown["id"])
    (cat, dog, eel) = items.values()
    assert dog.image == "https://x.example/dog.png"
    assert (eel.id, eel.text) == ("eel.png", "eel")
    assert cat.image != eel.image
    for item in (cat, eel):
        assert signed_in.client.get(f"/{item.image}").content == PNG
    if table:
        assert (cat.id, cat.text) == ("Cat", "a cat")


def test_an_item_that_names_a_picture_that_is_not_there_is_refused_with_advice(signed_in):
    table = ("items_file", ("i.csv", b"id,image\nCat,cat.png\nDog,dog.png\n"))
    pictures = [("pictures", ("Cat.png", PNG, "image/png")), ("pictures", ("dog.png", PNG, "image/png"))]
    problem = problem_of(submit(signed_in, [table, *pictures], items=""))
    assert "'cat.png'" in problem
    assert "or is the name of a picture that you upload as well" in problem


def test_workers_are_given_questions_while_a_long_file_is_read(signed_in, monkeypatch):
    """190,000 comparisons took seven seconds, in which nobody was served."""
    campaign = signed_in.campaign()
    token = signed_in.worker(campaign)["token"]
    real, asked = forms.comparisons_of_file, []
    monkeypatch.setattr(forms, "comparisons_of_file", lambda f: asked.append(signed_in.ask(campaign, token)) or real(f))
    shown = created(signed_in, submit(signed_in, {"comparisons_file": ("c.csv", b"winner,loser\na,b\n", "text/csv")}))
    assert shown["answers"] == 1
    assert asked[0] is not None


@pytest.mark.parametrize(
    ("where", "writer", "path"),
    [
        (organiser, "as_csv", "/campaigns/{}/export/comparisons.csv"),
        (organiser, "as_json", "/campaigns/{}/export/comparisons.json"),
        (organiser, "as_journal", "/campaigns/{}/export/journal.jsonl"),
        (campaigns, "as_journal", "/api/v1/campaigns/{}/journal"),
    ],
)
def test_workers_are_given_questions_while_their_campaign_is_written_to_a_file(
    signed_in, monkeypatch, where, writer, path
):
    """None was for as long as that took: 0.2 seconds for 50,000 answers, 1.5 on a machine with much to do."""
    campaign = signed_in.campaign()
    token = signed_in.worker(campaign)["token"]
    real, asked = getattr(where, writer), []
    with ThreadPoolExecutor(1) as worker:

        def write(*told):
            asked.append(worker.submit(signed_in.ask, campaign, token).result(10))
            return real(*told)

        monkeypatch.setattr(where, writer, write)
        assert signed_in.client.get(path.format(campaign), headers=signed_in.organiser).status_code == 200
    assert asked[0] is not None


def test_the_invitation_page_makes_renews_and_replaces_links(signed_in):
    campaign = signed_in.campaign()
    path = f"/campaigns/{campaign}/invite"

    def post(**data):
        page = signed_in.client.post(path, data={"csrf": form_of(signed_in, path), **data}).text
        return re.findall(r'data-copy="[^"&]*/w/([^"&]+)"', page), re.search(r'data-copy="[^"]*(/join/[^"]+)"', page)[1]

    (ada, _), join = post(names="Ada\n\n Bob ")
    workers = signed_in.get(f"/campaigns/{campaign}/workers").json()
    assert [row["name"] for row in workers] == ["Ada", "Bob"]
    assert signed_in.ask(campaign, ada) is not None
    (again,), _ = post(worker=workers[0]["id"])
    assert signed_in.post(f"/campaigns/{campaign}/questions", token=ada).status_code == 401
    assert signed_in.ask(campaign, again) is not None
    reset = signed_in.client.post(path, data={"csrf": form_of(signed_in, path), "action": "reset"})
    assert (reset.status_code, reset.headers["location"]) == (303, path)  # a reload does not replace it once more
    assert join not in signed_in.client.get(path).text


def test_experts_are_known_to_be_so_from_the_start(signed_in):
    campaign = signed_in.campaign()
    path = f"/campaigns/{campaign}/invite"

    def post(**data):
        return signed_in.client.post(path, data={"csrf": form_of(signed_in, path), **data}, headers=PAGE)

    page = post(names="Dee\nEve", kind="expert").text
    assert 'value="expert" selected' not in page  # the next ones may be none
    post(names="Ann", kind="")
    rows = signed_in.get(f"/campaigns/{campaign}/workers").json()
    thought = {row["name"]: (row["known"], round(row["reliability"], 2)) for row in rows}
    assert thought == {"Dee": (True, 0.95), "Eve": (True, 0.95), "Ann": (False, 0.8)}
    refused = post(names="Dee", kind="expert")
    assert "'Dee' already takes part" in problem_of(refused)
    assert 'value="expert" selected' in refused.text  # what was chosen is kept, to be sent again


def test_a_model_that_is_invited_by_a_page_may_be_asked_each_pair_both_ways_round(signed_in):
    campaign = signed_in.campaign(items=[{"id": name, "text": name} for name in "abc"])
    path = f"/campaigns/{campaign}/invite"
    tokens = {}
    for name, kind in (("gpt", "model"), ("Ann", "")):
        data = {"csrf": form_of(signed_in, path), "names": name, "kind": kind}
        page = signed_in.client.post(path, data=data, headers=PAGE).text
        tokens[name] = re.search(r'data-copy="[^"&]*/w/([^"&]+)"', page)[1]
    shown = {name: [] for name in tokens}
    for name, token in tokens.items():
        while (question := signed_in.ask(campaign, token)) is not None:
            shown[name].append((question["left"]["id"], question["right"]["id"]))
            signed_in.answer(question["id"], "left", token)
    assert len(shown["Ann"]) == 3
    assert sorted(shown["gpt"]) == sorted(itertools.permutations("abc", 2))


def test_the_links_are_shown_again_when_the_page_is_loaded_again(signed_in, monkeypatch):
    """A reload sends the form once more. What was made with it is shown; a link that is void since stays void."""
    campaign = signed_in.campaign()
    path = f"/campaigns/{campaign}/invite"
    page = signed_in.client.get(path).text
    csrf, key = (re.search(rf'name="{name}" value="([^"]+)"', page)[1] for name in ("csrf", "key"))

    def send(names, key=key):
        answer = signed_in.client.post(path, data={"csrf": csrf, "key": key, "names": names}, headers=PAGE)
        return answer, re.findall(r'data-copy="[^"&]*/w/([^"&]+)"', answer.text)

    with monkeypatch.context() as killed:  # at each of the steps, as a process may be
        killed.setattr(Live, "join", None)
        assert send("Ada\nBob")[0].status_code == 500
    assert signed_in.get(f"/campaigns/{campaign}/workers").json() == []
    _, (ada,) = send("Ada")
    _, links = send("Ada\nBob")
    assert links[0] == ada
    assert send("Ada\nBob")[1] == links
    workers = signed_in.get(f"/campaigns/{campaign}/workers").json()
    assert [row["name"] for row in workers] == ["Ada", "Bob"]
    assert all(signed_in.ask(campaign, token) and len(token) == len(new_token()) for token in links)
    assert "'Bob' already takes part" in problem_of(send("Bob", key="another form")[0])
    for change in ("token", "ban"):
        signed_in.post(f"/campaigns/{campaign}/workers/{workers[0]['id']}/{change}")
        refused, none = send("Ada\nBob")
        assert "the link of 'Ada' no longer works" in problem_of(refused)
        assert none == []
        assert signed_in.post(f"/campaigns/{campaign}/questions", token=ada).status_code == 401
    assert f'name="key" value="{key}"' in refused.text  # the same form, to be corrected


@pytest.mark.parametrize(
    ("names", "words"),
    [
        ("Ada", "'Ada' already takes part"),
        ("Bob\n ada ", "'ada' already takes part"),
        ("Bob\nEve\nBOB", "'BOB' is there twice"),
    ],
)
def test_a_name_that_is_there_already_is_not_invited_again_in_silence(signed_in, names, words):
    campaign = signed_in.campaign()
    signed_in.worker(campaign, "Ada")
    path = f"/campaigns/{campaign}/invite"
    page = signed_in.client.post(path, data={"csrf": form_of(signed_in, path), "names": names}, headers=PAGE)
    assert words in problem_of(page)
    assert f"{names}</textarea>" in page.text
    assert [row["name"] for row in signed_in.get(f"/campaigns/{campaign}/workers").json()] == ["Ada"]


def test_a_worker_without_a_name_is_known_by_their_id(signed_in):
    """As those of a restored journal are: whoever writes their names for new links must not get new workers."""
    campaign = signed_in.campaign()
    signed_in.post(f"/campaigns/{campaign}/workers", {"id": "ann"})
    path = f"/campaigns/{campaign}/invite"
    page = signed_in.client.post(path, data={"csrf": form_of(signed_in, path), "names": "Ann"}, headers=PAGE)
    assert "'Ann' already takes part: give them a new link" in problem_of(page)


@pytest.mark.parametrize("name", ["", "   ", "\u200b", "\u202e \u2066"])
def test_a_worker_whose_name_cannot_be_seen_is_shown_by_their_id(signed_in, name):
    """Anybody can type such a name on the open link, and rows without one cannot be told from each other."""
    campaign = signed_in.campaign()
    worker = signed_in.post(f"/campaigns/{campaign}/workers", {"name": name, "outside_id": "5f"}).json()["id"]
    (row,) = signed_in.get(f"/campaigns/{campaign}/workers").json()
    assert row["name"] == (worker if name else "5f")
    assert row["outside_id"] == "5f"


def test_workers_of_one_name_can_be_told_from_each_other(signed_in):
    """A ban is for good: in a hall several call themselves Max on the open link."""
    campaign = signed_in.campaign()
    path = f"/campaigns/{campaign}/workers"
    one, other = (signed_in.post(path, {"name": name, "outside_id": name}).json() for name in ("Max", "max "))
    signed_in.worker(campaign)
    signed_in.answer(signed_in.ask(campaign, one["token"])["id"], "left", one["token"])
    signed_in.ask(campaign, other["token"])
    shown = signed_in.get(f"/campaigns/{campaign}/dashboard").json()
    called = [f"Max ({one['id']})", f"max  ({other['id']})", "Ada"]
    assert [row["name"] for row in shown["workers"]] == called
    assert [shown["recent"][0]["worker"], shown["in_flight"][0]["worker"]] == called[:2]
    for page in ("invite", "report"):
        assert called[0] in signed_in.client.get(f"/campaigns/{campaign}/{page}", headers=PAGE).text
    assert [row["name"] for row in signed_in.get(path).json()] == ["Max", "max ", "Ada"]  # programs have the ids


def test_names_that_look_alike_can_be_told_from_each_other(signed_in):
    """A joke, or somebody who would have another banned in their place; or a name from a Mac, and typed here."""
    campaign = signed_in.campaign()
    path = f"/campaigns/{campaign}/workers"
    names = ("Zo\u00eb", "Zo\u200b\u00eb", "Zoe\u0308")
    ids = [signed_in.post(path, {"name": name, "outside_id": name}).json()["id"] for name in names]
    shown = signed_in.get(f"/campaigns/{campaign}/dashboard").json()["workers"]
    assert [row["name"] for row in shown] == [f"{name} ({worker})" for name, worker in zip(names, ids, strict=True)]
    assert "already takes part" in error_of(signed_in.post(path, {"name": "Z\u2060o\u00eb"}), 409)["message"]


def test_a_name_may_come_again_with_an_id_or_after_a_ban(signed_in):
    campaign = signed_in.campaign()
    path = f"/campaigns/{campaign}/workers"
    ada = signed_in.worker(campaign, "Ada")["id"]
    assert error_of(signed_in.post(path, {"name": "Ada"}), 409)["code"] == "name_taken"
    for other in ({"id": "ada-2"}, {"outside_id": "5f"}):
        assert signed_in.post(path, {"name": "Ada"} | other).status_code == 201
    for worker in (ada, *(row["id"] for row in signed_in.get(path).json()[1:])):
        signed_in.post(f"{path}/{worker}/ban")
    signed_in.worker(campaign, "Ada")


def test_the_form_begins_with_the_lease_of_the_server(open_service):
    service = open_service(lease=90.0)
    sign_in(service)
    page = service.client.get("/campaigns/new?key=k", headers=PAGE).text
    (minutes,) = re.findall(r'name="lease_minutes"[^>]*value="([^"]*)"', page)
    assert created(service, submit(service, lease_minutes=minutes))["lease"] == 90


@pytest.mark.parametrize(
    ("base_url", "here"), [(None, False), ("http://192.168.1.20:8000", False), ("http://127.0.0.1:8000", True)]
)
def test_links_that_nobody_else_can_open_are_told(open_service, base_url, here):
    service = open_service(base_url=base_url)  # without one, the tests' client calls it testserver
    sign_in(service)
    page = service.client.get(f"/campaigns/{service.campaign()}/invite", headers=PAGE).text
    assert ("only work on this computer" in page) is here


def test_scripts_are_kept_and_asked_about(service):
    """They import each other: after an update, an old one that was kept must not meet a new one."""
    script = service.client.get("/static/api.js")
    assert script.headers.get_list("cache-control") == ["no-cache"]
    again = service.client.get("/static/api.js", headers={"If-None-Match": script.headers["etag"]})
    assert (again.status_code, again.headers["cache-control"]) == (304, "no-cache")


def test_new_links_are_offered_for_those_who_may_use_one(signed_in):
    campaign = signed_in.campaign(comparisons=[{"winner": "cow", "loser": "ant", "worker": "earlier"}])
    eve = signed_in.worker(campaign, "Eve")["id"]
    signed_in.worker(campaign, "Ada")
    signed_in.post(f"/campaigns/{campaign}/workers/{eve}/ban")
    page = signed_in.client.get(f"/campaigns/{campaign}/invite", headers=PAGE).text
    rows = re.findall(r"<tr><td[^>]*>(.*?)</td><td>.*?</td><td[^>]*>(.*?)</td>", page)
    assert rows == [("earlier", "imported"), ("Eve", "banned"), ("Ada", "active")]
    assert re.findall(r'New link<span class="sr"> for (.*?)</span>', page) == ["Ada"]
    assert "replaces the old one" in page


def test_more_names_than_the_most_are_refused_and_kept(signed_in):
    campaign = signed_in.campaign()
    path = f"/campaigns/{campaign}/invite"
    names = "\n".join(f"n{k}" for k in range(520))
    page = signed_in.client.post(path, data={"csrf": form_of(signed_in, path), "names": names}, headers=PAGE)
    assert "520 names are more than 500 at once" in problem_of(page)
    assert "n519</textarea>" in page.text
    assert signed_in.get(f"/campaigns/{campaign}/workers").json() == []


@pytest.mark.parametrize(
    ("amount", "shown"),
    [(None, "no limit"), (0.0, "0 EUR"), (1200.0, "1,200 EUR"), (12.5, "12.50 EUR"), (0.0032, "0.0032 EUR"),
     (0.1 + 0.2, "0.30 EUR"), (37 * 0.07, "2.59 EUR"), (1234.005, "1,234.005 EUR")],
)  # fmt: skip
def test_money_has_the_digits_that_it_needs(amount, shown):
    assert _money(amount, "EUR") == shown


def test_what_costs_less_than_a_cent_is_not_shown_as_nothing(signed_in):
    campaign = signed_in.campaign(price=0.0004, budget=0.1)
    token = signed_in.worker(campaign)["token"]
    for _ in range(8):
        signed_in.answer(signed_in.ask(campaign, token)["id"], "left", token)
    for path in ("/", f"/campaigns/{campaign}/report"):
        assert "0.0032 of 0.10" in signed_in.client.get(path, headers=PAGE).text


def test_the_report_has_prices_where_workers_differ_in_theirs(signed_in):
    campaign = signed_in.campaign(price=0.1, budget=5, currency="EUR")
    report = f"/campaigns/{campaign}/report"
    signed_in.worker(campaign)
    assert "An answer costs" not in signed_in.client.get(report, headers=PAGE).text
    expert = signed_in.post(f"/campaigns/{campaign}/workers", {"name": "Expert", "price": 0.75}).json()["token"]
    for _ in range(2):
        signed_in.answer(signed_in.ask(campaign, expert)["id"], "left", expert)
    page = signed_in.client.get(report, headers=PAGE).text
    assert "An answer costs" in page
    ada, theirs = (
        re.findall('<td class="number">([^<]* EUR)</td>', row)
        for row in page.split("Workers</h2>")[1].split("<tr>")[2:4]
    )
    assert (ada, theirs) == (["0.10 EUR", "0 EUR"], ["0.75 EUR", "1.50 EUR"])


@pytest.mark.parametrize(("token", "words"), [(None, "Restart it for a new link"), (TOKEN, "was started with")])
def test_the_page_to_sign_in_says_where_a_token_comes_from(open_service, token, words):
    service = open_service(organiser_token=token)
    page = service.client.get("/signin", headers=PAGE).text
    assert words in page
    assert "made on the page “API”" in page
    wrong = {"csrf": form_of(service, "/signin"), "token": "x"}
    again = service.client.post("/signin", data=wrong, headers=PAGE)
    assert "not an organiser" in problem_of(again, 401)
    assert words in again.text


@pytest.mark.parametrize(("policy", "words"), [("auto", "The scores are logarithms"), ("akg", "add up to 1")])
def test_the_report_says_what_the_scores_of_its_policy_are(signed_in, policy, words):
    campaign = created(signed_in, submit(signed_in, policy=policy))["id"]
    assert words in signed_in.client.get(f"/campaigns/{campaign}/report", headers=PAGE).text


@pytest.mark.parametrize(
    ("policy", "words", "total"), [("auto", "logarithms, 0 on average;", 0), ("akg", "add up to 1;", 1)]
)
def test_the_report_names_what_was_removed_and_says_what_the_scores_of_the_others_are(signed_in, policy, words, total):
    """Scores are those of the items that take part: far above the removed ones, they are 0 on average all the same."""
    pairs = [(f"w{k}", good, bad) for k in range(20) for good in "ab" for bad in "cd"]
    given = [{"worker": worker, "winner": good, "loser": bad} for worker, good, bad in pairs]
    items = [{"id": name, "text": f"<{name}>"} for name in "abcd"]
    path = f"/campaigns/{signed_in.campaign(items=items, comparisons=given, policy=policy)}"
    assert "not ranked" not in signed_in.client.get(f"{path}/report", headers=PAGE).text
    for item in "cd":
        signed_in.client.delete(f"/api/v1{path}/items/{item}", headers=signed_in.organiser)
    assert sum(row["score"] for row in signed_in.get(f"{path}/ranking").json()) == pytest.approx(total)
    page = re.sub(r"</?span[^>]*>", "", signed_in.client.get(f"{path}/report", headers=PAGE).text)
    assert "Removed, and not ranked: &lt;c&gt;; &lt;d&gt;</p>" in page
    assert words in page


@pytest.mark.parametrize(
    ("terms", "free"), [({}, True), ({"completion_code": "C0DE"}, False), ({"completion_url": "https://x.org"}, False)]
)
def test_who_is_paid_at_the_end_is_not_told_to_stop_whenever_they_like(service, terms, free):
    link = service.post("/campaigns", MINIMAL | terms).json()["join_url"]
    page = service.client.get(link, headers=PAGE).text
    assert ("stop whenever you like" in page) is free
    assert ("once you have answered everything there is for you" in page) is not free


def test_pages_send_strangers_to_sign_in_and_tell_errors_in_words(service):
    campaign = service.campaign(**{"items": ITEMS} | {"name": MINIMAL["name"]})
    for path in (
        "/",
        "/campaigns/new?key=k",
        "/tokens",
        *(f"/campaigns/{campaign}{x}" for x in ("", "/invite", "/report")),
    ):
        response = service.client.get(path, headers=PAGE)
        assert (response.status_code, response.headers["location"].partition("?")[0]) == (303, "/signin"), path
    assert service.client.get(f"/campaigns/{campaign}/export/ranking.csv").status_code == 401
    assert service.client.get(f"/work/{campaign}", headers=PAGE).status_code == 403
    page = service.client.get("/nowhere", headers=PAGE)
    assert page.status_code == 404
    assert "That did not work" in page.text
    assert "There is nothing here: check the address." in page.text
    assert "Go to the start page" in page.text


def test_a_worker_whose_browser_keeps_no_cookies_is_told_and_not_sent_to_sign_in(service):
    join = service.get(f"/campaigns/{service.campaign()}").json()["join_url"].removeprefix("http://testserver")
    csrf = form_of(service, join)
    service.client.cookies.clear()
    page = service.client.post(join, data={"csrf": csrf}, headers=PAGE)
    assert page.status_code == 403
    assert "go back, reload the page and try again, with cookies switched on" in page.text
    assert "Go to the start page" not in page.text


def test_who_joins_and_hears_nothing_and_presses_the_button_again_is_one_worker(service):
    campaign = service.campaign()
    join = service.get(f"/campaigns/{campaign}").json()["join_url"].removeprefix("http://testserver")
    form = dict(re.findall(r'name="(csrf|key)" value="([^"]+)"', service.client.get(join).text))
    for name, workers in (("Ada", 1), ("Ada", 1), ("Grace", 2)):
        reply = service.client.post(join, data=form | {"name": name}, headers=PAGE)
        assert reply.headers["location"] == f"/work/{campaign}"
        service.client.cookies.delete(f"nextpair_w_{campaign}")  # it was lost on its way
        assert len(service.get(f"/campaigns/{campaign}/workers").json()) == workers
    token = re.search(r"nextpair_w_\w+=([\w-]+)", reply.headers["set-cookie"])[1]
    assert service.ask(campaign, token)


def test_who_joins_again_where_their_link_was_replaced_is_told_what_to_do_and_types_nothing_again(service):
    campaign = service.campaign()
    join = service.get(f"/campaigns/{campaign}").json()["join_url"].removeprefix("http://testserver")
    form = dict(re.findall(r'name="(csrf|key)" value="([^"]+)"', service.client.get(join).text)) | {"name": 'Ada "A"'}
    service.client.post(join, data=form, headers=PAGE)
    (worker,) = service.get(f"/campaigns/{campaign}/workers").json()
    service.post(f"/campaigns/{campaign}/workers/{worker['id']}/token")
    page = service.client.post(join, data=form, headers=PAGE)
    assert page.status_code == 409
    assert "Open your new link, or ask for it." in page.text
    assert 'value="Ada &#34;A&#34;"' in page.text
    anew = form | dict(re.findall(r'name="(csrf|key)" value="([^"]+)"', page.text))
    assert service.client.post(join, data=anew, headers=PAGE).headers["location"] == f"/work/{campaign}"
    assert [row["name"] for row in service.get(f"/campaigns/{campaign}/workers").json()] == 2 * ['Ada "A"']


def test_routes_and_pages_make_every_change_through_the_desk():
    """What docs/architecture.md says; signing in and out is the exception that it names."""
    folder = Path(desk.__file__).parent
    writes = re.compile(r"records\.(add|reset|revoke|use)_\w+|store\.append")
    for file in [*folder.glob("api/*.py"), *folder.glob("pages/*.py")]:
        if file.name != "signin.py":
            assert not writes.findall(file.read_text()), file.name


def test_who_favours_a_side_is_said_in_the_report_and_on_the_dashboard(signed_in):
    """Of earlier answers, too, where the file says how items were shown: one judge always says left."""
    items = [f"item {k}" for k in range(8)]
    pairs = [(a, b) for k, a in enumerate(items) for b in items[k + 1 :]]
    rows = [f"{who},{x},{y},{says}" for a, b in pairs for who, x, y, says in _judged(a, b)]
    files = {"comparisons_file": ("c.csv", "\n".join(["worker,left,right,winner", *rows]).encode(), "text/csv")}
    shown = created(signed_in, submit(signed_in, files, items="\n".join(items)))
    favours = {row["name"]: row["favours"] for row in signed_in.get(f"/campaigns/{shown['id']}/workers").json()}
    assert favours["careful"] == ""
    assert favours["hasty"] in ("left 99 %", "left 100 %")
    page = signed_in.client.get(f"/campaigns/{shown['id']}/report", headers=PAGE).text
    assert f"favours {favours['hasty']}" in page
    assert "the left one of two equal items" in page


def _judged(better, worse):
    return [
        ("careful", better, worse, "left"),
        ("careful", worse, better, "right"),
        ("hasty", better, worse, "left"),
        ("hasty", worse, better, "left"),
    ]
