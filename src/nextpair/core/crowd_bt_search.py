"""Which questions Crowd-BT asks among very many workers: the same as if all were worked out, in a fraction of the time.

Workers come in order of p, and those of the same mu, nu and cost are one kind. Of a run of kinds it is known what each
pair can be worth at most (`ceilings`). The run that promises most is halved, with the pairs that can still be the best,
until single kinds are left, whose gains are worked out exactly; what no longer promises enough is never looked at.
"""

from __future__ import annotations

from heapq import heappop, heappush
from itertools import count
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from nextpair.core.arrays import BoolArray, FloatArray, IntArray
from nextpair.core.candidates import Candidates, Choice, just_below
from nextpair.core.kernels.crowd_bt import ceilings, gains, pair_chances, worker_part

if TYPE_CHECKING:
    from nextpair.core.crowd_bt import CrowdBtBelief


class Kind(NamedTuple):
    """Workers of whom the same is believed, and who cost the same."""

    mu: float
    nu: float
    cost: float
    workers: list[int]

    @property
    def p(self) -> float:
        return self.mu / (self.mu + self.nu)


class Run(NamedTuple):
    """Of the kinds from `start` to `end`: the pairs that may be the best, and what each is worth at most."""

    start: int
    end: int
    spots: IntArray
    most: FloatArray


class Hits(NamedTuple):
    """The pairs that are worth the most to a kind, and how much."""

    kind: Kind
    spots: IntArray
    worth: FloatArray


class Search:
    """The pairs that may be asked, and who may be asked them."""

    def __init__(self, belief: CrowdBtBelief, candidates: Candidates) -> None:
        assert candidates.workers is not None
        self.belief, self.workers, n = belief, candidates.workers, candidates.n_items
        self.rows, self.columns = np.nonzero(np.triu(candidates.open_pairs(None), 1))
        self.up, self.c1 = pair_chances(belief.mean, belief.var, self.rows, self.columns)
        kinds: dict[tuple[float, float, float], list[int]] = {}
        for w in self.workers:
            kinds.setdefault((float(belief.mu[w]), float(belief.nu[w]), candidates.cost(w)), []).append(w)
        self.kinds = sorted((Kind(*key, some) for key, some in kinds.items()), key=lambda kind: kind.p)
        self.parts = np.array([worker_part(kind.mu, kind.nu, belief.gamma) for kind in self.kinds])
        numbers = self.rows * n + self.columns
        self.seen = {
            w: np.flatnonzero(np.isin(numbers, [i * n + j for i, j in candidates.seen[w]]))
            for w in self.workers
            if candidates.seen.get(w)
        }

    def choose(self, rng: np.random.Generator, n: int) -> list[Choice]:
        """The n questions worth most per unit of cost, no pair twice, equal ones drawn at random."""
        free = np.ones(self.rows.size, dtype=np.bool_)
        choices: list[Choice] = []
        while len(choices) < n and (found := self._draw(self._best(free), rng)) is not None:
            worker, spot, worth = found
            choices.append(Choice(int(self.rows[spot]), int(self.columns[spot]), worker, worth))
            free[spot] = False
        return choices

    def _best(self, free: BoolArray) -> list[Hits]:
        """All questions that count as equal to the best."""
        best, found = -np.inf, []
        turn = count()  # of two runs that promise the same, the one that came first
        waiting: list[tuple[float, int, Run]] = []

        def await_turn(run: Run) -> None:
            if run.spots.size:
                heappush(waiting, (-float(run.most.max()), next(turn), run))

        await_turn(self._run(0, len(self.kinds), np.flatnonzero(free)))
        while waiting and -waiting[0][0] >= just_below(best):
            run = heappop(waiting)[2]
            spots = run.spots[run.most >= just_below(best)]
            if run.end - run.start > 1:
                middle = (run.start + run.end) // 2
                await_turn(self._run(run.start, middle, spots))
                await_turn(self._run(middle, run.end, spots))
            elif (hits := self._exactly(self.kinds[run.start], spots, best)).spots.size:
                best = max(best, float(hits.worth.max()))
                found.append(hits)
        return [_near(hits, best) for hits in found]

    def _run(self, start: int, end: int, spots: IntArray) -> Run:
        kinds = self.kinds[start:end]
        most = ceilings(
            self.belief.var,
            self.rows[spots],
            self.columns[spots],
            self.up[spots],
            self.c1[spots],
            kinds[0].p,
            kinds[-1].p,
            self.parts[start:end].max(axis=0),
        )
        return Run(start, end, spots, most / min(kind.cost for kind in kinds))

    def _exactly(self, kind: Kind, spots: IntArray, best: float) -> Hits:
        """What the pairs are worth that somebody of this kind has not seen."""
        looks = np.zeros(self.rows.size, dtype=np.int64)
        for worker in kind.workers:
            looks[self.seen.get(worker, [])] += 1
        spots = spots[looks[spots] < len(kind.workers)]
        if not spots.size:
            return Hits(kind, spots, np.empty(0))
        floor, belief = just_below(best) * kind.cost, self.belief
        rows, columns = self.rows[spots], self.columns[spots]
        worth = gains(belief.mean, belief.var, rows, columns, kind.mu, kind.nu, belief.gamma, floor) / kind.cost
        return _near(Hits(kind, spots, worth), max(best, float(worth.max())))

    def _draw(self, hits: list[Hits], rng: np.random.Generator) -> tuple[int, int, float] | None:
        """(worker, spot, worth) of one of them. Counted worker by worker and pair by pair: there may be millions."""
        of = {worker: some for some in hits for worker in some.kind.workers}
        asked = [worker for worker in self.workers if worker in of]
        left = {w: ~np.isin(of[w].spots, self.seen[w]) for w in asked if w in self.seen}
        ends = np.cumsum([left[w].sum() if w in left else of[w].spots.size for w in asked])
        if not ends.size:
            return None
        draw = int(rng.integers(ends[-1]))
        place = int(np.searchsorted(ends, draw, side="right"))
        worker, number = asked[place], draw - int(ends[place])  # counted from the end
        some = of[worker]
        may = left.get(worker, slice(None))
        return worker, int(some.spots[may][number]), float(some.worth[may][number])


def _near(hits: Hits, best: float) -> Hits:
    near = hits.worth >= just_below(best)
    return Hits(hits.kind, hits.spots[near], hits.worth[near])
