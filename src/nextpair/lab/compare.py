"""What other policies would have cost: one's own campaign again, simulated or replayed under each of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import fsum, isnan, nan
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np

from nextpair.campaign.campaign import Campaign
from nextpair.campaign.events import WorkerAdded
from nextpair.core.arrays import IntArray, frozen
from nextpair.core.belief import Belief
from nextpair.core.candidates import as_pair
from nextpair.core.comparisons import Comparisons
from nextpair.core.policies import find_policy
from nextpair.errors import InvalidFile, InvalidSetting
from nextpair.lab.engines import Engine
from nextpair.lab.experiments import COMPARED, Experiment, Line, Settings, aiming, by_policy
from nextpair.lab.play import Beta, budget_for
from nextpair.lab.recording import Recording
from nextpair.lab.run import Result, plain, run
from nextpair.lab.settings import Job
from nextpair.lab.trials import resampled
from nextpair.lab.worlds import Lookalikes, Rules
from nextpair.store.scores import read_truth
from nextpair.store.streams import open_source

HORIZON = 3  # how many times the campaign's spending is simulated, to see when slower policies get there


@dataclass(frozen=True, eq=False)
class Compared:
    """Each policy's curve, and what it costs to be as right as the campaign's own policy was for what it spent."""

    journal: str
    own: str
    spent: float
    target: float
    result: Result
    costs: dict[str, float | None]  # None: not reached within what was simulated
    stderr: dict[str, float]  # of the cost as a share of the own policy's; nan where that cannot be said
    had_guess: bool = False  # the campaign started from a guess, and the policies here do not

    def as_json(self) -> dict[str, Any]:
        data = self.result.as_json()
        known = {label: None if cost is None else plain(round(cost, 9)) for label, cost in self.costs.items()}
        return {
            "journal": self.journal, "policy": self.own, "spent": plain(self.spent), "target_accuracy": self.target,
            "settings": data["settings"], "cost": known, "more": self._more(), "curves": data["curves"],
            "had_guess": self.had_guess,
        }  # fmt: skip

    def _more(self) -> dict[str, dict[str, float | None]]:
        found = {label: (self.more(label), self.stderr[label]) for label in self.costs if label != self.own}
        return {
            label: {"share": share, "stderr": None if isnan(error) else error}
            for label, (share, error) in found.items()
            if share is not None
        }

    def more(self, label: str) -> float | None:
        """How much more than the campaign's own policy another one costs, as a share of that."""
        cost, own = self.costs[label], self.costs[self.own]
        return cost / own - 1 if cost is not None and own else None


def compare(
    journal: Path,
    engine: Engine,
    *,
    policies: Sequence[str] | None = None,
    trials: int = 100,
    seed: int = 0,
    accuracy: float | None = None,
    truth: Path | None = None,
) -> Compared:
    """Run a campaign's own situation under several policies.

    Without `truth` worlds are drawn from what the paper's belief makes of its answers, and each policy is simulated in
    them; with it, each policy chooses among the answers that the campaign got. Removed items are left out of both, and
    so is a guess.
    """
    campaign = Campaign.load(journal)
    names = tuple(dict.fromkeys([campaign.settings.policy, *(policies or COMPARED)]))
    own = aiming(campaign.settings.policy, campaign.best)
    _refuse(names, trials, accuracy, campaign, simulated=truth is None)
    job = _replay_job(campaign, truth, names, trials, seed) if truth else _simulation_job(campaign, names, trials, seed)
    result = run(job, engine)
    # where workers are alike the curves run over answers, else over money
    price = 1.0 if campaign.worker_names else _costs(campaign)[None]
    bought = job.settings.budget if truth else campaign.spent / price
    found = {label: curve.trials for label, curve in result.curves.items()}

    def costs(sample: IntArray | slice) -> tuple[float, dict[str, float | None]]:
        mean = {label: rows[sample].mean(axis=0) for label, rows in found.items()}
        target = accuracy or float(np.interp(bought, result.budgets, mean[own]))
        return target, {label: budget_for(target, result.budgets, curve) for label, curve in mean.items()}

    target, needed = costs(slice(None))
    shares = [_shares(costs(sample)[1], own) for sample in (resampled(trials, seed) if trials > 1 else ())]
    paid = {label: None if cost is None else cost * price for label, cost in needed.items()}
    errors = {label: _spread([share[label] for share in shares]) for label in paid}
    had_guess = campaign.settings.guess is not None
    return Compared(journal.name, own, campaign.spent, target, result, paid, errors, had_guess)


def _shares(costs: Mapping[str, float | None], own: str) -> dict[str, float]:
    """What each costs as a share of one's own; nan where one of the two is not reached."""
    base = costs[own] or nan
    return {label: nan if cost is None else cost / base for label, cost in costs.items()}


def _spread(shares: Sequence[float]) -> float:
    known = [share for share in shares if not isnan(share)]
    return float(np.std(known)) if known else nan


def _costs(campaign: Campaign) -> dict[str | None, float]:
    """What an answer of each worker cost on average, for costs change on the way; of those who were paid for none, what
    it costs now. None is nobody in particular.
    """
    costs: dict[str | None, float] = {None: campaign.cost}
    costs.update((name, campaign.terms(name)[1]) for name in campaign.worker_names)
    paid: dict[str | None, list[float]] = {}
    for answer in campaign.comparisons():
        if cost := campaign.question(answer.question).cost:  # else it was imported
            paid.setdefault(answer.worker, []).append(cost)
    return costs | {worker: fmean(prices) for worker, prices in paid.items()}


def _refuse(
    names: tuple[str, ...], trials: int, accuracy: float | None, campaign: Campaign, *, simulated: bool
) -> None:
    for name in names:
        find_policy(name)
    if trials < 1:
        raise InvalidSetting(f"at least 1 trial is needed, not {trials}")
    if accuracy is not None and not 0 < accuracy < 1:
        raise InvalidSetting(f"the accuracy to reach lies between 0 and 1, not at {accuracy}")
    if not campaign.comparisons():
        raise InvalidSetting("the campaign has no answers yet: there is nothing to compare with")
    if simulated and not campaign.spent:
        raise InvalidSetting(
            f"the campaign paid for no answer, its {len(campaign.comparisons())} were imported: with a truth "
            "(--truth FILE) policies can choose among them, but there is no spending to simulate"
        )


def _kept(campaign: Campaign) -> list[str]:
    """The items that the ranking is about."""
    removed = set(campaign.removed_items)
    return [name for name in campaign.items if name not in removed]


def _coded(campaign: Campaign, items: Sequence[str]) -> Comparisons:
    """The campaign's answers about these items, on dense integers."""
    item = {name: number for number, name in enumerate(items)}
    worker = {name: number for number, name in enumerate(campaign.worker_names)}
    rows = [
        (
            item[c.winner], item[c.loser], -1 if c.worker is None else worker[c.worker], int(c.tie),
            {c.winner: 1, c.loser: -1, None: 0}[c.left], int(c.much),
        )
        for c in campaign.comparisons()
        if c.winner in item and c.loser in item
    ]  # fmt: skip
    if not rows:
        raise InvalidSetting("every answer of the campaign is about an item that was removed: bring it back first")
    return Comparisons.of(*np.array(rows, dtype=np.int64).T, n_items=len(item), n_workers=len(worker))


def _declared(campaign: Campaign) -> list[Beta]:
    """What each worker was taken for when they joined."""
    joined = [event for event in campaign.events if isinstance(event, WorkerAdded)]
    own = {event.worker: event.reliability for event in joined if event.reliability is not None}
    return [own.get(name, campaign.settings.reliability) for name in campaign.worker_names]


def _times(campaign: Campaign) -> dict[int, int]:
    """How often each worker may be asked the same pair, where it is more than once."""
    own = {event.worker: event.times for event in campaign.events if isinstance(event, WorkerAdded)}
    times = [own.get(name) or campaign.settings.times or 1 for name in campaign.worker_names]
    return {w: often for w, often in enumerate(times) if often > 1}


def _lines(campaign: Campaign) -> Callable[[Settings], tuple[Line, ...]]:
    """A line a policy, each of which starts from what the campaign started from."""
    prior, declared = campaign.settings.reliability, tuple(_declared(campaign))
    return partial(by_policy, prior=prior, known=declared if set(declared) - {prior} else ())


def _simulation_job(campaign: Campaign, names: tuple[str, ...], trials: int, seed: int) -> Job:
    settings, answers, workers = campaign.settings, _coded(campaign, campaign.items), campaign.worker_names
    belief = Belief.prior(len(campaign.items), 0).with_workers(list(_declared(campaign)))
    belief = belief.fold(answers.winners, answers.losers, answers.workers, answers.ties)
    items = _kept(campaign)
    item = {name: number for number, name in enumerate(items)}
    costs, times = _costs(campaign), _times(campaign)
    unlimited = len(item) ** 2 * max(times.values(), default=1)
    rules = Rules(
        costs={w: costs[name] for w, name in enumerate(workers)},
        quotas={
            w: 0 if campaign.is_retracted(name) else campaign.terms(name)[0] or unlimited
            for w, name in enumerate(workers)
        },
        forbidden=frozenset(as_pair(item[a], item[b]) for a, b in settings.forbidden if a in item and b in item),
        times=times,
    )
    alpha = belief.alpha[[name in item for name in campaign.items]]
    lookalikes = Lookalikes(alpha, belief.mu, belief.nu, rules)
    budget = plain(HORIZON * (campaign.spent if workers else round(campaign.spent / costs[None])))
    title = f"{items[0]} … {items[-1]}"
    experiment = Experiment(
        "compare", title, "your campaign, simulated", names, workers=len(workers), lines=_lines(campaign)
    )
    asked = Settings(len(item), len(workers), budget, trials, names, seed, None, campaign.best)
    return Job(experiment, asked, lookalikes=lookalikes)


def _replay_job(campaign: Campaign, truth: Path, names: tuple[str, ...], trials: int, seed: int) -> Job:
    with open_source(str(truth)) as source:
        scores, _ = read_truth(source)
    items = _kept(campaign)
    missing = [name for name in items if name not in scores]
    if missing:
        raise InvalidFile(f"item {missing[0]!r} of the campaign has no score in {truth}")
    answers, workers = _coded(campaign, items), campaign.worker_names
    costs = _costs(campaign)
    by_code = {w: costs[name] for w, name in enumerate(workers)}
    recording = Recording("journal", answers, frozen([scores[name] for name in items]), by_code)
    experiment = Experiment(
        "compare", "your campaign", "your campaign, replayed", names, replays=True, by_worker=bool(workers),
        lines=_lines(campaign),
    )  # fmt: skip
    budget = plain(round(fsum(by_code[w] for w in answers.workers.tolist()), 9)) if workers else len(answers)
    asked = Settings(answers.n_items, len(workers), budget, trials, names, seed, "journal", campaign.best)
    return Job(experiment, asked, recording)
