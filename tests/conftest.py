"""Fixtures for every folder: a real PostgreSQL server, started when the first test asks for it."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from uuid import uuid4

import psycopg
import pytest
from hypothesis import settings

import parts
from nextpair.service.bench.postgres import running_postgres

# what lands is decided by the same examples each time, runs by hand look for new ones; a busy machine fails neither
settings.register_profile("nextpair", derandomize=bool(os.environ.get("CI")), deadline=None)
settings.load_profile("nextpair")

# what is started under nohup, or in the background of a script, passes on that it is deaf to a closing terminal and to
# Ctrl-C, and some tests close one or press it
signal.signal(signal.SIGHUP, signal.SIG_DFL)
signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[str]:
    """The address of a server; NEXTPAIR_TEST_POSTGRES names one that runs already."""
    if given := os.environ.get("NEXTPAIR_TEST_POSTGRES"):
        yield given
        return
    parts.need("postgresql")
    with running_postgres() as url:
        yield url


@pytest.fixture
def postgres_url(postgres_server: str) -> str:
    """The address of a database of its own on that server."""
    name = f"test_{uuid4().hex}"
    with psycopg.connect(postgres_server, autocommit=True) as connection:
        connection.execute(f'CREATE DATABASE "{name}"')
    return postgres_server.rsplit("/", 1)[0] + "/" + name
