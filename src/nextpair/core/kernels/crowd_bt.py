"""The arithmetic of Crowd-BT, compiled: one update, and the information gain of many questions at once."""

import math

import numpy as np
from numba import njit

from nextpair.core.arrays import FloatArray, IntArray

KAPPA = 1e-4  # of its variance at least this share remains after an answer (kappa of the authors)
_NODES = 65
_EDGE = 1e-12  # chances keep this far from 0 and 1; c1, an expansion, might even leave (0, 1)


@njit(cache=True)
def _chance(gap: float) -> float:  # pragma: no cover
    """e^a / (e^a + e^b) for gap = a - b, and never quite 0 or 1."""
    return min(max(1.0 / (1.0 + math.exp(-gap)) if gap > -700.0 else 0.0, _EDGE), 1.0 - _EDGE)


@njit(cache=True)
def _lift(up: float, p: float) -> tuple[float, float]:  # pragma: no cover
    """Slope and curvature of the log-likelihood of an answer whose Bradley-Terry chance is `up`."""
    heard = p * up / (p * up + (1.0 - p) * (1.0 - up))
    return heard - up, heard * (1.0 - heard) - up * (1.0 - up)


@njit(cache=True)
def _expected_chance(up: float, both_var: float) -> float:  # pragma: no cover
    """c1: the chance that the winner beats the loser, expanded to second order around the means."""
    value = up + 0.5 * both_var * up * (1.0 - up) * (1.0 - 2.0 * up)
    return min(max(value, _EDGE), 1.0 - _EDGE)


@njit(cache=True)
def _matched_worker(mu: float, nu: float, agreed: float) -> tuple[float, float]:  # pragma: no cover
    """The Beta with the moments of agreed Beta(mu + 1, nu) + (1 - agreed) Beta(mu, nu + 1)."""
    n = mu + nu + 1.0
    mean = (mu + agreed) / n
    mixed = (agreed * (mu + 1.0) * nu + (1.0 - agreed) * mu * (nu + 1.0)) / (n * (n + 1.0))
    var = mixed / n + agreed * (1.0 - agreed) / (n * n)
    return mean * mixed / var, (1.0 - mean) * mixed / var


@njit(cache=True)
def absorb(
    mean: FloatArray,
    var: FloatArray,
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
        p = 1.0 if w < 0 else mu[w] / (mu[w] + nu[w])
        up = _chance(mean[i] - mean[j])
        lift, bend = _lift(up, p)
        if ties[t]:
            other, other_bend = _lift(1.0 - up, p)
            lift, bend = 0.5 * (lift - other), 0.5 * (bend + other_bend)
        elif w >= 0 and mu[w] > 0.0 and nu[w] > 0.0:  # else the reliability is known for certain
            c1 = _expected_chance(up, var[i] + var[j])
            mu[w], nu[w] = _matched_worker(mu[w], nu[w], c1 * p / (c1 * p + (1.0 - c1) * (1.0 - p)))
        mean[i] += var[i] * lift
        mean[j] -= var[j] * lift
        var[i] *= max(1.0 + var[i] * bend, KAPPA)
        var[j] *= max(1.0 + var[j] * bend, KAPPA)


@njit(cache=True)
def _log_gamma_and_slope(x: float) -> tuple[float, float]:  # pragma: no cover
    """log Gamma(x) and its derivative, by the asymptotic series beyond 8 (error below 1e-13)."""
    product, slope = 1.0, 0.0
    while x < 8.0:
        product *= x
        slope -= 1.0 / x
        x += 1.0
    log_x, u = math.log(x), 1.0 / (x * x)
    tail = (1 / 12 - u * (1 / 360 - u * (1 / 1260 - u * (1 / 1680 - u * (1 / 1188 - u * 691 / 360360))))) / x
    value = (x - 0.5) * log_x - x + 0.9189385332046727 + tail - math.log(product)
    slope += log_x - 0.5 / x
    slope -= u * (1 / 12 - u * (1 / 120 - u * (1 / 252 - u * (1 / 240 - u * (1 / 132 - u * 691 / 32760)))))
    return value, slope


@njit(cache=True)
def _worker_divergence(
    new_mu: float, new_nu: float, mu: float, nu: float, log_beta: float
) -> float:  # pragma: no cover
    """KL(Beta(new_mu, new_nu) || Beta(mu, nu)); `log_beta` is log B(mu, nu)."""
    a, slope_a = _log_gamma_and_slope(new_mu)
    b, slope_b = _log_gamma_and_slope(new_nu)
    c, slope_c = _log_gamma_and_slope(new_mu + new_nu)
    moved = (new_mu - mu) * slope_a + (new_nu - nu) * slope_b + (mu - new_mu + nu - new_nu) * slope_c
    return log_beta - (a + b - c) + moved


@njit(cache=True)
def _worker_gain(c1: float, mu: float, nu: float, log_beta: float) -> float:  # pragma: no cover
    """What an answer about a pair of chance c1 is expected to teach about the worker."""
    p = mu / (mu + nu)
    c = c1 * p + (1.0 - c1) * (1.0 - p)
    first_mu, first_nu = _matched_worker(mu, nu, c1 * p / c)
    other_mu, other_nu = _matched_worker(mu, nu, (1.0 - c1) * p / (1.0 - c))
    return c * _worker_divergence(first_mu, first_nu, mu, nu, log_beta) + (1.0 - c) * _worker_divergence(
        other_mu, other_nu, mu, nu, log_beta
    )


@njit(cache=True)
def _items_gain(up: float, first_var: float, second_var: float, p: float, c: float) -> float:  # pragma: no cover
    """What the answer is expected to teach about the two items; c is the chance of the first answer."""
    total = 0.0
    for weight, chance in ((c, up), (1.0 - c, 1.0 - up)):
        lift, bend = _lift(chance, p)
        x, y = max(first_var * bend, KAPPA - 1.0), max(second_var * bend, KAPPA - 1.0)
        moved = (first_var + second_var) * lift * lift + x + y - math.log((1.0 + x) * (1.0 + y))
        total += 0.5 * weight * moved
    return total


@njit(cache=True)
def _worker_table(mu: float, nu: float, log_beta: float) -> tuple[FloatArray, float]:  # pragma: no cover
    """The worker's gain at evenly spaced |2 c1 - 1| (it is even in it), and a bound of the error between them."""
    table = np.empty(_NODES + 1)
    width = 1.0 / (_NODES - 1)
    for k in range(_NODES):
        table[k] = _worker_gain(min(0.5 + 0.5 * k * width, 1.0 - _EDGE), mu, nu, log_beta)
    table[_NODES] = table[_NODES - 1]
    error = 0.0
    for k in range(_NODES - 1):
        middle = _worker_gain(0.5 + 0.5 * (k + 0.5) * width, mu, nu, log_beta)
        error = max(error, abs(middle - 0.5 * (table[k] + table[k + 1])))
    return table, 2.0 * error + 1e-12


@njit(cache=True)
def gains(
    mean: FloatArray,
    var: FloatArray,
    rows: IntArray,
    columns: IntArray,
    mu: float,
    nu: float,
    gamma: float,
    floor: float,
) -> FloatArray:  # pragma: no cover
    """The expected information gain of each pair of one worker, -inf where it is below `floor`.

    The worker's part costs a dozen special functions a pair, so it is first read off a table; exact values are computed
    only where the reading, with the table's error, could reach `floor` or the best of these pairs.
    """
    p = mu / (mu + nu)
    weight = gamma if mu > 0.0 and nu > 0.0 else 0.0
    log_beta, slack = 0.0, 0.0
    table = np.zeros(_NODES + 1)
    if weight > 0.0:
        log_beta = _log_gamma_and_slope(mu)[0] + _log_gamma_and_slope(nu)[0] - _log_gamma_and_slope(mu + nu)[0]
        table, slack = _worker_table(mu, nu, log_beta)
    chance, items, rough = np.empty(rows.size), np.empty(rows.size), np.empty(rows.size)
    for k in range(rows.size):
        i, j = rows[k], columns[k]
        up = _chance(mean[i] - mean[j])
        c1 = _expected_chance(up, var[i] + var[j])
        chance[k] = c1
        items[k] = _items_gain(up, var[i], var[j], p, c1 * p + (1.0 - c1) * (1.0 - p))
        spot = abs(2.0 * c1 - 1.0) * (_NODES - 1)
        left = int(spot)
        rough[k] = items[k] + weight * (table[left] + (spot - left) * (table[left + 1] - table[left]))
    if weight == 0.0:
        return rough
    best = np.argmax(rough)
    reached = items[best] + weight * _worker_gain(chance[best], mu, nu, log_beta)
    needed = max(floor, reached - 1e-9 * abs(reached)) - weight * slack
    for k in range(rows.size):
        rough[k] = items[k] + weight * _worker_gain(chance[k], mu, nu, log_beta) if rough[k] >= needed else -np.inf
    return rough


@njit(cache=True)
def worker_part(mu: float, nu: float, gamma: float) -> FloatArray:  # pragma: no cover
    """At evenly spaced |2 c1 - 1|, what read between them is at least what the worker counts for in a question."""
    if gamma == 0.0 or mu <= 0.0 or nu <= 0.0:
        return np.zeros(_NODES + 1)
    log_beta = _log_gamma_and_slope(mu)[0] + _log_gamma_and_slope(nu)[0] - _log_gamma_and_slope(mu + nu)[0]
    table, slack = _worker_table(mu, nu, log_beta)
    return gamma * (table + slack)


@njit(cache=True)
def pair_chances(
    mean: FloatArray, var: FloatArray, rows: IntArray, columns: IntArray
) -> tuple[FloatArray, FloatArray]:  # pragma: no cover
    """Of each pair the chance at the means, and c1: all of a question that needs no worker."""
    up, c1 = np.empty(rows.size), np.empty(rows.size)
    for k in range(rows.size):
        i, j = rows[k], columns[k]
        up[k] = _chance(mean[i] - mean[j])
        c1[k] = _expected_chance(up[k], var[i] + var[j])
    return up, c1


@njit(cache=True)
def _narrowed(first_var: float, second_var: float, bend: float) -> float:  # pragma: no cover
    """What the variances have to do with the divergence of the items: 0 at bend 0, and more the further from it."""
    x, y = max(first_var * bend, KAPPA - 1.0), max(second_var * bend, KAPPA - 1.0)
    return x + y - math.log((1.0 + x) * (1.0 + y))


@njit(cache=True)
def _most_moved(up: float, first_var: float, second_var: float, low: float, high: float) -> float:  # pragma: no cover
    """At least what an answer of chance `up` teaches about the items, if of a worker of low <= p <= high.

    What is heard grows with p, so that the largest lift is at an end, and the bend between those at the ends, or up to
    that of 1/2 if it is passed.
    """
    least = low * up / (low * up + (1.0 - low) * (1.0 - up))
    most = high * up / (high * up + (1.0 - high) * (1.0 - up))
    lift = max(abs(least - up), abs(most - up))
    one, other, plain = least * (1.0 - least), most * (1.0 - most), up * (1.0 - up)
    top = 0.25 if least < 0.5 < most else max(one, other)
    narrowed = max(
        _narrowed(first_var, second_var, min(one, other) - plain), _narrowed(first_var, second_var, top - plain)
    )
    return 0.5 * ((first_var + second_var) * lift * lift + narrowed)


@njit(cache=True)
def ceilings(
    var: FloatArray,
    rows: IntArray,
    columns: IntArray,
    up: FloatArray,
    c1: FloatArray,
    low: float,
    high: float,
    part: FloatArray,
) -> FloatArray:  # pragma: no cover
    """At least what `gains` gives each pair, for whatever worker of low <= p <= high whose `worker_part` is `part`."""
    found = np.empty(rows.size)
    for k in range(rows.size):
        first, second = var[rows[k]], var[columns[k]]
        one = _most_moved(up[k], first, second, low, high)
        other = _most_moved(1.0 - up[k], first, second, low, high)
        c_low = c1[k] * low + (1.0 - c1[k]) * (1.0 - low)
        c_high = c1[k] * high + (1.0 - c1[k]) * (1.0 - high)
        items = max(c_low * one + (1.0 - c_low) * other, c_high * one + (1.0 - c_high) * other)
        spot = abs(2.0 * c1[k] - 1.0) * (_NODES - 1)
        left = int(spot)
        found[k] = (items + part[left] + (spot - left) * (part[left + 1] - part[left])) * (1.0 + 1e-9)
    return found
