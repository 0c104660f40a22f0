"""How every command ends: nextpair's own errors become one line on standard error and an exit code."""

from __future__ import annotations

import sys

import click

from nextpair.errors import NextpairError, NothingToAsk


def run(command: click.Command) -> None:
    """Run a command with the words of the command line."""
    try:
        command(standalone_mode=True)
    except NextpairError as error:
        click.echo(f"nextpair: {error}", err=True)
        sys.exit(3 if isinstance(error, NothingToAsk) else 1)
    except ModuleNotFoundError as error:  # the lab and the service have parts that a small install lacks
        if (error.name or "").partition(".")[0] == "nextpair":
            raise
        click.echo(f"nextpair: this needs the package {error.name}: pip install 'nextpair[all]'", err=True)
        sys.exit(1)
