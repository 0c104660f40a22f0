"""`nextpair restore`: a campaign back from its journal."""

from __future__ import annotations

from pathlib import Path

import click

from nextpair.cli.serve import check_extra, database_option


@click.command()
@click.argument("journal", type=click.Path(dir_okay=False))
@database_option
@click.option("--name", default="Restored", show_default=True, help="Name of the campaign.")
@click.option("--question", default="Which one is better?", show_default=True, help="The question that workers see.")
@click.option("--items", type=click.Path(dir_okay=False), help="Contents of the items, as CSV or JSON with their ids.")
def restore(journal: str, database: str, name: str, question: str, items: str | None) -> None:
    """Bring a campaign back into a service's database from its JOURNAL: answers, money, workers and ranking.

    The journal is what the dashboard gives under "Journal". Links are not in it: make new ones on the page "Invite".
    """
    check_extra()
    from nextpair.errors import InvalidFile
    from nextpair.service.content import items_of_file
    from nextpair.service.restore import restore as bring_back

    try:
        contents = items_of_file(Path(items).read_bytes()) if items else []
    except OSError as error:
        raise InvalidFile(f"cannot read {items}: {(error.strerror or str(error)).lower()}") from None
    campaign = bring_back(database, journal, name, question, contents)
    click.echo(f"restored as {campaign}: start nextpair serve on the same database, and invite the workers anew")
