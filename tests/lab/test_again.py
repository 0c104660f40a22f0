"""Judges who are asked the same pairs again."""

import numpy as np
import pytest
from click.testing import CliRunner

from nextpair.campaign.questions import Question
from nextpair.lab.again import Judge, campaign, main


def put(left, right):
    return Question("q", "judge", str(left), str(right), 1.0)


@pytest.fixture
def scores():
    return np.array([0.5, 0.3, 0.2])


def test_who_says_the_same_again_does_so_on_either_side(scores):
    judge = Judge(scores, False, 0.0, np.random.default_rng(3))
    for i, j in ((0, 1), (0, 2), (1, 2)):
        assert len({judge(put(i, j)) for _ in range(9)}) == 1
        assert judge(put(i, j)) != judge(put(j, i))


def test_who_answers_anew_does_so_by_the_model(scores):
    judge = Judge(scores, True, 0.0, np.random.default_rng(3))
    share = np.mean([judge(put(0, 2)) == "left" for _ in range(4000)])
    assert share == pytest.approx(0.5 / 0.7, abs=0.03)  # four standard errors
    leaning = Judge(scores, True, 1.0, np.random.default_rng(3))
    share = np.mean([leaning(put(1, 1)) == "left" for _ in range(4000)])
    assert share == pytest.approx(1 / (1 + np.exp(-1)), abs=0.03)


def test_each_row_has_the_accuracy_when_all_pairs_are_through():
    found = campaign(4, False, 0.0, 1, 0)
    assert len(found) == 3
    assert found == campaign(4, False, 0.0, 1, 0)
    assert found != campaign(4, False, 0.0, 1, 1)
    assert all(0 <= right <= 1 and 0.5 <= claimed <= 1 for right, claimed in found)


def test_the_command_prints_a_table():
    found = CliRunner().invoke(main, ["--items", "3", "--trials", "2", "--jobs", "1"])
    assert found.exit_code == 0, found.output
    rows = [line for line in found.output.splitlines() if line.startswith("| ")]
    assert rows[0] == "| the judge | lean to the left | all 3 pairs once | all 3 pairs 2 times | all 3 pairs 4 times |"
    assert [row.split(" | ")[:2] for row in rows[2:]] == [
        ["| answers anew", "0"],
        ["| answers anew", "1"],
        ["| says the same again", "0"],
        ["| says the same again", "1"],
    ]
