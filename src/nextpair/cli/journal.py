"""`nextpair ask`, `tell` and `change`: a campaign in a journal file, run from the shell."""

from __future__ import annotations

import json
from shlex import quote
from typing import TYPE_CHECKING, Any

import click

from nextpair.campaign.amounts import money, plural
from nextpair.campaign.events import OUTCOMES
from nextpair.cli.given import refuse_twice
from nextpair.cli.progress import patiently
from nextpair.command import speaks_unicode

if TYPE_CHECKING:
    from nextpair.campaign.campaign import Campaign
    from nextpair.campaign.questions import Question

JOURNAL = click.argument("journal", type=click.Path(dir_okay=False))
AS_JSON = click.option("--json", "as_json", is_flag=True, help="Print JSON, for a script to read.")


@click.command()
@JOURNAL
@click.option(
    "--worker",
    "workers",
    multiple=True,
    help="Who is here; repeat for more. The best of them is asked, and a new name joins. Default: anybody.",
)
@click.option(
    "--batch", type=click.IntRange(min=1), metavar="N", help="Ask N questions at once; --json then prints a list."
)
@AS_JSON
def ask(journal: str, workers: tuple[str, ...], batch: int | None, as_json: bool) -> None:
    """Ask the next question of the campaign in JOURNAL.

    Exits with 3 when there is nothing to ask: the budget is spent, the target is reached, or the workers are done.
    """
    from nextpair.cli.notes import tell_look_alikes, tell_short_batch
    from nextpair.store.file import opened

    many = batch or 1
    with patiently(f"reading {journal} and choosing {plural(many, 'question')}"), opened(journal) as campaign:
        new = [worker for worker in dict.fromkeys(workers) if worker not in campaign.worker_names]
        for worker in new:
            campaign.add_worker(worker)
        questions = campaign.ask_batch(many, workers or None)
    tell_look_alikes("worker", campaign.worker_names, new)
    tell_short_batch(len(questions), many)
    if as_json:
        records = [record(question) for question in questions]
        print_json(records if batch else records[0])
        return
    for question in questions:
        click.echo(in_words(question))
    click.echo(f"Answer with: nextpair tell {quote(journal)} {quote(questions[0].id)} left|right|tie|skip")


@click.command()
@JOURNAL
@click.argument("question")
@click.argument("answer", type=click.Choice([*OUTCOMES, "skip", "undo"]))
@AS_JSON
def tell(journal: str, question: str, answer: str, as_json: bool) -> None:
    """Tell the ANSWER to a QUESTION of the campaign in JOURNAL, or skip or undo it.

    The same answer twice is harmless.
    """
    from nextpair.store.file import opened

    with patiently(f"reading {journal}"), opened(journal) as campaign:
        if answer == "skip":
            campaign.skip(question)
        elif answer == "undo":
            campaign.undo(question)
        else:
            campaign.tell(question, answer)
        closed, spent, budget = campaign.question(question), campaign.spent, campaign.budget
    if as_json:
        print_json(record(closed))
    else:
        of = f" of {money(budget)}" if budget is not None else ""
        click.echo(f"{question}: {closed.choice or closed.status}. Spent {money(spent)}{of}.")


Limit = tuple[float | None]


def limit(text: str) -> Limit:
    """A number or none, in a tuple: an option that was not given at all is None."""
    try:
        return (None if text == "none" else float(text),)
    except ValueError:
        raise click.BadParameter(f"{text!r} is neither a number nor none") from None


@click.command()
@JOURNAL
@click.option(
    "--budget", type=limit, metavar="NUMBER|none", help="The most to spend in total, including what is spent."
)
@click.option("--cost", type=float, help="What everybody's answers cost from now on.")
@click.option(
    "--cost-of",
    type=(str, float),
    multiple=True,
    metavar="WORKER COST",
    help="What this worker's answers cost from now on; repeat for more.",
)
@click.option("--stop-at", type=limit, metavar="NUMBER|none", help="Stop asking at this expected accuracy.")
@click.option("--add-item", "items", multiple=True, help="A new item, or one to bring back; repeat for more.")
@click.option(
    "--remove-item", "removed", multiple=True, help="Stop asking about an item and leave it out of the ranking."
)
@click.option("--retract", multiple=True, metavar="WORKER", help="Discard a worker's answers and stop asking them.")
@click.option("--pause/--resume", default=None, help="Ask nothing for now (answers still count), or go on.")
def change(
    journal: str,
    budget: Limit | None,
    cost: float | None,
    cost_of: tuple[tuple[str, float], ...],
    stop_at: Limit | None,
    items: tuple[str, ...],
    removed: tuple[str, ...],
    retract: tuple[str, ...],
    pause: bool | None,
) -> None:
    """Change the campaign in JOURNAL: its budget or target (none removes the limit), costs, items or workers.

    Open questions keep the cost they were asked at.
    """
    from nextpair.cli.notes import tell_early_stop, tell_look_alikes
    from nextpair.store.file import opened

    if all(given is None or given == () for given in (budget, cost, cost_of, stop_at, items, removed, retract, pause)):
        options = "--budget, --cost, --cost-of, --stop-at, --add-item, --remove-item, --retract, --pause or --resume"
        raise click.UsageError(f"say what to change: {options}")
    refuse_twice(cost_of=cost_of)
    with patiently(f"reading {journal}"), opened(journal) as campaign:
        for item in items:
            campaign.add_item(item)
        for item in removed:
            campaign.remove_item(item)
        for worker in retract:
            campaign.retract(worker)
        if budget is not None:
            campaign.set_budget(*budget)
        if cost is not None:
            campaign.set_cost(cost)
        for worker, price in cost_of:
            campaign.set_cost(price, worker)
        if stop_at is not None:
            campaign.stop_at(*stop_at)
        if pause is not None:
            (campaign.pause if pause else campaign.resume)()
    target = "never" if campaign.target is None else f"at an expected accuracy of {campaign.target:g}"
    click.echo(
        f"{journal}: budget {money(campaign.budget)}, {money(campaign.spent)} spent, {money(campaign.held)} held. "
        f"Stops {target}.{halt(campaign)}"
    )
    tell_look_alikes("item", campaign.items, items)
    if stop_at is not None:
        tell_early_stop(campaign)


def halt(campaign: Campaign) -> str:
    """A sentence for the end of a line, where a campaign does not go on."""
    return "" if campaign.phase == "running" else f" The campaign is {campaign.phase}."


def in_words(question: Question) -> str:
    """A question, on one line."""
    name = question.worker or ""
    who = f" for {name if name.isprintable() else repr(name)}" if name else ""  # which must not steer the terminal
    return f"{question.id}{who}: left {question.left!r} or right {question.right!r}?"


def record(question: Question) -> dict[str, Any]:
    return question._asdict()


def print_json(value: Any) -> None:
    click.echo(json.dumps(value, ensure_ascii=not speaks_unicode()))
