"""Programs judge in a live campaign, by the personal link of a worker, over a network that loses replies."""

import json
import shlex
import sys
import threading
import time
import urllib.request
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest
from harness import TOKEN

import nextpair
from nextpair.errors import CampaignError, InvalidSetting, NextpairError, ServiceRefused
from nextpair.judging import live, rounds
from program import in_this_process

TEXTS = {f"i{n}": f"draft {n}" for n in range(6)}


@pytest.fixture
def organise(web_server):
    """Call the API as the organiser."""

    def call(method, path, body=None):
        headers = {"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json"}
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(f"{web_server.url}/api/v1{path}", data, headers, method=method)
        with urllib.request.urlopen(request, timeout=60) as reply:
            return json.loads(reply.read() or "null")

    return call


@pytest.fixture
def begun(organise):
    """(campaign, worker): their addresses, and the worker's personal link."""

    def begin(**settings):
        items = [{"id": name, "text": text} for name, text in TEXTS.items()]
        words = {"name": "Drafts", "question": "Which is better?", "items": items, "budget": 9, "policy": "random"}
        campaign = organise("POST", "/campaigns", words | settings)
        worker = organise("POST", f"/campaigns/{campaign['id']}/workers", {"name": "model"})
        return f"/campaigns/{campaign['id']}", worker

    return begin


def lower(question):
    return "left" if question.left < question.right else "right"


def books(organise, campaign):
    known = organise("GET", campaign)
    return known["spent"], known["held"], known["answers"]


def test_a_judge_gets_what_is_shown_and_answers_until_the_money_is_spent(begun, organise):
    campaign, worker = begun(
        items=[{"id": "one", "text": "a"}, {"id": "two", "text": "b", "image": "https://x.org/b.png"}]
    )
    seen = []
    judged = nextpair.judge(worker["url"], {"model": lambda question: seen.append(question) or "left"})
    assert judged.answers == {"model": 1}
    assert judged.why == "nothing is left to ask model"
    assert books(organise, campaign) == (1, 0, 1)
    (question,) = seen
    assert (question.worker, question.question, question.by_how_much) == ("model", "Which is better?", False)
    assert {question.left, question.right} == {"a", "b"}
    assert {item["id"]: item.get("image") for item in (question.left_item, question.right_item)} == {
        "one": None,
        "two": "https://x.org/b.png",
    }


def test_no_reply_that_gets_lost_costs_an_answer_or_a_cent(begun, organise, monkeypatch):
    """Each third reply does not come, though the service has done what it was asked."""
    campaign, worker = begun()
    calls, real = [], live._reply

    def lossy(request):
        calls.append(request)
        reply = real(request)
        return live._Reply(0, "the connection was closed") if len(calls) % 3 == 0 else reply

    monkeypatch.setattr(live, "_reply", lossy)
    monkeypatch.setattr(live.time, "sleep", lambda seconds: None)
    judged = nextpair.judge(worker["url"], {"model": lower}, at_once=3)
    assert judged.total == 9
    assert judged.refused == {}
    assert books(organise, campaign) == (9, 0, 9)
    assert len(calls) > 30


def test_what_was_open_comes_first(begun, organise):
    campaign, worker = begun()
    pauses, late, seen = iter((0.0, 1.0)), [], []

    def one_by_one(question):
        if pause := next(pauses):
            late.append(question.id)
            time.sleep(pause)
        return lower(question)

    with pytest.raises(SystemExit):
        nextpair.judge(worker["url"], {"model": one_by_one}, at_once=2, watching=Breaking())
    _, held, _ = books(organise, campaign)
    assert held >= 1
    nextpair.judge(worker["url"], {"model": lambda question: seen.append(question.id) or lower(question)}, at_once=1)
    assert seen[:1] == late
    assert books(organise, campaign) == (9, 0, 9)


class Breaking:
    """Ends a run after its first answer, as a crash would."""

    def answered(self, place, answers, judging):
        raise SystemExit

    def note(self, words):
        raise AssertionError(words)


def test_more_at_once_than_one_worker_may_hold_are_as_many_as_that(begun, organise, monkeypatch):
    monkeypatch.setattr(live.time, "sleep", lambda seconds: pytest.fail("it waits for its own answers"))
    campaign, worker = begun(items=[{"id": str(n), "text": f"draft {n}"} for n in range(12)], budget=60)
    judged = nextpair.judge(worker["url"], {"model": lower}, at_once=60)
    assert judged.total == 60
    assert books(organise, campaign) == (60, 0, 60)


def test_it_waits_while_the_campaign_is_paused(begun, organise, monkeypatch):
    monkeypatch.setattr(rounds, "SOON", 0.1)
    campaign, worker = begun()
    organise("POST", f"{campaign}/pause")
    came = []
    running = threading.Thread(target=lambda: came.append(nextpair.judge(worker["url"], {"model": lower})))
    running.start()
    time.sleep(1.0)
    assert running.is_alive()
    assert books(organise, campaign) == (0, 0, 0)
    organise("POST", f"{campaign}/resume")
    running.join(timeout=60)
    assert came[0].total == 9


def test_an_answer_to_what_was_closed_meanwhile_is_told_and_the_rest_goes_on(begun, organise, web_server):
    campaign, worker = begun()
    closed = []

    def too_late(question):
        if not closed:
            closed.append(question.id)
            headers = {"Authorization": f"Bearer {worker['token']}", "Content-Type": "application/json"}
            address = f"{web_server.url}/api/v1/questions/{question.id}/answer"
            urllib.request.urlopen(urllib.request.Request(address, b'{"choice": "skip"}', headers), timeout=60).close()
        return "left"

    judged = nextpair.judge(worker["url"], {"model": too_late}, at_once=1)
    assert list(judged.refused) == closed
    assert judged.total == 9
    assert books(organise, campaign) == (9, 0, 9)


def test_what_had_no_answer_has_its_turn_again_where_it_holds_the_rest_of_the_budget(begun, organise, monkeypatch):
    monkeypatch.setattr(rounds, "SOON", 0.1)
    _, worker = begun(budget=1)
    calls, notes, came = [], [], []

    def failing_once(question):
        calls.append(question.id)
        return "left" if len(calls) > 1 else "?"

    def run():
        came.append(nextpair.judge(worker["url"], {"model": failing_once}, tries=1, watching=Noting(notes)))

    running = threading.Thread(target=run, daemon=True)
    running.start()
    running.join(timeout=60)
    assert (came[0].total, came[0].unanswered) == (1, {})
    assert len(calls) == 2
    assert notes == ["nothing to ask just now: it is paused, or open questions hold the budget. Waiting"]


def test_what_the_organiser_undoes_is_judged_again(begun, organise, monkeypatch):
    """It is open again, and holds the rest of the budget."""
    monkeypatch.setattr(rounds, "SOON", 0.1)
    campaign, worker = begun(budget=2)
    asked, came = [], []

    def doubted(question):
        asked.append(question.id)
        if len(asked) == 2:
            organise("POST", f"/questions/{asked[0]}/undo")
        return lower(question)

    running = threading.Thread(
        target=lambda: came.append(nextpair.judge(worker["url"], {"model": doubted}, at_once=1)), daemon=True
    )
    running.start()
    running.join(timeout=60)
    assert asked == [*asked[:2], asked[0]]
    assert books(organise, campaign) == (2, 0, 2)
    assert came[0].unanswered == {}


class Noting:
    def __init__(self, notes):
        self.note = notes.append

    def answered(self, place, answers, judging):
        pass


def test_a_link_is_used_by_one_run_at_a_time(begun):
    _, worker = begun(budget=1)

    def begin_another(question):
        with pytest.raises(CampaignError, match="in another run already") as refused:
            nextpair.judge(worker["url"].replace("127.0.0.1", "LOCALHOST"), {"another": lower})
        assert worker["token"] not in str(refused.value)
        return "left"

    assert nextpair.judge(worker["url"], {"model": begin_another}).total == 1


def test_a_link_that_is_void_ends_it_in_words(begun, organise):
    campaign, worker = begun()

    def ended(question):
        organise("DELETE", f"{campaign}/workers/{worker['id']}/token")
        return "left"

    with pytest.raises(ServiceRefused, match="no longer works"):
        nextpair.judge(worker["url"], {"model": ended}, at_once=1)
    with pytest.raises(InvalidSetting, match="this link does not work"):
        nextpair.judge(worker["url"], {"model": lower})


@pytest.mark.parametrize(
    "link",
    [
        "https://host/join/abc",
        "http://host",
        "HTTP://host",
        "https://host/w/",
        "https://host/w/a/b",
        "http://host/w/é",
        "http://host/w/a b",
        "http://host:port/w/a",
        "http://[::1/w/a",
    ],
)
def test_what_is_no_personal_link_is_refused(link):
    with pytest.raises(InvalidSetting, match="is not the personal link of a worker"):
        nextpair.judge(link, {"model": lower})


def test_a_link_is_for_one(begun):
    with pytest.raises(InvalidSetting, match="one judge answers, not 2"):
        nextpair.judge("https://host/w/abc", {"model": lower, "another": lower})


def test_a_service_that_is_away_is_named(monkeypatch):
    monkeypatch.setattr(live, "PATIENCE", 1.5)
    notes = []
    with pytest.raises(ServiceRefused, match=r"http://127.0.0.1:9 does not answer: .*refused.* Run this again"):
        nextpair.judge("http://127.0.0.1:9/w/abc", {"model": lower}, watching=Noting(notes))
    (note,) = notes
    assert "It is tried again for 1.5 seconds" in note


class Elsewhere(BaseHTTPRequestHandler):
    """A server that is no nextpair service, though it knows where a worker works."""

    def do_GET(self):
        self.send_response(303 if self.path == "/w/known" else 200)
        self.send_header("Location", "/work/abc")
        self.end_headers()
        self.wfile.write(b"<html>")

    def log_message(self, *words):
        pass


@pytest.mark.parametrize("token", ["known", "unknown"])
def test_what_is_no_service_is_told_at_once(token, monkeypatch):
    monkeypatch.setattr(live.time, "sleep", lambda seconds: pytest.fail("it waits"))
    with HTTPServer(("127.0.0.1", 0), Elsewhere) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        with pytest.raises(NextpairError, match="no nextpair service"):
            nextpair.judge(f"http://127.0.0.1:{server.server_port}/w/{token}", {"model": lower})
        server.shutdown()


def test_from_the_shell(begun, organise, tmp_path):
    campaign, worker = begun()
    code = "import json, sys; q = json.load(sys.stdin); assert q['question'] == 'Which is better?'; print('right')"
    command = f"{shlex.quote(sys.executable)} -c {shlex.quote(code)}"
    done = in_this_process("judge", worker["url"], "--with", "model", command, "--most", "4", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "4 answers. No more is asked: as many answers as were wanted are in.\n"
    assert done.stderr == ""
    assert worker["token"] not in done.stdout
    assert books(organise, campaign) == (4, 0, 4)
    told = json.loads(
        in_this_process("judge", worker["url"], "--with", "model", command, "--json", cwd=tmp_path).stdout
    )
    assert (told["answers"], told["spent"]) == ({"model": 5}, None)
