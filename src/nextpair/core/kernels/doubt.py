"""How far scores hang on what is believed about workers: what one expectation per worker leaves out of a covariance."""

import numpy as np
from numba import njit

from nextpair.core.arrays import FloatArray
from nextpair.core.kernels.answer import match
from nextpair.core.kernels.joint import Joint, by_others
from nextpair.core.kernels.much import grade
from nextpair.core.kernels.trust import mean_without


@njit(cache=True)
def worker_pulls(at: Joint) -> tuple[FloatArray, FloatArray, FloatArray]:  # pragma: no cover
    """(pulls, var, known): cov @ pulls[:, w] is how scores move with the reliability of w, whose variance is var[w].

    An answer pulls its gap d by r E[sigma'(d)] / evidence (see `match`), r = 2 rho - 1; the slope of that in rho is
    E[sigma'(d)] / evidence^2. With a lean it is c (1 - c) (pull at rho = 1, less that at 0) / evidence^2, c the chance
    and evidence as it is in terms of c. A tie is heard with weight |r|.

    Of a single answer the doubt about rho is in its factor already: the likelihood is linear in rho. `known` (K, K) is
    the precision that the factors would have more of, together, if each rho were known: at most twice of what each
    has, since the first order says too much of answers that surprise.
    """
    told, factors, mean, cov, workers, nodes = at.told, at.factors, at.mean, at.cov, at.workers, at.nodes
    pulls, var = np.zeros((mean.size, nodes.shape[0])), np.zeros(nodes.shape[0])
    known = np.zeros((mean.size, mean.size))
    p = np.ones(nodes.shape[0])
    for w in range(nodes.shape[0]):
        p[w] = mean_without(workers[w], nodes[w], 0.5)
        var[w] = (workers[w] * (nodes[w] - p[w]) ** 2).sum() / workers[w].sum()
    for t in range(told.shape[1]):
        i, j, w = told[0, t], told[1, t], told[2, t]
        if w < 0:
            continue
        now = cov[i, i] + cov[j, j] - 2.0 * cov[i, j]
        gap, rest = by_others(t, at)
        lean = told[4, t] * at.leans[w + 1]
        rate, said = at.rates[w + 1], grade(told[5, t], at.much[:, w + 1])
        sure = match(gap, 1.0 / rest, 1.0, told[3, t], rate, lean, said)  # of a perfect worker
        chance = sure.chance
        if told[3, t]:
            slope = 2.0 * sure.pull * np.sign(2.0 * p[w] - 1.0)
        elif lean != 0.0:
            turned = match(gap, 1.0 / rest, 0.0, 0, rate, lean, said).pull
            slope = (sure.pull - turned) * chance * (1.0 - chance) / ((1.0 - p[w]) + (2.0 * p[w] - 1.0) * chance) ** 2
        else:
            slope = sure.pull * chance / ((1.0 - p[w]) + (2.0 * p[w] - 1.0) * chance) ** 2
        slope /= rest * now  # of the gap with this answer in it, not without
        pulls[i, w] += slope
        pulls[j, w] -= slope
        more = min(var[w] * slope * slope, max(factors[0, t], 0.0))
        known[i, i] += more
        known[j, j] += more
        known[i, j] -= more
        known[j, i] -= more
    return pulls, var, known
