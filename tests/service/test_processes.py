"""Real processes: event streams, shutdown, the one-time link, the demo, and the short version of the bench."""

from __future__ import annotations

import json
import re
import signal
import threading
import time
import urllib.request
from dataclasses import replace

import httpx
import pytest
from harness import MINIMAL, TOKEN, bearer
from servers import running_server

from nextpair.service.bench.load import Manners
from nextpair.service.bench.run import Plan, run

PATIENCE = 120  # seconds: a machine that does other things too is slow, not wrong


@pytest.fixture(scope="module")
def pair(tmp_path_factory, postgres_server):
    """Two server processes on one PostgreSQL database."""
    folder = tmp_path_factory.mktemp("pair")
    options = ("--database", postgres_server)
    with running_server(folder, *options) as one, running_server(folder, *options) as other:
        yield one, other


def follow(url: str, campaign: str, heard: list[str], ready: threading.Event, token: str = TOKEN) -> None:
    request = urllib.request.Request(f"{url}/api/v1/campaigns/{campaign}/events", headers=bearer(token))
    try:
        with urllib.request.urlopen(request, timeout=PATIENCE) as stream:
            for line in stream:
                heard.append(line.decode().strip())
                ready.set()
    except OSError:
        pass


def test_events_of_one_process_reach_the_streams_of_another_and_do_not_hold_the_shutdown(pair):
    one, other = pair
    with httpx.Client(base_url=f"{one.url}/api/v1", headers=bearer(TOKEN), timeout=PATIENCE) as client:
        campaign = client.post("/campaigns", json=MINIMAL).json()["id"]
        heard: list[str] = []
        ready = threading.Event()
        listener = threading.Thread(target=follow, args=(other.url, campaign, heard, ready), daemon=True)
        listener.start()
        assert ready.wait(PATIENCE)
        worker = client.post(f"/campaigns/{campaign}/workers").json()
        question = client.post(f"/campaigns/{campaign}/questions", headers=bearer(worker["token"])).json()
        answer = {"choice": "left"}
        client.post(f"/questions/{question['id']}/answer", json=answer, headers=bearer(worker["token"]))
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end and "event: answered" not in heard:
        time.sleep(0.05)
    assert [line for line in heard if line.startswith("event:")] == [
        "event: state",
        "event: workeradded",
        "event: asked",
        "event: answered",
    ]
    data = [json.loads(line.removeprefix("data: ")) for line in heard if line.startswith("data:")]
    assert data[-1]["question"] == question["id"]
    assert data[-1]["choice"] == "left"
    # the stream is still open, and would be for ever: the server must go all the same
    assert listener.is_alive()
    other.process.send_signal(signal.SIGTERM)
    assert other.process.wait(PATIENCE) in (0, -signal.SIGTERM)
    listener.join(PATIENCE)
    assert not listener.is_alive()


def test_a_stream_ends_with_the_token_that_opened_it(pair):
    server, _ = pair
    with httpx.Client(base_url=server.url, timeout=PATIENCE) as browser:
        page = browser.get("/signin").text
        form = {"csrf": re.search(r'name="csrf" content="(\w+)"', page)[1]}
        browser.post("/signin", data=form | {"token": TOKEN})
        form["csrf"] = re.search(r'name="csrf" content="(\w+)"', browser.get("/tokens").text)[1]
        shown = browser.post("/tokens", data=form | {"name": "script"}).text
        token = re.search(r"<code[^>]*>([\w-]{43})</code>", shown)[1]
        campaign = browser.post("/api/v1/campaigns", json=MINIMAL, headers=bearer(token)).json()["id"]
        heard, ready = [], threading.Event()
        ended = threading.Thread(target=follow, args=(server.url, campaign, heard, ready, token), daemon=True)
        ended.start()
        assert ready.wait(PATIENCE)
        record = re.search(r'name="revoke" value="(\w+)"', shown)[1]
        assert browser.post("/tokens", data=form | {"revoke": record}).status_code == 200
        ended.join(PATIENCE)
        assert not ended.is_alive()


def test_without_a_token_a_link_is_printed_that_works_once(tmp_path):
    with running_server(tmp_path, token=None) as server:
        printed = server.log.read_text()
        link = re.search(r"(http\S+/welcome/\S+)", printed)[1]
        with httpx.Client(follow_redirects=True, timeout=PATIENCE) as browser:
            assert "Nothing here yet" in browser.get(link, headers={"Accept": "text/html"}).text
        assert httpx.get(link, timeout=PATIENCE).status_code == 404
        assert (tmp_path / "nextpair.db").exists()
        code = link.rsplit("/", 1)[1]
        assert server.log.read_text().count(code) == 1  # printed, and not logged


def left_behind(folder, server, number):
    """What is there of a demo after a signal ended it."""
    assert len(list(folder.glob("nextpair-demo-*/demo.db"))) == 1
    server.process.send_signal(number)
    assert server.process.wait(PATIENCE) in (0, -number)
    return [path for path in folder.iterdir() if path != server.log]


def test_the_demo_is_alive_within_seconds_until_ctrl_c(tmp_path):
    with running_server(tmp_path, "--demo") as server:
        with httpx.Client(base_url=f"{server.url}/api/v1", headers=bearer(TOKEN), timeout=PATIENCE) as client:
            (campaign,) = client.get("/campaigns").json()
            end = time.monotonic() + PATIENCE
            while time.monotonic() < end and client.get(f"/campaigns/{campaign['id']}").json()["answers"] < 5:
                time.sleep(0.2)
            shown = client.get(f"/campaigns/{campaign['id']}/dashboard").json()
        assert shown["campaign"]["answers"] >= 5
        assert len(shown["workers"]) == 7
        assert not (tmp_path / "nextpair.db").exists()
        assert left_behind(tmp_path, server, signal.SIGINT) == []


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_the_demo_leaves_nothing_behind(tmp_path, number):
    with running_server(tmp_path, "--demo") as server:
        assert left_behind(tmp_path, server, number) == []


SHORT = Plan("", workers=30, items=10, budget=120, kills=1, lease=2.0, seconds=300.0)
ROUGH = Manners(think=0.02, hang_up=0.06, abandon=0.05, duplicate=0.15, contradict=0.1, skip=0.05)


def check(report, plan):
    assert report.lost == []
    assert report.spent == pytest.approx(plan.budget * plan.price)  # used to the last cent, and not a cent more
    assert report.answers == plan.budget
    assert report.kills == plan.kills
    for fault in ("connections dropped", "answers sent twice", "answers contradicted", "requests retried"):
        assert report.faults[fault] > 0


def test_nothing_is_lost_on_sqlite_under_faults_and_kill_9(tmp_path):
    plan = replace(SHORT, database=f"sqlite:///{tmp_path}/bench.db", manners=ROUGH)
    check(run(plan, tmp_path), plan)


def test_nothing_is_lost_on_postgresql_with_two_processes_under_faults_and_kill_9(tmp_path, postgres_url):
    plan = replace(SHORT, database=postgres_url, processes=2, manners=ROUGH, seed=2)
    check(run(plan, tmp_path), plan)
