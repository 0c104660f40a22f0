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
    items = tuple(int(item) for item in members)
    shown = ", ".join(str(item) for item in items[:5]) + (", …" if len(items) > 5 else "")
    who = f"item {shown} has" if len(items) == 1 else f"the {len(items)} items {shown} have"
    raise Unconnected(
        f"{model} has no finite scores for these comparisons: {who} never lost to any of the others. "
        "Use bradley-terry-map or dirichlet, which need no such loss, or add comparisons between the two groups",
        items,
    )
