"""What it brings to say by how much: worlds whose workers do, and the command."""

import numpy as np
import pytest
from click.testing import CliRunner
from scipy.special import expit

from nextpair.core.candidates import Choice
from nextpair.lab.much import BASE, CUT, OURS, WAYS, Saying, campaign, main
from nextpair.lab.worlds import Simulated, World


def answers(world, cuts, at_random=0.0, worker=None, n=4000):
    """All answers about (0, 1): an array of (whether 0 won, whether "much" was said)."""
    told = []
    for number in range(n):  # a named worker answers a pair once, so worlds differ
        source = Saying(World(world.scores, world.reliability, world.key + number), np.array(cuts), at_random)
        answer = source.answer(Choice(0, 1, worker, 0.0))
        told.append((answer.winner == 0, answer.much))
    return np.array(told)


@pytest.mark.parametrize("gap", [0.0, 1.5])
def test_who_compares_with_care_says_it_beyond_the_cut(gap):
    found = answers(World(np.array([np.exp(gap), 1.0]), None, 5), [CUT])
    first, much = found.T
    assert first.mean() == pytest.approx(expit(gap), abs=0.025)
    assert (first & much).mean() == pytest.approx(expit(gap - CUT), abs=0.025)
    assert (~first & much).mean() == pytest.approx(expit(-gap - CUT), abs=0.025)


def test_who_answers_the_opposite_of_what_they_saw_says_it_every_other_time():
    found = answers(World(np.array([20.0, 1.0]), np.array([1.0, 0.0]), 5), [0.1, 0.1], worker=1)
    first, much = found.T
    assert first.mean() == pytest.approx(1 / 21, abs=0.02)
    assert much.mean() == pytest.approx(0.5, abs=0.025)


def test_at_random_it_means_nothing():
    first, much = answers(World(np.array([20.0, 1.0]), None, 5), [3.0], at_random=1.0).T
    assert much[first].mean() == pytest.approx(0.5, abs=0.025)


def test_who_is_better_is_what_it_is_without():
    world = World(np.arange(1.0, 7.0) / 21, np.array([0.8, 0.9]), 3)
    plain, saying = Simulated(world), Saying(world, np.full(2, CUT), 0.3)
    for i in range(6):
        for j in range(i):
            assert saying.answer(Choice(j, i, 1, 0.0))[:5] == plain.answer(Choice(j, i, 1, 0.0))[:5]


def test_a_campaign_has_a_line_for_each_way_and_tells_more():
    found = [campaign(6, 0, ("by how much",), 1, trial) for trial in range(40)]
    assert list(found[0]) == [BASE, OURS, f"{OURS}, by how much"]
    _, plain, said = np.mean([[curve.mean() for curve in lines.values()] for lines in found], axis=0)
    assert said > plain


def test_the_command_prints_a_table_and_draws_a_figure(tmp_path):
    picture = tmp_path / "much.png"
    words = ["--items", "4", "--workers", "3", "--trials", "2", "--jobs", "1", "--figure", str(picture)]
    found = CliRunner().invoke(main, words)
    assert found.exit_code == 0, found.output
    lines = [line.split("|")[0].strip() for line in found.stdout.splitlines()[-6:]]
    assert lines == [BASE, OURS, *(f"{OURS}, {way}" for way in WAYS)]
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_an_unknown_way_is_named():
    found = CliRunner().invoke(main, ["--ways", "by how much,loudly"])
    assert found.exit_code == 2
    assert "there is no way 'loudly'" in found.output
