"""What docs/measurements.md rests on: savings, calibration and worlds that are not as assumed."""

import json

import numpy as np
import pytest
from click.testing import CliRunner

from nextpair.core.belief import Belief
from nextpair.core.comparisons import Comparisons
from nextpair.core.policies import find_policy
from nextpair.errors import InvalidFile, InvalidSetting
from nextpair.lab import calibration, growth, robustness, savings
from nextpair.lab.calibration import Claims, recorded, simulated, truth_of
from nextpair.lab.growth import megabytes
from nextpair.lab.recording import Recording
from nextpair.lab.robustness import SETTINGS, accuracies


def curves(scale, trials=8, seed=0):
    """Accuracy that rises with the root of the budget, faster by `scale`, with a little noise a trial."""
    budgets = np.arange(0, 101, 2.0)
    rng = np.random.default_rng(seed)
    return budgets, 0.5 + 0.04 * np.sqrt(budgets * scale) + rng.normal(0, 0.001, (trials, 1))


def test_a_policy_that_learns_a_third_faster_saves_a_quarter():
    budgets, base = curves(1.0)
    _, other = curves(4 / 3)
    found = savings.savings(budgets, base, other)
    assert [saving.saved for saving in found] == pytest.approx([0.25] * 3, abs=0.01)
    assert all(0 < saving.stderr < 0.03 for saving in found)


def test_a_policy_that_never_gets_there_has_no_saving():
    budgets, base = curves(1.0)
    _, other = curves(0.5)
    found = savings.savings(budgets, base, other)
    assert np.isnan(found[0].saved)
    assert found[2].saved == pytest.approx(-1.0, abs=0.03)


def test_savings_need_the_same_trials():
    budgets, base = curves(1.0)
    with pytest.raises(InvalidSetting, match="same trials"):
        savings.savings(budgets, base, base[:3])


def test_savings_of_a_run(tmp_path):
    budgets, base = curves(1.0)
    _, other = curves(4 / 3)
    _, slow = curves(1 / 3)
    lines = {"akg": base, "better": other, "slow": slow}
    (tmp_path / "trials").mkdir()
    (tmp_path / "result.json").write_text(
        json.dumps({"curves": {name: {"budget": budgets.tolist()} for name in lines}})
    )
    rows = [
        json.dumps({"line": name, "trial": number, "accuracy": row.tolist(), "tally": []})
        for name, trials in lines.items()
        for number, row in enumerate(trials)
    ]
    (tmp_path / "trials" / "some.jsonl").write_text("\n".join(rows) + "\n")
    figure = tmp_path / "figure.png"
    options = [str(tmp_path), str(tmp_path), "--figure", str(figure)]
    result = CliRunner().invoke(savings.main, options, catch_exceptions=False)
    assert result.output.count("8 trials") == 2
    assert "+25±" in result.output
    (slow_row, _) = [row for row in result.output.splitlines() if row.startswith("slow")]
    assert "not reached" in slow_row
    assert "nan" not in slow_row
    assert figure.read_bytes().startswith(b"\x89PNG")
    with pytest.raises(InvalidSetting, match="no line 'other'"):
        CliRunner().invoke(savings.main, [str(tmp_path), "--base", "other"], catch_exceptions=False)
    with pytest.raises(InvalidFile, match="no finished run"):
        savings.read_trials(tmp_path / "nowhere", "akg")
    (tmp_path / "trials" / "some.jsonl").unlink()
    with pytest.raises(InvalidSetting, match="no line 'akg'.*: it has none"):
        CliRunner().invoke(savings.main, [str(tmp_path)], catch_exceptions=False)


def test_calibration_counts_what_was_claimed_and_what_was_true(tmp_path):
    pairs = np.array([0.79, 0.81, 0.99, 0.99]), np.array([1.0, 0.0, 1.0, 1.0])
    of = Claims(np.array([0.8, 1.0]), *pairs, best=np.array([[0.6, 1.0], [0.4, 0.0]]))
    claim, right, count = of.bins()
    at = int(np.argmin(np.abs(claim - 0.8)))
    assert (claim[at], right[at], count[at]) == pytest.approx((0.8, 0.5, 2))
    assert of.coverage()[0] == pytest.approx(0.9)
    calibration.draw({"some": of}, tmp_path / "figure.png")
    assert (tmp_path / "figure.png").stat().st_size > 1000


@pytest.mark.parametrize(("more", "lines"), [([], 10), (["--guess", "0.5"], 6)])
def test_calibration_of_a_small_run(more, lines):
    options = ["--items", "4", "--workers", "2", "--budget", "5", "--trials", "2", *more]
    result = CliRunner().invoke(calibration.main, options, catch_exceptions=False)
    assert result.output.count("90 % intervals cover") == result.output.count("the best item: claimed") == lines


def test_answers_taken_at_once_have_no_guess_before_them():
    result = CliRunner().invoke(calibration.main, ["--at-once", "--guess", "0.5"])
    assert result.exit_code == 2
    assert "either --at-once or --guess" in result.output


def test_claims_may_be_those_of_a_guess():
    """Before many answers, what is right is what was guessed."""
    told = [calibration.claims("full-posterior", "random", simulated(6), 2, 40, 5, guess=r) for r in (1.0, -1.0)]
    assert told[0].right.mean() > 0.85
    assert told[1].right.mean() < 0.5
    assert 0.6 < told[0].claimed.mean() < 0.85


@pytest.mark.parametrize("policy", ["akg", "full-posterior"])
def test_of_two_items_the_better_one_is_the_best(policy):
    of = calibration.claims(policy, "random", simulated(2), 3, 40, 3)
    assert of.best[:, 0] == pytest.approx(of.claimed, abs=0.02)  # prob_top draws
    clear = of.claimed > 0.55
    assert np.array_equal(of.best[clear, 1], of.right[clear])
    assert 0 < of.right[clear].mean() < 1


def test_claims_are_too_sure_where_items_are_closer_than_the_prior_says():
    """What docs/beyond.md warns of: the spread of the scores is taken for granted."""
    worlds = (simulated(8, spread=spread) for spread in (0.3, 3.0))
    close, apart = (calibration.claims("full-posterior", "random", world, 40, 30, 1) for world in worlds)
    assert close.claimed.mean() > close.right.mean() + 0.05
    assert apart.claimed.mean() < apart.right.mean()


def test_the_truth_is_on_the_scale_of_the_belief():
    from nextpair.core.belief import Belief
    from nextpair.core.full_posterior import FullPosterior

    scores = np.array([0.2, 0.3, 0.5])
    assert truth_of(Belief.prior(3), scores) == pytest.approx(scores)
    assert truth_of(FullPosterior.prior(3), scores).sum() == pytest.approx(0)


@pytest.mark.parametrize("label", SETTINGS)
def test_every_world_can_be_played(label):
    found = accuracies(SETTINGS[label], "random", 4, 3, 6, 2)
    assert found.shape[0] == 2
    assert np.all((found >= 0) & (found <= 1))


def test_the_worlds_in_a_table():
    options = ["--items", "4", "--workers", "2", "--budget", "4", "--trials", "2", "--policies", "random"]
    result = CliRunner().invoke(robustness.main, options, catch_exceptions=False)
    assert result.output.count("\n") == len(SETTINGS) + 2


def test_growth_prints_a_row_a_size():
    result = CliRunner().invoke(growth.main, ["--sizes", "5x2,6x0", "--repeat", "1"], catch_exceptions=False)
    rows = [line.split("|")[1:3] for line in result.output.splitlines()[2:]]
    assert rows == [[" 5 ", " 2 "], [" 6 ", " alike "]]
    assert megabytes(Belief.prior(1000)) == pytest.approx(0.008)


def a_recording(rng, items=6, answers=900):
    """Everybody is right about all but neighbours, and answers about each pair are many."""
    i = rng.integers(items, size=answers)
    j = (i + rng.integers(1, items, size=answers)) % items
    first = rng.random(answers) < np.where(abs(i - j) > 1, i > j, np.where(i > j, 0.8, 0.2))
    winners, losers = np.where(first, (i, j), (j, i))
    told = Comparisons.of(winners, losers, rng.integers(40, size=answers), n_items=items, n_workers=40)
    return Recording("some", told, np.arange(items, dtype=float))


@pytest.mark.parametrize("by_worker", [False, True])
def test_a_campaign_on_a_recording_is_about_some_of_its_items_and_what_the_crowd_says(by_worker):
    rng = np.random.default_rng(2)
    of = a_recording(rng)
    seen = set()
    for _ in range(8):
        source = recorded(of, 3, by_worker=by_worker)(rng)
        assert source.n_items == 3
        assert (source.n_workers > 0) == by_worker
        seen.add(tuple(np.round(np.sort(source.truth), 9)))
        answer = source.answer(find_policy("random").choose(None, source.candidates(), rng, 1)[0])
        assert (answer.worker is not None) == by_worker
    assert len(seen) > 3
    whole = recorded(of, 6, by_worker=by_worker)(rng).truth
    assert np.log(whole).max() - np.log(whole).min() > 3
    found = calibration.claims("full-posterior", "random", recorded(of, 4, by_worker=by_worker), 60, 20, 1)
    assert found.right.mean() > 0.85


def test_a_recording_has_as_many_items_and_answers_as_it_has(tmp_path):
    rng = np.random.default_rng(2)
    with pytest.raises(InvalidSetting, match="some has 6 items, fewer than the 7"):
        recorded(a_recording(rng), 7, by_worker=False)
    with pytest.raises(InvalidSetting, match="a budget of 50 is too much: of 2 items there are"):
        calibration.claims("random", "random", recorded(a_recording(rng, 6, 100), 2, by_worker=False), 50, 2, 1)
    (tmp_path / "comparisons.csv").write_text(
        "worker,left,right,winner\n" + "ann,a,b,left\nben,b,c,left\nann,a,c,left\n" * 9
    )
    (tmp_path / "truth.csv").write_text("item,score\na,3\nb,2\nc,1\n")
    options = ["--data", str(tmp_path), "--items", "3", "--budget", "6", "--trials", "2"]
    result = CliRunner().invoke(calibration.main, options, catch_exceptions=False)
    assert result.stdout.count("intervals cover") == 10
    refused = CliRunner().invoke(calibration.main, [*options, "--spread", "1"])
    assert "either --data or --spread" in refused.output


def test_calibration_of_all_answers_at_once():
    """Items further apart than assumed: that is learnt from all answers together, and by campaigns it is not."""
    in_turn, at_once = (
        calibration.claims("full-posterior", "random", simulated(20, spread=3.0), 200, 8, 1, at_once=of)
        for of in (False, True)
    )
    assert at_once.coverage()[0] > in_turn.coverage()[0] + 0.1
    options = ["--items", "3", "--workers", "2", "--budget", "5", "--trials", "3", "--at-once"]
    result = CliRunner().invoke(calibration.main, options, catch_exceptions=False)
    assert result.stdout.count("random questions") == 4
    assert "own questions" not in result.stdout
