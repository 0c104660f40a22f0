"""The approximated knowledge gradient ([CJL], Algorithms 1 and 2): which pair, of whom, gains most accuracy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Protocol

import numpy as np

from nextpair.core.arrays import FloatArray, IntArray, as_codes
from nextpair.core.belief import Belief
from nextpair.core.candidates import Candidates, Choice, just_below
from nextpair.core.comparisons import refuse_outside
from nextpair.core.groups import Groups
from nextpair.core.kernels.scorer import ALONE, Scorer
from nextpair.core.kernels.tiles import Weaker
from nextpair.core.search import Offer, Picker, WorkerClass, worker_classes
from nextpair.core.staying import parts
from nextpair.errors import InvalidSetting

NOTHING = 1e-12  # a gain in accuracy that is none, but for rounding
SAMPLE = 256  # tiles whose best-looking pair is scored first, to know what is worth a look
OPENED = 16  # tiles opened at first, four times as many each time after that
MOST_OPENED = 4096


def akg_scores(belief: Belief, worker: int | None = None) -> FloatArray:
    """The expected gain in accuracy of asking each pair: eq. AKGw of that worker, or eq. AKG for `worker=None`.

    A symmetric (K, K) array with nan on the diagonal. Pairs whose alphas have both vanished score 0.
    """
    if not isinstance(belief, Belief):
        raise InvalidSetting(
            f"the knowledge gradient is of a Belief, not of {belief!r:.80}: campaigns have one under the policy akg"
        )
    if worker is None:
        return Scorer(belief.alpha).square(1.0)
    code = as_codes("workers", [worker])
    refuse_outside("worker", code, 0, belief.n_workers)
    return Scorer(belief.alpha).square(float(belief.reliability[code[0]]))


def choose(belief: Belief, candidates: Candidates, rng: np.random.Generator, n: int = 1) -> list[Choice]:
    """The n best questions, no pair twice (the paper's batch version for n > 1); fewer where there are not so many."""
    return find_best(Scorer(belief.alpha, candidates.needy), belief.reliability, candidates, rng, n)


class AnyScorer(Protocol):
    """What the search needs to know: scores of pairs of groups, and bounds that spare most of them.

    Pairs come in tiles; `tops` gives each tile's largest bound, `reaching` the pairs in some tiles whose bound reaches
    a number.
    """

    groups: Groups

    def some(self, first: IntArray, second: IntArray, p: FloatArray) -> FloatArray: ...
    def tops(self, p: float, weaker: Weaker = ALONE) -> tuple[FloatArray, IntArray, IntArray]: ...
    def reaching(
        self, which: IntArray, enough: float, p: float, weaker: Weaker = ALONE
    ) -> tuple[IntArray, IntArray]: ...
    def worth_a_look(
        self, first: IntArray, second: IntArray, enough: float, p: float, shares: FloatArray, costs: FloatArray
    ) -> tuple[IntArray, IntArray]: ...


def find_best(
    scorer: AnyScorer, reliability: FloatArray, candidates: Candidates, rng: np.random.Generator, n: int
) -> list[Choice]:
    """The n best questions of the candidates by the scores of `scorer`, per unit of cost.

    Of those that gain nothing, or less than that, the cheapest: divided by the price, the dearest would lose least.
    """
    best = _best_per_cost(scorer, reliability, candidates, rng, n)
    found = [choice for choice in best if choice.score * candidates.cost(choice.worker) > NOTHING]
    prices = sorted({candidates.cost(worker) for worker in candidates.askable()})
    if len(found) == len(best) or len(prices) == 1:
        return best
    for price in prices:
        if len(found) < n:
            workers = tuple(worker for worker in candidates.workers or () if candidates.cost(worker) == price)
            taken = candidates.forbidden | {choice.pair for choice in found}
            left = replace(candidates, workers=workers, forbidden=taken)
            found += _best_per_cost(scorer, reliability, left, rng, n - len(found))
    return found


def _best_per_cost(
    scorer: AnyScorer, reliability: FloatArray, candidates: Candidates, rng: np.random.Generator, n: int
) -> list[Choice]:
    picker = Picker(candidates, rng)
    offers: list[Offer] = []
    for part in parts(candidates):
        classes = worker_classes(part, reliability)
        if classes and part.listed is not None:
            offers.append(_listed(part.listed, classes, scorer))
        elif classes:
            offers += _unlisted(classes, scorer, picker, n)
    return picker.take(offers, n)


def _listed(rows: IntArray, classes: Sequence[WorkerClass], scorer: AnyScorer) -> Offer:
    """The listed questions of askable workers, each with its score."""
    asked = [(-1 if worker is None else worker, kind) for kind in classes for worker in kind.members]
    lone = [WorkerClass(kind.reliability, kind.cost, (None if worker < 0 else worker,)) for worker, kind in asked]
    place = np.full(max(rows[:, 2].max(initial=-1), max(worker for worker, _ in asked)) + 2, -1)
    place[np.array([worker for worker, _ in asked]) + 1] = np.arange(len(asked))
    kinds = place[rows[:, 2] + 1]
    known, kinds = rows[kinds >= 0], kinds[kinds >= 0]
    group = scorer.groups.of_item
    scored = _score(scorer, group[known[:, 0]], group[known[:, 1]], kinds, lone)
    return Offer(scored.values, known[:, 0], known[:, 1], kinds, lone, Groups.singles(group.size))


def _score(
    scorer: AnyScorer, first: IntArray, second: IntArray, kinds: IntArray, classes: Sequence[WorkerClass]
) -> Offer:
    p, cost = np.array([kind.reliability for kind in classes]), np.array([kind.cost for kind in classes])
    return Offer(scorer.some(first, second, p[kinds]) / cost[kinds], first, second, kinds, classes, scorer.groups)


def _unlisted(classes: Sequence[WorkerClass], scorer: AnyScorer, picker: Picker, n: int) -> list[Offer]:
    """Every question that can be among the n best: classes until one has n, then of the others what reaches it."""
    offers: list[Offer] = []
    for kind in range(len(classes)):
        offer, enough = _of_class(kind, classes, scorer, picker, n)
        offers.append(offer)
        if enough > -np.inf:
            if kind + 1 < len(classes):
                offers.append(_of_weaker(kind + 1, classes, just_below(enough), scorer))
            break
    return offers


def _of_class(
    kind: int, classes: Sequence[WorkerClass], scorer: AnyScorer, picker: Picker, n: int
) -> tuple[Offer, float]:
    """The questions of one class of workers that are at least as good as its n-th best, and how good that one is."""
    p, cost = classes[kind].reliability, classes[kind].cost

    def scored(first: IntArray, second: IntArray) -> Offer:
        return _score(scorer, first, second, np.full(first.size, kind), classes)

    tops, first, second = scorer.tops(p)
    order = np.argsort(-tops, kind="stable")
    order = order[tops[order] > -np.inf]
    sample = order[: max(SAMPLE, 2 * n)]
    enough = picker.nth_best(scored(first[sample], second[sample]), n)
    found = scored(order[:0], order[:0])
    begin, size = 0, OPENED
    while begin < order.size and tops[order[begin]] >= just_below(enough) * cost:
        opened = scored(*scorer.reaching(order[begin : begin + size], just_below(enough) * cost, p))
        found = found.with_more(opened.at_least(just_below(enough)))
        enough = max(enough, picker.nth_best(found, n))
        found = found.at_least(just_below(enough))
        begin, size = begin + size, min(4 * size, MOST_OPENED)
    return found, enough


def _of_weaker(done: int, classes: Sequence[WorkerClass], enough: float, scorer: AnyScorer) -> Offer:
    """The questions of the classes from `done` on that are worth `enough`."""
    p = np.array([kind.reliability for kind in classes])
    cost = np.array([kind.cost for kind in classes[done:]])
    share = (2 * p[done:] - 1) / max(2 * p[0] - 1, 1e-300)
    weaker = Weaker(float(share[0]), float(np.max(share / cost)), float(np.max(1 / cost)))
    tops, _, _ = scorer.tops(p[0], weaker)
    near = np.flatnonzero(tops >= enough)
    found = _score(scorer, near[:0], near[:0], near[:0], classes)
    for part in np.array_split(near, -(-near.size // MOST_OPENED)) if near.size else []:
        first, second = scorer.reaching(part, enough, p[0], weaker)
        rows, kinds = scorer.worth_a_look(first, second, enough, p[0], share, cost)
        found = found.with_more(_score(scorer, first[rows], second[rows], kinds + done, classes).at_least(enough))
    return found
