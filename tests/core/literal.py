"""[CJL] transcribed literally, with the corrections of ERRATA: slow, readable, and not our code's algorithm."""

import numpy as np
from scipy.special import betainc


def eta(alpha, i, j, mu, nu, y):
    towards_i = ((1 + y) * mu + (1 - y) * nu) * alpha[i]
    towards_j = ((1 + y) * nu + (1 - y) * mu) * alpha[j]
    return towards_i / (towards_i + towards_j)


def matched(alpha, i, j, mu, nu, y, exact=np.longdouble):
    """propMMw: (alpha', mu', nu') after Y_ij^w = y, in extended precision because the print subtracts near-equals."""
    a = np.array(alpha, dtype=exact)
    one = exact(1)
    e = exact(eta(a, i, j, exact(mu), exact(nu), y))
    a0, r = a.sum(), a[i] + a[j]
    c = a / a0
    c[i] = e * (a[i] + 1) * r / (a0 * (r + 1)) + (1 - e) * a[i] * r / (a0 * (r + 1))
    c[j] = e * a[j] * r / (a0 * (r + 1)) + (1 - e) * (a[j] + 1) * r / (a0 * (r + 1))
    second = a * (a + 1) / (a0 * (a0 + 1))
    scale = r / (a0 * (a0 + 1) * (r + 2))
    second[i] = (e * (a[i] + 1) * (a[i] + 2) + (1 - e) * a[i] * (a[i] + 1)) * scale
    second[j] = (e * a[j] * (a[j] + 1) + (1 - e) * (a[j] + 1) * (a[j] + 2)) * scale
    d = second.sum()
    a0_new = (d - one) / ((c**2).sum() - d)
    n = exact(mu) + exact(nu)
    up, down = exact((1 + y) / 2), exact((1 - y) / 2)
    first = (e * (mu + up) + (1 - e) * (mu + down)) / (n + 1)
    f = (
        e * (mu + up) * (mu + up + 1)
        + (1 - e) * (mu + down) * (mu + down + 1)
        + e * (nu + down) * (nu + down + 1)
        + (1 - e) * (nu + up) * (nu + up + 1)
    ) / ((n + 1) * (n + 2))
    below = first**2 + (1 - first) ** 2 - f
    return c * a0_new, (f - 1) * first / below, (f - 1) * (1 - first) / below


def accuracy(alpha):
    """h: sort, then sum P(theta_i > theta_j) over pairs with i ranked above j."""
    ranked = np.sort(np.asarray(alpha, dtype=float))[::-1]
    k = len(ranked)
    total = sum(betainc(ranked[b], ranked[a], 0.5) for a in range(k) for b in range(a + 1, k))
    return 2 * total / (k * (k - 1))


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
