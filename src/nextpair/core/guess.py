"""A guess: a rough number for each item that is there before any answer, such as last year's score or a metric.

Nobody knows its unit, nor whether it bends: only its order is taken, as normal scores. The item at the share q of the
order, from the lowest up, gets the q-quantile of a normal, times what makes the mean square 1. How far it is borne out,
answers tell (see `kernels.guess`).
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import NormalDist

import numpy as np

from nextpair.core.arrays import FloatArray


def normal_scores(guesses: Sequence[float | None]) -> FloatArray:
    """The normal score of each guess; nan where nothing was guessed. Two of them at least must differ."""
    known = np.sort(np.array([guess for guess in guesses if guess is not None], dtype=np.float64))
    plain = np.array([np.nan if guess is None else _plain(guess, known) for guess in guesses])
    return np.asarray(plain / np.sqrt(np.nanmean(plain**2)))


def normal_score(guess: float, others: Sequence[float | None]) -> float:
    """The normal score of one that comes later: where it stands among the others, which keep theirs."""
    known = np.sort(np.array([other for other in others if other is not None], dtype=np.float64))
    of_others = np.array([_plain(other, known) for other in known])
    return float(_plain(guess, known) / np.sqrt(np.mean(of_others**2)))


def _plain(guess: float, known: FloatArray) -> float:
    """The quantile; of equal guesses, that of the middle of them."""
    middle = (np.searchsorted(known, guess, "left") + np.searchsorted(known, guess, "right")) / 2
    return NormalDist().inv_cdf(min(max(middle, 0.5), known.size - 0.5) / known.size)
