"""Taking the best questions from a list with values, where what may be asked is found out only near the top.

Workers with the same mean reliability and the same cost are alike for the score: they form a class, and only their
histories tell them apart.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from nextpair.core.arrays import FloatArray, IntArray
from nextpair.core.candidates import TIE, Candidates, Choice, Pair

_CHUNK = 256  # questions put in order at a time
_BLOCK = 4096
_MANY_EQUAL = 100_000
_DRAWS = 200  # random draws before equal questions are gone through one by one


@dataclass(frozen=True)
class WorkerClass:
    """Workers who are alike: mean reliability (of p and 1 - p the larger), cost, and who they are (None: anybody)."""

    reliability: float
    cost: float
    members: tuple[int | None, ...]

    @property
    def strength(self) -> float:
        """How far from answering at random."""
        return 2.0 * self.reliability - 1.0


def worker_classes(candidates: Candidates, reliability: FloatArray) -> list[WorkerClass]:
    """The askable workers in classes, the strongest first. The score is the same for p and 1 - p."""
    groups: dict[tuple[float, float], list[int | None]] = {}
    for worker in candidates.askable():
        p = 1.0 if worker is None else float(reliability[worker])
        groups.setdefault((max(p, 1.0 - p), candidates.cost(worker)), []).append(worker)
    classes = [WorkerClass(p, cost, tuple(members)) for (p, cost), members in groups.items()]
    return sorted(classes, key=lambda kind: (-kind.reliability, kind.cost))


class Offer:
    """Questions of known value. Question q is about the pair pairs[q] and goes to the class kinds[q]."""

    def __init__(
        self, values: FloatArray, pairs: IntArray | None, kinds: IntArray | int, classes: Sequence[WorkerClass]
    ) -> None:
        self.values = values
        self._pairs = pairs  # None: question q is about pair q
        self._kinds = kinds  # one number: the same class for all
        self._classes = classes

    def pair(self, question: int) -> int:
        return question if self._pairs is None else int(self._pairs[question])

    def members(self, question: int) -> tuple[int | None, ...]:
        kind = self._kinds if isinstance(self._kinds, int) else int(self._kinds[question])
        return self._classes[kind].members

    def best(self, askable: Callable[[Offer, int], bool], n: int = 1) -> float:
        """The n-th largest value of what may be asked, -inf where there is less. Erases what may not, down to it."""
        size = min(max(_CHUNK, 2 * n), self.values.size)
        found = 0
        while size:
            top = self._top(size)
            for question in top.tolist():
                value = float(self.values[question])
                found += value > -np.inf and askable(self, question)
                if value == -np.inf or found == n:
                    return value
                if not found:
                    self.values[question] = -np.inf
            if size == self.values.size:
                break
            size, found = min(8 * size, self.values.size), 0
        return -np.inf

    def drop_pair(self, pair: int) -> None:
        self.values[pair if self._pairs is None else self._pairs == pair] = -np.inf

    def count(self, questions: IntArray) -> float:
        """How many (question, worker) there are among these, were there no rules."""
        return (
            float(self._sizes(questions).sum())
            if self._of_many()
            else questions.size * float(self._sizes(questions)[0])
        )

    def draw(self, questions: IntArray, spot: float) -> int:
        """The question at that spot, from 0 to `count`, when each worker who could be asked counts once."""
        if self._of_many():
            inside = int(np.searchsorted(np.cumsum(self._sizes(questions)), spot, side="right"))
        else:
            inside = int(spot / float(self._sizes(questions)[0]))
        return int(questions[min(inside, questions.size - 1)])

    def _of_many(self) -> bool:
        return not isinstance(self._kinds, int)

    def _sizes(self, questions: IntArray) -> FloatArray:
        """The size of the class of each question; of one class, just that."""
        sizes = np.array([len(kind.members) for kind in self._classes], dtype=np.float64)
        return sizes[[self._kinds]] if isinstance(self._kinds, int) else sizes[self._kinds[questions]]

    def _top(self, size: int) -> IntArray:
        """At least `size` questions with the largest values, in descending order."""
        if self.values.size > _BLOCK * size:  # a cut that so many blocks reach: no sorting of tens of millions
            whole = self.values.size // _BLOCK * _BLOCK
            maxima = self.values[:whole].reshape(-1, _BLOCK).max(axis=1)
            cut = np.partition(maxima, -size)[-size] if maxima.size > size else -np.inf
            top = np.concatenate([np.flatnonzero(self.values > cut), np.flatnonzero(self.values == cut)[:_MANY_EQUAL]])
        else:
            top = np.argpartition(self.values, -size)[-size:]
        return top[np.argsort(-self.values[top])]


class Picker:
    """Takes the best questions that the candidates allow, equal ones at random."""

    def __init__(self, candidates: Candidates, items_of: Callable[[int], Pair], rng: np.random.Generator) -> None:
        self._candidates = candidates
        self._items_of = items_of
        self._rng = rng

    def askable(self, offer: Offer, question: int) -> bool:
        """Whether anybody may be asked this."""
        i, j = self._items_of(offer.pair(question))
        return any(self._candidates.allows(i, j, worker) for worker in offer.members(question))

    def take(self, offers: Sequence[Offer], n: int) -> list[Choice]:
        """The n best questions, no pair twice."""
        choices: list[Choice] = []
        while len(choices) < n:
            best = max((offer.best(self.askable) for offer in offers), default=-np.inf)
            if best == -np.inf:
                break
            offer, question, worker = self._one_of(
                [(o, np.flatnonzero(o.values >= best - TIE * abs(best))) for o in offers]
            )
            i, j = self._items_of(offer.pair(question))
            choices.append(Choice(i, j, worker, float(offer.values[question])))
            for each in offers:
                each.drop_pair(offer.pair(question))
        return choices

    def _one_of(self, equal: list[tuple[Offer, IntArray]]) -> tuple[Offer, int, int | None]:
        """A random one of the questions, each worker who may be asked counting once."""
        equal = [(offer, questions) for offer, questions in equal if questions.size]
        ends = np.cumsum([offer.count(questions) for offer, questions in equal])
        for _ in range(_DRAWS):  # nearly everything may be asked: draw until one may
            spot = self._rng.random() * ends[-1]
            which = min(int(np.searchsorted(ends, spot, side="right")), len(equal) - 1)
            offer, questions = equal[which]
            question = offer.draw(questions, spot - (ends[which - 1] if which else 0.0))
            members = offer.members(question)
            worker = members[int(self._rng.integers(len(members)))]
            if self._candidates.allows(*self._items_of(offer.pair(question)), worker):
                return offer, question, worker
        left = [
            (offer, question, worker)
            for offer, questions in equal
            for question in questions.tolist()
            for worker in offer.members(question)
            if self._candidates.allows(*self._items_of(offer.pair(question)), worker)
        ]
        return left[int(self._rng.integers(len(left)))]
