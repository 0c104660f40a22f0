"""From the state of a campaign to the next questions: who and what may be asked, and the policy's choice among it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from itertools import count
from sys import maxsize

import numpy as np

from nextpair.campaign import events as ev
from nextpair.campaign.amounts import money, whole
from nextpair.campaign.questions import Question
from nextpair.campaign.state import State, Staying
from nextpair.core.candidates import Asked, Candidates, Choice, Pair
from nextpair.errors import BudgetExhausted, NothingLeft


def plan_questions(
    state: State, here: tuple[str, ...] | None, n: int, rng: np.random.Generator, expires_at: float | None
) -> Iterator[ev.Asked]:
    """Up to n questions for those who are here, affordable and within the quotas; none is an error that says why.

    What ran out on one of them comes first and is the same question again: they may still be looking at it.
    """
    n = min(whole("the number of questions", n, 1), maxsize)  # more than there are, and as far as numpy counts
    in_flight = {state.pair(question) for question in state.open.values()}
    trial = _Trial(state, here)
    trial.take_up(n)
    while len(trial.chosen) < n:
        wanted = n - len(trial.chosen)
        picked = trial.choose(wanted, rng, in_flight)
        if not picked and not trial.chosen:
            picked = trial.choose(wanted, rng, set())  # only pairs that are out already are left: ask one again
        if not picked:
            break
    if not trial.chosen:
        raise _reason(state, here)
    number = len(state.questions)
    for choice in trial.chosen:
        if (again := trial.lapsed(choice)) is not None:
            cost = _cost(state, choice.worker)  # of now: that is what the budget was asked for
            yield ev.Asked(again.id, again.worker, again.left, again.right, cost, expires_at)
            continue
        number = next(k for k in count(number + 1) if f"q{k}" not in state.questions)
        coin = rng.random() < 0.5
        left, right = choice.pair if state.stands_left(choice.worker, choice.pair, coin) else choice.pair[::-1]
        name = None if choice.worker is None else state.workers[choice.worker]
        yield ev.Asked(
            f"q{number}", name, state.items[left], state.items[right], _cost(state, choice.worker), expires_at
        )


def candidates_of(
    state: State,
    workers: tuple[int, ...] | None,
    out: tuple[Asked, ...],
    taken: set[Pair],
    looks: Mapping[int, int],
    stays: Callable[[int], Staying],
) -> Candidates:
    """What may be asked of these workers while the questions `out` are unanswered, less the pairs that are `taken`.

    Where one item stays, `stays(worker)` has those of which it is one.
    """
    candidates = _with_looks(state, workers, out, taken, looks)
    return _with_one_of(stays, candidates) if state.created.one_stays else candidates


def _with_looks(
    state: State,
    workers: tuple[int, ...] | None,
    out: tuple[Asked, ...],
    taken: set[Pair],
    looks: Mapping[int, int],
) -> Candidates:
    """What may be asked, whatever stays: items that need looks come before anything else."""
    n = len(state.items)
    again = [w for w, times in enumerate(state.met.times) if times > 1]
    candidates = Candidates(
        n_items=n,
        workers=workers,
        costs=dict(enumerate(state.costs)),
        quotas={w: quota - state.load[w] for w, quota in enumerate(state.quotas) if quota is not None},
        left={w: state.questions_left(w) for w in again},
        seen=state.met.seen | {w: state.closed(w) for w in again},
        forbidden=state.forbidden | taken if taken else state.forbidden,
        in_flight=out,
        best=state.created.best,
        removed=state.removed,
    )
    least = state.created.min_looks
    needy = [i for i in range(n) if looks.get(i, 0) < least and i not in state.removed] if least else []
    # what these workers can be shown no more, such as an item that they all skipped, must not keep them from the rest
    if any(candidates.allows(i, j, w) for w in candidates.askable() for i in needy for j in range(n)):
        candidates = replace(candidates, needy=np.isin(np.arange(n), needy))
    return candidates


def awaits_looks(state: State) -> bool:
    """Whether an item is still to be shown, to somebody who may be asked about it, before anything else is."""
    names = enumerate(state.workers)
    crowd = None if state.created.workers is None else tuple(w for w, name in names if name not in state.retracted)
    return _with_looks(state, crowd, (), set(), state.looks).needy is not None


def _with_one_of(stays: Callable[[int], Staying], candidates: Candidates) -> Candidates:
    """Only questions in which one of these items stays with their worker; all of who has no such question left."""
    workers, n = candidates.workers or (), range(candidates.n_items)
    near = {w: stays(w) for w in workers if any(candidates.allows(i, j, w) for i in stays(w) for j in n)}
    return replace(candidates, stays=near)


def instead_of(state: State, question: Question) -> Candidates:
    """What might have been asked of the same worker in place of a question, all else being as it is now."""
    _, _, worker = state.asked(question)
    others = [other for other in state.open.values() if other.id != question.id]
    taken = set(map(state.pair, others))
    pair = state.pair(question)
    looks = Counter(state.looks)
    if question.status in ("open", "answered") and question.worker not in state.retracted:
        looks.subtract(pair)
    return candidates_of(
        state,
        workers=None if worker is None else (worker,),
        out=tuple(map(state.asked, others)),
        taken={pair} if pair in taken else taken | {pair},  # a pair that is out is asked again only if all of them are
        looks=looks,
        stays=lambda _: state.stayed.get(question.id, ()),
    )


class _Trial:
    """A batch in the making: what it has chosen counts against budget and quotas."""

    def __init__(self, state: State, here: tuple[str, ...] | None) -> None:
        self.state, self.here = state, here
        self.chosen: list[Choice] = []

    def take_up(self, n: int) -> None:
        """Begin with questions that ran out on those who are named, oldest first; no pair twice."""
        for w in map(self.state.worker_index.__getitem__, self.here or ()):
            for pair in self.state.met.lapsed.get(w, {}):
                taken = pair in self.state.forbidden or any(choice.pair == pair for choice in self.chosen)
                if len(self.chosen) < n and not taken and w in self._askable():
                    self.chosen.append(Choice(*pair, w, 0.0))

    def lapsed(self, choice: Choice) -> Question | None:
        """The question that this choice asks again, if the worker had it before and it ran out."""
        known = None if choice.worker is None else self.state.met.lapsed.get(choice.worker, {}).get(choice.pair)
        return None if known is None else self.state.questions[known]

    def choose(self, n: int, rng: np.random.Generator, in_flight: set[Pair]) -> list[Choice]:
        state = self.state
        candidates = candidates_of(
            state,
            workers=None if state.created.workers is None else tuple(self._askable()),
            out=(*map(state.asked, state.open.values()), *map(_as_asked, self.chosen)),
            taken=in_flight | {choice.pair for choice in self.chosen},
            looks=self._looks(),
            stays=state.staying,
        )
        if candidates.workers == () or not self._affords(self._cheapest(candidates.workers)):
            return []
        kept = []
        for choice in state.policy.choose(state.belief, candidates, rng, n):
            wanted = candidates.needy is None or self._shows_needy(choice)
            if wanted and self._affords(_cost(state, choice.worker)) and self._free(choice.worker):
                self.chosen.append(choice)
                kept.append(choice)
        return kept

    def _looks(self) -> Counter[int]:
        """The looks at each item, with those of this batch."""
        return self.state.looks + Counter(item for choice in self.chosen for item in choice.pair)

    def _shows_needy(self, choice: Choice) -> bool:
        """Whether it shows an item that needs looks, those of this batch counted: what comes first may settle it."""
        looks, least = self._looks(), self.state.created.min_looks
        return any(looks[item] < least for item in choice.pair)

    def _askable(self) -> Iterator[int]:
        state = self.state
        for name in state.workers if self.here is None else self.here:
            w = state.worker_index[name]
            if name not in state.retracted and self._free(w) and self._affords(state.costs[w]):
                yield w

    def _free(self, w: int | None) -> bool:
        quota = None if w is None else self.state.quotas[w]
        if w is None or quota is None:
            return True
        return self.state.load[w] + sum(choice.worker == w for choice in self.chosen) < quota

    def _cheapest(self, workers: tuple[int, ...] | None) -> float:
        return self.state.cost if workers is None else min(self.state.costs[w] for w in workers)

    def _affords(self, cost: float) -> bool:
        return self.state.purse.affords(cost, *(_cost(self.state, choice.worker) for choice in self.chosen))


def _as_asked(choice: Choice) -> Asked:
    return (choice.i, choice.j, choice.worker)


def _cost(state: State, worker: int | None) -> float:
    return state.cost if worker is None else state.costs[worker]


def _has_more(state: State, w: int) -> bool:
    """Whether the worker could be asked something, were there the money."""
    quota = state.quotas[w]
    return state.has_pairs_for(w) and (quota is None or state.load[w] < quota)


def _reason(state: State, here: tuple[str, ...] | None) -> BudgetExhausted | NothingLeft:
    """Why there is no next question."""
    worker = here[0] if here is not None and len(here) == 1 else None
    if worker is not None and worker in state.retracted:
        return NothingLeft(f"{worker}'s answers were retracted, and they are asked no more: ask another worker")
    names = [name for name in here or state.workers if name not in state.retracted]
    more = [w for w in map(state.worker_index.__getitem__, names) if _has_more(state, w)]
    cost = min((state.costs[w] for w in more), default=state.cost)
    anybody = state.created.workers is None and state.has_pairs_for(None)
    if (more or anybody) and not state.purse.affords(cost):  # to who is through money is no help
        n = len(state.open)
        held = f" and {money(state.purse.held)} held by {n} open question{'s' if n > 1 else ''}" if n else ""
        return BudgetExhausted(
            f"of the budget of {money(state.purse.budget)}, {money(state.purse.spent)} is spent{held}, "
            f"and one more answer costs {money(cost)}: "
            f"raise the budget with set_budget (nextpair change --budget)"
            + (", or answer, skip or expire open questions" if n else "")
        )
    if worker is not None:
        w = state.worker_index[worker]
        quota = state.quotas[w]
        if quota is not None and state.load[w] >= quota:
            return NothingLeft(f"{worker} has had the {quota} questions of their quota: ask another worker")
        return NothingLeft(
            f"{worker} has compared every pair that may be asked{_but_open(state, here)}: ask another worker"
        )
    if state.created.workers is None:
        return NothingLeft("every pair of items is forbidden: add items")
    if not state.workers:
        return NothingLeft("there are no workers yet: let one join with add_worker (nextpair ask --worker NAME)")
    if here is not None:
        return NothingLeft("none of those who are here may be asked any more: ask others, or add items or workers")
    if not names:
        return NothingLeft("the answers of every worker were retracted, and they are asked no more: add workers")
    if any(state.has_pairs_for(state.worker_index[name]) for name in names):
        return NothingLeft("every worker has had the questions of their quota, or compared every pair: add workers")
    return NothingLeft(
        f"every worker has compared every pair that may be asked{_but_open(state, here)}: add workers or items"
    )


def _but_open(state: State, here: tuple[str, ...] | None) -> str:
    """What of their questions those who are here have not answered yet."""
    waiting = [question.id for question in state.open.values() if here is None or question.worker in here]
    some = ", ".join(waiting[:5]) + (" and others" if len(waiting) > 5 else "")
    return f", but for what is out and can still be answered ({some})" if waiting else ""
