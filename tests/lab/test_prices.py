"""What it saves to count the cost: crowds of several kinds, who is hired and paid, and the command."""

import numpy as np
import pytest
from click.testing import CliRunner

from nextpair.core.candidates import Candidates
from nextpair.core.policies import find_policy
from nextpair.errors import InvalidFile, InvalidSetting
from nextpair.lab.prices import Drawn, Kind, Recorded, campaign, lines_of, main, priced, unseeing
from nextpair.lab.recording import find_recording

PEOPLE, EXPERTS = Kind("people", 6, (4.0, 1.0), 1.0), Kind("experts", 2, (38.0, 2.0), 4.0)


@pytest.mark.parametrize("name", ["full-posterior", "akg", "random"])
def test_who_does_not_see_prices_asks_as_if_there_were_none(name):
    policy, rng = find_policy(name), np.random.default_rng
    belief = policy.prior(5, 0).with_workers([(4.0, 1.0)] * 2 + [(38.0, 2.0)])
    free = Candidates(5, (0, 1, 2))
    dear = Candidates(5, (0, 1, 2), {2: 50.0})
    assert unseeing(policy).choose(belief, dear, rng(3), 1) == policy.choose(belief, free, rng(3), 1)
    if name != "random":
        assert unseeing(policy).choose(belief, dear, rng(3), 1)[0].worker == 2
        assert policy.choose(belief, dear, rng(3), 1)[0].worker != 2


def test_no_line_spends_more_than_there_is_and_all_of_it_while_there_is_something_to_buy():
    crowd = Drawn([PEOPLE, EXPERTS], 6, strangers=False)
    for line, (accuracy, bought) in campaign(crowd, 41.0, 1, 0).items():
        spent = bought @ [1.0, 4.0]
        assert 41 - 4 < spent <= 41, line
        assert accuracy.shape == (51,)
        assert ((accuracy >= 0) & (accuracy <= 1)).all()


def test_only_who_is_hired_is_asked_and_knows_no_less():
    crowd = Drawn([PEOPLE, EXPERTS], 6, strangers=False)
    found = campaign(crowd, 30.0, 2, 0)
    assert found["full-posterior, only people"][1].tolist() == [30, 0]
    assert found["full-posterior, only experts"][1].tolist() == [0, 7]
    experts = np.array([6, 7])
    assert crowd.known(experts) == [(38.0, 2.0)] * 2
    assert Drawn([PEOPLE, EXPERTS], 6, strangers=True).known(experts) == []
    assert crowd.source(experts, 2, 0).candidates().costs == {0: 4.0, 1: 4.0}
    everybody = crowd.source(np.arange(8), 2, 0)
    assert np.array_equal(everybody.truth, crowd.source(experts, 2, 0).truth)
    assert everybody.world.reliability[experts].tolist() == crowd.source(experts, 2, 0).world.reliability.tolist()


def test_of_equals_the_cheaper_one_is_asked():
    dear = Kind("dear", 3, (4.0, 1.0), 2.0)
    bought = campaign(Drawn([dear, PEOPLE], 6, strangers=True), 20.0, 3, 0)
    assert bought["full-posterior"][1].tolist() == bought["akg"][1].tolist() == [0, 20]
    assert bought["random"][1][0] > 0


def test_the_luck_of_a_line_does_not_hang_on_the_others():
    both = campaign(Drawn([PEOPLE, EXPERTS], 5, strangers=False), 15.0, 4, 1)
    alone = campaign(Drawn([PEOPLE], 5, strangers=False), 15.0, 4, 1)
    assert np.array_equal(both["full-posterior, only people"][0], alone["full-posterior"][0])
    assert np.array_equal(alone["full-posterior, only people"][0], alone["full-posterior"][0])


@pytest.fixture
def judged(tmp_path):
    """A recording of ann, who takes part in all pairs, and a model."""
    rows = [f"{who},{a},{b},left" for who in ("ann", "model") for a, b in ("pq", "qr", "pr", "ps", "qs", "rs")]
    (tmp_path / "comparisons.csv").write_text("worker,left,right,winner\n" + "\n".join(rows) + "\n")
    (tmp_path / "truth.csv").write_text("item,score\np,4\nq,3\nr,2\ns,1\n")
    return tmp_path


def test_workers_of_a_recording_have_their_prices_by_name(judged):
    recording = priced(find_recording(str(judged)), [("model", 0.1)])
    assert recording.costs == {0: 1.0, 1: 0.1}
    assert recording.of_workers(np.array([1])).workers == ["model"]
    crowd = Recorded(recording)
    assert crowd.names == ["those at 0.1", "those at 1"]
    assert crowd.kinds.tolist() == [1, 0]
    found = campaign(crowd, 2.0, 0, 0)
    assert found["full-posterior"][1].tolist() == [6, 1]  # all of the model's, and what is left buys one of ann's
    assert found["full-posterior, only those at 1"][1].tolist() == [0, 2]
    assert list(found) == list(lines_of(crowd))


def test_the_command_tells_what_was_saved_and_bought(tmp_path):
    figure = tmp_path / "prices.png"
    kinds = ["--kind", "people", "4", "4", "1", "1", "--kind", "a model", "1", "5", "2", "0.1"]
    args = [*kinds, "--items", "5", "--budget", "12", "--trials", "3", "--jobs", "1", "--figure", str(figure)]
    told = CliRunner().invoke(main, [*args, "--base", "random"], catch_exceptions=False).stdout
    crowd = Drawn([Kind("people", 4, (4.0, 1.0), 1.0), Kind("a model", 1, (5.0, 2.0), 0.1)], 5, strangers=False)
    found = [campaign(crowd, 12.0, 0, trial) for trial in range(3)]
    last = np.array([one["full-posterior"][0][-1] for one in found])
    assert f"{last.mean():.3f}±{last.std(ddof=1) / np.sqrt(3):.3f} |" in told
    people, model = np.mean([one["akg"][1] for one in found], axis=0)
    assert f"\nakg: {people:.0f} of people, {model:.0f} of a model\n" in told
    assert figure.read_bytes().startswith(b"\x89PNG")


def test_a_recording_is_played_for_the_money_there_is(judged):
    args = ["--data", str(judged), "--price-of", "model", "0.1", "--trials", "2", "--jobs", "1", "--budget", "3"]
    told = CliRunner().invoke(main, args, catch_exceptions=False).stdout
    assert "\nfull-posterior, only those at 0.1: 6 of those at 0.1, 0 of those at 1\n" in told


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["--base", "best"], "there is no line 'best' .* full-posterior, only experts"),
        (["--kind", "none", "0", "4", "1", "1"], "--kind none 0 4 1 1: .* above 0"),
        (["--kind", "free", "2", "4", "1", "0"], "--kind free 2 4 1 0: .* above 0"),
        (["--kind", "odd", "2", "-4", "1", "1"], "--kind odd 2 -4 1 1: .* above 0"),
    ],
)
def test_what_cannot_be_played_is_refused(args, words):
    with pytest.raises(InvalidSetting, match=words):
        CliRunner().invoke(main, args, catch_exceptions=False)


def test_prices_that_nobody_takes_are_refused(judged):
    recording = find_recording(str(judged))
    with pytest.raises(InvalidSetting, match=r"--price-of bob 2: .* no worker 'bob'"):
        priced(recording, [("bob", 2.0)])
    with pytest.raises(InvalidSetting, match=r"--price-of ann 0: a price is above 0"):
        priced(recording, [("ann", 0.0)])
    (judged / "comparisons.csv").write_text("winner,loser\np,q\n")
    with pytest.raises(InvalidFile, match="does not say who answered"):
        Recorded(priced(find_recording(str(judged)), []))
