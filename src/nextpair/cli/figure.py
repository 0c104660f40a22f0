"""The option of commands that can draw what they found."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from nextpair.campaign.questions import RankingRow, WorkerRow

FIGURE = click.option(
    "--figure",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Also draw it, to a PNG, SVG or PDF file.",
)


def draw_to(figure: Path | None, ranking: Sequence[RankingRow], workers: Sequence[WorkerRow], top: int | None) -> None:
    """Draw what was found, if that is wanted, and say so."""
    from nextpair.picture import draw

    if figure is not None:
        draw(figure, ranking, workers, top=top)
        click.echo(f"nextpair: wrote {figure}", err=True)
