"""Makes docs/images/approximation.png and prints its numbers: `python docs/figures/approximation.py [--quick]`."""

import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

from nextpair.inference.approximation import average, measure_approximation

STUDIES = [  # label, items, workers, policy, answers, runs
    ("3 items, random", 3, 0, "random", (1, 2, 5, 10, 20, 50, 100, 200), 200),
    ("3 items, akg", 3, 0, "akg", (1, 2, 5, 10, 20, 50, 100, 200), 200),
    ("10 items, random", 10, 0, "random", (5, 10, 20, 50, 100, 200), 60),
    ("10 items, akg", 10, 0, "akg", (5, 10, 20, 50, 100, 200), 60),
    ("10 items, 10 workers, random", 10, 10, "random", (5, 10, 20, 50, 100, 200), 30),
    ("10 items, 10 workers, akg", 10, 10, "akg", (5, 10, 20, 50, 100, 200), 30),
]
PANELS = {
    "mean error of P(i above j)": lambda row: row.prob_above,
    "accuracy claimed minus actual": lambda row: row.claimed - row.actual,
    "accuracy lost by the ranking": lambda row: row.exact - row.actual,
}
COLOURS = {3: "tab:blue", 10: "tab:red", 20: "tab:green"}


def main() -> None:
    quick = "--quick" in sys.argv
    figure, axes = plt.subplots(1, 3, figsize=(12, 3.8), constrained_layout=True)
    for label, items, workers, policy, answers, n_runs in STUDIES:
        runs = [
            measure_approximation(items, answers, np.random.default_rng(seed), policy=policy, n_workers=workers)
            for seed in range(max(3, n_runs // 20) if quick else n_runs)
        ]
        style = {
            "color": COLOURS[items + workers],
            "ls": "-" if policy == "akg" else "--",
            "marker": ".",
            "label": label,
        }
        for axis, part in zip(axes, PANELS.values(), strict=True):
            table = np.array([[part(row) for row in run] for run in runs])
            axis.errorbar(answers, table.mean(axis=0), table.std(axis=0, ddof=1) / np.sqrt(len(runs)), **style)
        print(label, f"({len(runs)} runs)")
        for m in average(runs)[0]:
            print(
                f"  {m.answers:4.0f}  P(above) {m.prob_above:.3f} (worst {m.worst:.2f})  scores {m.scores:.3f}  spread "
                f"{m.spread:.2f}  claimed {m.claimed:.3f} actual {m.actual:.3f} exact {m.exact:.3f}  reliability "
                f"{m.reliability:.3f}  noise {m.noise:.3f}",
                flush=True,
            )
    for axis, title in zip(axes, PANELS, strict=True):
        axis.set(xscale="log", xlabel="answers", title=title)
        axis.axhline(0, color="0.7", lw=0.8)
    axes[2].legend(fontsize=7, loc="upper left")  # where no line is
    path = Path(__file__).parents[1] / "images" / "approximation.png"
    figure.savefig(path, dpi=110)
    print(path)


if __name__ == "__main__":
    main()
