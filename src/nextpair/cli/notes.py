"""What is odd about a file of comparisons or a campaign, told on standard error: it is taken all the same."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from shlex import quote
from typing import TYPE_CHECKING
from unicodedata import normalize

import click

from nextpair.campaign.amounts import plural
from nextpair.store.rows import BadRows, look_alikes, shown

if TYPE_CHECKING:
    from nextpair.campaign.campaign import Campaign
    from nextpair.core.comparisons import Comparisons
    from nextpair.store.comparisons import ComparisonTable

LONG = 120.0  # seconds that a ranking takes from which on it is told before
MANY = 2_000  # items, with which a question takes a second
SOME = 5  # as many are told one by one
DEAR = 3.0  # times what the cheapest worker costs: who is thought to be like the others is then asked after all of them
WEIGHTS = {"count", "counts", "n", "weight", "weights", "times", "votes", "frequency"}  # columns that may be meant so


def tell_skipped(name: str, bad: BadRows) -> None:
    """Say which rows were left out."""
    if bad.count:
        click.echo(f"nextpair: {name}: skipped {plural(bad.count, 'bad row')}\n{bad.listing()}", err=True)


def tell_look_alikes(what: str, names: Sequence[str], new: Collection[str] | None = None) -> None:
    """Say which names may be meant for one: each counts for itself, and what is known of the one is split.

    new: of a campaign that goes on, those who have just joined; of the others it was told before.
    """
    found = [alike for alike in look_alikes(names) if new is None or not set(new).isdisjoint(alike)]
    if not found:
        return
    some = []
    for alike in found[:SOME]:
        same = len({normalize("NFKC", name) for name in alike}) < len(alike)  # on a screen: so letters are spelt out
        some.append(" and ".join(ascii(name) if same else shown(name) for name in alike[:SOME]))
    listed = "; ".join(some + ["…"] * (len(found) > SOME))
    told = f"these look like one {what} but count as several: {listed}. If they are one, spell them alike"
    click.echo(f"nextpair: {told}", err=True)


def tell_early_stop(campaign: Campaign) -> None:
    """Say that a campaign may stop before it is as right as was asked for, and what would not."""
    if campaign.may_stop_early:
        policy = campaign.settings.policy
        early = f"if items are closer together than the policy {policy} assumes, it stops too early"
        other = "full-posterior-checked, the default of campaigns started with --stop-at"
        click.echo(f"nextpair: {early}. {other}, learns how far apart they are", err=True)


def tell_dear_strangers(campaign: Campaign) -> None:
    """Say who costs much more than others and is not said to be better: nobody would ask them and find out."""
    costs = {worker: campaign.terms(worker)[1] for worker in campaign.worker_names}
    strangers = [row.worker for row in campaign.workers() if not (row.known or row.answers)]
    dear = [worker for worker in strangers if costs[worker] >= DEAR * min(costs.values())]
    if dear:
        named = ", ".join([shown(worker) for worker in dear[:SOME]] + ["…"] * (len(dear) > SOME))
        why = f"these cost {DEAR:g} times what the cheapest worker does, or more, and nothing says that they are better"
        todo = f"If they are better, start with --reliability-of {quote(dear[0])} 38 2, or the like"
        click.echo(
            f"nextpair: {why}, so they are asked once the others have little left to tell: {named}. {todo}", err=True
        )


def tell_short_batch(asked: int, wanted: int) -> None:
    """Say that a batch is all that there is."""
    if asked < wanted:
        what = f"{plural(asked, 'question')} instead of {wanted:,}"
        click.echo(f"nextpair: {what}: a batch asks no pair twice, and nothing else can be asked now", err=True)


def tell_effort(told: Comparisons) -> None:
    """Say what a full posterior takes where that is minutes: somebody asked for it."""
    from nextpair.inference.effort import expected_seconds
    from nextpair.inference.memory import expected_bytes, in_gigabytes

    if (seconds := expected_seconds(told)) > LONG:
        takes = f"some {in_gigabytes(expected_bytes(told.n_items))} of memory and {seconds / 60:,.0f} minutes"
        what = f"the full posterior of {plural(told.n_items, 'item')} and {plural(len(told), 'answer')}"
        click.echo(f"nextpair: {what} takes {takes}. Without --model it takes seconds", err=True)


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
    click.echo(f"nextpair: {policy} of {n:,} items takes {takes}{other}", err=True)


def unheard(said: int, by: str) -> str:
    """What becomes of answers that say by how much where that is not made use of; nothing if there are none."""
    if not said:
        return ""
    told = f"{plural(said, 'answer')} {'says' if said == 1 else 'say'} by how much"
    return f"{told}, and {by} only hears which is better: full-posterior hears both"


def tell_unheard(said: int, by: str) -> None:
    """Say so."""
    if said:
        click.echo(f"nextpair: {unheard(said, by)}", err=True)


def tell_weights(ignored: list[str]) -> None:
    """Say that a row counts as one answer where a column seems to say that it stands for many."""
    for name in ignored:
        if name in WEIGHTS:
            what = f"the column {name} is not read, and every row is one answer"
            click.echo(f"nextpair: {what}: repeat a row as often as it was given", err=True)


def tell_groups(table: ComparisonTable) -> None:
    """Say which items no comparison connects: nothing in the file tells how they stand to each other."""
    from nextpair.inference import groups_apart

    groups = groups_apart(table.comparisons)
    if len(groups) == 1:
        return
    some = [f"{plural(len(group), 'item')} with {shown(table.items[group[0]])}" for group in groups[:SOME]]
    listed = "; ".join(some + ["…"] * (len(groups) > SOME))
    click.echo(
        f"nextpair: {len(groups):,} groups of items were never compared with each other: {listed}. How they "
        "compare is assumed, not known (all are taken to be equally good on the whole): ask about pairs across groups",
        err=True,
    )


def tell_sides(table: ComparisonTable) -> None:
    """Say that nothing in the file tells a better item from a favoured side."""
    from nextpair.inference import shown_the_same_way

    pairs = shown_the_same_way(table.comparisons)
    if not pairs:
        return
    names = [shown(name) for name in table.items]
    some = [f"{names[a]} stood left of {names[b]} in {times:,} of {of:,} answers" for a, b, times, of in pairs[:SOME]]
    listed = "; ".join(some + ["…"] * (len(pairs) > SOME))
    click.echo(
        f"nextpair: {listed}. So a better item cannot be told from a favoured side, and the ranking may be surer than "
        "it should be: from now on, toss a coin for which item stands left",
        err=True,
    )
