"""Questions to a belief whose scores are normal: who is above whom, who is at the top, how sure is the order."""

from __future__ import annotations

import numpy as np
from scipy.special import ndtr, ndtri

from nextpair.core import sureness
from nextpair.core.arrays import FloatArray, IntArray


def prob_above(gap: FloatArray, gap_var: FloatArray) -> FloatArray:
    """P(s_i > s_j) where s_i - s_j ~ N(gap, gap_var); one half where nothing tells them apart."""
    return ndtr(gap / np.sqrt(np.maximum(gap_var, 1e-300)))


def mean_certainty(mean: FloatArray, cov: FloatArray) -> float:
    """The share of pairs expected to be in the right order when items are ordered by their mean. `cov` is (K, K)."""
    rows, columns = np.triu_indices(mean.size, 1)
    gap_var = cov[rows, rows] + cov[columns, columns] - 2 * cov[rows, columns]
    return float(prob_above(np.abs(mean[rows] - mean[columns]), gap_var).mean())


def intervals(mean: FloatArray, var: FloatArray, level: float) -> tuple[FloatArray, FloatArray]:
    """The central interval of each score."""
    sureness.refuse_level(level)
    half = ndtri((1 + level) / 2) * np.sqrt(var)
    return mean - half, mean + half


def prob_top(mean: FloatArray, root: FloatArray, k: int) -> FloatArray:
    """The probability of each item to be among the k best, by simulation. `root`: (K, K) with root @ root.T = cov."""
    return sureness.prob_top(lambda rng, n: mean + rng.standard_normal((n, mean.size)) @ root.T, mean.size, k)


def ranking(scores: FloatArray) -> IntArray:
    """Item indices, best first; ties go by index."""
    return np.argsort(-scores, kind="stable")
