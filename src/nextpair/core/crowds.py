"""What the reliabilities of a crowd may be: one worker's on a grid, and what is not known about the crowd as a whole.

Whoever starts a campaign says what a worker is like, Beta(mu, nu), and is rarely right: of the real crowds that we
replay, one answers nearly without fault and in none do workers differ as much as Beta(4, 1) says. So the declared Beta
is one of several hypotheses about the Beta that a crowd's reliabilities are drawn from. The mean of the others lies
lower or higher, by up to 1.15 standard deviations of a worker's log-odds, and their strength mu + nu is 0.6 to 6 times
the declared one. Answers decide (`kernels.trust.learn_crowds`). Together the hypotheses have the declared mean.

Workers whose declared Betas are the same are one crowd. Who is declared to be always right, or always wrong, is.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from nextpair.core.arrays import FloatArray
from nextpair.errors import InvalidSetting

BINS = 41  # of a reliability; with the mass of each at its mean, the variance of Beta(4, 1) is short by 0.2 %
EDGES = np.linspace(0.0, 1.0, BINS + 1)
SHIFTS = (-0.575, 0.0, 0.575, 1.15)  # of the mean, in standard deviations of the log-odds
FAR = 2.0  # the most that counts as one standard deviation
STRENGTHS = (0.6, 1.0, 2.5, 6.0)  # times the declared mu + nu
HYPOTHESES = len(SHIFTS) * len(STRENGTHS)
AS_DECLARED = 0.75  # how likely the declared Beta is to be the crowd's
TINY = 1e-300  # no mean moves by nothing
STRAY = 0.2  # of each crowd this share is as declared: who stands out from the others must not be impossible


def hypotheses(mu: float, nu: float) -> tuple[FloatArray, FloatArray]:
    """(betas, weights): mu and nu of each hypothesis, the declared first, and how likely it is before any answer."""
    from scipy.special import expit, polygamma

    shifts = np.array(SHIFTS)
    apart = min(float(np.sqrt(polygamma(1, mu) + polygamma(1, nu))), FAR)  # standard deviation of the log-odds
    log_odds = np.log(mu / nu) + apart * shifts
    moves = np.abs(expit(log_odds) - mu / (mu + nu)) + TINY
    # lower means are as much likelier as higher ones are further away: on average the crowd is as declared
    likely = np.where(shifts < 0, moves[shifts > 0].sum(), moves[shifts < 0].sum())
    likely = np.where(shifts == 0, 1.0, likely / likely[shifts != 0].mean())
    betas, weights = [(mu, nu)], []
    for k, shift in enumerate(SHIFTS):
        for strength in STRENGTHS:
            if (shift, strength) != (0.0, 1.0):
                total = strength * (mu + nu)
                betas.append((expit(log_odds[k]) * total, expit(-log_odds[k]) * total))
                weights.append(likely[k])
    others = np.array(weights) / np.sum(weights)
    return np.array(betas), np.concatenate([[AS_DECLARED], (1 - AS_DECLARED) * others])


@lru_cache(maxsize=64)
def crowd_grid(mu: float, nu: float) -> tuple[FloatArray, FloatArray]:
    """(nodes, table): where each bin has its mass on average, and (HYPOTHESES, BINS) how much under each hypothesis.

    Rows are multiplied by how likely their hypothesis is; rows that are not needed are zero.
    """
    if not (mu >= 0 and nu >= 0 and 0 < mu + nu < np.inf):
        raise InvalidSetting(f"a worker needs a mu and a nu that are not negative and not both zero, not {mu}, {nu}")
    nodes, table = (EDGES[1:] + EDGES[:-1]) / 2, np.zeros((HYPOTHESES, BINS))
    if mu == 0 or nu == 0:  # always right or always wrong
        nodes[0], nodes[-1] = 0.0, 1.0
        table[0, -1 if nu == 0 else 0] = 1.0
    else:
        betas, likely = hypotheses(mu, nu)
        a, b = betas.T[:, :, None]
        mass, first = _masses(a, b), a / (a + b) * _masses(a + 1, b)
        for rows in (mass, first):
            rows[1:] = (1 - STRAY) * rows[1:] + STRAY * rows[0]
        table = likely[:, None] * mass
        heavy = table.sum(axis=0) > 1e-12
        nodes[heavy] = (likely @ first)[heavy] / table.sum(axis=0)[heavy]
        nodes = np.clip(nodes, EDGES[:-1], EDGES[1:])
    nodes.flags.writeable = table.flags.writeable = False
    return nodes, table


def _masses(mu: FloatArray, nu: FloatArray) -> FloatArray:
    """What each Beta(mu, nu) has in each bin; of the two tails the small one, so that tiny masses keep their digits."""
    from scipy.special import betainc

    low = np.diff(betainc(mu, nu, EDGES[: BINS // 2 + 1]))
    high = -np.diff(betainc(nu, mu, 1 - EDGES[BINS // 2 :]))  # with the bin in the middle
    return np.concatenate([low, high], axis=1)
