"""Who is told how far a run of judges is."""

from __future__ import annotations

from typing import Protocol

from nextpair.judging.places import Place


class Watching(Protocol):
    """Is told how far a run is."""

    def answered(self, place: Place, answers: int, judging: int) -> None:
        """So many answers are in since the run began, and so many questions are being judged."""
        ...

    def note(self, words: str) -> None:
        """Is told what else there is to know, as what is waited for."""
        ...


class Silent:
    """Makes nothing of it."""

    def answered(self, place: Place, answers: int, judging: int) -> None:
        pass

    def note(self, words: str) -> None:
        pass
