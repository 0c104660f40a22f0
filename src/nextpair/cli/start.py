"""`nextpair start`: a new campaign in a journal file, with all that it may be given along."""

from __future__ import annotations

from shlex import quote
from typing import Any

import click

from nextpair.cli.given import (
    answers_of,
    gold_of,
    guess_of,
    joined,
    lines_of,
    refuse_reading_twice,
    refuse_twice,
    refuse_workers,
    with_gold,
    workers_known_from,
)
from nextpair.cli.journal import JOURNAL
from nextpair.cli.progress import patiently


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
@click.option(
    "--guess",
    "guess_file",
    type=click.Path(),
    help="A file with a number for each item that you have already, the higher the better (columns item and guess): "
    "last year's score, a metric. It is believed as far as answers bear it out.",
)
@click.option(
    "--gold",
    "gold_file",
    type=click.Path(),
    help="A file with how many questions of known answer each worker got right and wrong (columns worker, right and "
    "wrong): a qualification test, attention checks. They join, known by it.",
)
@click.option(
    "--skip-bad", is_flag=True, help="Skip bad rows of --answers, --guess and --gold instead of refusing the file."
)
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
@click.option(
    "--times",
    type=int,
    default=1,
    metavar="N",
    help="How often a worker may be asked the same pair, sides exchanged each time. Default: once.",
)
@click.option(
    "--times-of",
    type=(str, int),
    multiple=True,
    metavar="WORKER N",
    help="The same for one worker, such as a model; repeat for more.",
)
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
    guess_file: str | None,
    gold_file: str | None,
    skip_bad: bool,
    alike: bool,
    cost_of: tuple[tuple[str, float], ...],
    reliability_of: tuple[tuple[str, float, float], ...],
    times_of: tuple[tuple[str, int], ...],
    stop_at: float | None,
    **settings: Any,
) -> None:
    """Start a campaign in a new JOURNAL file.

    Workers can also join later: `nextpair ask --worker NAME` lets a new one in. With --answers, the items and workers
    in that file take part too; with --guess alone, the items in that file. Workers known from an earlier campaign
    (--workers-from) or by what they got right (--gold) save answers, and so does a good guess.
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
    refuse_twice(cost_of=cost_of, reliability_of=reliability_of, times_of=times_of)
    if alike:
        terms = {"workers_from": workers_from, "gold": gold_file, "cost_of": cost_of, "reliability_of": reliability_of}
        terms |= {"times_of": times_of, "times": settings["times"] != 1}
        terms |= {name: settings[name] for name in ("quota", "one_stays")}
        refuse_workers(worker=workers, workers=workers_file, **terms)
    refuse_reading_twice(items=items_file, workers=workers_file, answers=answers, guess=guess_file, gold=gold_file)
    with patiently(f"reading what {journal} begins with"):
        names = [*lines_of(items_file, "item"), *items]
        crowd = None if alike else [*lines_of(workers_file, "worker"), *workers]
        told = None if answers is None else answers_of(answers, alike, skip_bad)
        if told is not None:
            names = joined(names, told.items)
            crowd = None if crowd is None else joined(crowd, told.workers)
        guesses = {} if guess_file is None else guess_of(guess_file, skip_bad)
        guess = None if guess_file is None else {item: one for item, one in guesses.items() if one is not None}
        names = names or list(guesses)
        prices, often = dict(cost_of), dict(times_of)
        declared = {worker: (mu, nu) for worker, mu, nu in reliability_of}
        gold = {} if gold_file is None else gold_of(gold_file, skip_bad)
        known = with_gold(workers_known_from(workers_from) | declared, gold)
        own = {**prices, **known, **often}  # those with terms of their own
        strangers = None if crowd is None else [w for w in crowd if w not in own]
        campaign = Campaign(names, strangers, stop_at=stop_at, guess=guess, **settings)
        for worker in own:
            known_as, price, most = known.get(worker), prices.get(worker), often.get(worker)
            campaign.add_worker(worker, cost=price, reliability=known_as, times=most)
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
