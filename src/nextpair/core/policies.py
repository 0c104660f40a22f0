"""Policies by name. A policy is a kind of belief and a way to choose the next questions from it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from nextpair.core import adaptive_polling, akg, asap, centrality, checks, crowd_bt, distance, look_ahead, optimal
from nextpair.core.adaptive_polling import PollingBelief
from nextpair.core.asap import AsapBelief
from nextpair.core.belief import Belief
from nextpair.core.candidates import Candidates, Choice
from nextpair.core.centrality import PSEUDO_WINS, CentralityBelief
from nextpair.core.crowd_bt import CrowdBtBelief
from nextpair.core.drawing import choose_random
from nextpair.core.full_posterior import FullPosterior
from nextpair.core.model import Model
from nextpair.core.optimal import ExactBelief
from nextpair.core.pending import choose_pending
from nextpair.errors import InvalidSetting


@dataclass(frozen=True)
class Policy:
    """A kind of belief and a way to choose from it.

    `choose(belief, candidates, rng, n)` gives up to n questions, no pair twice, none that is not a candidate; an empty
    list when nothing may be asked. `prior(n_items, n_workers, reliability=(mu, nu))` is where its belief starts; some
    take settings of their own there (`gamma` of crowd-bt, `horizon` of optimal, `initial_wins` of adaptive-polling).
    """

    name: str
    summary: str
    choose: Callable[[Any, Candidates, np.random.Generator, int], list[Choice]]
    prior: Callable[..., Model] = Belief.prior
    most_items: int | None = None
    aims: bool = False  # whether it can look for the best few alone
    learns_spread: bool = False  # how far apart items are, and so when to stop; others assume it
    is_heavy: bool = False  # keeps how all scores hang together, which of thousands takes gigabytes and minutes
    hears_much: bool = False  # whether it makes anything of by how much one is better; others hear which
    takes_guess: bool = False  # whether its prior takes a guess of the scores (see `core.guess`)
    note: str | None = None  # what who asks "why this pair?" should know besides


POLICIES = {
    policy.name: policy
    for policy in (
        Policy("akg", "the approximated knowledge gradient of [CJL]", akg.choose),
        Policy("akg-pending", "the same, each question of a batch in view of the others", choose_pending),
        Policy(
            "full-posterior",
            "what narrows the ranking most under scores with full covariance and workers learnt jointly",
            look_ahead.choose,
            FullPosterior.prior,
            aims=True,
            is_heavy=True,
            hears_much=True,
            takes_guess=True,
        ),
        Policy(
            "full-posterior-checked",
            "the same, a fifth of the pairs drawn at random: it learns how far apart items are, and so when to stop",
            checks.choose,
            partial(FullPosterior.prior, learns_spread=True),
            aims=True,
            is_heavy=True,
            learns_spread=True,
            hears_much=True,
            takes_guess=True,
            note="One question in five is about a pair drawn at random, to learn how far apart the items are.",
        ),
        Policy("random", "a uniformly random pair and worker", choose_random),
        Policy("distance", "the two items whose alpha are closest", distance.choose),
        Policy(
            "relative-distance",
            "the two items whose alpha are closest for their size (beyond [CJL])",
            distance.choose_relative,
        ),
        Policy(
            "adaptive-polling",
            "the pair expected to move a Thurstone model most (Pfeiffer et al. 2012)",
            adaptive_polling.choose,
            PollingBelief.prior,
        ),
        Policy(
            "rank-centrality",
            "random questions, ranked by rank centrality as its authors regularise it now",
            choose_random,
            partial(CentralityBelief.prior, pseudo_wins=PSEUDO_WINS),
        ),
        Policy(
            "centrality-random",
            "random questions, ranked by rank centrality of 2012: Centrality + RS of [CJL]",
            choose_random,
            CentralityBelief.prior,
        ),
        Policy(
            "centrality-akg",
            "the questions of akg, ranked by rank centrality of 2012: Centrality + KG of [CJL]",
            centrality.choose_akg,
            CentralityBelief.prior,
        ),
        Policy(
            "crowd-bt",
            "the largest information gain about items and worker (Chen et al. 2013)",
            crowd_bt.choose,
            CrowdBtBelief.prior,
        ),
        Policy(
            "asap",
            "the largest expected information gain, batches by spanning tree (Mikhailiuk et al. 2020)",
            asap.choose,
            AsapBelief.prior,
        ),
        Policy(
            "optimal",
            "exact dynamic programming, for up to 4 items",
            optimal.choose,
            ExactBelief.prior,
            most_items=4,
        ),
    )
}

AUTO = "auto"
AUTO_MOST_ITEMS = 500  # up to here full-posterior was measured to need less than akg, and a journal loads in seconds


def settled(name: str, n_items: int, best: int | None = None, *, stops: bool = False, guessed: bool = False) -> str:
    """The name of the policy that a campaign of so many items runs on: `auto` is what won on evidence at its size.

    docs/beyond.md has the evidence, docs/measurements.md all of it. Where only the `best` matter, not all can aim;
    what `stops` by itself, at an accuracy, must know how right it is; and not all take what was `guessed`.
    """
    if not isinstance(name, str) or name not in (AUTO, *POLICIES):
        raise InvalidSetting(f"unknown policy {name!r}: choose {AUTO} or one of {', '.join(POLICIES)}")
    if name == AUTO:
        if n_items > AUTO_MOST_ITEMS and best is None and not guessed:
            return "akg"
        return "full-posterior-checked" if stops else "full-posterior"
    if best is not None and not POLICIES[name].aims:
        able = " or ".join(policy.name for policy in POLICIES.values() if policy.aims)
        raise InvalidSetting(f"the policy {name!r} cannot look for the best alone: choose {able}, or leave best out")
    if guessed and not POLICIES[name].takes_guess:
        able = " or ".join(policy.name for policy in POLICIES.values() if policy.takes_guess)
        raise InvalidSetting(f"the policy {name!r} makes nothing of a guess: choose {able}, or leave the guess out")
    return name


def find_policy(name: str) -> Policy:
    """The policy of that name."""
    try:
        return POLICIES[name]
    except KeyError:
        raise InvalidSetting(f"unknown policy {name!r}: choose one of {', '.join(POLICIES)}") from None
