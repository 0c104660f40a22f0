"""Reaching a campaign, one step at a time in each process, and what workers do there."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, TypeVar

from anyio import to_thread

from nextpair.campaign.questions import Question
from nextpair.errors import NothingToAsk, QuestionClosed
from nextpair.service.content import Item, as_shown
from nextpair.service.errors import ServiceError, not_found
from nextpair.service.live import Live, curve_of, has_lapsed
from nextpair.service.progress import progress_of
from nextpair.service.records import CampaignRecord, Records, WorkerRecord
from nextpair.service.settings import Settings
from nextpair.service.timing import span
from nextpair.service.undoing import Given, Meant
from nextpair.service.views import join_question
from nextpair.store.protocol import JournalStore

T = TypeVar("T")
MAX_MET = 100_000


class Shown(NamedTuple):
    """What the items of a campaign show, and how often one of them had been mended when they were read."""

    mended: int
    items: Mapping[str, Item]


NOTHING_SHOWN = Shown(0, {})


class Hall:
    """The live campaigns of this process, and the workers whom it has let in. The desk stands in it."""

    def __init__(self, settings: Settings, records: Records, store: JournalStore) -> None:
        self.settings, self.records, self.store = settings, records, store
        self.secret = records.setting("secret")
        self._lives: dict[str, Live] = {}
        self._met: set[tuple[str, str]] = set()
        self._items: dict[str, Shown] = {}

    async def live(self, campaign_id: str) -> tuple[Live, CampaignRecord]:
        """The campaign of that id, or a 404."""
        record = await to_thread.run_sync(self.records.campaign, campaign_id)
        if record is None:
            self.forget(campaign_id)  # another process may have deleted it
            raise not_found(f"there is no campaign {campaign_id[:80]!r}")
        live = self._lives.get(campaign_id)
        if live is None:
            live = self._lives.setdefault(campaign_id, Live(self.store, campaign_id))
        return live, record

    def forget(self, campaign_id: str) -> None:
        """Keep nothing in memory of a campaign that was deleted."""
        if self._lives.pop(campaign_id, None) is None:
            return
        self._items.pop(campaign_id, None)
        self._met = {(campaign, hashed) for campaign, hashed in self._met if campaign != campaign_id}

    async def run(self, campaign_id: str, work: Callable[[Live], T]) -> T:
        """Do something on the newest state of a campaign, while nobody else in this process touches it."""

        def step(live: Live) -> T:
            self._take_in(live)
            return work(live)

        return await self.alone((await self.live(campaign_id))[0], step)

    async def look(self, campaign_id: str, view: Callable[[Live, CampaignRecord], T]) -> T:
        """A view of the newest state of a campaign, as time has left it."""
        live, record = await self.live(campaign_id)

        def step(live: Live) -> T:
            self._take_in(live)
            live.tick(time.time())
            return view(live, record)

        return await self.alone(live, step)

    async def enter(self, campaign_id: str, hashed: str, work: Callable[[Live, str], T]) -> T:
        """The same in the name of a worker: their token and what is new in the journal are read in one round trip."""

        def step(live: Live) -> T:
            with span("database"):
                token, news, beside, late = self.records.enter(hashed, campaign_id, live.seq)
            if token is None or token.worker is None:
                raise ServiceError(401, "unauthorised", "this link or token no longer works")
            live.take(news)
            live.beside = beside
            live.late[token.worker] = late.split()
            return work(live, token.worker)

        return await self.alone(self._lives.get(campaign_id) or (await self.live(campaign_id))[0], step)

    def _take_in(self, live: Live) -> None:
        """What is new, in whichever process: events of the journal, and what stands beside it."""
        live.fold()
        live.beside = self.records.beside(live.id)

    async def alone(self, live: Live, step: Callable[[Live], T]) -> T:
        """Run a step in a thread, one at a time for each campaign."""
        with span("queue"):
            await live.lock.acquire()
        try:
            return await to_thread.run_sync(step, live)
        finally:
            live.lock.release()

    async def draw_past(self, campaign_id: str) -> None:
        """Complete the curve of a campaign. After a restart that takes seconds, in which workers can go on."""
        if events := await self.run(campaign_id, Live.past):
            points = await to_thread.run_sync(curve_of, events)
            await self.run(campaign_id, lambda live: live.put_before(points))

    # for the worker

    def has_met(self, campaign_id: str, hashed: str) -> bool:
        """Whether this token has let a worker into this campaign before, in this process."""
        return (campaign_id, hashed) in self._met

    def meet(self, campaign_id: str, hashed: str) -> None:
        """Remember a worker's token: it is still checked each time, but in one go with the rest (`enter`)."""
        if len(self._met) > MAX_MET:
            self._met.clear()
        self._met.add((campaign_id, hashed))

    async def complete(self, known: WorkerRecord | None, completion: dict[str, str | None] | None) -> None:
        """Remember whom a completion code, or the address in its place, is given to for the first time."""
        if known is not None and known.completed_at is None and completion is not None and any(completion.values()):
            await to_thread.run_sync(self.records.complete, known.campaign, known.id)

    def _joined(self, live: Live) -> Shown:
        """The items of a campaign. A row of one that has not joined is left aside: it may be written anew."""
        known = self._items.get(live.id, NOTHING_SHOWN)
        # if not, somebody else has read them while this one waited
        if known.mended != live.beside.mended or len(known.items) < len(live.campaign.items):
            rows = self.records.items(live.id)
            known = Shown(live.beside.mended, {item: rows[item] for item in live.campaign.items})
        return known

    async def show_question(self, campaign_id: str, given: Given) -> dict[str, Any]:
        """A question as its worker sees it."""
        question, undone = given
        mended, items = self._items.get(campaign_id, NOTHING_SHOWN)
        live = self._lives.get(campaign_id)
        if live is None or mended != live.beside.mended or question.left not in items or question.right not in items:
            _, items = self._items[campaign_id] = await self.run(campaign_id, self._joined)
        pair = items[question.left], items[question.right]
        if any(item.kind == "markdown" for item in pair):  # odd Markdown may take a second, and others are waiting
            left, right = await to_thread.run_sync(lambda: tuple(map(as_shown, pair)))
        else:
            left, right = map(as_shown, pair)
        shown = {"left": left, "right": right, "expires_at": question.expires_at, "undone": undone}
        return {"id": join_question(campaign_id, question.id), **shown}


def split_question(question: str) -> tuple[str, str]:
    """The campaign and the question of an id that was given out."""
    campaign_id, dot, question_id = question.partition(".")
    if not dot:
        raise ServiceError(
            404, "unknown_question", f"there is no question {question[:80]!r}: use the id you were given"
        )
    return campaign_id, question_id


def ask(live: Live, worker: str) -> Given | None:
    """The worker's next question, or None when there is nothing (more) to ask them."""
    try:
        return live.given(live.ask(worker, time.time()))
    except NothingToAsk:
        return None


def answer(
    live: Live, worker: str, question_id: str, choice: str, too_late: Callable[[str, str, str], None] | None = None
) -> dict[str, Any]:
    """Take in an answer (or skip), and say how far the worker is.

    `too_late` hears of the campaign, worker and question of one that time alone keeps from counting.
    """
    now = time.time()
    try:
        return _as_answered(live, live.answer(question_id, worker, choice, now), worker)
    except (NothingToAsk, QuestionClosed):
        if too_late is not None and has_lapsed(live.campaign.question(question_id), now):
            too_late(live.id, worker, question_id)
        raise


def held_by(live: Live, worker: str) -> list[Given]:
    """The questions that a worker holds, oldest first: a reload of the page goes on with these."""
    return [live.given(question) for question in live.own_questions(worker, time.time())]


def undo_own(live: Live, worker: str, question_id: str, meant: Meant) -> dict[str, Any]:
    """Withdraw the worker's own last answer."""
    return _as_answered(live, live.undo(question_id, worker, time.time(), meant), worker)


def _as_answered(live: Live, question: Question, worker: str) -> dict[str, Any]:
    return {
        "id": join_question(live.id, question.id),
        "status": question.status,
        "choice": question.choice,
        "undone": live.given(question).undone,
        "progress": progress_of(live, worker),
    }
