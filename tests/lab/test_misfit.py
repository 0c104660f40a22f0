"""Recordings made to fit, or not to fit, what policies assume."""

import numpy as np
import pytest
from click.testing import CliRunner
from scipy.stats import skew

from nextpair.core.comparisons import Comparisons
from nextpair.lab.misfit import main, misfit
from nextpair.lab.recording import Recording


def recording(rng, *, crowd, pair_effect=0.0, n_items=30, n_workers=80, answers=24_000, scores=None):
    """Answers to random pairs; `crowd` draws reliabilities, `pair_effect` is the spread of what no score explains."""
    scores = rng.normal(0, 1, n_items) if scores is None else scores
    effect = np.triu(rng.normal(0, pair_effect, (n_items, n_items)), 1)
    effect -= effect.T
    i = rng.integers(0, n_items, answers)
    j = (i + rng.integers(1, n_items, answers)) % n_items
    who = rng.integers(0, n_workers, answers)
    share = 1 / (1 + np.exp(-(scores[i] - scores[j] + effect[i, j])))
    rho = crowd(n_workers)[who]
    first = rng.random(answers) < rho * share + (1 - rho) * (1 - share)
    told = Comparisons.of(np.where(first, i, j), np.where(first, j, i), who, n_items=n_items, n_workers=n_workers)
    return Recording("made", told, scores)


def test_answers_as_assumed_fit():
    rng = np.random.default_rng(1)
    found = misfit(recording(rng, crowd=np.ones), rng)
    assert found.two_agree == pytest.approx(found.two_would_agree, abs=0.01)
    assert found.workers_differ < 0.06
    assert found.agree_with_truth == pytest.approx(found.agree_with_scores, abs=0.01)


def test_workers_who_differ_are_told_by_how_much():
    rng = np.random.default_rng(2)
    rho = rng.beta(4.0, 1.0, 80)
    found = misfit(recording(rng, crowd=lambda n: rho), rng)
    assert found.workers_differ == pytest.approx((2 * rho - 1).std() / (2 * rho - 1).mean(), abs=0.1)


def test_pairs_that_no_scores_explain_are_found():
    rng = np.random.default_rng(3)
    found = misfit(recording(rng, crowd=np.ones, pair_effect=1.0), rng)
    assert found.two_agree > found.two_would_agree + 0.04


def test_the_command_prints_a_row_each(tmp_path):
    rows = ["worker,left,right,winner"]
    rows += [f"w{k % 3},a,b,{'left' if k % 4 else 'right'}" for k in range(30)]
    rows += ["w1,a,c,left", "w2,b,c,tie", "w1,b,c,left", "w3,c,b,right"]
    (tmp_path / "comparisons.csv").write_text("\n".join(rows) + "\n")
    (tmp_path / "truth.csv").write_text("item,score\na,3\nb,2\nc,1\n")
    printed = CliRunner().invoke(main, [str(tmp_path)], catch_exceptions=False)
    assert printed.exit_code == 0
    assert "two answers to a pair agree" in printed.output
    assert "too few answers each" in printed.output


def test_spread_and_skew_are_those_of_the_scores():
    rng = np.random.default_rng(4)
    scores = np.log(np.linspace(0.02, 3, 30))  # a long lower tail
    found = misfit(recording(rng, crowd=np.ones, scores=scores), rng)
    assert found.spread == pytest.approx(scores.std(), rel=0.1)
    assert found.skew == pytest.approx(skew(scores), abs=0.3)
    assert skew(scores) < -1
