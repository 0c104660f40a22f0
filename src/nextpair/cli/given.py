"""What a user gives a new campaign along: lists in files, answers that exist, workers who are known."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from nextpair.campaign.names import can_be_seen
from nextpair.errors import InvalidFile

if TYPE_CHECKING:
    from nextpair.campaign.campaign import Campaign
    from nextpair.store.comparisons import ComparisonTable


ANSWER = re.compile(r'\s*\[?\s*\{.*"(?:winner|label)"\s*:')  # in JSON


def answers_of(path: str, alike: bool, skip_bad: bool) -> ComparisonTable:
    """A file of answers that are to count, with what was left out of it told."""
    from nextpair.cli.notes import tell_skipped, tell_weights
    from nextpair.store.comparisons import read_comparisons
    from nextpair.store.rows import describe
    from nextpair.store.streams import open_source

    with open_source(path) as source:
        table = read_comparisons(source, skip_bad=skip_bad)
    tell_skipped(source.name, table.skipped)
    tell_weights(table.ignored)
    if not alike and not table.workers:
        ignored = f" (ignored: {describe(table.ignored)})" if table.ignored else ""
        raise InvalidFile(
            f"{source.name} does not say who answered: no column is called worker or judge{ignored}. Name it so, or "
            "give --alike to trust every answer"
        )
    return table


def guess_of(path: str, skip_bad: bool) -> dict[str, float | None]:
    """The items of a file of guesses with theirs (None: none), and what was left out of it told."""
    from nextpair.cli.notes import tell_skipped
    from nextpair.store.scores import read_guess
    from nextpair.store.streams import open_source

    with open_source(path) as source:
        guess, skipped = read_guess(source, skip_bad=skip_bad)
    tell_skipped(source.name, skipped)
    return guess


def gold_of(path: str, skip_bad: bool) -> dict[str, tuple[int, int]]:
    """How many golden questions each worker of a file got right and wrong, and what was left out of it told."""
    from nextpair.cli.notes import tell_skipped
    from nextpair.store.gold import read_gold
    from nextpair.store.streams import open_source

    with open_source(path) as source:
        gold, skipped = read_gold(source, skip_bad=skip_bad)
    tell_skipped(source.name, skipped)
    return gold


def refuse_workers(**given: object) -> None:
    """Refuse what is said of workers where they are not told apart, and nothing would come of it."""
    for name, value in given.items():
        if value:
            raise click.UsageError(f"--alike knows no workers: leave it out, or --{name.replace('_', '-')}")


def refuse_twice(**given: Sequence[tuple[Any, ...]]) -> None:
    """Refuse two sayings of one option about the same worker: one would be dropped, and it may be a price."""
    for option, said in given.items():
        names = [name for name, *_ in said]
        for name in names:
            if names.count(name) > 1:
                raise click.UsageError(f"--{option.replace('_', '-')} names {name!r} twice: leave one")


def refuse_reading_twice(**given: str | None) -> None:
    """Refuse several lists from standard input: the first would take all of it, and the others be empty."""
    if len(names := [f"--{name}" for name, path in given.items() if path == "-"]) > 1:
        raise click.UsageError(f"{' and '.join(names)} cannot both be standard input: write one of them to a file")


def workers_known_from(paths: Sequence[str]) -> dict[str, tuple[float, float] | None]:
    """The workers of earlier campaigns, with what is known of them: nothing (None) of who never answered.

    Of who was in several, the last that has answers of theirs or knew them itself is believed; who was retracted in
    one is forgotten.
    """
    known: dict[str, tuple[float, float] | None] = {}
    for path in paths:
        earlier = _campaign_with_workers(path)
        reliabilities = earlier.reliabilities()
        for worker in earlier.worker_names:
            if earlier.is_retracted(worker):
                known.pop(worker, None)
            else:
                known[worker] = reliabilities.get(worker, known.get(worker))
    return known


def with_gold(
    known: Mapping[str, tuple[float, float] | None], gold: Mapping[str, tuple[int, int]]
) -> dict[str, tuple[float, float] | None]:
    """What is known of workers, with what they got right and wrong: a Beta counts both."""
    from nextpair.core.model import RELIABILITY

    counted: dict[str, tuple[float, float] | None] = dict(known)
    for worker, (right, wrong) in gold.items():
        mu, nu = known.get(worker) or RELIABILITY
        counted[worker] = (mu + right, nu + wrong) if right or wrong else known.get(worker)
    return counted


def _campaign_with_workers(path: str) -> Campaign:
    from nextpair.campaign.campaign import Campaign

    earlier = Campaign.load(path)
    if all(map(earlier.is_retracted, earlier.worker_names)):
        raise InvalidFile(f"{path} knows no workers: give a journal whose answers were given by workers who have names")
    return earlier


def joined(names: list[str], more: list[str]) -> list[str]:
    """The names, and those of the others that are new."""
    known = set(names)
    return [*names, *(name for name in more if name not in known)]


def lines_of(path: str | None, what: str) -> list[str]:
    """The lines of a file of names that are not blank; none without a file."""
    from nextpair.store.streams import open_source

    if path is None:
        return []
    with open_source(path) as source:
        told = source.stream.read()
    try:
        lines = re.split(r"\r\n|\r|\n", told.decode("utf-8-sig"))  # splitlines would cut at form feeds and more
    except UnicodeDecodeError as error:
        number = told.count(b"\n", 0, error.start) + 1
        raise InvalidFile(f"{source.name}, line {number:,} is not UTF-8: save the file as text in UTF-8") from None
    _refuse_other_kinds(source.name, next(filter(str.strip, lines), ""), what)
    for number, line in enumerate(lines, start=1):
        if line.strip() and not can_be_seen(line):
            unseen = f"the {what} {line.strip()!a} cannot be seen"
            raise InvalidFile(f"{source.name}, line {number:,}: {unseen}. Write one that can, or take the line out")
    return [line.strip() for line in lines if line.strip()]


def _refuse_other_kinds(name: str, first: str, what: str) -> None:
    """Refuse a journal or a file of answers, known by how it begins: each of its lines would be a name."""
    from nextpair.store.layouts import NAMED, SIDED

    columns = {cell.strip(' "').lower() for cell in re.split("[,;\\t]", first)}
    if any(columns.issuperset(layout) for layout in (*SIDED, NAMED)) or ANSWER.match(first):
        raise InvalidFile(f"{name} is a file of answers: give it as --answers. --{what}s takes one {what} a line")
    if first.startswith('{"event"'):
        raise InvalidFile(f"{name} is a journal. --{what}s takes one {what} a line; --workers-from takes a journal")
