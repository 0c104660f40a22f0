"""Schemathesis reads the API's description and sends what it allows, and what it does not. On PostgreSQL."""

from __future__ import annotations

import pytest
import schemathesis
from harness import TOKEN
from hypothesis import HealthCheck, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import content_type_conformance, response_schema_conformance

CHECKS = [not_a_server_error, content_type_conformance, response_schema_conformance]
KNOWN: dict[str, str] = {}  # ids and a worker's token that exist, so that requests get beyond "not found"


@pytest.fixture
def api_schema(open_service, postgres_url):
    service = open_service(database=postgres_url)
    campaign = service.campaign()
    worker = service.worker(campaign)
    question = service.ask(campaign, worker["token"])
    KNOWN.update(campaign_id=campaign, worker_id=worker["id"], question_id=question["id"], token=worker["token"])
    loaded = schemathesis.openapi.from_asgi("/api/v1/openapi.json", service.client.app)
    return loaded.exclude(path_regex="events$")


schema = schemathesis.pytest.from_fixture("api_schema")


@schema.parametrize()
@settings(max_examples=8, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
def test_schemathesis_finds_no_server_error(case):
    for token in (TOKEN, KNOWN["token"]):
        response = case.call(headers={"Authorization": f"Bearer {token}"})
        case.validate_response(response, checks=CHECKS)
        for name in case.path_parameters or {}:
            case.path_parameters[name] = KNOWN[name]
