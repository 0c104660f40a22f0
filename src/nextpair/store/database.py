"""Opening a database: SQLite set up to be durable and shared, PostgreSQL as it comes, both at the newest schema."""

from __future__ import annotations

import re
import time
from functools import partial
from pathlib import Path
from typing import Any

from alembic import command
from alembic.config import Config
from alembic.util import CommandError
from sqlalchemy import Connection, Engine, create_engine, event, text
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, DisconnectionError, NoSuchModuleError

from nextpair.errors import InvalidSetting

MIGRATIONS = Path(__file__).parent / "migrations"
_MIGRATION_LOCK = 5_327_419  # any number, the same in every process
_IDLE_SECONDS = 10.0  # a connection that was used within this time is not asked whether it still stands
# a host that is gone without a word is noticed after so long, not after a quarter of an hour; an address may say else
_GONE = {"connect_timeout": 10, "tcp_user_timeout": 15_000, "keepalives_idle": 5, "keepalives_interval": 5}
_BUSY_MS = 10_000  # how long a writer waits for another process's write lock on SQLite


def open_database(url: str) -> Engine:
    """The engine of a database at the newest schema, e.g. sqlite:///nextpair.db or postgresql://user@host/name."""
    parsed = _parse(url)
    # an error names the statement and not what it was about: logs are no place for names and hashes
    make_engine = partial(create_engine, parsed, hide_parameters=True)
    if parsed.get_backend_name() == "sqlite":
        engine = make_engine(connect_args={"timeout": _BUSY_MS / 1000, "check_same_thread": False})
        event.listen(engine, "connect", _set_up_sqlite)
    else:
        gone = {name: value for name, value in _GONE.items() if name not in parsed.query}
        engine = make_engine(pool_size=8, max_overflow=8, connect_args=gone)
        event.listen(engine, "checkin", _note_use)
        event.listen(engine, "checkout", partial(_check_idle, engine))
    try:
        migrate(engine)
    except DBAPIError as error:
        reason = str(error.orig).strip().splitlines()[0]
        advice = _ADVICE[engine.dialect.name]
        raise InvalidSetting(f"cannot open the database {_without_secrets(url)}: {reason}; {advice}") from None
    except CommandError:
        raise InvalidSetting(
            f"the database {_without_secrets(url)} is of a newer nextpair: update this one, or use another database"
        ) from None
    return engine


_ADVICE = {
    "sqlite": "check that its folder is there, that the file is a database of nextpair, and that you may write to it",
    "postgresql": "check that PostgreSQL runs there, and the host, port, name, user and password",
}


def _without_secrets(url: str) -> str:
    """An address as it was given, less the password and the options behind it."""
    return re.sub(r"(://[^:/@]*):.*@", r"\1:***@", url).partition("?")[0]


def _parse(url: str) -> URL:
    try:
        parsed = make_url(url)
        backend = parsed.get_backend_name()
    except (ArgumentError, NoSuchModuleError, ValueError):
        backend = ""
    if backend == "sqlite":
        if not parsed.database or parsed.database == ":memory:":
            raise InvalidSetting("an SQLite database needs a file: sqlite:///nextpair.db")
        return parsed
    if backend in ("postgresql", "postgres"):
        if "@" in (parsed.host or ""):  # half of the password, which an error of the driver would tell
            raise InvalidSetting(f"the password of {_without_secrets(url)} holds an @: write that as %40")
        return parsed.set(drivername="postgresql+psycopg")
    raise InvalidSetting(
        f"unknown database {_without_secrets(url)!r}: use sqlite:///file.db or postgresql://user@host/name"
    )


def _set_up_sqlite(connection: Any, _: object) -> None:
    cursor = connection.cursor()
    cursor.execute(f"PRAGMA busy_timeout={_BUSY_MS}")
    _retry_busy(lambda: cursor.execute("PRAGMA journal_mode=WAL"))
    cursor.execute("PRAGMA synchronous=FULL")  # an acknowledged answer survives a crash of the machine
    cursor.execute("PRAGMA foreign_keys=ON")
    cursor.close()


def _note_use(_: object, record: Any) -> None:
    record.info["used_at"] = time.monotonic()


def _check_idle(engine: Engine, connection: Any, record: Any, _: object) -> None:
    # the database was restarted, or a firewall has forgotten us: the pool then makes a new connection
    if time.monotonic() - record.info.get("used_at", time.monotonic()) < _IDLE_SECONDS:
        return
    try:
        engine.dialect.do_ping(connection)
    except Exception as error:
        raise DisconnectionError("the connection was lost while nobody used it") from error


def _retry_busy(step: Any) -> None:
    # switching to WAL does not wait for the busy timeout when two processes start at once
    for pause in (0.05, 0.1, 0.2, 0.4, 0.8, 1.6, None):
        try:
            step()
        except Exception as error:
            if pause is None or "locked" not in str(error):
                raise
            time.sleep(pause)
        else:
            return


def migrate(engine: Engine) -> None:
    """Bring the schema to its newest revision. Processes that start together wait for each other."""
    with engine.connect() as connection:
        if engine.dialect.name == "sqlite":
            connection.exec_driver_sql("BEGIN IMMEDIATE")
        else:
            connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _MIGRATION_LOCK})
        command.upgrade(alembic_config(connection), "head")
        connection.commit()


def alembic_config(connection: Connection | None = None) -> Config:
    """Alembic's settings, with the connection that the migrations are to use."""
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    config.attributes["connection"] = connection
    return config
