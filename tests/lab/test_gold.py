"""Gold: questions whose right answer is known."""

import numpy as np
import pytest
from click.testing import CliRunner

from nextpair.core.comparisons import Comparisons
from nextpair.core.policies import find_policy
from nextpair.errors import InvalidFile, InvalidSetting
from nextpair.lab.gold import campaigns, drawn, found, known, later, main, numbers_in, scene
from nextpair.lab.play import play
from nextpair.lab.recording import Recording
from nextpair.lab.trials import generator


def test_gold_is_right_as_often_as_the_worker_is_reliable():
    reliability = np.array([1.0, 0.8, 0.5, 0.0])
    gold = drawn(reliability, 20_000, np.random.default_rng(3))
    np.testing.assert_allclose(gold.mean(axis=1), reliability, atol=0.01)
    assert set(gold.ravel()) == {0, 1}


def test_right_and_wrong_are_counted_into_the_beta_that_everybody_starts_from():
    assert known(np.array([[1, 1, 0], [0, -1, -1], [-1, -1, -1]])) == [(6, 2), (4, 2), (4, 1)]


def a_recording():
    """Worker 0 is always right, worker 1 always wrong, worker 2 calls ties and worker 3 sees close pairs only."""
    rows = [(i, j) for i in range(8) for j in range(i)]
    told = [(i, j, 0, 0) for i, j in rows] + [(j, i, 1, 0) for i, j in rows] + [(i, j, 2, 1) for i, j in rows]
    told += [(i, j, 3, 0) for i, j in rows if i == j + 1]
    answers = Comparisons.of(*np.array(told).T, n_items=8, n_workers=4)
    return Recording("some", answers, np.arange(8.0), workers=["right", "wrong", "ties", "close"])


def test_gold_of_a_recording_is_about_pairs_that_are_far_apart():
    items = np.array([6, 1, 3, 0])  # of the six pairs, (3, 1), (6, 0), (6, 1) and (3, 0) stand two places apart or more
    gold = found(a_recording(), items, 5, np.random.default_rng(1))
    assert (gold == 1).sum(axis=1).tolist() == [3, 0, 0, 0]
    assert (gold == 0).sum(axis=1).tolist() == [0, 3, 0, 0]
    assert (gold[:, 3:] == -1).all()  # there is no more
    assert found(a_recording(), items, 2, np.random.default_rng(1))[:2].tolist() == [[1, 1], [0, 0]]


def test_gold_and_campaign_of_a_recording_share_no_item():
    recording = a_recording()
    source, gold = scene(0, 0, recording, 5, 1, 0)
    here, before = np.array_split(generator(1, 0).permutation(8), 2)
    assert sorted(source.truth) == sorted(here)
    np.testing.assert_array_equal(gold, found(recording, before, 5, generator(1, 0, 1)))


def test_every_line_is_played_in_the_same_world_and_less_gold_is_the_beginning_of_more():
    few, many = campaigns(5, 4, None, [1], 2, 0), campaigns(5, 4, None, [1, 3], 2, 0)
    assert list(few) == [
        "akg",
        "akg, 1 gold",
        "full-posterior",
        "full-posterior, 1 gold",
        "full-posterior, 1 gold, paid",
    ]
    alike = [line for line in few if "1 gold" not in line]
    assert all((few[line] == many[line]).all() for line in alike)
    first, again = (scene(5, 4, None, most, 2, 0) for most in (3, 3))
    np.testing.assert_array_equal(first[1], again[1])
    np.testing.assert_array_equal(first[0].truth, again[0].truth)
    # the line with gold is a campaign whose workers start as what they got right says
    expected = play(find_policy("akg"), first[0], 50, generator(2, 0, 0), known=known(first[1]))
    np.testing.assert_array_equal(many["akg, 3 gold"], expected.accuracy)


def test_what_was_paid_for_gold_is_missing_later():
    budgets = np.array([0.0, 10.0, 20.0, 30.0])
    np.testing.assert_allclose(later(np.array([0.5, 0.6, 0.8, 0.9]), budgets, 15.0), [0.5, 0.5, 0.55, 0.7])
    lines = campaigns(5, 4, None, [2], 2, 0)
    free, paid = lines["full-posterior, 2 gold"], lines["full-posterior, 2 gold, paid"]
    np.testing.assert_allclose(paid[8:], free[:-8])  # 8 answers, noted one by one


def test_who_has_answered_gold_is_known_better():
    found = [campaigns(6, 8, None, [8], 5, trial) for trial in range(16)]
    strangers, tested = (np.mean([one[line] for one in found]) for line in ("full-posterior", "full-posterior, 8 gold"))
    assert tested > strangers + 0.03


def test_the_command_compares_with_both_policies(tmp_path):
    picture = tmp_path / "gold.png"
    given = ["--items", "4", "--workers", "3", "--asked", "1,2", "--trials", "2", "--jobs", "1", "--figure"]
    done = CliRunner().invoke(main, [*given, str(picture)], catch_exceptions=False)
    assert done.exit_code == 0
    assert "2 trials | accuracy at T/4, T/2, T | saved at the accuracy of akg" in done.output
    assert "saved at the accuracy of full-posterior" in done.output
    assert done.output.count("full-posterior, 2 gold, paid") == 2
    assert picture.read_bytes()[:4] == b"\x89PNG"


@pytest.mark.parametrize("text", ["", "0", "1,,2", "-1", "two", "1001", "1.5"])
def test_how_much_is_asked_are_whole_numbers(text):
    with pytest.raises(InvalidSetting, match="--asked takes whole numbers from 1 to 1000"):
        numbers_in(text)


def test_a_recording_needs_workers(tmp_path):
    (tmp_path / "comparisons.csv").write_text("left,right,winner\na,b,left\nc,d,left\n")
    (tmp_path / "truth.csv").write_text("item,score\na,1\nb,2\nc,3\nd,4\n")
    with pytest.raises(InvalidFile, match="a column `worker`"):
        CliRunner().invoke(main, ["--data", str(tmp_path)], catch_exceptions=False, standalone_mode=False)
