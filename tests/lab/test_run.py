"""Runs: the same curves wherever they run, resumed where they stopped, refused before they start."""

import json
import os
import signal
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from nextpair.core.comparisons import Comparisons
from nextpair.core.model import RELIABILITY
from nextpair.errors import InvalidFile, InvalidSetting
from nextpair.lab import engines
from nextpair.lab import run as running
from nextpair.lab.checkpoint import Checkpoint
from nextpair.lab.claims import CLAIMS, ahead_when_money_is_short
from nextpair.lab.engines import Engine
from nextpair.lab.experiments import EXPERIMENTS, by_policy
from nextpair.lab.figures import spread_out
from nextpair.lab.play import budget_for
from nextpair.lab.progress import Progress, in_words
from nextpair.lab.recording import Recording
from nextpair.lab.report import as_csv
from nextpair.lab.reproduce import PLAN, command_of
from nextpair.lab.run import run
from nextpair.lab.settings import Asked, Job, prepare
from nextpair.lab.trials import generator, make_source, run_trial

SMALL = Asked(items=5, budget=12, trials=7, policies=("akg", "random"), seed=3)
SERIAL = Engine(jobs=1)


@pytest.fixture(scope="module")
def serial():
    return json.dumps(run(prepare("homogeneous", SMALL), SERIAL).as_json())


def test_two_processes_give_the_serial_result_bit_for_bit(serial):
    assert json.dumps(run(prepare("homogeneous", SMALL), Engine(jobs=2)).as_json()) == serial


def test_a_dask_cluster_gives_the_serial_result_bit_for_bit(serial):
    from distributed import LocalCluster

    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:
        by_address = Engine("dask", scheduler=cluster.scheduler_address)
        assert json.dumps(run(prepare("homogeneous", SMALL), by_address).as_json()) == serial
        crowd = Asked(items=4, workers=3, budget=10, trials=4, policies=("akg", "crowd-bt"))
        job = prepare("heterogeneous", crowd)
        assert json.dumps(run(job, by_address).as_json()) == json.dumps(run(job, SERIAL).as_json())


def test_a_scheduler_that_is_not_there_is_named(monkeypatch):
    monkeypatch.setattr(engines, "CONNECT_SECONDS", 0.5)
    with pytest.raises(InvalidSetting, match="tcp://127.0.0.1:9"):
        list(Engine("dask", scheduler="tcp://127.0.0.1:9").run(prepare("homogeneous", SMALL), []))


def suicide(job, line, numbers):
    os.kill(os.getpid(), signal.SIGKILL)


def test_a_killed_process_is_told_plainly(monkeypatch):
    monkeypatch.setattr(engines, "run_trials", suicide)
    job = prepare("homogeneous", SMALL)
    with pytest.raises(InvalidSetting, match="killed.*Finished trials are kept"):
        list(Engine(jobs=2).run(job, running.missing_tasks(job, (), 2)))


def test_another_seed_gives_other_curves_and_other_policies_change_nothing(serial):
    curves = json.loads(serial)["curves"]
    other = run(prepare("homogeneous", Asked(items=5, budget=12, trials=7, policies=("random",), seed=4)), SERIAL)
    same = run(prepare("homogeneous", Asked(items=5, budget=12, trials=7, policies=("random",), seed=3)), SERIAL)
    assert other.as_json()["curves"]["random"] != curves["random"]
    assert same.as_json()["curves"]["random"] == curves["random"]


def test_the_mean_and_standard_error_are_those_of_the_trials(serial):
    job = prepare("homogeneous", SMALL)
    line = job.lines()[0]
    rows = np.array([run_trial(job, line, number).accuracy for number in range(7)])
    curve = json.loads(serial)["curves"]["akg"]
    assert curve["budget"] == list(range(13))
    assert curve["accuracy"] == pytest.approx([np.mean(column) for column in rows.T])
    assert curve["stderr"] == pytest.approx([np.std(column, ddof=1) / 7**0.5 for column in rows.T])


def test_one_trial_has_no_standard_error_and_the_json_stays_valid():
    result = run(prepare("homogeneous", Asked(items=4, budget=3, trials=1, policies=("random",))), SERIAL)
    text = json.dumps(result.as_json(), allow_nan=False)
    assert json.loads(text)["curves"]["random"]["stderr"] == [None] * 4
    assert as_csv(result).splitlines()[0] == "experiment,line,budget,accuracy,stderr"


class StopAfter:
    """An engine that is interrupted after so many batches."""

    width = 1

    def __init__(self, batches):
        self.batches = batches

    def run(self, job, tasks):
        for number, trials in enumerate(SERIAL.run(job, tasks)):
            if number == self.batches:
                raise KeyboardInterrupt
            yield trials


def test_an_interrupted_run_keeps_its_trials_and_goes_on(tmp_path, serial, monkeypatch):
    job = prepare("homogeneous", SMALL)
    with pytest.raises(KeyboardInterrupt):
        run(job, StopAfter(5), tmp_path)
    checkpoint = Checkpoint(tmp_path, job)
    kept = checkpoint.load(job)
    assert 0 < len(kept) < 14
    with checkpoint.path.open("a") as file:
        file.write('{"line": "akg", "trial": 6, "accur')  # torn by the interruption
    started = []
    whole = running.missing_tasks
    monkeypatch.setattr(running, "missing_tasks", lambda *args: started.extend(whole(*args)) or whole(*args))
    assert json.dumps(run(job, SERIAL, tmp_path).as_json()) == serial
    assert sum(len(numbers) for _, numbers in started) == 14 - len(kept)
    assert len(checkpoint.load(job)) == 14


def test_without_a_folder_trials_wait_in_the_cache_until_the_run_is_done(tmp_path, serial, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    job = prepare("homogeneous", SMALL)
    with pytest.raises(KeyboardInterrupt):
        run(job, StopAfter(5))
    assert len(list(tmp_path.rglob("*.jsonl"))) == 1
    assert json.dumps(run(job, SERIAL).as_json()) == serial
    assert not list(tmp_path.rglob("*.jsonl"))


@pytest.mark.parametrize("home", ["/proc/nowhere", ""])
def test_what_cannot_be_kept_is_refused_before_the_first_trial(monkeypatch, home):
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setenv("HOME", home)
    if not home:
        monkeypatch.setattr(Path, "home", no_home)
    with pytest.raises(InvalidSetting, match=r"name a folder with --out, or one for caches in XDG_CACHE_HOME"):
        run(prepare("homogeneous", SMALL), StopAfter(0))


def no_home():
    raise RuntimeError("Could not determine home directory.")


def test_a_full_disk_names_the_file_and_loses_no_trial(tmp_path, monkeypatch):
    job = prepare("homogeneous", SMALL)
    with pytest.raises(KeyboardInterrupt):
        run(job, StopAfter(2), tmp_path)
    path = Checkpoint(tmp_path, job).path
    kept = path.read_bytes()
    checkpoint = Checkpoint(tmp_path, job)
    found = checkpoint.load(job)
    monkeypatch.setattr(Path, "open", full)
    with pytest.raises(InvalidFile, match=r"jsonl: no space left on device. Put that right, and run the same"):
        checkpoint.add(found.values())
    monkeypatch.undo()
    assert path.read_bytes() == kept


def full(*_, **__):
    raise OSError(28, "No space left on device")


def test_trials_of_other_costs_sides_or_priors_are_not_taken_over(tmp_path):
    settings = prepare("homogeneous", SMALL).settings
    paths = []
    for sides, costs, prior in (
        ([1, -1], {0: 1.0}, RELIABILITY),
        ([1, 1], {0: 1.0}, RELIABILITY),
        ([1, -1], {0: 2.0}, RELIABILITY),
        ([1, -1], {0: 1.0}, (9.0, 1.0)),
    ):
        told = Comparisons.of([0, 1], [1, 2], [0, 0], sides=sides)
        experiment = replace(EXPERIMENTS["replay"], lines=partial(by_policy, prior=prior))
        job = Job(experiment, settings, Recording("mine", told, np.arange(3.0), costs))
        paths.append(Checkpoint(tmp_path, job).path)
    assert len(set(paths)) == 4


def test_trials_of_another_setting_or_other_data_are_not_taken_over(tmp_path):
    one = prepare("homogeneous", SMALL)
    other = prepare("homogeneous", Asked(items=5, budget=12, trials=7, policies=("akg", "random"), seed=4))
    more = prepare("homogeneous", Asked(items=5, budget=12, trials=9, policies=("random",), seed=3))
    paths = [Checkpoint(tmp_path, job).path for job in (one, other, more)]
    assert paths[0] != paths[1]
    assert paths[0] == paths[2]


@pytest.mark.parametrize(
    ("name", "asked", "words"),
    [
        ("homogenous", {}, "Did you mean 'homogeneous'.*heterogeneous.*replay"),
        ("homogeneous", {"policies": ("akg", "agk")}, "'agk'.*akg, .*random"),
        ("homogeneous", {"policies": ("akg", "akg")}, "twice"),
        ("homogeneous", {"items": 1}, "items from 2, not 1"),
        ("homogeneous", {"trials": 0}, "1 trial is needed, not 0"),
        ("homogeneous", {"budget": 0}, "at least 1 answer, not 0"),
        ("homogeneous", {"workers": 3}, "leave --workers out"),
        ("homogeneous", {"seed": -1}, "seed"),
        ("homogeneous", {"data": "x"}, "leave --data out"),
        ("heterogeneous", {"workers": 0}, "at least 1 worker, not 0"),
        ("heterogeneous", {"items": 3, "workers": 2, "budget": 7}, "give 6 answers"),
        ("frequency-close", {"items": 4}, "from 5, not 4"),
        ("optimal-gap", {"items": 5}, "from 2 to 4, not 5"),
        ("replay", {"items": 5}, "come from the data"),
        ("reading-homogeneous", {"workers": 5}, "taken for alike: leave --workers out"),
        ("replay", {"budget": 0}, "at least 1 answer"),
    ],
)
def test_impossible_settings_are_refused_before_anything_runs(name, asked, words):
    with pytest.raises(InvalidSetting, match=words):
        prepare(name, Asked(**asked))


@pytest.mark.parametrize(
    ("name", "words"), [("moon", "local, dask"), ("local", "needs --engine dask")], ids=["name", "scheduler"]
)
def test_engines_are_refused_likewise(name, words):
    with pytest.raises(InvalidSetting, match=words):
        Engine(name, scheduler="tcp://x:1")


def test_defaults_are_the_papers():
    settings = prepare("homogeneous", Asked()).settings
    assert (settings.items, settings.budget, settings.trials, len(settings.policies)) == (10, 100, 100, 6)
    hundred = prepare("homogeneous", Asked(items=100)).settings
    assert hundred.budget == 1000
    assert "adaptive-polling" not in hundred.policies
    work = prepare("worker-frequency", Asked()).settings
    assert (work.items, work.workers, work.budget) == (10, 15, 250)
    assert prepare("heterogeneous", Asked(items=3, workers=2)).settings.budget == 6


def test_every_claim_is_about_a_planned_run_and_every_plan_can_be_prepared():
    names = {planned.name for planned in PLAN}
    assert {name for claim in CLAIMS for name in claim.runs} <= names
    assert {planned.experiment for planned in PLAN} == set(EXPERIMENTS) - {"replay"}
    for planned in PLAN:
        if not EXPERIMENTS[planned.experiment].replays:
            for quick in (True, False):
                prepare(planned.experiment, planned.switches(quick, 0, None))


@pytest.mark.parametrize("planned", [p for p in PLAN if not EXPERIMENTS[p.experiment].replays], ids=lambda p: p.name)
@pytest.mark.parametrize("quick", [True, False])
def test_the_command_beside_a_run_repeats_it(planned, quick):
    words = command_of(planned, quick, 7).split()[4:]
    said = dict(zip((word.removeprefix("--") for word in words[::2]), words[1::2], strict=True))
    policies = tuple(said.pop("policies").split(",")) if "policies" in said else None
    again = prepare(planned.experiment, Asked(**{name: int(value) for name, value in said.items()}, policies=policies))
    assert again == prepare(planned.experiment, planned.switches(quick, 7, None))


def test_a_replay_can_be_of_those_who_gave_the_most_answers(tmp_path):
    rows = ["worker,left,right,winner", *["ann,a,b,left"] * 3, *["ben,b,c,left"] * 1, *["cho,a,c,right"] * 2]
    (tmp_path / "comparisons.csv").write_text("\n".join(rows))
    (tmp_path / "truth.csv").write_text("item,score\na,3\nb,2\nc,1\n")
    job = prepare("replay", Asked(workers=2, data=str(tmp_path)))
    assert job.settings.workers == 2
    assert job.settings.budget == 5
    told = job.recording.answers
    assert sorted(zip(told.winners.tolist(), told.losers.tolist(), told.workers.tolist(), strict=True)) == [
        *[(0, 1, 0)] * 3,
        *[(2, 0, 1)] * 2,
    ]
    with pytest.raises(InvalidSetting, match="1 to the 3 of the data, not to 4"):
        prepare("replay", Asked(workers=4, data=str(tmp_path)))
    with pytest.raises(InvalidSetting, match="1 to the 3 of the data, not to 0"):
        prepare("replay", Asked(workers=0, data=str(tmp_path)))


def some_recording(path):
    """Eight workers, the k-th of whom gave k + 2 answers."""
    rows = [f"w{k},i{n},i{n + 1},left" for k in range(8) for n in range(k + 2)]
    (path / "comparisons.csv").write_text("\n".join(["worker,left,right,winner", *rows]))
    (path / "truth.csv").write_text("\n".join(["item,score", *(f"i{n},{-n}" for n in range(11))]))
    return str(path)


def test_each_replay_can_be_among_workers_drawn_anew(tmp_path):
    job = prepare("replay", Asked(workers=3, drawn=True, budget=6, trials=40, data=some_recording(tmp_path)))
    crowds = [make_source(job, job.lines()[0], generator(0, number, 0)) for number in range(40)]
    assert all(crowd.n_workers == 3 for crowd in crowds)
    given = [np.bincount(crowd.candidates().listed[:, 2], minlength=3).tolist() for crowd in crowds]
    assert {answers for crowd in given for answers in crowd} == set(range(2, 10))  # everybody is drawn some time
    assert all(len(set(crowd)) == 3 for crowd in given)  # and nobody twice
    again = make_source(job, job.lines()[0], generator(0, 5, 0))
    assert np.array_equal(again.candidates().listed, crowds[5].candidates().listed)


def test_workers_are_drawn_only_where_that_can_be(tmp_path):
    data = some_recording(tmp_path)
    assert prepare("replay", Asked(workers=3, drawn=True, data=data)).settings.budget == 2 + 3 + 4
    with pytest.raises(InvalidSetting, match="10 cannot be spent: the 3 workers who gave the fewest gave 9 answers"):
        prepare("replay", Asked(workers=3, drawn=True, budget=10, data=data))
    with pytest.raises(InvalidSetting, match="how many of the 8 of the data"):
        prepare("replay", Asked(drawn=True, data=data))
    with pytest.raises(InvalidSetting, match="leave --drawn out"):
        prepare("heterogeneous", Asked(drawn=True))


def test_costs_stay_with_their_workers_where_only_the_busiest_are_replayed():
    told = Comparisons.of([0, 0, 1, 1, 2], [1, 1, 2, 2, 0], [0, 2, 2, 1, 1], n_items=3, n_workers=3)
    kept = Recording("mine", told, np.arange(3.0), {0: 1.0, 1: 2.0, 2: 5.0}).of_busiest(2)
    assert kept.costs == {0: 2.0, 1: 5.0}
    assert np.bincount(kept.answers.workers).tolist() == [2, 2]
    nobody = Comparisons.of([0, 0], [1, 2], [-1, 0], n_items=3, n_workers=1)
    assert len(Recording("mine", nobody, np.arange(3.0)).of_busiest(1).answers) == 1


def test_tallies_count_every_answer():
    pairs = run(prepare("frequency", Asked(items=5, budget=12, trials=3)), SERIAL)
    assert pairs.curves["akg"].tally.sum() == pytest.approx(24)
    work = run(prepare("worker-frequency", Asked(items=4, workers=3, budget=9, trials=3)), SERIAL)
    assert work.curves["akg"].tally.sum() == pytest.approx(9)
    assert set(work.as_json()) == {"experiment", "settings", "curves", "asked_workers"}


def test_labels_are_moved_apart_and_stay_below_the_top():
    assert spread_out([0.5, 0.5, 0.9], 0.1, 1.0) == pytest.approx([0.5, 0.6, 0.9])
    assert spread_out([0.95, 0.96], 0.1, 1.0) == pytest.approx([0.9, 1.0])


def test_the_cost_of_an_accuracy_is_read_off_the_curve():
    budgets, curve = np.array([0.0, 10, 20]), np.array([0.5, 0.7, 0.8])
    assert budget_for(0.75, budgets, curve) == pytest.approx(15)
    assert budget_for(0.5, budgets, curve) == 0
    assert budget_for(0.4, budgets, curve) == 0
    assert budget_for(0.9, budgets, curve) is None


def test_the_cost_of_an_accuracy_is_where_the_curve_first_has_it():
    budgets = np.array([0.0, 10, 20, 30, 40])
    assert budget_for(0.7, budgets, np.array([0.5, 0.7, 0.7, 0.7, 0.9])) == 10  # and not the end of a plateau
    assert budget_for(0.7, budgets, np.array([0.5, 0.8, 0.6, 0.7, 0.9])) == pytest.approx(20 / 3)
    assert budget_for(0.8, budgets, np.array([0.5, 0.7, 0.6, 0.9, 0.9])) == pytest.approx(20 + 20 / 3)


class Screen:
    def __init__(self, tty):
        self.text, self.tty = "", tty

    def isatty(self):
        return self.tty

    def write(self, text):
        self.text += text

    def flush(self):
        pass


@pytest.mark.parametrize("tty", [True, False])
def test_progress_is_told_only_after_two_seconds(tty):
    now, screen = [0.0], Screen(tty)
    progress = Progress("x", 10, 2, stream=screen, clock=lambda: now[0])
    now[0] = 1.0
    progress.advance(2)
    assert screen.text == ""
    now[0] = 4.0
    progress.advance(2)
    progress.close()
    assert "x: 6 of 10 trials, about 4 s left" in screen.text


def test_durations_in_words():
    assert [in_words(s) for s in (0.2, 45, 600, 12000)] == ["1 s", "45 s", "10 min", "3 h 20 min"]


@pytest.mark.parametrize(("early", "late", "verdict"), [
    (0.1, 0.1, "holds"), (0.1, -0.1, "holds in part"), (-0.1, -0.1, "does not hold"), (0, 0, "cannot be told apart"),
])  # fmt: skip
def test_a_lead_that_is_lost_by_the_end_is_not_the_whole_claim(early, late, verdict):
    result = run(prepare("homogeneous", SMALL), SERIAL)
    noise = np.random.default_rng(0).normal(0.0, 0.01, (2, *result.curves["akg"].trials.shape))
    noise -= noise.mean(axis=1, keepdims=True)
    lead = np.where(np.arange(noise.shape[2]) < noise.shape[2] // 3, early, late)
    curves = {name: replace(result.curves[name], trials=0.7 + noise[k] + (lead if name == "akg" else 0.0))
              for k, name in enumerate(("akg", "random"))}  # fmt: skip
    assert ahead_when_money_is_short(replace(result, curves=curves)).verdict == verdict
