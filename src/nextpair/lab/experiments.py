"""The experiments, each declared once: what the paper did, as defaults that switches may change."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from nextpair.core.arrays import FloatArray
from nextpair.core.model import RELIABILITY
from nextpair.core.policies import POLICIES
from nextpair.lab.play import Beta
from nextpair.lab.worlds import close_scores, uniform_scores


@dataclass(frozen=True)
class Settings:
    """A run's settings, all known and checked."""

    items: int
    workers: int  # 0: workers are alike, nobody in particular is asked
    budget: float  # a whole number of answers, or money where workers have costs
    trials: int
    policies: tuple[str, ...]
    seed: int
    data: str | None  # the name of the recording that is replayed
    best: int | None = None  # how many of the best matter; None: the order of all
    drawn: bool = False  # whether each replay draws its workers from those of the recording


@dataclass(frozen=True)
class Line:
    """One curve: a policy, and what is special about its belief, its world or its batches."""

    label: str
    policy: str
    panel: str = ""  # where it is drawn; without one, everywhere
    prior: Beta = RELIABILITY  # what the policy takes a new worker for
    known: tuple[Beta, ...] = ()  # and each of the workers, where they are no strangers
    crowd: Beta = RELIABILITY  # what workers are drawn from
    batch: int = 1
    short: str = ""  # the label inside its panel, where it can be shorter
    estimator: str = ""  # what ranks the answers, where it is not the policy's own belief
    aims: bool = False  # whether the policy is told that only the best matter
    luck: str = ""  # lines of the same luck draw the same random numbers; the label's own where empty


def aiming(policy: str, best: int | None) -> str:
    """The label of a policy that is told that only the best so many matter."""
    return policy if best is None else f"{policy}, best {best}"


def by_policy(settings: Settings, prior: Beta = RELIABILITY, known: tuple[Beta, ...] = ()) -> tuple[Line, ...]:
    """One line a policy, and where only the best matter another of each that can be told so."""
    lines = [Line(policy, policy, prior=prior, known=known) for policy in settings.policies]
    if settings.best is not None:
        able = [policy for policy in settings.policies if POLICIES[policy].aims]
        lines += [Line(aiming(policy, settings.best), policy, prior=prior, known=known, aims=True) for policy in able]
    return tuple(lines)


def by_prior(settings: Settings) -> tuple[Line, ...]:
    """Workers from three distributions, each with the true prior and with the generic one."""
    lines = []
    for mu, nu in ((10.0, 1.0), (2.0, 1.0), (5.0, 2.0)):
        crowd, panel = (mu, nu), f"workers from Beta({mu:g},{nu:g})"
        for policy in settings.policies:
            for prior, words in ((crowd, "true prior"), (RELIABILITY, "prior Beta(4,1)")):
                short = words if len(settings.policies) == 1 else f"{policy}, {words}"
                label = f"{policy}, {panel}, {words}"
                lines.append(Line(label, policy, panel, prior=prior, crowd=crowd, short=short))
    return tuple(lines)


def by_batch(settings: Settings) -> tuple[Line, ...]:
    """One question at a time, against batches chosen with one belief: a panel for each size of batch."""
    lines = [Line(f"{name}, one at a time", name) for name in settings.policies[:1]]  # in every panel
    for size in (5, 20, 100):
        panel = f"{size} at a time"
        lines += [Line(f"{name}, {panel}", name, panel, batch=size, short=name) for name in settings.policies]
    return tuple(lines)


def by_estimator(settings: Settings) -> tuple[Line, ...]:
    """The same answers of each policy, ranked by its own belief and by static estimators: what is due to which?"""
    lines: list[Line] = []
    for policy in settings.policies:
        for name in ("", "bradley-terry-map", "rank-centrality"):
            by = name or "its own belief"
            label, panel = f"{policy}, ranked by {by}", f"the answers that {policy} bought"
            lines.append(Line(label, policy, panel, short=by, estimator=name, luck=policy))
    return tuple(lines)


def beta_crowd(n_workers: int, rng: np.random.Generator, line: Line) -> FloatArray:
    return rng.beta(*line.crowd, n_workers)


def even_crowd(n_workers: int, rng: np.random.Generator, line: Line) -> FloatArray:
    """Reliabilities from 0.4 to 1, evenly spaced."""
    return np.linspace(0.4, 1.0, n_workers)


@dataclass(frozen=True)
class Experiment:
    """A named comparison of policies, with the paper's settings as defaults."""

    name: str
    title: str
    paper: str  # what of the paper it reproduces
    policies: tuple[str, ...]
    items: int = 10
    workers: int = 0
    budget_per_item: float = 10
    trials: int = 100
    fewest_items: int = 2
    most_items: int = 10_000
    largest: Mapping[str, int] = field(default_factory=dict)  # policies left out by default above so many items
    lines: Callable[[Settings], tuple[Line, ...]] = by_policy
    scores: Callable[[int, np.random.Generator], FloatArray] = uniform_scores
    crowd: Callable[[int, np.random.Generator, Line], FloatArray] = beta_crowd
    tally: Literal["", "pairs", "workers"] = ""  # what to count besides accuracy
    replays: bool = False
    by_worker: bool = True  # in a replay: ask a named worker
    folder: str = ""  # in a replay: the data set's folder and the files to try in it
    files: tuple[str, ...] = ("comparisons.csv",)
    timing: bool = False

    @property
    def takes_best(self) -> bool:
        """Whether only the best may count in it: it is about policies alone, and about nothing but accuracy."""
        return self.lines is by_policy and not self.tally and not self.timing

    def for_size(self, items: int) -> tuple[str, ...]:
        """The policies by default where there are so many items."""
        return tuple(policy for policy in self.policies if items <= self.largest.get(policy, items))

    def default_budget(self, items: int) -> int:
        return max(1, round(self.budget_per_item * items))


COMPARED = ("full-posterior", "akg", "crowd-bt", "random")  # where it is about one's own data
SIX = ("akg", "random", "distance", "adaptive-polling", "centrality-random", "centrality-akg")
READING = ("comparisons_trusted217.csv", "comparisons.csv")
POLLING = {"adaptive-polling": 25}  # the paper, too, leaves it out above this size

EXPERIMENTS = {
    experiment.name: experiment
    for experiment in (
        Experiment(
            "homogeneous", "Accuracy against budget, workers alike", "Figure 1", SIX, largest=POLLING,
        ),
        Experiment(
            "frequency", "How often each pair is asked, by true rank", "Figure 2", ("akg",), tally="pairs",
        ),
        Experiment(
            "frequency-close", "The same, with the two worst and the two best items nearly equal", "Figure 3", ("akg",),
            tally="pairs", scores=close_scores, fewest_items=5,
        ),
        Experiment(
            "heterogeneous", "Accuracy against budget, workers of different reliability", "Figure 4",
            ("akg", "random", "crowd-bt"), workers=10,
        ),
        Experiment(
            "prior-sensitivity", "A generic prior of workers against the true one", "Figures 5 and 6", ("akg",),
            workers=10, lines=by_prior,
        ),
        Experiment(
            "worker-frequency", "How much work goes to workers of reliability 0.4 to 1", "Figure 7", ("akg",),
            workers=15, budget_per_item=25, tally="workers", crowd=even_crowd,
        ),
        Experiment(
            "timing", "Seconds to choose one question", "Tables 1 and 2", ("akg", "adaptive-polling", "crowd-bt"),
            timing=True, trials=5,
        ),
        Experiment(
            "reading-homogeneous", "The real study of reading difficulty, workers taken for alike", "Figure 8 (a)",
            ("akg", "random", "centrality-random", "centrality-akg"), replays=True, by_worker=False,
            folder="reading_difficulty", files=READING,
        ),
        Experiment(
            "reading-heterogeneous", "The real study of reading difficulty, choosing workers too", "Figure 8 (b)",
            ("akg", "random", "crowd-bt"), replays=True, folder="reading_difficulty", files=READING,
        ),
        Experiment(
            "replay", "Any comparisons file with truth, replayed", "beyond the paper", COMPARED,
            largest={"full-posterior": 300}, replays=True, trials=10,
        ),
        Experiment(
            "batch", "Many questions at a time: the top of the list, or each in view of the others", "beyond the paper",
            ("akg", "akg-pending"), items=50, trials=20, lines=by_batch,
        ),
        Experiment(
            "estimators", "The same answers, ranked in different ways", "beyond the paper", ("akg", "random"),
            lines=by_estimator,
        ),
        Experiment(
            "optimal-gap", "How far from the best possible policy, in tiny cases", "computed but left out of the paper",
            ("optimal", "akg", "random"), items=4, most_items=4, budget_per_item=2, trials=1000,
        ),
    )
}  # fmt: skip
