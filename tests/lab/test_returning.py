"""Workers who come back."""

from dataclasses import replace

import numpy as np
import pytest
from click.testing import CliRunner

from nextpair.core.comparisons import Comparisons
from nextpair.core.policies import find_policy
from nextpair.errors import InvalidFile
from nextpair.lab.play import play
from nextpair.lab.recording import Recording
from nextpair.lab.returning import learnt, main, recorded, returned, simulated
from nextpair.lab.worlds import Simulated, drawn_world


@pytest.mark.parametrize("name", ["akg", "full-posterior", "crowd-bt"])
def test_who_is_known_as_declared_is_a_stranger(name):
    policy, world = find_policy(name), drawn_world(5, 3, np.random.default_rng(4))
    ways = ((), [(4.0, 1.0)] * 3)
    strangers, known = (play(policy, Simulated(world), 25, np.random.default_rng(5), known=way) for way in ways)
    np.testing.assert_array_equal(known.asked, strangers.asked)
    assert learnt(known.belief) == learnt(strangers.belief)


def test_what_was_learnt_is_what_the_next_campaign_starts_from():
    policy = find_policy("full-posterior")
    source = Simulated(drawn_world(5, 3, np.random.default_rng(1)))
    known = learnt(play(policy, source, 20, np.random.default_rng(2)).belief)
    assert known != [(4.0, 1.0)] * 3
    assert learnt(play(policy, source, 0, np.random.default_rng(2), known=known).belief) == known


def test_every_way_is_played_in_the_same_world():
    story = simulated(items=4, workers=3, campaigns=2)
    found = returned("full-posterior", story, seed=1, trial=0)
    first, *known, mixed = found
    assert (first, mixed) == ("full-posterior", "full-posterior, mixed up")
    assert known == ["full-posterior, after 1", "full-posterior, after 2"]
    assert {rows.shape for rows in found.values()} == {(41,)}
    assert len({tuple(rows) for rows in found.values()}) > 1
    again = returned("full-posterior", story, seed=1, trial=0)
    assert all((again[label] == rows).all() for label, rows in found.items())


def a_crowd(rng, items=8, answers=1200):
    """Workers 0 to 3 put items in the order of their numbers, worker 4 guesses, and worker 5 says the opposite."""
    i = rng.integers(items, size=answers)
    j = (i + rng.integers(1, items, size=answers)) % items
    who = rng.integers(6, size=answers)
    right = np.where(who == 4, rng.random(answers) < 0.5, who < 4)
    winners, losers = np.where((i > j) == right, (i, j), (j, i))
    return Recording("some", Comparisons.of(winners, losers, who, n_items=items, n_workers=6), np.arange(float(items)))


def test_a_part_of_a_recording_has_the_answers_about_it():
    whole = a_crowd(np.random.default_rng(3))
    some = np.array([5, 0, 2])
    part = whole.about(some)
    told, all_told = part.answers, whole.answers
    np.testing.assert_array_equal(part.truth, [5.0, 0.0, 2.0])
    expected = [
        (int(winner), int(loser), int(worker))
        for winner, loser, worker in zip(all_told.winners, all_told.losers, all_told.workers, strict=True)
        if {winner, loser} <= set(some)
    ]
    assert list(zip(some[told.winners], some[told.losers], told.workers, strict=True)) == expected
    assert (told.n_items, told.n_workers) == (3, 6)


def test_a_crowd_is_known_from_the_other_half_of_its_items():
    story = recorded(a_crowd(np.random.default_rng(3)))
    source, ways = story(find_policy("full-posterior"), 1, 0)
    believed = [mu / (mu + nu) for mu, nu in ways["known"]]
    assert min(believed[:4]) > 0.9 > 0.6 > believed[4] > 0.35 > believed[5]
    assert (source().n_items, source().n_workers) == (4, 6)
    assert source().truth.tolist() == source().truth.tolist() != story(find_policy("akg"), 1, 1)[0]().truth.tolist()
    found = [returned("full-posterior", story, 1, trial) for trial in range(12)]
    labels = ["full-posterior", "full-posterior, known", "full-posterior, mixed up"]
    assert list(found[0]) == labels
    strangers, known, _ = (np.mean([one[label][:20] for one in found]) for label in labels)
    assert known > strangers + 0.01


def test_a_recording_of_too_few_or_of_nobody_is_refused():
    whole = a_crowd(np.random.default_rng(3))
    nobody = replace(whole.answers, workers=np.full(len(whole.answers), -1), n_workers=0)
    for odd in (whole.about(np.arange(3)), replace(whole, answers=nobody)):
        with pytest.raises(InvalidFile, match="some has . items and . workers with names"):
            recorded(odd)


def table(words):
    found = CliRunner().invoke(main, [*words, "--trials", "2", "--policies", "random,full-posterior", "--jobs", "1"])
    assert found.exit_code == 0, found.output
    return [line.split("|")[0].strip() for line in found.output.splitlines()[-6:]]


@pytest.mark.parametrize("way", ["after 1", "known"])
def test_the_command_prints_a_table(way, tmp_path):
    words = ["--items", "4", "--workers", "3", "--campaigns", "1"]
    if way == "known":
        words = ["--data", str(tmp_path)]
        rows = [f"{who},{i},{j},left" for i in range(5) for j in range(i) for who in ("ann", "ben") for _ in range(3)]
        (tmp_path / "comparisons.csv").write_text("\n".join(["worker,left,right,winner", *rows]) + "\n")
        (tmp_path / "truth.csv").write_text("item,score\n" + "".join(f"{k},{k}\n" for k in range(5)))
    picture = tmp_path / "returning.png"
    assert table([*words, "--figure", str(picture)]) == [
        name + label for name in ("random", "full-posterior") for label in ("", f", {way}", ", mixed up")
    ]
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_an_unknown_policy_is_named():
    found = CliRunner().invoke(main, ["--policies", "nobody"])
    assert found.exit_code != 0
    assert "nobody" in str(found.exception)
