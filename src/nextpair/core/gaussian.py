"""Questions to a belief whose scores are normal: who is above whom, who is at the top, how sure is the order."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
from scipy.special import ndtr, ndtri

from nextpair.core import sureness
from nextpair.core.arrays import FloatArray, IntArray, among


def prob_above(gap: FloatArray, var: FloatArray) -> FloatArray:
    """P(s_i > s_j) where s_i - s_j ~ N(gap, var); one half where nothing tells them apart."""
    return ndtr(gap / np.sqrt(np.maximum(var, 1e-300)))


def gap_var(cov: FloatArray, rows: IntArray, columns: IntArray) -> FloatArray:
    """The variance of s_i - s_j for each pair."""
    return np.asarray(cov[rows, rows] + cov[columns, columns] - 2 * cov[rows, columns])


def centred_var(cov: FloatArray, without: Collection[int] = ()) -> FloatArray:
    """The variance of each score, less the average of all that are not left out."""
    kept = among(len(cov), without)
    rows = cov[:, kept].mean(axis=1)
    return np.asarray(np.diag(cov) - 2 * rows + rows[kept].mean())


def mean_certainty(mean: FloatArray, cov: FloatArray) -> float:
    """The share of pairs expected to be in the right order when items are ordered by their mean. `cov` is (K, K)."""
    rows, columns = np.triu_indices(mean.size, 1)
    return float(prob_above(np.abs(mean[rows] - mean[columns]), gap_var(cov, rows, columns)).mean())


def intervals(mean: FloatArray, var: FloatArray, level: float, doubt: float = 0.0) -> tuple[FloatArray, FloatArray]:
    """The central interval of each score, which is N(mean, var) or, with the chance `doubt`, N(-mean, var).

    A low level may then lie between the two, and is widened to the score.
    """
    sureness.refuse_level(level)
    half = ndtri((1 + level) / 2) * np.sqrt(var)
    if doubt == 0:
        return mean - half, mean + half
    low, high = (_mixed(mean, np.sqrt(var), doubt, (1 + side * level) / 2) for side in (-1, 1))
    return sureness.with_score(low, high, mean)


def _mixed(mean: FloatArray, sd: FloatArray, doubt: float, share: float) -> FloatArray:
    """Where (1 - doubt) N(mean, sd^2) + doubt N(-mean, sd^2) has this share below it: by halving."""
    low, high = -np.abs(mean) - 40 * sd, np.abs(mean) + 40 * sd
    for _ in range(80):
        middle = (low + high) / 2
        below = (1 - doubt) * ndtr((middle - mean) / sd) + doubt * ndtr((middle + mean) / sd) < share
        low, high = np.where(below, middle, low), np.where(below, high, middle)
    return (low + high) / 2


def prob_top(mean: FloatArray, root: FloatArray, k: int, without: Collection[int] = ()) -> FloatArray:
    """The probability of each item to be among the k best, by simulation. `root`: (K, K) with root @ root.T = cov."""
    return sureness.prob_top(lambda rng, n: mean + rng.standard_normal((n, mean.size)) @ root.T, mean.size, k, without)


def ranking(scores: FloatArray) -> IntArray:
    """Item indices, best first; ties go by index."""
    return np.argsort(-scores, kind="stable")
