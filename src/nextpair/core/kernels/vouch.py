"""No answer vouches for itself: how likely the answers of a worker were who gave many of all."""

import numpy as np
from numba import njit

from nextpair.core.arrays import FloatArray, IntArray
from nextpair.core.kernels.answer import match
from nextpair.core.kernels.halves import halves
from nextpair.core.kernels.joint import Joint, add_up
from nextpair.core.kernels.much import grade
from nextpair.core.kernels.spread import PRIOR_VAR
from nextpair.core.kernels.trust import learn_worker, mean_without

HEAVY = 0.1  # who gave more than this share of all answers is judged by what the others said
HEAVY_LEAST = 10  # and at least so many
ONE_OF_TWO = 0.4  # who gave more than this share of a campaign's answers is its one judge, or one of two,
NEARLY_ALL = 0.9  # if together they gave more than this: they are judged in turn
CLEARLY = 0.1  # how far from 1/2 a reliability lies that is taken for the opposite of what it was


@njit(cache=True)
def gave_many(asked, n):  # type: ignore[no-untyped-def]  # pragma: no cover
    """Whether who gave so many (or each of those who gave so many) of n answers is judged by others."""
    return (asked > HEAVY * n) & (asked >= HEAVY_LEAST)


@njit(cache=True, inline="always")
def judge_by_others(n: int, at: Joint, asked_for: bool) -> None:  # pragma: no cover
    """The chances of the answers of a worker who gave many, from what others said: no answer vouches for itself.

    Taking out one answer at a time is not enough where most others are the same worker's: a guesser who was asked more
    and more would agree with the order that his own guesses made. So each half of the worker's answers is judged by
    all others' answers and by the other half: a guesser's do not foretell each other, and a careful judge's do, which
    nobody else may know.

    That is so if it does not matter how answers came about. But if they were `asked_for`, pairs were chosen that were
    undecided because of what both halves said, and one half then seems to contradict the other. With hardly anybody
    else to go by, who is careful would look careless. So where one or two gave nearly all answers, they are judged in
    turn: each answer as likely as it was when it came, by all that had been said before.

    One after the other: whose word turns out to mean the opposite is heard so by the next. Of two who contradict each
    other, each judged by what the other was thought to mean, both would change sides again and again. The one whose
    answers were the least likely comes first, however workers are numbered.
    """
    told, factors = at.told, at.factors
    asked, likely = np.zeros(at.crowd.size, dtype=np.int64), np.zeros(at.crowd.size)
    for t in range(n):
        if told[2, t] >= 0:
            asked[told[2, t]] += 1
            likely[told[2, t]] += factors[2, t]
    in_turn = asked_for and asked[asked > ONE_OF_TWO * n].sum() > NEARLY_ALL * n
    for w in np.argsort(likely / np.maximum(asked, 1), kind="mergesort"):
        if not gave_many(asked[w], n):
            continue
        judged = np.zeros(at.nodes.shape[1])
        for h in range(at.crowds.shape[1]):
            for g in range(judged.size):
                judged[g] += at.crowds[at.crowd[w], h, g]
        if in_turn and asked[w] > ONE_OF_TWO * n:
            _judge_in_turn(w, n, at, judged)
        elif not _judge_halves(w, halves(w, n, told, at.mean.size), n, at, judged):
            continue
        now, before = mean_without(judged, at.nodes[w], 0.5), mean_without(at.workers[w], at.nodes[w], 0.5)
        if (now - 0.5) * (before - 0.5) < 0.0 and abs(now - 0.5) > CLEARLY:
            for t in range(n):
                if told[2, t] == w:
                    factors[1, t] = -factors[1, t]


@njit(cache=True, inline="always")
def _judge_halves(w: int, half: IntArray, n: int, at: Joint, judged: FloatArray) -> bool:  # pragma: no cover
    """The chances of worker w's answers in half 0 and in half 1, each from all answers that are not in it.

    `judged` learns of them. False, and nothing is done, where the answers that are left add up to no posterior.
    """
    told, factors, items = at.told, at.factors, at.mean.size
    chances, others, kept = np.empty(n), np.empty((told.shape[0], n), dtype=np.int64), np.empty(factors.shape)
    mean, cov, faith = np.empty(items), np.empty((items, items)), np.empty(at.faith.shape)
    for one in range(2):
        rest = np.flatnonzero(half != one)  # not counted up from 0: numba would compile add_up for that 0 once more
        for k in range(rest.size):
            others[:, k] = told[:, rest[k]]
            kept[:, k] = factors[:, rest[k]]
        if rest.size == n:
            continue
        if not add_up(rest.size, others, kept, mean, cov, PRIOR_VAR, at.guess, faith):
            return False
        for t in range(n):
            if half[t] == one:
                i, j = told[0, t], told[1, t]
                var = cov[i, i] + cov[j, j] - 2.0 * cov[i, j]
                lean = told[4, t] * at.leans[w + 1]
                said = grade(told[5, t], at.much[:, w + 1])
                chances[t] = match(mean[i] - mean[j], var, 1.0, told[3, t], at.rates[w + 1], lean, said).chance
    for t in range(n):
        if half[t] >= 0:
            factors[2, t] = chances[t]
            learn_worker(judged, at.nodes[w], chances[t])
    return True


@njit(cache=True, inline="always")
def _judge_in_turn(w: int, n: int, at: Joint, judged: FloatArray) -> None:  # pragma: no cover
    """The chances of worker w's answers as they were when each came. `judged` learns of them."""
    for t in range(n):
        if at.told[2, t] == w:
            at.factors[2, t] = at.factors[3, t]
            learn_worker(judged, at.nodes[w], at.factors[3, t])
