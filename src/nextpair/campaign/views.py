"""What a campaign shows of its state."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from nextpair.campaign.questions import Comparison, Explanation, Question, RankingRow, WorkerRow
from nextpair.campaign.state import State
from nextpair.core.arrays import FloatArray
from nextpair.core.candidates import as_pair
from nextpair.errors import InvalidSetting, UnknownItem


def index(state: State, item: str) -> int:
    try:
        return state.item_index[item]
    except KeyError:
        raise UnknownItem(f"no item {item!r} takes part: add_item({item!r}) first") from None


def ranking(state: State, level: float) -> list[RankingRow]:
    belief = state.belief
    order = belief.ranking()
    score = belief.scores()
    low, high = belief.intervals(level)
    above = [belief.prob_above(int(i), int(j)) for i, j in pairwise(order)]
    return [
        RankingRow(place, state.items[i], float(score[i]), float(low[i]), float(high[i]), chance)
        for place, (i, chance) in enumerate(zip(order.tolist(), [*above, None], strict=True), start=1)
    ]


def workers(state: State, level: float) -> list[WorkerRow]:
    from nextpair.core.belief import reliability_intervals

    belief = state.belief
    counts = np.bincount(
        [answer.worker for answer in state.answers if answer.worker >= 0], minlength=len(state.workers)
    )
    low, high = reliability_intervals(belief, level)
    return [
        WorkerRow(
            worker=name,
            reliability=float(belief.reliability[w]),
            low=float(low[w]),
            high=float(high[w]),
            answers=int(counts[w]),
            cost=state.costs[w],
            status="retracted" if name in state.retracted else "active",
        )
        for w, name in enumerate(state.workers)
    ]


def is_through(state: State, worker: str) -> bool:
    if worker in state.retracted or worker not in state.worker_index:
        return worker in state.retracted
    seen, pairs = state.seen[state.worker_index[worker]], len(state.items) * (len(state.items) - 1) // 2
    if len(seen) + len(state.forbidden) < pairs or len(seen | state.forbidden) < pairs:
        return False
    return all(question.worker != worker for question in state.open.values())


def comparisons(state: State) -> list[Comparison]:
    return [
        Comparison(
            answer.question,
            state.questions[answer.question].worker,
            state.items[answer.winner],
            state.items[answer.loser],
            bool(answer.tie),
        )
        for answer in state.answers
    ]


def explain(state: State, question: Question) -> Explanation:
    belief = state.belief
    worker = None if question.worker is None else state.worker_index[question.worker]
    gains = _gains(state, question, worker)
    left, right = index(state, question.left), index(state, question.right)
    gain = float(gains[left, right])
    for i, j in {as_pair(left, right), *state.forbidden, *state.seen.get(-1 if worker is None else worker, ())}:
        gains[i, j] = gains[j, i] = np.nan
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
    )


def _gains(state: State, question: Question, worker: int | None) -> FloatArray:
    """What the answer of this worker to each pair would be worth, in accuracy, by the measure of the policy."""
    from nextpair.core.akg import akg_scores
    from nextpair.core.belief import Belief
    from nextpair.core.full_posterior import FullPosterior
    from nextpair.core.look_ahead import question_gains

    if isinstance(state.belief, Belief):
        return akg_scores(state.belief, worker)
    if isinstance(state.belief, FullPosterior):
        others = [state.asked(other) for other in state.open.values() if other.id != question.id]
        return question_gains(state.belief, worker, others)
    raise InvalidSetting(
        f"the policy {state.policy.name!r} does not say what a question is worth; akg and full-posterior do"
    )
