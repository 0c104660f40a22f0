"""Makes docs/images/akg-speed.png (docs/performance.md): `python docs/figures/akg_speed.py`."""

from pathlib import Path

import numpy as np
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from scipy.special import betainc

from nextpair.core.kernels.grid import grid_up_to

ALPHAS = np.array([0.35, 0.9, 1.05, 1.6, 2.3, 2.45, 3.4, 4.6])
SECONDS = {  # of one evaluation on one processor, as docs/performance.md has them
    "transcription: 2 (K²/2)² tails": lambda k: 2 * (k**2 / 2) ** 2 * 0.3e-6,
    "direct, O(K) a pair: 2K³/2 tails": lambda k: k**3 * 0.16e-6,
    "tables: 16 polynomials a pair": lambda k: k**2 / 2 * 330e-9,
}


def draw_sum(axes: Axes) -> None:
    """F(x, 1) = sum of t(x, alpha_k): smooth but for the items."""

    def tail(x: np.ndarray, alpha: float) -> np.ndarray:
        return betainc(np.maximum(x, alpha), np.minimum(x, alpha), 0.5)

    x = np.linspace(0.05, 6, 1200)
    for alpha in ALPHAS:
        axes.plot(x, tail(x, alpha), color="tab:blue", alpha=0.25, lw=0.8)
    axes.plot(x, sum(tail(x, alpha) for alpha in ALPHAS), lw=2, label="F(x, 1): sum of the thin lines")
    axes.plot(ALPHAS, [sum(tail(at, alpha) for alpha in ALPHAS) for at in ALPHAS], "o", color="tab:red", ms=4)
    grid = grid_up_to(6.0)
    assert grid is not None
    for edge in grid.edges[(grid.edges > 0.05) & (grid.edges < 6)]:
        axes.axvline(edge, color="0.85", lw=0.6, zorder=0)
    for to, words, side, colour in (
        (2.05, "a beats b", "left", "tab:green"),
        (1.3, "b beats a", "right", "tab:orange"),
    ):
        axes.annotate("", (to, 0.56), (1.6, 0.56), arrowprops={"arrowstyle": "->", "color": colour, "lw": 1.5})
        axes.text(to, 0.64, words, color=colour, fontsize=8, ha=side)
    axes.set(
        xlabel="x, where an item may move to",
        ylabel="summed tails",
        ylim=(0, 2.7),
        title="smooth between kinks (dots) and panel edges (grey)",
    )
    axes.legend(fontsize=8)


def draw_cost(axes: Axes) -> None:
    items = np.array([10.0, 10_000.0])
    for (label, seconds), colour in zip(SECONDS.items(), ("tab:blue", "tab:orange", "tab:green"), strict=True):
        axes.loglog(items, seconds(items), color=colour, lw=1.8, label=label)
    axes.axhline(0.1, color="0.6", lw=0.8)
    axes.text(9_000, 0.06, "0.1 s: felt as at once", fontsize=8, color="0.4", ha="right", va="top")
    axes.set(xlabel="items", ylabel="seconds, one processor", title="cost of all scores")
    axes.legend(fontsize=8)


def main() -> None:
    plt.rcParams["axes.titlesize"] = 10
    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 3.4), constrained_layout=True)
    draw_sum(left)
    draw_cost(right)
    path = Path(__file__).parents[1] / "images" / "akg-speed.png"
    figure.savefig(path, dpi=110)
    print(path)


if __name__ == "__main__":
    main()
