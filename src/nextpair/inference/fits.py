"""What an estimator returns."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nextpair.core.arrays import FloatArray, IntArray, frozen


@dataclass(frozen=True, eq=False)
class Fit:
    """A score for each item, higher is better, and a reliability for each worker where the model has workers."""

    scores: FloatArray
    reliability: FloatArray | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "scores", frozen(self.scores))

    @property
    def ranking(self) -> IntArray:
        """Item indices, best first. Scores that differ by rounding only count as equal, and equal ones go by index."""
        size = float(np.abs(self.scores).max())
        return np.argsort(-np.round(self.scores / (size or 1.0), 11), kind="stable")
