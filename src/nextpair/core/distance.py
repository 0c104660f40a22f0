"""Distance-based sampling ([CJL], experiments): ask the two items whose alpha are closest.

Transcribed directly, |alpha_i - alpha_j| is smallest between the two worst items, whose alpha fall towards zero
together; their order soon is beyond doubt, and yet they are asked for ever. Closeness is therefore taken relative to
the pair, |alpha_i - alpha_j| / (alpha_i + alpha_j): a loss then moves two items apart however small both are. Pairs
that have vanished (where the belief keeps no more than the order) are left until nothing else may be asked.
"""

from __future__ import annotations

import numpy as np

from nextpair.core.arrays import FloatArray, IntArray
from nextpair.core.belief import Belief
from nextpair.core.candidates import Candidates, Choice
from nextpair.core.moments import SMALL
from nextpair.core.questions import best_questions


def choose(belief: Belief, candidates: Candidates, rng: np.random.Generator, n: int = 1) -> list[Choice]:
    """The n closest pairs, equally close ones at random. The score is 1 for equal alpha and 0 for nothing in common."""

    def closeness(worker: int | None, rows: IntArray, columns: IntArray, floor: float) -> FloatArray:
        a, b = belief.alpha[rows], belief.alpha[columns]
        share = 2.0 * np.minimum(a, b) / (a + b)  # = 1 - |a - b| / (a + b)
        return np.where(a + b < SMALL, 0.0, share)

    return best_questions(candidates, closeness, rng, n)
