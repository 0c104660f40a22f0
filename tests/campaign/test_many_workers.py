"""A campaign with more workers than it can get to know keeps to some of them, and turns nobody away."""

import numpy as np

import nextpair
from nextpair.core.crew import CREW

ITEMS = [f"item {n}" for n in range(12)]
CROWD = [f"worker {n}" for n in range(CREW + 30)]


def run(campaign, answers):
    """Answers of who all see the same, each with an error of their own; who was asked."""
    rng, who = np.random.default_rng(1), []
    for _ in range(answers):
        question = campaign.ask()
        who.append(question.worker)
        better = int(question.left.split()[1]) < int(question.right.split()[1])
        campaign.tell(question.id, "left" if better == (rng.random() < 0.7) else "right")
    return who


def test_it_keeps_to_a_crew():
    campaign = nextpair.Campaign(items=ITEMS, workers=CROWD, budget=300, seed=3)
    assert len(set(run(campaign, 250))) == CREW
    assert nextpair.Campaign.replay(campaign.events).ranking() == campaign.ranking()


def test_who_is_here_is_asked_whoever_else_is_in_play():
    campaign = nextpair.Campaign(items=ITEMS, workers=CROWD, budget=300, seed=3)
    strangers = sorted(set(CROWD) - set(run(campaign, 250)))
    assert campaign.ask(worker=strangers[0]).worker == strangers[0]


def test_those_with_more_time_are_asked_first():
    campaign = nextpair.Campaign(items=ITEMS, workers=CROWD[:30], budget=300, quota=2, seed=3)
    for name in CROWD[30:]:
        campaign.add_worker(name, quota=40)
    assert len(CROWD[30:]) == CREW
    assert set(run(campaign, 60)) <= set(CROWD[30:])


def test_a_batch_for_everybody_has_a_question_for_everybody():
    campaign = nextpair.Campaign(items=[f"item {n}" for n in range(14)], workers=CROWD, budget=200, seed=3)
    assert {question.worker for question in campaign.ask_batch(len(CROWD))} == set(CROWD)
