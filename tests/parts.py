"""The real parts that tests need: Debian's Chromium and PostgreSQL. Run as a program, this installs them where it can.

Where a part is missing and cannot be had, tests that need it are skipped; under CI=true they fail instead.
"""

from __future__ import annotations

import ctypes
import fcntl
import os
import shutil
import subprocess
import sys
import tempfile
from contextlib import suppress
from functools import cache
from pathlib import Path

import pytest

from nextpair.service.bench.postgres import find_programs


def chromium() -> str | None:
    """The browser, if it is there with the library that Playwright's driver needs."""
    try:
        ctypes.CDLL("libatomic.so.1")
    except OSError:
        return None
    return next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


PARTS = {"chromium": chromium, "postgresql": find_programs}
PACKAGES = {"chromium": ("chromium", "libatomic1"), "postgresql": ("postgresql",)}
SECONDS = 900  # a slow mirror


@cache
def install(part: str) -> bool:
    """Have apt install a part, where we may; whether it is there now."""
    if PARTS[part]() is None and os.geteuid() == 0 and shutil.which("apt-get"):
        with open(Path(tempfile.gettempdir()) / "nextpair-parts.lock", "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)  # processes that test at the same time: one installs, the others wait
            if PARTS[part]() is None:
                _apt("update")
                _apt("install", "-y", "--no-install-recommends", *PACKAGES[part])
    return PARTS[part]() is not None


def _apt(*command: str) -> None:
    environment = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
    with suppress(subprocess.TimeoutExpired):
        done = subprocess.run(
            ["apt-get", "-q", "-o", "DPkg::Lock::Timeout=120", *command],
            env=environment, capture_output=True, text=True, timeout=SECONDS, check=False,
        )  # fmt: skip
        if done.returncode:
            print(f"apt-get {command[0]} failed: {done.stderr.strip()[-500:]}", file=sys.stderr)


def need(part: str) -> None:
    """Make sure that a part is there, or skip the test (under CI=true: fail it)."""
    if not install(part):
        missing = f"{part} is not installed and could not be: apt-get install {' '.join(PACKAGES[part])}"
        if os.environ.get("CI") == "true":
            pytest.fail(missing)
        pytest.skip(missing)


if __name__ == "__main__":
    absent = [part for part in PARTS if not install(part)]
    print(f"missing: {', '.join(absent)}" if absent else "all real parts are there")
    sys.exit(bool(absent))
