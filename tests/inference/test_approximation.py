"""The sampler against quadrature, and the comparison of the belief with the exact posterior."""

import numpy as np
import pytest
from scipy.integrate import dblquad
from scipy.special import betainc

from nextpair.core.belief import Belief
from nextpair.core.comparisons import Comparisons
from nextpair.core.exact import exact_posterior
from nextpair.errors import InvalidSetting
from nextpair.inference.approximation import average, compare, measure_approximation, reference_posterior
from nextpair.inference.gibbs import PosteriorSummary, sample_posterior

ANSWERS = Comparisons.of(
    [0, 0, 1, 2, 0, 0, 1, 0], [1, 2, 2, 1, 1, 1, 0, 3], [-1, 0, 0, 1, 1, 0, -1, 0], [0, 0, 0, 0, 0, 0, 1, 0]
)


@pytest.mark.parametrize("workers", [True, False])
def test_the_sampler_agrees_with_quadrature(workers):
    told = ANSWERS if workers else Comparisons.of(ANSWERS.winners, ANSWERS.losers, -1, ANSWERS.ties)
    exact = exact_posterior(told)
    sampled = sample_posterior(told, np.random.default_rng(0), chains=400)
    assert sampled.error < 0.003
    assert sampled.prob_above == pytest.approx(exact.prob_above(), abs=5 * sampled.error)
    assert sampled.mean == pytest.approx(exact.mean(), abs=0.003)
    assert sampled.var == pytest.approx(exact.var(), abs=0.002)


def test_the_sampler_learns_a_reliability_as_a_double_integral_does():
    def contrary(x, rho):  # a worker said both, with theta = (x, 1 - x) and rho ~ Beta(4, 1)
        agree = rho * x + (1 - rho) * (1 - x)
        return agree * (1 - agree) * rho**3

    expected = dblquad(lambda x, r: r * contrary(x, r), 0, 1, 0, 1)[0] / dblquad(contrary, 0, 1, 0, 1)[0]
    two = sample_posterior(Comparisons.of([0, 1], [1, 0], [0, 0]), np.random.default_rng(1), chains=800)
    assert two.reliability[0] == pytest.approx(expected, abs=0.002)
    assert expected < 0.79


def test_few_items_are_integrated_and_many_sampled():
    rng = np.random.default_rng(0)
    few = reference_posterior(Comparisons.of([0, 0], [1, 1]), rng)
    assert few.error == 0
    assert few.prob_above[1, 0] == pytest.approx(betainc(3, 1, 0.5))
    assert reference_posterior(Comparisons.of([0], [4]), rng).error > 0


def test_one_answer_is_matched_exactly_and_many_are_not():
    first, *_, last = measure_approximation(3, [1, 10, 30], np.random.default_rng(5))
    assert first.scores == pytest.approx(0, abs=1e-9)
    assert first.prob_above < 0.03
    assert last.scores > 1e-3
    assert (first.answers, last.answers) == (1, 30)


def test_compare_by_hand():
    belief = Belief([2.0, 1.0, 1.0], [4.0], [1.0])
    above = np.full((3, 3), 0.5)
    above[0, 1:], above[1:, 0] = 0.8, 0.2
    reference = PosteriorSummary(np.array([0.4, 0.3, 0.3]), np.full(3, 0.04), above, np.array([0.7]), 0.001)
    found = compare(belief, reference, 7)
    assert found.prob_above == pytest.approx(2 * 0.05 / 3)  # P(2 above 1) = 3/4 under Dir(2, 1, 1)
    assert found.worst == pytest.approx(0.05)
    assert found.scores == pytest.approx(0.1)
    assert found.spread == pytest.approx(np.mean([np.sqrt(0.25 / 5), *[np.sqrt(3 / 16 / 5)] * 2]) / 0.2)
    assert (found.claimed, found.actual, found.exact) == pytest.approx((2 / 3, 0.7, 0.7))
    assert (found.reliability, found.noise, found.answers) == pytest.approx((0.1, 0.001, 7))


def test_a_campaign_with_workers_asks_nobody_twice_about_a_pair():
    (found,) = measure_approximation(3, [5], np.random.default_rng(0), policy="akg", n_workers=2)
    assert 0 < found.reliability < 0.2
    with pytest.raises(InvalidSetting, match="after 6 answers every worker"):
        measure_approximation(3, [7], np.random.default_rng(0), n_workers=2)


def test_averages_carry_their_error():
    runs = [measure_approximation(2, [1, 4], np.random.default_rng(seed)) for seed in range(3)]
    mean, error = average(runs)
    claimed = [run[1].claimed for run in runs]
    assert mean[1].claimed == pytest.approx(np.mean(claimed))
    assert error[1].claimed == pytest.approx(np.std(claimed, ddof=1) / np.sqrt(3))
    assert average(runs[:1])[1][0].claimed == 0


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        ({"answers": []}, "after 1 answer or more"),
        ({"answers": [0]}, r"not \[0\]"),
        ({"answers": [1], "policy": "crowd-bt"}, "crowd-bt has another belief"),
    ],
)
def test_impossible_measurements_are_refused(arguments, word):
    with pytest.raises(InvalidSetting, match=word):
        measure_approximation(3, rng=np.random.default_rng(0), **arguments)


def test_too_few_chains_are_refused():
    with pytest.raises(InvalidSetting, match="2 chains"):
        sample_posterior(ANSWERS, np.random.default_rng(0), chains=1)
