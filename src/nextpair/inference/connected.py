"""Whether comparisons determine a likelihood: each group of items must have beaten the rest and lost to it."""

from __future__ import annotations

import numpy as np

from nextpair.core.arrays import FloatArray
from nextpair.errors import Unconnected


def refuse_unconnected(wins: FloatArray, model: str) -> None:
    """An error that names a group of items whose scores would run away."""
    from scipy.sparse.csgraph import connected_components

    count, group = connected_components(wins > 0, directed=True, connection="strong")
    if count == 1:
        return
    inside = group[:, None] == group[None, :]
    beaten_from_outside = ((wins > 0) & ~inside).any(axis=0)
    proud = [k for k in range(count) if not beaten_from_outside[group == k].any()]
    members = min((np.flatnonzero(group == k) for k in proud), key=len)
    raise Unconnected(model, members.tolist())
