"""The answers of one worker in two halves that can vouch for each other, all answers about a pair in the same one.

Neither the order of answers nor how items are numbered may matter, nor which way round questions were put, and least of
all what the worker said. So items are told apart by how often they were asked about and how often they won and lost by
what *others* said, and pairs by a hash of that. Where that tells no two items apart, all are in one half, and only
others can vouch for the worker.
"""

import numpy as np
from numba import njit

from nextpair.core.arrays import IntArray

PRIME = 2_147_483_647  # products of two numbers below it fit into 64 bits


@njit(cache=True)
def _mixed(x: int) -> int:  # pragma: no cover
    x = (x * 48271 + 11) % PRIME
    x ^= x >> 13
    return (x * 69621 + 7) % PRIME


@njit(cache=True)
def halves(w: int, n: int, told: IntArray, n_items: int) -> IntArray:  # pragma: no cover
    """0 or 1 for each of the first n answers that is worker w's, -1 for the others."""
    asked = np.zeros(n_items, dtype=np.int64)
    won, lost = np.zeros(n_items, dtype=np.int64), np.zeros(n_items, dtype=np.int64)
    for t in range(n):
        asked[told[0, t]] += 1
        asked[told[1, t]] += 1
        if told[2, t] != w:
            won[told[0, t]] += 2 - told[3, t]
            won[told[1, t]] += told[3, t]
            lost[told[0, t]] += told[3, t]
            lost[told[1, t]] += 2 - told[3, t]
    sign = (won * lost + asked * 7919) % PRIME  # the same if all answers are turned round
    half = np.full(n, -1)
    for t in range(n):
        if told[2, t] == w:
            i, j = told[0, t], told[1, t]
            both = _mixed(sign[i]) + _mixed(sign[j])
            half[t] = _mixed(both % PRIME) >> 9 & 1
    return half
