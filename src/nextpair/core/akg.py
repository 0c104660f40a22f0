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

EXHAUSTIVE = 20_000  # up to so many questions of weaker workers, all are scored


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
    def alike(self, pairs: IntArray) -> IntArray: ...


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
    for done, kind in enumerate(classes):
        if done and enough > -np.inf:
            offers.append(_worth_a_look(strongest, enough - TIE * abs(enough), done, classes, scorer))
            break
        values = scorer.all(kind.reliability) if done else strongest
        if len(classes) > 1 or kind.cost != 1.0:
            values = values / kind.cost
        _rule_out(values, candidates, scorer)
        offers.append(Offer(values, None, done, classes))
        enough = offers[-1].best(picker.askable, n)
    return offers


def _worth_a_look(
    strongest: FloatArray, enough: float, done: int, classes: Sequence[WorkerClass], scorer: AnyScorer
) -> Offer:
    """The questions of the classes from `done` on that reach `enough`.

    A worker with a share w of the strongest one's strength scores at most w (2 - w) times the strongest's score of the
    pair (0 if that is negative) plus c w (1 - w) times the best score, c = min(1, 10 / K): more than was ever
    seen, not a theorem (docs/performance.md). Where there are few questions all are scored.
    """
    best = max(float(strongest.max()), 0.0)
    share = np.array([kind.strength for kind in classes[done:]]) / max(classes[0].strength, 1e-300)
    excess = best * min(1.0, 7.0 / np.sqrt(strongest.size)) * share * (1 - share)
    needed = enough * np.array([kind.cost for kind in classes[done:]]) - excess
    needed = np.where(needed > 0, needed / np.maximum(share * (2 - share), 1e-300), -np.inf)
    if strongest.size * share.size <= EXHAUSTIVE or not np.isfinite(enough):
        needed[:] = -np.inf
    near = np.flatnonzero(strongest >= needed.min())
    _, first, group = np.unique(scorer.alike(near), return_index=True, return_inverse=True)
    order = np.argsort(-strongest[near[first]])
    counts = np.searchsorted(-strongest[near[first[order]]], -needed, side="right")
    groups = np.concatenate([order[:count] for count in counts])
    kinds = np.repeat(np.arange(done, len(classes)), counts)
    values = _offer(scorer, near[first[groups]], kinds, classes).values
    good = values >= enough
    return _spread_out(values[good], groups[good], kinds[good], near, group, classes)


def _spread_out(
    values: FloatArray,
    groups: IntArray,
    kinds: IntArray,
    near: IntArray,
    group: IntArray,
    classes: Sequence[WorkerClass],
) -> Offer:
    """From groups of pairs with the same alphas, scored once, to the pairs: near[q] belongs to group[q]."""
    sizes = np.bincount(group, minlength=1)
    begins = np.cumsum(sizes) - sizes
    repeats = sizes[groups]
    inside = np.arange(repeats.sum()) - np.repeat(np.cumsum(repeats) - repeats, repeats)
    pairs = near[np.argsort(group, kind="stable")][np.repeat(begins[groups], repeats) + inside]
    return Offer(np.repeat(values, repeats), pairs, np.repeat(kinds, repeats), classes)


def _rule_out(values: FloatArray, candidates: Candidates, scorer: AnyScorer) -> None:
    """-inf for pairs of two items that are both not needy."""
    if candidates.needy is not None:
        needy = scorer.in_order(candidates.needy)
        for i in range(needy.size):
            if not needy[i]:
                values[i * (i - 1) // 2 : i * (i + 1) // 2][~needy[:i]] = -np.inf
