"""A campaign runs, saves and replays under every policy."""

import numpy as np
import pytest

from nextpair import Campaign
from nextpair.core.policies import POLICIES


@pytest.mark.parametrize("policy", sorted(POLICIES))
@pytest.mark.parametrize("workers", [None, ["ann", "bob", "cy"]])
def test_a_campaign_runs_and_replays_bit_for_bit(policy, workers):
    campaign, rng = Campaign(["a", "b", "c", "d"], workers, 12, policy=policy, seed=1), np.random.default_rng(0)
    for answer in rng.choice(["left", "right", "tie"], 8, p=[0.5, 0.4, 0.1]):
        campaign.tell(campaign.ask().id, str(answer))
    campaign.undo("q3")
    assert len({frozenset((q.left, q.right)) for q in campaign.ask_batch(3)}) == 3
    again = Campaign.replay(campaign.events)
    assert again.ranking() == campaign.ranking()
    assert again.expected_accuracy() == campaign.expected_accuracy() >= 0.4
    assert again.ask().id == campaign.ask().id
    assert again.events == campaign.events
