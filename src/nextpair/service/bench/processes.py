"""Real server processes, to be killed and started again."""

from __future__ import annotations

import os
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path
from types import TracebackType

import nextpair
from nextpair.errors import InvalidSetting
from nextpair.service.bench.postgres import free_port


def own_environment() -> dict[str, str]:
    """The environment of a process that runs the same nextpair as this one."""
    return os.environ | {"PYTHONPATH": str(Path(nextpair.__file__).parents[1])}


class Processes:
    """Server processes on one database, each on a port of its own."""

    def __init__(self, database: str, n: int, token: str, folder: Path) -> None:
        self.database, self.token, self.folder = database, token, folder
        self.ports = [free_port() for _ in range(n)]
        self._running: dict[int, subprocess.Popen[bytes]] = {}

    def __enter__(self) -> Processes:
        for port in self.ports:
            self.start(port)
        for port in self.ports:
            self.wait(port)
        return self

    def start(self, port: int) -> None:
        command = [sys.executable, "-m", "nextpair.cli.main", "serve", "--database", self.database, "--port", str(port)]
        environment = own_environment() | {"NEXTPAIR_ORGANISER_TOKEN": self.token}
        with (self.folder / f"server-{port}.log").open("ab") as log:
            self._running[port] = subprocess.Popen(command, stdout=log, stderr=log, env=environment, cwd=self.folder)

    def wait(self, port: int, seconds: float = 60.0) -> None:
        """Wait until the server answers."""
        end = time.monotonic() + seconds
        while time.monotonic() < end and self._running[port].poll() is None:
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{port}/healthz", timeout=5).close()
            except (urllib.error.URLError, OSError):
                time.sleep(0.05)
            else:
                return
        log = (self.folder / f"server-{port}.log").read_text(errors="replace")
        raise InvalidSetting(f"a server did not start within {seconds:g} s:\n{log[-2000:]}")

    def kill(self, port: int) -> None:
        """kill -9: no time to say goodbye."""
        self._running[port].kill()
        self._running[port].wait()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for process in self._running.values():
            process.kill()
            process.wait()
