"""The real parts that tests need: Debian's Chromium and PostgreSQL. Run as a program, this installs them where it can.

Where a part is missing and cannot be had, tests that need it are skipped; under CI=true they fail instead.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from functools import cache

import pytest

from nextpair.service.bench.postgres import find_programs


@cache
def chromium() -> str | None:
    for name in ("chromium", "chromium-browser", "google-chrome"):
        if found := shutil.which(name):
            return found
    return None


PARTS = {"chromium": chromium, "postgresql": find_programs}


@cache
def install(package: str) -> bool:
    """Have apt install a package, where we may; whether the part is there now."""
    if PARTS[package]() is None and os.geteuid() == 0 and shutil.which("apt-get"):
        quiet = {"env": os.environ | {"DEBIAN_FRONTEND": "noninteractive"}, "capture_output": True, "timeout": 600}
        subprocess.run(["apt-get", "update", "-q"], check=False, **quiet)
        subprocess.run(["apt-get", "install", "-qy", "--no-install-recommends", package], check=False, **quiet)
        chromium.cache_clear()
    return PARTS[package]() is not None


def need(package: str) -> None:
    """Make sure that a part is there, or skip the test (under CI=true: fail it)."""
    if not install(package):
        missing = f"{package} is not installed and could not be: apt-get install {package}"
        if os.environ.get("CI") == "true":
            pytest.fail(missing)
        pytest.skip(missing)


if __name__ == "__main__":
    absent = [package for package in PARTS if not install(package)]
    print(f"missing: {', '.join(absent)}" if absent else "all real parts are there")
    sys.exit(bool(absent))
