"""Figures of results. matplotlib is imported only when one is drawn."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from nextpair.core.arrays import FloatArray
from nextpair.lab.run import Result
from nextpair.lab.trials import Curve

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Okabe and Ito's colours, told apart with any kind of colour vision; each policy keeps its own in every figure
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#8C6D31")
STYLES = ("-", "--", "-.", ":", (0, (5, 1)), (0, (3, 1, 1, 1)), "-", "--")
OWN = {
    "akg": 0, "random": 1, "distance": 2, "adaptive-polling": 3, "centrality-random": 4, "centrality-akg": 5,
    "crowd-bt": 6, "optimal": 7, "relative-distance": 2, "full-posterior": 7, "akg-pending": 1,
}  # fmt: skip
WIDTH = 6.0  # inches: 600 pixels


def save_figure(result: Result, folder: Path, name: str = "figure") -> tuple[Path, Path]:
    """Draw a result and write it as PNG and SVG."""
    import matplotlib

    with matplotlib.rc_context(STYLE):
        figure = draw(result)
        paths = folder / f"{name}.png", folder / f"{name}.svg"
        figure.savefig(paths[0], dpi=150)
        figure.savefig(paths[1], metadata={"Date": None})
    return paths


STYLE: Any = {
    "font.size": 11, "axes.spines.top": False, "axes.spines.right": False, "axes.grid": True, "grid.alpha": 0.25,
    "svg.hashsalt": "nextpair", "figure.constrained_layout.use": True, "axes.titlesize": 11,
}  # fmt: skip


def draw(result: Result) -> Figure:
    """The figure that fits the experiment. It belongs to no window and no global state."""
    if result.timings:
        return _draw_timings(result)
    if result.job.declared.tally == "pairs":
        return _draw_pairs(result)
    if result.job.declared.tally == "workers":
        return _draw_workers(result)
    return _draw_curves(result)


def _figure(height: float, rows: int = 1, columns: int = 1) -> tuple[Figure, list[Axes]]:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(WIDTH, height))
    axes = figure.subplots(rows, columns, squeeze=False)
    return figure, list(axes.ravel())


def _draw_curves(result: Result) -> Figure:
    panels = list(dict.fromkeys(curve.line.panel for curve in result.curves.values() if curve.line.panel)) or [""]
    figure, axes = _figure(4.2 if len(panels) == 1 else 2.9 * len(panels), len(panels))
    for panel, ax in zip(panels, axes, strict=True):
        curves = [curve for curve in result.curves.values() if curve.line.panel in (panel, "")]
        for curve, place in zip(curves, _places(curves), strict=True):
            _draw_curve(ax, result, curve, place)
        ax.set_title(panel)
        ax.set_ylabel("accuracy" if (best := result.job.settings.best) is None else f"share of the best {best} found")
        _label_ends(ax, result, curves)
    axes[-1].set_xlabel("money spent" if result.job.in_money else "answers bought")
    return figure


def _places(curves: list[Curve]) -> list[int]:
    """Which colour and dash each curve gets: its policy's own, or the next one that is free.

    Where a policy has several curves in a panel, they go by position, so that panels agree with each other.
    """
    policies = [curve.line.policy for curve in curves]
    if len(set(policies)) < len(policies):
        return [k % len(COLOURS) for k in range(len(curves))]
    places: list[int] = []
    for curve in curves:
        wanted = OWN.get(curve.line.policy, 0)
        free = [k for k in range(len(COLOURS)) if k not in places]
        places.append(wanted if wanted in free or not free else free[0])
    return places


def _draw_curve(ax: Axes, result: Result, curve: Curve, place: int) -> None:
    colour, style = COLOURS[place], STYLES[place]
    low, high = curve.accuracy - curve.stderr, curve.accuracy + curve.stderr
    ax.fill_between(result.budgets, low, high, color=colour, alpha=0.18, linewidth=0)
    ax.plot(result.budgets, curve.accuracy, color=colour, linestyle=style, linewidth=2.4 if place == 0 else 1.6)


def _label_ends(ax: Axes, result: Result, curves: list[Curve]) -> None:
    """Each curve's name at its end, pushed apart where ends are close, tied to its curve by a thin line."""
    low, high = ax.get_ylim()
    gap = (high - low) * (0.075 if len(curves) > 2 else 0.12)
    end = float(result.budgets[-1])
    order = sorted(range(len(curves)), key=lambda k: curves[k].accuracy[-1])
    heights = spread_out([float(curves[k].accuracy[-1]) for k in order], gap, high)
    ax.set_xlim(0, end * 1.02)
    places = _places(curves)
    tie = {"arrowstyle": "-", "linewidth": 1.6, "relpos": (0, 0.5), "shrinkA": 3, "shrinkB": 0}
    for k, height in zip(order, heights, strict=True):
        colour = COLOURS[places[k]]
        line, tip = curves[k].line, (end, float(curves[k].accuracy[-1]))
        ax.annotate(
            line.short or line.label, tip, (end * 1.07, height), fontsize=10,
            va="center", annotation_clip=False, arrowprops=tie | {"color": colour},
        )  # fmt: skip


def spread_out(heights: list[float], gap: float, top: float) -> list[float]:
    """Ascending heights moved apart to at least `gap`, the whole kept below `top`."""
    placed: list[float] = []
    for height in heights:
        placed.append(max(height, placed[-1] + gap) if placed else height)
    limit = top
    for spot in range(len(placed) - 1, -1, -1):
        placed[spot] = min(placed[spot], limit)
        limit = placed[spot] - gap
    return placed


def _draw_pairs(result: Result) -> Figure:
    figure, axes = _figure(4.9 * len(result.curves), len(result.curves))
    for ax, (label, curve) in zip(axes, result.curves.items(), strict=True):
        table = shares(curve.tally)
        image = ax.imshow(table, origin="lower", cmap="cividis", extent=_ranks(len(table)), interpolation="nearest")
        ax.set(xlabel="true rank of an item, lowest score first", ylabel="true rank of the other", title=label)
        ax.grid(visible=False)
        figure.colorbar(image, ax=ax, label="times asked / mean over pairs")
    return figure


def shares(tally: FloatArray) -> FloatArray:
    """Counts by pair as multiples of the mean; nan on the diagonal."""
    table = tally.copy()
    np.fill_diagonal(table, np.nan)
    return np.asarray(table / np.nanmean(table))


def _ranks(n: int) -> tuple[float, float, float, float]:
    return (0.5, n + 0.5, 0.5, n + 0.5)


def _draw_workers(result: Result) -> Figure:
    figure, axes = _figure(3.8)
    ax = axes[0]
    for spot, (label, curve) in enumerate(result.curves.items()):
        reliability = np.linspace(0.4, 1.0, curve.tally.size)
        ax.errorbar(
            reliability, curve.tally, yerr=curve.tally_stderr, marker="o", capsize=3, label=label,
            color=COLOURS[OWN.get(label, spot)], linestyle=STYLES[OWN.get(label, spot)],
        )  # fmt: skip
    ax.set(xlabel="true reliability of the worker", ylabel="answers asked of the worker", ylim=(0, None))
    if len(result.curves) > 1:
        ax.legend(frameon=False)
    return figure


def _draw_timings(result: Result) -> Figure:
    names = [f"{t.policy}, {t.items} items" + (f", {t.workers} workers" if t.workers else "") for t in result.timings]
    figure, axes = _figure(1.2 + 0.34 * len(names))
    ax, rows = axes[0], np.arange(len(names))[::-1]
    ours, theirs = ([getattr(t, name) for t in result.timings] for name in ("seconds", "paper_seconds"))
    ax.plot(np.array(ours, dtype=np.float64), rows, "o", color=COLOURS[0], label="measured here")
    ax.plot(np.array(theirs, dtype=np.float64), rows, "D", color=COLOURS[1], label="the paper")
    ax.set_yticks(rows, names)
    ax.set(xscale="log", xlabel="seconds to choose one question")
    figure.legend(frameon=False, loc="outside upper center", ncols=2)
    return figure
