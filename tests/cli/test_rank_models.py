"""`nextpair rank --model`: every estimator, and what is left out where a model does not say how sure it is."""

import json
import re

import numpy as np
import pytest
from click.testing import CliRunner
from scipy.special import expit

from nextpair.cli.main import cli
from nextpair.core.comparisons import Comparisons
from nextpair.core.full_posterior import FullPosterior
from nextpair.core.settling import SETTLED
from nextpair.inference import ESTIMATORS

ROWS = ["a,b,x", "a,b,y", "b,a,x", "b,c,y", "b,c,x", "c,b,y", "a,c,x", "a,c,y", "c,a,y", "a,c,z"]


@pytest.fixture
def answers(tmp_path):
    path = tmp_path / "answers.csv"
    path.write_text("winner,loser,worker\n" + "\n".join(ROWS) + "\n")
    return str(path)


@pytest.mark.parametrize("model", ESTIMATORS)
def test_every_model_ranks(answers, model):
    found = json.loads(CliRunner().invoke(cli, ["rank", answers, "--model", model, "--json"]).stdout)
    assert [row["item"] for row in found["ranking"]] == ["a", "b", "c"]
    model = "full-posterior" if model == "auto" else model
    sure = model in ("full-posterior", "dirichlet")
    assert found["model"] == model
    assert (found["expected_accuracy"] is not None) == sure
    assert all((row["low"] is not None) == sure for row in found["ranking"])
    assert sorted(row["worker"] for row in found["workers"]) == (
        ["x", "y", "z"] if model in ("full-posterior", "dirichlet", "crowd-bt") else []
    )


def test_tables_and_csv_leave_out_what_is_not_known(answers):
    table = CliRunner().invoke(cli, ["rank", answers, "--model", "borda"]).stdout
    assert "nan" not in table
    assert "Expected accuracy" not in table
    lines = CliRunner().invoke(cli, ["rank", answers, "--model", "borda", "--csv"]).stdout.splitlines()
    assert lines[1].startswith("1,a,0.7")
    assert lines[1].endswith(",,")


def test_the_order_of_rows_does_not_matter(answers, tmp_path):
    backwards = tmp_path / "backwards.csv"
    backwards.write_text("winner,loser,worker\n" + "\n".join(reversed(ROWS)) + "\n")
    one, other = (
        json.loads(CliRunner().invoke(cli, ["rank", path, "--json"]).stdout) for path in (answers, str(backwards))
    )
    assert one["model"] == other["model"] == "full-posterior"
    assert [row["item"] for row in one["ranking"]] == [row["item"] for row in other["ranking"]]
    for row, same in zip(one["ranking"], other["ranking"], strict=True):
        assert row["score"] == pytest.approx(same["score"], abs=1e-5)


def test_much_is_ranked_by_the_belief_that_takes_rows_one_by_one(answers, monkeypatch):
    monkeypatch.setattr("nextpair.inference.estimators.MOST_SECONDS", 0.0)
    result = CliRunner().invoke(cli, ["rank", answers, "--json"])
    found = json.loads(result.stdout)
    assert found["model"] == "dirichlet"
    assert sum(row["score"] for row in found["ranking"]) == pytest.approx(1)
    assert "order of the file" not in result.stderr
    table = CliRunner().invoke(cli, ["rank", answers]).stdout
    assert "; model dirichlet (full-posterior would take longer: --model full-posterior).\n" in table
    assert "Scores sum to one: twice as much means preferred two times out of three." in table
    assert "; model dirichlet.\n" in CliRunner().invoke(cli, ["rank", answers, "--model", "dirichlet"]).stdout


def test_much_that_is_sorted_is_ranked_as_if_it_were_not(tmp_path, monkeypatch):
    """All wins of one item after the other, as a database exports them."""
    monkeypatch.setattr("nextpair.inference.estimators.MOST_SECONDS", 0.0)
    rng, names = np.random.default_rng(0), "abcdefghij"
    pairs = [rng.choice(10, 2, replace=False) for _ in range(4000)]
    rows = [(i, j) if rng.random() < expit(0.7 * (j - i)) else (j, i) for i, j in pairs]  # a is the best
    path, truth = tmp_path / "sorted.csv", tmp_path / "truth.csv"
    path.write_text("winner,loser\n" + "".join(f"{names[i]},{names[j]}\n" for i, j in sorted(rows)))
    truth.write_text("item,score\n" + "".join(f"{name},{-k}\n" for k, name in enumerate(names)))
    words = ["rank", str(path), "--truth", str(truth), "--json"]
    found = json.loads(CliRunner().invoke(cli, words).stdout)
    assert found["model"] == "dirichlet"
    assert found["truth"]["accuracy"] > 0.95
    as_it_stands = CliRunner().invoke(cli, [*words, "--model", "dirichlet"])
    assert json.loads(as_it_stands.stdout)["truth"]["accuracy"] < 0.9
    told = re.search(r"In a random one ([0-9.]+)% of pairs come out the other way round", as_it_stands.stderr)
    assert float(told[1]) > 10
    path.write_text("winner,loser\n" + "".join(f"{names[i]},{names[j]}\n" for i, j in rows))
    as_they_came = CliRunner().invoke(cli, [*words, "--model", "dirichlet"])
    assert json.loads(as_they_came.stdout)["truth"]["accuracy"] > 0.95
    assert "In a random one" not in as_they_came.stderr


def test_workers_who_contradict_each_other_are_told_of(tmp_path):
    """One is always right and one nearly always wrong: which is which cannot be known."""
    rng = np.random.default_rng(0)
    scores, lines = rng.normal(0, 1.3, 8), ["winner,loser,worker"]
    for _ in range(2000):
        i, j = rng.choice(8, 2, replace=False)
        who = rng.integers(2)
        right = rng.random() < (1.0, 0.02)[who]
        first = (rng.random() < expit(scores[i] - scores[j])) == right
        lines.append(f"{i},{j},{who}" if first else f"{j},{i},{who}")
    path = tmp_path / "contradictions.csv"
    path.write_text("\n".join(lines) + "\n")
    result = CliRunner().invoke(cli, ["rank", str(path)])
    assert result.exit_code == 0
    told = re.search(r"contradict each other so much that the opposite order has a chance of (\d+)%", result.stderr)
    assert 20 <= int(told[1]) <= 50
    expected = re.search(r"expected accuracy[^0-9]*([0-9.]+)", result.output, re.IGNORECASE)
    assert float(expected[1]) < 80


def test_who_agrees_is_not_told_of_contradictions(tmp_path):
    """What three judges mean by "much" is learnt with the rest, so that nothing moves at the end."""
    rng, moves = np.random.default_rng(1), []
    i = rng.integers(0, 10, 300)
    j = (i + rng.integers(1, 10, 300)) % 10
    seen = (j - i) * 0.5 + rng.logistic(size=300)
    winners, losers, who, much = np.where(seen > 0, i, j), np.where(seen > 0, j, i), np.arange(300) % 3, abs(seen) > 1.5
    told = Comparisons.of(winners, losers, who, much=much.astype(int))
    FullPosterior.fit(told, on_sweep=moves.append)
    assert moves[-1] < SETTLED
    path = tmp_path / "much.csv"
    rows = np.stack([winners, losers, who, much], axis=1)
    np.savetxt(path, rows, fmt="%d", delimiter=",", header="winner,loser,worker,much", comments="")
    result = CliRunner().invoke(cli, ["rank", str(path)])
    assert result.exit_code == 0
    assert "contradict" not in result.stderr


def test_an_order_that_is_not_settled_on_is_told_of(tmp_path):
    """Of two judges one answers the opposite, and there is hardly anything to tell them by: scores swing to and fro."""
    path = tmp_path / "swings.csv"
    rng = np.random.default_rng(9)
    i = rng.integers(0, 3, 40)
    j = (i + rng.integers(1, 3, 40)) % 3
    first = (j - i + rng.logistic(size=40) > 0) != (np.arange(40) % 2 == 1)
    rows = np.stack([np.where(first, i, j), np.where(first, j, i), np.arange(40) % 2], axis=1)
    np.savetxt(path, rows, fmt="%d", delimiter=",", header="winner,loser,worker", comments="")
    result = CliRunner().invoke(cli, ["rank", str(path)])
    assert result.exit_code == 0
    assert "more than one order fits, and none was settled on" in result.stderr


def test_who_answers_alone_and_looks_unreliable_is_told_of(tmp_path):
    """One judge of ten items that are far apart, who gives the wrong answer to one question in three."""
    path, rng = tmp_path / "alone.csv", np.random.default_rng(0)
    pairs = [sorted(rng.choice(10, 2, replace=False)) for _ in range(400)]
    rows = [f"gpt,{i},{j}" if k % 3 else f"gpt,{j},{i}" for k, (i, j) in enumerate(pairs)]
    path.write_text("worker,winner,loser\n" + "\n".join(rows) + "\n")
    result = CliRunner().invoke(cli, ["rank", str(path)])
    told = re.search(r"'gpt' gave all answers, and nobody else's tell .* are: ([0-9.]+) is supposed", result.stderr)
    assert float(told[1]) < 0.75
    assert "workers contradict each other" not in result.stderr
    assert "Do some answer the opposite" not in result.stderr
    path.write_text("worker,winner,loser\n" + "\n".join(row for k, row in enumerate(rows) if k % 3) + "\n")
    assert "gave all answers" not in CliRunner().invoke(cli, ["rank", str(path)]).stderr
    path.write_text("winner,loser\n" + "\n".join(row.removeprefix("gpt,") for row in rows) + "\n")
    assert "gave all answers" not in CliRunner().invoke(cli, ["rank", str(path)]).stderr


def test_an_unknown_model_is_answered_with_the_known_ones(tmp_path):
    result = CliRunner().invoke(cli, ["rank", str(tmp_path / "not-read.csv"), "--model", "magic"])
    assert result.exit_code == 2
    assert "unknown model 'magic': choose one of auto, full-posterior" in result.stderr


@pytest.mark.parametrize("model", ["bradley-terry", "thurstone"])
@pytest.mark.parametrize(
    ("rows", "who"),
    [
        (["tea,coffee", "tea,'=x", "coffee,'=x", "'=x,coffee"], "item 'tea' has never lost"),
        ([f"item {k},end" for k in range(7)] + [f"item {k},item {(k + 1) % 7}" for k in range(7)],
         "the 7 items 'item 0', 'item 1', 'item 2', 'item 3', 'item 4', … have never lost"),
    ],
)  # fmt: skip
def test_items_that_never_lost_are_told_by_name_with_the_remedy(tmp_path, model, rows, who):
    path = tmp_path / "unbeaten.csv"
    path.write_text("winner,loser\n" + "\n".join(rows) + "\n")
    error = CliRunner().invoke(cli, ["rank", str(path), "--model", model]).exception
    assert f"{model} has no finite scores for these comparisons: {who}" in str(error)
    assert "Use full-posterior, " in str(error)


@pytest.mark.parametrize("model", ["auto", "dirichlet", "crowd-bt", "borda"])
def test_groups_that_were_never_compared_with_each_other_are_told(tmp_path, model):
    path = tmp_path / "apart.csv"
    rows = ["'=x,coffee", "coffee,tea", "tea,'=x", "red,blue", "blue,red"]
    path.write_text("winner,loser\n" + "\n".join(rows) + "\n")
    found = CliRunner().invoke(cli, ["rank", str(path), "--model", model, "--json"])
    told = "2 groups of items were never compared with each other: 3 items with '=x'; 2 items with 'red'. How"
    assert told in found.stderr
    assert len(json.loads(found.stdout)["ranking"]) == 5
    path.write_text("winner,loser\n" + "\n".join([*rows, "tea,red"]) + "\n")
    assert "never compared" not in CliRunner().invoke(cli, ["rank", str(path), "--model", model]).stderr


def test_of_many_groups_the_largest_are_told(tmp_path):
    path = tmp_path / "apart.csv"
    path.write_text("winner,loser\nx,y\ny,z\n" + "".join(f"a{k},b{k}\n" for k in range(8)))
    told = CliRunner().invoke(cli, ["rank", str(path)]).stderr
    assert "9 groups of items were never compared with each other: 3 items with 'x'; 2 items with 'a0'; " in told
    assert "'a3'; …. How they compare is assumed" in told


@pytest.mark.parametrize("model", ["auto", "borda"])
def test_items_that_always_stood_on_the_same_sides_are_told(tmp_path, model):
    path = tmp_path / "sides.csv"
    rows = ["new,old,left"] * 14 + ["new,old,right"] * 6
    path.write_text("left,right,winner\n" + "\n".join(rows) + "\n")
    told = CliRunner().invoke(cli, ["rank", str(path), "--model", model]).stderr
    assert "'new' stood left of 'old' in 20 of 20 answers. So a better item cannot be told from a favoured side" in told
    path.write_text("left,right,winner\n" + "\n".join(rows[:10] + ["old,new,right"] * 4 + ["old,new,left"] * 6) + "\n")
    assert "favoured side" not in CliRunner().invoke(cli, ["rank", str(path), "--model", model]).stderr
