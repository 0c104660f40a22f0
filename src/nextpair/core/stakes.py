"""What matters in a campaign: the order of all items that take part, or only which of them are the best few."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
from scipy.special import ndtr

from nextpair.core.arrays import FloatArray
from nextpair.core.gaussian import centred_var

SHARP = 2.0  # how sharply items are told to be above or below the line; set by simulation (docs/tuning.md)


def stakes(mean: FloatArray, cov: FloatArray, best: int | None, removed: Collection[int] = ()) -> FloatArray:
    """(K, K): how much the order of each pair matters, from 0 to 1; nothing for an item that was removed.

    Where only the `best` so many matter, it is the chance that the line below them runs between the two. The line lies
    half way between the last of the best and the first of the others, and an item lies above it with the chance
    Phi(SHARP (mean - line) / sd). So items near the line, and those of which nothing is known, count with all others;
    two that are both clearly in, or both clearly out, may stand in any order.
    """
    takes_part = np.ones(mean.size, dtype=np.bool_)
    takes_part[list(removed)] = False
    if best is None:
        matter = np.ones(cov.shape)
    else:
        order = np.sort(mean[takes_part])[::-1]
        sd = np.sqrt(np.maximum(centred_var(cov), 1e-12))
        above = ndtr(SHARP * (mean - (order[best - 1] + order[best]) / 2) / sd)
        matter = above[:, None] * (1 - above) + (1 - above[:, None]) * above
    return np.asarray(matter * (takes_part[:, None] & takes_part))


def n_stakes(n_items: int, best: int | None) -> int:
    """How many pairs matter in the end, of so many items that take part."""
    return n_items * (n_items - 1) // 2 if best is None else best * (n_items - best)
