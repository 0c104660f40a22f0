"""Where judges find questions and leave answers: a campaign in memory or its journal; a live one is in `live`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, ExitStack, nullcontext
from dataclasses import dataclass
from os.path import realpath
from pathlib import Path
from typing import Protocol

from nextpair.campaign.campaign import Campaign
from nextpair.errors import CampaignError, InvalidSetting, QuestionClosed
from nextpair.judging.alone import hold
from nextpair.store.file import Shared


class Put(Protocol):
    """A question as a judge gets it."""

    @property
    def id(self) -> str: ...
    @property
    def worker(self) -> str | None: ...
    @property
    def left(self) -> str: ...
    @property
    def right(self) -> str: ...


@dataclass(frozen=True)
class Standing:
    """Where a campaign stands, as far as judges may know."""

    spent: float | None = None
    budget: float | None = None
    expected_accuracy: float | None = None


class Place(Protocol):
    """Only one thread calls these."""

    def begin(self, judges: Sequence[str]) -> None:
        """Let these judges in, if they were not. No other run may begin with the same until `end`."""
        ...

    def end(self) -> None: ...

    def open(self) -> Sequence[Put]:
        """The questions that were put to these judges and are open, oldest first."""
        ...

    def ask(self, n: int, judges: Sequence[str]) -> Sequence[Put]:
        """Up to n questions for any of these; none if there may be some later. NothingToAsk: there will be none."""
        ...

    def tell(self, answers: Sequence[tuple[Put, str]]) -> dict[str, str]:
        """Write answers down. Those that are not taken, with the reason."""
        ...

    def standing(self) -> Standing: ...


class InJournal:
    """A campaign in a journal that others may change meanwhile; or in memory, where nobody does."""

    def __init__(self, where: Campaign | str | Path) -> None:
        self._opened: Callable[[], AbstractContextManager[Campaign]]
        self._held, self._path = ExitStack(), None if isinstance(where, Campaign) else where
        if isinstance(where, Campaign):
            self._opened = lambda: nullcontext(where)
        else:
            self._opened = Shared(where).opened

    def begin(self, judges: Sequence[str]) -> None:
        self._judges = judges
        with self._opened() as campaign:
            if campaign.settings.workers is not None:
                for name in judges:
                    if name not in campaign.worker_names:
                        campaign.add_worker(name)
            elif len(judges) > 1:
                raise InvalidSetting(
                    f"this campaign does not tell workers apart, so one judge answers, not {len(judges)}: "
                    "name one, or start a campaign with workers (nextpair start without --alike)"
                )
            if self._path is not None:
                for name in judges:
                    who = "" if campaign.settings.workers is None else name
                    hold(self._held, f"{realpath(self._path)}\n{who}", name)

    def end(self) -> None:
        self._held.close()

    def open(self) -> Sequence[Put]:
        with self._opened() as campaign:
            return [question for question in campaign.open_questions() if question.worker in {None, *self._judges}]

    def ask(self, n: int, judges: Sequence[str]) -> Sequence[Put]:
        with self._opened() as campaign:
            return campaign.ask_batch(n, None if campaign.settings.workers is None else judges)

    def tell(self, answers: Sequence[tuple[Put, str]]) -> dict[str, str]:
        refused = {}
        with self._opened() as campaign:
            for question, answer in answers:
                try:
                    _refuse_another(campaign, question)
                    if answer == "skip":
                        campaign.skip(question.id)
                    else:
                        campaign.tell(question.id, answer)
                except CampaignError as why:
                    refused[question.id] = str(why)
        return refused

    def standing(self) -> Standing:
        with self._opened() as campaign:
            return Standing(float(campaign.spent), campaign.budget, campaign.expected_accuracy())


def _refuse_another(campaign: Campaign, question: Put) -> None:
    """Refuse an answer to what is not the same question: a new campaign may have taken the name of the journal."""
    now = campaign.question(question.id)
    if (now.worker, now.left, now.right) != (question.worker, question.left, question.right):
        raise QuestionClosed(f"the journal was replaced meanwhile, and {question.id} asks something else there")
