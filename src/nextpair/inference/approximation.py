"""How far the recursive approximation of [CJL] is from the exact posterior, as answers come in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple, dataclass

import numpy as np

from nextpair.core.accuracy import expected_accuracy
from nextpair.core.arrays import FloatArray
from nextpair.core.belief import Belief
from nextpair.core.candidates import Candidates, Choice, Pair
from nextpair.core.comparisons import Comparisons
from nextpair.core.exact import exact_posterior
from nextpair.core.halfbeta import prob_above
from nextpair.core.model import RELIABILITY
from nextpair.core.policies import find_policy
from nextpair.errors import InvalidSetting
from nextpair.inference.gibbs import PosteriorSummary, sample_posterior

QUADRATURE_UP_TO = 3  # items; more are sampled


@dataclass(frozen=True)
class ApproximationError:
    """The belief beside the exact posterior of the same answers.

    `prob_above` is the mean absolute error of P(theta_i > theta_j) over pairs, `worst` the largest, `scores` half the
    summed error of the mean scores (0 to 1), `spread` the mean ratio of the belief's standard deviation of a score to
    the exact one. `claimed` is the accuracy that the belief expects of its ranking, `actual` what the exact posterior
    expects of it, `exact` what it expects of the ranking by exact mean scores. `reliability` is the mean error of the
    workers' reliabilities, and `noise` the standard error of the reference itself.
    """

    answers: float
    prob_above: float
    worst: float
    scores: float
    spread: float
    claimed: float
    actual: float
    exact: float
    reliability: float
    noise: float


def compare(belief: Belief, reference: PosteriorSummary, answers: int) -> ApproximationError:
    """The belief after `answers` answers beside the exact posterior."""
    alpha, total = belief.alpha, belief.alpha.sum()
    upper = np.triu_indices(belief.n_items, 1)
    off = np.abs(prob_above(alpha[upper[0]], alpha[upper[1]]) - reference.prob_above[upper])
    share = alpha / total
    spread = np.sqrt(share * (1 - share) / (total + 1) / reference.var)
    trust = np.abs(belief.reliability - reference.reliability)
    return ApproximationError(
        float(answers),
        float(off.mean()),
        float(off.max()),
        float(np.abs(share - reference.mean).sum() / 2),
        float(spread.mean()),
        belief.expected_accuracy(),
        float(expected_accuracy(belief.ranking(), reference.prob_above[upper])),
        float(expected_accuracy(np.argsort(-reference.mean, kind="stable"), reference.prob_above[upper])),
        float(trust.mean()) if trust.size else 0.0,
        reference.error,
    )


def reference_posterior(
    told: Comparisons, rng: np.random.Generator, reliability: tuple[float, float] = RELIABILITY
) -> PosteriorSummary:
    """The exact posterior: by quadrature for few items that nobody in particular compared, else by sampling."""
    if told.n_items > QUADRATURE_UP_TO or told.n_workers:
        return sample_posterior(told, rng, reliability=reliability)
    exact = exact_posterior(told, reliability=reliability)
    return PosteriorSummary(exact.mean(), exact.var(), exact.prob_above(), np.zeros(0))


def measure_approximation(
    n_items: int,
    answers: Sequence[int],
    rng: np.random.Generator,
    *,
    policy: str = "random",
    n_workers: int = 0,
    reliability: tuple[float, float] = RELIABILITY,
) -> list[ApproximationError]:
    """One simulated campaign, the belief compared with the exact posterior after each number of `answers`.

    Scores are drawn uniformly from the simplex and reliabilities from Beta(*reliability), as the belief assumes;
    `policy` (one whose belief is the moment-matched one) asks. A worker is asked about a pair once.
    """
    if not answers or min(answers) < 1:
        raise InvalidSetting(f"compare after 1 answer or more, not {list(answers)}")
    chosen = find_policy(policy)
    belief = chosen.prior(n_items, n_workers, reliability=reliability)
    if not isinstance(belief, Belief):
        raise InvalidSetting(f"the policy {policy} has another belief than the moment-matched one: use akg or random")
    theta, rho = rng.dirichlet(np.ones(n_items)), rng.beta(*reliability, n_workers)
    rows: list[tuple[int, int, int]] = []
    seen: dict[int, set[Pair]] = {w: set() for w in range(n_workers)}
    found = []
    for t in range(1, max(answers) + 1):
        candidates = Candidates(n_items, tuple(range(n_workers)) if n_workers else None, seen=seen)
        picked = chosen.choose(belief, candidates, rng, 1)
        if not picked:
            raise InvalidSetting(f"after {t - 1} answers every worker has compared every pair: ask for fewer answers")
        worker = picked[0].worker
        i, j = _answer(picked[0], theta, rho, rng)
        belief = belief.update(i, j, worker)
        rows.append((i, j, -1 if worker is None else worker))
        if worker is not None:
            seen[worker].add(picked[0].pair)
        if t in answers:
            winners, losers, workers = np.array(rows).T
            told = Comparisons.of(winners, losers, workers, n_items=n_items, n_workers=n_workers)
            found.append(compare(belief, reference_posterior(told, rng, reliability), t))
    return found


def _answer(question: Choice, theta: FloatArray, rho: FloatArray, rng: np.random.Generator) -> tuple[int, int]:
    """(winner, loser) as the worker of the question says (eq. probijw1)."""
    i, j = question.pair
    upside_down = question.worker is not None and rng.random() > rho[question.worker]
    return (j, i) if (rng.random() < theta[i] / (theta[i] + theta[j])) == upside_down else (i, j)


def average(runs: Sequence[Sequence[ApproximationError]]) -> tuple[list[ApproximationError], list[ApproximationError]]:
    """The mean over runs at each number of answers, and its standard error."""
    table = np.array([[astuple(row) for row in run] for run in runs])
    error: FloatArray = table.std(axis=0, ddof=1) / np.sqrt(len(runs)) if len(runs) > 1 else np.zeros(table.shape[1:])
    mean: FloatArray = np.asarray(table.mean(axis=0))
    return [ApproximationError(*row) for row in mean.tolist()], [ApproximationError(*row) for row in error.tolist()]
