"""Connections to the database: one that was lost while nobody used it is replaced, and not asked about when in use."""

from __future__ import annotations

import psycopg
import pytest
from sqlalchemy import event, text
from sqlalchemy.exc import DBAPIError, OperationalError

from nextpair.store import database
from nextpair.store.database import open_database


def cut_all_connections(url: str) -> None:
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() "
            "AND datname = current_database()"
        )


def select_one(engine):
    with engine.connect() as connection:
        return connection.scalar(text("SELECT 1"))


def test_a_connection_that_was_lost_while_idle_is_replaced(postgres_url, monkeypatch):
    engine = open_database(postgres_url)
    try:
        assert select_one(engine) == 1
        cut_all_connections(postgres_url)
        monkeypatch.setattr(database, "_IDLE_SECONDS", 0.0)
        assert select_one(engine) == 1
    finally:
        engine.dispose()


def test_a_connection_lost_in_use_is_told_once_and_then_replaced(postgres_url):
    engine = open_database(postgres_url)
    try:
        assert select_one(engine) == 1
        cut_all_connections(postgres_url)
        with pytest.raises(OperationalError):  # the service says "try again in a moment"
            select_one(engine)
        assert select_one(engine) == 1
    finally:
        engine.dispose()


def test_a_host_that_is_gone_without_a_word_is_noticed_soon_unless_the_address_says_else(postgres_url):
    """Else a lost answer of the network holds a request for a quarter of an hour."""
    for options, patience in (("", "15000"), ("?tcp_user_timeout=60000", "60000")):
        engine = open_database(postgres_url + options)
        try:
            with engine.connect() as connection:
                settings = connection.connection.driver_connection.info.get_parameters()
        finally:
            engine.dispose()
        assert settings["tcp_user_timeout"] == patience
        assert settings["connect_timeout"] == "10"
        assert (settings["keepalives_idle"], settings["keepalives_interval"]) == ("5", "5")


def test_a_connection_in_use_is_not_asked_whether_it_stands(postgres_url, monkeypatch):
    engine = open_database(postgres_url)
    pings = []
    monkeypatch.setattr(engine.dialect, "do_ping", lambda connection: pings.append(connection) or True)
    statements = []
    event.listen(engine, "before_cursor_execute", lambda *given: statements.append(given[2]))
    try:
        for _ in range(3):
            select_one(engine)
    finally:
        engine.dispose()
    assert pings == []
    assert statements == ["SELECT 1"] * 3


@pytest.mark.parametrize("backend", ["sqlite", "postgresql"])
def test_an_error_does_not_hold_what_the_statement_was_about(request, tmp_path, backend):
    """It ends in a log, and a log is no place for names and hashes."""
    url = f"sqlite:///{tmp_path}/x.db" if backend == "sqlite" else request.getfixturevalue("postgres_url")
    engine = open_database(url)
    try:
        with pytest.raises(DBAPIError) as told, engine.connect() as connection:
            connection.execute(text("SELECT * FROM nowhere WHERE name = :name"), {"name": "Ada Lovelace"})
        assert "nowhere" in str(told.value)
        assert "Ada" not in str(told.value)
    finally:
        engine.dispose()
