"""How much less budget a policy needs for the accuracy of another one, from the trials that `lab run --out` leaves.

`python -m nextpair.lab.savings FOLDER --base akg` prints, for every other line of the run, the accuracies and the share
of budget saved at the accuracy that the base line has with all, half and a quarter of the budget. Errors are standard
deviations over resampled trials, the same trials for both lines. With `--figure FILE.png` it draws accuracy against
budget, a panel a folder.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from shlex import quote

import click
import numpy as np

from nextpair.command import run
from nextpair.core.arrays import FloatArray
from nextpair.errors import InvalidFile, InvalidSetting
from nextpair.extras import require_figure, save_drawn
from nextpair.lab.play import budget_for
from nextpair.lab.trials import resampled, standard_error

SHARES = (1.0, 0.5, 0.25)
REACH = 2  # points on either side through which a straight line is put


@dataclass(frozen=True)
class Saving:
    """The share of budget saved at one accuracy of the base; nan where the other line never gets there."""

    share: float
    saved: float
    stderr: float

    def in_words(self) -> str:
        return "not reached" if np.isnan(self.saved) else f"{100 * self.saved:+.0f}±{100 * self.stderr:.0f} %"


def read_trials(folder: Path, base: str) -> tuple[FloatArray, dict[str, FloatArray]]:
    """(budgets, accuracy by line: one row a trial) of a finished run, which must have the base line."""
    found: dict[str, dict[int, list[float]]] = {}
    try:
        result = json.loads((folder / "result.json").read_text(encoding="utf-8"))
        budgets = np.array(next(iter(result["curves"].values()))["budget"], dtype=np.float64)
        for path in sorted((folder / "trials").glob("*.jsonl")):
            for row in path.read_text(encoding="utf-8").splitlines():
                trial = json.loads(row)
                if len(trial["accuracy"]) == budgets.size:
                    found.setdefault(trial["line"], {})[trial["trial"]] = trial["accuracy"]
        common = sorted(set.intersection(*[set(trials) for trials in found.values()] or [set()]))
    except (OSError, ValueError, KeyError, StopIteration):
        raise InvalidFile(
            f"{folder} holds no finished run: make one with nextpair lab run NAME --out {quote(str(folder))}"
        ) from None
    if base not in found:
        raise InvalidSetting(f"there is no line {base!r} in {folder}: it has {', '.join(found) or 'none'}")
    return budgets, {line: np.array([trials[number] for number in common]) for line, trials in found.items()}


def smoother(size: int) -> FloatArray:
    """The matrix that puts a straight line through the points around each point: single steps of a mean are noise."""
    out = np.zeros((size, size))
    for spot in range(size):
        near = np.arange(max(0, spot - REACH), min(size, spot + REACH + 1))
        line = np.stack([np.ones(near.size), near - spot], axis=1)
        out[spot, near] = np.linalg.pinv(line)[0]
    return out


def saved(accuracy: float, spent: float, budgets: FloatArray, curve: FloatArray) -> float:
    """The share of what was spent that the curve does not need for the accuracy; nan where it never gets there."""
    needed = budget_for(accuracy, budgets, curve)
    return float("nan") if needed is None else 1 - needed / spent


def savings(budgets: FloatArray, base: FloatArray, other: FloatArray, seed: int = 0) -> list[Saving]:
    """What `other` saves against `base` (rows are trials, paired) at each share of the whole budget."""
    if base.shape != other.shape or len(base) < 2:
        raise InvalidSetting("both lines need the same trials, at least 2 of them")
    samples = [np.arange(len(base)), *resampled(len(base), seed)]
    table = np.empty((len(samples), len(SHARES)))
    smooth = smoother(budgets.size)
    for row, sample in enumerate(samples):
        old, new = smooth @ base[sample].mean(axis=0), smooth @ other[sample].mean(axis=0)
        for column, share in enumerate(SHARES):
            spent = share * budgets[-1]
            reached = float(np.interp(spent, budgets, old))
            table[row, column] = saved(reached, spent, budgets, new)
    spread = [float(np.nanstd(column)) if np.isfinite(column).any() else float("nan") for column in table[1:].T]
    return [Saving(*values) for values in zip(SHARES, map(float, table[0]), spread, strict=True)]


def draw(
    runs: Mapping[str, tuple[FloatArray, dict[str, FloatArray]]], base: str, path: Path, spent: str = "answers bought"
) -> None:
    """Accuracy against budget with its standard error, a panel a run; the base is dashed."""
    from matplotlib.figure import Figure

    columns = len(runs) if len(runs) < 4 else 2
    rows = -(-len(runs) // columns)
    figure = Figure(figsize=(5 * columns, 4 * rows), dpi=110)
    panels = figure.subplots(rows, columns, squeeze=False)
    colour = {
        line: f"C{k}" for k, line in enumerate(dict.fromkeys(line for _, lines in runs.values() for line in lines))
    }
    for empty in panels.flat[len(runs) :]:
        empty.set_axis_off()
    for axes, (name, (budgets, lines)) in zip(panels.flat, runs.items(), strict=False):
        for line, trials in sorted(lines.items()):
            mean, error = trials.mean(axis=0), standard_error(trials)
            axes.plot(budgets, mean, colour[line], label=line, linestyle="--" if line == base else "-")
            axes.fill_between(budgets, mean - error, mean + error, color=colour[line], alpha=0.2, linewidth=0)
        what = "share of the best found" if any(", best " in line for line in lines) else "pairs in the right order"
        axes.set(xlabel=spent, ylabel=what, title=f"{name}, {len(trials)} campaigns")
        axes.set_xlim(budgets[0], budgets[-1])
        axes.grid(alpha=0.3)
        axes.legend(frameon=False, loc="lower right")
    figure.tight_layout()
    save_drawn(figure, path)


@click.command()
@click.argument("folders", type=click.Path(path_type=Path), nargs=-1, required=True)
@click.option("--base", default="akg", show_default=True, help="The line to compare with.")
@click.option("--figure", type=click.Path(path_type=Path), help="Draw accuracy against budget there (PNG).")
def main(folders: tuple[Path, ...], base: str, figure: Path | None) -> None:
    """What the other lines of a run save against one of them."""
    require_figure(figure)
    runs = {}
    for folder in folders:
        runs[folder.name] = read_trials(folder, base)
        tell(*runs[folder.name], base)
    if figure is not None:
        draw(runs, base, figure)


def tell(budgets: FloatArray, lines: Mapping[str, FloatArray], base: str) -> None:
    """Print what each line reached, and what it saved against the base."""
    points = [int(np.searchsorted(budgets, share * budgets[-1])) for share in (0.25, 0.5, 1.0)]
    click.echo(f"{len(lines[base])} trials | accuracy at T/4, T/2, T | saved at the accuracy of {base} at T, T/2, T/4")
    for line, trials in lines.items():
        mean, error = trials.mean(axis=0), standard_error(trials)
        cells = " ".join(f"{mean[k]:.3f}±{error[k]:.3f}" for k in points)
        if line != base:
            cells += " | " + " ".join(s.in_words() for s in savings(budgets, lines[base], trials))
        click.echo(f"{line:16s} | {cells}")


if __name__ == "__main__":
    run(main)
