"""What every kind of belief can do, so that a campaign can run on any of them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import Field, replace
from numbers import Integral
from typing import Any, ClassVar, Protocol, Self

import numpy as np

from nextpair.core.arrays import FloatArray, IntArray, as_codes
from nextpair.core.comparisons import Comparisons, refuse_outside
from nextpair.errors import InvalidSetting

RELIABILITY = (4.0, 1.0)  # of [CJL]: the Beta of a worker of whom nothing is known
Codes = Sequence[int] | IntArray  # dense numbers of items or workers, one a comparison


class Folding:
    """One answer is a fold of one, and one pair is of many: the half of `Model` that every belief shares."""

    def update(
        self,
        winner: int,
        loser: int,
        worker: int | None = None,
        *,
        tie: bool = False,
        side: int = 0,
        much: bool = False,
    ) -> Self:
        """The belief after one answer; `worker=None` is fully reliable, `side` and `much` as in `Comparisons`."""
        return self.fold([winner], [loser], -1 if worker is None else [worker], tie, side, much)

    def fold(
        self,
        winners: Codes,
        losers: Codes,
        workers: Codes | int = -1,
        ties: Codes | int = 0,
        sides: Codes | int = 0,
        much: Codes | int = 0,
    ) -> Self:
        """The belief after many answers in this order: the same, bit for bit, as that many updates."""
        size = {"n_items": self.n_items, "n_workers": self.n_workers}
        return self.after(Comparisons.of(winners, losers, workers, ties, sides, much, **size))

    def after(self, told: Comparisons) -> Self:
        """The same, of answers that were found to make sense."""
        raise NotImplementedError

    def with_worker(self, reliability: tuple[float, float] = RELIABILITY) -> Self:
        """One more worker with a Beta prior."""
        return self.with_workers([reliability])

    def with_workers(self, reliabilities: Sequence[tuple[float, float]]) -> Self:
        """So many more: the same, bit for bit, as one after the other."""
        raise NotImplementedError

    @property
    def n_items(self) -> int:
        raise NotImplementedError

    @property
    def n_workers(self) -> int:
        raise NotImplementedError

    def prob_above(self, i: int, j: int) -> float:
        """The probability that item i is better than item j."""
        pair = as_codes("items", [i, j])
        refuse_outside("item", pair, 0, self.n_items)
        return float(self.probs_above(pair[:1], pair[1:])[0])

    def probs_above(self, first: IntArray, second: IntArray) -> FloatArray:
        """For each pair the probability that its first item is the better one; items are not checked."""
        raise NotImplementedError


class BetaWorkers(Folding):
    """A Beta for each worker, learnt or as assumed at the start: what beliefs share that keep `mu` and `nu`."""

    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]  # every belief is a dataclass
    mu: FloatArray
    nu: FloatArray

    @property
    def n_workers(self) -> int:
        """How many workers there are; they are numbered from 0."""
        return self.mu.size

    @property
    def reliability(self) -> FloatArray:
        """The mean reliability of each worker."""
        return self.mu / (self.mu + self.nu)

    @property
    def leaning(self) -> FloatArray | None:
        """Which side items stand on does not matter here: who favours one is not known."""
        return None

    def with_workers(self, reliabilities: Sequence[tuple[float, float]]) -> Self:
        mu, nu = betas(reliabilities)
        return replace(self, mu=np.append(self.mu, mu), nu=np.append(self.nu, nu))


def alike(n_workers: int, reliability: tuple[float, float]) -> tuple[FloatArray, FloatArray]:
    """(mu, nu) of workers of whom nothing is known yet."""
    if isinstance(n_workers, bool) or not isinstance(n_workers, Integral) or n_workers < 0:
        raise InvalidSetting(f"the number of workers is a whole number from 0 up, not {n_workers!r}")
    mu, nu = betas([reliability])
    return mu.repeat(n_workers), nu.repeat(n_workers)


def betas(reliabilities: Sequence[tuple[float, float]]) -> FloatArray:
    """The mu and the nu of so many workers, as two rows."""
    try:
        pairs = [(float(mu), float(nu)) for mu, nu in reliabilities]
    except (TypeError, ValueError):  # no numbers, or not two each
        raise InvalidSetting(f"each reliability is a pair of numbers (mu, nu), not as in {reliabilities!r}") from None
    return np.array(pairs, dtype=np.float64).reshape(-1, 2).T


class WinCounts(BetaWorkers):
    """Answers as counts of wins, a tie half a win for each; every answer is believed, so workers are not learnt."""

    wins: FloatArray

    @property
    def n_items(self) -> int:
        return int(self.wins.shape[0])

    def after(self, told: Comparisons) -> Self:
        return replace(self, wins=self.wins + told.wins())

    def with_item(self) -> Self:
        return replace(self, wins=np.pad(self.wins, (0, 1)))


class Model(Protocol):
    """A frozen state of knowledge about items and workers, numbered densely from 0.

    `Belief` (moment-matched Dirichlet, [CJL]) is the first; others answer the same questions from other posteriors.
    """

    @property
    def n_items(self) -> int: ...
    @property
    def n_workers(self) -> int: ...
    @property
    def mu(self) -> FloatArray:
        """With `nu`, the Beta of each worker's reliability."""

    @property
    def nu(self) -> FloatArray: ...
    @property
    def reliability(self) -> FloatArray:
        """The mean reliability of each worker."""

    @property
    def leaning(self) -> FloatArray | None:
        """How often each worker prefers, of two equal items, the one that stands left; None where nobody knows."""

    def update(
        self,
        winner: int,
        loser: int,
        worker: int | None = None,
        *,
        tie: bool = False,
        side: int = 0,
        much: bool = False,
    ) -> Self:
        """The knowledge after one answer; `worker=None` is fully reliable, `side` and `much` as in `Comparisons`."""

    def fold(
        self,
        winners: Codes,
        losers: Codes,
        workers: Codes | int = -1,
        ties: Codes | int = 0,
        sides: Codes | int = 0,
        much: Codes | int = 0,
    ) -> Self:
        """The same, bit for bit, as that many updates in this order. Worker -1 is fully reliable.

        Only the full posterior has a use for sides, and for who is much better.
        """

    def with_item(self) -> Self:
        """One more item, about which nothing is known."""

    def with_worker(self, reliability: tuple[float, float]) -> Self:
        """One more worker with a Beta prior."""

    def with_workers(self, reliabilities: Sequence[tuple[float, float]]) -> Self:
        """So many more: the same, bit for bit, as one after the other."""

    def ranking(self) -> IntArray:
        """Item indices, best first."""

    def scores(self, without: Collection[int] = ()) -> FloatArray:
        """One number an item, in the order of the ranking.

        Where they are on a scale of all items together (0 on average, or shares of one), it is that of those that are
        not left out.
        """

    def intervals(self, level: float = 0.9, without: Collection[int] = ()) -> tuple[FloatArray, FloatArray]:
        """The credible interval of each score."""

    def prob_above(self, i: int, j: int) -> float:
        """The probability that item i is better than item j."""

    def probs_above(self, first: IntArray, second: IntArray) -> FloatArray:
        """The same for many pairs at once."""

    def prob_top(self, k: int, without: Collection[int] = ()) -> FloatArray:
        """The probability of each item to be among the k best, of those that are not left out."""

    def expected_accuracy(self) -> float:
        """The share of pairs that `ranking()` is expected to order rightly."""
