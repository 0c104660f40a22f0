"""A campaign comes back from its journal, into an empty database and beside others."""

from __future__ import annotations

import calendar
from urllib.parse import quote

import pytest
from click.testing import CliRunner
from harness import ITEMS
from test_pages import signed_in  # noqa: F401 - a fixture

from nextpair import Campaign
from nextpair.cli.main import cli
from nextpair.errors import InvalidFile


@pytest.fixture
def journal(signed_in, tmp_path):  # noqa: F811
    """The journal of a campaign with answers, a ban, an undo and an open question, as the dashboard gives it out."""
    service = signed_in
    campaign = service.campaign(price=0.5)
    tokens = [service.worker(campaign, name)["token"] for name in ("Ada", "Bob")]
    for number in range(6):
        question = service.ask(campaign, tokens[number % 2])
        service.answer(question["id"], "left" if number % 3 else "tie", tokens[number % 2])
    service.post(f"/questions/{question['id']}/undo")
    service.ask(campaign, tokens[0])
    path = tmp_path / "journal.jsonl"
    path.write_text(service.client.get(f"/campaigns/{campaign}/export/journal.jsonl").text)
    return service, campaign, path


@pytest.mark.parametrize("backend", ["sqlite", "postgresql"])
def test_a_campaign_comes_back_from_its_journal(journal, open_service, tmp_path, backend, request):
    service, campaign, path = journal
    url = request.getfixturevalue("postgres_url") if backend == "postgresql" else f"sqlite:///{tmp_path}/new.db"
    (tmp_path / "items.csv").write_text("id,text\n" + "".join(f"{i['id']},{i['text']}\n" for i in ITEMS))
    options = ["--database", url, "--name", "Animals", "--question", "Which?", "--items", str(tmp_path / "items.csv")]
    done = CliRunner().invoke(cli, ["restore", str(path), *options], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    again = done.output.split()[2].rstrip(":")
    other = open_service(database=url)
    same = ("phase", "budget", "spent", "held", "remaining", "price", "answers", "seq", "expected_accuracy")
    before, after = service.get(f"/campaigns/{campaign}").json(), other.get(f"/campaigns/{again}").json()
    assert {name: after[name] for name in same} == {name: before[name] for name in same}
    assert (after["name"], after["question"]) == ("Animals", "Which?")
    for what in ("ranking", "journal"):
        assert other.get(f"/campaigns/{again}/{what}").text == service.get(f"/campaigns/{campaign}/{what}").text
    # the workers are known, and go on with a new link
    worker = other.get(f"/campaigns/{again}/workers").json()[0]["id"]
    token = other.post(f"/campaigns/{again}/workers/{worker}/token").json()["token"]
    question = other.ask(again, token)
    assert question["left"]["text"].startswith("The ")
    assert other.answer(question["id"], "left", token).status_code == 200


def run(*words):
    return CliRunner().invoke(cli, ["restore", *map(str, words)])


def test_what_curl_saves_comes_back_with_the_options_of_its_pages(signed_in, open_service, tmp_path):  # noqa: F811
    """The commands of docs/deployment.md, one after the other."""
    service = signed_in
    rows = [{"winner": "cow", "loser": "ant", "worker": "x" * 100}]
    options = {
        "ends_at": 4073565600.0, "currency": "EUR", "show_ranking": True, "by_how_much": True, "language": "de",
        "completion_url": "https://x.example/{code}", "completion_code": "C0DE",
    }  # fmt: skip
    campaign = service.campaign(comparisons=rows, target_accuracy=0.9, **options)
    token = service.worker(campaign)["token"]
    service.answer(service.ask(campaign, token)["id"], "left", token)
    saved = service.get(f"/campaigns/{campaign}/journal")
    assert saved.headers["content-type"].startswith("application/x-ndjson")
    assert saved.content == service.client.get(f"/campaigns/{campaign}/export/journal.jsonl").content
    (tmp_path / "campaign.jsonl").write_bytes(saved.content)
    url = f"sqlite:///{tmp_path}/new.db"
    done = run(
        tmp_path / "campaign.jsonl", "--database", url, "--currency", "EUR", "--ends-at", "2099-02-01T10:00",
        "--show-ranking", "--by-how-much", "--language", "de",
        "--completion-url", "https://x.example/{code}", "--completion-code", "C0DE",
    )  # fmt: skip
    assert done.exit_code == 0, done.output
    assert "end time" not in done.output
    other = open_service(database=url)
    (again,) = other.get("/campaigns").json()
    before = service.get(f"/campaigns/{campaign}").json()
    different = {"id", "name", "question", "created_at", "ends_at", "join_url"}
    assert {k: v for k, v in again.items() if k not in different} == {
        k: v for k, v in before.items() if k not in different
    }
    assert again["ends_at"] == calendar.timegm((2099, 2, 1, 10, 0, 0))
    # who was imported has no link, there as here
    for place, found in ((service, campaign), (other, again["id"])):
        assert place.post(f"/campaigns/{found}/workers/{'x' * 100}/token").status_code == 404


@pytest.mark.parametrize(
    ("option", "value", "advice"),
    [
        ("--ends-at", "2020-01-31T18:00", "has passed"),
        ("--completion-url", "x.example/done", "must begin with https://"),
        ("--completion-url", "https://x.example/{code}", "a place for a completion code, but there is none"),
        ("--currency", "doubloons", "9 characters are more than the 8 allowed: shorten it"),
        ("--name", "", "it is empty: fill it in"),
        ("--language", "klingon", "there is no language 'klingon': use one of ar, de, en,"),
    ],
)
def test_what_the_form_refuses_is_refused_here_too(journal, tmp_path, option, value, advice):
    done = run(journal[2], "--database", f"sqlite:///{tmp_path}/x.db", option, value)
    assert done.exit_code == 2
    assert f"Invalid value for '{option}'" in done.output
    assert advice in " ".join(done.output.split())
    assert "Value error" not in done.output
    assert not (tmp_path / "x.db").exists()


def test_the_forecast_counts_what_workers_cost_who_can_still_be_asked(open_service, tmp_path):
    costs = {"cheap": 0.1, "dear": 0.7, "done": 9.0}
    campaign = Campaign([f"i{k}" for k in range(8)], costs, budget=1000, cost=costs, quota=20)
    campaign.stop_at(0.999)
    for worker, answers in (("cheap", 19), ("dear", 9), ("done", 20)):
        for _ in range(answers):
            question = campaign.ask(worker)
            campaign.tell(question.id, "left" if question.left < question.right else "right")
    campaign.save(tmp_path / "costs.jsonl")
    url = f"sqlite:///{tmp_path}/new.db"
    assert run(tmp_path / "costs.jsonl", "--database", url).exit_code == 0
    service = open_service(database=url)
    (found,) = (row["id"] for row in service.get("/campaigns").json())
    forecast = service.get(f"/campaigns/{found}/dashboard").json()["forecast"]
    assert forecast["price"] == pytest.approx((20 * 0.1 + 10 * 0.7) / 30)
    assert forecast["cost"] == pytest.approx(0.3 * forecast["answers"])
    for worker in ("cheap", "dear"):
        service.post(f"/campaigns/{found}/workers/{worker}/ban")
    service.worker(found, "new")  # who joins costs what the campaign says
    assert service.get(f"/campaigns/{found}/dashboard").json()["forecast"]["price"] == 1


def test_a_worker_with_a_slash_in_the_name_has_links_and_can_be_banned(open_service, tmp_path):
    names = ["team/ann", "team/token", "two\nlines"]
    Campaign(["a", "b", "c"], names, budget=5).save(tmp_path / "teams.jsonl")
    url = f"sqlite:///{tmp_path}/new.db"
    assert run(tmp_path / "teams.jsonl", "--database", url).exit_code == 0
    service = open_service(database=url)
    (found,) = (row["id"] for row in service.get("/campaigns").json())
    for name in names:
        path = f"/campaigns/{found}/workers/{quote(name, safe='')}"
        token = service.post(f"{path}/token").json()["token"]
        assert service.ask(found, token) is not None
        assert service.client.delete(f"/api/v1{path}/token", headers=service.organiser).status_code == 204
        assert service.post(f"{path}/ban").status_code == 200
    assert {row["status"] for row in service.get(f"/campaigns/{found}/workers").json()} == {"banned"}


def test_what_a_journal_does_not_hold_is_said(journal, tmp_path):
    done = run(journal[2], "--database", f"sqlite:///{tmp_path}/new.db")
    assert "holds no end time, currency" in done.output


@pytest.mark.parametrize("name", ["w" * 65, "a\0b"])
def test_a_worker_that_no_database_holds_is_refused_before_anything_is_written(postgres_url, tmp_path, name):
    campaign = Campaign(["a", "b", "c"], [name, "ann"], budget=5)
    campaign.tell(campaign.ask(name).id, "left")
    campaign.save(tmp_path / "odd.jsonl")
    done = run(tmp_path / "odd.jsonl", "--database", postgres_url)
    assert isinstance(done.exception, InvalidFile)
    assert f"names a worker that a service cannot hold: {name[:60]!r}" in str(done.exception)


@pytest.mark.parametrize(
    ("items", "advice"),
    [
        ("id,text\nghost,x\n", "'ghost', which is not an item"),
        (None, "cannot read"),
        ("id,text\nant,a\0b\n", "item 1 contains the character NUL"),
        ('[{"id": "ant", "text": "\\ud800"}]', "item 1 is not text that UTF-8 can hold"),
    ],
)
def test_what_does_not_fit_is_refused(journal, tmp_path, items, advice):
    if items is not None:
        (tmp_path / "items.csv").write_text(items)
    options = ["--database", f"sqlite:///{tmp_path}/x.db", "--items", str(tmp_path / "items.csv")]
    done = CliRunner().invoke(cli, ["restore", str(journal[2]), *options])
    assert isinstance(done.exception, InvalidFile)
    assert advice in str(done.exception)
    assert not (tmp_path / "x.db").exists()


def test_a_campaign_without_workers_is_not_for_the_service(tmp_path):
    Campaign(["a", "b"], budget=1).save(tmp_path / "alone.jsonl")
    line = ["restore", str(tmp_path / "alone.jsonl"), "--database", f"sqlite:///{tmp_path}/x.db"]
    done = CliRunner().invoke(cli, line)
    assert isinstance(done.exception, InvalidFile)
    assert "knows no workers" in str(done.exception)


def test_who_has_terms_of_their_own_is_done_by_these(open_service, tmp_path):
    campaign = Campaign(["a", "b", "c", "d"], [], budget=10, quota=3)
    campaign.add_worker("few", quota=1)
    campaign.add_worker("dear", cost=8)
    campaign.save(tmp_path / "own.jsonl")
    url = f"sqlite:///{tmp_path}/new.db"
    assert run(tmp_path / "own.jsonl", "--database", url).exit_code == 0
    service = open_service(database=url)
    (found,) = (row["id"] for row in service.get("/campaigns").json())
    few, dear = (service.post(f"/campaigns/{found}/workers/{name}/token").json()["token"] for name in ("few", "dear"))
    done = service.answer(service.ask(found, few)["id"], "left", few).json()["progress"]
    assert (done["quota"], done["state"]) == (1, "done")
    assert service.ask(found, few) is None
    service.answer(service.ask(found, dear)["id"], "left", dear)
    assert service.ask(found, dear) is None
    assert service.get(f"/campaigns/{found}", dear).json()["progress"]["state"] == "done"
    service.post(f"/campaigns/{found}/workers/dear/ban")
    assert service.get(f"/campaigns/{found}/dashboard").json()["nobody_left"]


@pytest.fixture
def completed(signed_in, tmp_path):  # noqa: F811
    """A saved campaign with a worker who was given the code, one of a platform, one of no name, and one of before."""
    service = signed_in
    rows = [{"winner": "cow", "loser": "ant", "worker": "before"}]
    campaign = service.campaign(budget=1, completion_code="C0DE", comparisons=rows)
    invited = [{"name": "=Ada"}, {"name": "Bob", "outside_id": "5f"}, {"id": "m1"}]
    ada, *_ = (service.post(f"/campaigns/{campaign}/workers", worker).json() for worker in invited)
    service.answer(service.ask(campaign, ada["token"])["id"], "left", ada["token"])
    assert service.get(f"/campaigns/{campaign}", ada["token"]).json()["completion"]["code"] == "C0DE"
    for name in ("journal.jsonl", "workers.csv", "workers.json"):
        (tmp_path / name).write_bytes(service.client.get(f"/campaigns/{campaign}/export/{name}").content)
    return service, campaign, ada["id"]


@pytest.mark.parametrize("file", ["workers.csv", "workers.json"])
def test_workers_come_back_with_their_names_and_who_was_given_the_code_keeps_it(
    completed, open_service, tmp_path, file
):
    service, campaign, ada = completed
    url = f"sqlite:///{tmp_path}/new.db"
    done = run(
        tmp_path / "journal.jsonl", "--database", url, "--workers", tmp_path / file, "--completion-code", "C0DE"
    )  # fmt: skip
    assert done.exit_code == 0, done.output
    other = open_service(database=url)
    (again,) = (row["id"] for row in other.get("/campaigns").json())
    told = ("id", "name", "outside_id", "completed_at", "invited", "spent")
    before, after = (
        {tuple(row[key] for key in told) for row in place.get(f"/campaigns/{found}/workers").json()}
        for place, found in ((service, campaign), (other, again))
    )
    assert after == before
    assert [name for _, name, _, moment, *_ in after if moment] == ["=Ada"]
    # there is more to answer, and yet the code is theirs
    other.client.patch(f"/api/v1/campaigns/{again}", json={"budget": 9}, headers=other.organiser)
    token = other.post(f"/campaigns/{again}/workers/{ada}/token").json()["token"]
    assert other.ask(again, token) is not None
    assert other.get(f"/campaigns/{again}", token).json()["completion"]["code"] == "C0DE"
    # and who comes by the open link with the id of a platform is the same
    same = other.post(f"/campaigns/{again}/workers", {"outside_id": "5f"}).json()["id"]
    assert ("Bob", "5f") in [row[1:3] for row in after if row[0] == same]


@pytest.mark.parametrize(
    ("workers", "advice"),
    [
        ("id,name\nghost,Eve\n", "'ghost', who is not a worker"),
        ("name\nAda\n", "worker 1 has no id"),
        ("id,completed_at\nm1,yesterday\n", "completed_at 'yesterday'"),
        ("id,outside_id\nm1,x\nbefore,x\n", "the outside_id 'x' twice"),
        ("id\nm1\nm1\n", "the id 'm1' twice"),
        (f"id,outside_id\nm1,{201 * 'x'}\n", "201 characters"),
        ('[{"id": "m1", "name": "\\ud800"}]', "text that UTF-8 can hold"),
        ('{"id": "m1"}', "is a list"),
        ("[", "not JSON"),
        (None, "cannot read"),
    ],
)
def test_workers_that_do_not_fit_are_refused_before_anything_is_written(completed, tmp_path, workers, advice):
    file = tmp_path / "odd"
    if workers is not None:
        file.write_text(workers)
    done = run(tmp_path / "journal.jsonl", "--database", f"sqlite:///{tmp_path}/x.db", "--workers", file)
    assert isinstance(done.exception, InvalidFile)
    assert advice in str(done.exception)
    assert not (tmp_path / "x.db").exists()
