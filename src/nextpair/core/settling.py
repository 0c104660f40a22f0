"""All answers matched again and again, until nothing moves: for a posterior of answers that are all there."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from nextpair.core.kernels.joint import Joint
from nextpair.core.kernels.refit import sweep

SETTLED = 1e-6  # they are matched again until no log-score, and no doubt about one, moves by more
SWINGS = 0.01  # what still moves by more at the end goes back and forth; by less, it is on its way
MOST_SWEEPS = 400  # 10 to 90 are needed, rarely 200, unless workers contradict each other through and through
SLOWEST, FASTER = 0.25, 1.2  # the least share of its way that a factor is moved, and how that grows back to 1
ROUGHLY = 0.1  # what is meant by "much" is found with long steps once no score moves by more


def settle(at: Joint, on_sweep: Callable[[float], None] | None) -> None:
    """In place. `on_sweep` hears how far the furthest score, or a standard deviation, would have moved.

    Where scores move further than in the sweep before, factors go half as far, and then further again. Should long
    steps find no rest in half of all sweeps, the other half has short ones.
    """
    step, moved, first = 1.0, np.inf, not at.factors[:2].any()
    for number in range(MOST_SWEEPS if at.told.shape[1] else 0):
        last = moved
        with_long_steps = moved < ROUGHLY and number < MOST_SWEEPS / 2
        moved, first = sweep(at, step, first, with_long_steps) / step, False
        step = max(SLOWEST, step / 2) if moved > last else min(1.0, FASTER * step)
        if on_sweep is not None:
            on_sweep(moved)
        if moved < SETTLED:
            break
