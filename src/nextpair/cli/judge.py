"""`nextpair judge`: programs answer the campaign in a journal file."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict
from shlex import quote
from time import monotonic
from typing import TYPE_CHECKING

import click

from nextpair.campaign.amounts import money, plural
from nextpair.cli.given import refuse_twice
from nextpair.cli.journal import AS_JSON, print_json
from nextpair.cli.progress import Patience, patiently
from nextpair.command import plain, whether_or_not_it_is_read

if TYPE_CHECKING:
    from nextpair.judging.places import Place, Standing
    from nextpair.judging.rounds import Judged

UNANSWERED = 4  # the exit code where some questions had no answer; 2 and 3 are those of every command
SHOWN = 5  # questions that are told one by one
SOON, SELDOM = 2.0, 60.0  # seconds between two lines of progress: at first, and at most


@click.command()
@click.argument("where", metavar="JOURNAL|LINK")
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
    where: str,
    programs: tuple[tuple[str, str], ...],
    at_once: int,
    timeout: float,
    tries: int,
    most: int | None,
    as_json: bool,
) -> None:
    """Let programs answer the campaign in JOURNAL, or a live one by a worker's personal LINK, until all is asked.

    A command gets {"id", "worker", "left", "right"} on standard input, and in a live campaign also "question",
    "by_how_much", "left_item" and "right_item". It prints left, right, tie, much-left, much-right or skip as its last
    line. It is run without a shell. What fails is tried again; what still fails stays open, and the next run begins
    with it. Ctrl-C waits for what is being judged; a second Ctrl-C does not.

    \b
    Exit codes: 0 every question that was asked has an answer, or was skipped;
    1 refused, no judge answers any more, or Ctrl-C (or kill, which does the same);
    2 wrong usage; 4 some questions had no answer, and are still open.
    """
    from nextpair.judging.live import is_link
    from nextpair.judging.places import InJournal, Standing
    from nextpair.judging.programs import Program
    from nextpair.judging.rounds import judge

    refuse_twice(**{"with": programs})
    judges = {name: Program(command, timeout) for name, command in programs}
    if not is_link(where):
        _tell_look_alikes(where, list(judges))
    try:
        with Patience() as patience, patience.meanwhile("judging"), _asked_to_end():
            judged = judge(where, judges, at_once=at_once, tries=tries, most=most, watching=_Teller(patience))
    finally:
        for program in judges.values():
            program.stop()
    with patiently(f"reading {where} and ranking"):
        standing = Standing() if is_link(where) else InJournal(where).standing()
    with whether_or_not_it_is_read():
        if as_json:
            print_json(asdict(judged) | asdict(standing))
        else:
            _report(judged, standing, where, is_link(where))
    if not as_json:
        _tell_troubles(judged, where, is_link(where))
    if judged.is_cut_short:
        sys.exit(1)
    if judged.unanswered:
        sys.exit(UNANSWERED)


@contextmanager
def _asked_to_end() -> Iterator[None]:
    """Who ends it with kill, or closes the terminal, means what Ctrl-C does; only a second kill is a second one."""

    def interrupt(number: int, _: object) -> None:
        if number != signal.SIGTERM:
            signal.signal(number, signal.SIG_IGN)  # a closed terminal is told twice, by the shell and by the system
        raise KeyboardInterrupt

    before = {}
    for number in (signal.SIGTERM, getattr(signal, "SIGHUP", signal.SIGTERM)):
        if signal.getsignal(number) is not signal.SIG_IGN:  # as nohup wants it
            before[number] = signal.signal(number, interrupt)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _tell_look_alikes(journal: str, judges: list[str]) -> None:
    from nextpair.campaign.campaign import Campaign
    from nextpair.cli.notes import tell_look_alikes

    with patiently(f"reading {journal}"):
        there = Campaign.load(journal).worker_names
    new = [name for name in judges if name not in there]
    tell_look_alikes("worker", [*there, *new], new)


class _Teller:
    """Says how far a run is, first often and then seldom."""

    def __init__(self, patience: Patience) -> None:
        self._patience, self._pause = patience, SOON
        self._next = monotonic() + SOON

    def answered(self, place: Place, answers: int, judging: int) -> None:
        if monotonic() < self._next:
            return
        standing, share = place.standing(), None
        doing = f"{plural(answers, 'answer')}, {judging:,} being judged"
        if standing.spent is not None:
            doing += f", {money(standing.spent)} spent, expected accuracy {standing.expected_accuracy:.3f}"
            share = standing.spent / standing.budget if standing.budget else None
        if not sys.stderr.isatty():
            self._pause, share = min(2 * self._pause, SELDOM), None
        with suppress(OSError):  # nobody reads it any more
            self._patience.tell(doing, share)
        self._next = monotonic() + self._pause

    def note(self, words: str) -> None:
        with suppress(OSError):
            click.echo(f"nextpair: {plain(words)}", err=True)


def _report(judged: Judged, standing: Standing, where: str, live: bool) -> None:
    who = ", ".join(f"{plain(name)} {n:,}" for name, n in judged.answers.items())
    gave = plural(judged.total, "answer") + (f" ({who})" if len(judged.answers) > 1 else "")
    skipped = f", {judged.skipped:,} skipped" if judged.skipped else ""
    if live:
        click.echo(f"{gave}{skipped}. No more is asked: {judged.why}.")
    else:
        of = "" if standing.budget is None else f" of {money(standing.budget)}"
        spent = f"Spent {money(standing.spent)}{of}. Expected accuracy {standing.expected_accuracy:.3f}."
        click.echo(f"{where}: {gave}{skipped}. {spent}")
        click.echo(f"No more is asked: {judged.why}. Next: nextpair show {quote(where)}")


def _tell_troubles(judged: Judged, where: str, live: bool) -> None:
    for name, why in judged.down.items():
        told = f"{name} was given up after three questions in a row without an answer: {why}"
        click.echo(f"nextpair: {plain(told)}", err=True)
    if judged.unanswered:
        what = plural(len(judged.unanswered), "question")
        todo = "The next run begins there" + ("" if live else f"; nextpair tell {quote(where)} ID skip gives one up")
        click.echo(f"nextpair: {what} without an answer, still open: {_some(judged.unanswered)}. {todo}", err=True)
    if judged.refused:
        what = plural(len(judged.refused), "answer")
        click.echo(f"nextpair: {what} not taken: {_some(judged.refused)}", err=True)


def _some(told: dict[str, str]) -> str:
    """The first of these questions, those with one reason together."""
    reasons: dict[str, list[str]] = {}
    for question, why in list(told.items())[:SHOWN]:
        reasons.setdefault(why, []).append(question)
    some = [f"{', '.join(questions)} ({why})" for why, questions in reasons.items()]
    return plain("; ".join(some + ["…"] * (len(told) > SHOWN)))
