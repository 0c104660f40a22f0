"""`nextpair export`: the answers of a campaign as a file of comparisons."""

from __future__ import annotations

import click

from nextpair.cli.journal import JOURNAL
from nextpair.cli.progress import patiently

COLUMNS = ("question", "worker", "winner", "loser", "tie", "left", "much")


@click.command()
@JOURNAL
def export(journal: str) -> None:
    """Print the answers that count in JOURNAL as CSV, oldest first, ready for `nextpair rank`.

    The column left is the item that stood left, empty where that is not known; much says whether the winner was called
    much better.
    """
    from nextpair.campaign.campaign import Campaign
    from nextpair.store.spreadsheet import csv_text

    with patiently(f"reading {journal}"):
        campaign = Campaign.load(journal)
        # a column without names would be refused: who answered is then nobody in particular
        columns = [name for name in COLUMNS if name != "worker" or campaign.settings.workers is not None]
        rows = [[getattr(answer, name) for name in columns] for answer in campaign.comparisons()]
        table = csv_text([columns, *rows]).encode()
    click.echo(table, nl=False)
