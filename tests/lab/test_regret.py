"""Campaigns played on by compiled loops, against the policy itself and against the two answers that may come."""

import numpy as np
import pytest
from click.testing import CliRunner
from scipy.integrate import trapezoid
from scipy.special import expit
from scipy.stats import norm

from nextpair.core.candidates import Candidates
from nextpair.core.full_posterior import FullPosterior
from nextpair.core.gaussian import mean_certainty
from nextpair.core.kernels.onward import finish
from nextpair.core.policies import find_policy
from nextpair.errors import InvalidSetting
from nextpair.lab.regret import ANY, NEXT, campaign, ends, main, moments, questions
from nextpair.lab.worlds import Simulated, World


def asked(n_items, answers, seed):
    rng = np.random.default_rng(seed)
    source = Simulated(World(rng.dirichlet(np.ones(n_items)), None, seed))
    policy, belief = find_policy("full-posterior"), FullPosterior.prior(n_items)
    for _ in range(answers):
        (choice,) = policy.choose(belief, source.candidates(), rng, 1)
        told = source.answer(choice)
        belief = belief.update(told.winner, told.loser)
    return belief


@pytest.mark.parametrize("seed", range(3))
def test_the_end_is_where_the_policy_comes_to(seed):
    belief = asked(30, 60, seed)
    assert belief.refitted == 60  # with 30 items the next refit is three answers away
    rng = np.random.default_rng(seed)
    scores, luck = rng.standard_normal(30), rng.random((30, 30, 2))
    (i, j), *_ = questions(belief, rng).tolist()
    mean, cov = finish(belief.mean, belief.cov, (i, j), scores, luck)
    source = Simulated(World(np.exp(scores), None, 0))
    for _ in range(2):
        (choice,) = find_policy("full-posterior").choose(belief, source.candidates(), rng, 1)
        higher, lower = max(choice.pair), min(choice.pair)
        first = luck[higher, lower, 0] < 1 / (1 + np.exp(scores[lower] - scores[higher]))
        belief = belief.update(higher, lower) if first else belief.update(lower, higher)
    assert mean == pytest.approx(belief.mean, abs=1e-12)
    assert cov == pytest.approx(belief.cov, abs=1e-12)


def test_before_the_last_answer_two_ends_are_possible():
    belief, rng = asked(6, 20, 4), np.random.default_rng(0)
    pairs = questions(belief, rng)
    found = ends(belief, pairs, 1, 4000, rng)
    for way, (i, j) in enumerate(pairs.tolist()):
        (up, if_up), (down, if_down) = one_more(belief, i, j), one_more(belief, j, i)
        assert up + down == pytest.approx(1)
        which = np.abs(found[:, way, None] - [if_up, if_down])
        assert which.min(axis=1).max() < 1e-4
        assert (which.argmin(axis=1) == 0).mean() == pytest.approx(up, abs=0.04)


def one_more(belief, winner, loser):
    """(chance, accuracy): of the answer, and what is expected after it, by quadrature over the gap of the two."""
    along = belief.cov[winner] - belief.cov[loser]
    gap, var = belief.mean[winner] - belief.mean[loser], along[winner] - along[loser]
    d = np.linspace(gap - 12 * np.sqrt(var), gap + 12 * np.sqrt(var), 20_001)
    density = norm.pdf(d, gap, np.sqrt(var)) * expit(d)
    chance = trapezoid(density, d)
    mean = trapezoid(d * density, d) / chance
    left = trapezoid((d - mean) ** 2 * density, d) / chance
    cov = belief.cov + np.outer(along, along) * (left - var) / var**2
    return chance, mean_certainty(belief.mean + along * (mean - gap) / var, cov)


def test_the_best_question_comes_first_and_none_twice():
    belief, rng = asked(10, 15, 2), np.random.default_rng(1)
    pairs = questions(belief, rng)
    (choice,) = find_policy("full-posterior").choose(belief, Candidates(10), rng, 1)
    assert sorted(pairs[0].tolist()) == list(choice.pair)
    assert len({tuple(pair) for pair in pairs.tolist()}) == 1 + NEXT + ANY


def test_all_other_questions_can_be_tried():
    belief, rng = asked(10, 15, 2), np.random.default_rng(1)
    for others in (39, 1000):
        pairs = questions(belief, rng, others)
        assert {tuple(pair) for pair in pairs.tolist()} == {(i, j) for i in range(10) for j in range(i)}
    words = ["--items", "5", "--budget", "8", "--campaigns", "2", "--worlds", "4", "--jobs", "1"]
    done = CliRunner().invoke(main, [*words, "--others", "1000"], catch_exceptions=False)
    assert "| 4 at random |" in done.output  # ten pairs: the best, the next five, and the rest
    assert CliRunner().invoke(main, [*words, "--others", "0"]).exit_code == 2


def test_the_table():
    words = ["--items", "5", "--budget", "8", "--campaigns", "3", "--worlds", "4", "--jobs", "1"]
    done = CliRunner().invoke(main, words, catch_exceptions=False)
    assert done.exit_code == 0
    assert sum(line.startswith("| ") for line in done.output.splitlines()) == 2 + len(moments(8))
    assert "The best of all at every answer" in done.output
    assert CliRunner().invoke(main, ["--items", "4"]).exit_code == 2


def test_other_policies_lead_to_other_states():
    lost = {along: campaign(6, 12, 2, 5, 0, along) for along in ("full-posterior", "random", "akg")}
    assert all(table.shape == (len(moments(12)), 3) for table in lost.values())
    assert (lost["full-posterior"] == campaign(6, 12, 2, 5, 0)).all()
    assert not any((lost[along] == lost["full-posterior"]).all() for along in ("random", "akg"))
    refused = CliRunner().invoke(main, ["--along", "nobody"])
    assert isinstance(refused.exception, InvalidSetting)
    assert "'nobody'" in str(refused.exception)
