"""A campaign to be created, and the events that it begins with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from nextpair.campaign import events as ev
from nextpair.campaign.campaign import Campaign
from nextpair.campaign.earlier import Earlier
from nextpair.campaign.names import can_be_seen
from nextpair.errors import InvalidSetting, UnknownItem
from nextpair.service.content import Item
from nextpair.service.pictures import MEDIA, Picture
from nextpair.service.records import Options, Records


@dataclass(frozen=True)
class Draft:
    """A campaign to be created. `engine` holds what Campaign takes: cost, quota, policy, lease, seed and so on."""

    name: str
    question: str
    items: Sequence[Item]
    budget: float | None
    options: Options
    target: float | None = None
    engine: dict[str, Any] | None = None
    comparisons: Sequence[dict[str, Any]] = ()
    pictures: Sequence[Picture] = ()  # uploads that the items show, stored with the campaign or not at all


def refuse_unseen_words(draft: Draft) -> None:
    """An error for a campaign whose link in the list, or whose question, would be there and not be seen."""
    for what, words in (("name", draft.name), ("question", draft.question)):
        if not can_be_seen(words):
            raise InvalidSetting(f"the {what} {words[:60]!r} cannot be seen: write one that can")


def refuse_lost_pictures(records: Records, items: Sequence[Item], uploads: Sequence[Picture] = ()) -> None:
    """An error for an item that shows a picture which is neither here nor among the uploads."""
    shown = {item.image.removeprefix(MEDIA): item.id for item in items if item.image and item.image.startswith(MEDIA)}
    lost = shown.keys() - {picture.name for picture in uploads}
    for name in sorted(lost - records.known_media(lost)):
        raise InvalidSetting(
            f"item {shown[name]!r} shows the picture {(MEDIA + name)[:60]!r}, which is not here: "
            "upload it with POST /media, and use the image that this gives"
        )


def refuse_lost_campaign(records: Records, workers_from: str | None) -> None:
    """An error for a campaign that workers are to be known from, and that is not here."""
    if workers_from is not None and all(record.id != workers_from for record in records.campaigns()):
        raise InvalidSetting(
            f"there is no campaign {workers_from[:80]!r} from which workers could be known: give the id of one, or none"
        )


def first_events(draft: Draft, lease: float) -> list[ev.Event]:
    """The events that a campaign begins with: items, terms, and the comparisons to start from."""
    engine = {"lease": lease, **(draft.engine or {})}
    if guess := {item.id: item.guess for item in draft.items if item.guess is not None}:
        engine["guess"] = guess
    campaign = Campaign([item.id for item in draft.items], [], draft.budget, stop_at=draft.target, **engine)
    known = set(campaign.items)
    numbered = enumerate(draft.comparisons, start=1)
    for as_shown, rows in groupby(numbered, lambda row: row[1]["left"] is not None):
        campaign.add_answers([_earlier(known, *row) for row in rows], as_shown=as_shown)
    return campaign.events


def _earlier(items: set[str], number: int, row: dict[str, Any]) -> Earlier:
    for role in ("winner", "loser"):
        if row[role] not in items:
            raise UnknownItem(f"comparison {number} names {row[role]!r}, which is not the id of an item")
    if row["winner"] == row["loser"]:
        raise InvalidSetting(f"comparison {number} compares {row['winner']!r} with itself")
    if row["left"] not in (row["winner"], row["loser"], None):
        raise InvalidSetting(f"comparison {number} was not shown with {row['left']!r} left: that is neither of the two")
    left, right, choice = row["winner"], row["loser"], "left"
    if row["left"] == row["loser"]:
        left, right, choice = right, left, "right"
    if row["tie"] and row["much"]:
        raise InvalidSetting(f"comparison {number} is a tie, in which neither is much better: leave tie or much out")
    return row["worker"], left, right, "tie" if row["tie"] else f"much-{choice}" if row["much"] else choice
