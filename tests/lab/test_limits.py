"""Policies against the best that is possible."""

import numpy as np
import pytest
from click.testing import CliRunner

from nextpair.lab import limits
from nextpair.lab.limits import Tiny, campaigns, expected_accuracy, main
from nextpair.lab.savings import saved


def test_a_ranking_is_judged_by_what_it_rests_on():
    above = np.array([0.9, 0.8, 0.3])  # 0 > 1, 0 > 2, 1 > 2
    assert expected_accuracy(np.array([0, 2, 1]), above) == pytest.approx((0.9 + 0.8 + 0.7) / 3)
    assert expected_accuracy(np.array([1, 0, 2]), above) == pytest.approx((0.1 + 0.8 + 0.3) / 3)
    curve = np.array([0.5, 0.7, 0.8])
    assert saved(0.7, 2, np.arange(3.0), curve) == pytest.approx(0.5)
    assert np.isnan(saved(0.9, 2, np.arange(3.0), curve))


@pytest.mark.parametrize("tiny", [Tiny(3, 0, (12,)), Tiny(4, 0, (9,)), Tiny(3, 4, (9,))], ids=lambda tiny: tiny.title)
def test_no_policy_is_ahead_of_the_best(tiny):
    best = tiny.best()
    for policy in ("akg", "full-posterior"):
        found = campaigns(tiny, policy, range(150), seed=0)
        assert found.shape == (150, tiny.budget + 1)
        error = found.std(axis=0) / np.sqrt(len(found))
        assert np.all(found.mean(axis=0) < best + 4 * error + 1e-9)
        assert np.all(found.mean(axis=0) > best - 4 * error - 0.03)


def test_the_command_prints_its_tables(monkeypatch):
    monkeypatch.setattr(limits, "KINDS", (Tiny(3, 0, (2, 4)), Tiny(3, 2, (3,))))
    printed = CliRunner().invoke(main, ["--count", "20", "--jobs", "1"], catch_exceptions=False)
    assert printed.exit_code == 0
    assert "| answers | best possible | akg | full-posterior | random | best saves |" in printed.output
    assert "| 4 | 0.776" in printed.output
    assert "3 items, 2 workers of Beta(4, 1), 20 campaigns" in printed.output
