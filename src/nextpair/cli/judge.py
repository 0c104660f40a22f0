"""`nextpair judge`: programs answer the campaign in a journal file."""

from __future__ import annotations

import sys
from dataclasses import asdict
from shlex import quote
from time import monotonic
from typing import TYPE_CHECKING

import click

from nextpair.campaign.amounts import money, plural
from nextpair.cli.journal import AS_JSON, JOURNAL, print_json
from nextpair.cli.progress import Patience, patiently

if TYPE_CHECKING:
    from nextpair.campaign.campaign import Campaign
    from nextpair.judging.rounds import Judged

SHOWN = 5  # questions that are told one by one
SOON, SELDOM = 2.0, 60.0  # seconds between two lines of progress: at first, and at most


@click.command()
@JOURNAL
@click.option(
    "--with",
    "programs",
    type=(str, str),
    multiple=True,
    required=True,
    metavar="WORKER COMMAND",
    help="Who answers, and the command that says what: it reads a question as JSON and prints the answer. Repeat for "
    "more; a new name joins.",
)
@click.option("--at-once", type=click.IntRange(min=1), default=8, show_default=True, help="Questions judged at a time.")
@click.option(
    "--timeout",
    type=click.FloatRange(min=0, min_open=True),
    default=300.0,
    show_default=True,
    help="Seconds that an answer may take.",
)
@click.option(
    "--tries", type=click.IntRange(min=1), default=3, show_default=True, help="How often to run a command that fails."
)
@click.option("--most", type=click.IntRange(min=1), metavar="N", help="Stop after N answers, to try a judge out.")
@AS_JSON
def judge(
    journal: str,
    programs: tuple[tuple[str, str], ...],
    at_once: int,
    timeout: float,
    tries: int,
    most: int | None,
    as_json: bool,
) -> None:
    """Let programs answer the campaign in JOURNAL, until there is nothing left to ask.

    A command gets {"id", "worker", "left", "right"} on standard input and prints left, right, tie, much-left,
    much-right or skip as its last line. It is run without a shell. What fails is tried again; what still fails stays
    open, and the next run begins with it. Ctrl-C waits for what is being judged; a second Ctrl-C does not.

    Exits with 1 when no judge answers any more, or after Ctrl-C.
    """
    from nextpair.campaign.campaign import Campaign
    from nextpair.cli.notes import tell_look_alikes
    from nextpair.judging.programs import Program
    from nextpair.judging.rounds import judge

    _refuse_twice([name for name, _ in programs])
    judges = {name: Program(command, timeout) for name, command in programs}
    with patiently(f"reading {journal}"):
        before = Campaign.load(journal)
    new = [name for name in judges if before.settings.workers is not None and name not in before.worker_names]
    tell_look_alikes("worker", [*before.worker_names, *new], new)
    try:
        with Patience() as patience:
            judged = judge(journal, judges, at_once=at_once, tries=tries, most=most, watching=_Teller(patience))
    finally:
        for program in judges.values():
            program.stop()
    with patiently(f"reading {journal} and ranking"):
        _report(judged, Campaign.load(journal), journal, as_json)
    if judged.is_cut_short:
        sys.exit(1)


def _refuse_twice(names: list[str]) -> None:
    for name in names:
        if names.count(name) > 1:
            raise click.UsageError(f"--with names {name!r} twice: one command answers for a worker")


class _Teller:
    """Says how far a run is, first often and then seldom."""

    def __init__(self, patience: Patience) -> None:
        self._patience, self._pause = patience, SOON
        self._next = monotonic() + SOON

    def answered(self, campaign: Campaign, answers: int, judging: int) -> None:
        if monotonic() < self._next:
            return
        right, spent = campaign.expected_accuracy(), money(campaign.spent)
        doing = f"{plural(answers, 'answer')}, {judging:,} being judged, {spent} spent, expected accuracy {right:.3f}"
        if sys.stderr is not None and sys.stderr.isatty():
            self._patience.tell(doing, float(campaign.spent) / float(campaign.budget) if campaign.budget else None)
        else:
            self._pause = min(2 * self._pause, SELDOM)
            self._patience.tell(doing)
        self._next = monotonic() + self._pause

    def interrupted(self, judging: int) -> None:
        if judging:
            what = plural(judging, "question")
            click.echo(f"nextpair: waiting for {what} that are being judged. Ctrl-C again leaves them open", err=True)


def _report(judged: Judged, campaign: Campaign, journal: str, as_json: bool) -> None:
    if as_json:
        standing = {"spent": campaign.spent, "expected_accuracy": campaign.expected_accuracy()}
        print_json(asdict(judged) | standing)
        return
    who = ", ".join(f"{name} {n:,}" for name, n in judged.answers.items())
    gave = plural(judged.total, "answer") + (f" ({who})" if len(judged.answers) > 1 else "")
    skipped = f", {judged.skipped:,} skipped" if judged.skipped else ""
    of = "" if campaign.budget is None else f" of {money(campaign.budget)}"
    click.echo(
        f"{journal}: {gave}{skipped}. Spent {money(campaign.spent)}{of}. "
        f"Expected accuracy {campaign.expected_accuracy():.3f}."
    )
    click.echo(f"No more is asked: {judged.why}. Next: nextpair show {quote(journal)}")
    for name, why in judged.down.items():
        click.echo(f"nextpair: {name} was given up after three questions in a row without an answer: {why}", err=True)
    if judged.unanswered:
        what = plural(len(judged.unanswered), "question")
        todo = f"The next run begins there; nextpair tell {quote(journal)} ID skip gives one up"
        click.echo(f"nextpair: {what} without an answer, still open: {_some(judged.unanswered)}. {todo}", err=True)
    if judged.refused:
        what = plural(len(judged.refused), "answer")
        click.echo(f"nextpair: {what} not taken: {_some(judged.refused)}", err=True)


def _some(told: dict[str, str]) -> str:
    some = [f"{question} ({why})" for question, why in list(told.items())[:SHOWN]]
    return "; ".join(some + ["…"] * (len(told) > SHOWN))
