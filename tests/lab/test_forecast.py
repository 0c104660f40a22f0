"""What a campaign will bring, before it starts: the worlds it is simulated in, and what is read from them."""

import json
import math

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad

from nextpair.cli.main import cli
from nextpair.errors import InvalidSetting
from nextpair.lab import forecast as lab
from nextpair.lab.forecast import AGREE, APART, Forecast, Intended, campaign, forecast
from nextpair.lab.much import Saying
from nextpair.lab.play import play


def caught(monkeypatch, intended, apart=1.0, trial=3):
    """What a simulated campaign was played with: its source, its budget, and all that was said by name."""
    seen = []

    def noting(policy, source, budget, rng, **more):
        seen.append((policy.name, source, budget, more))
        return play(policy, source, budget, rng, **more)

    monkeypatch.setattr(lab, "play", noting)
    curve = campaign(intended, apart, 5, trial)
    assert ((curve >= 0) & (curve <= 1)).all()
    return seen[-1]


@pytest.mark.parametrize("name", APART)
def test_how_often_careful_workers_agree_is_what_the_worlds_say(name):
    # two of the scores that campaigns assume are exponential, so the share of the first is uniform
    def same(u):
        share = 1 / (1 + ((1 - u) / u) ** APART[name])
        return share**2 + (1 - share) ** 2

    assert AGREE[name] == pytest.approx(quad(same, 0, 1)[0], abs=0.005)


def test_worlds_of_one_number_differ_only_in_how_far_apart_items_are(monkeypatch):
    intended = Intended(6, 4, budget=20)
    near, usual = (caught(monkeypatch, intended, apart)[1].world for apart in (0.5, 1.0))
    gaps = [np.diff(np.log(world.scores)) for world in (near, usual)]
    assert gaps[0] == pytest.approx(0.5 * gaps[1])
    assert np.array_equal(near.reliability, usual.reliability)
    assert near.key == usual.key
    assert caught(monkeypatch, intended, trial=4)[1].world.key != near.key


def test_a_campaign_is_played_as_it_is_meant(monkeypatch):
    name, source, budget, more = caught(
        monkeypatch, Intended(8, 3, budget=4, cost=0.25, reliability=(18, 2), quota=7, best=2, policy="auto")
    )
    assert (name, source.n_items, source.n_workers, budget) == ("full-posterior", 8, 3, 16)
    assert more == {"reliability": (18, 2), "best": 2, "aims": True}
    assert max(len(pairs) for pairs in source._seen.values()) <= 7
    assert caught(monkeypatch, Intended(8, alike=True, budget=9))[1].world.reliability is None
    assert caught(monkeypatch, Intended(4, 3, budget=9, policy="akg"))[0] == "akg"
    assert caught(monkeypatch, Intended(501, 3, budget=40))[0] == "akg"  # as a campaign of that size would run


def test_workers_who_say_by_how_much_are_asked_for_it_and_keep_to_their_quota(monkeypatch):
    _, source, _, _ = caught(monkeypatch, Intended(6, 4, budget=20, quota=5, by_how_much=True))
    assert isinstance(source, Saying)
    assert [len(pairs) for pairs in source._seen.values()] == [5, 5, 5, 5]


def test_many_items_are_stood_in_for_by_fewer_with_as_many_answers_each(monkeypatch):
    _, source, budget, _ = caught(monkeypatch, Intended(90, 45, budget=450))
    assert (source.n_items, source.n_workers, budget) == (30, 15, 150)
    _, source, _, _ = caught(monkeypatch, Intended(90, 3, budget=90))
    assert source.n_workers == 3  # few are not made fewer: each of them matters
    assert Intended(30, 200).simulated_workers == 60  # and very many are no use
    assert Intended(30, 200, budget=600, quota=5).simulated_workers == 120  # unless they have little time
    assert Intended(90, best=3).simulated == 90


def test_a_lone_worker_has_as_many_pairs_to_compare_as_there_are_answers(monkeypatch):
    _, source, budget, _ = caught(monkeypatch, Intended(150, 1, budget=2250, policy="random"))
    assert (source.n_items, source.n_workers, budget) == (30, 1, 450)
    assert source._through[0] * 435 + len(source._seen[0]) == 450
    assert Intended(30, 1, budget=435).times == 1


def test_what_is_likely_of_many_items_is_nearer_to_the_mean():
    runs = {name: np.linspace(0, 1, 11)[:, None] * np.ones(2) for name in APART}
    for items, share in ((30, 1.0), (120, 0.5)):
        low, high = Forecast(Intended(items), np.array([0.0, 10.0]), runs).likely("as assumed")
        assert low == pytest.approx([0.5 - 0.4 * share] * 2)
        assert high == pytest.approx([0.5 + 0.4 * share] * 2)


def test_a_forecast_says_what_an_accuracy_takes():
    curve = np.array([[0.5, 0.7, 0.9], [0.5, 0.6, 0.8]])
    found = Forecast(Intended(10, budget=40), np.array([0.0, 20.0, 40.0]), dict.fromkeys(APART, curve))
    assert found.answers_for(0.75, "as assumed") == pytest.approx(30)
    assert found.answers_for(0.86, "as assumed") is None
    assert (found.trials, found.rows) == (2, [10, 20, 30, 40])


def test_an_accuracy_that_was_reached_by_luck_is_not_reached():
    curve = np.array([[0.5, 0.9, 0.5, 0.7, 0.8]])
    found = Forecast(Intended(10, budget=40), np.arange(5.0) * 10, dict.fromkeys(APART, curve))
    assert found.answers_for(0.75, "as assumed") == pytest.approx(35)  # 0.9 and 0.5 are 0.7 both
    assert found.answers_for(0.85, "as assumed") is None


def test_a_forecast_is_of_all_its_campaigns_on_any_number_of_processes():
    intended = Intended(5, 3, budget=12)
    found = forecast(intended, 3, 7, 1)
    assert found.answers.tolist() == list(range(13))
    for name, apart in APART.items():
        assert np.array_equal(found.runs[name], [campaign(intended, apart, 7, trial) for trial in range(3)])
        assert np.array_equal(found.runs[name], forecast(intended, 3, 7, 2).runs[name])


def test_the_answers_of_a_stand_in_are_told_as_those_of_the_campaign():
    found = forecast(Intended(60, 20, budget=30), 2, 0, 1)
    assert found.answers[-1] == 30
    assert found.runs["as assumed"].shape == (2, 16)  # of 15 answers


@given(
    st.floats(0.01, 1e6), st.floats(0.01, 1e3), st.integers(2, 200), st.integers(1, 50), st.none() | st.integers(1, 99)
)
def test_the_budget_is_used_up_and_never_overspent(budget, cost, items, workers, quota):
    try:
        intended = Intended(items, workers, budget, cost, quota=quota)
    except InvalidSetting:
        most = workers * min(items * (items - 1) // 2, quota or 10**9)
        assert budget < cost or budget / cost > most
        return
    assert intended.answers * cost <= budget * (1 + 1e-9) + cost * 1e-9
    assert (intended.answers + 1) * cost > budget


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--items", "1"], "the number of items must be a whole number from 2 up, not 1"),
        (["--items", "9", "--workers", "0"], "the number of workers must be a whole number from 1 up, not 0"),
        (["--items", "9", "--budget", "0.5"], "0.5 buys no answer, if one costs 1"),
        (["--items", "9", "--cost", "0"], "what an answer costs must be a positive number, not 0.0"),
        (["--items", "4", "--workers", "2", "--budget", "13"], "13 buys 13 answers, but 2 workers can give 12 at most"),
        (["--items", "9", "--quota", "2", "--budget", "41"], "20 workers can give 40 at most, 2 each"),
        (["--items", "9", "--best", "9"], "best goes from 1 to 8 of 9 items, and is not 9"),
        (["--items", "9", "--policy", "akg", "--by-how-much"], "the policy akg does not hear by how much"),
        (["--items", "9", "--policy", "best"], "unknown policy 'best'"),
        (["--items", "9", "--accuracy", "85"], "an accuracy lies between 0 and 1, not at 85"),
        (["--items", "9", "--reliability", "4", "0"], "reliability is a pair of positive numbers"),
        (["--items", "9", "--trials", "1"], "the number of campaigns must be a whole number from 2 up, not 1"),
        (["--items", "9", "--seed", "-1"], "the seed must be a whole number from 0 up, not -1"),
        (["--items", "9", "--jobs", "-1"], "the number of processes must be a whole number from 0 up, not -1"),
        (["--items", "9", "--figure", "out.bmp"], "cannot draw out.bmp"),
    ],
    ids=lambda one: " ".join(one) if isinstance(one, list) else "",
)
def test_what_cannot_be_is_refused_with_what_is_wrong(words, told):
    with pytest.raises(InvalidSetting) as refused:
        CliRunner().invoke(cli, ["forecast", *words], catch_exceptions=False)
    assert told in str(refused.value)


SMALL = ["forecast", "--items", "5", "--workers", "3", "--trials", "3", "--seed", "7", "--jobs", "1"]


def test_the_command_prints_what_the_forecast_says(tmp_path):
    picture = tmp_path / "forecast.png"
    more = ["--budget", "3", "--cost", "0.25", "--accuracy", "0.7", "--figure", str(picture)]
    told = CliRunner(env={"COLUMNS": "100"}).invoke(cli, [*SMALL, *more], catch_exceptions=False).stdout
    found = forecast(Intended(5, 3, 3, 0.25), 3, 7, 1)
    rows = {line.split()[0]: line.split()[1:] for line in told.splitlines() if line.strip()}
    low, high = found.likely("closer together")
    cells = [f"{found.mean('closer together')[-1]:.2f}", f"({low[-1]:.2f}", "–", f"{high[-1]:.2f})"]
    assert rows["12"][:6] == ["2.4", "3", *cells]
    needed = math.ceil(found.answers_for(0.7, "farther apart"))
    assert rows["0.7"][-2:] == [f"{needed}", f"({needed * 0.25:g})"]
    assert "5 items, 3 workers of Beta(4, 1), policy full-posterior" in told
    assert "in 67% as assumed" in " ".join(told.split())
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_cents_are_not_all_that_counts():
    words = [*SMALL, "--budget", "0.0012", "--cost", "0.0001", "--alike"]
    told = CliRunner().invoke(cli, words, catch_exceptions=False).stdout
    assert "5 items, workers alike, policy full-posterior" in told
    cells = [line.split() for line in told.splitlines()]
    assert [row[2] for row in cells if row[1:2] in (["1"], ["2.4"])] == ["0.0005", "0.0012"]


def test_on_a_narrow_screen_the_means_are_left():
    told = CliRunner(env={"COLUMNS": "60"}).invoke(cli, [*SMALL, "--budget", "12"], catch_exceptions=False).stdout
    assert max(map(len, told.splitlines())) <= 60
    assert "(0." not in told


def test_json_has_all_of_it():
    words = [*SMALL, "--budget", "12", "--accuracy", "0.99", "--json"]
    told = json.loads(CliRunner().invoke(cli, words, catch_exceptions=False).stdout)
    found = forecast(Intended(5, 3, 12), 3, 7, 1)
    assert told["campaign"]["policy"] == "full-posterior"
    assert (told["trials"], told["answers"]) == (3, list(range(13)))
    assert list(told["items"]) == list(APART)
    one = told["items"]["farther apart"]
    assert one["accuracy"] == found.mean("farther apart").tolist()
    assert one["high"] == found.likely("farther apart")[1].tolist()
    assert one["answers_for"] == {"0.99": None}
    assert one["careful_workers_agree"] == 0.79
