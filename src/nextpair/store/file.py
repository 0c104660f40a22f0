"""A campaign in a journal file that several processes share: whoever changes it holds the file's lock meanwhile."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from nextpair.campaign.campaign import Campaign
from nextpair.campaign.journal import append, create_journal, locked, read_journal
from nextpair.errors import InvalidFile


def create(path: str | Path, campaign: Campaign) -> None:
    """Write a new journal; a file that is there already is left alone."""
    try:
        create_journal(path, campaign.events)
    except FileExistsError:
        raise _taken(path) from None


def refuse_taken(path: str | Path) -> None:
    """Refuse a name that `create` would refuse, before a long list is read for it."""
    if os.path.lexists(path):
        raise _taken(path)


def _taken(path: str | Path) -> InvalidFile:
    return InvalidFile(f"{path} exists already: choose another name, or remove it first")


class Shared:
    """The campaign of a journal file, for who changes it again and again: read anew only if others changed it since.

    What others added is added: to fold thousands of answers again takes seconds, in which nobody else gets on.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = path
        self._kept: tuple[Campaign, _Mark] | None = None

    @contextmanager
    def opened(self) -> Iterator[Campaign]:
        """As `opened` below."""
        with locked(self.path) as file:
            kept, self._kept = self._kept, None  # if the block fails, it holds what is not on the disk
            campaign = self._as_it_is(kept, _mark(file))
            known = len(campaign.events)
            yield campaign
            append(file, campaign.events[known:], self.path)
            self._kept = campaign, _mark(file)

    def _as_it_is(self, kept: tuple[Campaign, _Mark] | None, mark: _Mark) -> Campaign:
        """What was kept, with what others have added to it; the whole file, where it is not that."""
        if kept is None:
            return Campaign.load(self.path)
        campaign, then = kept
        if mark == then:
            return campaign
        with suppress(InvalidFile):  # `load` names the line
            events, known = list(read_journal(self.path)), len(campaign.events)
            if events[:known] == campaign.events:
                for event in events[known:]:
                    campaign.apply(event)
                return campaign
        return Campaign.load(self.path)


_Mark = tuple[int, int, int, int]


def _mark(file: IO[bytes]) -> _Mark:
    """What nobody can write to the file without changing."""
    found = os.fstat(file.fileno())
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns


@contextmanager
def opened(path: str | Path) -> Iterator[Campaign]:
    """The campaign of the file, locked against other processes; what happens to it inside is appended at the end.

    Nothing is written when the block raises. What was appended is on the disk before this returns.
    """
    with Shared(path).opened() as campaign:
        yield campaign
