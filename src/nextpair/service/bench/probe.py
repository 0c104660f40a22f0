"""The database alone, in the same run: bare round trips, from a process of its own."""

from __future__ import annotations

import json
import secrets
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import text

from nextpair.campaign import events as ev
from nextpair.service.bench.processes import own_environment
from nextpair.store.database import open_database
from nextpair.store.sql import SqlStore

PAUSE = 0.1
Seconds = dict[str, list[float]]


@contextmanager
def probing(database: str) -> Iterator[Seconds]:
    """Time bare reads and appends for as long as the block runs; the result is filled in at its end."""
    if database.startswith("sqlite"):
        database += ".probe"  # a file beside it: another writer in the same one would make the servers wait
    command = [sys.executable, "-m", __name__, database]
    found: Seconds = {}
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=own_environment()) as process:
        try:
            yield found
        finally:
            told, _ = process.communicate()
            found.update(json.loads(told or "{}"))


def measure(database: str) -> Seconds:
    """A read that asks nothing and a durable append of one event, every tenth of a second until standard input ends."""
    engine = open_database(database)
    store, name = SqlStore(engine), f"probe-{secrets.token_hex(4)}"
    store.append(name, 0, [ev.Paused()], 0.0)
    done = threading.Event()

    def wait_for_goodbye() -> None:
        sys.stdin.read()
        done.set()

    threading.Thread(target=wait_for_goodbye, daemon=True).start()
    reader = engine.execution_options(isolation_level="AUTOCOMMIT")
    found: Seconds = {"read": [], "append": []}
    while True:
        started = time.perf_counter()
        with reader.connect() as connection:
            connection.execute(text("SELECT 1"))
        found["read"].append(time.perf_counter() - started)
        started = time.perf_counter()
        store.append(name, len(found["append"]) + 1, [ev.Paused()], 0.0)
        found["append"].append(time.perf_counter() - started)
        if done.wait(PAUSE):
            return found


if __name__ == "__main__":
    print(json.dumps(measure(sys.argv[1])))
