"""A campaign to be created, and the events that it begins with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from nextpair.campaign import events as ev
from nextpair.campaign.campaign import Campaign
from nextpair.campaign.earlier import Earlier
from nextpair.errors import InvalidSetting, UnknownItem
from nextpair.service.content import Item
from nextpair.service.pictures import Picture
from nextpair.service.records import Options


@dataclass(frozen=True)
class Draft:
    """A campaign to be created. `engine` holds what Campaign takes: cost, quota, min_looks, policy, lease, seed."""

    name: str
    question: str
    items: Sequence[Item]
    budget: float | None
    options: Options
    target: float | None = None
    engine: dict[str, Any] | None = None
    comparisons: Sequence[dict[str, Any]] = ()
    pictures: Sequence[Picture] = ()  # uploads that the items show, stored with the campaign or not at all


def first_events(draft: Draft, lease: float) -> list[ev.Event]:
    """The events that a campaign begins with: items, terms, and the comparisons to start from."""
    engine = {"lease": lease, **(draft.engine or {})}
    campaign = Campaign([item.id for item in draft.items], [], draft.budget, **engine)
    if draft.target is not None:
        campaign.stop_at(draft.target)
    known = set(campaign.items)
    earlier = [_earlier(known, number, row) for number, row in enumerate(draft.comparisons, start=1)]
    campaign.add_answers(earlier, as_shown=all("left" in row for row in draft.comparisons))
    return campaign.events


def _earlier(items: set[str], number: int, row: dict[str, Any]) -> Earlier:
    for role in ("winner", "loser"):
        if row[role] not in items:
            raise UnknownItem(f"comparison {number} names {row[role]!r}, which is not the id of an item")
    if row["winner"] == row["loser"]:
        raise InvalidSetting(f"comparison {number} compares {row['winner']!r} with itself")
    if row.get("left") == row["loser"]:
        return row["worker"], row["loser"], row["winner"], "right"
    return row["worker"], row["winner"], row["loser"], "tie" if row["tie"] else "left"
