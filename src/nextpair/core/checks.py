"""Check questions: now and then a pair at random, to learn how far apart items are, and so what can be claimed.

A policy that asks about close pairs hears little of how far apart the others are: whether scores have a standard
deviation of 0.3 or of 1.3 makes no difference to its answers. So it has to assume one, and where items are closer it is
too sure. Random pairs do tell (docs/calibration.md), and cost little: they teach about scores, too.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from nextpair.core import look_ahead
from nextpair.core.candidates import Candidates, Choice
from nextpair.core.drawing import choose_random
from nextpair.core.full_posterior import FullPosterior

SHARE = 0.2  # of all questions


def choose(belief: FullPosterior, candidates: Candidates, rng: np.random.Generator, n: int = 1) -> list[Choice]:
    """n questions, some of them about pairs at random, of the workers who are best to ask; the others by look-ahead."""
    drawn = choose_random(belief, candidates, rng, int(rng.binomial(n, SHARE)))
    choices: list[Choice] = []
    for one in drawn:
        choices += look_ahead.choose(belief, _with(choices, _only(one, candidates)), rng, 1)
    return choices + look_ahead.choose(belief, _with(choices, candidates), rng, n - len(choices))


def _only(drawn: Choice, candidates: Candidates) -> Candidates:
    """The same pair of any worker who may be asked about it."""
    if candidates.listed is None:
        able = [w for w in candidates.askable() if candidates.allows(*drawn.pair, w)]
        rows = np.array([(*drawn.pair, -1 if w is None else w) for w in able], dtype=np.int64)
    else:
        rows = candidates.listed[(candidates.listed[:, :2] == drawn.pair).all(axis=1)]
    return replace(candidates, listed=rows)


def _with(chosen: list[Choice], candidates: Candidates) -> Candidates:
    """In view of what is chosen already: in flight, and not to be asked again."""
    if not chosen:
        return candidates
    out = tuple((choice.i, choice.j, choice.worker) for choice in chosen)
    pairs = {choice.pair for choice in chosen}
    return replace(candidates, in_flight=candidates.in_flight + out, forbidden=candidates.forbidden | pairs)
