"""Moment matching of one answer, in closed form ([CJL], propMM and propMMw).

Under theta ~ Dir(alpha), R = theta_i + theta_j and B = theta_i / R are independent, R ~ Beta(r, alpha_0 - r) with
r = alpha_i + alpha_j and B ~ Beta(alpha_i, alpha_j). An answer about (i, j) says something about B only, so all that
propMM needs are three moments of B after the answer. Written with them, alpha'_0 = (D - 1) / (sum C^2 - D) becomes a
ratio of sums of positive terms, without the subtraction of nearly equal numbers that the printed form has.

One update serves both settings: propMM is propMMw with eta = 1. A tie is the Davidson tie
(likelihood sqrt(theta_i theta_j) / (theta_i + theta_j), hence Beta(a + 1/2, b + 1/2)), heard with weight |2p - 1|:
fully from a reliable worker, not at all from one who answers at random.
"""

from numba import njit

from nextpair.core.arrays import FloatArray, IntArray

# Left alone, the paper's recursion squares a component with every loss to another small one and is at 0/0 within a
# dozen answers. Below SMALL only the order of components is kept: a loser lands one STEP above the next smaller one, so
# that it loses no place but to the winner, and a winner stays or passes the loser. SMALLEST is the floor.
SMALL = 1e-50
SMALLEST = 1e-100
STEP = 1.001


@njit(cache=True, forceinline=True, error_model="numpy")
def after_answer(a: float, b: float, eta: float, other: float) -> tuple[float, float, float, float]:  # pragma: no cover
    """Mean, one less the mean, E[B(1-B)] and variance of the mixture eta Beta(a+1, b) + other Beta(a, b+1).

    `other` is 1 - eta, given apart because the subtraction would cost the loser's alpha its digits.
    """
    n = a + b + 1.0
    mixed = (eta * (a + 1.0) * b + other * a * (b + 1.0)) / (n * (n + 1.0))
    return (a + eta) / n, (b + other) / n, mixed, mixed / n + eta * other / (n * n)


@njit(cache=True, forceinline=True, error_model="numpy")
def _after_tie(a: float, b: float, weight: float) -> tuple[float, float, float, float]:  # pragma: no cover
    """The same moments of weight Beta(a+1/2, b+1/2) + (1-weight) Beta(a, b)."""
    r = a + b
    heard = (a + 0.5) * (b + 0.5) / ((r + 1.0) * (r + 2.0))
    unheard = (a / r) * b / (r + 1.0)
    mean = weight * (a + 0.5) / (r + 1.0) + (1.0 - weight) * a / r
    lower = weight * (b + 0.5) / (r + 1.0) + (1.0 - weight) * b / r
    gap = (b - a) / (2.0 * r * (r + 1.0))
    var = weight * heard / (r + 1.0) + (1.0 - weight) * unheard / r + weight * (1.0 - weight) * gap * gap
    return mean, lower, weight * heard + (1.0 - weight) * unheard, var


@njit(cache=True, forceinline=True, error_model="numpy")
def total_factor(
    r: float, rest: float, spread: float, mean: float, lower: float, mixed: float, var: float
) -> float:  # pragma: no cover
    """s = alpha'_0 / alpha_0 (eq. MM1form, MM1wform1).

    `rest` is alpha_0 - r and `spread` the sum of alpha_k (alpha_0 - alpha_k), both over the items k outside the
    pair; `mean`, `lower`, `mixed`, `var` are the moments of B after the answer.
    """
    total = r + rest
    square = 2.0 * r * (r + 1.0)
    above = spread + r * rest + square * mixed
    below = spread + total * square * var + r * rest * (mean * mean + lower * lower)
    return above / below


@njit(cache=True)
def _totals(alpha: FloatArray, r: float) -> tuple[float, float]:  # pragma: no cover
    """(rest, spread) over `alpha`, whose pair of mass r is set to zero.

    Eight running sums instead of one let the processor add in parallel, in an order that is the same on every machine.
    """
    a = b = c = d = e = f = g = h = 0.0
    aa = bb = cc = dd = ee = ff = gg = hh = 0.0
    whole = alpha.size - alpha.size % 8
    for k in range(0, whole, 8):
        a += alpha[k]
        b += alpha[k + 1]
        c += alpha[k + 2]
        d += alpha[k + 3]
        e += alpha[k + 4]
        f += alpha[k + 5]
        g += alpha[k + 6]
        h += alpha[k + 7]
        aa += alpha[k] * alpha[k]
        bb += alpha[k + 1] * alpha[k + 1]
        cc += alpha[k + 2] * alpha[k + 2]
        dd += alpha[k + 3] * alpha[k + 3]
        ee += alpha[k + 4] * alpha[k + 4]
        ff += alpha[k + 5] * alpha[k + 5]
        gg += alpha[k + 6] * alpha[k + 6]
        hh += alpha[k + 7] * alpha[k + 7]
    for k in range(whole, alpha.size):
        a += alpha[k]
        aa += alpha[k] * alpha[k]
    rest = ((a + b) + (c + d)) + ((e + f) + (g + h))
    squares = ((aa + bb) + (cc + dd)) + ((ee + ff) + (gg + hh))
    bound = rest * (r + rest)
    if bound - squares > 0.01 * bound:  # nothing is lost to the subtraction
        return rest, bound - squares
    spread = 0.0  # one item has nearly all the mass: add the small terms one by one
    for k in range(alpha.size):
        spread += alpha[k] * (r + rest - alpha[k])
    return rest, spread


@njit(cache=True)
def _landed(fallen: float, old: float, others: FloatArray) -> float:  # pragma: no cover
    """Where a component that fell from `old` to `fallen` comes to rest among the `others`."""
    if fallen >= min(old, SMALL):
        return fallen
    below = SMALLEST
    for other in others:
        if below < other < min(old, SMALL):
            below = other
    return max(fallen, below * STEP)


@njit(cache=True)
def absorb(
    alpha: FloatArray,
    mu: FloatArray,
    nu: FloatArray,
    winners: IntArray,
    losers: IntArray,
    workers: IntArray,
    ties: IntArray,
) -> None:  # pragma: no cover
    """Fold comparisons into the belief, one after the other, in place. Worker -1: fully reliable."""
    for t in range(winners.size):
        i, j, w = winners[t], losers[t], workers[t]
        a, b = alpha[i], alpha[j]
        r = a + b
        alpha[i] = alpha[j] = 0.0  # out of the way of the sums over the others
        rest, spread = _totals(alpha, r)
        p = 1.0 if w < 0 else mu[w] / (mu[w] + nu[w])
        if ties[t]:
            mean, lower, mixed, var = _after_tie(a, b, abs(2.0 * p - 1.0))
        else:
            towards = p * a + (1.0 - p) * b
            eta, other = p * a / towards, (1.0 - p) * b / towards  # chance that the latent draw favoured the winner
            mean, lower, mixed, var = after_answer(a, b, eta, other)
            if w >= 0:
                _learn_worker(mu, nu, w, eta, other)
        s = total_factor(r, rest, spread, mean, lower, mixed, var)
        for k in range(alpha.size):
            alpha[k] *= s
        new_a, new_b = s * r * mean, s * r * lower
        if r < SMALL:
            new_a, new_b = a, b
            if p > 0.5 and not ties[t]:
                new_a, new_b = max(a, b * STEP), 0.0
            elif p < 0.5 and not ties[t]:
                new_a, new_b = 0.0, max(b, a * STEP)
        alpha[j] = _landed(new_b, b, alpha)
        alpha[i] = _landed(new_a, a, alpha)


@njit(cache=True)
def _learn_worker(mu: FloatArray, nu: FloatArray, w: int, eta: float, other: float) -> None:  # pragma: no cover
    """(mu', nu') of the worker who agreed with the latent draw with chance eta (eq. MM1wform2)."""
    mean, lower, mixed, var = after_answer(mu[w], nu[w], eta, other)
    if var > 0.0 and mixed > 0.0:  # else the reliability is known for certain and stays
        total = mixed / var
        mu[w], nu[w] = max(mean * total, SMALLEST), max(lower * total, SMALLEST)
