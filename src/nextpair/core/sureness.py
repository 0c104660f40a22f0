"""How sure a belief is: what is checked and drawn in the same way whatever kind of belief is asked."""

from __future__ import annotations

from collections.abc import Callable, Collection
from numbers import Integral, Real

import numpy as np

from nextpair.core.arrays import FloatArray, as_codes
from nextpair.core.comparisons import refuse_outside
from nextpair.errors import InvalidSetting

DRAWS = 5_000  # an error of at most 0.7 %, in a few hundredths of a second for 100 items
AT_ONCE = 2_000_000  # scores drawn at once: a matter of memory


def refuse_level(level: float) -> None:
    """An error for the level of an interval that is none."""
    if not isinstance(level, Real) or not 0 < level < 1:
        raise InvalidSetting(f"the level of an interval lies between 0 and 1, not at {level!r}")


def refuse_top(k: int, n_items: int) -> None:
    """An error for a top k that is none."""
    if not isinstance(k, Integral) or not 1 <= k <= n_items:
        raise InvalidSetting(f"there is no top {k!r} of {n_items} items: k goes from 1 to {n_items}")


def with_score(low: FloatArray, high: FloatArray, score: FloatArray) -> tuple[FloatArray, FloatArray]:
    """An interval, widened to the score that it is shown with.

    A score is a mean. Where next to all lies at an end, as of an item that lost to everything, a mean may lie beyond
    the central interval: that has both ends at 0, say, and the score is 1e-9.
    """
    return np.minimum(low, score), np.maximum(high, score)


def prob_top(
    draw: Callable[[np.random.Generator, int], FloatArray], n_items: int, k: int, without: Collection[int] = ()
) -> FloatArray:
    """The probability of each item not left out to be among the k best; `draw(rng, n)` gives n rows of scores."""
    removed = as_codes("items", list(without))
    refuse_outside("item", removed, 0, n_items)
    refuse_top(k, n_items - removed.size)
    rng = np.random.default_rng(0)  # the same belief always gives the same answer
    inside, left = np.zeros(n_items, dtype=np.int64), DRAWS
    while left:
        n = min(left, max(1, AT_ONCE // n_items))
        scores = draw(rng, n)
        scores[:, removed] = -np.inf
        best = np.argpartition(-scores, k - 1, axis=1)[:, :k]
        inside += np.bincount(best.ravel(), minlength=n_items)
        left -= n
    return inside / DRAWS
