"""The approximated knowledge gradient ([CJL], Algorithms 1 and 2): which pair, of whom, gains most accuracy."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

import numpy as np

from nextpair.core.arrays import BoolArray, FloatArray, IntArray
from nextpair.core.belief import Belief
from nextpair.core.candidates import TIE, Candidates, Choice
from nextpair.core.kernels.scorer import Scorer
from nextpair.core.search import Offer, Picker, WorkerClass, worker_classes


def akg_scores(belief: Belief, worker: int | None = None) -> FloatArray:
    """The expected gain in accuracy of asking each pair: eq. AKGw of that worker, or eq. AKG for `worker=None`.

    A symmetric (K, K) array with nan on the diagonal. Pairs whose alphas have both vanished score 0.
    """
    p = 1.0 if worker is None else float(belief.reliability[worker])
    scorer = Scorer(belief.alpha)
    scorer.prepare([p])
    return scorer.square(p)


def choose(belief: Belief, candidates: Candidates, rng: np.random.Generator, n: int = 1) -> list[Choice]:
    """The n best questions, no pair twice (the paper's batch version for n > 1); fewer where there are not so many."""
    return find_best(Scorer(belief.alpha), belief.reliability, candidates, rng, n)


class AnyScorer(Protocol):
    """What the search needs to know: scores of pairs, numbered in some way, for workers of given reliabilities."""

    def prepare(self, reliabilities: Iterable[float]) -> None: ...
    def all(self, p: float) -> FloatArray: ...
    def some(self, pairs: IntArray, p: FloatArray) -> FloatArray: ...
    def items_of(self, pair: int) -> tuple[int, int]: ...
    def pair_of(self, i: IntArray, j: IntArray) -> IntArray: ...
    def in_order(self, of_items: BoolArray) -> BoolArray: ...


def find_best(
    scorer: AnyScorer, reliability: FloatArray, candidates: Candidates, rng: np.random.Generator, n: int
) -> list[Choice]:
    """The n best questions of the candidates by the scores of `scorer`."""
    classes = worker_classes(candidates, reliability)
    if not classes:
        return []
    scorer.prepare({classes[0].reliability, classes[-1].reliability})
    picker = Picker(candidates, scorer.items_of, rng)
    if candidates.listed is not None:
        offers = [_listed(candidates.listed, classes, scorer)]
    else:
        offers = _unlisted(candidates, classes, scorer, picker, n)
    return picker.take(offers, n)


def _listed(rows: IntArray, classes: Sequence[WorkerClass], scorer: AnyScorer) -> Offer:
    """The listed questions of askable workers, each with its score."""
    kind_of = {-1 if worker is None else worker: kind for kind, each in enumerate(classes) for worker in each.members}
    known = rows[[int(worker) in kind_of for worker in rows[:, 2]]]
    lone = [
        WorkerClass(classes[kind].reliability, classes[kind].cost, (None if w < 0 else w,))
        for w, kind in kind_of.items()
    ]
    place = {worker: k for k, worker in enumerate(kind_of)}
    kinds = np.array([place[int(worker)] for worker in known[:, 2]], dtype=np.int64)
    return _offer(scorer, scorer.pair_of(known[:, 0], known[:, 1]), kinds, lone)


def _offer(scorer: AnyScorer, pairs: IntArray, kinds: IntArray, classes: Sequence[WorkerClass]) -> Offer:
    p = np.array([kind.reliability for kind in classes])
    cost = np.array([kind.cost for kind in classes])
    return Offer(scorer.some(pairs, p[kinds]) / cost[kinds], pairs, kinds, classes)


def _unlisted(
    candidates: Candidates, classes: Sequence[WorkerClass], scorer: AnyScorer, picker: Picker, n: int
) -> list[Offer]:
    """Every question that can be among the n best: all of the strongest class, of the others what a bound leaves."""
    offers: list[Offer] = []
    enough = -np.inf
    strongest = scorer.all(classes[0].reliability)
    _rule_out(strongest, candidates, scorer)
    slack = 0.25 * max(float(strongest.max(initial=0.0)), 0.0)
    done = 0
    while done < len(classes) and (done == 0 or enough == -np.inf):
        kind = classes[done]
        values = strongest.copy() if kind.reliability == classes[0].reliability else scorer.all(kind.reliability)
        _rule_out(values, candidates, scorer)
        offers.append(Offer(values / kind.cost, None, done, classes))
        enough = max(enough, offers[-1].best(picker.askable, n))
        done += 1
    if done < len(classes):
        offers.append(_worth_a_look(strongest + slack, enough - TIE * abs(enough), done, classes, scorer))
    return offers


def _worth_a_look(
    bound: FloatArray, enough: float, done: int, classes: Sequence[WorkerClass], scorer: AnyScorer
) -> Offer:
    """The questions of the weaker classes whose bound reaches `enough`."""
    share = np.array([kind.strength / classes[0].strength / kind.cost for kind in classes[done:]])
    near = np.flatnonzero(bound * share.max() >= enough)
    near = near[np.argsort(-bound[near])]
    counts = [int(np.searchsorted(-bound[near] * part, -enough, side="right")) for part in share]
    pairs = np.concatenate([near[:count] for count in counts])
    return _offer(scorer, pairs, np.repeat(np.arange(done, len(classes)), counts), classes)


def _rule_out(values: FloatArray, candidates: Candidates, scorer: AnyScorer) -> None:
    """-inf for pairs of two items that are both not needy."""
    if candidates.needy is not None:
        needy = scorer.in_order(candidates.needy)
        for i in range(needy.size):
            if not needy[i]:
                values[i * (i - 1) // 2 : i * (i + 1) // 2][~needy[:i]] = -np.inf
