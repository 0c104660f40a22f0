"""Which answer an undo means: a question can be answered, undone and answered anew, and requests may be late."""

from __future__ import annotations

from typing import NamedTuple

from nextpair.campaign import events as ev
from nextpair.campaign.campaign import Campaign
from nextpair.campaign.questions import Question
from nextpair.service.errors import ServiceError

OPEN = ("open", "expired")  # there is no answer


class Given(NamedTuple):
    """A question as it is given out, and how often its answer had been undone by then."""

    question: Question
    undone: int


class Meant(NamedTuple):
    """The answer that an undo means: what it said, and how often the question had been undone when it was given.

    None: whatever the answer is.
    """

    choice: str | None = None
    undone: int | None = None

    def plan(self, campaign: Campaign, given: Given, now: float) -> list[ev.Event]:
        """The events that withdraw it: none where it was undone before, and nothing stands in its place."""
        self.refuse_other(given)
        is_gone = given.question.status in OPEN and self.undone is not None and self.undone < given.undone
        return [] if is_gone else campaign.plan_undo(given.question.id, now=now)

    def refuse_other(self, given: Given) -> None:
        """An error where another answer stands in its place."""
        question, undone = given
        if question.status in OPEN or (self.undone in (None, undone) and self.choice in (None, question.choice)):
            return
        there = Meant(question.choice, undone) if question.choice else question.status
        told = f"question {question.id} has another answer by now than the one to undo ({self}): {there}"
        raise ServiceError(409, "other_answer", f"{told}. That one stays: to undo it, too, name it")

    def __str__(self) -> str:
        said = "any" if self.choice is None else repr(self.choice)
        return said if self.undone is None else f"{said}, after {self.undone} undone before it"


WHATEVER = Meant()
