"""A PostgreSQL server of our own in a temporary folder, for the bench and the tests."""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg

from nextpair.errors import InvalidSetting

USERS = ("postgres", "nobody")  # PostgreSQL refuses to run as root: one of these then runs it


def find_programs() -> Path | None:
    """The folder with initdb and postgres: on the PATH, or where Debian puts them."""
    folders = [Path(found).resolve().parent for found in [shutil.which("initdb")] if found]
    folders += sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    return next((folder for folder in folders if (folder / "initdb").exists() and (folder / "postgres").exists()), None)


@contextmanager
def running_postgres() -> Iterator[str]:
    """Start a server with an empty database, and give its address. It is gone afterwards."""
    programs = find_programs()
    if programs is None:
        raise InvalidSetting("no PostgreSQL here: install it (Debian: apt-get install postgresql), or leave it out")
    folder = Path(tempfile.mkdtemp(prefix="nextpair-postgres-"))
    as_user = _demotion(folder)
    data = folder / "data"
    initdb = [programs / "initdb", "-D", data, "-U", "nextpair", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"]
    process: subprocess.Popen[bytes] | None = None
    try:
        subprocess.run(initdb, check=True, capture_output=True, cwd=folder, **as_user)  # type: ignore[call-overload]
        port = free_port()
        command = [programs / "postgres", "-D", data, "-p", str(port), "-c", "listen_addresses=127.0.0.1",
                   "-c", f"unix_socket_directories={folder}", "-c", "max_connections=200"]  # fmt: skip
        with (folder / "log").open("wb") as log:
            process = subprocess.Popen(command, stdout=log, stderr=log, cwd=folder, **as_user)  # type: ignore[call-overload]
        assert process is not None
        _wait(process, port, folder / "log")
        yield f"postgresql://nextpair@127.0.0.1:{port}/postgres"
    finally:
        if process is not None:
            process.send_signal(signal.SIGQUIT)  # at once: nothing of it is kept
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        shutil.rmtree(folder, ignore_errors=True)


def _demotion(folder: Path) -> dict[str, int | list[int]]:
    if os.geteuid() != 0:
        return {}
    for name in USERS:
        try:
            user = pwd.getpwnam(name)
        except KeyError:
            continue
        os.chown(folder, user.pw_uid, user.pw_gid)
        return {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}
    raise InvalidSetting(f"PostgreSQL does not run as root, and there is no user {' or '.join(USERS)} to run it")


def _wait(process: subprocess.Popen[bytes], port: int, log: Path) -> None:
    for _ in range(1200):
        if process.poll() is not None:
            break
        try:
            psycopg.connect(f"postgresql://nextpair@127.0.0.1:{port}/postgres", connect_timeout=2).close()
        except psycopg.OperationalError:
            time.sleep(0.05)
        else:
            return
    raise InvalidSetting(f"PostgreSQL did not start: {log.read_text(errors='replace')[-500:]}")


def free_port() -> int:
    """A port that nobody listens on just now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
