"""What a campaign shows of its state."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import replace
from math import comb

import numpy as np

from nextpair.campaign.amounts import finite
from nextpair.campaign.choosing import awaits_looks, instead_of
from nextpair.campaign.questions import Comparison, Explanation, Question, RankingRow, WorkerRow
from nextpair.campaign.state import State
from nextpair.core.arrays import FloatArray
from nextpair.core.candidates import Candidates
from nextpair.core.model import Model
from nextpair.errors import InvalidSetting, UnknownItem, UnknownWorker

AS_IF_NOT_MUCH = "That is counted as if nobody said by how much; where they do, it is about a quarter more."  # maths.md


def index(state: State, item: str) -> int:
    try:
        return state.item_index[item]
    except (KeyError, TypeError):  # or nothing that could be a name
        raise UnknownItem(f"no item {item!r} takes part: add_item({item!r}) first") from None


def _order(belief: Model, removed: Collection[int]) -> list[int]:
    """The items that take part, best first."""
    return [i for i in belief.ranking().tolist() if i not in removed]


def ranking_rows(
    belief: Model, items: Sequence[str], level: float = 0.9, removed: Collection[int] = (), best: int | None = None
) -> list[RankingRow]:
    """The items, best first, with what a belief says of them."""
    order = np.array(_order(belief, removed))
    score = belief.scores(removed)
    low, high = belief.intervals(level, removed)
    above = belief.probs_above(order[:-1], order[1:]).tolist()
    among = {} if best is None else dict(enumerate(belief.prob_top(best, removed).tolist()))
    return [
        RankingRow(place, items[i], float(score[i]), float(low[i]), float(high[i]), chance, among.get(i))
        for place, (i, chance) in enumerate(zip(order.tolist(), [*above, None], strict=True), start=1)
    ]


def worker_rows(belief: Model, workers: Sequence[str], answers: Sequence[int], level: float = 0.9) -> list[WorkerRow]:
    """What a belief says of the workers, who gave so many answers each."""
    from nextpair.core.belief import reliability_intervals

    mean, (low, high), leaning = belief.reliability, reliability_intervals(belief, level), belief.leaning
    return [
        WorkerRow(
            name, float(mean[w]), float(low[w]), float(high[w]), answers[w],
            leaning=None if leaning is None else float(leaning[w]),
        )
        for w, name in enumerate(workers)
    ]  # fmt: skip


def ranking(state: State, level: float) -> list[RankingRow]:
    return ranking_rows(state.belief, state.items, finite("the level", level), state.removed, state.created.best)


def expected_accuracy(state: State) -> float:
    """The share of pairs in the right order, without those of removed items: the whole less what they have of it.

    Where only the best few matter, the share of those who are told to be the best that are.
    """
    belief, best = state.belief, state.created.best
    if best is not None:
        told = _order(belief, state.removed)[:best]
        return float(belief.prob_top(best, state.removed)[told].mean())
    whole = belief.expected_accuracy()
    if not state.removed:
        return whole
    place = np.argsort(belief.ranking())
    one, other = np.array(list(state.removed_pairs())).T
    is_first = place[one] < place[other]
    theirs = belief.probs_above(np.where(is_first, one, other), np.where(is_first, other, one))
    right = whole * comb(len(state.items), 2) - float(theirs.sum())
    return min(max(right / comb(state.n_kept, 2), 0.0), 1.0)  # rounding may step over the edge


def target_reached(state: State) -> bool:
    """Whether the expected accuracy is what was asked for, and every item was shown as often as was promised."""
    return state.target is not None and expected_accuracy(state) >= state.target and not awaits_looks(state)


def workers(state: State, level: float) -> list[WorkerRow]:
    counts = Counter(answer.worker for answer in state.answers)
    rows = worker_rows(
        state.belief, state.workers, [counts[w] for w in range(len(state.workers))], finite("the level", level)
    )
    spent = state.spent_on()
    return [
        replace(
            row,
            cost=cost,
            status="retracted" if row.worker in state.retracted else "active",
            spent=spent[row.worker],
            known=row.worker in state.known,
        )
        for row, cost in zip(rows, state.costs, strict=True)
    ]


def is_through(state: State, worker: str) -> bool:
    if not isinstance(worker, str) or worker not in state.worker_index:
        return False
    if worker in state.retracted:
        return True
    if state.has_pairs_for(state.worker_index[worker]):
        return False
    return all(question.worker != worker for question in state.open.values())


def questions_left(state: State, worker: str) -> int:
    if not isinstance(worker, str) or worker not in state.worker_index:
        raise UnknownWorker(f"no worker {worker!r} takes part: check the spelling, or add_worker({worker!r}) first")
    w = state.worker_index[worker]
    if worker in state.retracted:
        return 0
    left, quota = state.questions_left(w), state.quotas[w]
    return left if quota is None else max(0, min(left, quota - state.load[w]))


def comparisons(state: State) -> list[Comparison]:
    return [
        Comparison(
            answer.question,
            state.questions[answer.question].worker,
            state.items[answer.winner],
            state.items[answer.loser],
            bool(answer.tie),
            {1: state.items[answer.winner], -1: state.items[answer.loser]}.get(answer.side),
            bool(answer.much),
        )
        for answer in state.answers
    ]


def guess_agreement(state: State) -> float | None:
    from nextpair.core.full_posterior import FullPosterior

    return state.belief.agreement if isinstance(state.belief, FullPosterior) else None


def guess_in_words(state: State) -> str:
    agreement = guess_agreement(state)
    if agreement is None:
        return ""
    since = "as far as answers tell" if state.answers else "which is assumed before any answer"
    told = f"The guess: a correlation of about {agreement:.2f} with the scores, {since}."
    return told if agreement >= 0 else f"{told} So it is the wrong way round, and taken so."


def much_unheard(state: State) -> int:
    return 0 if state.policy.hears_much else sum(answer.much for answer in state.answers)


def _note(state: State) -> str | None:
    """What who reads an explanation should know besides."""
    notes = [state.policy.note] if state.policy.note else []
    if state.policy.hears_much and any(answer.much for answer in state.answers):
        notes.append(AS_IF_NOT_MUCH)
    return " ".join(notes) or None


def explain(state: State, question: Question) -> Explanation:
    belief = state.belief
    worker = None if question.worker is None else state.worker_index[question.worker]
    candidates = instead_of(state, question)
    gains = _gains(state, worker, candidates)
    left, right = index(state, question.left), index(state, question.right)
    gain = float(gains[left, right])
    gains[~candidates.open_pairs(worker)] = np.nan
    runner_up, runner_up_gain = None, None
    if np.isfinite(gains).any():
        i, j = divmod(int(np.nanargmax(gains)), len(state.items))
        runner_up, runner_up_gain = (state.items[i], state.items[j]), float(gains[i, j])
    return Explanation(
        left=question.left,
        right=question.right,
        worker=question.worker,
        gain=gain,
        prob_left=belief.prob_above(left, right),
        reliability=1.0 if worker is None else float(belief.reliability[worker]),
        runner_up=runner_up,
        runner_up_gain=runner_up_gain,
        best=state.created.best,
        note=_note(state),
    )


def _gains(state: State, worker: int | None, candidates: Candidates) -> FloatArray:
    """What the answer of this worker to each pair would be worth, in accuracy, by the measure of the policy."""
    from nextpair.core.akg import akg_scores
    from nextpair.core.belief import Belief
    from nextpair.core.full_posterior import FullPosterior
    from nextpair.core.look_ahead import question_gains

    if isinstance(state.belief, Belief):
        return akg_scores(state.belief, worker)
    if isinstance(state.belief, FullPosterior):
        return question_gains(state.belief, worker, candidates.in_flight, candidates.best, candidates.removed)
    raise InvalidSetting(
        f"the policy {state.policy.name!r} does not say what a question is worth; akg and full-posterior do"
    )
