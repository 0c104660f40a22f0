"""[CJL] transcribed literally, with the corrections of docs/maths.md: slow, readable, and not our code's algorithm."""

import mpmath
import numpy as np
from scipy.special import betainc

DIGITS = 60  # the print subtracts near-equals: with alphas between 1e-8 and 1e6 no hardware float is enough


def eta(alpha, i, j, mu, nu, y):
    towards_i = ((1 + y) * mu + (1 - y) * nu) * alpha[i]
    towards_j = ((1 + y) * nu + (1 - y) * mu) * alpha[j]
    return towards_i / (towards_i + towards_j)


def matched(alpha, i, j, mu, nu, y):
    """propMMw: (alpha', mu', nu') after Y_ij^w = y."""
    with mpmath.workdps(DIGITS):
        a = [mpmath.mpf(float(x)) for x in alpha]
        mu, nu = mpmath.mpf(float(mu)), mpmath.mpf(float(nu))
        e = eta(a, i, j, mu, nu, y)
        a0, r = sum(a), a[i] + a[j]
        c = [x / a0 for x in a]
        c[i] = e * (a[i] + 1) * r / (a0 * (r + 1)) + (1 - e) * a[i] * r / (a0 * (r + 1))
        c[j] = e * a[j] * r / (a0 * (r + 1)) + (1 - e) * (a[j] + 1) * r / (a0 * (r + 1))
        second = [x * (x + 1) / (a0 * (a0 + 1)) for x in a]
        scale = r / (a0 * (a0 + 1) * (r + 2))
        second[i] = (e * (a[i] + 1) * (a[i] + 2) + (1 - e) * a[i] * (a[i] + 1)) * scale
        second[j] = (e * a[j] * (a[j] + 1) + (1 - e) * (a[j] + 1) * (a[j] + 2)) * scale
        d = sum(second)
        a0_new = (d - 1) / (sum(x * x for x in c) - d)
        new_mu, new_nu = _matched_worker(mu, nu, e, y)
        return np.array([float(x * a0_new) for x in c]), new_mu, new_nu


def tied(alpha, i, j, p):
    """alpha' after a tie, heard with weight |2p - 1|: the posterior's means and sum of second moments."""
    with mpmath.workdps(DIGITS):
        a = [mpmath.mpf(float(x)) for x in alpha]
        heard = abs(2 * mpmath.mpf(float(p)) - 1)
        a0, r = sum(a), a[i] + a[j]
        c = [x / a0 for x in a]
        second = [x * (x + 1) / (a0 * (a0 + 1)) for x in a]
        for k in (i, j):  # theta_k = R B: R as before, B ~ Beta(a_i + 1/2, a_j + 1/2)
            up = a[k] + mpmath.mpf(1) / 2
            first = r / a0 * up / (r + 1)
            square = r * (r + 1) / (a0 * (a0 + 1)) * up * (up + 1) / ((r + 1) * (r + 2))
            c[k] += heard * (first - c[k])
            second[k] += heard * (square - second[k])
        d = sum(second)
        a0_new = (d - 1) / (sum(x * x for x in c) - d)
        return np.array([float(x * a0_new) for x in c])


def _matched_worker(mu, nu, e, y):
    n = mu + nu
    up, down = mpmath.mpf(1 + y) / 2, mpmath.mpf(1 - y) / 2
    first = (e * (mu + up) + (1 - e) * (mu + down)) / (n + 1)
    f = (
        e * (mu + up) * (mu + up + 1)
        + (1 - e) * (mu + down) * (mu + down + 1)
        + e * (nu + down) * (nu + down + 1)
        + (1 - e) * (nu + up) * (nu + up + 1)
    ) / ((n + 1) * (n + 2))
    below = first**2 + (1 - first) ** 2 - f
    if below == 0:  # the reliability is known for certain
        return float(mu), float(nu)
    return float((f - 1) * first / below), float((f - 1) * (1 - first) / below)


def accuracy(alpha):
    """h: sort, then sum P(theta_i > theta_j) over pairs with i ranked above j."""
    ranked = np.sort(np.asarray(alpha, dtype=float))[::-1]
    k = len(ranked)
    above, below = np.triu_indices(k, 1)
    return 2 * betainc(ranked[below], ranked[above], 0.5).sum() / (k * (k - 1))


def scores(alpha, mu, nu):
    """Eq. AKGw for a worker Beta(mu, nu); mu = 1, nu = 0 gives eq. AKG."""
    k = len(alpha)
    result = np.full((k, k), np.nan)
    p = mu / (mu + nu)
    now = accuracy(alpha)
    for i in range(k):
        for j in range(i + 1, k):
            towards_i = alpha[i] / (alpha[i] + alpha[j])
            chance = p * towards_i + (1 - p) * (1 - towards_i)
            reward_up = accuracy(matched(alpha, i, j, mu, nu, +1)[0]) - now
            reward_down = accuracy(matched(alpha, i, j, mu, nu, -1)[0]) - now
            result[i, j] = result[j, i] = chance * reward_up + (1 - chance) * reward_down
    return result
