"""How many workers to hire: crowds of the same world, their quotas, and the command."""

import numpy as np
import pytest
from click.testing import CliRunner

from nextpair.lab import hiring
from nextpair.lab.hiring import CHOSEN, COMING, EACH, campaign, main, quota


def test_a_crowd_is_the_beginning_of_a_larger_one_whichever_others_are_looked_at():
    both = campaign(5, (3, 12), ("full-posterior", "random"), 4, 2)
    assert both.shape == (2, 2, 2, 3)
    assert np.array_equal(both, campaign(5, (3, 6, 12), ("full-posterior", "random"), 4, 2)[::2])
    assert ((both >= 0) & (both <= 1)).all()


def test_nobody_gives_more_than_they_have_time_for_and_the_budget_is_spent(monkeypatch):
    asked, whole = [], hiring.play

    def noting(*args):
        played = whole(*args)
        asked.append(np.bincount(played.asked[:, 2]))
        return played

    monkeypatch.setattr(hiring, "play", noting)
    crowds = (10, 25, 50)
    campaign(5, crowds, ("akg", "full-posterior"), 1, 0)
    assert [answers.sum() for answers in asked] == [EACH * 5] * 12
    for number, answers in enumerate(asked):
        workers, way = crowds[number // 4], (CHOSEN, COMING)[number // 2 % 2]
        assert answers.max() <= quota(5, workers, way)
        if way == COMING:
            assert answers.tolist() == [EACH * 5 // workers] * workers
    assert [quota(5, 10, way) for way in (CHOSEN, COMING)] == [10, 5]


def test_the_command_has_a_row_for_each_crowd_and_policy():
    args = ["--items", "5", "--crowds", "6,12", "--policies", "random,akg", "--trials", "3", "--jobs", "1"]
    lines = CliRunner().invoke(main, args, catch_exceptions=False).stdout.splitlines()
    rows = [line.strip("| ").split(" | ") for line in lines if line.startswith("| ") and "---" not in line][1:]
    assert [row[:4] for row in rows] == [
        ["6", "chosen", "17", "random"],
        ["6", "chosen", "17", "akg"],
        ["6", "as they come", "9", "random"],
        ["6", "as they come", "9", "akg"],
        ["12", "chosen", "9", "random"],
        ["12", "chosen", "9", "akg"],
        ["12", "as they come", "5", "random"],
        ["12", "as they come", "5", "akg"],
    ]
    found = np.array([campaign(5, (6, 12), ("random", "akg"), 0, trial) for trial in range(3)])[:, 1, 1, 1, 2]
    assert rows[7][6] == f"{found.mean():.3f} ± {found.std(ddof=1) / np.sqrt(3):.3f}"


@pytest.mark.parametrize(
    ("crowds", "words"),
    [("5,many", "not 'many'"), ("5,-1", "not '-1'"), ("1", "1 workers cannot give 50"), ("", "not ''")],
)
def test_crowds_that_cannot_be_hired_are_refused(crowds, words):
    told = CliRunner().invoke(main, ["--items", "5", "--crowds", crowds]).exception
    assert words in str(told)
