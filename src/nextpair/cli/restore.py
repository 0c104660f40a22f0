"""`nextpair restore`: a campaign back from its journal."""

from __future__ import annotations

from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from nextpair.cli.serve import check_extra, database_option

if TYPE_CHECKING:
    from nextpair.service.records import Options

MOMENT = "%Y-%m-%dT%H:%M"


@click.command()
@click.argument("journal", type=click.Path(dir_okay=False))
@database_option
@click.option("--name", default="Restored", show_default=True, help="Name of the campaign.")
@click.option("--question", default="Which one is better?", show_default=True, help="The question that workers see.")
@click.option("--items", type=click.Path(dir_okay=False), help="Contents of the items, as CSV or JSON with their ids.")
@click.option(
    "--workers", type=click.Path(dir_okay=False), help="The export of workers: their names, and who was given the code."
)
@click.option(
    "--ends-at", type=click.DateTime([MOMENT]), metavar="TIME", help="End time in UTC, e.g. 2030-01-31T18:00."
)
@click.option("--currency", default="", help="What money is counted in, e.g. EUR.")
@click.option("--show-ranking", is_flag=True, help="Show the ranking to workers when they are done.")
@click.option("--by-how-much", is_flag=True, help="Let workers say where one is the better one by far.")
@click.option("--language", default="en", show_default=True, help="Language of the workers' pages.")
@click.option("--completion-url", help="Where workers return to when they are done; {code} and {worker} are filled in.")
@click.option("--completion-code", help="The code that workers are given when they are done.")
def restore(
    journal: str,
    database: str,
    name: str,
    question: str,
    items: str | None,
    workers: str | None,
    ends_at: datetime | None,
    **pages: Any,
) -> None:
    """Bring a campaign back into a service's database from its JOURNAL: answers, money, workers and ranking.

    The journal is what the dashboard gives under "Journal", and the API under …/journal. Name, question, contents,
    workers' names and the options below are not in it: give them along. Nor are links: make new ones on the page
    "Invite".
    """
    check_extra()
    from nextpair.service.content import items_of_file
    from nextpair.service.records import Options
    from nextpair.service.restore import restore as bring_back
    from nextpair.service.roster import workers_of_file

    contents = items_of_file(_read(items)) if items else []
    people = workers_of_file(_read(workers)) if workers else []
    options = Options(ends_at=None if ends_at is None else ends_at.replace(tzinfo=UTC).timestamp(), **pages)
    _check(name, question, options)
    campaign = bring_back(database, journal, name, question, contents, options, people)
    click.echo(f"restored as {campaign}: start nextpair serve on the same database, and invite the workers anew")
    if options == Options():
        lacks = "end time, currency, language, completion or leave to see the ranking"
        click.echo(f"A journal holds no {lacks}: see restore --help")


def _read(file: str) -> bytes:
    from nextpair.errors import InvalidFile, reason

    try:
        return Path(file).read_bytes()
    except OSError as error:
        raise InvalidFile(f"cannot read {file}: {reason(error)}") from None


def _check(name: str, question: str, options: Options) -> None:
    """Refuse what the form for a new campaign refuses."""
    from pydantic import ValidationError

    from nextpair.errors import InvalidSetting
    from nextpair.service.api.schemas import Wording
    from nextpair.service.errors import in_words

    try:
        Wording(name=name, question=question, **asdict(options))
    except ValidationError as error:
        problem = error.errors()[0]
        raise _bad(str(problem["loc"][0]), in_words(problem)) from None
    for option, refuse in (("ends_at", options.refuse_past_end), ("completion_url", options.refuse_missing_code)):
        try:
            refuse()
        except InvalidSetting as error:
            raise _bad(option, str(error)) from None


def _bad(option: str, why: str) -> click.BadParameter:
    return click.BadParameter(why, param_hint=f"'--{option.replace('_', '-')}'")
