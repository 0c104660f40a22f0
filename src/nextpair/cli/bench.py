"""`nextpair bench`: the home of the benchmarks, each a subcommand that prints a table."""

from __future__ import annotations

import click

from nextpair.cli.bench_ask import ask
from nextpair.cli.bench_service import service


@click.group()
def bench() -> None:
    """Measure nextpair against a reference in the same run."""


bench.add_command(ask)
bench.add_command(service)
