"""`nextpair rank --model`: every estimator, and what is left out where a model does not say how sure it is."""

import json

import pytest
from click.testing import CliRunner

from nextpair.cli.main import cli
from nextpair.errors import InvalidSetting
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
    sure = model == "dirichlet"
    assert (found["accuracy"] is not None) == sure
    assert all((row["low"] is not None) == sure for row in found["ranking"])
    assert sorted(row["worker"] for row in found["workers"]) == (
        ["x", "y", "z"] if model in ("dirichlet", "crowd-bt") else []
    )


def test_tables_and_csv_leave_out_what_is_not_known(answers):
    table = CliRunner().invoke(cli, ["rank", answers, "--model", "borda"]).stdout
    assert "nan" not in table
    assert "Expected accuracy" not in table
    lines = CliRunner().invoke(cli, ["rank", answers, "--model", "borda", "--csv"]).stdout.splitlines()
    assert lines[1].startswith("1,a,0.7")
    assert lines[1].endswith(",,")


def test_an_unknown_model_is_answered_with_the_known_ones(tmp_path):
    result = CliRunner().invoke(cli, ["rank", str(tmp_path / "not-read.csv"), "--model", "magic"])
    assert isinstance(result.exception, InvalidSetting)
    assert "choose one of dirichlet" in str(result.exception)
