"""The demo: it runs with every kind of score, says what was saved, and draws."""

import pytest
from click.testing import CliRunner

from nextpair.cli import progress
from nextpair.cli.main import cli
from nextpair.cli.tables import interval_bar
from nextpair.errors import InvalidSetting


@pytest.mark.parametrize("policy", ["akg", "full-posterior"])
def test_the_demo_says_what_was_saved(tmp_path, policy):
    picture = tmp_path / "demo.png"
    words = ["demo", "--items", "5", "--budget", "30", "--worlds", "2", "--policy", policy, "--figure", str(picture)]
    result = CliRunner().invoke(cli, words, catch_exceptions=False)
    assert result.exit_code == 0, result.output
    assert "true rank" in result.output
    assert "mirror" in result.output
    assert "Random asking" in result.output
    assert picture.read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize("words", [["demo"], ["rank", "none.csv"], ["show", "none.journal"]], ids=lambda one: one[0])
def test_a_figure_that_cannot_be_drawn_is_refused_before_anything_is_done(words):
    with pytest.raises(InvalidSetting, match="cannot draw out.bmp: a figure is a .png, .svg or .pdf file"):
        CliRunner().invoke(cli, [*words, "--figure", "out.bmp"], catch_exceptions=False)


def test_the_demo_says_so_where_nothing_was_saved():
    words = ["demo", "--items", "3", "--budget", "10", "--worlds", "1", "--seed", "6"]  # the first guess was right
    result = CliRunner().invoke(cli, words, catch_exceptions=False)
    assert "Random asking got there after 0 answers: nothing is saved here" in " ".join(result.output.split())


def test_the_demo_says_what_a_first_use_waits_for(monkeypatch):
    monkeypatch.setattr(progress, "BETWEEN", 0.0)
    monkeypatch.setattr(progress, "QUIET", -1.0)
    result = CliRunner().invoke(cli, ["demo", "--items", "3", "--budget", "10", "--worlds", "1"])
    assert result.stderr.startswith("nextpair: compiling the engine: this happens once")


def test_an_interval_is_drawn_where_it_lies():
    assert interval_bar(0.0, 0.5, 0.99, 1.0, 4) == "──●─"
    assert interval_bar(-1.0, 0.0, 0.9, 1.0, 4, bottom=-1.0) == "──●─"
    assert interval_bar(float("nan"), 1, float("nan"), 2) == ""
