"""Distance-based sampling ([CJL], experiments): ask the two items whose alpha are closest.

Transcribed directly, |alpha_i - alpha_j| is smallest between the two worst items, whose alpha fall towards zero
together; their order soon is beyond doubt, and yet they are asked for ever. Closeness is therefore taken relative to
the pair, |alpha_i - alpha_j| / (alpha_i + alpha_j): a loss then moves two items apart however small both are, and alpha
do not vanish. Pairs that have vanished all the same (where the belief keeps no more than the order) are left until
nothing else may be asked. And because the closest pair can stay the closest for good, now and then a question is drawn
at random, so that no item is forgotten.
"""

from __future__ import annotations

import numpy as np

from nextpair.core.arrays import FloatArray, IntArray
from nextpair.core.belief import Belief
from nextpair.core.candidates import Candidates, Choice
from nextpair.core.moments import SMALL
from nextpair.core.questions import best_questions, worth_nothing

EXPLORE = 0.05  # the share of questions drawn at random


def closeness(alpha: FloatArray, rows: IntArray, columns: IntArray) -> FloatArray:
    """1 - |a - b| / (a + b): 1 for equal alpha, 0 where one is nothing beside the other or both have vanished."""
    a, b = alpha[rows], alpha[columns]
    return np.where(a + b < SMALL, 0.0, 2.0 * np.minimum(a, b) / (a + b))


def choose(belief: Belief, candidates: Candidates, rng: np.random.Generator, n: int = 1) -> list[Choice]:
    """The closest pairs, equally close ones at random, and a few at random; the score is their closeness."""

    def near(worker: int | None, rows: IntArray, columns: IntArray, floor: float) -> FloatArray:
        return closeness(belief.alpha, rows, columns)

    drawn = int(rng.binomial(n, EXPLORE))
    closest = best_questions(candidates, near, rng, n - drawn)
    return closest + best_questions(candidates, worth_nothing, rng, drawn, closest)
