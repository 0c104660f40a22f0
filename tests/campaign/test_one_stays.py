"""Of the two items that a worker has just seen, one is in their next question, too: half as much to look at.

It is the one that was new to them, so that no item is there three times in a row.
"""

import json
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nextpair import Campaign
from nextpair.campaign import choosing
from nextpair.campaign.choosing import candidates_of, instead_of
from nextpair.campaign.events import encode
from nextpair.core.candidates import as_pair
from nextpair.errors import InvalidSetting

ITEMS = [f"item {k}" for k in range(7)]


def items_of(question):
    return {question.left, question.right}


def stay(before, question):
    """The items of which one may stay: what is new in this question, or, if all of it or nothing is, either."""
    new = items_of(question) - before
    return new if len(new) == 1 else items_of(question)


def has_one(campaign, worker, last):
    """Whether the worker may still be asked something with one of these items."""
    state = campaign._state
    w, n = state.worker_index[worker], len(state.items)
    pairs = {as_pair(state.item_index[item], j) for item in last for j in range(n) if state.items[j] != item}
    return bool(pairs - state.met.seen[w] - state.forbidden - {state.pair(q) for q in state.open.values()})


@given(st.data(), st.sampled_from(["full-posterior", "akg", "random", "crowd-bt"]), st.integers(0, 2))
@settings(max_examples=25)
def test_each_worker_keeps_one_of_the_two_as_long_as_there_is_such_a_pair(data, policy, min_looks):
    campaign = Campaign(ITEMS, ["ann", "ben"], policy=policy, min_looks=min_looks, one_stays=True, seed=3)
    last = {}
    for _ in range(18):
        worker = data.draw(st.sampled_from(["ann", "ben"]))
        stays = worker in last and has_one(campaign, worker, last[worker])
        question = campaign.ask(worker)
        if stays and not min_looks:  # fewest looks come first
            assert items_of(question) & last[worker]
        if data.draw(st.booleans()):
            campaign.tell(question.id, data.draw(st.sampled_from(["left", "right", "tie"])))
            last[worker] = stay(last.get(worker, set()), question)
        else:
            campaign.skip(question.id)
            last.pop(worker, None)  # who could not tell is not held to what they could not tell
    assert Campaign.replay(campaign.events)._state.stays == campaign._state.stays


def test_it_holds_where_the_engine_chooses_the_worker_and_in_a_batch():
    campaign = Campaign(ITEMS, ["ann", "ben", "cho"], one_stays=True)
    last = {}
    for _ in range(20):
        question = campaign.ask()
        if question.worker in last:
            assert items_of(question) & last[question.worker]
        last[question.worker] = stay(last.get(question.worker, set()), question)
        campaign.tell(question.id, "left")
    batch = campaign.ask_batch(4)
    assert len({frozenset(items_of(question)) for question in batch}) == 4
    assert all(items_of(question) & last[question.worker] for question in batch if question.worker in last)


def test_who_has_compared_all_of_an_item_is_asked_about_others():
    campaign = Campaign(ITEMS[:4], ["ann"], one_stays=True)
    asked = [items_of(campaign.ask("ann")) for _ in range(6)]
    assert len(set(map(frozenset, asked))) == 6


def test_fewest_looks_and_one_that_stays_go_together():
    campaign = Campaign(ITEMS, ["ann"], min_looks=1, one_stays=True)
    last = set()
    for _ in range(6):
        question = campaign.ask("ann")
        assert not last or len(items_of(question) & last) == 1
        last = stay(last, question)
    assert min(campaign._state.looks[k] for k in range(7)) == 1


def test_a_question_that_ran_out_and_is_asked_again_is_not_another_one():
    campaign = Campaign(ITEMS, ["ann"], one_stays=True, lease=10)
    campaign.tell(campaign.ask("ann", now=0).id, "left")
    second = campaign.ask("ann", now=1)
    stays = campaign._state.stays[0]
    assert campaign.ask("ann", now=100).id == second.id
    assert campaign._state.stays[0] == stays
    assert len(stays[1]) == 1


def test_earlier_answers_and_other_workers_do_not_count_as_seen():
    campaign = Campaign(ITEMS, ["ann", "ben"], one_stays=True)
    campaign.add_answers([("ann", ITEMS[0], ITEMS[1], "left")])
    campaign.tell(campaign.ask("ben").id, "left")
    assert campaign._state.stays.keys() == {1}


def test_what_could_have_been_asked_instead_has_one_of_the_two_as_well():
    campaign = Campaign(ITEMS, ["ann", "ben"], one_stays=True)
    first = campaign.ask("ann")
    campaign.tell(campaign.ask("ben").id, "left")
    campaign.tell(first.id, "left")
    second = campaign.ask("ann")
    may = instead_of(campaign._state, second).open_pairs(0)
    seen = {campaign.items.index(item) for item in items_of(first)}
    assert all(seen & {i, j} for i, j in np.argwhere(may).tolist())
    assert instead_of(campaign._state, first).open_pairs(0).sum() == 7 * 6 - 2 * 2  # nothing was before it
    why = campaign.explain(second)
    assert set(why.runner_up) & items_of(first)


def test_it_is_written_only_where_it_is_wanted_so_that_older_versions_read_the_rest():
    assert "one_stays" not in encode(Campaign(ITEMS, ["ann"]).events[0])
    assert encode(Campaign(ITEMS, ["ann"], one_stays=True).events[0])["one_stays"] is True
    assert not Campaign(ITEMS, ["ann"]).settings.one_stays


def test_it_is_yes_or_no():
    with pytest.raises(InvalidSetting, match="one_stays is True or False, not 'yes'"):
        Campaign(ITEMS, one_stays="yes")


def test_where_workers_are_alike_nobody_has_seen_anything():
    campaign = Campaign(ITEMS[:3], one_stays=True)
    for _ in range(5):
        campaign.tell(campaign.ask().id, "left")
    assert json.dumps([encode(event) for event in campaign.events])
    assert campaign._state.stays == {}


def test_who_has_nothing_to_keep_may_be_asked_everything():
    campaign = Campaign(ITEMS, ["ann", "ben"], one_stays=True)
    kept = sorted(campaign._state.item_index[item] for item in items_of(campaign.ask(worker="ben")))
    state = campaign._state
    candidates = candidates_of(state, (0, 1), (), set(), {}, state.staying)
    pairs = [*combinations(range(len(ITEMS)), 2)]
    assert all(candidates.allows(i, j, 0) for i, j in pairs)
    assert all(candidates.allows(i, j, 1) == ((i in kept) != (j in kept)) for i, j in pairs)
    assert candidates.listed is None  # of many workers it would have millions of rows
    assert candidates_of(state, (0,), (), set(), {}, state.staying).open_pairs(0).sum() == 2 * len(pairs)


def test_whether_a_target_is_reached_needs_no_list_of_all_that_could_be_asked(monkeypatch):
    campaign = Campaign(ITEMS, ["ann", "ben"], one_stays=True, min_looks=1)
    campaign.ask()
    campaign.stop_at(0.5)
    monkeypatch.setattr(choosing, "_with_one_of", None)
    assert not campaign.target_reached
    campaign.add_answers([("ann", item, ITEMS[0], "left") for item in ITEMS[1:]])
    assert campaign.target_reached
