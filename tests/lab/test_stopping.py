"""Campaigns that stop at an accuracy."""

import numpy as np
import pytest
from click.testing import CliRunner

from nextpair.lab.stopping import main, row, stopped


def test_a_campaign_stops_at_its_target_or_at_the_end_of_its_budget():
    reached, answers, claimed, right = stopped("full-posterior", 5, 0, 300, 0.8, 3.0, 1, 0)
    assert reached
    assert 4 < answers < 300
    assert claimed >= 0.8
    assert 0 <= right <= 1
    before = stopped("full-posterior", 5, 0, int(answers) - 1, 0.8, 3.0, 1, 0)
    assert not before[0]
    assert before[1] == answers - 1
    assert before[2] < 0.8


def test_a_row_tells_of_those_that_reached_it_and_of_all():
    found = np.array([[1, 40, 0.85, 0.9], [1, 60, 0.85, 0.8], [0, 100, 0.7, 0.4]])
    assert row(found) == "67 % | 67 ± 18 | 0.850 ± 0.050 | 0.800 | 0.700 ± 0.153"
    assert "too few" in row(found[1:])


def test_the_command_prints_a_table():
    words = "--items 4 --workers 2 --budget 12 --target 0.7 --trials 2 --policies random,full-posterior --jobs 1"
    found = CliRunner().invoke(main, words.split())
    assert found.exit_code == 0, found.output
    rows = [line for line in found.output.splitlines() if line.startswith("| ")][2:]
    assert len(rows) == 3 * 2 * 2
    assert sum("| random |" in line for line in rows) == 6


@pytest.mark.parametrize("policies", ["nobody", "random,nobody"])
def test_an_unknown_policy_is_named(policies):
    found = CliRunner().invoke(main, ["--policies", policies])
    assert found.exit_code == 2
    assert "unknown policy 'nobody'" in found.output
