"""What comparisons connect: whether they determine a likelihood, and which items they leave apart."""

from __future__ import annotations

import numpy as np

from nextpair.core.arrays import FloatArray, IntArray
from nextpair.core.comparisons import Comparisons
from nextpair.errors import Unconnected


def groups_apart(told: Comparisons) -> list[IntArray]:
    """The items in groups that no comparison connects, the largest first; one that has all items if there is no gap."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    met = coo_array((np.ones(len(told)), (told.winners, told.losers)), (told.n_items, told.n_items))
    group = connected_components(met, directed=False)[1]
    size = np.bincount(group)
    order = np.argsort(group, kind="stable")
    return sorted(np.split(order, np.cumsum(size)[:-1]), key=len, reverse=True)


def refuse_unconnected(wins: FloatArray, model: str) -> None:
    """An error that names a group of items whose scores would run away: each must have beaten the rest and lost."""
    from scipy.sparse.csgraph import connected_components

    count, group = connected_components(wins > 0, directed=True, connection="strong")
    if count == 1:
        return
    across = (wins > 0) & (group[:, None] != group[None, :])
    beaten_from_outside = across.any(axis=0)
    proud = [k for k in range(count) if not beaten_from_outside[group == k].any()]
    members = min((np.flatnonzero(group == k) for k in proud), key=len)
    raise Unconnected(model, members.tolist(), met=bool(across[members].any()))
