"""What is odd about a file of comparisons or a campaign, told on standard error: it is taken all the same."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from shlex import quote
from typing import TYPE_CHECKING

import click

from nextpair.campaign.amounts import plural
from nextpair.store import oddities
from nextpair.store.rows import BadRows, shown

if TYPE_CHECKING:
    from nextpair.campaign.campaign import Campaign

MANY = 2_000  # items, with which a question takes a second
DEAR = 3.0  # times what the cheapest worker costs: who is thought to be like the others is then asked after all of them


def tell(words: str) -> None:
    """Say it, if there is anything to say."""
    if words:
        click.echo(f"nextpair: {words}", err=True)


def tell_skipped(name: str, bad: BadRows) -> None:
    """Say which rows were left out."""
    tell(oddities.left_out(name, bad))


def tell_look_alikes(what: str, names: Sequence[str], new: Collection[str] | None = None) -> None:
    """Say which names may be meant for one."""
    tell(oddities.counted_twice(what, names, new))


def tell_weights(ignored: Iterable[str]) -> None:
    """Say that a row counts as one answer where a column seems to say that it stands for many."""
    tell(oddities.not_weighed(ignored))


def tell_unheard(said: int, by: str) -> None:
    """Say what becomes of answers that say by how much where that is not made use of."""
    tell(oddities.unheard(said, by))


def tell_early_stop(campaign: Campaign) -> None:
    """Say that a campaign may stop before it is as right as was asked for, and what would not."""
    if campaign.may_stop_early:
        policy = campaign.settings.policy
        early = f"if items are closer together than the policy {policy} assumes, it stops too early"
        other = "full-posterior-checked, the default of campaigns started with --stop-at"
        tell(f"{early}. {other}, learns how far apart they are")


def tell_dear_strangers(campaign: Campaign) -> None:
    """Say who costs much more than others and is not said to be better: nobody would ask them and find out."""
    costs = {worker: campaign.terms(worker)[1] for worker in campaign.worker_names}
    strangers = [row.worker for row in campaign.workers() if not (row.known or row.answers)]
    dear = [worker for worker in strangers if costs[worker] >= DEAR * min(costs.values())]
    if dear:
        named = oddities.some_of(map(shown, dear), ", ")
        why = f"these cost {DEAR:g} times what the cheapest worker does, or more, and nothing says that they are better"
        todo = f"If they are better, start with --reliability-of {quote(dear[0])} 38 2, or the like"
        tell(f"{why}, so they are asked once the others have little left to tell: {named}. {todo}")


def tell_short_batch(asked: int, wanted: int) -> None:
    """Say that a batch is all that there is."""
    if asked < wanted:
        what = f"{plural(asked, 'question')} instead of {wanted:,}"
        tell(f"{what}: a batch asks no pair twice, and nothing else can be asked now")


def tell_slow_questions(campaign: Campaign) -> None:
    """Say what choosing by the full posterior takes where there are very many items."""
    from nextpair.core.policies import find_policy

    n, policy = len(campaign.items), campaign.settings.policy
    if n < MANY or not find_policy(policy).is_heavy:
        return
    from nextpair.inference.effort import AN_INVERSION
    from nextpair.inference.memory import expected_bytes, in_gigabytes

    seconds = plural(round(AN_INVERSION * n**3), "second")
    takes = f"some {in_gigabytes(expected_bytes(n))} of memory and {seconds} a question, and now and then minutes"
    other = "" if campaign.best is not None else ". The policy akg takes milliseconds"
    tell(f"{policy} of {n:,} items takes {takes}{other}")
