"""A campaign in a notebook: it is copied to try something, and handed to other processes."""

import copy
import pickle

import pytest

from nextpair import Campaign
from nextpair.core.policies import POLICIES

ITEMS = ["tea", "coffee", "water", "milk"]


def told(policy="auto", **settings):
    campaign = Campaign(ITEMS, ["ann", "ben"], 12, seed=1, policy=policy, **settings)
    for choice in ("left", "right", "tie"):
        campaign.tell(campaign.ask().id, choice)
    return campaign


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy])
def test_what_happens_to_a_copy_does_not_happen_to_the_campaign(copied):
    """`copy.copy` gave two that shared their journal and their state."""
    campaign, untouched = told(), told()
    trial = copied(campaign)
    assert trial.ranking() == campaign.ranking()
    trial.tell(trial.ask().id, "left")
    trial.retract("ann")
    assert len(trial.comparisons()) < len(campaign.comparisons()) == 3
    assert (campaign.events, campaign.spent, campaign.phase) == (untouched.events, untouched.spent, untouched.phase)
    assert campaign.ask() == untouched.ask()


@pytest.mark.parametrize("policy", POLICIES)
def test_a_pickled_campaign_goes_on_as_the_campaign_would(policy):
    campaign = told(policy)
    campaign.ranking()  # so that what is kept of it is pickled, too
    sent = pickle.loads(pickle.dumps(campaign))
    assert sent.ranking() == campaign.ranking()
    assert sent.ask() == campaign.ask()
    assert sent.events == campaign.events
