"""An answer to a question that ran out counts where budget and quota still have room for it, and not else."""

from __future__ import annotations

import pytest

from nextpair import Campaign
from nextpair.errors import QuestionClosed


def asked_another() -> tuple[Campaign, str, str]:
    """A worker with a quota of one whose question ran out, and who was asked another, as an item was removed."""
    campaign = Campaign(list("abcd"), ["ann"], budget=5, quota=1, lease=10)
    first = campaign.ask("ann", now=0)
    campaign.expire(now=20)
    campaign.remove_item(first.left)
    return campaign, first.id, campaign.ask("ann", now=20).id


@pytest.mark.parametrize("answered", [True, False])
def test_a_late_answer_brings_nobody_above_their_quota(answered):
    campaign, late, instead = asked_another()
    if answered:
        campaign.tell(instead, "left")
    with pytest.raises(QuestionClosed, match="in the quota of 1: the answer was not counted"):
        campaign.tell(late, "left")
    assert campaign.spent + campaign.held == 1
    assert [row.answers for row in campaign.workers()] == [int(answered)]


def test_a_late_answer_counts_where_the_quota_has_room_again():
    campaign, late, instead = asked_another()
    campaign.skip(instead)
    campaign.tell(late, "left")
    assert (campaign.spent, campaign.held) == (1, 0)
    replayed = Campaign.replay(campaign.events)
    assert replayed.spent == 1
