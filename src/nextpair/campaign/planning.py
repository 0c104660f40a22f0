"""What may happen next in a campaign. A plan decides and raises, and changes nothing: its events do, once applied."""

from __future__ import annotations

import time
from collections.abc import Iterable

import numpy as np

from nextpair.campaign import events as ev
from nextpair.campaign import views
from nextpair.campaign.amounts import finite, money, positive
from nextpair.campaign.choosing import plan_questions
from nextpair.campaign.earlier import Earlier, plan_earlier
from nextpair.campaign.looks import Looks
from nextpair.campaign.names import as_text
from nextpair.campaign.questions import Comparison, Question
from nextpair.campaign.settings import is_list, item_from, worker_from
from nextpair.errors import (
    BudgetExhausted,
    CampaignClosed,
    InvalidSetting,
    QuestionClosed,
    TargetReached,
    UnknownItem,
    UnknownWorker,
)


class Plans(Looks):
    """The plans of a campaign, from its state and the events so far.

    Each gives the events of the method it is named after, which whoever keeps a store of their own writes down before
    `Campaign.apply` takes them in. An empty list: nothing is to change.
    """

    def plan_ask(
        self, worker: str | Iterable[str] | None = None, n: int = 1, *, now: float | None = None
    ) -> list[ev.Event]:
        """The events of `ask_batch`, which change nothing yet. Leases that have run out are `plan_expire`'s."""
        state = self._state
        if state.phase != "running":
            todo = "resume it (nextpair change --resume)" if state.phase == "paused" else "start a new one"
            raise CampaignClosed(f"the campaign is {state.phase} and asks nothing: {todo} to go on")
        here = self._known_workers(worker)
        if views.target_reached(state):
            reached = views.expected_accuracy(state)
            raise TargetReached(
                f"the expected accuracy is {reached:.3f}, and {state.target:g} was asked for: read the ranking, or "
                f"call stop_at with a higher accuracy or None (nextpair change --stop-at) to go on"
            )
        rng = np.random.default_rng([state.created.seed, len(self.events)])
        return list(plan_questions(state, here, n, rng, self._expiry(now)))

    def plan_tell(self, question_id: str, choice: str) -> list[ev.Event]:
        """The events of `tell`, which change nothing yet."""
        question, state = self.question(question_id), self._state
        if not isinstance(choice, str) or choice not in ev.OUTCOMES:
            raise InvalidSetting(f"an answer is one of {', '.join(ev.OUTCOMES)}, not {choice!r}")
        if question.worker in state.retracted:
            raise QuestionClosed(f"{question.worker}'s answers were retracted, and question {question_id} with them")
        if question.choice == choice:
            return []
        if question.status in ("answered", "skipped"):
            was = f"answered {question.choice!r}" if question.choice else "skipped"
            raise QuestionClosed(
                f"question {question_id} was already {was}, so {choice!r} was not taken"
                + ("; undo it first to answer anew" if question.choice else "; ask for another question")
            )
        if question.status == "expired":
            self._refuse_too_late(question)
        return [ev.Answered(question.id, as_text(choice))]  # type: ignore[arg-type]

    def _refuse_too_late(self, question: Question) -> None:
        state = self._state
        if not state.purse.affords(question.cost):
            raise BudgetExhausted(
                f"question {question.id} had expired and the rest of the budget is taken: the answer was not counted"
            )
        if self._was_asked_anew(question):
            raise QuestionClosed(
                f"question {question.id} had expired, and its pair was asked anew or answered elsewhere: that counts"
            )
        if question.worker is None:
            return
        w = state.worker_index[question.worker]
        quota = state.quotas[w]
        if quota is not None and state.load[w] >= quota:
            raise QuestionClosed(
                f"question {question.id} had expired, and others have taken its place in the quota of {quota}: "
                "the answer was not counted"
            )

    def _was_asked_anew(self, question: Question) -> bool:
        # under another id, as journals of before may have it: now it keeps its id
        state = self._state
        if question.worker is None:
            return False
        return not state.met.may_be_asked(state.worker_index[question.worker], state.pair(question))

    def plan_skip(self, question_id: str) -> list[ev.Event]:
        """The events of `skip`, which change nothing yet."""
        question = self.question(question_id)
        if question.status == "answered":
            raise QuestionClosed(f"question {question_id} was already answered {question.choice!r}: undo it instead")
        late = question.status == "expired" and not self._was_asked_anew(question)
        return [ev.Skipped(question.id)] if question.status == "open" or late else []

    def plan_expire(self, now: float | None = None) -> list[ev.Event]:
        """The events of `expire`, which change nothing yet."""
        moment = _moment(now)
        leased = [q for q in self._state.open.values() if q.expires_at is not None]
        return [ev.Expired(q.id) for q in leased if q.expires_at is not None and q.expires_at <= moment]

    def _expiry(self, now: float | None) -> float | None:
        moment, lease = _moment(now), self._state.created.lease
        return None if lease is None else moment + lease

    def plan_undo(self, question_id: str, *, now: float | None = None) -> list[ev.Event]:
        """The events of `undo`, which change nothing yet."""
        question = self.question(question_id)
        if question.status != "answered" or question.worker in self._state.retracted:
            state = "retracted" if question.worker in self._state.retracted else question.status
            raise QuestionClosed(f"question {question_id} is {state}: there is no answer to undo")
        return [ev.Undone(question.id, self._expiry(now))]

    def plan_retract(self, worker: str) -> list[ev.Event]:
        """The events of `retract`, which change nothing yet."""
        self._known_worker(worker)
        return [] if worker in self._state.retracted else [ev.Retracted(worker)]

    def plan_add_item(self, item: str, *, guess: float | None = None) -> list[ev.Event]:
        """The events of `add_item`, which change nothing yet."""
        state = self._state
        back = isinstance(item, str) and item in state.item_index and not state.takes_part(item)
        if back and guess is not None:
            raise InvalidSetting(f"{item!r} comes back with what is known of it: leave the guess {guess!r} out")
        return [ev.ItemAdded(item) if back else item_from(item, state.item_index, state.created, guess)]

    def plan_remove_item(self, item: str) -> list[ev.Event]:
        """The events of `remove_item`, which change nothing yet."""
        state = self._state
        if not isinstance(item, str) or item not in state.item_index:
            raise UnknownItem(f"no item {item!r} takes part, so it cannot be removed: check the spelling")
        if not state.takes_part(item):
            return []
        if state.n_kept == state.fewest_items:
            best = state.fewest_items - 1
            why = f"the best {best} would be all items" if best > 1 else "a ranking needs at least 2 items"
            raise InvalidSetting(f"{why}, so {item!r} stays: add another one first")
        return [ev.ItemRemoved(item)]

    def plan_add_worker(
        self,
        worker: str,
        *,
        cost: float | None = None,
        quota: int | None = None,
        reliability: tuple[float, float] | None = None,
        times: int | None = None,
    ) -> list[ev.Event]:
        """The events of `add_worker`, which change nothing yet."""
        if self._state.created.workers is None:
            raise InvalidSetting(
                f"this campaign takes every answer as fully reliable and knows no workers, so {worker!r} cannot join: "
                f"leave the worker out, or start a campaign with workers=[] (on the command line: without --alike)"
            )
        return [worker_from(worker, self._state.worker_index, cost, quota, reliability, times)]

    def plan_add_answers(self, answers: Iterable[Earlier | Comparison], *, as_shown: bool = False) -> list[ev.Event]:
        """The events of `add_answers`, which change nothing yet."""
        return list(plan_earlier(self._state, answers, as_shown))

    def plan_set_budget(self, budget: float | None) -> list[ev.Event]:
        """The events of `set_budget`, which change nothing yet."""
        if budget is None:
            return [ev.BudgetSet(None)]
        amount = finite("the budget", budget)
        if not self._state.purse.fits(amount):
            raise InvalidSetting(
                f"the budget cannot be {money(amount)}: "
                f"{money(self._state.purse.committed)} is spent or held by open questions"
            )
        return [ev.BudgetSet(amount)]

    def plan_set_cost(self, cost: float, worker: str | None = None) -> list[ev.Event]:
        """The events of `set_cost`, which change nothing yet."""
        if worker is not None:
            self._known_worker(worker)
        return [ev.CostSet(positive("the cost", cost), worker)]

    def plan_stop_at(self, accuracy: float | None) -> list[ev.Event]:
        """The events of `stop_at`, which change nothing yet."""
        if accuracy is None:
            return [ev.TargetSet(None)]
        target = finite("an accuracy", accuracy)
        if not 0.5 <= target <= 1:
            raise InvalidSetting(f"an accuracy lies between 0.5 and 1, not at {target:g}")
        return [ev.TargetSet(target)]

    def plan_phase(self, event: ev.Paused | ev.Resumed | ev.Ended) -> list[ev.Event]:
        """The events of `pause`, `resume` or `end`, which change nothing yet."""
        if self._state.phase == "ended" and not isinstance(event, ev.Ended):
            raise CampaignClosed("the campaign has ended: start a new one")
        return [] if ev.PHASES[type(event)] == self._state.phase else [event]

    def _known_workers(self, worker: str | Iterable[str] | None) -> tuple[str, ...] | None:
        """Who is here, each once; None: whoever takes part."""
        if worker is None:
            return None
        here = tuple(worker) if is_list(worker) else (worker,)
        for name in here:
            self._known_worker(name, f"add_worker({name!r}) first (nextpair ask --worker)")
        if not here:
            raise InvalidSetting("nobody is here to be asked: name a worker, or leave it out for any of them")
        return tuple(dict.fromkeys(here))

    def _known_worker(self, worker: str, advice: str = "check the spelling") -> None:
        if self._state.created.workers is None:
            raise InvalidSetting("this campaign knows no workers (workers=None): call it without one")
        if not isinstance(worker, str) or worker not in self._state.worker_index:
            raise UnknownWorker(f"no worker {worker!r} takes part: {advice}")


def _moment(now: float | None) -> float:
    return time.time() if now is None else finite("now", now)
