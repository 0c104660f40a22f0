"""What holds in every campaign, whatever is done to it in whatever order."""

from collections import Counter

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from nextpair import Campaign
from nextpair.campaign.events import decode, encode
from nextpair.errors import CampaignError, NothingToAsk

WORKERS = ("u", "v", "w")


class AnyCampaign(RuleBasedStateMachine):
    """Asks, answers, skips, waits, corrects and joins at random."""

    one_stays = False

    def __init__(self):
        super().__init__()
        self.now = 0.0
        self.campaign = Campaign(
            ["a", "b", "c", "d"],
            WORKERS,
            budget=9.5,
            cost={"u": 1, "v": 0.7, "w": 1},
            quota=6,
            forbidden=[("a", "d")],
            min_looks=2,
            lease=50,
            seed=4,
            one_stays=self.one_stays,
        )
        self.acknowledged = {}

    def _attempt(self, act, *args, **more):
        before = len(self.campaign.events)
        try:
            return act(*args, **more)
        except CampaignError:
            # a refusal changes nothing, except that leases that had run out were closed on the way
            assert all(type(e).__name__ == "Expired" for e in self.campaign.events[before:])
            return None

    @rule(worker=st.sampled_from([None, *WORKERS]), n=st.integers(1, 3))
    def ask(self, worker, n):
        asked = self._attempt(self.campaign.ask_batch, n, worker, now=self.now) or []
        assert not {item for question in asked for item in (question.left, question.right)} & {
            *self.campaign.removed_items
        }

    @precondition(lambda self: self.campaign._state.questions)
    @rule(data=st.data(), choice=st.sampled_from(["left", "right", "tie"]))
    def tell(self, data, choice):
        question = data.draw(st.sampled_from(sorted(self.campaign._state.questions)))
        if self._attempt(self.campaign.tell, question, choice):
            self.acknowledged[question] = choice

    @precondition(lambda self: self.campaign._state.questions)
    @rule(data=st.data())
    def skip_or_undo(self, data):
        question = data.draw(st.sampled_from(sorted(self.campaign._state.questions)))
        if data.draw(st.booleans()):
            self._attempt(self.campaign.skip, question)
        else:
            self._attempt(self.campaign.undo, question, now=self.now)
        if self.campaign.question(question).status != "answered":
            self.acknowledged.pop(question, None)

    @rule(seconds=st.sampled_from([1.0, 30.0, 60.0]))
    def wait(self, seconds):
        self.now += seconds
        self.campaign.expire(self.now)

    @rule(number=st.integers(0, 1))
    def join(self, number):
        if f"new{number}" not in self.campaign.items:
            self.campaign.add_item(f"new{number}")

    @rule(item=st.sampled_from("abcd"))
    def remove_or_bring_back(self, item):
        gone = item in self.campaign.removed_items
        if gone or len(self.campaign.ranking()) > 2:
            (self.campaign.add_item if gone else self.campaign.remove_item)(item)

    @rule(cost=st.sampled_from([0.3, 1, 2.5]), worker=st.sampled_from([None, *WORKERS]))
    def change_the_cost(self, cost, worker):
        before = (self.campaign.spent, self.campaign.held)
        self.campaign.set_cost(cost, worker)
        assert (self.campaign.spent, self.campaign.held) == before  # what is out keeps its cost

    @rule()
    def retract(self):
        self.campaign.retract("v")
        for question in list(self.acknowledged):
            if self.campaign.question(question).worker == "v":
                del self.acknowledged[question]

    @invariant()
    def budget_is_never_overspent(self):
        assert self.campaign.spent + self.campaign.held <= 9.5 + 1e-12
        assert self.campaign.remaining >= 0
        assert abs(sum(row.spent for row in self.campaign.workers()) - self.campaign.spent) < 1e-9

    @invariant()
    def nobody_is_asked_a_pair_twice_and_quotas_hold(self):
        questions = [q for q in self.campaign._state.questions.values() if q.status != "expired"]
        pairs = Counter((q.worker, frozenset((q.left, q.right))) for q in questions)
        assert max(pairs.values(), default=0) <= 1
        assert frozenset("ad") not in {pair for _, pair in pairs}
        load = Counter(q.worker for q in questions if q.status != "skipped")
        assert max(load.values(), default=0) <= 6

    @invariant()
    def every_acknowledged_answer_counts(self):
        counted = {c.question for c in self.campaign.comparisons()}
        assert counted == set(self.acknowledged)

    @invariant()
    def replay_equals_live(self):
        again = Campaign.replay([decode(encode(event)) for event in self.campaign.events])
        assert again.events == self.campaign.events
        assert again._state.questions == self.campaign._state.questions
        assert list(again._state.open) == list(self.campaign._state.open)
        assert (again.spent, again.held) == (self.campaign.spent, self.campaign.held)
        assert np.array_equal(again.belief.scores(), self.campaign.belief.scores())
        for part in ("mu", "nu"):
            assert np.array_equal(getattr(again.belief, part), getattr(self.campaign.belief, part))
        try:
            planned = self.campaign.plan_ask(now=self.now)
        except NothingToAsk:
            return
        assert again.plan_ask(now=self.now) == planned


class OneItemStays(AnyCampaign):
    one_stays = True


TestAnyCampaign, TestOneItemStays = AnyCampaign.TestCase, OneItemStays.TestCase
for case in (TestAnyCampaign, TestOneItemStays):
    case.settings = settings(max_examples=20, stateful_step_count=20, suppress_health_check=list(HealthCheck))


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4), st.integers(-1, 1), st.booleans()), max_size=30))
@settings(max_examples=30)
def test_relabelling_items_relabels_the_ranking(answers):
    from nextpair import Belief

    new_name = np.array([3, 0, 4, 2, 1])
    one, other = Belief.prior(5, 2), Belief.prior(5, 2)
    for i, j, w, tie in answers:
        if i != j:
            worker = None if w < 0 else w
            one = one.update(i, j, worker, tie=tie)
            other = other.update(int(new_name[i]), int(new_name[j]), worker, tie=tie)
    np.testing.assert_allclose(other.alpha[new_name], one.alpha, rtol=1e-9)
    np.testing.assert_allclose(other.mu, one.mu, rtol=1e-9)
