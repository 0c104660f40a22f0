"""Prints how far policies are from the optimum (docs/policies.md): `python docs/figures/optimal_gap.py [--quick]`."""

import sys

import numpy as np

from nextpair.core.optimal import optimal_accuracy
from nextpair.core.policies import find_policy
from nextpair.core.yardstick import tree_accuracy

NAMES = ("akg", "full-posterior", "adaptive-polling", "crowd-bt", "centrality-akg", "distance", "random")
CAMPAIGNS = [(3, 2), (3, 4), (3, 6), (3, 8), (3, 10), (4, 2), (4, 4), (4, 6), (4, 8)]
DRAWS = {3: 40, 4: 8}  # a policy that draws is averaged over so many campaigns of all answers


def cell(name: str, items: int, answers: int) -> str:
    """Own accuracy (and that of the best ranking of the same answers), with fewer digits where draws matter."""
    rng = np.random.default_rng(0)
    runs = [tree_accuracy(find_policy(name), items, answers, rng) for _ in range(2)]
    fixed = abs(runs[0].own - runs[1].own) < 1e-9
    if not fixed:
        runs += [tree_accuracy(find_policy(name), items, answers, rng) for _ in range(DRAWS[items] - 2)]
    own, best = np.mean([run.own for run in runs]), np.mean([run.best for run in runs])
    return f"{own:.4f} ({best:.4f})" if fixed else f"{own:.3f} ({best:.3f})"


def main() -> None:
    campaigns = CAMPAIGNS[:2] if "--quick" in sys.argv else CAMPAIGNS
    print("| items | answers | optimal |", " | ".join(NAMES), "|")
    print("|", " | ".join(["---"] * (len(NAMES) + 3)), "|")
    for items, answers in campaigns:
        cells = " | ".join(cell(name, items, answers) for name in NAMES)
        print(f"| {items} | {answers} | {optimal_accuracy(items, answers):.4f} | {cells} |", flush=True)


if __name__ == "__main__":
    main()
