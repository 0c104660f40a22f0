"""`nextpair serve` as a command: what it refuses, and several processes; and that CI does not skip real parts."""

from __future__ import annotations

import json
import urllib.request

import pytest
from click.testing import CliRunner
from harness import MINIMAL, TOKEN, bearer
from servers import running_server

import parts
from nextpair.cli import serve as command
from nextpair.errors import InvalidSetting


def test_several_processes_serve_one_campaign(tmp_path):
    with running_server(tmp_path, "--processes", "2") as server:

        def send(path, body=None, token=TOKEN):
            headers = bearer(token) | {"Content-Type": "application/json"}
            data = None if body is None else json.dumps(body).encode()
            request = urllib.request.Request(f"{server.url}/api/v1{path}", data, headers)
            with urllib.request.urlopen(request, timeout=60) as response:  # a new connection each: any process
                return response.status, json.loads(response.read() or "null")

        _, campaign = send("/campaigns", MINIMAL)
        _, worker = send(f"/campaigns/{campaign['id']}/workers", {})
        for number in range(1, 7):
            _, question = send(f"/campaigns/{campaign['id']}/questions", {}, worker["token"])
            status, told = send(f"/questions/{question['id']}/answer", {"choice": "left"}, worker["token"])
            assert (status, told["progress"]["answers"]) == (200, number)


def test_a_wrong_database_is_one_line_and_exit_code_1():
    result = CliRunner().invoke(command.serve, ["--database", "oracle://x"])
    assert isinstance(result.exception, InvalidSetting)
    assert "sqlite:///" in str(result.exception)


def test_a_missing_extra_says_what_to_install(monkeypatch):
    monkeypatch.setattr(command, "find_spec", lambda name: None)
    result = CliRunner().invoke(command.serve, [])
    assert "nextpair[service]" in str(result.exception)


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
