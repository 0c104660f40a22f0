"""The tail t(a, b) = I_1/2(max, min): the probability that the item with the smaller alpha is the better one.

The certainty of a pair is 1 - t. Two ways, both accurate to about 1e-14: a series of positive terms that is short
unless a and b are large and close, and, for those, the uniform asymptotic expansion
t = erfc(z) / 2 + exp(-z^2) / sqrt(2 pi r) * c(d, 1/r), with r = a + b, d = (a - b) / r and z^2 = r KL(1/2, a/r), whose
smooth correction c is a small polynomial.
"""

import math

import numpy as np
from numba import njit

from nextpair.core.arrays import FloatArray

LARGE = 64.0  # from this a + b on, and for |d| <= 1/2, the expansion is used
# c(d, 1/r) / d as a polynomial in d^2 (rows) and 1/r (columns), from 40-digit values at Chebyshev nodes
CORRECTION = np.array(
    [
        [
            -0.41666666665541807, -0.13124999984789754, 0.08296126620615049,
            0.10922097558561049, -0.12991575772279523, -0.24785084630912516,
        ],
        [
            -0.10208333909441779, -0.0949487812054985, 0.12607407769782725,
            0.32845987537839355, -0.4707224008380734, -1.6229182467294478,
        ],
        [
            -0.051528951473258776, -0.08324178177102168, 0.1523475768561448,
            0.6286100633530145, -1.0243078128509282, -5.307141276965282,
        ],
        [
            -0.032572311698953825, -0.075748868355281, 0.1720483913621535,
            0.9996648790067384, -1.8290178898257694, -13.060521202062587,
        ],
        [
            -0.0227822367258215, -0.06843091209366337, 0.18012471723734844,
            1.2851458228244106, -2.420725865885914, -18.721795207406476,
        ],
        [
            -0.01928648486909218, -0.0778306098145652, 0.2566436597471298,
            2.8418059938226397, -7.316962773064594, -92.95899232071447,
        ],
        [
            -0.005572059400752735, -0.00809250203218826, -0.029815379534144044,
            -1.7746316610381294, 7.776775756660435, 138.53685779627378,
        ],
        [
            -0.02837481029836339, -0.1683628075130512, 0.7111800619085153,
            11.089497635194448, -33.79184775455166, -502.9552733452489,
        ],
    ]
)  # fmt: skip


@njit(cache=True)
def divergence(d: float) -> float:  # pragma: no cover
    """KL(1/2 || (1 + d) / 2) with the roles swapped: ((1+d) log(1+d) + (1-d) log(1-d)) / 2, without cancellation."""
    if d >= 1.0:
        return 0.693147180559945309417  # one alpha is nothing beside the other: 0 log 0 is 0
    if d > 0.25:
        return 0.5 * ((1.0 + d) * math.log1p(d) + (1.0 - d) * math.log1p(-d))
    square = d * d
    total, power, n = 0.0, square, 1.0
    while power > 1e-18 * square:
        total += power / (n * (2.0 * n - 1.0))
        power *= square
        n += 1.0
    return 0.5 * total


@njit(cache=True)
def _stirling_rest(x: float) -> float:  # pragma: no cover
    """log Gamma(x) less Stirling's formula."""
    if x < 10.0:
        return math.lgamma(x) - ((x - 0.5) * math.log(x) - x + 0.918938533204672741780)
    y = 1.0 / (x * x)
    return (1 / 12 - y * (1 / 360 - y * (1 / 1260 - y * (1 / 1680 - y * (1 / 1188 - y * 691 / 360360))))) / x


@njit(cache=True)
def _series(a: float, b: float) -> float:  # pragma: no cover
    """I_1/2(a, b) = 2^-r / (a B(a, b)) 2F1(r, 1; a + 1; 1/2) for a > b."""
    r = a + b
    if r < 12.0:
        log_front = math.lgamma(r) - math.lgamma(a) - math.lgamma(b) - r * 0.693147180559945309417 - math.log(a)
    else:
        rest = _stirling_rest(r) - _stirling_rest(a) - _stirling_rest(b)
        log_front = rest - r * divergence((a - b) / r) + 0.5 * math.log(b / (a * r)) - 0.918938533204672741780
    if log_front < -80.0 - 0.7 * r:
        return 0.0 if log_front < -740.0 else math.exp(log_front)
    total, term, n = 1.0, 1.0, 0.0
    while term > 1e-17 * total:
        term *= 0.5 * (r + n) / (a + 1.0 + n)
        total += term
        n += 1.0
    return math.exp(log_front) * total


@njit(cache=True)
def _expansion(a: float, b: float) -> float:  # pragma: no cover
    r = a + b
    d = (a - b) / r
    square, inverse = d * d, 1.0 / r
    correction = 0.0
    for m in range(CORRECTION.shape[0] - 1, -1, -1):
        row = 0.0
        for n in range(CORRECTION.shape[1] - 1, -1, -1):
            row = row * inverse + CORRECTION[m, n]
        correction = correction * square + row
    power = r * divergence(d)
    return 0.5 * math.erfc(math.sqrt(power)) + math.exp(-power) / math.sqrt(6.283185307179586 * r) * d * correction


@njit(cache=True)
def tail(a: float, b: float) -> float:  # pragma: no cover
    """t(a, b), for any two positive numbers in any order."""
    if a < b:
        a, b = b, a
    if a == b:
        return 0.5
    if a < 3e-8:
        return b / (a + b)  # the next term of the expansion at zero is of the order of a b
    if a + b >= LARGE and a <= 3.0 * b:
        return _expansion(a, b)
    return _series(a, b)


@njit(cache=True)
def sum_of_tails(alpha: FloatArray) -> float:  # pragma: no cover
    """The sum over all pairs, tail by tail."""
    total = 0.0
    for i in range(alpha.size):
        for j in range(i):
            total += tail(alpha[i], alpha[j])
    return total
