"""Who is told how far a run of judges is."""

from __future__ import annotations

import logging
from typing import Protocol

from nextpair.judging.places import Place

log = logging.getLogger("nextpair.judging")


class Watching(Protocol):
    """Is told how far a run is."""

    def answered(self, place: Place, answers: int, judging: int) -> None:
        """So many answers are in since the run began, and so many questions are being judged."""
        ...

    def note(self, words: str) -> None:
        """Is told what else there is to know, as what is waited for."""
        ...


class Logging:
    """Only what is waited for is told, on standard error if nobody says otherwise: else an interrupt seems to hang."""

    def answered(self, place: Place, answers: int, judging: int) -> None:
        pass

    def note(self, words: str) -> None:
        log.warning(words)
