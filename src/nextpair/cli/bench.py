"""`nextpair bench`: measurements against a reference in the same run."""

from __future__ import annotations

import click

from nextpair.cli.bench_service import service


@click.group()
def bench() -> None:
    """Measure nextpair against a reference in the same run."""


bench.add_command(service)
