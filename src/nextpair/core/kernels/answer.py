"""One answer, matched: what it makes of the gap of two log-scores, as a normal factor."""

from numba import njit

from nextpair.core.kernels.davidson import davidson_moments
from nextpair.core.kernels.normal import answer_moments
from nextpair.core.kernels.trust import EDGE

WIDER = 0.3  # a surprising answer of a doubtful worker makes us less sure: by at most this share of the variance


@njit(cache=True)
def match(
    mean: float, var: float, p: float, tie: int, rate: float, lean: float
) -> tuple[float, float, float, float]:  # pragma: no cover
    """(chance, pull, bend, push): after the answer d has the mean mean + var pull and the variance var + var^2 bend.

    p is the mean reliability of who answered, `rate` how readily they call a tie and `lean` how much they favour the
    side on which the winner stood (see `lean`); push is the slope of the answer's log-likelihood in that. What a tie
    says, or that there was none, is heard with weight |2p - 1| (see `davidson`).
    """
    r = 2.0 * p - 1.0
    turn = 1.0 if r >= 0.0 else -1.0  # whoever turns answers round says of (j, i) what others say of (i, j)
    if tie:
        value, slope, curve = davidson_moments(mean + turn * lean, var, rate, 1)
        heard = abs(r)
        pull = heard * slope / value
        return 0.5, pull, min(heard * curve / value - pull * pull, WIDER / var), turn * pull
    if rate > 0.0:
        chance, slope, curve = davidson_moments(turn * mean + lean, var, rate, 0)
        even, rise = 0.5, slope  # of who answers at random
        if lean != 0.0:
            other, fall, _ = davidson_moments(lean - turn * mean, var, rate, 0)
            even, rise = 0.5 * (chance + other), 0.5 * (slope + fall)
        evidence = max(even * (1.0 - abs(r)) + abs(r) * chance, EDGE)
        pull = turn * abs(r) * slope / evidence
        push = (abs(r) * slope + (1.0 - abs(r)) * rise) / evidence
        chance = chance if lean == 0.0 else 0.5 * chance / even
        chance = chance if r >= 0.0 else 1.0 - chance
        return chance, pull, min(abs(r) * curve / evidence - pull * pull, WIDER / var), push
    if lean != 0.0:
        first, slope, curve = answer_moments(mean + lean, var)
        other, fall, back = answer_moments(lean - mean, var)
        evidence = p * first + (1.0 - p) * other
        pull, push = (p * slope - (1.0 - p) * fall) / evidence, (p * slope + (1.0 - p) * fall) / evidence
        bend = (p * curve + (1.0 - p) * back) / evidence - pull * pull
        return first / (first + other), pull, min(bend, WIDER / var), push
    chance, slope, curve = answer_moments(mean, var)
    evidence = max((1.0 - p) + r * chance, EDGE)
    pull = r * slope / evidence
    return chance, pull, min(r * curve / evidence - pull * pull, WIDER / var), slope / evidence


@njit(cache=True)
def as_factor(mean: float, var: float, pull: float, bend: float) -> tuple[float, float]:  # pragma: no cover
    """(precision, shift) of the normal factor that turns N(mean, var) into what `match` says."""
    shrink = 1.0 + var * bend
    return -bend / shrink, (mean + var * pull) / (var * shrink) - mean / var
