"""What sides bring, where judges lean and where they do not."""

from dataclasses import replace

import numpy as np
import pytest
from click.testing import CliRunner
from scipy.special import expit

from nextpair.core.candidates import Choice
from nextpair.core.comparisons import Comparisons
from nextpair.core.full_posterior import PRIOR_VAR, FullPosterior
from nextpair.lab.sides import Leaning, held_out, log_loss, main
from nextpair.lab.worlds import World


def test_workers_of_this_world_lean_as_they_should():
    """200 items that are all alike, and three judges: the share of answers that are left."""
    world = World(np.full(200, 1 / 200), np.ones(3), 5)
    source = Leaning(world, np.array([0.0, 1.0, -1.5]), known=True)
    sides = [[source.answer(Choice(i, j, w, 0.0)).side for j in range(200) for i in range(j)] for w in range(3)]
    assert (np.array(sides) == 1).mean(axis=1) == pytest.approx(expit([0.0, 1.0, -1.5]), abs=0.015)


def test_answers_are_the_same_whether_or_not_sides_are_known():
    world = World(np.arange(1.0, 9.0) / 36, np.array([0.9]), 5)
    known, unknown = (Leaning(world, np.ones(1), known) for known in (True, False))
    for j in range(8):
        for i in range(j):
            told, other = (source.answer(Choice(i, j, 0, 0.0)) for source in (known, unknown))
            assert told[:4] == other[:4]
            assert (abs(told.side), other.side) == (1, 0)
            assert (i, j) in known.candidates().seen[0]


def test_log_loss_by_hand():
    belief, told = FullPosterior.prior(2, 1), Comparisons.of([0, 0], [1, 1], [0, -1], [1, 0], [1, 1])
    assert log_loss(belief, told) == pytest.approx(np.log(2))  # a tie does not count
    leaning = replace(belief, leans=np.array([3.0, 0.0]))
    draws = np.random.default_rng(0).normal(3.0, np.sqrt(2 * PRIOR_VAR), 400_000)
    assert log_loss(leaning, told) == pytest.approx(-np.log(expit(draws).mean()), abs=0.002)


def test_sides_foretell_answers_of_those_who_lean():
    rng = np.random.default_rng(2)
    left = rng.integers(9, size=600)
    right = (left + rng.integers(1, 9, size=600)) % 9
    says = rng.random(600) < expit((left - right) / 3 + 1.5)
    winners, losers = np.where(says, (left, right), (right, left))
    known, unknown = held_out(Comparisons.of(winners, losers, 0, sides=np.where(says, 1, -1)), rng)
    assert known < unknown - 0.05


def test_the_tables(tmp_path):
    done = CliRunner().invoke(main, ["--trials", "2", "--items", "5", "--budget", "8"], catch_exceptions=False)
    assert [line.split(" | ")[0] for line in done.stdout.splitlines()[2:]] == ["| 2", "| 4", "| 6", "| 8"]
    (tmp_path / "c.csv").write_text("left,right,winner\n" + "a,b,left\nb,a,left\nb,c,right\nc,a,tie\n" * 10)
    done = CliRunner().invoke(main, [str(tmp_path / "c.csv"), "--trials", "2"], catch_exceptions=False)
    assert "c.csv" in done.stdout.splitlines()[2]
