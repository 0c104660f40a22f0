"""Where one item stays: what may be asked as a short list, and all pairs of who keeps nothing.

As one list it would be millions of rows: every pair of each worker who keeps nothing.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from nextpair.core.arrays import IntArray
from nextpair.core.candidates import Candidates


def parts(candidates: Candidates) -> tuple[Candidates, ...]:
    """What together makes up the candidates, each part either a list or all that its workers may be asked.

    Two where something stays: a list of what those may be asked with whom it does, and all of the others.
    """
    if not candidates.stays or candidates.listed is not None:
        return (candidates,)
    workers = candidates.workers or ()
    bound = tuple(worker for worker in workers if worker in candidates.stays)
    free = tuple(worker for worker in workers if worker not in candidates.stays)
    rows = [np.empty((0, 3), dtype=np.int64), *(_pairs_of(worker, candidates) for worker in bound)]
    one = replace(candidates, workers=bound, listed=np.concatenate(rows), stays={})
    return one, replace(candidates, workers=free, stays={})


def _pairs_of(worker: int, candidates: Candidates) -> IntArray:
    kept = np.unique(candidates.stays[worker])
    first, second = np.repeat(kept, candidates.n_items), np.tile(np.arange(candidates.n_items), kept.size)
    once = (first < second) | ((first > second) & ~np.isin(second, kept))  # pairs of two such items come twice
    rows = np.column_stack([np.minimum(first, second), np.maximum(first, second), np.full(first.size, worker)])
    return np.asarray(rows[once])
