"""`nextpair show`: where the campaign in a journal file stands."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from nextpair.campaign.amounts import money
from nextpair.cli.figure import FIGURE, draw_to
from nextpair.cli.journal import AS_JSON, JOURNAL, halt, in_words, print_json, record
from nextpair.cli.progress import patiently
from nextpair.command import whether_or_not_it_is_read

if TYPE_CHECKING:
    from pathlib import Path

    from nextpair.campaign.campaign import Campaign

OPEN = 10  # questions that are told one by one


@click.command()
@JOURNAL
@click.option("--top", type=click.IntRange(min=1), metavar="N", help="Show only the first N items.")
@FIGURE
@AS_JSON
def show(journal: str, top: int | None, figure: Path | None, as_json: bool) -> None:
    """Show the ranking, the workers and the money of the campaign in JOURNAL."""
    from nextpair.campaign.campaign import Campaign
    from nextpair.extras import require_figure

    require_figure(figure)
    with patiently(f"reading {journal} and ranking"):
        campaign = Campaign.load(journal)
        campaign.expected_accuracy()  # with all that it rests on, which is kept
    with whether_or_not_it_is_read():
        if as_json:
            print_json(_standing(campaign, top))
        else:
            _print(campaign, top)
    draw_to(figure, campaign.ranking(), campaign.workers(), top)


def _print(campaign: Campaign, top: int | None) -> None:
    from rich.text import Text

    from nextpair.campaign.questions import the_best
    from nextpair.cli.tables import console, print_ranking, print_workers, visible
    from nextpair.store.oddities import unheard

    out = console()
    rows = campaign.ranking()
    among = {row.item: f"{row.prob_best:.0%}" for row in rows if row.prob_best is not None}
    print_ranking(out, rows[:top], (f"of the {the_best(campaign.best)}", among) if campaign.best else None)
    if gone := campaign.removed_items:
        out.print("Removed:", Text(", ").join(map(visible, gone)))
    print_workers(out, campaign.workers())
    used = f"{money(campaign.spent)} spent, {money(campaign.held)} held"
    left = "" if campaign.budget is None else f", {money(campaign.remaining)} left of {money(campaign.budget)}"
    what = "Expected accuracy" if campaign.best is None else f"Expected share of the {the_best(campaign.best)} found:"
    out.print(f"{what} {campaign.expected_accuracy():.3f}{_target(campaign)}. Budget: {used}{left}.{halt(campaign)}")
    if told := campaign.guess_in_words:
        out.print(told)
    if waiting := campaign.open_questions():
        out.print("Open, and to be answered with nextpair tell:")
        for question in waiting[:OPEN]:
            out.print(visible(f"  {in_words(question)}"), soft_wrap=True)
        if len(waiting) > OPEN:
            out.print(f"  … and {len(waiting) - OPEN:,} more (--json has them all)")
    if lost := unheard(campaign.much_unheard, f"the policy {campaign.settings.policy}"):
        out.print(f"{lost}.")


def _target(campaign: Campaign) -> str:
    if campaign.target is None:
        return ""
    return f" of {campaign.target:g} wanted{', which is reached' if campaign.target_reached else ''}"


def _standing(campaign: Campaign, top: int | None) -> dict[str, Any]:
    from dataclasses import asdict

    return {
        "ranking": [asdict(row) for row in campaign.ranking()[:top]],
        "removed": campaign.removed_items,
        "workers": [asdict(row) for row in campaign.workers()],
        "expected_accuracy": campaign.expected_accuracy(),
        "target_accuracy": campaign.target,
        "target_reached": campaign.target_reached,
        "best": campaign.best,
        "much_unheard": campaign.much_unheard,
        "guess_agreement": campaign.guess_agreement,
        "budget": campaign.budget,
        "spent": campaign.spent,
        "held": campaign.held,
        "phase": campaign.phase,
        "open": [record(question) for question in campaign.open_questions()],
    }
