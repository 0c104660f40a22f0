"""How right a ranking is: the share of pairs that it orders as the true scores do, or of the best that it names."""

from __future__ import annotations

import numpy as np

from nextpair.core.arrays import FloatArray, IntArray
from nextpair.errors import InvalidSetting


def kendall_accuracy(ranking: IntArray, truth: FloatArray) -> float:
    """The share of pairs in the right order (eq. kendalltau); any order of two equal true scores counts as right.

    `ranking` holds item indices, best first, `truth` the true score of each item, higher is better.
    """
    ranking, truth = _checked(ranking, truth)
    return 1 - _count_wrong(truth[ranking]) / (truth.size * (truth.size - 1) / 2)


def best_accuracy(ranking: IntArray, truth: FloatArray, best: int) -> float:
    """The share of a ranking's first so many that are among the best so many; any of equal true scores is right."""
    ranking, truth = _checked(ranking, truth)
    return float((truth[ranking[:best]] >= np.sort(truth)[-best]).mean())


def _checked(ranking: IntArray, truth: FloatArray) -> tuple[IntArray, FloatArray]:
    ranking, truth = np.asarray(ranking, dtype=np.int64), np.asarray(truth, dtype=np.float64)
    n = truth.size
    if n < 2:
        raise InvalidSetting(f"accuracy needs at least 2 items, not {n}")
    if ranking.size != n or (np.sort(ranking) != np.arange(n)).any():
        raise InvalidSetting(f"a ranking of {n} items must name each of 0 to {n - 1} once")
    if np.isnan(truth).any():
        raise InvalidSetting(f"item {int(np.flatnonzero(np.isnan(truth))[0])} has no true score")
    return ranking, truth


def expected_accuracy(rankings: IntArray, above: FloatArray) -> FloatArray:
    """(S, R): the share of pairs that each ranking is expected to order right, in each case.

    `rankings` is (R, K), `above` (S, pairs): the chance that the first of each pair, as in np.triu_indices(K, 1), is
    the better one. Either may be a single row, whose axis is then left out.
    """
    place = np.argsort(rankings, axis=-1)
    first, second = np.triu_indices(place.shape[-1], 1)
    agrees = (place[..., first] < place[..., second]).astype(np.float64).T
    return np.asarray((above @ agrees + (1 - above) @ (1 - agrees)) / first.size)


def _count_wrong(scores: FloatArray) -> int:
    """How many pairs have the strictly lower score first: merge sort, all merges of a level counted at once."""
    levels = np.unique(scores, return_inverse=True)[1].astype(np.int64) + 1
    n_levels = int(levels.max()) + 1
    width = 1 << (scores.size - 1).bit_length()
    rows = np.zeros(width, dtype=np.int64)  # padded with the lowest level at the end, where it is never wrong
    rows[: levels.size] = levels
    wrong, size = 0, 1
    while size < width:
        halves = rows.reshape(-1, 2, size)
        offset = np.arange(halves.shape[0])[:, None] * n_levels  # keeps the blocks apart in one sorted array
        left, right = (halves[:, 0] + offset).ravel(), (halves[:, 1] + offset).ravel()
        below = np.searchsorted(left, right, side="left").reshape(-1, size) - np.arange(halves.shape[0])[:, None] * size
        wrong += int(below.sum())
        rows = np.sort(rows.reshape(-1, 2 * size), axis=1).ravel()
        size *= 2
    return wrong
