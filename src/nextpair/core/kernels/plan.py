"""Dynamic programming over all that a few items' answers can say. See `limits` for the mathematics.

A state is a multiset, and its number is that of a combination (the combinatorial number system): `choose[n, k]` is
the binomial coefficient.
"""

import math

import numpy as np
from numba import njit, prange

from nextpair.core.arrays import FloatArray, IntArray

PAIRS = 3
DONE = 3  # a worker's code has one digit a pair in this base: not asked, the first won, the second won


@njit(cache=True)
def best_right(above: FloatArray) -> float:  # pragma: no cover
    """The expected accuracy of the best of the six orders, from P(0 > 1), P(0 > 2), P(1 > 2)."""
    best = 0.0
    for signs in range(8):
        first, second, third = signs & 1, signs >> 1 & 1, signs >> 2
        if first == third and first != second:  # a circle is no order
            continue
        right = above[0] if first else 1.0 - above[0]
        right += above[1] if second else 1.0 - above[1]
        right += above[2] if third else 1.0 - above[2]
        best = max(best, right / PAIRS)
    return best


@njit(cache=True)
def number_of(counts: IntArray, choose: IntArray) -> int:  # pragma: no cover
    """The number of a state of `counts.size` counts among those of the same sum."""
    number, total = 0, 0
    for k in range(counts.size - 1):
        total += counts[k]
        number += choose[total + k, k + 1]
    return number


@njit(cache=True)
def counts_of(number: int, total: int, choose: IntArray, counts: IntArray) -> None:  # pragma: no cover
    """Undo `number_of`: fill in the counts, whose sum is `total`."""
    upper = total
    for k in range(counts.size - 2, -1, -1):
        partial = upper
        while choose[partial + k, k + 1] > number:
            partial -= 1
        number -= choose[partial + k, k + 1]
        counts[k + 1] = upper - partial
        upper = partial
    counts[0] = upper


@njit(cache=True, parallel=True)
def next_states(states: IntArray, total: int, names: IntArray, choose: IntArray) -> IntArray:  # pragma: no cover
    """(S, answers): the number of the state that each answer leads to, under the smallest of its names.

    `states` are numbers of states of `total` answers; names[g, a] is what answer a is called under the g-th naming of
    the items.
    """
    kinds = names.shape[1]
    out = np.empty((states.size, kinds), dtype=np.int64)
    for s in prange(states.size):
        counts, renamed = np.empty(kinds, dtype=np.int64), np.empty(kinds, dtype=np.int64)
        counts_of(states[s], total, choose, counts)
        for answer in range(kinds):
            counts[answer] += 1
            smallest = np.iinfo(np.int64).max
            for g in range(names.shape[0]):
                for a in range(kinds):
                    renamed[names[g, a]] = counts[a]
                smallest = min(smallest, number_of(renamed, choose))
            out[s, answer] = smallest
            counts[answer] -= 1
    return out


@njit(cache=True, parallel=True)
def counts_of_all(states: IntArray, total: int, kinds: int, choose: IntArray) -> FloatArray:  # pragma: no cover
    """(S, kinds): how often each answer was heard."""
    out = np.empty((states.size, kinds))
    for s in prange(states.size):
        counts = np.empty(kinds, dtype=np.int64)
        counts_of(states[s], total, choose, counts)
        out[s] = counts
    return out


@njit(cache=True)
def crowd_number(codes: IntArray, choose: IntArray) -> int:  # pragma: no cover
    """The number of a crowd whose workers' codes are sorted."""
    number = 0
    for k in range(codes.size):
        number += choose[codes[k] + k, k + 1]
    return number


@njit(cache=True)
def crowds_of(workers: int, kinds: int, choose: IntArray) -> IntArray:  # pragma: no cover
    """Row s is the crowd of number s: all sorted choices of a code below `kinds` for each worker."""
    out = np.empty((choose[kinds + workers - 1, workers], workers), dtype=np.int64)
    codes = np.zeros(workers, dtype=np.int64)
    while True:
        out[crowd_number(codes, choose)] = codes
        k = 0
        while k < workers - 1 and codes[k] == codes[k + 1]:
            k += 1
        codes[k] += 1
        if codes[k] == kinds:
            return out
        codes[:k] = 0


@njit(cache=True, parallel=True)
def crowd_facts(
    crowds: IntArray, digits: IntArray, likelihood: FloatArray, weight: FloatArray, above: FloatArray
) -> tuple[FloatArray, FloatArray]:  # pragma: no cover
    """(chance, right): (S, workers, pairs) that the first of a pair wins the worker's next answer; (S,) the accuracy.

    Row c of `likelihood` is that of a worker of code c at each node, the reliability integrated out.
    """
    size, workers = crowds.shape
    chance, right = np.zeros((size, workers, PAIRS)), np.empty(size)
    for s in prange(size):
        now = weight.copy()
        for w in range(workers):
            now *= likelihood[crowds[s, w]]
        now /= now.sum()
        share = np.empty(PAIRS)
        for k in range(PAIRS):
            share[k] = (now * above[k]).sum()
        right[s] = best_right(share)
        for w in range(workers):
            code = crowds[s, w]
            if w and code == crowds[s, w - 1]:
                continue
            for k in range(PAIRS):
                if digits[code, k] == 0:
                    chance[s, w, k] = (now * likelihood[code + DONE**k] / likelihood[code]).sum()
    return chance, right


@njit(cache=True, parallel=True)
def crowd_step(
    numbers: IntArray, crowds: IntArray, digits: IntArray, chance: FloatArray, value: FloatArray, choose: IntArray
) -> None:  # pragma: no cover
    """Fill in the value of these crowds, from the values of those with one answer more."""
    workers = crowds.shape[1]
    for at in prange(numbers.size):
        s = numbers[at]
        best = 0.0
        for w in range(workers):
            if w and crowds[s, w] == crowds[s, w - 1]:
                continue
            for k in range(PAIRS):
                if digits[crowds[s, w], k]:
                    continue
                total = 0.0
                for answer in range(2):
                    codes = crowds[s].copy()
                    codes[w] += (answer + 1) * DONE**k
                    spot = w
                    while spot < workers - 1 and codes[spot] > codes[spot + 1]:
                        codes[spot], codes[spot + 1] = codes[spot + 1], codes[spot]
                        spot += 1
                    likely = chance[s, w, k] if answer == 0 else 1.0 - chance[s, w, k]
                    total += likely * value[crowd_number(codes, choose)]
                best = max(best, total)
        value[s] = best


def binomials(most: int, parts: int) -> IntArray:
    """choose[n, k] for n up to `most` and k up to `parts`."""
    return np.array([[math.comb(n, k) for k in range(parts + 1)] for n in range(most + 1)], dtype=np.int64)
