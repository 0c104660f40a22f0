"""Real server processes for the tests."""

from __future__ import annotations

import os
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from harness import TOKEN

import nextpair
from nextpair.service.bench.postgres import free_port


@dataclass
class Server:
    url: str
    process: subprocess.Popen[str]
    log: Path


@contextmanager
def running_server(folder: Path, *options: str, token: str | None = TOKEN) -> Iterator[Server]:
    """`nextpair serve` as a process of its own, until the block ends."""
    port = free_port()
    log = folder / f"server-{port}.log"
    command = [sys.executable, "-m", "nextpair.cli.main", "serve", "--port", str(port), *options]
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("COV_", "NEXTPAIR_"))}
    environment["TMPDIR"] = str(folder)  # which the tests clean up
    environment["PYTHONPATH"] = str(Path(nextpair.__file__).parents[1])
    if token is not None:
        environment["NEXTPAIR_ORGANISER_TOKEN"] = token
    with log.open("w") as out:
        process = subprocess.Popen(command, stdout=out, stderr=out, cwd=folder, env=environment, text=True)
    try:
        wait_for(f"http://127.0.0.1:{port}/healthz", process, log)
        yield Server(f"http://127.0.0.1:{port}", process, log)
    finally:
        process.kill()
        process.wait()


def wait_for(url: str, process: subprocess.Popen[str], log: Path, seconds: float = 180) -> None:
    for _ in range(int(seconds * 10)):
        assert process.poll() is None, log.read_text()
        try:
            urllib.request.urlopen(url, timeout=5).close()
        except (urllib.error.URLError, OSError):
            time.sleep(0.1)
        else:
            return
    raise AssertionError(log.read_text())
