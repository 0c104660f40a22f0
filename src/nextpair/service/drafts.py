"""A campaign to be created, and the events that it begins with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from nextpair.campaign import events as ev
from nextpair.campaign.campaign import Campaign
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
    for number, row in enumerate(draft.comparisons, start=1):
        _import(campaign, number, row)
    return campaign.events


def _import(campaign: Campaign, number: int, row: dict[str, Any]) -> None:
    # an earlier comparison is a question that cost nothing: asked and answered in the journal like any other
    for role in ("winner", "loser"):
        if row[role] not in campaign.items:
            raise UnknownItem(f"comparison {number} names {row[role]!r}, which is not the id of an item")
    if row["winner"] == row["loser"]:
        raise InvalidSetting(f"comparison {number} compares {row['winner']!r} with itself")
    if row["worker"] not in campaign.worker_names:
        campaign.add_worker(row["worker"])
    question = f"q{number}"
    campaign.apply(ev.Asked(question, row["worker"], row["winner"], row["loser"], 0.0))
    campaign.apply(ev.Answered(question, "tie" if row["tie"] else "left"))
