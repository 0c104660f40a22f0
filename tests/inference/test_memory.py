"""A full posterior that does not fit into memory is refused before it is begun, wherever one is."""

from itertools import pairwise

import numpy as np
import pytest
from click.testing import CliRunner

from nextpair import Campaign
from nextpair.cli.main import cli
from nextpair.core.comparisons import Comparisons
from nextpair.errors import InvalidSetting
from nextpair.inference import fit, memory
from nextpair.inference.memory import all_memory, expected_bytes

ITEMS = [f"item {k}" for k in range(600)]
REFUSED = "600 items takes some 0.0 GB of memory, and here are 0.0 GB"


@pytest.fixture
def small(monkeypatch):
    monkeypatch.setattr(memory, "all_memory", lambda: 1e6)


def test_it_grows_with_the_square_of_the_items():
    assert expected_bytes(5_000) == pytest.approx(2.6e9, rel=0.02)  # 2.5 GB were measured
    assert expected_bytes(10_000) == 4 * expected_bytes(5_000)


def test_what_a_container_may_have_counts(monkeypatch, tmp_path):
    everything = all_memory()
    assert everything > 1e8
    limit = tmp_path / "memory.max"
    monkeypatch.setattr(memory, "LIMITS", (str(limit),))
    assert all_memory() >= everything  # there is no such file
    for said, found in (("max\n", None), ("12345678\n", 12345678)):
        limit.write_text(said)
        assert (all_memory() == found) is (found is not None)


def test_a_system_that_does_not_tell_has_enough(monkeypatch):
    monkeypatch.setattr(memory, "LIMITS", ())
    monkeypatch.delattr(memory.os, "sysconf", raising=False)
    memory.refuse_too_large(10**9, "never mind")


@pytest.mark.parametrize("settings", [{"policy": "full-posterior"}, {"best": 3}, {"policy": "full-posterior-checked"}])
def test_no_campaign_begins_that_could_not_ask(small, settings):
    with pytest.raises(InvalidSetting, match=f"{REFUSED}: take fewer, or the policy akg"):
        Campaign(ITEMS, ["ann"], **settings)
    assert Campaign(ITEMS, ["ann"]).settings.policy == "akg"
    assert Campaign(ITEMS[:500], ["ann"]).settings.policy == "full-posterior"


def test_no_item_joins_with_which_it_could_not_ask(monkeypatch):
    campaign = Campaign(ITEMS, policy="full-posterior")
    monkeypatch.setattr(memory, "all_memory", lambda: expected_bytes(601))
    campaign.add_item("one more")
    with pytest.raises(InvalidSetting, match="602 items"):
        campaign.add_item("too many")
    assert campaign.n_items == 601


def test_no_ranking_begins_that_could_not_be_done(small, tmp_path):
    told = Comparisons.of(np.arange(599), np.arange(1, 600))
    with pytest.raises(InvalidSetting, match=f"{REFUSED}: take the model auto or dirichlet"):
        fit("full-posterior", told)
    answers = tmp_path / "answers.csv"
    answers.write_text("winner,loser\n" + "".join(f"{a},{b}\n" for a, b in pairwise(ITEMS)))
    run = CliRunner().invoke(cli, ["rank", str(answers), "--model", "full-posterior"])
    assert REFUSED in str(run.exception)


def test_what_takes_long_is_told_before(tmp_path, monkeypatch):
    monkeypatch.setattr("nextpair.store.oddities.LONG", 0.0)
    answers = tmp_path / "answers.csv"
    answers.write_text("winner,loser\na,b\nb,c\n")
    told = "the full posterior of 3 items and 2 answers takes some 0.0 GB of memory and 0 minutes"
    assert told in CliRunner().invoke(cli, ["rank", str(answers), "--model", "full-posterior"]).stderr


@pytest.mark.parametrize(("extra", "other"), [((), True), (("--best", "2"), False)])
def test_a_campaign_with_slow_questions_says_so(tmp_path, extra, other):
    items = tmp_path / "items"
    items.write_text("\n".join(f"item {k}" for k in range(2_000)))
    begun = ["start", str(tmp_path / "a.journal"), "--items", str(items), "--policy", "full-posterior", *extra]
    told = CliRunner().invoke(cli, begun).stderr
    assert "full-posterior of 2,000 items takes some 0.4 GB of memory and 1 second a question" in told
    assert ("akg takes milliseconds" in told) is other
