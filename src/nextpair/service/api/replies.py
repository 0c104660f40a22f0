"""What the API gives, in full: who makes a client from its description has a type for every field.

Rankings, workers and answers are in `tables`.
"""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

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
    hears_much: bool
    """Whether the policy makes anything of by how much one is better (`by_how_much`); others hear which one is."""
    guess_agreement: float | None
    """The correlation of what was guessed of the items with their scores, as far as answers tell; null without."""
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
    language: str
    """That of what workers read."""
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
    skipped: int
    missing: int
    """Answers that the completion code still takes: at least one, and as many as were skipped or as the quota."""
    quota: int | None
    state: Literal["open", "waiting", "done"]
    ended: bool


class Completion(Reply):
    """What a worker who has done their part takes back to where they came from."""

    code: str | None
    url: str | None


class ItemOut(Reply):
    """What is shown of an item. `html` is there for Markdown, `image` for a picture; `text` describes that."""

    id: str
    kind: Literal["text", "markdown", "image"]
    text: str
    html: str | None = None
    image: str | None = None


class ItemWordsOut(Reply):
    """What an item shows, as its organiser wrote it."""

    id: str
    text: str
    kind: Literal["text", "markdown", "image"]
    image: str | None


class QuestionOut(Reply):
    id: str
    left: ItemOut
    right: ItemOut
    expires_at: float | None
    undone: int
    """How often its answer had been undone when this was given out: an undo of the next answer says so."""


class LastQuestionOut(QuestionOut):
    """A question with its answer."""

    choice: Outcome


class OwnCampaignOut(Words):
    """What a worker sees of a campaign. `completion` is there once they have answered all that there is for them.

    Not if they skipped more than they answered: see `missing` of the progress. Once it was given it stays.
    """

    by_how_much: bool
    """Whether to say so where one is the better one by far."""
    language: str
    """That of the question and of what the pages say."""
    progress: Progress
    completion: Completion | None = None
    last: LastQuestionOut | None = None
    """The question that they answered last, which they can undo: there once they have answered one."""


class WorkerOut(Reply):
    """A worker with the token that lets them in: it is shown this once."""

    id: str
    name: str
    token: str
    url: str


class AnswerOut(Reply):
    id: str
    status: Literal["open", "answered", "skipped", "expired"]
    choice: Outcome | None
    undone: int
    """How often its answer has been undone so far."""
    progress: Progress


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
