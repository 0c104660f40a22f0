"""How far a policy is from the optimal one, exactly: every possible sequence of answers of a tiny campaign, weighed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nextpair.core.arrays import FloatArray
from nextpair.core.candidates import Candidates
from nextpair.core.model import Model
from nextpair.core.optimal import Planner, planner
from nextpair.core.policies import Policy


@dataclass(frozen=True)
class TreeAccuracy:
    """The expected accuracy after a tiny campaign: of the policy's own ranking, and of the best one for its answers.

    The second minus the first is what the policy's belief loses; the optimal accuracy minus the second is what its
    questions lose.
    """

    own: float
    best: float


def tree_accuracy(
    policy: Policy, n_items: int, budget: int, rng: np.random.Generator, *, prior: Model | None = None
) -> TreeAccuracy:
    """The policy's expected accuracy after `budget` fully reliable answers, scores drawn uniformly from the simplex.

    Exact but for the policy's own draws: for a policy that draws (random, or ties that matter), average over calls.
    `prior` starts the policy with settings of its own.
    """
    plan = planner(n_items)
    belief = policy.prior(n_items, 0) if prior is None else prior
    return TreeAccuracy(*_descend(policy, plan, belief, np.zeros((n_items, n_items)), budget, rng))


def _descend(
    policy: Policy, plan: Planner, belief: Model, wins: FloatArray, left: int, rng: np.random.Generator
) -> FloatArray:
    if left == 0:
        accuracies = plan.accuracies(wins)
        own = (plan.orders == belief.ranking()).all(axis=1)
        return np.array([accuracies[own][0], accuracies.max()])
    (choice,) = policy.choose(belief, Candidates(plan.n_items), rng, 1)
    pair = int(np.flatnonzero((plan.pairs == choice.pair).all(axis=1))[0])
    chance = plan.shares(wins)[1][pair]
    total = np.zeros(2)
    for weight, (winner, loser) in ((chance, choice.pair), (1 - chance, choice.pair[::-1])):
        after = wins.copy()
        after[winner, loser] += 1
        total += weight * _descend(policy, plan, belief.update(winner, loser), after, left - 1, rng)
    return total
