"""Simulated worlds: true scores, true reliabilities, and the answers that follow from them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from nextpair.core.arrays import FloatArray
from nextpair.core.candidates import Candidates, Choice, Pair, as_pair
from nextpair.core.model import RELIABILITY
from nextpair.lab.play import Answer

_MASK = (1 << 64) - 1


@dataclass(frozen=True)
class World:
    """True scores of items and, where workers differ, the true reliability of each. `key` fixes every answer."""

    scores: FloatArray
    reliability: FloatArray | None
    key: int

    def prefers_first(self, i: int, j: int, worker: int | None, nth: int) -> bool:
        """Whether the nth answer to (i, j) of this worker prefers i (eq. probijw1).

        It depends on the question and not on when it is asked, so that all policies of a trial meet the same answers:
        their differences are then due to what they ask and not to luck.
        """
        share = self.share(i, j)
        if worker is not None and self.reliability is not None:
            rho = self.reliability[worker]
            share = rho * share + (1 - rho) * (1 - share)
        return bool(uniform(self.key, i, j, -1 if worker is None else worker, nth) < share)

    def share(self, i: int, j: int) -> float:
        """How often a fully reliable worker prefers i to j (eq. probij)."""
        return float(self.scores[i] / (self.scores[i] + self.scores[j]))


@dataclass(frozen=True)
class Quirky(World):
    """A world in which no scores explain everything: each pair's log-odds are off by something of its own.

    What is added has a logistic distribution with this standard deviation.
    """

    off: float = 0.9

    def share(self, i: int, j: int) -> float:
        first, second = min(i, j), max(i, j)
        draw = uniform(self.key, first, second, -2)
        odds = self.scores[first] / self.scores[second] * (draw / (1 - draw)) ** (self.off * np.sqrt(3) / np.pi)
        return float(1 / (1 + 1 / odds) if i == first else 1 / (1 + odds))


def uniform(*words: int) -> float:
    """A number in [0, 1) from integers, by the mixing of splitmix64: a table of draws too large to write out."""
    state = 0
    for word in words:
        state = (state ^ (word & _MASK)) + 0x9E3779B97F4A7C15 & _MASK
        state = (state ^ state >> 30) * 0xBF58476D1CE4E5B9 & _MASK
        state = (state ^ state >> 27) * 0x94D049BB133111EB & _MASK
        state ^= state >> 31
    return (state >> 11) / (1 << 53)


def uniform_scores(n_items: int, rng: np.random.Generator) -> FloatArray:
    """Scores uniform on the simplex, as the paper draws them."""
    return rng.dirichlet(np.ones(n_items))


def normal_scores(n_items: int, rng: np.random.Generator, spread: float) -> FloatArray:
    """Log-scores that are normal with this standard deviation; under `uniform_scores` it is 1.28."""
    scores = np.exp(rng.normal(0.0, spread, n_items))
    return np.asarray(scores / scores.sum())


def drawn_world(n_items: int, n_workers: int, rng: np.random.Generator, spread: float | None = None) -> World:
    """Scores as the prior says, or normal log-scores of this spread; workers too, or none where there are 0: alike."""
    scores = uniform_scores(n_items, rng) if spread is None else normal_scores(n_items, rng, spread)
    return World(scores, rng.beta(*RELIABILITY, n_workers) if n_workers else None, int(rng.integers(1 << 62)))


def close_scores(n_items: int, rng: np.random.Generator) -> FloatArray:
    """Two worst and two best items nearly equal, all other neighbours 2 times apart, in random order."""
    levels = 2.0 ** np.arange(1.0, n_items - 1)
    scores = np.concatenate([[levels[0] / 1.02], levels, [levels[-1] * 1.02]])
    return rng.permutation(scores / scores.sum())


@dataclass(frozen=True)
class Rules:
    """What a campaign allows: what each worker costs, how many questions each takes, which pairs are never asked.

    `times`: how often a worker is asked the same pair, where it is more than once.
    """

    costs: Mapping[int, float] = field(default_factory=dict)
    quotas: Mapping[int, int] = field(default_factory=dict)
    forbidden: frozenset[Pair] = frozenset()
    times: Mapping[int, int] = field(default_factory=dict)


class Simulated:
    """A source of answers: a world that can be asked."""

    def __init__(self, world: World, rules: Rules | None = None) -> None:
        self.truth = world.scores
        self.n_items = world.scores.size
        self.n_workers = 0 if world.reliability is None else world.reliability.size
        self.world, self._rules = world, rules or Rules()
        self._workers = None if world.reliability is None else tuple(range(world.reliability.size))
        self._pairs = self.n_items * (self.n_items - 1) // 2 - len(self._rules.forbidden)
        self._seen: dict[int, set[Pair]] = {w: set() for w in range(self.n_workers)}  # of who went through all: again
        self._through: Counter[int] = Counter()  # how often each worker was asked all pairs
        self._asked: dict[Pair, int] = {}

    def candidates(self) -> Candidates:
        """Every pair of everybody; a named worker answers a pair once, or `times`, each after all others."""
        rules, workers = self._rules, self._workers
        left = {w: quota - self._load(w) for w, quota in rules.quotas.items()}
        again = {w: times * self._pairs - self._load(w) for w, times in rules.times.items()}
        if workers is not None and left:
            workers = tuple(w for w in workers if left.get(w, 1) > 0)
        return Candidates(self.n_items, workers, rules.costs, self._seen, rules.forbidden, quotas=left, left=again)

    def _load(self, worker: int) -> int:
        """How many questions the worker has answered."""
        return self._through[worker] * self._pairs + len(self._seen[worker])

    def answer(self, choice: Choice) -> Answer:
        nth = 0
        if choice.worker is None:
            nth = self._asked.get(choice.pair, 0)
            self._asked[choice.pair] = nth + 1
        else:
            nth, seen = self._through[choice.worker], self._seen[choice.worker]
            seen.add(choice.pair)
            if len(seen) == self._pairs and nth + 1 < self._rules.times.get(choice.worker, 1):
                self._through[choice.worker] += 1
                seen.clear()
        first = self.world.prefers_first(choice.i, choice.j, choice.worker, nth)
        winner, loser = (choice.i, choice.j) if first else (choice.j, choice.i)
        return Answer(winner, loser, choice.worker)


@dataclass(frozen=True, eq=False)
class Lookalikes:
    """Worlds like one's own campaign: scores and reliabilities drawn from the paper's belief, its rules kept.

    Items are renumbered at random in each, so that no policy profits from the order in which a campaign lists them.
    """

    alpha: FloatArray
    mu: FloatArray
    nu: FloatArray
    rules: Rules

    def draw(self, rng: np.random.Generator) -> Simulated:
        key = int(rng.integers(1 << 62))
        # Gamma(a) = Gamma(a + 1) U^(1/a), in logarithms: survives the tiny alpha of items that always lost
        log_scores = np.log(rng.standard_gamma(self.alpha + 1)) - rng.standard_exponential(self.alpha.size) / self.alpha
        number = rng.permutation(self.alpha.size)
        scores = np.empty(self.alpha.size)
        scores[number] = np.exp(np.maximum(log_scores - log_scores.max(), -600.0))
        reliability = rng.beta(self.mu, self.nu) if self.mu.size else None
        forbidden = frozenset(as_pair(int(number[i]), int(number[j])) for i, j in self.rules.forbidden)
        return Simulated(World(scores, reliability, key), replace(self.rules, forbidden=forbidden))
