"""The bodies that the API takes; what it gives is in `replies`."""

from __future__ import annotations

import re
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, StrictBool

from nextpair.campaign.events import Outcome
from nextpair.core.policies import AUTO, POLICIES
from nextpair.service.content import MAX_ID, MAX_ITEMS, MAX_TEXT, clean
from nextpair.service.languages.catalogue import DEFAULT, known, languages


def address(text: str) -> str:
    """The address of a page, in full."""
    if not re.match("https?://[A-Za-z0-9]", text):
        raise ValueError(f"must begin with https:// and the name of a host, unlike {text[:60]!r}")
    return text


def number(value: object) -> object:
    """A number of JSON: neither a text nor a truth."""
    if isinstance(value, str | bool):
        raise ValueError("must be a number")
    return value


def moment(value: object) -> object:
    """A moment as the API gives and takes it."""
    if isinstance(value, str | bool):
        raise ValueError("must be a number: seconds since 1970 (UTC), as `date +%s` prints")
    return value


_NO_NUL = Field(json_schema_extra={"pattern": r"^[^\x00]*$"})  # clean() says it in words; this is for the description
Text = Annotated[str, _NO_NUL, AfterValidator(clean)]
Address = Annotated[
    str,
    Field(json_schema_extra={"pattern": r"^https?://[A-Za-z0-9][^\x00]*$"}),
    AfterValidator(clean),
    AfterValidator(address),
]
Name = Annotated[str, Field(min_length=1, max_length=200), _NO_NUL, AfterValidator(clean)]
_number = BeforeValidator(number)
Money = Annotated[float, Field(gt=0, le=1e12, allow_inf_nan=False), _number]
Moment = Annotated[float, Field(gt=0, le=1e11, allow_inf_nan=False), BeforeValidator(moment)]
Language = Annotated[str, Field(json_schema_extra={"enum": [*languages()]}), AfterValidator(known)]
Accuracy = Annotated[float, Field(ge=0.5, le=1, allow_inf_nan=False), _number]


class Body(BaseModel):
    model_config = ConfigDict(extra="forbid")


class ItemWords(Body):
    """What an item shows: a text, Markdown, or a picture by its address or by the `image` that POST /media gave."""

    model_config = ConfigDict(
        json_schema_extra={
            "anyOf": [
                {"required": ["text"], "properties": {"text": {"pattern": r"[^\s\x00]"}}},
                {"required": ["image"], "properties": {"image": {"pattern": "^(https?://|media/)[A-Za-z0-9]"}}},
            ]
        }
    )
    text: Annotated[Text, Field(max_length=MAX_TEXT)] = ""
    kind: Literal["text", "markdown", "image"] | None = None
    image: Annotated[Text, Field(max_length=2000)] | None = None


class NewItem(ItemWords):
    """An item: what it shows, and what it is called."""

    id: Annotated[Text, Field(min_length=1, max_length=MAX_ID)] | None = None
    guess: Annotated[float, Field(allow_inf_nan=False), _number] | None = None  # the higher the better


class NewComparison(Body):
    """A comparison made before the campaign, by ids of items; `left` is the one shown left, if that is known."""

    winner: Name
    loser: Name
    left: Name | None = None
    worker: Name = "imported"
    tie: StrictBool = False
    much: StrictBool = False


class Wording(Body):
    """What the pages of a campaign say, and when it ends: all that its journal does not hold, but for the items."""

    name: Name
    question: Annotated[Text, Field(min_length=1, max_length=1000)]
    language: Language = DEFAULT  # of all else that workers read
    ends_at: Moment | None = None
    show_ranking: StrictBool = False
    by_how_much: StrictBool = False  # whether the pages ask whether it is so by far
    completion_url: Annotated[Address, Field(max_length=2000)] | None = None
    completion_code: Annotated[Text, Field(max_length=200)] | None = None
    currency: Annotated[Text, Field(max_length=8)] = ""
    workers_from: Annotated[Text, Field(min_length=1, max_length=80)] | None = None  # the id of an earlier campaign


class NewCampaign(Wording):
    """A campaign to be created."""

    items: Annotated[list[NewItem], Field(min_length=2, max_length=MAX_ITEMS)]
    budget: Money
    price: Money = 1.0
    quota: Annotated[int, Field(ge=1, le=1_000_000), _number] | None = None
    min_looks: Annotated[int, Field(ge=0, le=1000), _number] = 0
    one_stays: StrictBool = False
    best: Annotated[int, Field(ge=1, le=MAX_ITEMS), _number] | None = None  # only which are the best so many matters
    target_accuracy: Accuracy | None = None
    policy: Annotated[Text, Field(max_length=40, json_schema_extra={"enum": [AUTO, *POLICIES]})] = AUTO
    lease: Annotated[float, Field(gt=0, le=31_536_000, allow_inf_nan=False), _number] | None = None
    seed: Annotated[int, Field(ge=0, le=2**31), _number] = 0
    comparisons: Annotated[list[NewComparison], Field(max_length=200_000)] = []


class NewWorker(Body):
    """A worker to be invited; everything may be left out."""

    name: Annotated[Text, Field(max_length=200)] = ""
    id: Annotated[str, Field(min_length=1, max_length=60, pattern=r"^[A-Za-z0-9_.@-]+$")] | None = None
    outside_id: Annotated[Text, Field(min_length=1, max_length=200)] | None = None
    price: Money | None = None  # of their answers, if it is not the campaign's
    reliability: Annotated[tuple[Money, Money], Field(json_schema_extra={"example": [38, 2]})] | None = None
    times: Annotated[int, Field(ge=1, le=1000), _number] | None = None  # how often they may be asked the same pair


class Terms(Body):
    """What can be changed while a campaign runs; what is left out stays as it is.

    The price is everybody's, or that of the worker who is named.
    """

    budget: Money = Field(default_factory=float)  # a number or left out: a live campaign always has a budget
    price: Money = Field(default_factory=float)
    worker: Name | None = None
    target_accuracy: Accuracy | None = None
    ends_at: Moment | None = None
    language: Language = Field(default_factory=str)  # one of those that there are, or left out


class NewAnswer(Body):
    choice: Outcome | Literal["skip"]


class MeantAnswer(Body):
    """The answer that is to be undone, as it was given; what is left out may be anything."""

    choice: Outcome | None = None
    undone: Annotated[int, Field(ge=0, le=1_000_000_000), _number] | None = None
