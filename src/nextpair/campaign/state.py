"""The state of a campaign: what its events add up to. Changing it is `apply`, and nothing else."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Set
from decimal import Decimal
from functools import cached_property
from typing import TYPE_CHECKING, Any

from nextpair.campaign import events as ev
from nextpair.campaign.history import Answer, History, Joined
from nextpair.campaign.met import Met, any_left
from nextpair.campaign.purse import Purse, exact
from nextpair.campaign.questions import Question, Status
from nextpair.core.candidates import Asked, Pair, as_pair
from nextpair.core.guess import normal_score, normal_scores
from nextpair.core.model import Model

if TYPE_CHECKING:
    from nextpair.core.policies import Policy

Staying = tuple[int, ...]


def staying(before: Staying, pair: Pair) -> Staying:
    """Of a pair that a worker is shown, the items of which one may stay in their next: the new one, or else either."""
    new = tuple(item for item in pair if item not in before)
    return new if len(new) == 1 else pair


class State:
    """Everything that follows from the journal. The belief is folded from it when someone looks."""

    def __init__(self, created: ev.Created) -> None:
        self.created = created
        self.items = list(created.items)
        self.item_index = {name: i for i, name in enumerate(self.items)}
        self.workers = list(created.workers or ())
        self.worker_index = {name: w for w, name in enumerate(self.workers)}
        self.cost = created.cost  # of who joins later, and where workers are alike
        self.costs = [created.costs.get(name, created.cost) for name in self.workers]
        self.quotas = [created.quota for _ in self.workers]
        self.retracted: set[str] = set()
        self.known: set[str] = set()  # workers who came with a reliability of their own
        self.removed: set[int] = set()  # items that are asked about no more
        self.forbidden = self._forbidden()
        self.questions: dict[str, Question] = {}
        self.open: dict[str, Question] = {}
        self.met = Met(self.questions)
        for _ in self.workers:
            self.met.join(created.times or 1)
        self.stays: dict[int, tuple[str, Staying]] = {}  # worker -> of the last question that they did not skip
        self.stayed: dict[str, Staying] = {}  # question -> the items of which one was to stay in it
        self.looks: Counter[int] = Counter()  # questions open, or with an answer that counts, per item
        self.load: Counter[int] = Counter()  # questions open or answered, per worker
        self.purse = Purse(created.budget)
        self.target: float | None = None
        self.phase = "running"
        self._sideless: set[str] = set()  # questions of which nobody knows how they were shown
        self._history = History()

    @cached_property
    def policy(self) -> Policy:
        from nextpair.core.policies import find_policy  # here, so that taking an answer does not wait for numba

        return find_policy(self.created.policy)

    def _prior(self) -> Model:
        created = self.created
        n_workers, more = len(created.workers or ()), {}
        if created.guess is not None:
            more["guess"] = normal_scores([created.guess.get(item) for item in created.items])
        return self.policy.prior(len(created.items), n_workers, reliability=created.reliability, **more)

    def spent_on(self) -> dict[str, float]:
        """What the answers of each worker have cost, those of retracted ones as well."""
        sums = dict.fromkeys(self.workers, Decimal(0))
        for question in self.questions.values():
            if question.status == "answered" and question.worker is not None:
                sums[question.worker] += exact(question.cost)
        return {worker: float(amount) for worker, amount in sums.items()}

    @property
    def belief(self) -> Model:
        """The belief after every answer that counts."""
        return self._history.belief(self._prior)

    @property
    def answers(self) -> list[Answer]:
        """The answers that count, in the order in which they came."""
        return self._history.answers()

    def pair(self, question: Question) -> Pair:
        return as_pair(self.item_index[question.left], self.item_index[question.right])

    def has_pairs_for(self, w: int | None) -> bool:
        """Whether there is a pair that the worker may be asked; None: where workers are alike."""
        return any_left(frozenset() if w is None else self.closed(w), self.forbidden, len(self.items))

    def questions_left(self, w: int) -> int:
        """How many more questions the worker could be asked, were there the money and no quota."""
        return self.met.questions_left(w, len(self.items), self.forbidden)

    def closed(self, w: int) -> Set[Pair]:
        """The pairs that the worker is not asked now, as they were asked them before."""
        return self.met.closed(w, len(self.items), self.forbidden)

    def stands_left(self, w: int | None, pair: Pair, coin: bool) -> bool:
        """Whether the first of a pair is shown left: as the coin says, or as this worker saw it less often."""
        oftener = 0 if w is None else self.met.oftener_left(w, pair, self.items[pair[0]], self._sideless)
        return oftener < 0 if oftener else coin

    def staying(self, w: int) -> Staying:
        """The items of which one stays in the worker's next question, if that is wanted."""
        return self.stays[w][1] if w in self.stays else ()

    def asked(self, question: Question) -> Asked:
        """A question in indices."""
        return (*self.pair(question), None if question.worker is None else self.worker_index[question.worker])

    def apply(self, event: ev.Event) -> None:
        """Take in one event. It is not questioned here: what may happen is decided before it is written."""
        _APPLY[type(event)](self, event)

    def takes_part(self, item: str) -> bool:
        """Whether there is such an item, and it was not removed."""
        return item in self.item_index and self.item_index[item] not in self.removed

    @property
    def n_kept(self) -> int:
        """How many items take part."""
        return len(self.items) - len(self.removed)

    @property
    def fewest_items(self) -> int:
        """How many must take part: two, and one more than the best that are looked for."""
        return max(2, (self.created.best or 0) + 1)

    def _forbidden(self) -> set[Pair]:
        """The pairs that are not asked: those that were declared, and all of a removed item."""
        declared = {as_pair(self.item_index[a], self.item_index[b]) for a, b in self.created.forbidden}
        return declared | self.removed_pairs()

    def removed_pairs(self) -> set[Pair]:
        return {as_pair(i, j) for i in self.removed for j in range(len(self.items)) if i != j}

    def _add_item(self, event: ev.ItemAdded) -> None:
        if event.item in self.item_index:
            self.removed.remove(self.item_index[event.item])
        else:
            self.item_index[event.item] = len(self.items)
            self.items.append(event.item)
            self._history.append(Joined(None, self._guessed(event)))
        self.forbidden = self._forbidden()

    def _guessed(self, event: ev.ItemAdded) -> float | None:
        if event.guess is None or self.created.guess is None:
            return None
        return normal_score(event.guess, list(self.created.guess.values()))

    def _remove_item(self, event: ev.ItemRemoved) -> None:
        self.removed.add(self.item_index[event.item])
        self.forbidden = self._forbidden()

    def _add_worker(self, event: ev.WorkerAdded) -> None:
        self.worker_index[event.worker] = len(self.workers)
        self.workers.append(event.worker)
        self.costs.append(self.cost if event.cost is None else event.cost)
        self.quotas.append(self.created.quota if event.quota is None else event.quota)
        self.met.join(event.times or self.created.times or 1)
        if event.reliability is not None:
            self.known.add(event.worker)
        self._history.append(Joined(event.reliability or self.created.reliability))

    def _ask(self, event: ev.Asked) -> None:
        question = Question(event.question, event.worker, event.left, event.right, event.cost, event.expires_at)
        if event.cost or event.as_shown:
            self._sideless.discard(question.id)  # an answer from elsewhere that was undone, and is asked here
        else:
            self._sideless.add(question.id)
        self._hold(question)
        if self.created.one_stays and question.worker is not None and event.cost:  # or it was answered elsewhere
            w = self.worker_index[question.worker]
            last, before = self.stays.get(w, ("", ()))
            if last != question.id:  # or it ran out, and is asked again
                self.stayed[question.id] = before
                self.stays[w] = question.id, staying(before, self.pair(question))

    def _answer(self, event: ev.Answered) -> None:
        question = self.questions[event.question]
        if question.status == "expired":  # a late answer that the budget still allows
            self._hold(question)
        self._close(question, "answered", event.choice)
        self.purse.pay(question.cost)
        left, right = self.item_index[question.left], self.item_index[question.right]
        much = event.choice.startswith("much-")
        winner, loser = (right, left) if event.choice.endswith("right") else (left, right)
        worker = -1 if question.worker is None else self.worker_index[question.worker]
        side = 0 if question.id in self._sideless else -1 if winner == right else 1
        self._history.append(Answer(question.id, winner, loser, worker, int(event.choice == "tie"), side, int(much)))

    def _skip(self, event: ev.Skipped) -> None:
        question = self.questions[event.question]
        if question.status == "expired":  # it is settled all the same: the worker is not asked it again
            self._hold(question)
        self._close(question, "skipped")
        self._count(question, -1)
        w = -1 if question.worker is None else self.worker_index[question.worker]
        if w in self.stays and self.stays[w][0] == question.id:
            del self.stays[w]

    def _expire(self, event: ev.Expired) -> None:
        question = self.questions[event.question]
        self._close(question, "expired")
        self._count(question, -1)
        if question.worker is not None:
            self.met.expire(self.worker_index[question.worker], self.pair(question), question.id)

    def _undo(self, event: ev.Undone) -> None:
        question = self.questions[event.question]
        self.purse.take_back(question.cost)
        self._count(question, -1)
        self._hold(question._replace(expires_at=event.expires_at))
        self._history.forget({question.id})

    def _retract(self, event: ev.Retracted) -> None:
        if event.worker in self.retracted:
            return
        self.retracted.add(event.worker)
        theirs = [q for q in self.questions.values() if q.worker == event.worker]
        for question in theirs:
            if question.status == "open":
                self.apply(ev.Skipped(question.id))
            elif question.status == "answered":
                self.looks.subtract(self.pair(question))  # an answer that does not count is no look
        self._history.forget({question.id for question in theirs})

    def _set_budget(self, event: ev.BudgetSet) -> None:
        self.purse.budget = event.budget

    def _set_cost(self, event: ev.CostSet) -> None:
        if event.worker is not None:
            self.costs[self.worker_index[event.worker]] = event.cost
        else:
            self.cost, self.costs = event.cost, [event.cost] * len(self.costs)

    def _set_target(self, event: ev.TargetSet) -> None:
        self.target = event.accuracy

    def _set_phase(self, event: ev.Paused | ev.Resumed | ev.Ended) -> None:
        self.phase = ev.PHASES[type(event)]

    def _hold(self, question: Question) -> None:
        """Take up a question, which is open then."""
        if question.status != "open":
            question = question._replace(status="open", choice=None)
        self.questions[question.id] = self.open[question.id] = question
        self.purse.hold(question.cost)
        self._count(question, +1)
        if question.worker is not None:
            self.met.hold(self.worker_index[question.worker], self.pair(question), question.id)

    def _close(self, question: Question, status: Status, choice: ev.Outcome | None = None) -> None:
        self.questions[question.id] = Question(*question[:6], status, choice)  # `_replace` takes three times as long
        del self.open[question.id]
        self.purse.let_go(question.cost)

    def _count(self, question: Question, by: int) -> None:
        for item in self.pair(question):
            self.looks[item] += by
        if question.worker is not None:
            self.load[self.worker_index[question.worker]] += by


_APPLY: dict[type[ev.Event], Callable[[State, Any], None]] = {
    ev.ItemAdded: State._add_item,
    ev.ItemRemoved: State._remove_item,
    ev.WorkerAdded: State._add_worker,
    ev.Asked: State._ask,
    ev.Answered: State._answer,
    ev.Skipped: State._skip,
    ev.Expired: State._expire,
    ev.Undone: State._undo,
    ev.Retracted: State._retract,
    ev.BudgetSet: State._set_budget,
    ev.CostSet: State._set_cost,
    ev.TargetSet: State._set_target,
    ev.Paused: State._set_phase,
    ev.Resumed: State._set_phase,
    ev.Ended: State._set_phase,
}
