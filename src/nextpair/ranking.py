"""Ranking answers that exist, with how sure the ranking is: the one way, for `nextpair.rank` and the command line."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any, Protocol

from nextpair.campaign.amounts import finite, plural
from nextpair.campaign.questions import RankingRow, WorkerRow
from nextpair.campaign.settings import flag
from nextpair.campaign.views import ranking_rows, worker_rows
from nextpair.core.accuracy import kendall_accuracy
from nextpair.core.belief import Belief
from nextpair.core.comparisons import Comparisons, answers_by_worker
from nextpair.core.full_posterior import FullPosterior
from nextpair.core.model import Model
from nextpair.core.settling import SETTLED, SWINGS
from nextpair.core.sureness import refuse_top
from nextpair.errors import InvalidSetting, Unconnected, UnknownItem
from nextpair.inference import Fit, best_estimator, find_estimator, fit, shuffled
from nextpair.inference.memory import refuse_too_large
from nextpair.store import oddities
from nextpair.store.at_hand import records_of
from nextpair.store.comparisons import ComparisonTable, comparisons_of, read_comparisons
from nextpair.store.rows import shown
from nextpair.store.streams import open_source

DOUBTFUL = 0.02  # the chance of the opposite order from which on it is told
DISORDER = 3.0  # times the pairs expected to be wrong: more are turned by no order of rows but one that leads astray
TRUSTED = 0.75  # who answered alone and is believed to be less reliable is told of: of strangers 0.8 is supposed
CHUNK = 10_000_000  # items times comparisons folded between two looks at the clock


@dataclass(frozen=True, eq=False, repr=False)
class Ranking:
    """What answers say of their items, best first, and of those who gave them, most reliable first.

    `expected_accuracy` is the share of pairs believed to be in the right order. Under a model that does not say how
    sure it is, that is None, and so is `belief`, and the bounds of intervals are nan. `notes` say what is odd about
    the answers. `belief` is on numbers in place of names, in the order of `items`.
    """

    rows: list[RankingRow]
    workers: list[WorkerRow]
    expected_accuracy: float | None
    model: str
    answers: int
    notes: tuple[str, ...]
    items: tuple[str, ...]
    belief: Model | None

    def __repr__(self) -> str:
        sure = "" if self.expected_accuracy is None else f", expected accuracy {self.expected_accuracy:.3f}"
        of = f"{plural(len(self.items), 'item')} by {plural(self.answers, 'answer')}"
        return f"<Ranking of {of}, model {self.model}{sure}: {oddities.some_of((row.item for row in self.rows), ', ')}>"

    def prob_above(self, item: str, other: str) -> float:
        """The probability that one item is better than the other."""
        return self._sure().prob_above(self._number(item), self._number(other))

    def prob_top(self, k: int) -> dict[str, float]:
        """The probability of each item to be among the k best."""
        refuse_top(k, len(self.items))
        return dict(zip(self.items, self._sure().prob_top(k).tolist(), strict=True))

    def _sure(self) -> Model:
        if self.belief is None:
            raise InvalidSetting(f"the model {self.model} does not say how sure it is: take auto or full-posterior")
        return self.belief

    def _number(self, item: str) -> int:
        if item not in self.items:
            raise UnknownItem(f"no item {item!r} was compared: check the spelling")
        return self.items.index(item)


class Following(Protocol):
    """Who is told how far a ranking is, and what is odd about the answers."""

    def tell(self, doing: str, share: float | None = None) -> None:
        """What is going on, and which share of it is done."""

    def note(self, words: str) -> None:
        """What is odd."""

    def meanwhile(self, doing: str) -> AbstractContextManager[None]:
        """Around what cannot tell how far it is."""

    def first_use(self) -> AbstractContextManager[None]:
        """Around the first call of compiled code."""


class Nobody:
    """Who is told nothing: the notes are in the ranking."""

    def tell(self, doing: str, share: float | None = None) -> None: ...

    def note(self, words: str) -> None: ...

    def meanwhile(self, doing: str) -> AbstractContextManager[None]:
        return nullcontext()

    def first_use(self) -> AbstractContextManager[None]:
        return nullcontext()


def rank(
    answers: str | os.PathLike[str] | Iterable[Any], *, model: str = "auto", level: float = 0.9, skip_bad: bool = False
) -> Ranking:
    """Rank the items of answers that exist, as `nextpair rank` does.

    `answers`: the path of a file as `nextpair rank` reads it; or a DataFrame, or a mapping of names to columns, with
    the columns of such a file; or an iterable of answers, each a mapping with these fields, (worker, left, right,
    choice), (winner, loser) or a Comparison. Left is who was shown left. One bad answer refuses all of them, by
    InvalidFile, unless `skip_bad`. `model` is one of docs/policies.md, and `level` that of the intervals.
    """
    find_estimator(model)  # before a long file is read
    if not 0 < finite("the level", level) < 1:
        raise InvalidSetting(f"the level of an interval lies between 0 and 1, not at {level!r}")
    flag("skip_bad", skip_bad)
    if isinstance(answers, str | os.PathLike):
        with open_source(os.fsdecode(answers)) as source:
            table = read_comparisons(source, skip_bad=skip_bad)
    else:
        table = comparisons_of(records_of(answers), skip_bad=skip_bad)
    return rank_table(table, model, level)


def rank_table(
    table: ComparisonTable, model: str = "auto", level: float = 0.9, following: Following | None = None
) -> Ranking:
    """The ranking of a table of comparisons that was read."""
    return _Run(table, level, following or Nobody()).ranked(model)


class _Run:
    """One table on its way to a ranking."""

    def __init__(self, table: ComparisonTable, level: float, following: Following) -> None:
        self.table, self.level, self.following = table, level, following
        self.answers: list[int] = answers_by_worker(table.comparisons.workers, len(table.workers)).tolist()
        self.notes: list[str] = []

    def note(self, words: str) -> None:
        if words:
            self.notes.append(words)
            self.following.note(words)

    def ranked(self, model: str) -> Ranking:
        table, told = self.table, self.table.comparisons
        self.note(oddities.left_out(table.name, table.skipped))
        self.note(oddities.counted_twice("item", table.items))
        self.note(oddities.counted_twice("worker", table.workers))
        self.note(oddities.not_weighed(table.ignored))
        if model == "auto":
            model, told = best_estimator(told)
        belief = None
        if model == "full-posterior":
            belief = self.all_at_once(told)
        elif model == "dirichlet":
            belief = self.one_by_one(told)
            if told is table.comparisons:  # in the order of the file
                self.note_where_order_matters(belief, told)
        if belief is None:
            rows, workers, expected = *self.scored(model, told), None
        else:
            rows, workers, expected = self.believed(belief)
            if len(workers) == 1:
                self.note_alone(workers[0])
        self.note(oddities.apart(table))
        self.note(oddities.one_sided(table))
        if model != "full-posterior":
            self.note(oddities.unheard(int(told.much.sum()), f"the model {model}"))
        workers.sort(key=lambda row: -row.reliability)
        return Ranking(rows, workers, expected, model, len(told), tuple(self.notes), tuple(table.items), belief)

    def believed(self, belief: Model) -> tuple[list[RankingRow], list[WorkerRow], float]:
        with self.following.meanwhile("working out the expected accuracy"):
            rows = ranking_rows(belief, self.table.items, self.level)
            workers = worker_rows(belief, self.table.workers, self.answers, self.level)
            return rows, workers, belief.expected_accuracy()

    def scored(self, model: str, told: Comparisons) -> tuple[list[RankingRow], list[WorkerRow]]:
        """What a model found that gives scores only."""
        try:
            with self.following.meanwhile(f"fitting {model}"):
                found: Fit = fit(model, told)
        except Unconnected as error:
            raise error.named([shown(name) for name in self.table.items]) from None
        rows = [
            RankingRow(place, self.table.items[k], float(found.scores[k]), math.nan, math.nan, None)
            for place, k in enumerate(found.ranking.tolist(), start=1)
        ]
        workers = [] if found.reliability is None else [
            WorkerRow(name, float(found.reliability[w]), math.nan, math.nan, self.answers[w])
            for w, name in enumerate(self.table.workers)
        ]  # fmt: skip
        return rows, workers

    def all_at_once(self, told: Comparisons) -> Model:
        """The full posterior of all comparisons, whatever their order."""
        refuse_too_large(told.n_items, "take the model auto or dirichlet")
        self.note(oddities.slow(told))
        with self.following.first_use():
            FullPosterior.fit(Comparisons.of([0], [1], [0])).expected_accuracy()
        moves = [0.0]

        def tell(moved: float) -> None:
            moves.append(moved)
            share = abs(math.log(min(max(moved, SETTLED), 1.0)) / math.log(SETTLED))
            self.following.tell(f"ranking {told.n_items:,} items", share)

        belief = FullPosterior.fit(told, on_sweep=tell)
        if moves[-1] > SWINGS:
            self.note_contradiction(
                "more than one order fits, and none was settled on: believe neither the order nor the intervals"
            )
        elif (doubt := min(belief.opposite, 1 - belief.opposite)) > DOUBTFUL:
            self.note_contradiction(f"the opposite order has a chance of {doubt:.0%}: answers of others would decide")
        return belief

    def note_contradiction(self, what: str) -> None:
        if len(self.table.workers) == 1:
            self.note(f"the answers of {shown(self.table.workers[0])} contradict each other so much that {what}")
            return
        question = "Do some answer the opposite of what was asked?"
        self.note(f"workers contradict each other so much that {what}. {question}")

    def note_alone(self, row: WorkerRow) -> None:
        """Of who answered alone nothing tells that they are reliable but that their answers fit together."""
        if row.reliability < TRUSTED:
            self.note(
                f"{shown(row.worker)} gave all answers, and nobody else's tell how reliable they are: "
                f"{row.reliability:.2f} is supposed. If you trust them more, leave the workers out, and every answer "
                "counts as fully reliable"
            )

    def one_by_one(self, told: Comparisons) -> Model:
        """The belief after all comparisons, a chunk at a time so that there is progress to tell."""
        with self.following.first_use():
            Belief.prior(2, 1).update(0, 1, 0)
        belief = Belief.prior(told.n_items, told.n_workers)
        step = max(1, CHUNK // told.n_items)
        for start in range(0, len(told), step):
            self.following.tell(f"ranking {told.n_items:,} items", start / len(told))
            part = slice(start, start + step)
            belief = belief.fold(told.winners[part], told.losers[part], told.workers[part], told.ties[part])
        return belief

    def note_where_order_matters(self, belief: Model, told: Comparisons) -> None:
        """Compare with the ranking by the same rows in a random order: rows sorted by winner lead far astray."""
        turned = 1 - kendall_accuracy(belief.ranking(), self.one_by_one(shuffled(told)).scores())
        doubt = 1 - belief.expected_accuracy()
        if turned > DISORDER * doubt:
            self.note(
                f"dirichlet takes rows in the order of the file. In a random one {turned:.1%} of pairs come out the "
                f"other way round, and it takes only {doubt:.1%} for wrong: shuffle the file, or take the model auto"
            )
