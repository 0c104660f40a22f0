"""What the claims of the full posterior rest on: doubt about workers, about the spread, and which way round all is."""

from __future__ import annotations

import numpy as np

from nextpair.core.arrays import FloatArray
from nextpair.core.kernels.doubt import worker_pulls
from nextpair.core.kernels.joint import Joint, rebuild
from nextpair.core.tastes import taste_cov

TAIL = 1.04  # where no worker is doubted, for the long lower tail of log Gamma(1); set by simulation
NEVER = -20.0  # log-odds at which the opposite order is not worth a thought
ROUNDING = 1e-9
STEP = 0.01  # of a logarithm, for a slope


def claimed_cov(at: Joint) -> FloatArray:
    """The covariance that claims rest on: with the doubt about workers, var = E[var | rho] + var(E[s | rho]).

    The second part is, to first order, the variance of each rho times the square of how scores move with it. Of what
    single answers say, `cov` has it already; so it is taken out of `cov` first, which leaves the first part, and comes
    back with what a worker's answers have in common. Questions are chosen by `cov`: with this they came out no better.
    Where it was learnt how far apart scores are, that is known only so far, too (see `_apart`). And where judges who
    gave many of the answers have `tastes` of their own, no number of their answers is as sure as it seems.
    """
    cov = _without_tastes(at)
    of_tastes = taste_cov(at)
    return cov if of_tastes is None else cov + of_tastes


def _without_tastes(at: Joint) -> FloatArray:
    """The same where every answer errs by itself."""
    apart = _apart(at)
    of_spread = at.spread[1] * np.outer(apart, apart)
    if not len(at.nodes):
        return np.asarray(TAIL * at.cov + of_spread)
    pulls, var, known = worker_pulls(at)
    first = np.linalg.solve(np.eye(at.mean.size) + at.cov @ known, at.cov)  # (cov^-1 + known)^-1
    moves = at.cov @ pulls
    return np.asarray((first + first.T) / 2 + (moves * var) @ moves.T + of_spread)


def _apart(at: Joint) -> FloatArray:
    """How scores move with the logarithm of their variance before any answer: by cov @ mean / variance.

    With a guess, how far that is believed moves, too; so it is tried.
    """
    variance, doubt = at.spread
    if not at.guess.size:
        return np.asarray(at.cov @ at.mean / variance)
    if not doubt:
        return np.zeros(at.mean.size)
    ends = []
    for step in (-STEP, STEP):
        copies = {name: getattr(at, name).copy() for name in ("factors", "mean", "cov", "faith")}
        moved = at._replace(spread=np.array([variance * np.exp(step), doubt]), **copies)
        rebuild(at.told.shape[1], moved)
        ends.append(moved.mean)
    return np.asarray((ends[1] - ends[0]) / (2 * STEP))


def prob_opposite(odds: float, mean: FloatArray, cov: FloatArray) -> float:
    """The probability that everything is the other way round, from the log-odds of the densities at -mean and mean.

    Workers who contradict each other leave two opposite orders, and what is kept is a normal around one of them. So
    claims rest on (1 - w) N(mean, cov) + w N(-mean, cov), with the w that gives the densities their true ratio. Where a
    normal by itself has no smaller ratio there is no second order, and w is 0.
    """
    own = float(-2 * mean @ np.linalg.solve(cov, mean))
    if odds <= own or own > -ROUNDING:  # without a mean there is nothing to turn
        return 0.0
    there, plain = np.exp(min(odds, -NEVER)), np.exp(own)
    return min(float((there - plain) / ((1 - plain) * (1 + there))), 1.0)
