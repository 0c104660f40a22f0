"""P(theta_i > theta_j) against 40-digit arithmetic, and the table of tails against the function."""

import math

import mpmath
import numpy as np
import pytest
from scipy.special import betainc

from nextpair.core.halfbeta import prob_above
from nextpair.core.kernels.grid import grid_up_to
from nextpair.core.kernels.scorer import certainties
from nextpair.core.kernels.tail import tail


def exact(a, b):
    """I_1/2(a, b), a >= b, by its hypergeometric series."""
    with mpmath.workdps(40):
        a, b = mpmath.mpf(a), mpmath.mpf(b)
        r = a + b
        front = mpmath.exp(mpmath.loggamma(r) - mpmath.loggamma(a) - mpmath.loggamma(b) - r * mpmath.log(2)) / a
        return float(front * mpmath.hyp2f1(r, 1, a + 1, mpmath.mpf(1) / 2))


def some_pairs(count, seed):
    rng = np.random.default_rng(seed)
    a = 10 ** rng.uniform(-9, 3, count)
    b = np.where(rng.random(count) < 0.6, a * 10 ** rng.uniform(-0.3, 0.3, count), 10 ** rng.uniform(-9, 3, count))
    return np.maximum(a, b), np.minimum(a, b)


def test_tail_is_exact_to_1e_14():
    for a, b in zip(*some_pairs(300, 0), strict=True):
        assert tail(b, a) == tail(a, b)
        assert abs(tail(a, b) - exact(a, b)) < 3e-14


def test_tail_of_large_and_of_extreme_alphas():
    rng = np.random.default_rng(1)
    a = 10 ** rng.uniform(3, 6, 300)
    b = a * (1 + 2 * rng.standard_normal(300) / np.sqrt(a))
    got = [tail(x, y) for x, y in zip(a, b, strict=True)]
    np.testing.assert_allclose(got, betainc(np.maximum(a, b), np.minimum(a, b), 0.5), rtol=0, atol=1e-12)
    assert tail(1e5, 1e-12) == 0.0
    assert tail(1e-60, 3e-60) == pytest.approx(0.25)
    assert tail(2.0, 2.0) == 0.5


def test_the_table_is_the_tail():
    grid = grid_up_to(100.0)
    worst = 0.0
    for a, b in zip(*some_pairs(3000, 2), strict=True):
        if a > 100:
            continue
        p, q = (int(np.searchsorted(grid.edges, x, side="right")) - 1 for x in (a, b))
        value = 0.0
        if q >= grid.lowest[p]:
            block = grid.blocks[grid.start[p] + p - q]
            at = [grid.scale[k] * (x - grid.centre[k]) / (x + grid.centre[k]) for k, x in ((p, a), (q, b))]
            value = np.polynomial.chebyshev.chebval2d(*at, block)
        worst = max(worst, abs(value - tail(a, b)))
    assert worst < 2e-13


def test_prob_above_and_its_complement():
    assert prob_above(1.0, 1.0) == 0.5
    assert prob_above(3.0, 1.0) == pytest.approx(1 - math.pow(0.5, 3))
    assert prob_above(1e-40, 3e-40) == pytest.approx(0.25)
    assert prob_above(2.0, 5.0) + prob_above(5.0, 2.0) == pytest.approx(1.0)


@pytest.mark.parametrize("alpha", [[1.0, 2.0], np.linspace(0.01, 9, 60), np.full(20, 3.0), [1e6, 2.0] + [1.0] * 12])
def test_the_sum_of_certainties(alpha):
    ranked = np.sort(np.asarray(alpha, dtype=float))[::-1]
    above, below = np.triu_indices(ranked.size, 1)
    want = betainc(ranked[below], ranked[above], 0.5).sum()
    assert certainties(np.asarray(alpha, dtype=float)) == pytest.approx(want, rel=1e-12)
