"""A campaign comes back from its journal, into an empty database and beside others."""

from __future__ import annotations

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
    same = ("status", "budget", "spent", "held", "remaining", "price", "answers", "seq", "expected_accuracy")
    before, after = service.get(f"/campaigns/{campaign}").json(), other.get(f"/campaigns/{again}").json()
    assert {name: after[name] for name in same} == {name: before[name] for name in same}
    assert (after["name"], after["question"]) == ("Animals", "Which?")
    for what in ("ranking", "journal"):
        assert other.get(f"/campaigns/{again}/{what}").json() == service.get(f"/campaigns/{campaign}/{what}").json()
    # the workers are known, and go on with a new link
    worker = other.get(f"/campaigns/{again}/workers").json()[0]["id"]
    token = other.post(f"/campaigns/{again}/workers/{worker}/token").json()["token"]
    question = other.ask(again, token)
    assert question["left"]["text"].startswith("The ")
    assert other.answer(question["id"], "left", token).status_code == 200


@pytest.mark.parametrize(
    ("items", "advice"),
    [("id,text\nghost,x\n", "'ghost', which is not an item"), (None, "cannot read")],
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
