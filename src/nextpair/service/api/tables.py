"""What the API gives of rankings, workers and answers, in rows; and the dashboard, which has them all."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from nextpair.campaign.events import Outcome
from nextpair.service.api.replies import CampaignOut, Reply


class RankingRowOut(Reply):
    rank: int
    item: str
    label: str
    score: float
    low: float
    high: float
    prob_above_next: float | None
    prob_best: float | None
    """To be one of the best, where only they matter."""


class WorkerRowOut(Reply):
    id: str
    name: str
    outside_id: str | None
    """By which a crowd platform knows them."""
    status: Literal["active", "banned"]
    invited: bool
    """A worker of earlier comparisons was not, and has no link."""
    known: bool
    """Whether they are known from an earlier campaign."""
    reliability: float
    low: float
    high: float
    leaning: float | None
    """How often they prefer the left one of two equal items, where the policy knows."""
    favours: str
    """The same in words, where it is clearly not one half."""
    answers: int
    """Those that count."""
    agreed: int
    """How many of them say what the ranking says."""
    ties: int
    answered: int
    """How many were given, also by who was banned."""
    skipped: int
    """Questions that they were asked and did not answer, by their own choice."""
    late: int
    """Answers of theirs that came too late to count or to be paid for."""
    spent: float
    """What these have cost."""
    price: float
    """What their next answer costs."""
    open: int
    """Questions that are out with them."""
    seen_at: float | None
    completed_at: float | None
    """When they were given the completion code, if they were."""
    answering: bool
    """Whether they were seen in the last two minutes."""


class ComparisonOut(Reply):
    question: str
    worker: str | None
    winner: str
    loser: str
    tie: bool
    much: bool
    left: str | None
    """The one of the two that stood left, if known."""


class ChangeOut(Reply):
    """The ranking before and after a change."""

    before: list[RankingRowOut]
    after: list[RankingRowOut]


class RemovedItem(Reply):
    item: str
    label: str


class InFlight(Reply):
    """A question that is out, in the words that people know items and workers by."""

    id: str
    worker: str
    left: str
    right: str
    asked_at: float | None
    expires_at: float | None


class RecentAnswer(Reply):
    """An answer, in the words that people know items and workers by."""

    id: str
    worker: str
    winner: str
    loser: str
    tie: bool
    much: bool
    choice: Outcome
    undone: int
    """How often the question had been undone before this answer: an undo of it says so."""
    at: float | None


class CurvePoint(Reply):
    """The expected accuracy of so many items after so many answers that cost so much."""

    answers: int
    spent: float
    expected_accuracy: float
    n_items: int


class ForecastOut(Reply):
    """What is still needed to reach the target; null where nothing can be said yet."""

    target: float | None
    answers: int | None
    cost: float | None
    at_budget: float | None
    """The accuracy when the budget is used up."""
    price: float
    """What an answer to come costs on average."""
    most: int | None
    """How many more questions those who were invited can be asked, where the budget would buy more answers."""


class DashboardOut(Reply):
    """Everything that the organiser's live page shows."""

    campaign: CampaignOut
    ranking: list[RankingRowOut]
    removed: list[RemovedItem]
    workers: list[WorkerRowOut]
    in_flight: list[InFlight]
    recent: list[RecentAnswer]
    curve: list[CurvePoint]
    forecast: ForecastOut
    nobody_left: bool
    """Whether everybody who was invited has answered all that they may be asked."""
    guess: str
    """What the guess is worth, in words; empty where nothing was guessed."""
    now: float


class WhyOut(Reply):
    """Why a question is worth asking."""

    left: str
    right: str
    gain: float
    prob_left: float
    reliability: float
    runner_up: Annotated[list[str], Field(min_length=2, max_length=2)] | None
    runner_up_gain: float | None
    raises: str
    """What the gain is a gain in."""
    note: str | None
    """Of the policy: what is to be known besides."""
    text: str
