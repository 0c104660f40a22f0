"""What is expected of an answer, against sums over a fine grid, however far apart items may be."""

import numpy as np
import pytest
from scipy.special import expit

from nextpair.core.kernels.ahead import prospects
from nextpair.core.kernels.davidson import davidson_moments
from nextpair.core.kernels.normal import NODES, SIZES, WEIGHTS, answer_moments

WIDE = [0.05, 0.5, 1.8, 2.0, 2.1, 3.9, 4.1, 7.9, 15.0, 31.0, 60.0]
GAPS = [0.0, 0.3, -1.1, 2.5]  # in standard deviations


def expect(function, mean, sd):
    d = np.linspace(mean - 9 * sd, mean + 9 * sd, 200_001)
    weights = np.exp(-0.5 * ((d - mean) / sd) ** 2)
    return (function(d) * weights).sum() / weights.sum()


@pytest.mark.parametrize("sd", WIDE)
@pytest.mark.parametrize("gap", GAPS)
def test_an_answer_without_ties(gap, sd):
    def slope(d):
        return expit(d) * expit(-d)

    value, first, second = answer_moments(gap * sd, sd**2)
    assert value == pytest.approx(expect(expit, gap * sd, sd), abs=2e-6)
    assert first == pytest.approx(expect(slope, gap * sd, sd), abs=1e-5)
    assert second == pytest.approx(expect(lambda d: slope(d) * (1 - 2 * expit(d)), gap * sd, sd), abs=3e-5)


@pytest.mark.parametrize("sd", WIDE)
@pytest.mark.parametrize("gap", GAPS)
@pytest.mark.parametrize("rate", [0.1, 2.0])
def test_an_answer_where_ties_are_called(rate, gap, sd):
    def z(d):
        return 2 * np.cosh(np.clip(d, -1400, 1400) / 2) + rate

    def first(d):
        return 1 / (1 + rate * np.exp(-np.clip(d, -1400, 1400) / 2) + np.exp(-np.clip(d, -700, 700)))

    mean = gap * sd
    tied = expect(lambda d: 1 / z(d), mean, sd)
    even, even_slope, _ = davidson_moments(mean, sd**2, rate, 1)
    assert even == pytest.approx(tied, abs=1e-5)
    assert even_slope == pytest.approx(
        expect(lambda d: -np.sinh(np.clip(d, -700, 700) / 2) / z(d) ** 2, mean, sd), abs=2e-5
    )
    value, *_ = davidson_moments(mean, sd**2, rate, 0)
    assert value == pytest.approx(expect(first, mean, sd) / (1 - rate * tied), abs=2e-5)


@pytest.mark.parametrize("sd", WIDE)
@pytest.mark.parametrize("gap", GAPS)
def test_a_choice_expects_the_same(gap, sd):
    mean, cov = np.array([gap * sd, 0.0]), np.eye(2) * sd**2 / 2
    chance, worth = prospects(mean, cov, np.eye(2))
    value, slope, _ = answer_moments(gap * sd, sd**2)
    assert chance[0, 1] == pytest.approx(value, abs=1e-12)
    assert worth[0, 1] == pytest.approx(2 * slope**2, rel=1e-9, abs=1e-15)


def test_every_rule_is_that_of_a_standard_normal():
    for nodes, weights, size in zip(NODES, WEIGHTS, SIZES, strict=True):
        assert not weights[size:].any()
        assert (nodes[:size] == -nodes[:size][::-1]).all()
        assert weights.sum() == pytest.approx(1, abs=1e-12)
        assert (weights * nodes**2).sum() == pytest.approx(1, abs=1e-5)
