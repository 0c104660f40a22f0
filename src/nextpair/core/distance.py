"""Distance-based sampling ([CJL], experiments): ask the two items whose alpha are closest.

Transcribed directly, |alpha_i - alpha_j| is smallest between the two worst items, whose alpha fall towards zero
together; their order soon is beyond doubt, and yet they are asked for ever. So pairs that have vanished (where the
belief keeps no more than the order) are left until nothing else may be asked, and now and then a question is drawn at
random, so that no item is forgotten.

`choose_relative` goes beyond the paper: closeness relative to the pair, |alpha_i - alpha_j| / (alpha_i + alpha_j). A
loss then moves two items apart however small both are, alpha do not vanish, and the budget is not spent at the bottom.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from nextpair.core.arrays import FloatArray, IntArray
from nextpair.core.belief import Belief
from nextpair.core.candidates import Candidates, Choice
from nextpair.core.moments import SMALL
from nextpair.core.questions import best_questions, worth_nothing

EXPLORE = 0.05  # the share of questions drawn at random

Closeness = Callable[[FloatArray, IntArray, IntArray], FloatArray]


def closeness(alpha: FloatArray, rows: IntArray, columns: IntArray) -> FloatArray:
    """1 - |a - b| / sum of alpha: 1 for equal alpha; 0 where both have vanished."""
    a, b = alpha[rows], alpha[columns]
    return np.where(a + b < SMALL, 0.0, 1.0 - np.abs(a - b) / alpha.sum())


def relative_closeness(alpha: FloatArray, rows: IntArray, columns: IntArray) -> FloatArray:
    """1 - |a - b| / (a + b): 1 for equal alpha, 0 where one is nothing beside the other or both have vanished."""
    a, b = alpha[rows], alpha[columns]
    return np.where(a + b < SMALL, 0.0, 2.0 * np.minimum(a, b) / (a + b))


def choose(belief: Belief, candidates: Candidates, rng: np.random.Generator, n: int = 1) -> list[Choice]:
    """The closest pairs, equally close ones at random, and a few at random; the score is their closeness."""
    return _choose(closeness, belief, candidates, rng, n)


def choose_relative(belief: Belief, candidates: Candidates, rng: np.random.Generator, n: int = 1) -> list[Choice]:
    """The same with closeness relative to the pair."""
    return _choose(relative_closeness, belief, candidates, rng, n)


def _choose(close: Closeness, belief: Belief, candidates: Candidates, rng: np.random.Generator, n: int) -> list[Choice]:
    def near(workers: IntArray, rows: IntArray, columns: IntArray, floor: FloatArray) -> FloatArray:
        return close(belief.alpha, rows, columns)

    drawn = int(rng.binomial(n, EXPLORE))
    closest = best_questions(candidates, near, rng, n - drawn)
    return closest + best_questions(candidates, worth_nothing, rng, drawn, closest)
