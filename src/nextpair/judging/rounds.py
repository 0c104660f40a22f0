"""The loop of judges: ask as many questions as are judged at once, tell each answer as it comes, and ask again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ALL_COMPLETED, FIRST_COMPLETED, Future, wait
from dataclasses import dataclass, field
from inspect import iscoroutinefunction
from pathlib import Path
from threading import Event, Thread
from typing import Any

from nextpair.campaign.amounts import plural, whole
from nextpair.campaign.campaign import Campaign
from nextpair.campaign.events import OUTCOMES
from nextpair.command import is_interrupt
from nextpair.errors import InvalidSetting, JudgeFailed, NextpairError, NothingToAsk
from nextpair.judging.live import ByLink, is_link
from nextpair.judging.places import InJournal, Place, Put
from nextpair.judging.watching import Logging, Watching

Judge = Callable[[Any], str]  # of a question, a `Put`
ANSWERS = (*OUTCOMES, "skip")
GIVEN_UP = 3  # questions in a row without an answer, after which a judge is asked no more
LONGEST = 60  # seconds until a judge who failed is called again; the first time it is one
SOON, SELDOM = 20.0, 300.0  # seconds until it is asked again where there is nothing just now
ENOUGH = "as many answers as were wanted are in"
STOPPED = "it was interrupted"
ALL_DOWN = "no judge is left who answers"


@dataclass
class Judged:
    """What came of it. `answers` of each judge; `why` no more is asked; `down`: who was given up, and why.

    `unanswered`: questions that stay open, since their judge failed, and why. `refused`: answers that were not taken,
    as where somebody else had closed the question.
    """

    answers: dict[str, int] = field(default_factory=dict)
    skipped: int = 0
    why: str = ""
    down: dict[str, str] = field(default_factory=dict)
    unanswered: dict[str, str] = field(default_factory=dict)
    refused: dict[str, str] = field(default_factory=dict)

    @property
    def total(self) -> int:
        """All answers."""
        return sum(self.answers.values())

    @property
    def is_cut_short(self) -> bool:
        """Whether there was more to ask."""
        return self.why in (STOPPED, ALL_DOWN)


def judge(
    where: Campaign | str | Path,
    judges: Mapping[str, Judge],
    *,
    at_once: int = 8,
    tries: int = 3,
    most: int | None = None,
    watching: Watching | None = None,
) -> Judged:
    """Let judges answer a campaign, its journal, or a live one by a worker's link, until there is nothing to ask.

        nextpair.judge("jury.journal", {"small": ask_small, "large": ask_large})

    Each judge is called with a question (`id`, `worker`, `left`, `right`), in threads, and returns "left", "right",
    "tie", "much-left", "much-right" or "skip"; of an async function give lambda question: asyncio.run(ask(question)).
    Whoever is not a worker of the campaign yet joins. Questions that are open already come first.

    A journal has each answer as soon as it is there, so a killed run loses at most what was being judged: its questions
    are open, and the next run begins with them. An interrupt (Ctrl-C) lets the judges finish what they have begun; a
    second one does not.

    where: a campaign, the path of its journal, or the personal link of a worker in a live campaign, "https://…/w/…".
        There `left` and `right` are the items' texts, and a question has `left_item` and `right_item` besides.
    at_once: questions that are judged at the same time.
    tries: so often a judge is called if it raises an error or returns something else, after 1, 2, 4 … seconds, 60 at
        most. Then the question stays open; a judge who fails on three questions in a row is asked no more in this run,
        unless an answer that was under way still comes.
    most: stop after so many answers; a "skip" is one of them, for it costs as much to ask.
    watching: is told how far it is (`Watching`); None: what is waited for is logged as a warning of nextpair.judging.
    """
    _refuse_no_judge(judges)
    given = whole("at_once", at_once, 1), whole("tries", tries, 1), None if most is None else whole("most", most, 1)
    watching = watching or Logging()
    place = ByLink(where, watching.note) if isinstance(where, str) and is_link(where) else InJournal(where)
    rounds = _Rounds(place, dict(judges), *given, watching)
    rounds.run()
    return rounds.judged


def _refuse_no_judge(judges: Mapping[str, Judge]) -> None:
    """Before a question is asked, which holds money: each name stands for a function that waits for its answer."""
    if not isinstance(judges, Mapping) or not judges:
        told = "" if isinstance(judges, Mapping) else f", not {judges!r}"
        raise InvalidSetting(
            f"there is no judge: give at least one worker with a function, as {{'ann': ask_ann}}{told}"
        )
    for name, ask in judges.items():
        if not callable(ask):
            raise InvalidSetting(f"the judge of {name!r} is a function that takes a question, not {ask!r}")
        if iscoroutinefunction(ask) or iscoroutinefunction(type(ask).__call__):
            raise InvalidSetting(
                f"the judge of {name!r} is an async function, whose answer nobody awaits: "
                "give lambda question: asyncio.run(ask(question))"
            )


class _Rounds:
    def __init__(
        self,
        place: Place,
        judges: dict[str, Judge],
        at_once: int,
        tries: int,
        most: int | None,
        watching: Watching,
    ) -> None:
        self.place, self.judges, self.at_once, self.tries, self.watching = place, judges, at_once, tries, watching
        self.left = most  # answers that are still wanted
        self.judged = Judged()
        self.judging: dict[Future[str], Put] = {}
        self.waiting: list[Put] = []  # to be judged before anything new, first things last
        self.aside: list[Put] = []  # the same, of judges who are down
        self.failed: Counter[str] = Counter()  # questions in a row
        self.trouble: Exception | None = None  # why it cannot go on
        self.stopping, self.pause = Event(), SOON

    def run(self) -> None:
        try:
            self.place.begin([*self.judges])
            self.waiting += self.place.open()[::-1]
            while self._go_on():
                pass
        finally:
            self.stopping.set()
            self.place.end()
        if self.trouble is not None:
            raise self.trouble

    def _go_on(self) -> bool:
        """Ask and collect once. An interrupt, or an error, ends the asking; a second one, all."""
        try:
            if not self.stopping.is_set():
                self._fill()
            if self.judging:
                self._collect()
                self.pause = SOON
            elif self.judged.why:
                return False
            else:
                self._rest()
        except (KeyboardInterrupt, Exception) as error:
            interrupted = is_interrupt(error)
            if self.stopping.is_set() if interrupted else self.trouble is not None or not self.judging:
                raise
            if not interrupted and isinstance(error, Exception):
                self.trouble = error  # what is paid for may still find its place
            self._finish("" if interrupted else f"{_told(error)}. Meanwhile ")
        return True

    def _finish(self, why: str) -> None:
        """Ask nothing more, and wait for what is being judged."""
        self.judged.why = STOPPED
        self.stopping.set()
        if running := sum(not call.done() for call in self.judging):
            what = plural(running, "question")
            self.watching.note(
                f"{why}waiting for {what} that {'is' if running == 1 else 'are'} being judged. Ctrl-C again ends them"
            )

    def _rest(self) -> None:
        """There is nothing to ask just now. After a while, what had no answer, or was undone, has its turn again."""
        if self.pause == SOON:
            self.watching.note("nothing to ask just now: it is paused, or open questions hold the budget. Waiting")
        self.stopping.wait(self.pause)
        self.pause = min(2 * self.pause, SELDOM)
        self.waiting += self.place.open()[::-1]

    def _fill(self) -> None:
        """Have as many questions judged as may be at once."""
        self.judged.why = ""
        while self.waiting and self._free():
            question = self.waiting.pop()
            name = self._name(question)
            if (why := self.judged.down.get(name)) is None:
                self._start(question)
            else:
                self.judged.unanswered[question.id] = f"{name}: {why}"
                self.aside.append(question)
        if not (free := self._free()):
            return
        if not (up := [name for name in self.judges if name not in self.judged.down]):
            self.judged.why = ALL_DOWN
            return
        try:
            asked = self.place.ask(free, up)
        except NothingToAsk as why:
            self.judged.why = str(why)
            return
        under_way = {question.id for question in self.judging.values()}
        for question in asked:
            if question.id not in under_way:  # its lease ran out, and it is asked again, while it is judged
                self._start(question)

    def _free(self) -> int:
        free = self.at_once - len(self.judging)
        if self.left is None:
            return free
        if self.left == 0:
            self.judged.why = ENOUGH
        return min(free, self.left - len(self.judging))

    def _start(self, question: Put) -> None:
        self.judged.unanswered.pop(question.id, None)
        call: Future[str] = Future()
        # a daemon: the program must not wait, at its end, for a judge that nobody waits for any more
        Thread(target=self._call, args=(call, question), daemon=True).start()
        self.judging[call] = question  # only now: for a thread that was not to be had it would wait for ever

    def _name(self, question: Put) -> str:
        return next(iter(self.judges)) if question.worker is None else question.worker

    def _call(self, call: Future[str], question: Put) -> None:
        try:
            call.set_result(self._answer(question))
        except BaseException as error:
            call.set_exception(error)

    def _answer(self, question: Put) -> str:
        """In a thread: what the judge says, tried again while it fails."""
        judge = self.judges[self._name(question)]
        for attempt in range(self.tries):
            try:
                answer = judge(question)
                if answer in ANSWERS:
                    return answer
                raise JudgeFailed(f"it said {str(answer)[:80]!r}, and an answer is one of {', '.join(ANSWERS)}")
            except Exception:
                if attempt + 1 == self.tries or self.stopping.wait(min(2**attempt, LONGEST)):
                    raise
        raise AssertionError  # the last attempt has returned or raised

    def _collect(self) -> None:
        """Wait for an answer, and write down all that are there."""
        ended = wait(self.judging, return_when=ALL_COMPLETED if self.trouble else FIRST_COMPLETED).done
        done = [call for call in self.judging if call in ended]  # in the order of asking
        answers = [(self.judging[call], call.result()) for call in done if call.exception() is None]
        try:
            self.judged.refused |= self.place.tell(answers)
        except Exception as error:
            if self.trouble is not None and answers:
                _name_lost(error, answers)
            raise
        # only now: an interrupt before this tells them again, which changes nothing
        for call in done:
            self._count(self.judging.pop(call), call.exception(), None if call.exception() else call.result())
        self.watching.answered(self.place, self.judged.total, len(self.judging))

    def _count(self, question: Put, error: BaseException | None, answer: str | None) -> None:
        name = self._name(question)
        if error is not None:
            why = _told(error)
            self.judged.unanswered[question.id] = f"{name}: {why}"
            self.failed[name] += 1
            if self.failed[name] >= GIVEN_UP:
                self.judged.down.setdefault(name, why)
            return
        self.failed[name] = 0
        if self.judged.down.pop(name, None) is not None:  # errors are quick, and had overtaken an answer
            self.waiting += self.aside[::-1]
            self.aside.clear()
        if question.id in self.judged.refused:
            return
        self.left = None if self.left is None else self.left - 1
        if answer == "skip":
            self.judged.skipped += 1
        else:
            self.judged.answers[name] = self.judged.answers.get(name, 0) + 1


def _told(error: BaseException) -> str:
    """An error in words: one of Python's or of a judge's own by its kind, too."""
    return str(error) if isinstance(error, NextpairError) else f"{type(error).__name__}: {error}"


def _name_lost(error: Exception, answers: Sequence[tuple[Put, str]]) -> None:
    lost = ", ".join(f"{question.id} {answer}" for question, answer in answers)
    told = f"These answers came and are not written down: {lost}"
    if isinstance(error, NextpairError):
        error.args = (f"{error}. {told}",)
    else:
        error.add_note(told)
