"""Which question narrows the ranking most under the full posterior: all pairs at once, through their correlations.

Asking (i, j) moves the posterior along c = V (e_i - e_j), V the covariance. Of the variance of the gap d_ij = s_i - s_j
an answer explains on average the share

    f = var (2 rho - 1)^2 E[sigma'(d)]^2 / (q (1 - q)),        q = the chance of the answer "i"

and of every other gap d_kl the share f corr(d_kl, d_ij)^2. How much that helps the ranking depends on how undecided
(k, l) is: pairs are weighted by exp(-FOCUS x^2 / 2) with x = E[d_kl] / sd(d_kl). Summed over all pairs,

    gain = f / var sum_kl weight_kl (c_k - c_l)^2 / var_kl = f / var (e_i - e_j)' V L V (e_i - e_j)

with L the Laplacian of weight / var. V L V is computed once, so every pair costs O(1) and a choice O(K^3). Where not
all pairs matter, because only the best few do or an item was removed, weights are times their `stakes`.

Why these weights: say that of the variance v of a gap of mean m the answers still to come, this one among them, will
explain the share phi. The chance that the ranking ends up with the right order rises with the explained variance e by

    d P(right) / d e = exp(-m^2 / (2 e)) / (2 pi sqrt(e (v - e))),        e = phi v

(of the orthant probability only the kink at a mean of 0 is left). So FOCUS = 1 / phi, and the weights times
1 / (2 pi sqrt(phi (1 - phi))) make the gain an accuracy: what the answer adds in the end, together with those that
follow. A one-step gain in accuracy itself (phi towards 0) sees no use in an answer that cannot turn an order by itself,
and falls behind with time. Taking phi from the budget that is left made no difference (docs/limits.md).

The worker enters by E[(2 rho - 1)^2], not by (2 E[rho] - 1)^2: an answer is worth what it will have told once the
worker is known. And since the best worker tells several times as much as the average one, a worker counts
1 + EXPLORE / sqrt(x) times, x = (a + 1) W / (A + 2) being how many times as often as the average one they were asked (a
of A questions, with W workers; the 1 and the 2 keep x above 0 when nobody was asked): a campaign finds out who is good.
Half or twice of EXPLORE is within the noise; without it, good workers are found later (docs/limits.md). Where there are
more workers than can be known, `crew` says whom to keep to.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from nextpair.core.arrays import FloatArray, IntArray
from nextpair.core.candidates import Asked, Candidates, Choice
from nextpair.core.crew import CREW, keep_to_crew
from nextpair.core.full_posterior import FullPosterior
from nextpair.core.kernels.ahead import FOCUS, FOCUS_BEST, ceilings, doubt_laplacian, gains, prospects
from nextpair.core.kernels.normal import answer_moments
from nextpair.core.questions import best_questions
from nextpair.core.stakes import n_stakes, stakes

EXPLORE = 0.2


def accuracy(focus: float) -> float:
    """What makes a gain an accuracy: 1 / (2 pi sqrt(phi (1 - phi)))."""
    return float(focus / (2 * np.pi * np.sqrt(focus - 1)))


def look_ahead(
    mean: FloatArray, cov: FloatArray, best: int | None = None, removed: Collection[int] = ()
) -> tuple[FloatArray, FloatArray]:
    """(chance, worth) of every pair: the chance that the row wins, and the gain in accuracy at rho = 1.

    Worth is still to be divided by q (1 - q) and multiplied by (2 rho - 1)^2. The accuracy is the share of pairs in the
    right order, of those that matter: of items that take part, and with `best` between the best and the others.
    """
    focus = FOCUS if best is None else FOCUS_BEST
    reach = cov @ doubt_laplacian(mean, cov, stakes(mean, cov, best, removed), focus) @ cov
    chance, worth = prospects(mean, cov, reach)
    return chance, accuracy(focus) * worth / n_stakes(mean.size - len(removed), best)


def choose(belief: FullPosterior, candidates: Candidates, rng: np.random.Generator, n: int = 1) -> list[Choice]:
    """The n questions of largest gain per unit of cost, each in view of those in flight and of those before it.

    What an answer will be is not known, but how much it narrows the posterior is, nearly: that is taken for granted.
    """
    ahead = Ahead.of(belief, candidates.in_flight)
    choices: list[Choice] = []
    while len(choices) < n:
        worth = ahead.value(candidates.best, candidates.removed)
        for asking in (keep_to_crew(candidates, ahead.asked, *belief.trusts, max(CREW, n)), candidates):
            if found := best_questions(asking, worth, rng, 1, choices, worth.ceiling(asking)):
                break  # or else the crew has nothing left that may be asked
        if not found:
            break
        choices += found
        if len(choices) < n:
            ahead = ahead.after((found[0].i, found[0].j, found[0].worker))
    return choices


def question_gains(
    belief: FullPosterior,
    worker: int | None,
    in_flight: Iterable[Asked] = (),
    best: int | None = None,
    removed: Collection[int] = (),
) -> FloatArray:
    """The gain of every pair of one worker as a symmetric (K, K) table, nan on the diagonal: what `choose` compares."""
    n = belief.n_items
    rows, columns = np.triu_indices(n, 1)
    workers = np.full(rows.size, -1 if worker is None else worker, dtype=np.int64)
    table = np.full((n, n), np.nan)
    value = Ahead.of(belief, in_flight).value(best, removed)
    table[rows, columns] = table[columns, rows] = value(workers, rows, columns, np.full(rows.size, -np.inf))
    return table


@dataclass(frozen=True, eq=False)
class Ahead:
    """What will be known once all open questions are answered: a covariance, and how often each worker was asked."""

    belief: FullPosterior
    cov: FloatArray
    asked: IntArray

    @classmethod
    def of(cls, belief: FullPosterior, in_flight: Iterable[Asked]) -> Self:
        ahead = cls(belief, belief.cov, belief.answers_by_worker())
        for question in in_flight:
            ahead = ahead.after(question)
        return ahead

    def after(self, question: Asked) -> Self:
        """What is expected after the answer to one more question."""
        i, j, worker = question
        mean = self.belief.mean
        p, power = self.belief.trust(worker)
        along = self.cov[i] - self.cov[j]
        chance, slope, _ = answer_moments(mean[i] - mean[j], along[i] - along[j])
        up = (1 - p) + (2 * p - 1) * chance
        cov = np.asarray(self.cov - power * slope**2 / (up * (1 - up)) * np.outer(along, along))
        asked = self.asked.copy()
        if worker is not None:
            asked[worker] += 1
        return replace(self, cov=cov, asked=asked)

    def value(self, best: int | None = None, removed: Collection[int] = ()) -> Worth:
        """What questions are worth now."""
        mean = self.belief.mean if best is None else self.belief.scores()  # the way round in which they are told
        chance, worth = look_ahead(mean, self.cov, best, removed)
        p, power = self.belief.trusts
        share = (self.asked + 1) * self.belief.n_workers / (self.asked.sum() + 2)
        # nobody in particular, whose code is -1, stands before the workers and is fully reliable
        p, power = np.append(1.0, p), np.append(1.0, power * (1 + EXPLORE / np.sqrt(share)))
        return Worth(chance, worth, p, power)


@dataclass(frozen=True, eq=False)
class Worth:
    """What every question is worth: two tables of pairs, and two numbers a worker behind those of nobody."""

    chance: FloatArray
    worth: FloatArray
    p: FloatArray
    power: FloatArray

    def __call__(self, workers: IntArray, rows: IntArray, columns: IntArray, floor: FloatArray) -> FloatArray:
        return gains(workers, rows, columns, self.chance, self.worth, self.p, self.power)

    def ceiling(self, candidates: Candidates) -> FloatArray | None:
        """What each pair can be worth at most, per unit of cost; None where one worker or a list leaves no need for it.

        With r = 2 p - 1 and c = (2 chance - 1)^2 an answer is worth 4 power worth / (1 - r^2 c), which rises with power
        and r^2: take the largest of each, whosever it is.
        """
        workers = [-1 if worker is None else worker for worker in candidates.askable()]
        if candidates.listed is not None or len(workers) < 2:
            return None
        codes, cost = np.array(workers) + 1, np.array([candidates.cost(worker) for worker in workers])
        power, clarity = (self.power[codes] / cost).max(), ((2 * self.p[codes] - 1) ** 2).max()
        return ceilings(self.chance, self.worth, power, clarity)
