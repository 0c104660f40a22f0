"""Journals in memory, for tests and short-lived campaigns."""

from __future__ import annotations

from collections.abc import Sequence
from threading import Lock

from nextpair.campaign.events import Event
from nextpair.store.protocol import Entry, conflict


class MemoryStore:
    """Keeps journals for as long as the process lives."""

    def __init__(self) -> None:
        self._journals: dict[str, list[Entry]] = {}
        self._lock = Lock()

    def append(self, campaign: str, expected: int, events: Sequence[Event], at: float) -> None:
        with self._lock:
            journal = self._journals.get(campaign, [])
            if len(journal) != expected:
                raise conflict(campaign, expected)
            if events:
                new = [Entry(expected + k, at, event) for k, event in enumerate(events)]
                self._journals[campaign] = journal + new

    def read(self, campaign: str, start: int = 0) -> list[Entry]:
        return self._journals.get(campaign, [])[start:]
