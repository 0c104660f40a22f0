"""A question and the rows that a campaign shows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

from nextpair.campaign.events import Outcome

CLEARLY = 0.05  # who prefers one side so much oftener than every other time, of two equal items, is said to favour it
Status = Literal["open", "answered", "skipped", "expired"]


def the_best(best: int) -> str:
    """In words, behind "the"."""
    return "best" if best == 1 else f"best {best}"


class Question(NamedTuple):
    """A pair put to a worker, as it stood when it was given. `choice` is the answer once there is one that counts.

    `worker` is None where workers are alike. `expires_at`: in seconds, as the clock counts them; None without a lease.
    """

    id: str
    worker: str | None
    left: str
    right: str
    cost: float
    expires_at: float | None = None
    status: Status = "open"
    choice: Outcome | None = None

    @property
    def winner(self) -> str | None:
        """The item that won, or None for a tie or no answer."""
        return {"left": self.left, "right": self.right}.get((self.choice or "").removeprefix("much-"))


@dataclass(frozen=True)
class RankingRow:
    """One place of the ranking. `low`, `high`: the interval of the score.

    `prob_above_next`: the chance that the item belongs above the one in the next row; None in the last.
    `prob_best`: in a campaign that looks for the best few, the chance to be one of them.
    """

    rank: int
    item: str
    score: float
    low: float
    high: float
    prob_above_next: float | None
    prob_best: float | None = None


@dataclass(frozen=True)
class WorkerRow:
    """What is believed of a worker. `low`, `high`: the interval of the reliability.

    `leaning`: how often the worker prefers the left one of two equal items, 0.5 for who favours no side; None under a
    policy that does not know. `spent`: the cost of all their answers, retracted or not. `known`: whether they came with
    a reliability of their own, as who is known from an earlier campaign does.
    """

    worker: str
    reliability: float
    low: float
    high: float
    answers: int
    cost: float = 1.0
    status: Literal["active", "retracted"] = "active"
    leaning: float | None = None
    spent: float = 0.0
    known: bool = False

    @property
    def favours(self) -> str:
        """The side that the worker clearly favours, as "left 70 %"; nothing where there is none."""
        if self.leaning is None:
            return ""
        side, share = ("left", self.leaning) if self.leaning > 0.5 else ("right", 1 - self.leaning)
        chance = self.answers**-0.5 if self.answers else 0.5  # two standard deviations of a coin
        return f"{side} {100 * share:.0f} %" if share - 0.5 >= max(CLEARLY, chance) else ""


@dataclass(frozen=True)
class Comparison:
    """One answer that counts. For a tie, `winner` and `loser` are just the two items.

    `left` is the one of them that stood left, or None for an answer from elsewhere of which that is not known. `much`:
    whether the winner was called much better.
    """

    question: str
    worker: str | None
    winner: str
    loser: str
    tie: bool
    left: str | None = None
    much: bool = False


@dataclass(frozen=True)
class Explanation:
    """Why a question is worth asking, on what is believed now. Print it.

    `prob_left`: the chance that the left item is the better one. `reliability`: the worker's. `runner_up`: the pair
    that would have been next, and what its answer is worth; None where there is no other.
    `gain` is a share of pairs in the right order: of all, or with `best` of those between the best and the others.
    """

    left: str
    right: str
    worker: str | None
    gain: float
    prob_left: float
    reliability: float
    runner_up: tuple[str, str] | None
    runner_up_gain: float | None
    best: int | None = None
    note: str | None = None

    @property
    def raises(self) -> str:
        """What the answer is expected to raise."""
        if self.best is None:
            return "the accuracy"
        return f"the share of pairs in the right order between the {the_best(self.best)} and the others"

    def __str__(self) -> str:
        who = f"{self.worker} (reliability {self.reliability:.2f})" if self.worker else "anyone"
        text = (
            f"{self.left} against {self.right}, asked of {who}: {self.left} is the better one with probability "
            f"{self.prob_left:.2f}; the answer is expected to raise {self.raises} by {self.gain:.2g}."
        )
        if self.runner_up is not None:
            other, another = self.runner_up
            text += f" The next best pair, {other} against {another}, would bring {self.runner_up_gain:.2g}."
        return text if self.note is None else f"{text} {self.note}"
