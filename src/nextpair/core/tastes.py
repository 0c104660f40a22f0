"""Tastes: what a judge who gave many of the answers sees in items, and others do not.

Answers are taken to err one by one, so that a thousand of one judge settle everything. But a judge may misjudge an item
the same way each time, as language models do, and then claims are too sure. So judge w is thought to see the scores
s + t_w, with t_w ~ N(0, v) for each item, and how large v is, all answers say together. Only who gave many can be held
against the others so; of who gave few, a taste is hardly more than one more error.

Each answer says y = gap of (s + t_w) + noise, with the precision of its factor (see `kernels.refit`). Those of judge w
add up to the precision L_w and the pull h_w. With t_w integrated out they are

    (1 + v L_w)^-1 L_w    and    (1 + v L_w)^-1 h_w,

so no number of answers makes s surer than v allows. With P and h what the prior and all others say, the evidence is

    2 log Z(v) = b' C b + log |C| - sum_w log |1 + v L_w| + sum_w v h_w' (1 + v L_w)^-1 h_w,

where C^-1 = P + sum_w (1 + v L_w)^-1 L_w and b = h + sum_w (1 + v L_w)^-1 h_w. It is looked up on a grid of v. Judges
differ by chance, too: a taste is believed if the evidence is four standard deviations of that. Claims are then as much
less sure as C is; where it is not believed, nothing changes, to the last bit. Scores stay where they are: with those
that belong to C the real order was found less well, and so it was where questions were chosen with tastes in view
(docs/limits.md).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from nextpair.core.arrays import BoolArray, FloatArray
from nextpair.core.comparisons import answers_by_worker
from nextpair.core.kernels.joint import Joint
from nextpair.core.kernels.vouch import gave_many

GRID = 0.04 * 2.0 ** np.arange(8)  # of v: from next to nothing to beyond the variance of the scores themselves
HINT = 2.5  # standard deviations of chance, about, by which the evidence has to rise at v = 0, or nothing is looked up
SURE = 8.0  # log-evidence: four standard deviations of what is chance


class Said(NamedTuple):
    """What some answers say of the scores together."""

    precision: FloatArray  # (K, K)
    pull: FloatArray


def taste_cov(at: Joint) -> FloatArray | None:
    """What tastes add to the covariance of the scores; None where nothing tells of any."""
    judges = np.flatnonzero(gave_many(answers_by_worker(at.told[2], len(at.nodes)), at.told.shape[1]))
    if not judges.size:
        return None
    others = said(at, ~np.isin(at.told[2], judges))
    others.precision[np.diag_indices(at.mean.size)] += 1 / at.spread[0]
    each = [said(at, at.told[2] == judge) for judge in judges]
    if hint(others, each) < HINT:
        return None
    parts = [parted(one) for one in each]
    plain, sure = with_tastes(0.0, others, parts)
    likeliest, cov = max((with_tastes(var, others, parts) for var in GRID), key=lambda one: one[0])
    return cov - sure if likeliest - plain >= SURE else None


def said(at: Joint, by: BoolArray) -> Said:
    """What these answers say. A factor that widens, of a surprise, says nothing of how sure its gap is."""
    (won, lost), n = at.told[:2, by], at.mean.size
    sure, shift = np.maximum(at.factors[0, by], 0.0), at.factors[1, by]
    precision, pull = np.zeros((n, n)), np.zeros(n)
    for rows, columns, sign in ((won, won, 1), (lost, lost, 1), (won, lost, -1), (lost, won, -1)):
        np.add.at(precision, (rows, columns), sign * sure)
    np.add.at(pull, won, shift)
    np.subtract.at(pull, lost, shift)
    return Said(precision, pull)


def hint(others: Said, each: list[Said]) -> float:
    """The slope of the evidence at v = 0, in standard deviations of chance, about: a score test.

    It is sum_w (|g_w|^2 - tr M_w) / 2, g_w = h_w - L_w C b the pull that is left and M_w = L_w - L_w C L_w its
    covariance.
    """
    cov = np.linalg.inv(others.precision + sum(one.precision for one in each))
    mean = cov @ (others.pull + sum(one.pull for one in each))
    slope = chance = 0.0
    for precision, pull in each:
        left = precision - precision @ cov @ precision
        slope += float(((pull - precision @ mean) ** 2).sum() - np.trace(left))
        chance += 2.0 * float((left**2).sum())
    return slope / np.sqrt(chance) if chance > 0 else 0.0


def parted(one: Said) -> tuple[FloatArray, FloatArray, FloatArray]:
    """(values, vectors, along): the eigenvalues and -vectors of the precision, and the pull along these."""
    values, vectors = np.linalg.eigh(one.precision)
    return np.maximum(values, 0.0), vectors, vectors.T @ one.pull


def with_tastes(
    var: float, others: Said, parts: list[tuple[FloatArray, FloatArray, FloatArray]]
) -> tuple[float, FloatArray]:
    """(evidence, cov) of the scores where the tastes of the judges, each in `parts`, have this variance."""
    precision, pull = others
    evidence = 0.0
    for values, vectors, along in parts:
        share = 1 / (1 + var * values)
        precision = precision + (vectors * (share * values)) @ vectors.T
        pull = pull + vectors @ (share * along)
        evidence += np.log(share).sum() + var * (share * along**2).sum()
    cov = np.asarray(np.linalg.inv(precision), dtype=np.float64)
    return 0.5 * float(evidence + pull @ cov @ pull + np.linalg.slogdet(cov)[1]), cov
