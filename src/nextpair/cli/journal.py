"""`nextpair start`, `ask`, `tell` and `change`: a campaign in a journal file, run from the shell."""

from __future__ import annotations

import json
from shlex import quote
from typing import TYPE_CHECKING, Any

import click

from nextpair.campaign.amounts import money, plural
from nextpair.campaign.events import OUTCOMES
from nextpair.cli.given import (
    answers_of,
    joined,
    lines_of,
    refuse_reading_twice,
    refuse_workers,
    workers_known_from,
)
from nextpair.cli.progress import patiently
from nextpair.command import speaks_unicode

if TYPE_CHECKING:
    from nextpair.campaign.campaign import Campaign
    from nextpair.campaign.questions import Question

JOURNAL = click.argument("journal", type=click.Path(dir_okay=False))
AS_JSON = click.option("--json", "as_json", is_flag=True, help="Print JSON, for a script to read.")


@click.command()
@JOURNAL
@click.option("--items", "items_file", type=click.Path(), help="A file with one item per line (- is standard input).")
@click.option("--item", "items", multiple=True, help="An item; repeat for more.")
@click.option(
    "--workers", "workers_file", type=click.Path(), help="A file with one worker per line (- is standard input)."
)
@click.option("--worker", "workers", multiple=True, help="A worker; repeat for more.")
@click.option(
    "--workers-from",
    type=click.Path(),
    multiple=True,
    metavar="JOURNAL",
    help="An earlier campaign with other items: its workers join, with what it learnt about them. Repeat for more; "
    "the last one in which a worker answered counts.",
)
@click.option(
    "--answers", help="A file of answers you already have, as for `nextpair rank`: they count and cost nothing."
)
@click.option("--skip-bad", is_flag=True, help="Skip bad rows of --answers instead of refusing the file.")
@click.option("--alike", is_flag=True, help="Do not tell workers apart: every answer counts as fully reliable.")
@click.option("--budget", type=float, help="The most to spend in total. Default: no limit.")
@click.option("--cost", type=float, default=1.0, show_default=True, help="What one answer costs.")
@click.option(
    "--cost-of",
    type=(str, float),
    multiple=True,
    metavar="WORKER COST",
    help="What this worker's answers cost; repeat for more.",
)
@click.option(
    "--reliability-of",
    type=(str, float, float),
    multiple=True,
    metavar="WORKER MU NU",
    help="How reliable this worker is thought to be, as a Beta: 38 2 for an expert. Others: 4 1.",
)
@click.option("--quota", type=int, metavar="N", help="At most N questions per worker.")
@click.option("--min-looks", type=int, default=0, metavar="N", help="Show every item N times before anything else.")
@click.option(
    "--one-stays", is_flag=True, help="Keep one of the two items a worker has just seen in their next question."
)
@click.option("--best", type=int, metavar="N", help="Find only the best N, not the order of all: much cheaper.")
@click.option(
    "--lease", type=float, metavar="SECONDS", help="After so long an unanswered question expires and frees its money."
)
@click.option(
    "--stop-at",
    type=float,
    help="Stop asking at this expected accuracy, such as 0.95.",
)
@click.option(
    "--policy", default="auto", show_default=True, help="How to choose questions; an unknown name lists them all."
)
@click.option("--seed", type=int, default=0, show_default=True, help="The same seed asks the same questions.")
def start(
    journal: str,
    items_file: str | None,
    items: tuple[str, ...],
    workers_file: str | None,
    workers: tuple[str, ...],
    workers_from: tuple[str, ...],
    answers: str | None,
    skip_bad: bool,
    alike: bool,
    cost_of: tuple[tuple[str, float], ...],
    reliability_of: tuple[tuple[str, float, float], ...],
    stop_at: float | None,
    **settings: Any,
) -> None:
    """Start a campaign in a new JOURNAL file.

    Workers can also join later: `nextpair ask --worker NAME` lets a new one in. With --answers, the items and workers
    in that file take part too. Workers known from an earlier campaign (--workers-from) save answers.
    """
    from nextpair.campaign.campaign import Campaign
    from nextpair.cli.notes import (
        tell_dear_strangers,
        tell_early_stop,
        tell_look_alikes,
        tell_slow_questions,
        tell_unheard,
    )
    from nextpair.store.file import create, refuse_taken

    refuse_taken(journal)
    if alike:
        terms = {"workers_from": workers_from, "cost_of": cost_of, "reliability_of": reliability_of}
        terms |= {name: settings[name] for name in ("quota", "one_stays")}
        refuse_workers(worker=workers, workers=workers_file, **terms)
    refuse_reading_twice(items=items_file, workers=workers_file, answers=answers)
    with patiently(f"reading what {journal} begins with"):
        names = [*lines_of(items_file, "item"), *items]
        crowd = None if alike else [*lines_of(workers_file, "worker"), *workers]
        told = None if answers is None else answers_of(answers, alike, skip_bad)
        if told is not None:
            names = joined(names, told.items)
            crowd = None if crowd is None else joined(crowd, told.workers)
        prices, declared = dict(cost_of), {worker: (mu, nu) for worker, mu, nu in reliability_of}
        known = workers_known_from(workers_from) | declared
        own = {**prices, **known}  # those with terms of their own
        campaign = Campaign(
            names, None if crowd is None else [w for w in crowd if w not in own], stop_at=stop_at, **settings
        )
        for worker in own:
            campaign.add_worker(worker, cost=prices.get(worker), reliability=known.get(worker))
        if told is not None:
            for as_shown, rows in told.named(alike):
                campaign.add_answers(rows, as_shown=as_shown)
        create(journal, campaign)
    tell_look_alikes("item", campaign.items)
    tell_look_alikes("worker", campaign.worker_names)
    whom = " --worker NAME" if campaign.settings.workers is not None and not campaign.worker_names else ""
    click.echo(f"{journal}: {len(campaign.items)} items. Next: nextpair ask {quote(journal)}{whom}")
    tell_early_stop(campaign)
    tell_dear_strangers(campaign)
    tell_slow_questions(campaign)
    tell_unheard(campaign.much_unheard, f"the policy {campaign.settings.policy}")


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
