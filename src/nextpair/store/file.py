"""A campaign in a journal file that several processes share: whoever changes it holds the file's lock meanwhile."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from nextpair.campaign.campaign import Campaign
from nextpair.campaign.journal import append, create_journal, locked
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


@contextmanager
def opened(path: str | Path) -> Iterator[Campaign]:
    """The campaign of the file, locked against other processes; what happens to it inside is appended at the end.

    Nothing is written when the block raises. What was appended is on the disk before this returns.
    """
    with locked(path) as file:
        campaign = Campaign.load(path)
        known = len(campaign.events)
        yield campaign
        append(file, campaign.events[known:], path)
