"""What the API gives, in full: who makes a client from its description has a type for every field."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from nextpair.campaign.events import Outcome


def _stay_open(schema: dict[str, Any]) -> None:
    """A client that is made today must still read what a later version adds."""
    schema.pop("additionalProperties", None)


class Reply(BaseModel):
    # a field that is not declared is an error here, and not left out in silence
    model_config = ConfigDict(extra="forbid", json_schema_extra=_stay_open, use_attribute_docstrings=True)


class Words(Reply):
    id: str
    name: str
    question: str


class CampaignOut(Words):
    """A campaign: its words, terms, money and progress."""

    phase: Literal["running", "paused", "ended"]
    n_items: int
    """Items that take part: removed ones do not."""
    fewest_items: int
    """With as few, none can be removed."""
    budget: float | None
    """Null only where a journal without one was restored."""
    spent: float
    held: float
    """What the questions that are out would cost."""
    remaining: float | None
    price: float
    """What an answer costs, unless a worker has a price of their own."""
    quota: int | None
    """The most questions a worker."""
    min_looks: int
    one_stays: bool
    best: int | None
    """How many of the best matter; null where the order of all does."""
    policy: str
    lease: float | None
    """The seconds for which an open question holds its price."""
    target_accuracy: float | None
    target_reached: bool
    """Whether nothing is asked any more for that; not before every item has had its fewest looks."""
    may_stop_early: bool
    """Whether there is a target and a policy that assumes how far apart items are: too early where they are closer."""
    expected_accuracy: float
    answers: int
    """Those that count."""
    created_at: float
    show_ranking: bool
    ends_at: float | None
    completion_url: str | None
    completion_code: str | None
    currency: str
    workers_from: str | None
    """The campaign from which those are known who come back."""
    by_how_much: bool
    """Whether workers are asked to say so where one is the better one by far: `much-left`, `much-right`."""
    seq: int
    """How many events its journal has."""


class LinkedCampaignOut(CampaignOut):
    """A campaign, with its open link."""

    join_url: str


class JoinLinkOut(Words):
    """The open link of a campaign."""

    join_url: str


class Progress(Reply):
    """How far a worker is. `state`: there may be more, nothing just now, or nothing any more.

    `ended`: the campaign has, so that nothing can be undone.
    """

    answers: int
    quota: int | None
    state: Literal["open", "waiting", "done"]
    ended: bool


class Completion(Reply):
    """What a worker who has done their part takes back to where they came from."""

    code: str | None
    url: str | None


class OwnCampaignOut(Words):
    """What a worker sees of a campaign. `completion` is there once they have answered all that there is for them."""

    by_how_much: bool
    """Whether to say so where one is the better one by far."""
    progress: Progress
    completion: Completion | None = None


class WorkerOut(Reply):
    """A worker with the token that lets them in: it is shown this once."""

    id: str
    name: str
    token: str
    url: str


class ItemOut(Reply):
    """What is shown of an item. `html` is there for Markdown, `image` for a picture; `text` describes that."""

    id: str
    kind: Literal["text", "markdown", "image"]
    text: str
    html: str | None = None
    image: str | None = None


class QuestionOut(Reply):
    id: str
    left: ItemOut
    right: ItemOut
    expires_at: float | None


class AnswerOut(Reply):
    id: str
    status: Literal["open", "answered", "skipped", "expired"]
    choice: Outcome | None
    progress: Progress


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
    spent: float
    """What these have cost."""
    price: float
    """What their next answer costs."""
    open: int
    """Questions that are out with them."""
    seen_at: float | None
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


class MediaOut(Reply):
    """An uploaded picture; use `image` in an item."""

    image: str
    type: str


class Health(Reply):
    status: Literal["ok"]


class Problem(Reply):
    code: str
    message: str


class ErrorOut(Reply):
    """Every error of the API."""

    error: Problem


ERRORS: dict[int | str, dict[str, Any]] = {
    status: {"model": ErrorOut, "description": text}
    for status, text in {
        400: "The request cannot be read",
        401: "No token, or not one of ours",
        403: "The token does not open this",
        404: "There is no such thing",
        409: "It is too late, or not allowed now",
        413: "Too large",
        422: "A value is wrong; the message names it",
        429: "Too often",
        503: "Busy: try again in a moment",
    }.items()
}
