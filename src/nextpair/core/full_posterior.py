"""The full posterior: log-scores with their covariance, and reliabilities on a grid, by expectation propagation.

Where `Belief` keeps K numbers and forgets how answers connect items, this keeps all answers and the K x K covariance:
who beat whom by way of whom, and what later answers say about earlier ones. Scores have the variance that the
logarithm of a score has under the paper's prior (uniform on the simplex: log Gamma(1), variance pi^2 / 6), unless
another is learnt.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

import numpy as np

from nextpair.core import gaussian
from nextpair.core.arrays import FloatArray, IntArray, among, frozen
from nextpair.core.comparisons import Comparisons, answers_by_worker
from nextpair.core.crowds import BINS, HYPOTHESES, crowd_grid
from nextpair.core.doubts import NEVER, claimed_cov, prob_opposite
from nextpair.core.kernels.guess import CORRELATIONS, LIKELY, guess_odds
from nextpair.core.kernels.joint import Joint, rebuild
from nextpair.core.kernels.mirror import mirror_odds
from nextpair.core.kernels.much import UNSAID
from nextpair.core.kernels.refit import absorb
from nextpair.core.kernels.spread import ASSUMED, OPEN, PRIOR_VAR
from nextpair.core.kernels.trust import judge
from nextpair.core.kernels.vouch import gave_many
from nextpair.core.model import RELIABILITY, Folding
from nextpair.core.settling import settle
from nextpair.errors import InvalidSetting

CHANGING = ("mean", "cov", "workers", "rates", "leans", "much", "spread", "faith")  # what answers change in place


@dataclass(frozen=True, eq=False)
class FullPosterior(Folding):
    """s ~ N(mean, cov) over log-scores; each worker's reliability on `nodes` with weights `workers`.

    `crowds[crowd[w]]` is what may be true of worker w's crowd (see `crowds`). `told` holds every answer as columns
    (winner, loser, worker or -1, tie, side, much), `factors` what each says (see `kernels.refit`); `refitted` is how
    many answers there were at the last refit.
    """

    mean: FloatArray
    cov: FloatArray
    priors: FloatArray  # (M, 2): the Beta of each worker before any answer
    crowd: IntArray
    crowds: FloatArray
    nodes: FloatArray
    workers: FloatArray
    told: IntArray
    factors: FloatArray
    rates: FloatArray  # how readily ties are called: by all, and by each worker (see `kernels.davidson`)
    leans: FloatArray  # to the left, in log-odds: of nobody in particular, and of each worker (see `kernels.lean`)
    much: FloatArray  # what is meant by that: by all, and by each worker (see `kernels.much`)
    spread: FloatArray  # the variance of log-scores before any answer, and that of its logarithm (see `kernels.spread`)
    guess: FloatArray  # (K,), or (0,) without one: what was guessed of each score before any answer (see `core.guess`)
    faith: FloatArray  # how likely each correlation of the guess with the scores is (see `kernels.guess`)
    refitted: int = 0

    def __post_init__(self) -> None:
        for name in ("priors", "crowds", "nodes", "factors", "guess", *CHANGING):
            values = getattr(self, name)
            if values.flags.writeable:  # what another belief has sealed is shared: a covariance may be large
                object.__setattr__(self, name, frozen(values))
        self.told.flags.writeable = False
        if self.mean.size < 2:
            raise InvalidSetting(f"a ranking needs at least 2 items, not {self.mean.size}")

    @classmethod
    def prior(
        cls,
        n_items: int,
        n_workers: int = 0,
        *,
        reliability: tuple[float, float] = RELIABILITY,
        learns_spread: bool = False,
        guess: FloatArray | None = None,
    ) -> Self:
        """Every log-score N(0, pi^2 / 6), every worker of a crowd that is declared Beta(*reliability).

        With `learns_spread` the pi^2 / 6 is where it starts, and refits learn how far apart scores are. With a `guess`
        of the scores, as normal scores, they are what that says as far as it is believed (see `core.guess`).
        """
        nothing = cls(
            np.zeros(n_items),
            np.eye(n_items) * PRIOR_VAR,
            np.empty((0, 2)),
            np.empty(0, dtype=np.int64),
            np.empty((0, HYPOTHESES, BINS)),
            np.empty((0, BINS)),
            np.empty((0, BINS)),
            np.empty((6, 0), dtype=np.int64),
            np.empty((4, 0)),
            np.zeros(1),
            np.zeros(1),
            UNSAID.copy(),
            OPEN.copy() if learns_spread else ASSUMED.copy(),
            np.empty(0) if guess is None else guess,
            np.empty((0, 2)) if guess is None else LIKELY,
        )
        return nothing._rebuilt().with_workers([reliability] * n_workers)

    def _rebuilt(self) -> Self:
        """What is known of the scores, from the guess and what answers were found to say."""
        if not self.guess.size:
            return self
        at = self.to_change(self.told)
        rebuild(self.told.shape[1], at)
        return replace(self, **at._asdict())

    @property
    def agreement(self) -> float | None:
        """The correlation of the guess with the scores, as far as answers tell; None without a guess."""
        return float((self.faith * CORRELATIONS).sum()) * (1 - 2 * self.opposite) if self.guess.size else None

    @classmethod
    def fit(
        cls,
        told: Comparisons,
        *,
        reliability: tuple[float, float] = RELIABILITY,
        on_sweep: Callable[[float], None] | None = None,
    ) -> Self:
        """The posterior of answers that are all there, in whatever order: matched again and again until nothing moves.

        It learns how far apart scores are, too, unless somebody gave many of the answers: of a few judges, careless
        ones who saw items far apart look much like careful ones who saw close ones.

        `on_sweep` hears how far the furthest score, or a standard deviation, would have moved (see `settling`): above
        SWINGS at the end if the answers of workers who contradict each other allow for more than one order, of which
        none was settled on.
        """
        factors = np.zeros((4, len(told)))
        factors[2:] = 0.5  # an answer that says nothing yet
        apart = not gave_many(answers_by_worker(told.workers, told.n_workers), len(told)).any()
        belief = replace(
            cls.prior(told.n_items, told.n_workers, reliability=reliability, learns_spread=apart),
            told=told.columns(),
            factors=factors,
        )._settled(on_sweep)
        if belief.opposite <= 0.5:
            return belief
        return min(belief, belief._turned()._settled(on_sweep), key=lambda one: one.opposite)

    def _settled(self, on_sweep: Callable[[float], None] | None) -> Self:
        at = self.to_change(self.told)
        settle(at, on_sweep)
        at.factors[3] = at.factors[2]  # none of them came first
        return replace(self, **at._asdict(), refitted=self.told.shape[1])

    def joint(self) -> Joint:
        """The arrays as kernels take them."""
        return Joint(*(getattr(self, name) for name in Joint._fields))

    def to_change(self, told: IntArray) -> Joint:
        """The same with the answers `told`, for kernels to change: what they write to is a copy."""
        room = np.zeros((4, told.shape[1] - self.factors.shape[1]))
        copies = {name: getattr(self, name).copy() for name in CHANGING}
        return self.joint()._replace(told=told, factors=np.hstack([self.factors, room]), **copies)

    def _turned(self) -> Self:
        """The mirror image: what is known if everything is the other way round."""
        precision, shift, chance, first = self.factors
        workers = judge(self.told, 1 - chance, self.nodes, self.crowd, self.crowds, self.told.shape[1])
        factors = np.stack([precision, -shift, 1 - chance, 1 - first])
        return replace(self, mean=-self.mean, workers=workers, factors=factors)

    @property
    def n_items(self) -> int:
        return self.mean.size

    @property
    def n_workers(self) -> int:
        return len(self.nodes)

    @cached_property
    def trusts(self) -> tuple[FloatArray, FloatArray]:
        """The mean of rho and of (2 rho - 1)^2, each worker."""
        share = self.workers / self.workers.sum(axis=1, keepdims=True)
        return (share * self.nodes).sum(axis=1), (share * (2 * self.nodes - 1) ** 2).sum(axis=1)

    def trust(self, worker: int | None) -> tuple[float, float]:
        """The mean of rho and of (2 rho - 1)^2 of a worker; nobody in particular (None) is fully reliable."""
        mean, power = self.trusts
        return (1.0, 1.0) if worker is None else (float(mean[worker]), float(power[worker]))

    def answers_by_worker(self) -> IntArray:
        """How many answers each worker gave."""
        return answers_by_worker(self.told[2], self.n_workers)

    @cached_property
    def _beta(self) -> FloatArray:
        """(2, M): the Beta with the mean and variance of each worker's grid; as declared while a crowd is silent."""
        mean, power = self._either_trusts
        var = np.maximum((power - (2 * mean - 1) ** 2) / 4, 0.0) + 1 / (12 * BINS**2)  # with what a bin hides
        total = np.maximum(mean * (1 - mean) / var - 1, 0.1)
        fitted = np.maximum(np.stack([mean * total, (1 - mean) * total]), 1e-9)
        silent = np.bincount(self.crowd, self.answers_by_worker(), minlength=len(self.crowds))[self.crowd] == 0
        return np.where(silent | (self.priors.min(axis=1) == 0), self.priors.T, fitted)

    @property
    def mu(self) -> FloatArray:
        return np.asarray(self._beta[0])

    @property
    def nu(self) -> FloatArray:
        return np.asarray(self._beta[1])

    @property
    def reliability(self) -> FloatArray:
        return self._either_trusts[0]

    @property
    def leaning(self) -> FloatArray:
        return np.asarray(1 / (1 + np.exp(-self.leans[1:])))

    def after(self, told: Comparisons) -> Self:
        """Refits fall due by the number of answers, so that it does not matter in which portions they come."""
        at = self.to_change(np.hstack([self.told, told.columns()]))
        refitted = absorb(self.told.shape[1], self.refitted, at)
        at.cov.flags.writeable = False
        return replace(self, **at._asdict(), refitted=refitted)

    def with_item(self, guess: float = np.nan) -> Self:
        """One more, of which nothing is known; or only what was guessed, if there is a guess of the others."""
        cov = np.pad(self.cov, (0, 1))
        cov[-1, -1] = self.spread[0]
        more = replace(self, mean=np.append(self.mean, 0.0), cov=cov)
        return replace(more, guess=np.append(self.guess, guess))._rebuilt() if self.guess.size else more

    def with_workers(self, reliabilities: Sequence[tuple[float, float]]) -> Self:
        """Each is of the crowd that is declared so, which may have members already."""
        if not reliabilities:
            return self
        n, grids = len(reliabilities), {declared: crowd_grid(*declared) for declared in dict.fromkeys(reliabilities)}
        numbers: dict[tuple[float, float], int] = {}
        tables = [self.crowds]
        for declared, (_, table) in grids.items():
            known = np.flatnonzero((self.priors == declared).all(axis=1))
            numbers[declared] = self.crowd[known[0]] if known.size else len(self.crowds) + len(tables) - 1
            tables += [] if known.size else [table[None]]
        more = replace(
            self,
            priors=np.vstack([self.priors, np.array(reliabilities, dtype=np.float64)]),
            crowd=np.append(self.crowd, [numbers[declared] for declared in reliabilities]),
            crowds=np.concatenate(tables) if len(tables) > 1 else self.crowds,
            nodes=np.vstack([self.nodes, *(grids[declared][0] for declared in reliabilities)]),
            workers=np.vstack([self.workers, *(grids[declared][1].sum(axis=0) for declared in reliabilities)]),
            rates=np.append(self.rates, np.full(n, self.rates[0])),
            leans=np.append(self.leans, np.zeros(n)),
            much=np.hstack([self.much, np.tile(self.much[:, :1], n)]),
        )
        heard = np.bincount(self.crowd, self.answers_by_worker(), minlength=len(more.crowds))[more.crowd] > 0
        heard[: self.n_workers] = False
        if not heard.any():
            return more
        # what the answers of its crowd say about a newcomer is known now, and not at the next refit only
        judged = judge(self.told, self.factors[2], more.nodes, more.crowd, more.crowds, self.told.shape[1])
        return replace(more, workers=np.where(heard[:, None], judged, more.workers))

    @cached_property
    def claimed_cov(self) -> FloatArray:
        """The covariance that claims rest on: with the doubt about workers and, if learnt, about the spread."""
        return claimed_cov(self.joint())

    @cached_property
    def opposite(self) -> float:
        """The probability that everything is the other way round: scores turned, and who seems right is wrong."""
        if not self.n_workers:
            return 0.0
        odds = mirror_odds(self.told, self.mean, self.nodes, self.crowd, self.crowds, self.leans, self.much)
        if self.guess.size:
            odds += guess_odds(self.mean, self.spread[0], self.guess)
        return 0.0 if odds < NEVER else prob_opposite(odds, self.mean, self.claimed_cov)

    @cached_property
    def _either_trusts(self) -> tuple[FloatArray, FloatArray]:
        """`trusts` over both orders. In the opposite one, answers say the opposite of workers, not what is expected."""
        if self.opposite == 0:
            return self.trusts
        both = zip(self.trusts, self._turned().trusts, strict=True)
        mean, power = (here + self.opposite * (there - here) for here, there in both)
        return mean, power

    @cached_property
    def _told(self) -> tuple[FloatArray, float]:
        """(mean, doubt): the log-scores as they are told, turned round if that is likelier, and how likely not so."""
        return (self.mean, self.opposite) if self.opposite <= 0.5 else (-self.mean, 1 - self.opposite)

    def scores(self, without: Collection[int] = ()) -> FloatArray:
        """The mean of each log-score, less their average: only differences can be learnt. Rounding noise becomes 0."""
        mean, _ = self._told
        return np.asarray(np.round(mean - mean[among(self.n_items, without)].mean(), 12) + 0.0)

    def ranking(self) -> IntArray:
        return gaussian.ranking(self._told[0])

    def intervals(self, level: float = 0.9, without: Collection[int] = ()) -> tuple[FloatArray, FloatArray]:
        var = gaussian.centred_var(self.claimed_cov, without)
        return gaussian.intervals(self.scores(without), var, level, self._told[1])

    def probs_above(self, first: IntArray, second: IntArray) -> FloatArray:
        mean, doubt = self._told
        above = gaussian.prob_above(mean[first] - mean[second], gaussian.gap_var(self.claimed_cov, first, second))
        return above + doubt * (1 - 2 * above)

    @cached_property
    def _tops(self) -> dict[tuple[int, frozenset[int]], FloatArray]:
        """What `prob_top` has drawn: a campaign that looks for the best few asks for it again and again."""
        return {}

    def prob_top(self, k: int, without: Collection[int] = ()) -> FloatArray:
        of = (k, frozenset(without))
        if of not in self._tops:
            mean, doubt = self._told
            root = np.asarray(np.linalg.cholesky(self.claimed_cov), dtype=np.float64)
            top = gaussian.prob_top(mean, root, k, without)
            if doubt > 0:
                top = top + doubt * (gaussian.prob_top(-mean, root, k, without) - top)
            self._tops[of] = frozen(top)
        return self._tops[of]

    def expected_accuracy(self) -> float:
        right = gaussian.mean_certainty(self.mean, self.claimed_cov)
        return right + self._told[1] * (1 - 2 * right)
