"""Which pairs each worker was asked, how often, and what they may be asked (again)."""

from __future__ import annotations

from collections.abc import Mapping, Set

from nextpair.campaign.questions import Question
from nextpair.core.candidates import Pair


def any_left(taken: Set[Pair], forbidden: Set[Pair], n_items: int) -> bool:
    """Whether there is a pair that is neither."""
    pairs = n_items * (n_items - 1) // 2
    return len(taken) + len(forbidden) < pairs or len(taken | forbidden) < pairs


class Met:
    """The pairs that workers met. `questions` are the campaign's, by id.

    A worker who may be asked a pair several times is asked it again once they were asked all the others: where a judge
    says the same again, a second answer tells next to nothing, and where not, another pair tells as much.
    """

    def __init__(self, questions: Mapping[str, Question]) -> None:
        self.times: list[int] = []  # how often each worker may be asked the same pair
        self.seen: dict[int, set[Pair]] = {}  # what each was asked, but for what ran out
        self.lapsed: dict[int, dict[Pair, str]] = {}  # questions that ran out and were not asked anew
        self._questions = questions
        self._known: list[dict[Pair, list[str]]] = []  # the questions about each of the pairs in `seen`

    def join(self, times: int) -> None:
        """One more worker."""
        self.seen[len(self.times)] = set()
        self.times.append(times)
        self._known.append({})

    def hold(self, w: int, pair: Pair, question: str) -> None:
        """A question is open."""
        known = self._known[w].setdefault(pair, [])
        if question not in known:
            known.append(question)
        self.seen[w].add(pair)
        if w in self.lapsed:
            self.lapsed[w].pop(pair, None)

    def expire(self, w: int, pair: Pair, question: str) -> None:
        """A question ran out: it is asked again, unless others about the pair, from elsewhere say, have settled it."""
        known = self._known[w][pair]
        known.remove(question)
        if self.may_be_asked(w, pair):
            self.lapsed.setdefault(w, {})[pair] = question
        if not known:
            del self._known[w][pair]
            self.seen[w].discard(pair)

    def may_be_asked(self, w: int, pair: Pair) -> bool:
        """Whether the worker answered all questions about the pair, and not yet as many as they may be asked."""
        known = self._known[w].get(pair, ())
        return len(known) < self.times[w] and all(self._questions[name].status == "answered" for name in known)

    def closed(self, w: int, n_items: int, forbidden: Set[Pair]) -> Set[Pair]:
        """What the worker is not asked now. Once they were asked all pairs, those come again that they met least."""
        seen = self.seen[w]
        if self.times[w] == 1 or any_left(seen, forbidden, n_items):
            return seen
        again = {pair: len(known) for pair, known in self._known[w].items() if self.may_be_asked(w, pair)}
        least = min((often for pair, often in again.items() if pair not in forbidden), default=0)
        return seen - {pair for pair, often in again.items() if often == least}

    def questions_left(self, w: int, n_items: int, forbidden: Set[Pair]) -> int:
        """How many more questions the worker could be asked, were there the money and no quota."""
        times, used = self.times[w], 0
        for pair, known in self._known[w].items():
            if pair not in forbidden:
                skipped = any(self._questions[name].status == "skipped" for name in known)
                used += times if skipped else min(len(known), times)
        return times * (n_items * (n_items - 1) // 2 - len(forbidden)) - used

    def oftener_left(self, w: int, pair: Pair, item: str, sideless: Set[str]) -> int:
        """How much oftener the worker saw the item left than right in this pair, where the sides are known."""
        sides = (self._questions[name].left == item for name in self._known[w].get(pair, ()) if name not in sideless)
        return sum(1 if left else -1 for left in sides)
