"""Workers who come back."""

from dataclasses import replace

import numpy as np
import pytest
from click.testing import CliRunner

from nextpair.core.policies import find_policy
from nextpair.lab.play import play
from nextpair.lab.returning import learnt, main, prior, returned
from nextpair.lab.worlds import Simulated, drawn_world


@pytest.mark.parametrize("name", ["akg", "full-posterior", "crowd-bt"])
def test_who_is_known_as_declared_is_a_stranger(name):
    policy, world = find_policy(name), drawn_world(5, 3, np.random.default_rng(4))
    start = prior(policy, 5, [(4.0, 1.0)] * 3)
    ways = (policy, replace(policy, prior=lambda *_, **__: start))
    strangers, known = (play(way, Simulated(world), 25, np.random.default_rng(5)) for way in ways)
    np.testing.assert_array_equal(known.asked, strangers.asked)
    assert learnt(known.belief) == learnt(strangers.belief)


def test_what_was_learnt_is_what_the_next_campaign_starts_from():
    policy = find_policy("full-posterior")
    source = Simulated(drawn_world(5, 3, np.random.default_rng(1)))
    known = learnt(play(policy, source, 20, np.random.default_rng(2)).belief)
    assert known != [(4.0, 1.0)] * 3
    assert learnt(prior(policy, 4, known)) == known


def test_every_way_is_played_in_the_same_world():
    found = returned("full-posterior", 4, 3, 2, seed=1, trial=0)
    first, *known, mixed = found
    assert (first, mixed) == ("full-posterior", "full-posterior, mixed up")
    assert known == ["full-posterior, after 1", "full-posterior, after 2"]
    assert {rows.shape for rows in found.values()} == {(41,)}
    assert len({tuple(rows) for rows in found.values()}) > 1
    again = returned("full-posterior", 4, 3, 2, seed=1, trial=0)
    assert all((again[label] == rows).all() for label, rows in found.items())


def test_the_command_prints_a_table():
    words = "--items 4 --workers 3 --campaigns 1 --trials 2 --policies random,full-posterior --jobs 1"
    found = CliRunner().invoke(main, words.split())
    assert found.exit_code == 0, found.output
    labels = [line.split("|")[0].strip() for line in found.output.splitlines()[-6:]]
    ways = ("", ", after 1", ", mixed up")
    assert labels == [name + way for name in ("random", "full-posterior") for way in ways]


def test_an_unknown_policy_is_named():
    found = CliRunner().invoke(main, ["--policies", "nobody"])
    assert found.exit_code != 0
    assert "nobody" in str(found.exception)
