"""One campaign in one process: the journal folded into a Campaign, and changes that go through the store first."""

from __future__ import annotations

import asyncio
import random
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from nextpair.campaign import events as ev
from nextpair.campaign.campaign import Campaign
from nextpair.campaign.questions import Question, RankingRow
from nextpair.errors import CampaignClosed, JournalConflict, QuestionClosed, UnknownQuestion, UnknownWorker
from nextpair.service.errors import ServiceError, not_found
from nextpair.service.forecast import Point
from nextpair.service.timing import span
from nextpair.service.tokens import Beside
from nextpair.service.undoing import OPEN, WHATEVER, Given, Meant
from nextpair.store.memory import MemoryStore
from nextpair.store.protocol import Entry, JournalStore

Plan = Callable[[Campaign], list[ev.Event]]
MAX_TRIES = 100
LONG = 500  # events, from which on the curve of the past is drawn with fewer points
PAST_SPREAD = 5
MAX_UNDONE = 20  # answers that a worker may take back, beyond those that they left: the journal cannot be flooded
MAX_OPEN = 50  # questions that one worker may hold: a program may judge many at once, but not sit on a large budget


@dataclass(frozen=True)
class Own:
    """Terms of a worker, where they are not the campaign's."""

    price: float | None = None
    reliability: tuple[float, float] | None = None
    times: int | None = None


ALIKE = Own()  # the campaign's


class Live:
    """A campaign that other processes change too. Its methods run in threads, one at a time, under `lock`.

    Whoever takes the lock first takes in what is new (`fold`, or `take` of entries that were read together with
    something else); the other methods build on that.
    """

    def __init__(self, store: JournalStore, campaign_id: str) -> None:
        self.store, self.id = store, campaign_id
        self.beside = Beside()  # read along with the journal
        self.late: dict[str, list[str]] = {}  # questions that a worker answered too late; read along with the worker
        self.lock = asyncio.Lock()
        self.n_answers = 0  # answers that count
        self.answered: Counter[str] = Counter()  # answers per worker, banned or not
        self.earlier: Counter[str] = Counter()  # those of them that were given elsewhere, before
        self.skipped: Counter[str] = Counter()  # questions per worker
        self.undone: Counter[str] = Counter()  # answers per worker that were withdrawn
        self.times_undone: Counter[str] = Counter()  # the same per question
        self.seen_at: dict[str, float] = {}  # worker -> when they last took or answered a question
        self.asked_at: dict[str, float] = {}  # question -> when it went out
        self.told_at: dict[str, float] = {}  # question -> when it was answered
        self.last_answer: dict[str, str] = {}  # worker -> the question that they can still undo
        self.curve: list[Point] = []  # the accuracy against the money, less the `past`
        self._next_point = 0
        self._spread = 20  # a point of the curve for every 20th part of the answers so far
        self._past = 0  # events that were read in one go, and have no points yet
        self._in_one_go = False
        self._campaign: Campaign | None = None

    @property
    def campaign(self) -> Campaign:
        """The campaign with everything that this process has read."""
        if self._campaign is None:  # a process that was killed while creating left no journal
            raise not_found(f"there is no campaign {self.id!r}")
        return self._campaign

    @property
    def seq(self) -> int:
        return 0 if self._campaign is None else len(self._campaign.events)

    def fold(self) -> list[Entry]:
        """Read what is new in the journal and take it in."""
        with span("database"):
            entries = self.store.read(self.id, self.seq)
        self.take(entries)
        return entries

    def take(self, entries: Sequence[Entry]) -> None:
        """Take in entries that follow the ones that are known."""
        self._in_one_go = self._campaign is None
        for entry in entries:
            self._take(entry)
        if self._in_one_go:
            self._past, self._in_one_go = self.seq, False

    def past(self) -> list[ev.Event]:
        """The events that were there when the process began, while nobody has gone through them for the curve.

        It costs much more than all the rest of a journal to know the accuracy at every point on the way.
        """
        return self.campaign.events[: self._past]

    def put_before(self, points: list[Point]) -> None:
        """Take in the curve of the past (`curve_of`), once."""
        if self._past:
            self.curve, self._past = [*points, *self.curve], 0

    def _take(self, entry: Entry) -> None:
        event = entry.event
        if self._campaign is None:
            self._campaign = Campaign.replay([event])
            self._add_point()
            return
        self._campaign.apply(event)
        if isinstance(event, ev.Asked):
            self.asked_at[event.question] = entry.at
            if event.cost:  # what was imported cost nothing, and nobody was here
                self.seen_at[event.worker or ""] = entry.at
        elif isinstance(event, ev.Answered):
            question = self._campaign.question(event.question)
            worker = question.worker or ""
            self.told_at[event.question] = entry.at
            if question.cost:
                self.seen_at[worker] = entry.at
            self.earlier[worker] += not question.cost
            self.last_answer[worker] = event.question
            self.answered[worker] += 1
            self.n_answers += 1
            self._add_point()
        elif isinstance(event, ev.Undone):
            question = self._campaign.question(event.question)
            worker = question.worker or ""
            if self.last_answer.get(worker) == event.question:
                del self.last_answer[worker]
            self.told_at.pop(event.question, None)
            self.answered[worker] -= 1
            self.earlier[worker] -= not question.cost
            self.n_answers -= 1
            self.undone[worker] += 1
            self.times_undone[event.question] += 1
        elif isinstance(event, ev.Skipped):
            self.skipped[self._campaign.question(event.question).worker or ""] += 1
        elif isinstance(event, ev.Retracted):
            self.n_answers = self._next_point = len(self._campaign.comparisons())
            self._add_point()

    def _add_point(self) -> None:
        # points lie ever further apart, so that a long journal is still replayed quickly
        campaign = self.campaign
        answers = self.n_answers
        if answers >= self._next_point and not self._in_one_go:
            self.curve.append(Point(answers, campaign.spent, campaign.expected_accuracy(), campaign.n_items))
            self._next_point = answers + max(1, answers // self._spread)

    def change(self, plan: Plan) -> list[ev.Event]:
        """Decide on what is known and write; when another process was faster, read, and decide again."""
        for attempt in range(MAX_TRIES):
            if attempt:
                self.fold()
            events = plan(self.campaign)
            if not events:
                return []
            start, now = self.seq, time.time()
            try:
                with span("database"):
                    self.store.append(self.id, start, events, now)
            except JournalConflict:
                time.sleep(random.uniform(0, 0.002 * min(attempt, 10)))
                continue
            for number, event in enumerate(events, start=start):
                self._take(Entry(number, now, event))
            return events
        raise ServiceError(503, "busy", "too many changes at once: try again in a moment", retry_after=1)

    def tick(self, now: float) -> None:
        """What time brings: leases run out, and the campaign ends at its end time."""
        if self.campaign.plan_expire(now):
            self.change(lambda campaign: campaign.plan_expire(now))
        if self.is_over(self.campaign, now) and self.campaign.phase != "ended":
            self.change(lambda campaign: campaign.plan_phase(ev.Ended()))

    def ask(self, worker: str, now: float) -> Question:
        """The next question for a worker."""
        self.tick(now)

        def plan(campaign: Campaign) -> list[ev.Event]:
            if sum(question.worker == worker for question in campaign.open_questions()) >= MAX_OPEN:
                raise ServiceError(
                    429, "too_many_open", f"answer or skip some of your {MAX_OPEN} open questions first", retry_after=1
                )
            with span("choose"):
                return campaign.plan_ask(worker, now=now)

        try:
            events = self.change(plan)
        except UnknownWorker:
            # the worker's row was written, but the process ended before the event was
            self.join(worker)
            events = self.change(plan)
        asked = events[-1]
        assert isinstance(asked, ev.Asked)
        return self.campaign.question(asked.question)

    def join(self, worker: str, own: Own = ALIKE) -> None:
        """Let a worker take part, on terms of their own if there are any; twice is harmless."""

        def plan(campaign: Campaign) -> list[ev.Event]:
            if worker not in campaign.worker_names:
                return campaign.plan_add_worker(worker, cost=own.price, reliability=own.reliability, times=own.times)
            return [] if own.price in (None, campaign.terms(worker)[1]) else campaign.plan_set_cost(own.price, worker)

        self.change(plan)

    def answer(self, question_id: str, worker: str, choice: str, now: float) -> Question:
        """A worker's answer (or skip) to their own question."""

        def plan(campaign: Campaign) -> list[ev.Event]:
            question = self._own(campaign, question_id, worker)
            if choice == "skip":
                return campaign.plan_skip(question_id)
            if self.is_over(campaign, now) and has_lapsed(question, now):  # a result that was read out stays
                raise CampaignClosed("the campaign has ended, and the time for this question is up: it was not counted")
            return campaign.plan_tell(question_id, choice)

        self.change(plan)
        return self.campaign.question(question_id)

    @staticmethod
    def _own(campaign: Campaign, question_id: str, worker: str) -> Question:
        question = campaign.question(question_id)
        if question.worker != worker:
            raise UnknownQuestion(f"you have no question {question_id!r}: answer the one that you were given")
        return question

    def is_over(self, campaign: Campaign, now: float) -> bool:
        """Whether it has ended, be it written down yet or not."""
        return campaign.phase == "ended" or (self.beside.ends_at is not None and now >= self.beside.ends_at)

    def given(self, question: Question) -> Given:
        """A question as it stands now."""
        return Given(question, self.times_undone[question.id])

    def undo(self, question_id: str, worker: str, now: float, meant: Meant = WHATEVER) -> Question:
        """Withdraw the last answer of a worker, in their own name; twice is harmless."""

        def plan(campaign: Campaign) -> list[ev.Event]:
            question = self._own(campaign, question_id, worker)
            if question.status in OPEN:
                return []  # undone already: the first reply was lost on its way
            if self.is_over(campaign, now):
                raise CampaignClosed("the campaign has ended: ask the organiser to undo this answer")
            meant.refuse_other(self.given(question))
            if self.last_answer.get(worker) != question_id:
                raise QuestionClosed("only your last answer can be undone")
            if self.undone[worker] >= MAX_UNDONE + self.answered[worker]:
                raise QuestionClosed("you have undone too many answers: leave this one as it is")
            return campaign.plan_undo(question_id, now=now)

        self.change(plan)
        return self.campaign.question(question_id)

    def last_of(self, worker: str) -> Given | None:
        """The last question that a worker answered here, if they have not withdrawn it: a page offers to."""
        last = self.last_answer.get(worker)
        question = None if last is None else self.campaign.question(last)
        return self.given(question) if question is not None and question.cost else None

    def until_asked(self, question_id: str) -> list[ev.Event]:
        """What had happened when a question was asked, and that it was."""
        self.campaign.question(question_id)
        events = self.campaign.events
        asked = next(k for k, e in enumerate(events) if isinstance(e, ev.Asked) and e.question == question_id)
        return events[: asked + 1]

    def compare(self, plan: Plan) -> tuple[list[RankingRow], list[RankingRow]]:
        """Make a change, and give the ranking before and after it."""
        before = self.campaign.ranking()
        self.change(plan)
        return before, self.campaign.ranking()

    def own_questions(self, worker: str, now: float) -> list[Question]:
        """The questions that a worker holds, oldest first."""
        self.tick(now)
        return [question for question in self.campaign.open_questions() if question.worker == worker]


def curve_of(events: Sequence[ev.Event]) -> list[Point]:
    """The accuracy against the money on the way through a journal; of a long one, at fewer points."""
    live = Live(MemoryStore(), "")
    live._spread = PAST_SPREAD if len(events) > LONG else live._spread
    for event in events:
        live._take(Entry(0, 0.0, event))
    return live.curve


def has_lapsed(question: Question, now: float) -> bool:
    """Whether the time to answer is over, be it written down yet or not."""
    late = question.expires_at is not None and now >= question.expires_at
    return question.status == "expired" or (question.status == "open" and late)
