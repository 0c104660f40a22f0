"""What a guess saves: guesses of a known correlation, the guess of a file, and the command."""

import numpy as np
import pytest
from click.testing import CliRunner

from nextpair.core.guess import normal_scores
from nextpair.errors import InvalidFile
from nextpair.lab.guesses import campaign, guess_of, main, with_guess
from nextpair.lab.recording import Replayed, find_recording


@pytest.mark.parametrize("correlation", [1.0, 0.7, 0.0, -0.7])
def test_a_guess_has_the_correlation_that_was_asked_for(correlation):
    rng = np.random.default_rng(0)
    truth = rng.gamma(1.0, size=4000)
    guess = guess_of(truth, correlation, rng)
    assert np.corrcoef(guess, normal_scores(list(truth)))[0, 1] == pytest.approx(correlation, abs=0.03)


def test_all_lines_are_played_in_the_same_world():
    found = campaign(6, 3, None, [1.0, 0.0], 1, 0)
    assert list(found) == ["akg", "full-posterior", "full-posterior, guess of 1", "full-posterior, guess of 0"]
    assert {accuracy.shape for accuracy, _ in found.values()} == {(51,)}
    assert found["full-posterior, guess of 1"][0][0] == 1.0
    again = campaign(6, 3, None, [0.5], 1, 0)
    assert np.array_equal(again["full-posterior"][0], found["full-posterior"][0])
    assert all(0.5 <= claimed <= 1 for _, claimed in found.values())


@pytest.fixture
def judged(tmp_path):
    rows = [f"{who},{a},{b},left" for who in ("ann", "bob") for a, b in ("pq", "qr", "pr", "ps", "qs", "rs")]
    (tmp_path / "comparisons.csv").write_text("worker,left,right,winner\n" + "\n".join(rows) + "\n")
    (tmp_path / "truth.csv").write_text("item,score\np,4\nq,3\nr,2\ns,1\n")
    (tmp_path / "guess.csv").write_text("item,guess\nr,9\nother,1\np,11\nq,\n")
    return tmp_path


def test_the_guess_of_a_file_stays_with_its_items(judged):
    recording = with_guess(find_recording(str(judged)), str(judged / "guess.csv"))
    of = dict(zip(recording.items, recording.guess, strict=True))
    assert of["p"] > of["r"]
    assert np.isnan([of["q"], of["s"]]).all()
    replayed = Replayed(recording, np.random.default_rng(4), by_worker=True)
    assert replayed.guess[replayed.truth.argmax()] == of["p"]
    assert replayed.guess[replayed.truth == 2].tolist() == [of["r"]]
    part = recording.about(np.array([2, 0]))
    assert dict(zip(part.items, part.guess, strict=True)) == {name: of[name] for name in part.items}
    (judged / "guess.csv").write_text("item,guess\nother,9\n")
    with pytest.raises(InvalidFile, match="no guess of any item of .*, such as 'p'"):
        with_guess(find_recording(str(judged)), str(judged / "guess.csv"))


def test_the_command(judged):
    words = ["--items", "4", "--workers", "0", "--trials", "2", "--jobs", "1", "--correlations", "0.8"]
    said = CliRunner().invoke(main, words)
    assert said.exit_code == 0, said.output
    assert "full-posterior, guess of 0.8" in said.output
    words = ["--data", str(judged), "--guess", str(judged / "guess.csv"), "--trials", "2", "--jobs", "1"]
    said = CliRunner().invoke(main, [*words, "--figure", str(judged / "guesses.png")])
    assert said.exit_code == 0, said.output
    assert "full-posterior, with the guess" in said.output
    assert (judged / "guesses.png").stat().st_size > 10_000
    for wrong in ("0.9 0.7", "0.5,1.2", "0.5,"):
        said = CliRunner().invoke(main, ["--correlations", wrong])
        assert f"numbers from -1 to 1, with commas between, not {wrong!r}" in str(said.exception)
    said = CliRunner().invoke(main, ["--guess", "guess.csv"])
    assert "say which with --data FOLDER" in str(said.exception)
