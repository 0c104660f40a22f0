"""Policies that are told what nobody can know about workers."""

import numpy as np
import pytest
from click.testing import CliRunner

from nextpair.core.crowds import crowd_grid
from nextpair.core.full_posterior import FullPosterior
from nextpair.errors import InvalidSetting
from nextpair.lab import hindsight
from nextpair.lab.engines import Engine
from nextpair.lab.report import write_run
from nextpair.lab.run import run
from nextpair.lab.settings import Asked, prepare
from nextpair.lab.worlds import World

ANSWERS = [(0, 1), (1, 2), (0, 2), (2, 3), (3, 1), (0, 3), (1, 0)]


def fold(belief, worker):
    for winner, loser in ANSWERS:
        belief = belief.update(winner, loser, worker)
    return belief


def test_workers_are_judged_by_true_scores():
    """Bayes' rule by hand, on the same grid."""
    scores = np.array([0.4, 0.3, 0.2, 0.1])
    belief = fold(hindsight.judged(World(scores, np.array([0.9]), 0)), 0)
    nodes, table = crowd_grid(4.0, 1.0)
    weight = table.sum(axis=0)
    for winner, loser in ANSWERS:
        chance = scores[winner] / (scores[winner] + scores[loser])
        weight = weight * (nodes * chance + (1 - nodes) * (1 - chance))
    assert belief.reliability[0] == pytest.approx((weight * nodes).sum() / weight.sum(), rel=1e-9)
    assert belief.ranking().tolist() == np.argsort(-belief.mean).tolist()


def test_a_worker_known_to_be_right_is_heard_like_nobody_in_particular():
    told = fold(hindsight.known(World(np.full(4, 0.25), np.array([1.0]), 0)), 0)
    plain = fold(FullPosterior.prior(4), None)
    assert told.mean == pytest.approx(plain.mean, abs=1e-9)
    assert told.cov == pytest.approx(plain.cov, abs=1e-9)


@pytest.mark.parametrize("rho", [0.0, 0.3, 0.5, 0.87])
def test_what_is_known_from_the_start_does_not_change(rho):
    told = fold(hindsight.known(World(np.full(4, 0.25), np.array([rho, 0.6]), 0)), 0)
    assert told.reliability == pytest.approx([rho, 0.6])
    assert np.abs(told.mean).max() == pytest.approx(0.0) if rho == 0.5 else told.mean.any()


def folder(tmp_path, experiment, **switches):
    job = prepare(experiment, Asked(items=4, budget=6, trials=3, policies=("akg", "random"), **switches))
    write_run(run(job, Engine(jobs=1), tmp_path / "trials"), tmp_path, "")
    return str(tmp_path)


def test_the_command_adds_two_lines_in_the_same_worlds(tmp_path):
    where = folder(tmp_path, "heterogeneous", workers=3)
    result = CliRunner().invoke(hindsight.main, [where, "--jobs", "1"], catch_exceptions=False)
    lines = result.stdout.splitlines()
    assert lines[0].startswith("3 trials")
    assert [line.split("|")[0].strip() for line in lines[1:]] == ["akg", "random", *hindsight.LINES]


def test_runs_without_workers_who_differ_are_refused(tmp_path):
    where = folder(tmp_path, "homogeneous")
    with pytest.raises(InvalidSetting, match="no simulated run of workers who differ"):
        CliRunner().invoke(hindsight.main, [where, "--jobs", "1"], catch_exceptions=False)
