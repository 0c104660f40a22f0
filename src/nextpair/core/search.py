"""Taking the best questions from a list with values, where what may be asked is found out only near the top.

Workers with the same mean reliability and the same cost are alike for the score: they form a class, and only their
histories tell them apart. Items alike form groups in the same way.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, product

import numpy as np

from nextpair.core.arrays import BoolArray, FloatArray, IntArray
from nextpair.core.candidates import Candidates, Choice, Pair, as_pair, just_below
from nextpair.core.groups import Groups

_CHUNK = 256  # questions put in order before all are
_DRAWS = 200  # random draws before equal questions are gone through one by one


@dataclass(frozen=True)
class WorkerClass:
    """Workers who are alike: mean reliability (of p and 1 - p the larger), cost, and who they are (None: anybody)."""

    reliability: float
    cost: float
    members: tuple[int | None, ...]


def worker_classes(candidates: Candidates, reliability: FloatArray) -> list[WorkerClass]:
    """The askable workers in classes, the strongest first. The score is the same for p and 1 - p."""
    groups: dict[tuple[float, float], list[int | None]] = {}
    for worker in candidates.askable():
        p = 1.0 if worker is None else float(reliability[worker])
        groups.setdefault((max(p, 1.0 - p), candidates.cost(worker)), []).append(worker)
    classes = [WorkerClass(p, cost, tuple(members)) for (p, cost), members in groups.items()]
    return sorted(classes, key=lambda kind: (-kind.reliability, kind.cost))


@dataclass(frozen=True)
class Offer:
    """Questions of known value: question q is about a pair of the groups first[q], second[q], to the class kinds[q]."""

    values: FloatArray
    first: IntArray
    second: IntArray
    kinds: IntArray
    classes: Sequence[WorkerClass]
    groups: Groups

    def members(self, question: int) -> tuple[int | None, ...]:
        return self.classes[int(self.kinds[question])].members

    def pairs(self, question: int) -> Iterator[Pair]:
        """The pairs of items that the question stands for."""
        first, second = int(self.first[question]), int(self.second[question])
        one = self.groups.members(first).tolist()
        both = combinations(one, 2) if first == second else product(one, self.groups.members(second).tolist())
        return (as_pair(i, j) for i, j in both)

    def counts(self, questions: IntArray) -> FloatArray:
        """How many (pair, worker) each question stands for, were there no rules."""
        sizes = np.array([len(kind.members) for kind in self.classes], dtype=np.float64)
        return self.groups.counts(self.first[questions], self.second[questions]) * sizes[self.kinds[questions]]

    def descending(self) -> Iterator[int]:
        """The questions that are not erased, the best first."""
        size, done = min(_CHUNK, self.values.size), 0
        while done < self.values.size:
            top = np.argpartition(-self.values, size - 1)[:size]
            for question in top[np.argsort(-self.values[top], kind="stable")][done:].tolist():
                if self.values[question] == -np.inf:
                    return
                yield question
            size, done = self.values.size, size

    def at_least(self, value: float) -> Offer:
        """Only the questions worth at least this."""
        return self._only(self.values >= value)

    def _only(self, which: BoolArray) -> Offer:
        return Offer(
            self.values[which], self.first[which], self.second[which], self.kinds[which], self.classes, self.groups
        )

    def with_more(self, other: Offer) -> Offer:
        """Both together."""
        return Offer(
            np.concatenate([self.values, other.values]), np.concatenate([self.first, other.first]),
            np.concatenate([self.second, other.second]), np.concatenate([self.kinds, other.kinds]),
            self.classes, self.groups,
        )  # fmt: skip


class Picker:
    """Takes the best questions that the candidates allow, equal ones at random."""

    def __init__(self, candidates: Candidates, rng: np.random.Generator) -> None:
        self._candidates = candidates
        self._rng = rng
        self._taken: set[Pair] = set()

    def _allows(self, pair: Pair, worker: int | None) -> bool:
        return pair not in self._taken and self._candidates.allows(*pair, worker)

    def nth_best(self, offer: Offer, n: int) -> float:
        """The value of the n-th best pair that may be asked, -inf where there are not so many."""
        found = 0
        for question in offer.descending():
            for pair in offer.pairs(question):
                found += any(self._allows(pair, worker) for worker in offer.members(question))
                if found == n:
                    return float(offer.values[question])
        return -np.inf

    def take(self, offers: Sequence[Offer], n: int) -> list[Choice]:
        """The n best questions, no pair twice."""
        choices: list[Choice] = []
        while len(choices) < n:
            best = max((self._best(offer) for offer in offers), default=-np.inf)
            if best == -np.inf:
                break
            choice = self._one_of([(offer, np.flatnonzero(offer.values >= just_below(best))) for offer in offers])
            choices.append(choice)
            self._taken.add(choice.pair)
        return choices

    def _best(self, offer: Offer) -> float:
        """The largest value of what may be asked. Erases what may not, down to it."""
        for question in offer.descending():
            for pair in offer.pairs(question):
                if any(self._allows(pair, worker) for worker in offer.members(question)):
                    return float(offer.values[question])
            offer.values[question] = -np.inf
        return -np.inf

    def _one_of(self, equal: list[tuple[Offer, IntArray]]) -> Choice:
        """A random one of the questions, every pair with every worker who may be asked counting once."""
        equal = [(offer, questions) for offer, questions in equal if questions.size]
        ends = [np.cumsum(offer.counts(questions)) for offer, questions in equal]
        sums = np.cumsum([end[-1] for end in ends])
        for _ in range(_DRAWS):  # nearly everything may be asked: draw until one may
            spot = self._rng.random() * sums[-1]  # below it: counts are whole numbers
            which = int(np.searchsorted(sums, spot, side="right"))
            offer, questions = equal[which]
            inside = int(np.searchsorted(ends[which], spot - (sums[which - 1] if which else 0.0), side="right"))
            question = int(questions[inside])
            members = offer.members(question)
            worker = members[int(self._rng.integers(len(members)))]
            pair = offer.groups.draw(int(offer.first[question]), int(offer.second[question]), self._rng)
            if self._allows(pair, worker):
                return Choice(*pair, worker, float(offer.values[question]))
        left = [
            Choice(*pair, worker, float(offer.values[question]))
            for offer, questions in equal
            for question in questions.tolist()
            for pair in offer.pairs(question)
            for worker in offer.members(question)
            if self._allows(pair, worker)
        ]
        return left[int(self._rng.integers(len(left)))]
