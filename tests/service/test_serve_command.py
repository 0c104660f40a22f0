"""`nextpair serve` as a command: what it refuses, and several processes; and that CI does not skip real parts."""

from __future__ import annotations

import json
import os
import socket
import sqlite3
import subprocess
import sys
import time
import urllib.error
import urllib.request
from contextlib import closing, suppress
from pathlib import Path

import numba
import psycopg
import pytest
from click.testing import CliRunner
from harness import MINIMAL, TOKEN, bearer
from servers import running_server

import parts
from nextpair.cli import serve as command
from nextpair.errors import InvalidSetting
from nextpair.service.bench.postgres import free_port


@pytest.fixture(autouse=True)
def threads_as_they_are(monkeypatch):
    """The command sets the number of threads of its process, which here is everybody's: numba would refuse later."""
    monkeypatch.setenv("NUMBA_NUM_THREADS", str(numba.config.NUMBA_NUM_THREADS))


AFTER_WARMING_UP = """
from numba.core.dispatcher import Dispatcher
from nextpair import Campaign
from nextpair.service.app import _warm_up

_warm_up()
late, load = [], Dispatcher.compile
Dispatcher.compile = lambda self, signature: (late.append(self.py_func.__name__), load(self, signature))[1]
policies = set()
for n_items, target in (20, None), (20, 0.9), (520, None):
    campaign = Campaign(map(str, range(n_items)), [], 50.0, lease=60.0, stop_at=target)
    policies.add(campaign.settings.policy)
    for worker in ("ann", "ben"):
        campaign.add_worker(worker)
        for choice in ("left", "right", "tie"):
            question, _ = campaign.ask(worker), campaign.ask(worker)
            campaign.tell(question.id, choice)
        campaign.ranking(), campaign.workers()
assert policies == {"full-posterior", "full-posterior-checked", "akg"}
print(late)
"""


def test_no_worker_waits_for_the_engine_once_it_is_warm():
    """Neither with few items nor with so many that another policy chooses."""
    done = subprocess.run([sys.executable, "-c", AFTER_WARMING_UP], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_several_processes_serve_one_campaign_and_end_with_the_one_that_started_them(tmp_path):
    with running_server(tmp_path, "--processes", "2") as server:

        def send(path, body=None, token=TOKEN):
            headers = bearer(token) | {"Content-Type": "application/json"}
            data = None if body is None else json.dumps(body).encode()
            request = urllib.request.Request(f"{server.url}/api/v1{path}", data, headers)
            with urllib.request.urlopen(request, timeout=300) as response:  # a new connection each: any process
                return response.status, json.loads(response.read() or "null")

        _, campaign = send("/campaigns", MINIMAL)
        _, worker = send(f"/campaigns/{campaign['id']}/workers", {})
        for number in range(1, 7):
            _, question = send(f"/campaigns/{campaign['id']}/questions", {}, worker["token"])
            status, told = send(f"/questions/{question['id']}/answer", {"choice": "left"}, worker["token"])
            assert (status, told["progress"]["answers"]) == (200, number)
        lines = server.log.read_text().splitlines()
        # every process writes its log; the line of the last answer may be on its way
        assert sum("nextpair.access POST" in line and "/answer 200" in line for line in lines) >= 5
        # killed with -9, as by a system out of memory: orphans would hold the port and serve on
        server.process.kill()
        server.process.wait()
        for _ in range(600):
            try:
                urllib.request.urlopen(f"{server.url}/healthz", timeout=5).close()
            except (urllib.error.URLError, OSError):
                return
            time.sleep(0.1)
    raise AssertionError("orphans still serve")


def refusal(*options: str) -> str:
    """What `nextpair serve` says when it does not start."""
    result = CliRunner().invoke(command.serve, options)
    assert isinstance(result.exception, InvalidSetting), result.output
    assert result.output == ""  # no link that leads nowhere
    told = str(result.exception)
    assert "\n" not in told
    assert "s3cret" not in told
    return told


@pytest.mark.parametrize(
    ("database", "advice"),
    [
        ("oracle://u:s3cret@host/x", "use sqlite:///file.db or postgresql://user@host/name"),
        ("postgresql://u:s3cret@host:port/x", "use sqlite:///file.db or postgresql://user@host/name"),
        ("sqlite:///:memory:", "needs a file"),
        ("sqlite:///nowhere/x.db", "check that its folder is there"),
        ("sqlite:///folder", "check that its folder is there"),
        ("sqlite:///text.db", "file is not a database; check"),
        ("sqlite:///newer.db", "is of a newer nextpair: update this one"),
        ("postgresql://u:x@s3cret@127.0.0.1:1/x?password=s3cret", "holds an @: write that as %40"),
        ("postgresql://u:s3cret@nowhere.invalid/x", "check that PostgreSQL runs there"),
    ],
)
def test_a_database_that_cannot_be_opened_is_one_line_that_says_what_to_do(tmp_path, monkeypatch, database, advice):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    (tmp_path / "text.db").write_text("a letter to my grandmother, by no means a database\n" * 50)
    with closing(sqlite3.connect(tmp_path / "newer.db")) as newer, newer:
        newer.execute("CREATE TABLE alembic_version (version_num VARCHAR(32) PRIMARY KEY)")
        newer.execute("INSERT INTO alembic_version VALUES ('r9999')")
    assert advice in refusal("--database", database, "--port", str(free_port()))


def test_a_wrong_password_is_told_without_it(postgres_server):
    with psycopg.connect(postgres_server, autocommit=True) as connection:
        rules = Path(connection.execute("SHOW hba_file").fetchone()[0])
        if not os.access(rules, os.W_OK):
            pytest.skip("the server that was given has rules of its own")
        connection.execute("CREATE ROLE locked LOGIN PASSWORD 'right'")
        rules.write_text("host all locked all scram-sha-256\n" + rules.read_text())
        connection.execute("SELECT pg_reload_conf()")
    url = postgres_server.replace("nextpair@", "locked:s3cret@")
    for _ in range(600):  # the rules are read in a moment
        with suppress(psycopg.OperationalError):
            psycopg.connect(url, connect_timeout=5).close()
            time.sleep(0.1)
            continue
        break
    assert "password authentication failed" in (told := refusal("--database", url, "--port", str(free_port())))
    assert "check" in told


def test_a_port_in_use_is_one_line_and_exit_code_1(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        assert f"another program uses port {port}" in refusal(
            "--database", f"sqlite:///{tmp_path}/x.db", "--port", port
        )
        line = [sys.executable, "-m", "nextpair.cli.main", "serve", "--port", port, "--processes", "2"]
        done = subprocess.run(line, cwd=tmp_path, capture_output=True, text=True, timeout=300, check=False)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (1, "", 1)
    assert done.stderr.startswith("nextpair: cannot listen on 127.0.0.1 port")
    assert not list(tmp_path.iterdir())  # nothing was begun


@pytest.mark.parametrize("host", ["203.0.113.9", "no-such-host.invalid"])
def test_a_host_that_is_not_ours_is_one_line(tmp_path, host):
    told = refusal("--database", f"sqlite:///{tmp_path}/x.db", "--host", host, "--port", str(free_port()))
    assert "an address of this machine" in told


@pytest.mark.parametrize(
    ("host", "address"),
    [
        ("0.0.0.0", "http://127.0.0.1:80"),
        ("::", "http://[::1]:80"),
        ("::1", "http://[::1]:80"),
        ("b.org", "http://b.org:80"),
    ],
)
def test_the_address_that_is_printed_opens_in_a_browser(host, address):
    assert command._address(host, 80) == address


def test_a_missing_extra_says_what_to_install(monkeypatch):
    monkeypatch.setattr("nextpair.extras.find_spec", lambda name: None)
    result = CliRunner().invoke(command.serve, [])
    assert "nextpair[service]" in str(result.exception)


@pytest.mark.parametrize(
    ("given", "advice"),
    [
        ("rank.example.org", "such as https://rank.example.org"),
        ("rank.example.org:8000", "such as https://rank.example.org"),
        ("https://", "such as https://rank.example.org"),
        ("https://rank.example.org:port", "such as https://rank.example.org"),
        ("https://rank example.org", "such as https://rank.example.org"),
        ("https://example.org/rank", "a host name or a port of its own"),
        ("https://example.org?x=1", "a host name or a port of its own"),
    ],
)
def test_a_base_url_that_makes_no_links_is_refused(given, advice):
    assert advice in refusal("--base-url", given, "--port", str(free_port()))


@pytest.mark.parametrize("lease", ["nan", "inf"])
def test_a_lease_that_never_ends_is_refused(lease):
    assert refusal("--lease", lease).startswith("--lease must be a positive number")


@pytest.mark.parametrize("given", ["https://rank.example.org", "http://192.168.1.20:8000/", "http://[::1]:8000", ""])
def test_a_base_url_that_makes_links_is_taken(monkeypatch, given):
    monkeypatch.setattr(command, "_announce", lambda *_: None)
    monkeypatch.setattr(command, "_run", lambda *_: None)
    result = CliRunner().invoke(command.serve, ["--base-url", given, "--port", str(free_port())])
    assert result.exit_code == 0, result.output


@pytest.mark.parametrize(("options", "rate"), [([], 300), (["--join-rate", "7"], 7)])
def test_how_many_may_join_in_a_minute_is_an_option(monkeypatch, options, rate):
    ran = []
    monkeypatch.setattr(command, "_announce", lambda *_: None)
    monkeypatch.setattr(command, "_run", lambda settings, *_: ran.append(settings.join_rate))
    result = CliRunner().invoke(command.serve, ["--port", str(free_port()), *options])
    assert (result.exit_code, ran) == (0, [rate]), result.output


def test_a_short_token_is_warned_about(monkeypatch):
    monkeypatch.setattr(command, "_announce", lambda *_: None)
    monkeypatch.setattr(command, "_run", lambda *_: None)
    assert "short" in CliRunner().invoke(command.serve, ["--organiser-token", "abc"]).output


@pytest.mark.parametrize(("ci", "outcome"), [("true", pytest.fail.Exception), ("", pytest.skip.Exception)])
def test_a_missing_part_fails_under_ci_and_skips_elsewhere(monkeypatch, ci, outcome):
    monkeypatch.setenv("CI", ci)
    monkeypatch.setattr(parts, "install", lambda _: False)
    with pytest.raises(outcome, match="apt-get install chromium"):
        parts.need("chromium")
