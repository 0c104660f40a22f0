"""A ranking as a picture: every item with its interval, best first, and the workers beside it."""

from __future__ import annotations

import math
import os
import warnings
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from nextpair.campaign.amounts import finite, whole
from nextpair.campaign.questions import RankingRow, WorkerRow
from nextpair.campaign.settings import is_list
from nextpair.errors import InvalidSetting
from nextpair.extras import require_figure, save_drawn

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MOST_ITEMS, MOST_WORKERS = 100, 30  # of more items the first, of more workers those at the two ends
ROOM = 36  # letters of a name; of a longer one the middle is left out
PITCH = 0.24  # inches a row
ITEM, WORKER, GONE = "#0072B2", "#009E73", "#8a8a8a"  # Okabe and Ito's, told apart with any kind of colour vision
# the signs of many languages, where these are installed; matplotlib's own font has those of Europe and the Middle East
FONTS = ["Noto Sans CJK SC", "Noto Sans", "Microsoft YaHei", "Hiragino Sans", "Segoe UI Emoji", "Noto Emoji"]

Row = TypeVar("Row", RankingRow, WorkerRow)
Line = tuple[str, float, float, float, str]  # a name, an interval with what is likeliest in it, and a colour


def draw(
    path: str | os.PathLike[str],
    ranking: Iterable[RankingRow],
    workers: Iterable[WorkerRow] = (),
    *,
    top: int | None = None,
    level: float = 0.9,
) -> None:
    """Draw a ranking to a PNG, SVG or PDF file, with the workers beside it if they are given too.

    Of a long ranking the first hundred items are drawn, or the first `top`. `level` is that of the intervals, where
    `Campaign.ranking` was given another. Needs matplotlib: nextpair[lab].
    """
    most = MOST_ITEMS if top is None else whole("top", top, 1)
    ranking, workers = _rows(ranking, "ranking", RankingRow), _rows(workers, "workers", WorkerRow)
    if not 0 < finite("the level", level) < 1:
        raise InvalidSetting(f"the level of an interval lies between 0 and 1, not at {level!r}")
    place = _place(path)
    require_figure(place)
    import matplotlib

    with matplotlib.rc_context({"font.family": _fonts()}), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing from", UserWarning)  # it is drawn as an empty box
        save_drawn(_figure(ranking, workers, most, level), place)


def _place(path: str | os.PathLike[str]) -> Path:
    try:
        return Path(path)
    except TypeError:
        raise InvalidSetting(f"a figure is named by its path, as text or a Path, not by {path!r}") from None


def _rows(rows: Iterable[Row], method: str, kind: type[Row]) -> list[Row]:
    """What `method` of a campaign gave, as a list."""
    found = list(rows) if is_list(rows) else None
    if found is None or not all(isinstance(row, kind) for row in found):
        raise InvalidSetting(f"drawn is what Campaign.{method}() gives, and not {rows!r:.80}")
    return found


def _figure(ranking: Sequence[RankingRow], workers: Sequence[WorkerRow], most: int, level: float) -> Figure:
    """Items and workers beside each other, all rows equally far apart."""
    from matplotlib.figure import Figure

    columns = [min(len(ranking), most + 1)] + ([min(len(workers), MOST_WORKERS + 1)] if workers else [])
    tallest = max(columns)
    figure = Figure(figsize=(9 if workers else 6, 1.1 + PITCH * tallest), dpi=110, layout="constrained")
    grid: Any = figure.add_gridspec(1, len(columns), width_ratios=(1.5, 1)[: len(columns)])
    spots = [
        grid[k] if rows == tallest else grid[k].subgridspec(2, 1, height_ratios=(rows, tallest - rows))[0]
        for k, rows in enumerate(columns)
    ]
    draw_ranking(figure.add_subplot(spots[0]), ranking, most, level)
    if workers:
        draw_workers(figure.add_subplot(spots[1]), workers)
    return figure


def draw_ranking(axes: Axes, ranking: Sequence[RankingRow], most: int = MOST_ITEMS, level: float = 0.9) -> None:
    """Every item with its interval, best first; of more than `most` the first."""
    rows: list[Line | str] = [(short(row.item), row.low, row.score, row.high, ITEM) for row in ranking[:most]]
    if left := len(ranking) - len(rows):
        rows.append(f"… {left:,} more")
    _draw_rows(axes, rows)
    axes.set_xlabel(
        "score" if all(math.isnan(row.low) for row in ranking) else f"score, with its {100 * level:.6g} % interval"
    )
    axes.set_title("The ranking", loc="left")


def draw_workers(axes: Axes, workers: Sequence[WorkerRow]) -> None:
    """Every worker with the interval of their reliability, most reliable first; of very many the two ends."""
    rows: list[Line | str] = []
    for row in sorted(workers, key=lambda row: -row.reliability):
        mark, colour = (" (retracted)", GONE) if row.status == "retracted" else ("", WORKER)
        rows.append((short(row.worker) + mark, row.low, row.reliability, row.high, colour))
    if (left := len(rows) - MOST_WORKERS) > 0:
        half = MOST_WORKERS // 2
        rows[half:-half] = [f"… {left:,} more"]
    _draw_rows(axes, rows)
    axes.axvline(0.5, color=GONE, linewidth=1, linestyle=":")
    axes.set_xlim(0, 1.02)
    axes.set_xticks((0, 0.5, 1), ("0", "0.5\nguesses", "1"))
    axes.set_xlabel("reliability")
    axes.set_title("The workers", loc="left")


def _draw_rows(axes: Axes, rows: Sequence[Line | str]) -> None:
    """A row each, the first on top: the interval as a bar, with a dot. A mere text stands where rows are left out."""
    for spot, row in enumerate(rows):
        if isinstance(row, str):
            continue
        _, low, value, high, colour = row
        if not math.isnan(low):
            axes.plot((low, high), (spot, spot), color=colour, alpha=0.45, linewidth=3, solid_capstyle="butt")
        axes.plot(value, spot, "o", color=colour, markersize=5)
    names = [row if isinstance(row, str) else row[0] for row in rows]
    axes.set_yticks(range(len(rows)), names, parse_math=False)
    axes.set_ylim(len(rows) - 0.4, -0.6)
    axes.spines[["top", "right"]].set_visible(False)


def short(name: str) -> str:
    """A name on one line that fits beside a picture; its middle is left out where it is long."""
    line = " ".join("".join(letter if letter.isprintable() else " " for letter in name).split()) or repr(name)
    return line if len(line) <= ROOM else f"{line[: ROOM - ROOM // 3 - 1]}…{line[-(ROOM // 3) :]}"


def _fonts() -> list[str]:
    from matplotlib import font_manager

    installed = set(font_manager.get_font_names())
    return ["DejaVu Sans", *(font for font in FONTS if font in installed)]
