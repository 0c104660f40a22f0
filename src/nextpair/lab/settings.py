"""What a run is made of, checked before anything runs."""

from __future__ import annotations

from dataclasses import dataclass, replace
from difflib import get_close_matches

import numpy as np

from nextpair.core.policies import find_policy
from nextpair.errors import InvalidSetting
from nextpair.lab.experiments import EXPERIMENTS, Experiment, Line, Settings
from nextpair.lab.recording import Recording, find_recording
from nextpair.lab.worlds import Lookalikes


@dataclass(frozen=True)
class Asked:
    """The switches of a run as given; None stands for the experiment's default."""

    items: int | None = None
    workers: int | None = None
    budget: int | None = None
    trials: int | None = None
    policies: tuple[str, ...] | None = None
    seed: int = 0
    data: str | None = None
    best: int | None = None
    drawn: bool = False


@dataclass(frozen=True)
class Job:
    """All that a trial needs, wherever it runs."""

    declared: Experiment
    settings: Settings
    recording: Recording | None = None  # what is replayed
    lookalikes: Lookalikes | None = None  # or what worlds are drawn from, where the experiment does not say

    @property
    def experiment(self) -> str:
        return self.declared.name

    @property
    def in_money(self) -> bool:
        """Whether the budget is money, which workers cost, and not a number of answers."""
        return bool((self.recording and self.recording.costs) or (self.lookalikes and self.lookalikes.rules.costs))

    def lines(self) -> tuple[Line, ...]:
        return self.declared.lines(self.settings)


def find_experiment(name: str) -> Experiment:
    """The experiment of that name."""
    if name in EXPERIMENTS:
        return EXPERIMENTS[name]
    near = get_close_matches(name, EXPERIMENTS, 1)
    hint = f" Did you mean {near[0]!r}?" if near else ""
    raise InvalidSetting(f"unknown experiment {name!r}.{hint} The experiments are: {', '.join(EXPERIMENTS)}")


def prepare(name: str, asked: Asked) -> Job:
    """The job of an experiment with these switches, or a refusal that says what is wrong with them."""
    experiment = find_experiment(name)
    policies = asked.policies or ()
    for policy in policies:
        find_policy(policy)
    if len(set(policies)) < len(policies):
        raise InvalidSetting(f"a policy is named twice in {', '.join(policies)}")
    trials = experiment.trials if asked.trials is None else asked.trials
    if trials < 1:
        raise InvalidSetting(f"at least 1 trial is needed, not {trials}")
    if asked.seed < 0:
        raise InvalidSetting(f"a seed is a whole number from 0 on, not {asked.seed}")
    prepared = _prepare_replay if experiment.replays else _prepare_simulation
    job = prepared(experiment, asked, trials)
    return job if asked.best is None else _with_best(job, asked.best)


def _with_best(job: Job, best: int) -> Job:
    items = job.settings.items
    if not job.declared.takes_best:
        able = [experiment.name for experiment in EXPERIMENTS.values() if experiment.takes_best]
        raise InvalidSetting(f"{job.experiment} is about all items: leave --best out ({', '.join(able)} take it)")
    if not 0 < best < items:
        raise InvalidSetting(f"--best goes from 1 to {items - 1} where there are {items} items, not to {best}")
    return replace(job, settings=replace(job.settings, best=best))


def _prepare_simulation(experiment: Experiment, asked: Asked, trials: int) -> Job:
    name = experiment.name
    if asked.data is not None:
        raise InvalidSetting(f"{name} simulates its answers: leave --data out (replay and reading-* take it)")
    if asked.drawn:
        raise InvalidSetting(f"{name} draws its workers in any case: leave --drawn out (replay takes it)")
    items = experiment.items if asked.items is None else asked.items
    if items < experiment.fewest_items or items > experiment.most_items:
        most = "" if experiment.most_items >= 10_000 else f" to {experiment.most_items}"
        raise InvalidSetting(f"{name} needs items from {experiment.fewest_items}{most}, not {items}")
    if experiment.workers == 0 and asked.workers:
        raise InvalidSetting(f"in {name} all workers are alike: leave --workers out")
    workers = experiment.workers if asked.workers is None else asked.workers
    if workers < 0 or (experiment.workers and workers < 1):
        raise InvalidSetting(f"{name} needs at least 1 worker, not {workers}")
    budget = experiment.default_budget(items) if asked.budget is None else asked.budget
    _refuse_budget(budget)
    most_answers = items * (items - 1) // 2 * workers
    if workers and budget > most_answers and asked.budget is None:
        budget = most_answers
    if workers and budget > most_answers:
        raise InvalidSetting(
            f"a budget of {budget} cannot be spent: {workers} workers who answer each of {items * (items - 1) // 2} "
            f"pairs at most once give {most_answers} answers"
        )
    policies = asked.policies or experiment.for_size(items)
    return Job(experiment, Settings(items, workers, budget, trials, policies, asked.seed, None))


def _prepare_replay(experiment: Experiment, asked: Asked, trials: int) -> Job:
    if asked.items is not None:
        raise InvalidSetting(f"in {experiment.name} items come from the data: leave --items out")
    if asked.workers is not None and not experiment.by_worker:
        raise InvalidSetting(f"in {experiment.name} workers are taken for alike: leave --workers out")
    if asked.budget is not None:
        _refuse_budget(asked.budget)
    recording = find_recording(asked.data, experiment.folder, experiment.files)
    workers = _replayed_workers(recording, asked)
    if not asked.drawn:
        recording = recording.of_busiest(workers) if asked.workers else recording
    given = len(recording.answers)
    who = "the data hold"
    if asked.drawn:  # whoever is drawn must be able to spend it
        given = int(np.sort(recording.answers_by_worker())[:workers].sum())
        who = f"the {workers} workers who gave the fewest gave"
    budget = given if asked.budget is None else asked.budget
    if budget > given:
        raise InvalidSetting(f"a budget of {budget} cannot be spent: {who} {given} answers")
    items = recording.answers.n_items
    policies = asked.policies or experiment.for_size(items)
    crowd = workers if experiment.by_worker else 0
    settings = Settings(items, crowd, budget, trials, policies, asked.seed, recording.name, drawn=asked.drawn)
    return Job(experiment, settings, recording)


def _replayed_workers(recording: Recording, asked: Asked) -> int:
    """How many workers of a recording each replay has."""
    most = recording.answers.n_workers
    if asked.workers is None and asked.drawn:
        raise InvalidSetting(f"--drawn needs --workers: how many of the {most} of the data each replay draws")
    if asked.workers is not None and not 0 < asked.workers <= most:
        raise InvalidSetting(f"--workers goes from 1 to the {most} of the data, not to {asked.workers}")
    return most if asked.workers is None else asked.workers


def _refuse_budget(budget: int) -> None:
    if budget < 1:
        raise InvalidSetting(f"the budget must be at least 1 answer, not {budget}")
