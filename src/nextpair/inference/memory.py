"""Whether this machine holds the full posterior of so many items: a dozen tables of all pairs."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from nextpair.errors import InvalidSetting

A_PAIR = 105  # bytes that choosing a question takes, times items squared: measured with 500 to 5,000 items
LIMITS = ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")  # of a container


def expected_bytes(n_items: int) -> int:
    """The memory that the full posterior of so many items takes."""
    return A_PAIR * n_items**2


def all_memory() -> float:
    """How many bytes there are for all that runs here; infinite where nobody says."""
    known = [float("inf")]
    with suppress(AttributeError, ValueError, OSError):  # a system that does not tell
        known.append(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    for limit in LIMITS:
        with suppress(OSError, ValueError):  # no such file, or "max"
            known.append(int(Path(limit).read_text()))
    return min(size for size in known if size > 0)


def refuse_too_large(n_items: int, instead: str) -> None:
    """Refuse a full posterior that this machine cannot hold; `instead` says what to do."""
    needed, there = expected_bytes(n_items), all_memory()
    if needed > there:
        raise InvalidSetting(
            f"the full posterior of {n_items:,} items takes some {in_gigabytes(needed)} of memory, and here are "
            f"{in_gigabytes(there)}: {instead}"
        )


def in_gigabytes(size: float) -> str:
    return f"{size / 1e9:,.1f} GB"
