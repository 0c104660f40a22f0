"""One answer, matched: what it says about the gap of two log-scores, as a normal factor, and about who gave it."""

from typing import NamedTuple

from numba import njit

from nextpair.core.kernels.davidson import davidson_moments
from nextpair.core.kernels.much import PLAIN, Grade, said_moments
from nextpair.core.kernels.normal import answer_moments
from nextpair.core.kernels.trust import EDGE

WIDER = 0.3  # a surprising answer of a doubtful worker makes us less sure: by at most this share of the variance
NARROWER = 0.99  # and no answer makes us surer by more than that


class Matched(NamedTuple):
    """The gap d of the winner gets the mean `mean + var pull` and the variance `var + var^2 bend`."""

    chance: float  # that a perfect worker says so, for what is learnt about this one
    pull: float
    bend: float
    push: float  # the slope of the answer's log-likelihood in the lean (see `lean`)
    rise: float  # and that of its probability, if it was no tie


@njit(cache=True)
def _bounded(bend: float, var: float) -> float:  # pragma: no cover
    return min(max(bend, -NARROWER / var), WIDER / var)


@njit(cache=True)
def match(
    mean: float, var: float, p: float, tie: int, rate: float, lean: float, said: Grade = PLAIN
) -> Matched:  # pragma: no cover
    """What an answer says where the winner's gap is N(mean, var) by all the others.

    p is the mean reliability of who answered, `rate` how readily they call a tie and `lean` how much they favour the
    side on which the winner stood; `said` is what they said besides who is better (see `much`). What a tie says, or
    that there was none, is heard with weight |2p - 1| (see `davidson`), and so is what was said besides.
    """
    r = 2.0 * p - 1.0
    turn = 1.0 if r >= 0.0 else -1.0  # whoever turns answers round says of (j, i) what others say of (i, j)
    if tie:
        value, slope, curve = davidson_moments(mean + turn * lean, var, rate, 1)
        heard = abs(r)
        pull = heard * slope / value
        return Matched(0.5, pull, _bounded(heard * curve / value - pull * pull, var), turn * pull, 0.0)
    if rate > 0.0 or lean != 0.0 or said.far != 0.0:
        chance, slope, curve = said_moments(turn * mean + lean, var, rate, said)
        other, fall = 1.0 - chance, slope
        if lean != 0.0 or said.far != 0.0:
            other, fall, _ = said_moments(lean - turn * mean, var, rate, said)
        evidence = max(0.5 * (1.0 - abs(r)) * (chance + other) + abs(r) * chance, EDGE)
        pull = turn * abs(r) * slope / evidence
        rise = abs(r) * slope + 0.5 * (1.0 - abs(r)) * (slope + fall)
        bend = _bounded(abs(r) * curve / evidence - pull * pull, var)
        straight = chance if r >= 0.0 else other
        return Matched(straight / (chance + other), pull, bend, rise / evidence, rise)
    chance, slope, curve = answer_moments(mean, var)
    evidence = max((1.0 - p) + r * chance, EDGE)
    pull = r * slope / evidence
    return Matched(chance, pull, _bounded(r * curve / evidence - pull * pull, var), slope / evidence, slope)


@njit(cache=True)
def as_factor(mean: float, var: float, one: Matched) -> tuple[float, float]:  # pragma: no cover
    """(precision, shift) of the normal factor that turns N(mean, var) into what `match` says."""
    shrink = 1.0 + var * one.bend
    return -one.bend / shrink, (mean + var * one.pull) / (var * shrink) - mean / var
