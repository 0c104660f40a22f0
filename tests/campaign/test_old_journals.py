"""Journals written by released versions load for ever, and mean what they meant."""

from pathlib import Path
from typing import get_args

import numpy as np

from nextpair import Campaign
from nextpair.campaign.events import CostSet, Event, ItemRemoved

JOURNALS = Path(__file__).parent / "journals"
ALPHA = [1.2755586437939306, 0.9269489767885877, 0.9196541649308142, 1.2511821360658575, 1.016307429185609]


def test_format_1():
    campaign = Campaign.load(JOURNALS / "format-1.journal")
    assert {type(event) for event in campaign.events} == set(get_args(Event)) - {CostSet, ItemRemoved}
    assert (campaign.spent, campaign.held, campaign.budget, campaign.phase) == (6.5, 1, 30, "ended")
    np.testing.assert_allclose(campaign.belief.alpha, ALPHA, rtol=1e-12)
    assert [row.status for row in campaign.workers()] == ["active", "retracted", "active", "active"]


def test_format_1_with_costs_that_change():
    campaign = Campaign.load(JOURNALS / "format-1-costs.journal")
    assert (campaign.spent, campaign.held, [row.cost for row in campaign.workers()]) == (1.5, 2.5, [2.5, 0.5])
    alpha = [1.3410188412594053, 0.7014309715810724, 1.3100972903080357]
    np.testing.assert_allclose(campaign.belief.alpha, alpha, rtol=1e-12)


def test_format_1_with_removed_items():
    campaign = Campaign.load(JOURNALS / "format-1-removed.journal")
    assert (campaign.removed_items, [row.item for row in campaign.ranking()]) == (("a",), ["b", "d", "c"])
    alpha = [0.8767525200070748, 1.3145631332235108, 0.8890956413678978, 1.3014658161465529]
    np.testing.assert_allclose(campaign.belief.alpha, alpha, rtol=1e-12)
