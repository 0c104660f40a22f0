"""A journal file that several processes may append to: locked, synced to disk, and checked against its length."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from nextpair.campaign.campaign import Campaign
from nextpair.campaign.events import Event
from nextpair.campaign.journal import to_line
from nextpair.errors import InvalidFile


def create(path: str | Path, campaign: Campaign) -> None:
    """Write a new journal; a file that is there already is left alone."""
    try:
        with open(path, "xb") as file:
            _append(file, campaign.events)
    except FileExistsError:
        raise InvalidFile(f"{path} exists already: choose another name, or remove it first") from None
    except OSError as error:
        raise InvalidFile(f"cannot write the journal {path}: {error.strerror}") from None


@contextmanager
def opened(path: str | Path) -> Iterator[Campaign]:
    """The campaign of the file, locked against other processes; what happens to it inside is appended at the end.

    Nothing is written when the block raises. What was appended is on the disk before this returns.
    """
    with _open(path) as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        campaign = Campaign.load(path)
        known = len(campaign.events)
        yield campaign
        _drop_torn_line(file)
        _append(file, campaign.events[known:])


def _open(path: str | Path) -> IO[bytes]:
    try:
        return open(path, "r+b")
    except OSError as error:
        raise InvalidFile(f"cannot open the journal {path}: {error.strerror}") from None


def _drop_torn_line(file: IO[bytes]) -> None:
    """Cut off what a killed process left of its last line."""
    file.seek(0)
    whole = sum(len(line) for line in file if line.endswith(b"\n"))
    file.truncate(whole)


def _append(file: IO[bytes], events: Sequence[Event]) -> None:
    file.seek(0, os.SEEK_END)
    file.write("".join(map(to_line, events)).encode())
    file.flush()
    os.fsync(file.fileno())
