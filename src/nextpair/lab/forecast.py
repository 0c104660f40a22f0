"""What a campaign will bring for its money, told before anybody is asked: campaigns of its size, simulated.

Nobody knows beforehand how far apart the items are, and it matters most. So there are three kinds of world: log-scores
are as far apart as campaigns assume, half as far and twice as far. A campaign of many items is stood in for by one of
`LARGEST`, with as many answers an item and a worker: its mean accuracy is nearly the same, and how far single campaigns
are from the mean shrinks as one over the root of the number of items (docs/measurements.md#forecasts).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from zlib import crc32

import numpy as np

from nextpair.campaign.amounts import beta, money, plural, positive, whole
from nextpair.core.arrays import FloatArray
from nextpair.core.model import RELIABILITY
from nextpair.core.policies import POLICIES, settled
from nextpair.errors import InvalidSetting
from nextpair.extras import save_drawn
from nextpair.lab.much import CUT, Saying
from nextpair.lab.play import ROUNDING, Beta, budget_for, noted_budgets, play
from nextpair.lab.progress import all_of
from nextpair.lab.trials import generator, one_thread
from nextpair.lab.worlds import Rules, Simulated, World, uniform_scores

LARGEST = 30  # items of a simulated campaign
FEW, MANY = 5, 60  # so many workers are all there, too; and more than that make no difference (docs/limits.md)
EACH = 20  # answers an item that are simulated, where no budget says how many
APART = {"closer together": 0.5, "as assumed": 1.0, "farther apart": 2.0}  # times what log-scores are
AGREE = dict(zip(APART, (0.57, 0.67, 0.79), strict=True))  # how often two careful workers say the same of two items
COLOURS = ("#D55E00", "#000000", "#0072B2")  # Okabe and Ito's
LIKELY = (0.1, 0.9)  # what is called likely lies between these shares of campaigns
ROWS = (1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 100)  # answers an item that a table has a row for


@dataclass(frozen=True)
class Intended:
    """What a campaign is to be. An answer costs the same of everybody; without a budget there are `EACH` an item."""

    items: int
    workers: int = 20
    budget: float | None = None
    cost: float = 1.0
    alike: bool = False  # whether every answer counts as fully reliable, and is
    reliability: Beta = RELIABILITY
    quota: int | None = None
    best: int | None = None
    policy: str = "auto"
    by_how_much: bool = False

    def __post_init__(self) -> None:
        whole("the number of items", self.items, 2)
        whole("the number of workers", self.workers, 1)
        positive("what an answer costs", self.cost)
        beta("reliability", self.reliability)
        if self.quota is not None:
            whole("the quota", self.quota, 1)
        if self.best is not None and whole("best", self.best, 1) >= self.items:
            raise InvalidSetting(f"best goes from 1 to {self.items - 1} of {self.items} items, and is not {self.best}")
        if self.by_how_much and not POLICIES[self.runs_on].hears_much:
            able = " or ".join(policy.name for policy in POLICIES.values() if policy.hears_much)
            raise InvalidSetting(f"the policy {self.runs_on} does not hear by how much one is better: choose {able}")
        if self.budget is not None:
            self._refuse_budget(positive("the budget", self.budget))

    def _refuse_budget(self, budget: float) -> None:
        if self.answers < 1:
            raise InvalidSetting(f"{money(budget)} buys no answer, if one costs {money(self.cost)}")
        if self.answers > self.most_answers:
            each = self.most_answers // self.workers
            raise InvalidSetting(
                f"{money(budget)} buys {plural(self.answers, 'answer')}, but {plural(self.workers, 'worker')} can give "
                f"{self.most_answers:,} at most, {each:,} each: take more workers, or a smaller budget"
            )

    @property
    def runs_on(self) -> str:
        """The name of the policy."""
        return settled(self.policy, self.items, self.best)

    @property
    def answers(self) -> int:
        """How many the budget buys."""
        if self.budget is None:
            return min(EACH * self.items, self.most_answers)
        return math.floor(self.budget / self.cost + ROUNDING)

    @property
    def most_answers(self) -> int:
        """How many there can be: a worker answers a pair once, and nothing beyond the quota."""
        pairs = self.items * (self.items - 1) // 2
        return self.workers * min(pairs, self.quota or pairs)

    @property
    def simulated(self) -> int:
        """The items of a campaign that stands in for it; where only the best matter, a smaller one cannot."""
        return self.items if self.best is not None else min(self.items, LARGEST)

    @property
    def share(self) -> float:
        """How large a campaign that stands in for it is."""
        return self.simulated / self.items

    @property
    def simulated_answers(self) -> int:
        return max(1, round(self.share * self.answers))

    @property
    def simulated_workers(self) -> int:
        """None where they are alike; else as many as give as many answers each, unless they are few or many."""
        if self.alike:
            return 0
        enough = math.ceil(self.simulated_answers / (self.quota or self.simulated_answers))
        return min(max(min(self.workers, FEW), round(self.share * self.workers)), max(MANY, enough))

    @property
    def times(self) -> int:
        """How often a worker may be asked the same pair: where few items stand in for many, they have too few pairs."""
        pairs = self.simulated * (self.simulated - 1) // 2
        return math.ceil(self.simulated_answers / (pairs * max(1, self.simulated_workers)))


@dataclass(frozen=True, eq=False)
class Forecast:
    """The accuracy after so many answers of each simulated campaign, by how far apart its items are."""

    intended: Intended
    answers: FloatArray
    runs: dict[str, FloatArray]  # one row a campaign

    @property
    def trials(self) -> int:
        """How many campaigns there are of each kind."""
        return len(next(iter(self.runs.values())))

    def mean(self, apart: str) -> FloatArray:
        return np.asarray(self.runs[apart].mean(axis=0))

    def likely(self, apart: str) -> tuple[FloatArray, FloatArray]:
        """Between which accuracies most campaigns are. Those of a smaller campaign are drawn nearer to the mean."""
        mean, share = self.mean(apart), math.sqrt(self.intended.share)
        low, high = np.quantile(self.runs[apart], LIKELY, axis=0)
        return mean + share * (low - mean), mean + share * (high - mean)

    def answers_for(self, accuracy: float, apart: str) -> float | None:
        """How many answers reach the accuracy on average; None where all of them do not.

        By the nearest curve that never falls: where the mean has got there by luck, it falls again.
        """
        from scipy.optimize import isotonic_regression

        return budget_for(accuracy, self.answers, isotonic_regression(self.mean(apart)).x)

    @property
    def rows(self) -> list[float]:
        """Where a table reads the curves: at round numbers of answers an item, and at the end."""
        last = float(self.answers[-1])
        return [float(each * self.intended.items) for each in ROWS if each * self.intended.items < last] + [last]


def campaign(intended: Intended, apart: float, seed: int, trial: int) -> FloatArray:
    """The accuracy at the noted budgets of one simulated campaign. Those of the same number differ only in `apart`."""
    rng = generator(seed, trial, 0)
    key, scores = int(rng.integers(1 << 62)), uniform_scores(intended.simulated, rng) ** apart
    workers = intended.simulated_workers
    reliability = rng.beta(*intended.reliability, workers) if workers else None
    world = World(scores / scores.sum(), reliability, key)
    everybody = range(workers)
    rules = Rules(
        quotas=dict.fromkeys(everybody, intended.quota) if intended.quota else {},
        times=dict.fromkeys(everybody, intended.times) if intended.times > 1 else {},
    )
    source = Simulated(world, rules)
    if intended.by_how_much:
        source = Saying(world, np.full(max(workers, 1), CUT), 0.0, rules)
    luck = generator(seed, trial, 1, crc32(intended.runs_on.encode()))
    with one_thread():
        return play(
            POLICIES[intended.runs_on], source, intended.simulated_answers, luck,
            reliability=intended.reliability, best=intended.best, aims=intended.best is not None,
        ).accuracy  # fmt: skip


def forecast(intended: Intended, trials: int, seed: int, jobs: int) -> Forecast:
    """Simulate so many campaigns of each kind of world."""
    given = [(intended, apart, seed, trial) for trial in range(trials) for apart in APART.values()]
    rows = np.array(all_of("forecast", campaign, given, jobs, what="simulated campaigns"))
    answers = noted_budgets(intended.simulated_answers)
    runs = {name: rows[number :: len(APART)] for number, name in enumerate(APART)}
    return Forecast(intended, answers / answers[-1] * intended.answers, runs)


def draw(path: Path, found: Forecast, accuracy: float | None = None) -> None:
    """Accuracy against the number of answers, a band for each kind of world."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7, 4.4), dpi=110, layout="constrained")
    axes = figure.subplots()
    for (name, share), colour in zip(AGREE.items(), COLOURS, strict=True):
        mean, (low, high) = found.mean(name), found.likely(name)
        axes.fill_between(found.answers, low, high, color=colour, alpha=0.15, linewidth=0)
        axes.plot(found.answers, mean, color=colour, linewidth=2, label=f"{name}: careful workers agree on {share:.0%}")
    if accuracy is not None:
        axes.axhline(accuracy, color="#8a8a8a", linewidth=1, linestyle=":")
    best = found.intended.best
    axes.set_ylabel("pairs in the right order" if best is None else f"share of the best {best} found")
    axes.set_xlabel("answers")
    axes.yaxis.set_major_formatter(lambda value, _: f"{value:.0%}")
    if found.intended.cost != 1:
        price = found.intended.cost
        above = axes.secondary_xaxis("top", functions=(partial(np.multiply, price), partial(np.multiply, 1 / price)))
        above.set_xlabel("cost")
    axes.legend(frameon=False, loc="lower right")
    axes.spines[["top", "right"]].set_visible(False)
    save_drawn(figure, path)
