"""Answers that say by how much: "much better" where the difference that is seen lies beyond a worker's cut.

Bradley and Terry's model is that of who sees d + e, e logistic, and says "first" where that is above 0. Who says "much"
above c, the cut, does so with probability sigma(d - c), and calls the first better, but not much, with
sigma(d) - sigma(d - c). So "much" says that two items are apart, and any other answer of someone who could have said so
says that they are not far apart. But not everybody means something by it: with probability 1 - u the word is said at
random, in the share m of cases. Together that is, for "much" and for "not much",

    u sigma(d - c) + (1 - u) m sigma(d),        u (sigma(d) - sigma(d - c)) + (1 - u) (1 - m) sigma(d).

Where nobody says it, c is infinite and P(first) is sigma(d). Where ties are called, both sigmas are Davidson's, and
whoever leans to one side (see `lean`) answers as if d were larger by that.

What is far, how often the word is said and whether it means something are each worker's own matter, and nothing to do
with their reliability: all three are learnt, as the rates of ties are. Of who answers at random it is not heard, as
little as the answer itself.
"""

import math
from typing import NamedTuple

import numpy as np
from numba import njit

from nextpair.core.arrays import FloatArray
from nextpair.core.kernels.davidson import decided_moments
from nextpair.core.kernels.joint import Joint, by_others
from nextpair.core.kernels.trust import EDGE, mean_without

NEVER = np.inf  # the cut of who does not say it
UNSAID = np.array([[NEVER], [0.0], [0.0]])  # (cut, sense, share) of all while nobody has
START = 1.1  # the cut at which a pair that is equal is called much different every other time
FEW = 2.0  # how firmly a worker's cut is drawn to that of all, and that of all to START
MEANT, NOT = 4.0, 1.0  # the word means something as if it had so often, and had not, before any answer
LIKE_ALL = 5.0  # how many answers a worker's own share and sense are drawn to those of all by
LEAST, MOST, FAR = 0.05, 8.0, 0.5  # the smallest and the largest cut, and the furthest that one moves at once


class Grade(NamedTuple):
    """P(answer) = near sigma(d) + far sigma(d - cut). `PLAIN` says nothing besides who is better."""

    near: float
    far: float
    cut: float


PLAIN = Grade(1.0, 0.0, NEVER)


@njit(cache=True)
def grade(much: int, worker: FloatArray) -> Grade:  # pragma: no cover
    """Of an answer that is no tie, by who has this (cut, sense, share)."""
    cut, sense, share = worker
    if cut == NEVER:
        return PLAIN
    if much:
        return Grade((1.0 - sense) * share, sense, cut)
    return Grade(sense + (1.0 - sense) * (1.0 - share), -sense, cut)


@njit(cache=True)
def said_moments(mean: float, var: float, rate: float, said: Grade) -> tuple[float, float, float]:  # pragma: no cover
    """E of the probability of an answer that is no tie and of its first two derivatives, for d ~ N(mean, var).

    Where nothing is said besides who is better, up to a factor.
    """
    value, slope, bend = decided_moments(mean, var, rate)
    if said.far == 0.0:
        return value, slope, bend
    beyond, its_slope, its_bend = decided_moments(mean - said.cut, var, rate)
    return (
        max(said.near * value + said.far * beyond, EDGE),
        said.near * slope + said.far * its_slope,
        said.near * bend + said.far * its_bend,
    )


@njit(cache=True)
def log_odds(gap: float, lean: float, said: Grade) -> float:  # pragma: no cover
    """log P(answer at d = gap) / P(answer at d = -gap), for one that is no tie."""
    if said.far != 0.0:
        return math.log(_chance(gap + lean, said) / _chance(lean - gap, said))
    if lean != 0.0:
        return gap + (math.log((1.0 + math.exp(gap - lean)) / (1.0 + math.exp(gap + lean))) + lean)
    return gap


@njit(cache=True)
def _chance(x: float, said: Grade) -> float:  # pragma: no cover
    near, far = 1.0 / (1.0 + math.exp(-x)), 1.0 / (1.0 + math.exp(said.cut - x))
    return max(said.near * near + said.far * far, EDGE)


@njit(cache=True)
def learn_much(n: int, at: Joint) -> None:  # pragma: no cover
    """A step towards what everybody means by "much": at.much[:, 0] is that of all, at.much[:, w + 1] that of worker w.

    For cuts one step of Newton, to where the word is expected as often as it was said; for the share of those who mean
    something by it, one of expectation maximisation. While nobody has said it, all cuts are infinite.
    """
    if not is_said(n, at):
        return
    more, slope, meant, often, answers, _ = look(n, at)
    total = answers.sum()
    at.much[0, 0] = _step(at.much[0, 0], START, more.sum(), slope.sum())
    at.much[1, 0] = (meant.sum() + MEANT) / (total + MEANT + NOT)
    learn_shares(at, often, answers)
    for who in range(1, at.much.shape[1]):
        at.much[0, who] = _step(at.much[0, who], at.much[0, 0], more[who], slope[who])
        at.much[1, who] = (meant[who] + LIKE_ALL * at.much[1, 0]) / (answers[who] + LIKE_ALL)


@njit(cache=True)
def is_said(n: int, at: Joint) -> bool:  # pragma: no cover
    """Whether anybody said it. While nobody has, all cuts are infinite; then they are at first those of all."""
    if at.told[5, :n].sum() == 0:
        at.much[0] = NEVER
        return False
    if at.much[0, 0] == NEVER:
        at.much[0], at.much[1] = START, MEANT / (MEANT + NOT)
    return True


@njit(cache=True)
def look(n, at):  # type: ignore[no-untyped-def]  # pragma: no cover
    """What the first n answers that are no ties say about it, each held against all others; of all and of each worker:

    how much oftener than it was said the word was to be expected, and how steeply that falls with the cut; how often it
    is thought to be meant, was said, and could have been said. And, of each answer, how likely "much" is, if meant.
    """
    told, size, fars = at.told, at.much.shape[1], np.zeros(n)
    more, slope = np.zeros(size), np.zeros(size)
    meant, often, answers = np.zeros(size), np.zeros(size), np.zeros(size)
    for t in range(n):
        if told[3, t]:
            continue
        w = told[2, t]
        who, (gap, rest) = w + 1, by_others(t, at)
        p = 1.0 if w < 0 else mean_without(at.workers[w], at.nodes[w], 0.5)
        cut, sense, share = at.much[:, who]
        gap += told[4, t] * at.leans[who]
        up, up_slope, _ = decided_moments(gap - cut, 1.0 / rest, at.rates[who])
        down, down_slope, _ = decided_moments(-gap - cut, 1.0 / rest, at.rates[who])
        more[who] += up + down - told[5, t]
        slope[who] += up_slope + down_slope
        first, _, _ = decided_moments(gap, 1.0 / rest, at.rates[who])
        far = (p * up + (1.0 - p) * down) / (p * first + (1.0 - p) * (1.0 - first))
        if told[5, t]:
            meant[who] += sense * far / (sense * far + (1.0 - sense) * share)
        else:
            meant[who] += sense * (1.0 - far) / (sense * (1.0 - far) + (1.0 - sense) * (1.0 - share))
        fars[t] = far
        answers[who] += 1.0
        often[who] += told[5, t]
    return more, slope, meant, often, answers, fars


@njit(cache=True)
def learn_shares(at: Joint, often: FloatArray, answers: FloatArray) -> None:  # pragma: no cover
    """How often the word is said, by all and by each worker."""
    at.much[2, 0] = (often.sum() + 0.5) / (answers.sum() + 1.0)
    for who in range(1, often.size):
        at.much[2, who] = (often[who] + LIKE_ALL * at.much[2, 0]) / (answers[who] + LIKE_ALL)


@njit(cache=True)
def _step(cut: float, drawn_to: float, more: float, slope: float) -> float:  # pragma: no cover
    return moved_cut(cut, (more - FEW * (cut - drawn_to)) / (slope + FEW))


@njit(cache=True)
def moved_cut(cut: float, move: float) -> float:  # pragma: no cover
    """Within bounds, and not too far at once."""
    return min(max(cut + min(max(move, -FAR), FAR), LEAST), MOST)
