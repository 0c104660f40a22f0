"""What is meant by "much" (see `much`), found in few sweeps over all answers: `learn_much` gets there by small steps.

Where an answer is nearly as likely meant as not, as most are, a step of expectation maximisation goes but a hundredth
of its way. So does a step of the cut of all, which only what it is drawn to moves: the answers move each worker's own.

With f the chance of "much" (or of not) if it is meant and m if it is not, both as they are, the steps of the sense s of
a worker who gave n answers end where

    l(s) + LIKE_ALL (u / s - (1 - u) / (1 - s)) = 0,        l(s) = sum of (f - m) / (m + s (f - m)),

which falls in s. Those of u, the sense of all and of nobody in particular, end where

    sum over workers of (n + LIKE_ALL) (s - u) + MEANT - (MEANT + NOT) u + u (1 - u) l(u) = 0, l of nobody's answers.
"""

import numpy as np
from numba import njit

from nextpair.core.arrays import FloatArray
from nextpair.core.kernels.joint import Joint
from nextpair.core.kernels.much import FEW, LIKE_ALL, MEANT, NOT, START, is_said, learn_shares, look, moved_cut

ROUNDS = 30  # at most: after the first sweeps two or three do
SETTLED = 1e-10  # no sense moves by more


@njit(cache=True)
def settle_much(n: int, at: Joint) -> None:  # pragma: no cover
    """`learn_much` with long steps: cuts by one of Newton for all of them together, senses to where its steps lead.

    Both end where small steps do.
    """
    if not is_said(n, at):
        return
    more, slope, _, often, answers, fars = look(n, at)
    _move_cuts(at.much[0], more, slope)
    learn_shares(at, often, answers)
    for _ in range(ROUNDS):
        if _move_senses(n, at, fars, answers) < SETTLED:
            break


@njit(cache=True)
def _move_cuts(cuts: FloatArray, more: FloatArray, slope: FloatArray) -> None:  # pragma: no cover
    """To where more = FEW (cut - cut of all) for each worker, and the sum of more = FEW (cut of all - START)."""
    over, falls = more.sum() - FEW * (cuts[0] - START), slope[0] + FEW
    for who in range(1, cuts.size):  # each takes back a part of what it adds
        over -= slope[who] * (more[who] - FEW * (cuts[who] - cuts[0])) / (slope[who] + FEW)
        falls += slope[who] * FEW / (slope[who] + FEW)
    was = cuts[0]
    cuts[0] = moved_cut(was, over / falls)
    for who in range(1, cuts.size):
        cuts[who] = moved_cut(cuts[who], (more[who] - FEW * (cuts[who] - cuts[0])) / (slope[who] + FEW))


@njit(cache=True)
def _move_senses(n: int, at: Joint, fars: FloatArray, answers: FloatArray) -> float:  # pragma: no cover
    """One step of Newton for all senses together; gives the longest.

    None goes further than half way to 0 or to 1. Where the equation of u does not fall, u takes the small step.
    """
    sense, u = at.much[1], at.much[1, 0]
    slope, bend = _slopes(n, at, fars)
    moves, along = np.zeros(sense.size), np.ones(sense.size)
    over = MEANT - (MEANT + NOT) * u + u * (1.0 - u) * slope[0]
    falls = MEANT + NOT - (1.0 - 2.0 * u) * slope[0] - u * (1.0 - u) * bend[0]
    for who in range(1, sense.size):
        s, weight = sense[who], answers[who] + LIKE_ALL
        falling = LIKE_ALL * (u / (s * s) + (1.0 - u) / ((1.0 - s) * (1.0 - s))) - bend[who]
        moves[who] = (slope[who] + LIKE_ALL * (u / s - (1.0 - u) / (1.0 - s))) / falling
        along[who] = LIKE_ALL / (s * (1.0 - s) * falling)  # how far it moves where u moves by 1
        over += weight * (s + moves[who] - u)
        falls += weight * (1.0 - along[who])
    moves += along * over / (falls if falls > 0.0 else answers.sum() + MEANT + NOT)
    for who in range(sense.size):
        sense[who] += min(max(moves[who], -0.5 * sense[who]), 0.5 * (1.0 - sense[who]))
    return float(np.abs(moves).max())


@njit(cache=True)
def _slopes(n: int, at: Joint, fars: FloatArray) -> tuple[FloatArray, FloatArray]:  # pragma: no cover
    """l(s) and its slope: of the answers of nobody in particular, and of each worker."""
    told, slope, bend = at.told, np.zeros(at.much.shape[1]), np.zeros(at.much.shape[1])
    for t in range(n):
        if told[3, t]:
            continue
        who = told[2, t] + 1
        share = at.much[2, who]
        apart = fars[t] - share if told[5, t] else share - fars[t]
        one = apart / ((share if told[5, t] else 1.0 - share) + at.much[1, who] * apart)
        slope[who] += one
        bend[who] -= one * one
    return slope, bend
