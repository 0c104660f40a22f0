"""`nextpair bench ask` runs and reports what it promises."""

import json
import math

import numpy as np
import pytest
from click.testing import CliRunner

from nextpair.campaign.campaign import Campaign
from nextpair.cli import bench_works
from nextpair.cli.bench import bench
from nextpair.cli.bench_ask import amount
from nextpair.cli.bench_beliefs import after_answers, random_journal, transcription
from nextpair.cli.bench_works import WORKS, Bench

SMALL = Bench(items=200, replayed=30, repeat=1, seed=0)


def run(*options):
    result = CliRunner().invoke(bench, ["ask", "--items", "100", "--replayed", "50", "--repeat", "1", *options])
    assert result.exit_code == 0, result.output
    return result.stdout


def test_the_whole_table_as_json(monkeypatch):
    """All but compiling anew, which takes longer than all the rest."""
    monkeypatch.setattr(bench_works, "WORKS", tuple(work for work in WORKS if work.name != "first use"))
    rows = json.loads(run("--json"))
    assert [row["answers"] for row in rows if row["work"] == "all scores"] == [0, 100, 300, 1000]
    assert {row["work"] for row in rows} >= {
        "all scores", "choose of 50 workers", "tell", "replay a journal", "choose by crowd-bt", "choose by asap",
    }  # fmt: skip
    for row in rows:
        assert row["measured"] > 0
        if row["compared"] == "transcription":
            assert row["ratio"] == row["reference"] / row["measured"]
            assert row["reached"] == (row["ratio"] >= 10_000)


def test_the_first_use_is_measured_without_and_with_compiled_code(monkeypatch):
    folders = []
    monkeypatch.setattr(bench_works, "_in_a_process", lambda *_, cache_dir: folders.append(cache_dir) or (0, 0))
    works = [figure.work for figure in bench_works.first_use(SMALL)]
    assert works == [
        "first question ever, akg", "first of a process, akg",
        "first question ever, full-posterior", "first of a process, full-posterior",
    ]  # fmt: skip
    assert folders[0] == folders[1] != folders[2] == folders[3]


@pytest.mark.parametrize(
    ("options", "words"),
    [(("--only", "nonsense"), "growth"), (("--repeat", "0"), "0 is not"), (("--items", "1"), "1 is not")],
)
def test_a_switch_that_makes_no_sense_is_refused(options, words):
    result = CliRunner().invoke(bench, ["ask", *options])
    assert result.exit_code == 2
    assert words in result.output


def test_some_of_the_table():
    table = run("--quick", "--only", "tell")
    assert "tell" in table
    assert "50 µs" in table
    assert "transcription" not in table


def test_growth_is_fitted_and_judged_only_over_the_whole_range():
    figure = next(figure for work in WORKS if work.name == "growth" for figure in work.measure(SMALL))
    assert math.isfinite(figure.measured)  # of small sizes on a busy machine it may be anything
    assert figure.reached is None


def test_what_needs_many_items_is_left_out_of_a_small_bench():
    assert [f for work in WORKS if "000" in work.name for f in work.measure(SMALL)] == []


def test_the_journal_that_is_replayed_is_a_campaign(tmp_path):
    random_journal(tmp_path / "journal", 9, 25, np.random.default_rng(0))
    campaign = Campaign.load(tmp_path / "journal")
    assert len(campaign.comparisons()) == 25
    assert len(campaign.items) == 9


def test_beliefs_follow_the_questions_of_akg():
    belief = after_answers(12, 3, 30, np.random.default_rng(0))
    assert belief.n_items == 12
    assert belief.mu.sum() + belief.nu.sum() > 15  # workers were learnt about
    assert np.unique(belief.alpha).size > 6


def test_the_transcription_is_multiplied_up_by_what_it_evaluates():
    assert transcription(np.linspace(1, 2, 6), lambda run: (run(), 0.5)[1]) == 2 * 15 * 0.5


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (0.0021, "s", "2.1 ms"),
        (3e-5, "s", "30 µs"),
        (12345.6, "s", "12,346 s"),
        (4e-9, "s", "4.0e-09 s"),
        (742.1, "MiB", "742 MiB"),
        (1.85, "", "1.85"),
    ],
)
def test_amounts_are_readable(value, unit, text):
    assert amount(value, unit) == text
