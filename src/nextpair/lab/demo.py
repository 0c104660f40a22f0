"""The demo's world: a crowd of mixed reliability, and what random asking would have cost in it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from nextpair.campaign.questions import RankingRow
from nextpair.core.arrays import FloatArray
from nextpair.core.policies import find_policy
from nextpair.extras import save_drawn
from nextpair.lab.play import budget_for, noted_budgets, play
from nextpair.lab.worlds import Simulated, World, uniform_scores
from nextpair.picture import ITEM, draw_ranking

OTHERS = "#D55E00"  # the colour of random asking
FLAVOURS = [
    "vanilla",
    "chocolate",
    "pistachio",
    "mango",
    "lemon",
    "hazelnut",
    "coffee",
    "coconut",
    "strawberry",
    "mint",
    "caramel",
    "cherry",
    "raspberry",
    "banana",
    "walnut",
    "ginger",
    "fig",
    "melon",
    "saffron",
    "rhubarb",
]
CROWD = {  # name -> true reliability
    "ada": 0.98, "bela": 0.96, "chen": 0.94, "dora": 0.92, "emil": 0.90, "fay": 0.88,
    "coin 1": 0.5, "coin 2": 0.5, "coin 3": 0.5,
    "mirror": 0.08,
}  # fmt: skip


def demo_world(n_items: int, seed: int) -> World:
    """Scores uniform on the simplex and the crowd above."""
    return World(uniform_scores(n_items, np.random.default_rng(seed)), np.array(list(CROWD.values())), seed)


@dataclass(frozen=True)
class Savings:
    """Mean accuracy against answers, for nextpair's choice and for random asking, over many worlds."""

    answers: FloatArray
    accuracy: FloatArray
    random_answers: FloatArray
    random_accuracy: FloatArray
    n_worlds: int

    @property
    def reached(self) -> float:
        return float(self.accuracy[-1])

    @property
    def random_cost(self) -> float | None:
        """How many random answers reach the same mean accuracy; None where even the longest run did not."""
        return budget_for(self.reached, self.random_answers, self.random_accuracy)


def savings(n_items: int, budget: int, n_worlds: int, seed: int, policy: str) -> Iterator[Savings]:
    """What random asking costs for the same accuracy, after one more world each time."""
    most = min(3 * budget, n_items * (n_items - 1) // 2 * len(CROWD))
    ours, theirs = [], []
    for number in range(n_worlds):
        world = demo_world(n_items, seed + 1 + number)
        rng = np.random.default_rng([seed, number])
        ours.append(play(find_policy(policy), Simulated(world), budget, rng).accuracy)
        theirs.append(play(find_policy("random"), Simulated(world), most, rng).accuracy)
        yield Savings(
            noted_budgets(budget),
            np.mean(ours, axis=0),
            noted_budgets(most),
            np.mean(theirs, axis=0),
            number + 1,
        )


def draw(path: Path, ranking: Sequence[RankingRow], saved: Savings) -> None:
    """The ranking with its intervals beside accuracy against answers."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 4), dpi=110, layout="constrained")
    left, right = figure.subplots(1, 2, width_ratios=(1, 1.2))
    draw_ranking(left, ranking)
    right.plot(saved.answers, saved.accuracy, color=ITEM, linewidth=2)
    right.plot(saved.random_answers, saved.random_accuracy, color=OTHERS, linewidth=2)
    right.annotate("nextpair", (saved.answers[-1], saved.reached), (-4, 6), textcoords="offset points", ha="right",
                   color=ITEM)  # fmt: skip
    right.annotate("random asking", (saved.random_answers[-1], saved.random_accuracy[-1]), (-4, -34),
                   textcoords="offset points", ha="right", color=OTHERS)  # fmt: skip
    if (cost := saved.random_cost) is not None:
        right.annotate("", (cost, saved.reached), (saved.answers[-1], saved.reached), arrowprops={"arrowstyle": "<->"})
    right.set_xlabel("answers")
    right.set_ylabel("accuracy")
    right.set_title(f"The same accuracy for less (mean of {saved.n_worlds})", loc="left")
    right.spines[["top", "right"]].set_visible(False)
    save_drawn(figure, path)
