"""Two opposite orders: by how much answers make the mirror image of what is believed likelier."""

import math

import numpy as np
from numba import njit

from nextpair.core.arrays import FloatArray, IntArray
from nextpair.core.kernels.much import grade, log_odds
from nextpair.core.kernels.trust import EDGE, learn_worker


@njit(cache=True)
def mirror_odds(
    told: IntArray,
    mean: FloatArray,
    nodes: FloatArray,
    crowd: IntArray,
    crowds: FloatArray,
    leans: FloatArray,
    much: FloatArray,
) -> float:  # pragma: no cover
    """log p(-mean) - log p(mean): how much likelier the answers make the opposite order.

    The likelihood of an answer is the same when all scores change their sign and rho becomes 1 - rho, so that answers
    which contradict each other fit two opposite orders; what tells them apart is what is expected of workers.
    Reliabilities and the crowd's hypotheses are summed out exactly.
    """
    here, there = np.ones(nodes.shape), np.ones(nodes.shape)
    scale = np.zeros((2, nodes.shape[0]))
    odds = 0.0
    for t in range(told.shape[1]):
        if told[3, t]:
            continue  # a tie says the same of both
        gap, w = mean[told[0, t]] - mean[told[1, t]], told[2, t]
        lean = told[4, t] * leans[w + 1]
        here_odds = log_odds(gap, lean, grade(told[5, t], much[:, w + 1]))
        if w < 0:
            odds -= here_odds
            continue
        chance = min(max(1.0 / (1.0 + math.exp(-here_odds)), EDGE), 1.0 - EDGE)
        scale[0, w] += learn_worker(here[w], nodes[w], chance)
        scale[1, w] += learn_worker(there[w], nodes[w], 1.0 - chance)
    for c in range(crowds.shape[0]):
        odds += _evidence(c, there, scale[1], crowd, crowds) - _evidence(c, here, scale[0], crowd, crowds)
    return odds


@njit(cache=True)
def _evidence(c, likelihood, scale, crowd, crowds):  # type: ignore[no-untyped-def]  # pragma: no cover
    """The logarithm of how likely the answers of a crowd are, over its hypotheses and each worker's nodes."""
    kinds = crowds.shape[1]
    terms = np.full(kinds, -np.inf)
    for h in range(kinds):
        likely = crowds[c, h].sum()
        if likely > 0.0:
            terms[h] = math.log(likely)
            for w in range(crowd.size):
                if crowd[w] == c:
                    share = (crowds[c, h] * likelihood[w]).sum() / likely
                    terms[h] += scale[w] + math.log(max(share, 1e-300))
    top = terms.max()
    return top + math.log(np.exp(terms - top).sum())
