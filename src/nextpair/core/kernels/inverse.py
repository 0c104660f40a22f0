"""The inverse of a covariance's inverse: most of the time that a refit of many items takes.

No linear algebra library is called, and sums are made in a fixed order: a journal replays to the last bit.
"""

import math

import numpy as np
from numba import njit

from nextpair.core.arrays import FloatArray

BY_FOURS = 80  # from so many rows on, four pivots at once are faster than one after the other


@njit(cache=True)
def invert(a: FloatArray) -> float:  # pragma: no cover
    """Invert a positive definite matrix in place (Gauss-Jordan, no pivoting needed).

    Gives the logarithm of its determinant, the product of the pivots; nan where it is not positive definite.
    Each pivot changes the whole matrix, and a large one is fetched from memory each time. So four are taken at once,
    to the last bit as one after the other.
    """
    n = a.shape[0]
    fours = n - n % 4 if n >= BY_FOURS else 0
    done = np.empty((4, n))
    total = 0.0
    for first in range(0, fours, 4):
        total += _take_four(a, first, done)
        if math.isnan(total):
            return total
    for k in range(fours, n):
        total += _take(a, k, 0, n)
        if math.isnan(total):
            return total
    return total


@njit(cache=True)
def _take(a: FloatArray, k: int, low: int, high: int) -> float:  # pragma: no cover
    """Scale the row of pivot k and take it out of the others from `low` to `high`. Gives the pivot's logarithm.

    nan, and nothing is done, where it is not positive.
    """
    if not a[k, k] > 0.0:
        return math.nan
    n, size = a.shape[0], math.log(a[k, k])
    scale = 1.0 / a[k, k]
    a[k, k] = 1.0
    for j in range(n):
        a[k, j] *= scale
    for i in range(low, high):
        if i != k:
            times = a[i, k]
            a[i, k] = 0.0
            for j in range(n):
                a[i, j] -= times * a[k, j]
    return size


@njit(cache=True)
def _take_four(a: FloatArray, first: int, done: FloatArray) -> float:  # pragma: no cover
    """The four pivots from `first` on: out of each other, then out of every other row in one go. `done` is room."""
    last, times = first + 4, np.empty(4)
    size = 0.0
    for k in range(4):
        size += _take(a, first + k, first, last)
        if math.isnan(size):
            return size
        done[k] = a[first + k]  # as every other row meets it: the next pivots change it
    for i in range(a.shape[0]):
        if first <= i < last:
            continue
        for k in range(4):
            times[k] = a[i, first + k]
            a[i, first + k] = 0.0
            for j in range(first, last):
                a[i, j] -= times[k] * done[k, j]
        _take_out(a[i, :first], done[0, :first], done[1, :first], done[2, :first], done[3, :first], times)
        _take_out(a[i, last:], done[0, last:], done[1, last:], done[2, last:], done[3, last:], times)
    return size


@njit(cache=True)
def _take_out(
    row: FloatArray, p: FloatArray, q: FloatArray, r: FloatArray, s: FloatArray, times: FloatArray
) -> None:  # pragma: no cover
    """Take four rows, in this order, out of another."""
    f, g, h, m = times[0], times[1], times[2], times[3]
    for j in range(row.size):
        row[j] = row[j] - f * p[j] - g * q[j] - h * r[j] - m * s[j]
