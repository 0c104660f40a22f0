"""What a store of journals must do. One contract suite (tests/store) runs over every implementation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from nextpair.campaign.events import Event
from nextpair.errors import JournalConflict


class Entry(NamedTuple):
    """One line of a journal: the `seq`-th event (from 0) of a campaign, and when it was written."""

    seq: int
    at: float
    event: Event


class JournalStore(Protocol):
    """Keeps the journals of campaigns, and lets nobody write over another's events."""

    def append(self, campaign: str, expected: int, events: Sequence[Event], at: float) -> None:
        """Write the events as numbers `expected`, `expected` + 1, …: all of them or none.

        Raises JournalConflict unless exactly `expected` events were there before. When it returns, they are durable.
        """
        ...

    def read(self, campaign: str, start: int = 0) -> list[Entry]:
        """The entries from number `start` on; none for a campaign that is unknown."""
        ...


def conflict(campaign: str, expected: int) -> JournalConflict:
    """The error for an append that came too late (or too early)."""
    return JournalConflict(
        f"the journal of {campaign!r} does not hold {expected} events: read what is new, decide again and append then"
    )
