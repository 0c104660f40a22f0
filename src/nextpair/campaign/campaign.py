"""The campaign: ask the next question, tell its answer, look at the ranking.

Every change is decided first (`plan_…`, which changes nothing) and then applied as events, so that a service can write
the events to its store in between. `Campaign.replay(campaign.events)` is the same campaign again.
"""

from __future__ import annotations

import gc
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import replace
from pathlib import Path
from typing import Self

from nextpair.campaign import events as ev
from nextpair.campaign.checking import FLAWS, flaw_of_first, no_event
from nextpair.campaign.earlier import Earlier
from nextpair.campaign.journal import read_journal, save_journal
from nextpair.campaign.planning import Plans
from nextpair.campaign.questions import Comparison, Question
from nextpair.campaign.settings import as_mapping, created_from, is_list, refuse_strangers
from nextpair.campaign.state import State
from nextpair.core.model import RELIABILITY
from nextpair.errors import InvalidFile, InvalidSetting


@contextmanager
def _without_collecting() -> Iterator[None]:
    """No search for cycles while millions of events, which have none, are made: it would look at them over and over."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()


class Campaign(Plans):
    """Items, workers, a budget and a policy, with the journal of what happened.

    items: two names or more, in order.
    workers: names; how far to trust each is learnt, and whom to ask is chosen (Algorithm 2 of [CJL]). None: every
        answer counts as fully reliable (Algorithm 1).
    budget: the most to spend, in units of `cost`; None: no limit.
    seed: the same seed asks the same questions.
    policy: how questions are chosen; "auto" is full-posterior up to 500 items and akg, the paper's, beyond.
    cost: of an answer, one number or one for each worker; who joins a campaign of the second kind later costs 1
        unless `add_worker` says otherwise.
    quota: the most questions that any worker gets.
    forbidden: pairs of items that are never asked.
    min_looks: every item is shown this many times before anything else, as long as there is a pair of it to ask.
    reliability: the Beta(mu, nu) that is assumed of every worker, or a mapping for those of whom more is known:
        experts, (38, 2) say, and who comes from an earlier campaign (`reliabilities`).
    lease: seconds after which an unanswered question expires and frees its money.
    one_stays: one of the two items a worker has just seen is in their next question, so that they look at one new
        item and not at two.
    times: how often a worker may be asked the same pair, sides exchanged each time; or a mapping for those who may be
        asked it more than once, as models may.
    best: only which items are the best `best` matters, as where there are so many prizes. Questions are chosen for
        that, and the accuracy is the share of them that is found.
    guess: a rough number for each item that is there already, the higher the better: last year's score, a metric, a
        first reader's mark. Only the order of the numbers is taken, and that is believed as far as answers bear it out;
        items may be left out.
    stop_at: the expected accuracy at which to stop; "auto" is then full-posterior-checked, which learns when that is.

    `events` is the journal: read it, and leave its changing to the methods. A campaign has no lock: use it from one
    thread at a time, and for several processes `nextpair.store.file.opened`.
    """

    def __init__(
        self,
        items: Iterable[str],
        workers: Iterable[str] | None = None,
        budget: float | None = None,
        *,
        seed: int = 0,
        policy: str = "auto",
        cost: float | Mapping[str, float] = 1.0,
        quota: int | None = None,
        forbidden: Iterable[tuple[str, str]] = (),
        min_looks: int = 0,
        reliability: tuple[float, float] | Mapping[str, tuple[float, float]] = RELIABILITY,
        lease: float | None = None,
        one_stays: bool = False,
        best: int | None = None,
        times: int | Mapping[str, int] = 1,
        guess: Mapping[str, float] | None = None,
        stop_at: float | None = None,
    ) -> None:
        cost, reliability, times, guess = map(as_mapping, (cost, reliability, times, guess))
        known: Mapping[str, tuple[float, float]] = {}
        often: Mapping[str, int] = {}
        if isinstance(reliability, Mapping):
            known, reliability = reliability, RELIABILITY
        if isinstance(times, Mapping):
            often, times = times, 1
        terms = (cost, quota, forbidden, min_looks, reliability, lease, one_stays, best, times, guess)
        created = created_from(items, workers, budget, seed, policy, *terms, stops=stop_at is not None)
        if not known and not often:
            self._begin(created)
        elif created.workers is None:
            raise InvalidSetting("workers who are all alike have no terms of their own: name the workers")
        else:  # they join one after the other, each with terms of their own
            refuse_strangers("times are", often, created.workers)
            self._begin(replace(created, workers=(), costs={}))
            for w in created.workers:
                self.add_worker(w, cost=created.costs.get(w), reliability=known.get(w), times=often.get(w))
        if stop_at is not None:
            self.stop_at(stop_at)

    def _begin(self, created: ev.Created) -> None:
        self.events = [created]
        self._state = State(created)

    def __copy__(self) -> Self:
        """A campaign of its own: what happens to it does not happen to this one."""
        return deepcopy(self)

    @classmethod
    def replay(cls, events: Iterable[ev.Event]) -> Self:
        """The campaign that these events made; InvalidFile where they cannot have followed each other."""
        if not is_list(events):
            raise InvalidFile(f"a journal is a list of events, as `campaign.events`, not {events!r}")
        return cls._replay(events, "event")

    @classmethod
    def _replay(cls, events: Iterable[ev.Event], kind: str) -> Self:
        history = iter(events)
        created = next(history, None)
        if created is None:
            why = "there is none, as where a start was interrupted: remove the file and start anew"
            raise InvalidFile(f"{kind} 1: a journal begins with a Created event, and {why}")
        if not isinstance(created, ev.Created):
            raise InvalidFile(f"{kind} 1: a journal begins with a Created event")
        if wrong := flaw_of_first(created):
            raise InvalidFile(f"{kind} 1: {wrong}")
        campaign = cls.__new__(cls)
        campaign._begin(created)
        state, known = campaign._state, campaign.events
        with _without_collecting():
            for event in history:
                if wrong := FLAWS.get(type(event), no_event)(state, event):
                    raise InvalidFile(f"{kind} {len(known) + 1}: {wrong}")
                state.apply(event)
                known.append(event)
        return campaign

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """Resume the campaign of a journal file: it asks what it would have asked without the interruption.

        InvalidFile where the file cannot be read, or holds what cannot have happened; it names the line.
        """
        return cls._replay(read_journal(path), f"{path}, line")

    def save(self, path: str | Path) -> None:
        """Write to a journal file what it does not hold yet; if that fails, the file is as it was.

        A file that holds anything else, such as answers that another process told since `load`, is left alone.
        """
        save_journal(path, self.events)

    def apply(self, event: ev.Event) -> None:
        """Take in the next event: one that was planned here, or that a store has of this campaign.

        InvalidFile where it cannot follow those before it; then nothing is changed.
        """
        if wrong := FLAWS.get(type(event), no_event)(self._state, event):
            raise InvalidFile(f"event {len(self.events) + 1}: {wrong}")
        self._take(event)

    def _take(self, event: ev.Event) -> None:
        self._state.apply(event)
        self.events.append(event)

    def _do(self, planned: list[ev.Event]) -> None:
        for event in planned:
            self._take(event)

    # ask and tell

    def ask(self, worker: str | Iterable[str] | None = None, *, now: float | None = None) -> Question:
        """The next question: the best pair for the best worker, or for the worker, or workers, who are here.

        Raises NothingToAsk where there is none: BudgetExhausted, NothingLeft, TargetReached or CampaignClosed.
        `now`: the time in seconds, for leases; None: the clock.
        """
        return self.ask_batch(1, worker, now=now)[0]

    def ask_batch(
        self, n: int, worker: str | Iterable[str] | None = None, *, now: float | None = None
    ) -> list[Question]:
        """Up to n questions at once, no pair twice; raises as `ask` does where there is none at all."""
        self.expire(now)
        planned = self.plan_ask(worker, n, now=now)
        self._do(planned)
        return [self._state.questions[event.question] for event in planned if isinstance(event, ev.Asked)]

    def tell(self, question_id: str, choice: str) -> Question:
        """Take in an answer: "left", "right" or "tie"; or "much-left" or "much-right", from who is asked by how much.

        Gives the question as it stands then. The same answer twice is one answer, and another one QuestionClosed. A
        late answer, to a question that expired, counts if the budget and the quota allow.
        """
        self._do(self.plan_tell(question_id, choice))
        return self._state.questions[question_id]

    def skip(self, question_id: str) -> None:
        """Close a question without an answer; its budget is free again. Twice is harmless.

        The worker is not asked about the pair again.
        """
        self._do(self.plan_skip(question_id))

    def expire(self, now: float | None = None) -> list[Question]:
        """Close the questions whose lease has run out at `now` (default: the clock), and give them back."""
        planned = self.plan_expire(now)
        self._do(planned)
        return [self._state.questions[event.question] for event in planned if isinstance(event, ev.Expired)]

    # correct and change

    def undo(self, question_id: str, *, now: float | None = None) -> None:
        """Withdraw an answer: the belief is as if it had never been given, and the question is open again."""
        self._do(self.plan_undo(question_id, now=now))

    def retract(self, worker: str) -> None:
        """Take all of a worker's answers out of the belief and ask them no more. What was paid stays paid."""
        self._do(self.plan_retract(worker))

    def add_item(self, item: str, *, guess: float | None = None) -> None:
        """One more item joins; nothing is known of it yet. One that was removed comes back with what is known.

        `guess`: where it stands among the numbers that were guessed of the others.
        """
        self._do(self.plan_add_item(item, guess=guess))

    def remove_item(self, item: str) -> None:
        """Ask about an item no more and leave it out of the ranking; `add_item` brings it back.

        Answers about it still tell of the others and of the workers, and questions that are out can be answered.
        """
        self._do(self.plan_remove_item(item))

    def add_worker(
        self,
        worker: str,
        *,
        cost: float | None = None,
        quota: int | None = None,
        reliability: tuple[float, float] | None = None,
        times: int | None = None,
    ) -> None:
        """One more worker joins, with terms of their own where they are not the campaign's.

        `reliability`: the Beta(mu, nu) that is thought of theirs. `times`: how often they may be asked the same pair.
        """
        self._do(self.plan_add_worker(worker, cost=cost, quota=quota, reliability=reliability, times=times))

    def add_answers(self, answers: Iterable[Earlier | Comparison], *, as_shown: bool = False) -> None:
        """Answers that were given elsewhere, as (worker, left, right, "left" or another choice); all of them or none.

        They count like any other and cost nothing, and whoever gave one joins. They count towards quotas and looks.
        `as_shown`: left was shown left (or first), so that they also tell who favours a side. The `comparisons()` of
        another campaign are answers, too, which say themselves how they were shown.
        """
        with _without_collecting():
            self._do(self.plan_add_answers(answers, as_shown=as_shown))

    def set_budget(self, budget: float | None) -> None:
        """Change the whole budget; it cannot fall below what is spent and held."""
        self._do(self.plan_set_budget(budget))

    def set_cost(self, cost: float, worker: str | None = None) -> None:
        """Change what an answer of the worker costs, or of everybody. What is out keeps the cost it was asked at."""
        self._do(self.plan_set_cost(cost, worker))

    def stop_at(self, accuracy: float | None) -> None:
        """From now on `ask` raises TargetReached once the expected accuracy is this high (None: never).

        It does not before every item was shown `min_looks` times, as long as there is a pair of it to ask. The policy
        stays, and may assume how far apart items are (`may_stop_early`): better name the accuracy at the start.
        """
        self._do(self.plan_stop_at(accuracy))

    def pause(self) -> None:
        """Ask nothing until `resume`; answers to open questions are still taken."""
        self._do(self.plan_phase(ev.Paused()))

    def resume(self) -> None:
        """Go on after a pause."""
        self._do(self.plan_phase(ev.Resumed()))

    def end(self) -> None:
        """Ask nothing any more; answers to open questions are still taken."""
        self._do(self.plan_phase(ev.Ended()))
