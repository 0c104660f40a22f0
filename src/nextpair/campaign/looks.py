"""What can be read of a campaign; nothing here changes it."""

from __future__ import annotations

from nextpair.campaign import events as ev
from nextpair.campaign import views
from nextpair.campaign.amounts import money, passed_on, plural
from nextpair.campaign.questions import Comparison, Explanation, Question, RankingRow, WorkerRow
from nextpair.campaign.state import State
from nextpair.core.model import Model
from nextpair.core.sureness import refuse_top
from nextpair.errors import UnknownQuestion


class Looks:
    """A campaign's terms, money, questions and ranking, from its state."""

    events: list[ev.Event]
    _state: State

    def __repr__(self) -> str:
        state = self._state
        crowd = "" if state.created.workers is None else f", {plural(len(state.workers), 'worker')}"
        of = "" if self.budget is None else f" of {money(self.budget)}"
        answers = plural(len(state.answers), "answer")
        return f"<Campaign {state.phase}: {self.n_items} items{crowd}, {answers}, {money(self.spent)}{of} spent>"

    def question(self, question_id: str) -> Question:
        """The question of that id, as it stands now; UnknownQuestion where there is none."""
        try:
            return self._state.questions[question_id]
        except (KeyError, TypeError):  # or nothing that could be an id
            raise UnknownQuestion(f"no question {question_id!r} was asked: use the id of a question from ask") from None

    @property
    def items(self) -> tuple[str, ...]:
        """All items in the order of their joining, removed ones as well."""
        return tuple(self._state.items)

    @property
    def n_items(self) -> int:
        """How many items take part, removed ones left aside."""
        return self._state.n_kept

    @property
    def fewest_items(self) -> int:
        """How many must take part: with as few, none can be removed."""
        return self._state.fewest_items

    @property
    def removed_items(self) -> tuple[str, ...]:
        """The items that are asked about no more."""
        return tuple(self._state.items[i] for i in sorted(self._state.removed))

    @property
    def worker_names(self) -> tuple[str, ...]:
        """Who takes part, in the order of their joining."""
        return tuple(self._state.workers)

    @property
    def settings(self) -> ev.Created:
        """What the campaign was created with."""
        return self._state.created

    @property
    def phase(self) -> str:
        """ "running", "paused" or "ended"."""
        return self._state.phase

    @property
    def belief(self) -> Model:
        """The belief behind the ranking, on dense integers in the order of `items` and of the workers' joining."""
        return self._state.belief

    @property
    def budget(self) -> float | None:
        """What may be spent in all; None: no limit."""
        return self._state.purse.budget

    @property
    def cost(self) -> float:
        """What an answer costs, unless a worker has a cost of their own (`terms`)."""
        return self._state.cost

    @property
    def target(self) -> float | None:
        """The expected accuracy to stop at (`stop_at`); None: never."""
        return self._state.target

    @property
    def target_reached(self) -> bool:
        """Whether nothing is asked any more because the ranking is as sure as `stop_at` wants it."""
        return views.target_reached(self._state)

    @property
    def may_stop_early(self) -> bool:
        """Whether there is a target under a policy that assumes how far apart items are: too early if they are closer.

        A target that is set later leaves the policy as it is.
        """
        return self._state.target is not None and not self._state.policy.learns_spread

    @property
    def hears_much(self) -> bool:
        """Whether its policy makes anything of by how much one item is better; others hear which one is."""
        return self._state.policy.hears_much

    @property
    def much_unheard(self) -> int:
        """How many answers say by how much where the policy only hears which is better; full-posterior hears both."""
        return views.much_unheard(self._state)

    @property
    def guess_agreement(self) -> float | None:
        """The correlation of the guess with the scores, as far as answers tell: from -1 to 1; None without a guess."""
        return views.guess_agreement(self._state)

    @property
    def guess_in_words(self) -> str:
        """What the guess is worth, for people; empty where there is none."""
        return views.guess_in_words(self._state)

    @property
    def best(self) -> int | None:
        """How many of the best matter; None: the order of all."""
        return self._state.created.best

    @property
    def spent(self) -> float:
        """The cost of the answers so far."""
        return self._state.purse.spent

    @property
    def held(self) -> float:
        """The cost of the questions that are out."""
        return self._state.purse.held

    @property
    def remaining(self) -> float | None:
        """What is neither spent nor held; None without a budget."""
        return self._state.purse.remaining

    def open_questions(self) -> list[Question]:
        """The questions that are out, oldest first."""
        return list(self._state.open.values())

    def is_retracted(self, worker: str) -> bool:
        """Whether the worker's answers were taken out; False for who has not joined."""
        return isinstance(worker, str) and worker in self._state.retracted

    def terms(self, worker: str) -> tuple[int | None, float]:
        """The quota (None: none) and the cost of a worker: their own, or the campaign's for who has not joined."""
        state = self._state
        if not isinstance(worker, str) or worker not in state.worker_index:
            return state.created.quota, state.cost
        w = state.worker_index[worker]
        return state.quotas[w], state.costs[w]

    def is_through(self, worker: str) -> bool:
        """Whether the worker is asked no more: retracted, or every pair is settled that may be asked of them.

        False for who has not joined. Quota and budget are left aside.
        """
        return views.is_through(self._state, worker)

    def questions_left(self, worker: str) -> int:
        """How many more questions the worker can be asked, those that are open aside and whatever the budget."""
        return views.questions_left(self._state, worker)

    def comparisons(self) -> list[Comparison]:
        """The answers that count, oldest first, those about removed items as well."""
        return views.comparisons(self._state)

    def ranking(self, level: float = 0.9) -> list[RankingRow]:
        """The items, best first, with score, interval and the chance to belong above the next.

        `level`: the probability that a score lies in its interval.
        """
        return views.ranking(self._state, level)

    def workers(self, level: float = 0.9) -> list[WorkerRow]:
        """The workers in the order of their joining, with what is believed of them.

        `level`: the probability that a reliability lies in its interval.
        """
        return views.workers(self._state, level)

    def reliabilities(self) -> dict[str, tuple[float, float]]:
        """What is known of workers, as a Beta(mu, nu) each, for another campaign to start from.

        Of who was retracted nothing is, nor of who gave no answer and came unknown: they are strangers.
        """
        state = self._state
        told = {state.workers[answer.worker] for answer in state.answers if answer.worker >= 0} | state.known
        betas = zip(state.workers, state.belief.mu.tolist(), state.belief.nu.tolist(), strict=True)
        return {name: passed_on(mu, nu) for name, mu, nu in betas if name in told and name not in state.retracted}

    def expected_accuracy(self) -> float:
        """The share of pairs that the ranking is expected to order rightly; with `best`, of the best that are found."""
        return views.expected_accuracy(self._state)

    def prob_above(self, item: str, other: str) -> float:
        """The probability that one item is better than another; removed ones are known, too."""
        return self._state.belief.prob_above(views.index(self._state, item), views.index(self._state, other))

    def prob_top(self, k: int) -> dict[str, float]:
        """The probability of each item to be among the k best; removed ones are left aside."""
        state = self._state
        refuse_top(k, state.n_kept)
        top = state.belief.prob_top(k, state.removed).tolist()
        return {item: top[i] for i, item in enumerate(state.items) if i not in state.removed}

    def explain(self, question: Question | str) -> Explanation:
        """Why this question: what is known of its pair, what its answer is worth, and the next best pair.

        InvalidSetting under a policy that does not say what a question is worth, such as crowd-bt.
        """
        known = self.question(question.id if isinstance(question, Question) else question)
        return views.explain(self._state, known)
