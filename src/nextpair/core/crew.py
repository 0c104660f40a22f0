"""Whom to keep to where there are more workers than can be got to know: a crew.

What an answer tells of a pair grows with (2 rho - 1)^2 of who gave it. Of a worker who is never known it is heard for
(2 E[rho] - 1)^2 of that; of one who is, for E[(2 rho - 1)^2] in the end, and the best of them are asked again. Among
thousands of workers who differ, a campaign that goes by the worth of single answers asks a stranger nearly every time
and never learns whom to believe. So where at least a fifth of an answer's worth hangs on knowing who gave it, no more
than CREW workers are in play at a time; strangers come in when somebody in play has no time left or turns out to
tell little, and those first who can tell the most: what an answer of theirs may tell, times how many they can give.

Where workers turn out to be much alike, nothing hangs on it, and the more there are the better: their errors are their
own. What a crew is worth in simulated crowds, and how little on real ones, is in docs/limits.md and
docs/real-crowds.md.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from nextpair.core.arrays import FloatArray, IntArray
from nextpair.core.candidates import Candidates

CREW = 40  # workers in play at a time; fewer in all are all in play
KNOWN = 0.8  # (2 E[rho] - 1)^2 over E[(2 rho - 1)^2]: who loses less than a fifth by not being known is no stranger
TELLING = 0.5  # of what a stranger may tell per unit of cost: who tells less does not count as in play


def keep_to_crew(
    candidates: Candidates, asked: IntArray, mean: FloatArray, power: FloatArray, size: int = CREW
) -> Candidates:
    """The candidates without the strangers who are not wanted now.

    `asked` is how often each worker was asked, `mean` their E[rho], `power` their E[(2 rho - 1)^2].
    """
    if candidates.workers is None or len(candidates.workers) <= size:
        return candidates
    who = np.array(candidates.workers)
    room = candidates.room()
    strange = (asked[who] == 0) & ((2 * mean[who] - 1) ** 2 < KNOWN * power[who])
    if not strange.any():
        return candidates
    telling = power[who] / np.array([candidates.cost(worker) for worker in candidates.workers])
    in_play = ~strange & (room > 0) & (telling >= TELLING * telling[strange].max())
    wanted = size - int(in_play.sum())
    if wanted <= 0:
        return _of(candidates, who[~strange])
    in_all = telling * room
    least = np.sort(in_all[strange])[::-1][:wanted].min()
    return _of(candidates, who[~strange | (in_all >= least)])


def _of(candidates: Candidates, workers: IntArray) -> Candidates:
    return replace(candidates, workers=tuple(workers.tolist()))
