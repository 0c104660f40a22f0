"""The money of a campaign: its budget, what answers have cost, and what open questions hold."""

from __future__ import annotations

from decimal import Decimal
from functools import cache


@cache
def exact(amount: float) -> Decimal:
    return Decimal(repr(amount))  # so that ten times 0.1 is 1, to the cent


class Purse:
    """A budget (None: no limit), of which some is spent and some is held."""

    def __init__(self, budget: float | None) -> None:
        self.budget = budget
        self._spent = self._held = Decimal(0)

    def hold(self, cost: float) -> None:
        self._held += exact(cost)

    def let_go(self, cost: float) -> None:
        self._held -= exact(cost)

    def pay(self, cost: float) -> None:
        self._spent += exact(cost)

    def take_back(self, cost: float) -> None:
        self._spent -= exact(cost)

    @property
    def spent(self) -> float:
        return float(self._spent)

    @property
    def held(self) -> float:
        return float(self._held)

    @property
    def committed(self) -> float:
        """What is spent and held."""
        return float(self._spent + self._held)

    def fits(self, budget: float) -> bool:
        """Whether what is spent and held is no more than this."""
        return self._spent + self._held <= exact(budget)

    @property
    def remaining(self) -> float | None:
        return None if self.budget is None else float(exact(self.budget) - self._spent - self._held)

    def affords(self, *costs: float) -> bool:
        """Whether all these costs together fit into what is neither spent nor held."""
        return self.budget is None or self._spent + self._held + sum(map(exact, costs)) <= exact(self.budget)
