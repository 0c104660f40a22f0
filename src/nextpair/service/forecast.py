"""How many more answers, and how much more money, until the target: a power law through the accuracy so far."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

# before anybody is asked: answers an item, and the share of pairs in the right order, where items are closer together
# than is assumed and where they are farther apart (nextpair forecast --items 30 --workers 15 --trials 200 --seed 6)
BEFOREHAND = (
    (1, 0.57, 0.65), (2, 0.60, 0.71), (3, 0.63, 0.76), (5, 0.66, 0.82), (7, 0.69, 0.86), (10, 0.72, 0.90),
    (15, 0.76, 0.93), (20, 0.78, 0.94),
)  # fmt: skip
_FEWEST = 5  # points of the curve below which nothing is said
_FARTHEST = 50.0  # times the answers so far beyond which a forecast would be a guess


class Point(NamedTuple):
    """The expected accuracy of so many items after so many answers that cost so much."""

    answers: int
    spent: float
    expected_accuracy: float
    n_items: int


@dataclass(frozen=True)
class Forecast:
    """`answers` and `cost`: still needed to reach `target`. None where nothing can be said yet."""

    target: float | None
    answers: int | None
    cost: float | None
    at_budget: float | None  # the accuracy when the budget is used up


def forecast(curve: Sequence[Point], target: float | None, remaining: float | None, price: float) -> Forecast:
    """What the curve says of the way to the target, and of where the budget ends. `price`: what an answer costs.

    The error 1 − accuracy of a ranking falls as a power of the number of answers once each item was seen a few times,
    so a straight line is drawn through its logarithm over the later half of the curve. Points with more answers than
    there are now are from before a ban, and those with more or fewer items from before one joined or was removed, which
    makes the accuracy jump.
    """
    now = curve[-1] if curve else Point(0, 0.0, 0.0, 0)
    n_items = now.n_items
    if target is not None and now.expected_accuracy >= target:
        return Forecast(target, 0, 0.0, None)
    same = [point for point in curve if point.expected_accuracy < 1 and point.n_items == n_items]
    later = [point for point in same if point.answers <= now.answers <= 2 * point.answers]
    line = _fit(later, n_items)
    if line is None or not now.answers:
        return Forecast(target, None, None, None)
    start, slope = line
    answers = cost = at_budget = None
    if target is not None and target < 1:
        there = (math.log(1 - target) - start) / slope  # a logarithm: of a flat curve, no number would hold the rest
        if there <= math.log(n_items + (1 + _FARTHEST) * now.answers):
            answers = max(1, math.ceil(math.exp(there) - n_items - now.answers))
            cost = answers * price
    if remaining is not None:
        final = now.answers + remaining / price
        at_budget = max(now.expected_accuracy, 1 - math.exp(start + slope * math.log(final + n_items)))
    return Forecast(target, answers, cost, at_budget)


def _fit(points: Sequence[Point], n_items: int) -> tuple[float, float] | None:
    if len(points) < _FEWEST:
        return None
    xs = [math.log(point.answers + n_items) for point in points]
    ys = [math.log(1 - point.expected_accuracy) for point in points]
    x_mean, y_mean = sum(xs) / len(xs), sum(ys) / len(ys)
    spread = sum((x - x_mean) ** 2 for x in xs)
    if spread == 0:
        return None
    slope = sum((x - x_mean) * (y - y_mean) for x, y in zip(xs, ys, strict=True)) / spread
    return (y_mean - slope * x_mean, slope) if slope < -0.01 else None
