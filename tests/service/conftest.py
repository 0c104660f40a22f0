"""A service to test against: in this process on SQLite or PostgreSQL, with an organiser who has a token."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest
from fastapi.testclient import TestClient
from harness import TOKEN, Service

from nextpair.service.app import create_app
from nextpair.service.settings import Settings


@pytest.fixture(scope="session")
def open_service(tmp_path_factory) -> Iterator[Callable[..., Service]]:
    """Open a service with some settings; all are closed at the end."""
    opened: list[TestClient] = []

    def start(**changes: Any) -> Service:
        folder = tmp_path_factory.mktemp("service")
        settings = replace(Settings(database=f"sqlite:///{folder}/s.db", organiser_token=TOKEN), **changes)
        # the clients do not follow redirects and stay themselves: cookies are handed over on purpose only
        client = TestClient(create_app(settings), follow_redirects=False, raise_server_exceptions=False)
        client.__enter__()
        opened.append(client)
        return Service(client, settings)

    yield start
    for client in opened:
        client.__exit__(None, None, None)


@pytest.fixture(scope="session")
def sqlite_service(open_service) -> Service:
    return open_service(signin_rate=100_000, join_rate=100_000)


@pytest.fixture
def service(sqlite_service: Service) -> Service:
    """The SQLite service, with no cookies left from another test."""
    sqlite_service.client.cookies.clear()
    return sqlite_service


@pytest.fixture(params=["sqlite", "postgresql"])
def any_service(request, open_service, sqlite_service) -> Service:
    """The same service on each database."""
    if request.param == "sqlite":
        sqlite_service.client.cookies.clear()
        return sqlite_service
    return open_service(database=request.getfixturevalue("postgres_url"))
