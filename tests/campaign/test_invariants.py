"""What holds in every campaign, whatever is done to it in whatever order."""

import itertools
from collections import Counter
from types import MappingProxyType

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from nextpair import Campaign
from nextpair.campaign.events import OUTCOMES, decode, encode
from nextpair.errors import BudgetExhausted, CampaignError, NothingLeft, NothingToAsk

WORKERS = ("u", "v", "w")


def items_of(question):
    return frozenset((question.left, question.right))


class AnyCampaign(RuleBasedStateMachine):
    """Asks, answers, skips, waits, corrects, joins and changes its terms at random."""

    terms = MappingProxyType({})
    times = MappingProxyType({})

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
            times=dict(self.times),
            **self.terms,
        )
        self.acknowledged = {}

    def _attempt(self, act, *args, **more):
        before = len(self.campaign.events)
        try:
            return act(*args, **more)
        except CampaignError as error:
            # a refusal changes nothing, except that leases that had run out were closed on the way
            assert all(type(e).__name__ == "Expired" for e in self.campaign.events[before:])
            if isinstance(error, BudgetExhausted | NothingLeft):
                self._check_reason(error, act, *args, **more)
            return None

    def _check_reason(self, error, act, *args, **more):
        """A larger budget helps where it is asked for, and nowhere else."""
        richer = Campaign.replay(self.campaign.events)
        richer.set_budget(None)
        try:
            getattr(richer, act.__name__)(*args, **more)
        except NothingToAsk:
            assert isinstance(error, NothingLeft)
        else:
            assert isinstance(error, BudgetExhausted)

    @rule(who=st.sampled_from([None, *WORKERS, ["u", "v"], ["w"]]), n=st.integers(1, 3))
    def ask(self, who, n):
        self.campaign.expire(self.now)
        before = dict(self.campaign._state.questions)
        asked = self._attempt(self.campaign.ask_batch, n, who, now=self.now) or []
        assert not {item for question in asked for item in items_of(question)} & {*self.campaign.removed_items}
        assert not {frozenset("ad")} & set(map(items_of, asked))
        for question in asked:
            self._check_that_it_may_be_asked(question, before)
        assert len(set(map(items_of, asked))) == len(asked)
        load = Counter(q.worker for q in self.campaign._state.questions.values() if q.status in ("open", "answered"))
        for question in asked:
            assert load[question.worker] <= 6
            assert question.worker in (self.campaign.worker_names if who is None else who)
            assert not self.campaign.is_retracted(question.worker)
            assert question.cost == self.campaign.terms(question.worker)[1]
            assert np.isfinite(self.campaign.explain(question).gain)

    def _check_that_it_may_be_asked(self, question, before):
        """Nobody is asked a pair more often than they may, nor while it is open or once it was skipped."""
        about = [q for q in before.values() if (q.worker, items_of(q)) == (question.worker, items_of(question))]
        known = [q for q in about if q.status != "expired"]
        assert len(known) < self.times.get(question.worker, 1)
        assert {q.status for q in known} <= {"answered"}
        if question.id not in before:  # or it ran out, and is asked as it was
            self._check_that_all_others_came_first(question, len(known), before)
            sides = Counter(q.left for q in known if q.cost)  # of those from elsewhere nobody may know
            if all(q.cost for q in known):
                assert sides[question.left] <= sides[question.right]

    def _check_that_all_others_came_first(self, question, often, before):
        """Nobody is asked a pair anew while there is one that they met less often and may be asked."""
        out = {items_of(q) for q in before.values() if q.status == "open"}
        names = set(self.campaign.items) - set(self.campaign.removed_items)
        needy = self._met_too_seldom(before)
        for pair in map(frozenset, itertools.combinations(names, 2)):
            known = [q for q in before.values() if (q.worker, items_of(q)) == (question.worker, pair)]
            known = [q.status for q in known if q.status != "expired"]
            if pair != frozenset("ad") and pair not in out and set(known) <= {"answered"} and not needy:
                assert len(known) >= often

    def _met_too_seldom(self, before):
        looks = Counter()
        for q in before.values():
            if q.status in ("open", "answered") and not self.campaign.is_retracted(q.worker):
                looks.update(items_of(q))
        return [n for n in self.campaign.items if n not in self.campaign.removed_items and looks[n] < 2]

    @precondition(lambda self: self.campaign._state.questions)
    @rule(data=st.data(), choice=st.sampled_from(OUTCOMES))
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

    @rule(data=st.data(), as_shown=st.booleans(), choice=st.sampled_from(OUTCOMES))
    def hear_of_an_answer_from_elsewhere(self, data, as_shown, choice):
        known = set(self.campaign._state.questions)
        out = [(q.worker, q.left, q.right) for q in self.campaign.open_questions()]  # that they may have answered there
        answer = data.draw(st.sampled_from([("u", "a", "b"), ("earlier", "d", "c"), *out]))
        self._attempt(self.campaign.add_answers, [(*answer, choice)], as_shown=as_shown)
        self.acknowledged |= dict.fromkeys(self.campaign._state.questions.keys() - known, choice)

    @rule(seconds=st.sampled_from([1.0, 30.0, 60.0]))
    def wait(self, seconds):
        self.now += seconds
        self.campaign.expire(self.now)

    @rule(number=st.integers(0, 1))
    def join(self, number):
        if f"new{number}" not in self.campaign.items:
            guess = {"guess": 1.5} if self.campaign.settings.guess and number else {}
            self.campaign.add_item(f"new{number}", **guess)
        if f"late{number}" not in self.campaign.worker_names:
            self.campaign.add_worker(f"late{number}", cost=0.4, reliability=(3.0, 2.0))

    @rule(item=st.sampled_from("abcd"))
    def remove_or_bring_back(self, item):
        gone = item in self.campaign.removed_items
        if gone or self.campaign.n_items > self.campaign.fewest_items:
            (self.campaign.add_item if gone else self.campaign.remove_item)(item)

    @rule(cost=st.sampled_from([0.3, 1, 2.5]), worker=st.sampled_from([None, *WORKERS]))
    def change_the_cost(self, cost, worker):
        before = (self.campaign.spent, self.campaign.held)
        self.campaign.set_cost(cost, worker)
        assert (self.campaign.spent, self.campaign.held) == before  # what is out keeps its cost

    @rule(budget=st.sampled_from([None, 9.5, 20, "all of it"]), accuracy=st.sampled_from([None, 0.6, 0.9]))
    def change_the_terms(self, budget, accuracy):
        committed = self.campaign._state.purse.committed
        if budget == "all of it" or (budget is not None and committed > budget):
            budget = committed
        self.campaign.set_budget(budget)
        self.campaign.stop_at(accuracy)

    @rule()
    def pause_or_resume(self):
        (self.campaign.resume if self.campaign.phase == "paused" else self.campaign.pause)()

    @rule()
    def retract(self):
        self.campaign.retract("v")
        for question in list(self.acknowledged):
            if self.campaign.question(question).worker == "v":
                del self.acknowledged[question]

    @invariant()
    def budget_is_never_overspent(self):
        if self.campaign.budget is not None:
            assert self.campaign.spent + self.campaign.held <= self.campaign.budget + 1e-12
            assert self.campaign.remaining >= 0
        assert abs(sum(row.spent for row in self.campaign.workers()) - self.campaign.spent) < 1e-9

    @invariant()
    def every_acknowledged_answer_counts(self):
        counted = {c.question for c in self.campaign.comparisons()}
        assert counted == set(self.acknowledged)

    @invariant()
    def what_is_left_to_ask_is_what_may_be_asked(self):
        """Against a count of all questions, one by one."""
        state = self.campaign._state
        names = [name for name in self.campaign.items if name not in self.campaign.removed_items]
        for w, worker in enumerate(self.campaign.worker_names):
            left = 0
            for i, one in enumerate(names):
                for other in names[:i]:
                    about = [q for q in state.questions.values() if (q.worker, items_of(q)) == (worker, {one, other})]
                    known = [q.status for q in about if q.status != "expired"]
                    more = max(0, self.times.get(worker, 1) - len(known))
                    if {one, other} == {"a", "d"} or "skipped" in known:
                        more = 0
                    left += more
            quota = 6 - state.load[w]
            expected = 0 if self.campaign.is_retracted(worker) else max(0, min(left, quota))
            assert self.campaign.questions_left(worker) == expected

    @invariant()
    def claims_are_of_those_who_take_part(self):
        rows, reached = self.campaign.ranking(), self.campaign.expected_accuracy()
        assert {row.item for row in rows} == {*self.campaign.items} - {*self.campaign.removed_items}
        assert [row.rank for row in rows] == [*range(1, self.campaign.n_items + 1)]
        assert all(row.low <= row.score <= row.high for row in rows)
        assert 0 <= reached <= 1
        if self.campaign.best is not None:
            assert abs(np.mean([row.prob_best for row in rows[: self.campaign.best]]) - reached) < 1e-12
        if self.campaign.target_reached:
            assert reached >= self.campaign.target

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
    terms = MappingProxyType({"one_stays": True, "policy": "akg"})


class OnlyTheBest(AnyCampaign):
    terms = MappingProxyType({"best": 2, "stop_at": 0.9})


class AskedAgain(AnyCampaign):
    """Of two pairs, so that both come again, by a policy that might take either."""

    terms = MappingProxyType({"policy": "random"})
    times = MappingProxyType({"u": 2, "v": 3})

    def __init__(self):
        super().__init__()
        self.campaign.remove_item("c")

    @rule(who=st.sampled_from(["u", "v"]), choice=st.sampled_from(OUTCOMES))
    def ask_and_answer(self, who, choice):
        self.ask(who, 1)
        for question in self.campaign.open_questions():
            if question.worker == who and self._attempt(self.campaign.tell, question.id, choice):
                self.acknowledged[question.id] = choice


class Guessed(AnyCampaign):
    terms = MappingProxyType({"guess": MappingProxyType({"a": 3.0, "b": 1.0, "c": 2.0})})


MACHINES = AnyCampaign, OneItemStays, OnlyTheBest, AskedAgain, Guessed
TestAnyCampaign, TestOneItemStays, TestOnlyTheBest, TestAskedAgain, TestGuessed = (one.TestCase for one in MACHINES)
for case in (TestAnyCampaign, TestOneItemStays, TestOnlyTheBest, TestAskedAgain, TestGuessed):
    case.settings = settings(max_examples=14, stateful_step_count=20, suppress_health_check=list(HealthCheck))


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
