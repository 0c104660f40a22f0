"""`nextpair lab …` as a user meets it."""

import csv
import json
import re
import shlex
import sys
from runpy import run_module
from xml.etree import ElementTree

import numpy as np
import pytest
from click.testing import CliRunner

from nextpair import Campaign
from nextpair.campaign import events
from nextpair.cli.lab import lab
from nextpair.core.policies import find_policy
from nextpair.errors import NextpairError
from nextpair.lab import reproduce as reproducing
from nextpair.lab.compare import compare
from nextpair.lab.engines import Engine
from nextpair.lab.experiments import EXPERIMENTS
from nextpair.lab.play import play
from nextpair.lab.settings import Asked, prepare
from nextpair.lab.trials import run_trials
from program import in_this_process


def call(*words):
    result = CliRunner().invoke(lab, [str(word) for word in words])
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


@pytest.fixture
def data(tmp_path):
    """Five items, three workers who are nearly always right, every pair answered by each."""
    rng = np.random.default_rng(1)
    rows = [("worker", "left", "right", "winner")]
    for worker in "uvw":
        pairs = [(i, j) for i in range(5) for j in range(i)]
        rows += [(worker, f"i{i}", f"i{j}", "left" if rng.random() < 0.95 else "right") for i, j in pairs]
    folder = tmp_path / "data"
    folder.mkdir()
    with (folder / "comparisons.csv").open("w", newline="") as file:
        csv.writer(file).writerows(rows)
    (folder / "truth.csv").write_text("item,score\n" + "".join(f"i{k},{k // 2}\n" for k in range(5)))
    return folder


def test_list_names_every_experiment():
    words = call("list").stdout
    assert all(re.search(rf"^{name} ", words, re.M) for name in EXPERIMENTS)
    assert [row["name"] for row in json.loads(call("list", "--json").stdout)] == list(EXPERIMENTS)


def test_run_prints_json_alone_on_standard_output():
    words = ("run", "homogeneous", "--items", 4, "--budget", 6, "--trials", 2, "--policies", "akg,random", "--jobs", 1)
    found = json.loads(call(*words, "--json", "--seed", 5).stdout)
    assert found["experiment"] == "homogeneous"
    assert found["settings"]["seed"] == 5
    assert set(found["curves"]) == {"akg", "random"}
    assert all(len(curve) == 3 and len(curve["accuracy"]) == 7 for curve in found["curves"].values())
    assert "after 6" in call(*words).stdout


@pytest.mark.parametrize(("items", "first"), [(300, "full-posterior"), (301, "akg")])
def test_a_replay_of_ones_own_data_has_the_policy_that_a_campaign_would_have(tmp_path, items, first):
    pairs = [(f"i{k}", f"i{k + 1}") for k in range(items - 1)]
    (tmp_path / "comparisons.csv").write_text("winner,loser\n" + "".join(f"{a},{b}\n" for a, b in pairs))
    (tmp_path / "truth.csv").write_text("item,score\n" + "".join(f"i{k},{-k}\n" for k in range(items)))
    assert prepare("replay", Asked(data=str(tmp_path))).settings.policies[0] == first


@pytest.mark.parametrize(
    "words",
    [
        ("homogeneous", "--items", 4, "--budget", 6, "--trials", 2, "--policies", "akg,random,distance"),
        ("prior-sensitivity", "--items", 3, "--workers", 3, "--budget", 4, "--trials", 2, "--policies", "random"),
        ("frequency", "--items", 4, "--budget", 6, "--trials", 2),
        ("worker-frequency", "--items", 4, "--workers", 3, "--budget", 6, "--trials", 2),
        ("timing", "--items", 4, "--trials", 1, "--policies", "akg,random"),
    ],
    ids=lambda words: words[0],
)
def test_out_gets_data_figure_and_a_page_of_its_own(tmp_path, words):
    out = tmp_path / "out"
    call("run", *words, "--jobs", 1, "--out", out)
    assert json.loads((out / "result.json").read_text())["experiment"] == words[0]
    assert len((out / "result.csv").read_text().splitlines()) > 2
    assert (out / "figure.png").read_bytes().startswith(b"\x89PNG")
    assert ElementTree.parse(out / "figure.svg").getroot().tag.endswith("svg")
    page = (out / "report.html").read_text()
    assert "<svg" in page
    assert 'name="viewport"' in page
    assert not re.search(r'(src|href)="(?!#|data:)', page)  # nothing to load


def test_the_real_study_and_replay_run_on_a_file_with_truth(data):
    for name in ("reading-homogeneous", "reading-heterogeneous", "replay"):
        words = ("run", name, "--data", data, "--trials", 2, "--policies", "akg,random", "--jobs", 1, "--json")
        found = json.loads(call(*words).stdout)
        assert found["settings"]["items"] == 5
        assert found["settings"]["budget"] == 30
        assert found["curves"]["akg"]["accuracy"][-1] > 0.85


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("run", "frequenzy"), "frequency"),
        (("run", "homogeneous", "--policies", "nobody"), "akg, .*random"),
        (("run", "homogeneous", "--policies", ","), "names no policy"),
        (("run", "homogeneous", "--items", 1), "not 1"),
        (("run", "homogeneous", "--trials", 0), "not 0"),
        (("run", "homogeneous", "--engine", "gpu"), "local, dask"),
        (
            ("run", "homogeneous", "--items", 5, "--best", 5),
            "--best goes from 1 to 4 where there are 5 items, not to 5",
        ),
        (("run", "homogeneous", "--items", 5, "--best", 0), "not to 0"),
        (("run", "batch", "--best", 2), "batch is about all items: leave --best out .*heterogeneous"),
        (("run", "frequency", "--best", 2), "leave --best out"),
        (("run", "replay", "--data", "/nowhere/x.csv"), "/nowhere/x.csv"),
        (("compare", "/nowhere.journal"), "/nowhere.journal"),
    ],
)
def test_refusals_say_what_is_known(words, said):
    with pytest.raises(NextpairError, match=said):
        call(*words)


def test_an_output_folder_that_cannot_be_made_is_refused_before_the_run(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(NextpairError, match="cannot write to --out"):
        call("run", "homogeneous", "--out", tmp_path / "file" / "x")


def test_a_missing_package_is_named_before_the_run_with_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setattr("nextpair.extras.find_spec", lambda package: None)
    for words in (("--out", tmp_path / "x"), ("--engine", "dask"), ("--jobs", 2)):
        with pytest.raises(NextpairError, match=r"pip install 'nextpair\[lab\]'"):
            call("run", "homogeneous", "--policies", "random", *words)


def test_a_refusal_is_one_line_and_exit_code_1():
    done = in_this_process("lab", "run", "homogeneous", "--items", "1")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("nextpair: homogeneous needs items from 2")
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("savings /nowhere", "/nowhere holds no finished run"),
        (
            "savings '/no where'",
            "/no where holds no finished run: make one with nextpair lab run NAME --out '/no where'",
        ),
        ("savings /nowhere --figure /nowhere/x.png", "cannot draw /nowhere/x.png: there is no folder /nowhere"),
        ("misfit /nowhere", "no comparisons found. Looked for: /nowhere/comparisons.csv"),
        ("calibration --out /nowhere/x.png", "cannot draw /nowhere/x.png"),
        ("robustness --policies nobody", "unknown policy 'nobody'"),
        ("limits --policies nobody", "unknown policy 'nobody'"),
        ("sides --leans 1,much", "--leans are numbers with commas between them, such as 0,1,-1.5, not '1,much'"),
        ("growth --sizes 10x10,3", "--sizes are ITEMSxWORKERS with 2 items at least, such as 10x10,1000x0, not '3'"),
    ],
)
def test_a_refusal_of_a_command_that_goes_by_its_module_is_one_line_too(words, said, monkeypatch):
    name, *rest = shlex.split(words)
    module = f"nextpair.lab.{name}"
    monkeypatch.delitem(sys.modules, module, raising=False)  # it runs as __main__, as python -m has it
    done = in_this_process(*rest, program=lambda: run_module(module, run_name="__main__"))
    assert done.returncode == 1
    assert done.stderr.startswith(f"nextpair: {said}")
    assert len(done.stderr.splitlines()) == 1


def campaign(tmp_path, **settings):
    rng = np.random.default_rng(0)
    items = ["a", "b", "c", "d", "e"]
    made = Campaign(items, seed=1, **{"policy": "random", **settings})
    for _ in range(12):
        question = made.ask()
        better = items.index(question.left) < items.index(question.right)
        made.tell(question.id, "left" if better ^ (rng.random() < 0.1) else "right")
    path = tmp_path / "my.journal"
    made.save(path)
    return path


@pytest.fixture
def truth(tmp_path):
    path = tmp_path / "truth.csv"
    path.write_text("item,score\na,5\nb,4\nc,3\nd,2\ne,1\n")
    return path


def test_compare_simulates_worlds_like_the_campaign(tmp_path):
    path = campaign(tmp_path, cost=0.5)
    words = ("compare", path, "--policies", "akg,relative-distance", "--trials", 4, "--jobs", 1)
    found = json.loads(call(*words, "--json").stdout)
    assert (found["policy"], found["spent"]) == ("random", 6)
    assert set(found["cost"]) == {"random", "akg", "relative-distance"}
    assert found["cost"]["random"] <= 6
    assert found["curves"]["random"]["budget"][-1] == 36
    said = call(*words, "--accuracy", 0.999, "--out", tmp_path / "out").stdout
    assert "5 items, policy random, 6 spent" in said
    assert (tmp_path / "out" / "report.html").is_file()


def test_compare_says_how_sure_the_shares_are(tmp_path):
    path, words = campaign(tmp_path), ("--policies", "distance", "--jobs", 1, "--trials")
    found = compare(path, Engine(jobs=1), policies=["distance"], trials=60)
    assert found.more("distance") == found.costs["distance"] / found.costs["random"] - 1

    def first(curve, reached):  # the spending at which the curve gets there
        there = next(k for k, accuracy in enumerate(curve) if accuracy >= reached)
        near = slice(max(0, there - 1), there + 1)
        return np.interp(reached, curve[near], found.result.budgets[near])

    rng, shares = np.random.default_rng(99), []
    for _ in range(2000):
        drawn = rng.integers(60, size=60)  # the same worlds for both
        own, other = (found.result.curves[name].trials[drawn].mean(axis=0) for name in ("random", "distance"))
        reached = np.interp(found.spent, found.result.budgets, own)
        if max(other) >= reached:
            shares.append(first(other, reached) / first(own, reached))
    assert found.stderr["distance"] == pytest.approx(np.std(shares), rel=0.25)

    assert found.as_json()["more"] == {
        "distance": {"share": found.more("distance"), "stderr": found.stderr["distance"]}
    }
    assert re.search(r"distance +[0-9.]+ \([+-][0-9]+ ± [0-9]+ %\)", call("compare", path, *words, 8).stdout)
    alone = call("compare", path, *words, 1, "--accuracy", 0.6).stdout  # one trial tells nothing of its spread
    assert re.search(r"distance +[0-9.]+ \([+-][0-9]+ %\)", alone)


def test_only_the_best_may_count(tmp_path):
    words = ("run", "homogeneous", "--items", 6, "--budget", 12, "--trials", 2, "--jobs", 1, "--best", 2)
    found = json.loads(call(*words, "--policies", "full-posterior,akg", "--json").stdout)
    assert found["settings"]["best"] == 2
    assert set(found["curves"]) == {"full-posterior", "akg", "full-posterior, best 2"}
    curves = 4 * np.array([curve["accuracy"] for curve in found["curves"].values()])
    assert (curves == np.round(curves)).all()  # of two trials, the mean share of two items
    call(*words, "--policies", "akg", "--out", tmp_path / "out")
    assert "share of the best 2 found" in (tmp_path / "out" / "figure.svg").read_text()


def test_compare_keeps_to_what_matters(tmp_path):
    path = campaign(tmp_path, policy="auto", best=2)
    found = json.loads(call("compare", path, "--policies", "random", "--trials", 3, "--jobs", 1, "--json").stdout)
    assert found["policy"] == "full-posterior, best 2"
    assert set(found["cost"]) == {"full-posterior, best 2", "full-posterior", "random"}
    assert found["settings"]["best"] == 2


def test_compare_says_that_it_leaves_a_guess_out(tmp_path):
    words = ("compare", "--policies", "random", "--trials", 3, "--jobs", 1)
    path = campaign(tmp_path, policy="auto", guess={"a": 2, "b": 1})
    assert json.loads(call(*words, path, "--json").stdout)["had_guess"] is True
    told = "Your campaign started from a guess; here every policy starts without one."
    assert told in call(*words, path).stdout
    path.unlink()
    assert told not in call(*words, campaign(tmp_path, policy="auto")).stdout


def test_compare_keeps_prices_and_replays_with_a_truth(tmp_path, truth):
    path = campaign(tmp_path, workers=["x", "y"], cost={"x": 1.0, "y": 3.0})
    found = json.loads(call("compare", path, "--policies", "akg", "--trials", 2, "--jobs", 1, "--json").stdout)
    assert found["curves"]["akg"]["budget"][-1] == 3 * found["spent"]
    words = ("compare", path, "--policies", "akg", "--trials", 2, "--jobs", 1, "--truth", truth)
    replayed = json.loads(call(*words, "--json").stdout)
    assert replayed["curves"]["akg"]["budget"][-1] == found["spent"]
    assert replayed["curves"]["akg"]["accuracy"][-1] == pytest.approx(
        replayed["curves"]["random"]["accuracy"][-1], abs=0.2
    )
    assert "replayed" in call(*words).stdout
    truth.write_text("item,score\na,5\n")
    with pytest.raises(NextpairError, match="'b'"):
        call(*words)


@pytest.mark.parametrize(
    ("words", "said"),
    [(("--policies", "nobody"), "nobody"), (("--trials", 0), "not 0"), (("--accuracy", 2), "between 0 and 1")],
)
def test_compare_refuses(tmp_path, words, said):
    with pytest.raises(NextpairError, match=said):
        call("compare", campaign(tmp_path), *words)


def with_imported(path, count, worker=None):
    """The journal begun with comparisons that cost nothing, as `nextpair serve` keeps those that it starts from."""
    created, *rest = Campaign.load(path).events
    imported = []
    for number in range(count):
        left, right = "abcde"[number % 5], "abcde"[(number + 1) % 5]
        question = f"i{number}"
        imported.append(events.Asked(question, worker, left, right, 0.0))
        imported.append(events.Answered(question, "left" if left < right else "right"))
    begun = path.with_name("with_imported.journal")  # to write over a journal is refused
    Campaign.replay([created, *imported, *rest]).save(begun)
    return begun


def test_compare_leaves_imported_answers_out_of_what_was_bought(tmp_path):
    path = with_imported(campaign(tmp_path, cost=0.5), 8)
    found = json.loads(call("compare", path, "--policies", "akg", "--trials", 4, "--jobs", 1, "--json").stdout)
    assert found["spent"] == 6
    assert found["curves"]["akg"]["budget"][-1] == 36  # three times the 12 that were paid for
    assert found["cost"]["random"] <= 6


def test_compare_prices_a_replayed_answer_by_who_gave_it(tmp_path, truth):
    path = with_imported(campaign(tmp_path, workers=["x", "y"], cost={"x": 2.0, "y": 64.0}), 5, "x")
    made = Campaign.load(path)
    made.retract("y")
    made.save(path)
    assert made.spent > 64  # of which the answers that count had a small part
    words = ("compare", path, "--policies", "akg", "--trials", 2, "--jobs", 1, "--truth", truth)
    found = json.loads(call(*words, "--json").stdout)
    everything = 2 * len(made.comparisons())
    assert found["curves"]["akg"]["budget"][-1] == everything
    assert all(cost <= everything for cost in found["cost"].values())


@pytest.mark.parametrize("workers", [None, ["x", "y"]])
def test_compare_counts_what_was_paid_whatever_answers_cost_now(tmp_path, truth, workers):
    before = campaign(tmp_path, cost=0.5, workers=workers)
    made = Campaign.load(before)
    made.set_cost(8.0)
    after = tmp_path / "dearer.journal"
    made.save(after)
    for words in ((), ("--truth", truth)):
        found = []
        for path in (before, after):
            said = call("compare", path, "--policies", "akg", "--trials", 3, "--jobs", 1, "--json", *words).stdout
            found.append(json.loads(said) | {"journal": ""})
        assert found[0] == found[1]
        assert found[0]["cost"]["random"] <= 6


def test_compare_takes_what_each_worker_cost_on_average(tmp_path, truth):
    made = Campaign(["a", "b", "c", "d", "e"], workers=["x"], cost=1.0)
    made.tell(made.ask().id, "left")
    made.set_cost(3.0)
    made.tell(made.ask().id, "left")
    made.save(tmp_path / "my.journal")
    found = compare(tmp_path / "my.journal", Engine(jobs=1), policies=["akg"], trials=1, truth=truth)
    assert found.result.job.recording.costs == {0: 2.0}
    assert found.result.budgets[-1] == 4.0


def test_compare_keeps_to_a_workers_own_quota_and_to_the_prior(tmp_path):
    made = Campaign(["a", "b", "c"], workers=[], reliability=(9.0, 1.0), policy="random")
    made.add_worker("x", quota=1)
    made.tell(made.ask().id, "left")
    made.save(tmp_path / "my.journal")
    found = compare(tmp_path / "my.journal", Engine(jobs=1), policies=["akg"], trials=5)
    assert {line.prior for line in found.result.job.lines()} == {(9.0, 1.0)}
    accuracy = found.result.curves["akg"].accuracy[found.result.budgets >= 1]
    assert len(set(accuracy.tolist())) == 1  # one answer, and no more of the three that there is money for


@pytest.mark.parametrize("replayed", [False, True])
def test_compare_knows_whom_the_campaign_knew(tmp_path, truth, replayed):
    made = Campaign(["a", "b", "c", "d", "e"], ["x", "y"], reliability={"x": (200.0, 2.0)})
    made.add_answers([("x", "a", "b", "left"), ("y", "b", "c", "left")])
    for _ in range(6):
        question = made.ask()
        made.tell(question.id, "left" if question.left < question.right else "right")
    made.save(tmp_path / "my.journal")
    more = {"truth": truth} if replayed else {}
    found = compare(tmp_path / "my.journal", Engine(jobs=1), policies=["akg"], trials=3, **more)
    assert {line.known for line in found.result.job.lines()} == {((200.0, 2.0), (4.0, 1.0))}
    if not replayed:
        crowd = found.result.job.lookalikes
        assert crowd.mu[0] / (crowd.mu[0] + crowd.nu[0]) == pytest.approx(0.99, abs=0.01)


def test_compare_knows_which_item_stood_left(tmp_path, truth):
    made = Campaign(["a", "b", "c", "d", "e"], workers=["x"])
    made.add_answers([("x", "a", "b", "left")])
    made.add_answers([("x", "b", "c", "left"), ("x", "d", "c", "right"), ("x", "e", "d", "tie")], as_shown=True)
    made.save(tmp_path / "my.journal")
    found = compare(tmp_path / "my.journal", Engine(jobs=1), policies=["akg"], trials=1, truth=truth)
    assert found.result.job.recording.answers.sides.tolist() == [0, 1, -1, 1]


def test_a_report_in_money_says_so(tmp_path, truth):
    path = campaign(tmp_path, workers=["x", "y"], cost=0.5)
    words = ("--policies", "akg", "--trials", 1, "--jobs", 1, "--truth", truth, "--out", tmp_path / "out")
    call("compare", path, *words)
    page = (tmp_path / "out" / "report.html").read_text()
    assert "6 spent" in page
    assert "answers bought" not in page


def test_compare_leaves_removed_items_out(tmp_path, truth):
    path = campaign(tmp_path, workers=["x", "y"], forbidden=[("a", "b"), ("c", "e")])
    made = Campaign.load(path)
    about_b = sum("b" in (answer.winner, answer.loser) for answer in made.comparisons())
    assert about_b
    made.remove_item("b")
    made.save(path)
    truth.write_text("item,score\na,5\nc,3\nd,2\ne,1\n")  # nobody knows how good what was withdrawn is
    replayed = compare(path, Engine(jobs=1), policies=["akg"], trials=1, truth=truth).result.job
    assert (replayed.settings.items, replayed.settings.budget) == (4, 12 - about_b)
    assert replayed.recording.truth.tolist() == [5, 3, 2, 1]
    simulated = compare(path, Engine(jobs=1), policies=["akg"], trials=1).result.job
    assert (simulated.settings.items, simulated.lookalikes.rules.forbidden) == (4, {(1, 3)})
    alpha = simulated.lookalikes.alpha
    assert alpha.size == 4
    assert alpha[0] == alpha.max()


def test_compare_asks_a_model_the_same_pairs_again_as_the_campaign_did(tmp_path):
    """Each worker was asked a pair once, so that all was over after a third of what the campaign had spent."""
    made = Campaign(["a", "b", "c"], ["gpt"], times=2)
    made.add_worker("ann", times=1)
    made.add_worker("llama", times=3)
    for _ in range(18):
        question = made.ask()
        made.tell(question.id, "left" if question.left < question.right else "right")
    made.save(tmp_path / "my.journal")
    job = compare(tmp_path / "my.journal", Engine(jobs=1), policies=["random"], trials=1).result.job
    assert job.lookalikes.rules.times == {0: 2, 2: 3}
    source = job.lookalikes.draw(np.random.default_rng(0))
    asked = play(find_policy("random"), source, job.settings.budget, np.random.default_rng(0)).asked
    assert len(asked) == 18


def test_compare_needs_answers_about_items_that_are_left(tmp_path, truth):
    made = Campaign(["a", "b", "c"], policy="random")
    question = made.ask()
    made.tell(question.id, "left")
    made.remove_item(question.left)
    made.save(tmp_path / "my.journal")
    with pytest.raises(NextpairError, match="every answer of the campaign is about an item that was removed"):
        call("compare", tmp_path / "my.journal", "--truth", truth)


def test_compare_needs_answers_that_were_paid_for_or_a_truth(tmp_path, truth):
    Campaign(["a", "b", "c", "d", "e"], cost=3.0).save(tmp_path / "imported.journal")
    path = with_imported(tmp_path / "imported.journal", 8)
    with pytest.raises(NextpairError, match="paid for no answer, its 8 were imported: .*--truth"):
        call("compare", path)
    words = ("compare", path, "--policies", "akg", "--trials", 2, "--jobs", 1, "--truth", truth)
    found = json.loads(call(*words, "--json").stdout)
    assert found["spent"] == 0
    assert 0 < found["cost"]["full-posterior"] <= 24


@pytest.mark.parametrize("amid_compiled_code", [False, True])
def test_who_stops_a_comparison_is_told_that_it_goes_on(tmp_path, monkeypatch, amid_compiled_code):
    done = []

    def interrupted(job, tasks):
        for task in tasks:
            if done and amid_compiled_code:
                raise SystemError from KeyboardInterrupt()
            if done:
                raise KeyboardInterrupt
            done.append(task)
            yield run_trials(job, *task)

    path = campaign(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(Engine, "run", lambda self, job, tasks: interrupted(job, tasks))
    words = ("compare", path, "--policies", "akg", "--trials", 2, "--jobs", 1)
    stopped = call(*words)
    assert stopped.exit_code == 130
    assert "kept: run the same command to go on" in stopped.stderr
    monkeypatch.undo()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    (kept,) = (tmp_path / "cache").rglob("*.jsonl")
    assert len(kept.read_text().splitlines()) == 1
    assert call(*words).exit_code == 0
    assert not kept.exists()


def test_compare_needs_answers(tmp_path):
    Campaign(["a", "b"]).save(tmp_path / "new.journal")
    with pytest.raises(NextpairError, match="no answers yet"):
        call("compare", tmp_path / "new.journal")


def small_plan():
    """The plan with every run shrunk: the same runs and claims in seconds."""
    sizes = {"homogeneous": (4, None, 8), "heterogeneous": (4, 3, 8), "prior-sensitivity": (4, 3, 8),
             "worker-frequency": (4, 3, 8), "optimal-gap": (3, None, 3), "frequency-close": (5, None, 8)}  # fmt: skip
    plan = []
    for planned in reproducing.PLAN:
        items, workers, budget = sizes.get(planned.experiment, (5, None, 8))
        asked = Asked() if planned.experiment == "timing" else Asked(items=items, workers=workers, budget=budget)
        if planned.experiment.startswith("reading"):
            asked = Asked(budget=8)
        plan.append(reproducing.Planned(planned.name, planned.experiment, asked, 2, 1.0))
    return tuple(plan)


def test_reproduce_judges_every_claim_and_resumes(tmp_path, data, monkeypatch):
    plan = small_plan()
    few = tuple(planned for planned in plan if planned.name in ("homogeneous-10", "reading-homogeneous", "optimal-gap"))
    monkeypatch.setattr(reproducing, "PLAN", few)
    monkeypatch.setattr("nextpair.lab.timing.SIZES", ((4, 0), (25, 0), (100, 50)))
    monkeypatch.delenv("NEXTPAIR_DATA", raising=False)
    first = call("reproduce", "--quick", "--jobs", 1, "--out", tmp_path / "all")
    assert "Left out: reading-homogeneous" in first.stdout
    assert {row["verdict"] for row in json.loads((tmp_path / "all" / "claims.json").read_text())} >= {"not run"}
    kept = {path: path.stat().st_mtime_ns for path in (tmp_path / "all").rglob("*.jsonl")}
    monkeypatch.setattr(reproducing, "PLAN", plan)
    assert not (tmp_path / "all" / "trials").exists()  # trials are kept with each experiment
    second = call("reproduce", "--quick", "--jobs", 1, "--out", tmp_path / "all", "--data", data)
    assert all(path.stat().st_mtime_ns == then for path, then in kept.items())  # no trial ran again
    verdicts = [row["verdict"] for row in json.loads((tmp_path / "all" / "claims.json").read_text())]
    assert "not run" not in verdicts
    assert "about" in second.stderr
    page = (tmp_path / "all" / "report.html").read_text()
    assert page.count("<figure>") == len(plan)
