"""A service to test against: in this process on SQLite or PostgreSQL, or as a server with a browser before it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import count
from typing import Any

import pytest
from browsing import PATIENCE, WIDE
from fastapi.testclient import TestClient
from harness import TOKEN, Service
from playwright.sync_api import Browser, Page, sync_playwright
from servers import Server, running_server

import parts
from nextpair.service.app import _warm_up, create_app
from nextpair.service.settings import Settings


@pytest.fixture(scope="session", autouse=True)
def compiled() -> None:
    """The engine, on the disk. Where it never was, a busy machine compiles for minutes, and no page waits for that."""
    _warm_up()


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


@pytest.fixture
def wait(monkeypatch) -> Callable[[float], None]:
    """Let seconds pass for the services in this process, without waiting for them."""
    real, passed = time.time, [0.0]
    monkeypatch.setattr(time, "time", lambda: real() + sum(passed))
    return passed.append


# browsers

ADDRESSES = count(1)


@pytest.fixture(scope="session")
def web_server(tmp_path_factory) -> Iterator[Server]:
    """A server for browsers."""
    with running_server(tmp_path_factory.mktemp("story"), "--database", "sqlite:///story.db") as running:
        yield running


@pytest.fixture(scope="module")
def chrome() -> Iterator[Browser]:
    """Debian's Chromium. One a module: while it runs so does its event loop, and nobody else's can."""
    parts.need("chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=parts.chromium(), args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def visitor(chrome, web_server):
    """Open pages in contexts of their own; whatever a page complains about fails the test."""
    problems: list[str] = []
    contexts = []

    def open_page(viewport=WIDE, **options) -> Page:
        # everybody comes from an address of their own, as a proxy would tell: sign-ins are limited by address
        address = {"X-Forwarded-For": f"10.0.0.{next(ADDRESSES)}"}
        options |= {"extra_http_headers": address, "reduced_motion": "reduce"}  # what moves looks different each time
        context = chrome.new_context(base_url=web_server.url, viewport=viewport, **options)
        contexts.append(context)
        context.set_default_timeout(PATIENCE)
        page = context.new_page()
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.on("console", lambda line: problems.append(line.text) if _is_ours(line) else None)
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert problems == []


def _is_ours(line) -> bool:
    # a refused or aborted request is what some of these tests are about
    return line.type == "error" and "Failed to load resource" not in line.text
