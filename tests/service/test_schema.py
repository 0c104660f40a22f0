"""Schemathesis reads the API's description and sends what it allows, and what it does not.

Once in this process on PostgreSQL, with ids and tokens that exist; once as a program, with all its checks, against a
live server.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import httpx
import pytest
import schemathesis
from harness import ITEMS, MINIMAL, TOKEN, bearer
from hypothesis import HealthCheck, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import content_type_conformance, response_schema_conformance
from servers import running_server

CHECKS = [not_a_server_error, content_type_conformance, response_schema_conformance]
KNOWN: dict[str, str] = {}  # ids and a worker's token that exist, so that requests get beyond "not found"


MORE = [{"id": "fly", "text": "*The* fly", "kind": "markdown"}, {"id": "gnu", "image": "https://x.example/gnu.png"}]


@schemathesis.hook
def before_load_schema(_: Any, description: dict[str, Any]) -> None:
    """What is described in full has no other fields; to clients it is left open, for versions to come."""
    for described in description["components"]["schemas"].values():
        if "properties" in described:
            described["additionalProperties"] = False


@pytest.fixture
def api_schema(open_service, postgres_url):
    service = open_service(database=postgres_url)
    campaign = service.campaign(items=[*ITEMS, *MORE])
    worker = service.worker(campaign)
    for _ in range(8):
        service.answer(service.ask(campaign, worker["token"])["id"], "left", worker["token"])
    question = service.ask(campaign, worker["token"])
    KNOWN.update(campaign_id=campaign, worker_id=worker["id"], question_id=question["id"], token=worker["token"])
    KNOWN.update(item_id="cow")
    loaded = schemathesis.openapi.from_asgi("/api/v1/openapi.json", service.client.app)
    return loaded.exclude(path_regex="events$")


def test_the_description_says_where_a_token_is_needed(service):
    """So that a client which is made from it can send one."""
    described = service.client.get("/api/v1/openapi.json").json()
    assert described["components"]["securitySchemes"]["token"]["scheme"] == "bearer"
    open_to_all = {
        path
        for path, operations in described["paths"].items()
        for operation in operations.values()
        if operation.get("security") != [{"token": []}]
    }
    assert open_to_all == {"/healthz", "/metrics", "/api/v1/healthz", "/api/v1/metrics"}


def test_every_field_that_is_given_has_a_type(service):
    """So that a client which is made from the description knows them all."""
    described = service.client.get("/api/v1/openapi.json").json()
    untyped = {
        f"{method} {path} {status}"
        for path, operations in described["paths"].items()
        for method, operation in operations.items()
        for status, reply in operation["responses"].items()
        for content in reply.get("content", {}).values()
        if not is_typed(content["schema"], described)
    }
    assert untyped == set()
    given = service.get(f"/campaigns/{service.campaign()}").json()
    assert given.keys() == described["components"]["schemas"]["LinkedCampaignOut"]["properties"].keys()


def is_typed(schema: dict[str, Any], described: dict[str, Any]) -> bool:
    """Whether a schema says what is in it, down to its numbers and texts."""
    if "$ref" in schema:
        return is_typed(described["components"]["schemas"][schema["$ref"].rpartition("/")[2]], described)
    if "anyOf" in schema:
        return all(is_typed(part, described) for part in schema["anyOf"])
    if schema.get("type") == "array":
        return is_typed(schema["items"], described)
    if schema.get("type") == "object":
        fields = schema.get("properties", {}).values()
        return bool(fields) and not schema.get("additionalProperties") and all(is_typed(f, described) for f in fields)
    return "type" in schema or "const" in schema


schema = schemathesis.pytest.from_fixture("api_schema")


@schema.parametrize()
@settings(max_examples=8, suppress_health_check=list(HealthCheck), derandomize=True)
def test_schemathesis_finds_no_server_error(case):
    for token in (TOKEN, KNOWN["token"]):
        response = case.call(headers={"Authorization": f"Bearer {token}"})
        case.validate_response(response, checks=CHECKS)
        # what the description allows is never refused for its form, only for what it means (an id twice, not a picture)
        if case.meta is not None and case.meta.generation.mode.is_positive and response.status_code == 422:
            assert response.json()["error"]["code"] in ("invalid_setting", "invalid_file"), response.text
        for name in case.path_parameters or {}:
            case.path_parameters[name] = KNOWN[name]


def test_schemathesis_finds_nothing_with_all_checks_against_a_live_server(tmp_path):
    with running_server(tmp_path, "--database", "sqlite:///schema.db") as server:
        with httpx.Client(base_url=f"{server.url}/api/v1", headers=bearer(TOKEN), timeout=120) as client:
            campaign = client.post("/campaigns", json=MINIMAL).json()["id"]
            worker = client.post(f"/campaigns/{campaign}/workers").json()
            ask = client.post(f"/campaigns/{campaign}/questions", headers=bearer(worker["token"]))
        (tmp_path / "schemathesis.toml").write_text(
            f'[parameters]\n"path.campaign_id" = "{campaign}"\n"path.worker_id" = "{worker["id"]}"\n'
            f'"path.question_id" = "{ask.json()["id"]}"\n"path.item_id" = "cow"\n'
        )
        command = [
            str(Path(sys.executable).parent / "schemathesis"), "run", f"{server.url}/api/v1/openapi.json",
            "--checks", "all", "--exclude-checks", "positive_data_acceptance",  # that one is above, with our codes
            "--header", f"Authorization: Bearer {TOKEN}", "--exclude-path-regex", "events$",
            "--max-examples", "3", "--phases", "coverage,fuzzing", "--generation-deterministic",
            "--request-timeout", "60",
        ]  # fmt: skip
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=1500, check=False)
        assert done.returncode == 0, done.stdout[-6000:]
        assert " 500 " not in server.log.read_text()
