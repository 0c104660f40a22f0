"""Which question narrows the ranking most under the full posterior: all pairs at once, through their correlations.

Asking (i, j) moves the posterior along c = V (e_i - e_j), V the covariance. Of the variance of the gap d_ij = s_i - s_j
an answer explains on average the share

    f = var (2 rho - 1)^2 E[sigma'(d)]^2 / (q (1 - q)),        q = the chance of the answer "i"

and of every other gap d_kl the share f corr(d_kl, d_ij)^2. How much that helps the ranking depends on how undecided
(k, l) is: pairs are weighted by exp(-FOCUS x^2 / 2) with x = E[d_kl] / sd(d_kl). Summed over all pairs,

    gain = f / var sum_kl weight_kl (c_k - c_l)^2 / var_kl = f / var (e_i - e_j)' V L V (e_i - e_j)

with L the Laplacian of weight / var. V L V is computed once, so every pair costs O(1) and a choice O(K^3).

FOCUS = 2 is the expected fall of sum P (1 - P), P the probability of an order. A one-step gain in accuracy itself
(the limit of large FOCUS) sees no use in an answer that cannot turn an order by itself, and falls behind with time.

The worker enters by E[(2 rho - 1)^2], not by (2 E[rho] - 1)^2: an answer is worth what it will have told once the
worker is known. Two more terms make a campaign learn about its workers, since the best of them tells several times as
much as the average one, and one who turns everything round agrees with himself as well as the best does:

- a worker asked x times as often as the average one counts 1 + EXPLORE / sqrt(x) times;
- what the answer teaches about rho, Var(r)^2 (2 P(i wins) - 1)^2 / (q (1 - q)) with r = 2 rho - 1, counts LEARN times
  the largest gain that a fully reliable worker would bring.

Both were set by simulation (docs/beyond.md); half of each is within the noise, one and a half times LEARN is worse.
"""

from __future__ import annotations

import numpy as np

from nextpair.core.arrays import FloatArray, IntArray
from nextpair.core.candidates import Candidates, Choice
from nextpair.core.full_posterior import FullPosterior
from nextpair.core.kernels.ahead import doubt_laplacian, gains, prospects
from nextpair.core.questions import Value, best_questions

EXPLORE = 0.2
LEARN = 7.5


def look_ahead(mean: FloatArray, cov: FloatArray) -> tuple[FloatArray, FloatArray]:
    """(chance, worth) of every pair: the chance that the row wins, and f / var times the sum above at rho = 1.

    Worth is divided by the number of pairs, and still to be divided by q (1 - q) and multiplied by (2 rho - 1)^2.
    """
    reach = cov @ doubt_laplacian(mean, cov) @ cov
    chance, worth = prospects(mean, cov, reach)
    return chance, worth / (mean.size * (mean.size - 1) / 2)


def choose(belief: FullPosterior, candidates: Candidates, rng: np.random.Generator, n: int = 1) -> list[Choice]:
    """The n questions of largest gain per unit of cost. In a batch each knows of the ones before it.

    What an answer will be is not known, but how much it narrows the posterior is, nearly: that is taken for granted.
    """
    cov = belief.cov
    choices: list[Choice] = []
    asked = belief.answers_by_worker()
    while len(choices) < n:
        found = best_questions(candidates, _value(belief, cov, asked), rng, 1, besides=choices)
        if not found:
            break
        choices += found
        if len(choices) < n:
            cov = narrowed(belief, cov, found[0])
            if found[0].worker is not None:
                asked[found[0].worker] += 1
    return choices


def _value(belief: FullPosterior, cov: FloatArray, asked: IntArray) -> Value:
    chance, worth = look_ahead(belief.mean, cov)
    top = float((worth / (chance * (1 - chance))).max())
    share = (asked + 1) * belief.n_workers / (asked.sum() + 2)

    def value(worker: int | None, rows: IntArray, columns: IntArray, floor: float) -> FloatArray:
        if worker is None:
            return gains(rows, columns, chance, worth, 1.0, 1.0, 0.0)
        p, power = belief.trust(worker)
        lesson = LEARN * top * (power - (2 * p - 1) ** 2) ** 2
        return gains(rows, columns, chance, worth, p, power * (1 + EXPLORE / np.sqrt(share[worker])), lesson)

    return value


def narrowed(belief: FullPosterior, cov: FloatArray, choice: Choice) -> FloatArray:
    """The covariance that is expected after the answer to a question."""
    from nextpair.core.kernels.joint import answer_moments

    i, j = choice.pair
    p, power = belief.trust(choice.worker)
    along = cov[i] - cov[j]
    chance, slope, _ = answer_moments(belief.mean[i] - belief.mean[j], along[i] - along[j])
    up = (1 - p) + (2 * p - 1) * chance
    return np.asarray(cov - power * slope**2 / (up * (1 - up)) * np.outer(along, along))
