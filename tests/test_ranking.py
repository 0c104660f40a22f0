"""`nextpair.rank`: answers that exist to a ranking, in whatever shape a program has them."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from dataclasses import astuple
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas
import pytest
from click.testing import CliRunner

import nextpair
from nextpair.cli.main import cli
from nextpair.errors import InvalidFile, InvalidSetting, UnknownItem
from nextpair.inference import ESTIMATORS

FIELDS = ("worker", "left", "right", "winner")
ANSWERS = [
    ("ann", "tea", "coffee", "left"),
    ("ann", "coffee", "water", "left"),
    ("ben", "tea", "water", "left"),
    ("ben", "water", "coffee", "tie"),
    ("cho", "water", "tea", "left"),
    ("cho", "coffee", "tea", "right"),
]
CSV = "worker,left,right,winner\n" + "".join(",".join(answer) + "\n" for answer in ANSWERS)
RECORDS = [dict(zip(FIELDS, answer, strict=True)) for answer in ANSWERS]
COLUMNS = {field: [record[field] for record in RECORDS] for field in FIELDS}


class Row(NamedTuple):
    """As pandas.DataFrame.itertuples has them: the index first, which is no worker."""

    index: int
    left: str
    right: str
    winner: str


class Columns:
    """As polars has them: names, and a column by its name."""

    columns = FIELDS

    def __getitem__(self, name: str) -> list[str]:
        return COLUMNS[name]


def rows_of_a_database() -> Iterator[sqlite3.Row]:
    with sqlite3.connect(":memory:") as base:
        base.row_factory = sqlite3.Row
        base.execute("create table answers (left, worker, winner, right)")
        base.executemany("insert into answers (worker, left, right, winner) values (?, ?, ?, ?)", ANSWERS)
        yield from base.execute("select * from answers").fetchall()
    base.close()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    (tmp_path / "answers.csv").write_text(CSV)
    return tmp_path / "answers.csv"


def seen(ranking: nextpair.Ranking) -> Any:
    return [astuple(row) for row in ranking.rows], [astuple(row) for row in ranking.workers], ranking.expected_accuracy


@pytest.mark.parametrize("model", ESTIMATORS)
def test_it_is_what_the_command_finds(path: Path, model: str) -> None:
    ranking = nextpair.rank(path, model=model)
    told = json.loads(CliRunner().invoke(cli, ["rank", str(path), "--json", "--model", model]).stdout)
    numbers = [{name: getattr(row, name) for name in ("rank", "item", "score", "low", "high")} for row in ranking.rows]
    for row in numbers:
        row.update({name: None for name in ("low", "high") if np.isnan(row[name])})
    assert numbers == told["ranking"]
    assert [(row.worker, row.reliability, row.answers) for row in ranking.workers] == [
        (row["worker"], row["reliability"], row["answers"]) for row in told["workers"]
    ]
    assert (ranking.expected_accuracy, ranking.model) == (told["expected_accuracy"], told["model"])
    assert (ranking.answers, ranking.items) == (6, ("tea", "coffee", "water"))


@pytest.mark.parametrize(
    "answers",
    [
        ANSWERS,
        iter(ANSWERS),
        RECORDS,
        COLUMNS,
        Columns(),
        pandas.DataFrame(RECORDS),
        pandas.DataFrame(RECORDS).assign(seconds=1.5),
        pandas.DataFrame(RECORDS).rename(columns={"worker": "Judge", "left": "LEFT"}),
        pandas.DataFrame(RECORDS).itertuples(),
        (row for _, row in pandas.DataFrame(RECORDS).iterrows()),
        np.array(ANSWERS),
        rows_of_a_database(),
    ],
    ids=str.split("tuples once mappings columns polars pandas others capitals itertuples iterrows numpy database"),
)
def test_answers_may_have_any_of_these_shapes(path: Path, answers: Any) -> None:
    assert seen(nextpair.rank(answers)) == seen(nextpair.rank(str(path)))


def test_the_index_of_a_table_is_no_worker() -> None:
    ranking = nextpair.rank([Row(k, left, right, winner) for k, (_, left, right, winner) in enumerate(ANSWERS)])
    assert ranking.workers == []


def test_a_campaign_is_ranked_by_its_comparisons(path: Path) -> None:
    campaign = nextpair.Campaign(["tea", "coffee", "water"], workers=[])
    campaign.add_answers(ANSWERS, as_shown=True)
    assert seen(nextpair.rank(campaign.comparisons())) == seen(nextpair.rank(path))
    alike = nextpair.Campaign(["tea", "coffee", "water"])
    alike.add_answers([(None, *answer[1:]) for answer in ANSWERS])
    assert nextpair.rank(alike.comparisons()).workers == []


def test_pairs_are_winner_and_loser_and_may_be_numbers() -> None:
    ranking = nextpair.rank([(0, 1), (1, 2), (np.int64(0), 2)])
    assert [row.item for row in ranking.rows] == ["0", "1", "2"]
    assert seen(ranking) == seen(nextpair.rank({"winner": ["0", "1", "0"], "loser": ["1", "2", "2"]}))


def test_by_far_is_heard() -> None:
    said = [("ann", "a", "b", "much-left"), ("ann", "b", "c", "left"), ("ben", "c", "a", "much-right")]
    names = ("worker", "left", "right", "winner", "much")
    much = [("ann", "a", "b", "left", 1), ("ann", "b", "c", "left", 0), ("ben", "c", "a", "right", True)]
    assert seen(nextpair.rank(said)) == seen(nextpair.rank([dict(zip(names, one, strict=True)) for one in much]))


def test_workers_who_are_all_missing_are_no_column() -> None:
    for nobody in (None, float("nan"), pandas.NA):
        assert nextpair.rank([{**record, "worker": nobody} for record in RECORDS]).workers == []
        assert nextpair.rank({**COLUMNS, "worker": [nobody] * 6}).workers == []
    with pytest.raises(InvalidFile, match="answer 2: the worker is missing: an empty name"):
        nextpair.rank([ANSWERS[0], (None, *ANSWERS[1][1:])])
    with pytest.raises(InvalidFile, match="answer 2: it has 'worker', and the first one has not: say it in all"):
        nextpair.rank([(None, *ANSWERS[0][1:]), ANSWERS[1]])


@pytest.mark.parametrize(
    ("answers", "said"),
    [
        ([], "the list of answers holds no comparisons: nothing to rank"),
        ({}, "the list of answers holds no comparisons: nothing to rank"),
        ({"left": [], "right": [], "winner": []}, "the list of answers holds no comparisons: nothing to rank"),
        ({"first": ["a"], "second": ["b"]}, "the list of answers has the fields 'first,second': name the columns left"),
        ({"left": ["a"], "right": ["b", "c"], "winner": ["a"]}, "(left 1, right 2, winner 1): each row is one answer"),
        (pandas.DataFrame([["a", "b", "c"]], columns=["left", "left", "x"]), "has 2 columns called left: leave one"),
        ([("a", "b"), ("a", "a")], "1 bad row, so none of it was used\n  answer 2: item 'a' is compared with itself"),
        ([("a", "b"), ("a", "b", "c")], "answer 2: it is ('a', 'b', 'c'): an answer is a mapping such as"),
        ([("a", "b"), "ab"], "answer 2: it is 'ab': an answer is"),
        ([("a", "b"), {"a", "b"}], "(winner, loser)"),
        ([("a", "b"), ("a", 1.0)], "answer 2: the loser is 1.0: text is wanted, or a whole number"),
        ([ANSWERS[0], ("ann", "tea", "coffee", "first")], "answer 2: the winner is 'first': neither left, right, tie"),
        ([ANSWERS[0], ("ann", "tea", "coffee", None)], "answer 2: the winner is missing"),
        ([ANSWERS[0], ("a", "b")], "answer 2: it has 'loser', and the first one has not"),
    ],
)
def test_bad_answers_refuse_all_and_are_named(answers: Any, said: str) -> None:
    with pytest.raises(InvalidFile) as caught:
        nextpair.rank(answers)
    assert said in str(caught.value)


def test_bad_answers_may_be_left_out() -> None:
    ranking = nextpair.rank([*ANSWERS, ("ann", "tea", "tea", "left")], skip_bad=True)
    assert ranking.answers == 6
    told = "the list of answers: skipped 1 bad row\n  answer 7: item 'tea' is compared with itself"
    assert ranking.notes == (told,)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"answers": 5}, "answers are a file, a list of them or a table with a column for each field, not 5"),
        ({"answers": {"a", "b"}}, "answers are a file"),
        ({"answers": b"answers.csv"}, "answers are a file"),
        ({"model": "magic"}, "unknown model 'magic': choose one of auto"),
        ({"level": 1}, "the level of an interval lies between 0 and 1, not at 1"),
        ({"skip_bad": 1}, "skip_bad is True or False, not 1"),
    ],
)
def test_what_makes_no_sense_is_refused(given: dict[str, Any], said: str) -> None:
    with pytest.raises(InvalidSetting) as caught:
        nextpair.rank(**{"answers": ANSWERS, **given})
    assert said in str(caught.value)


def test_it_says_how_sure_it_is() -> None:
    ranking = nextpair.rank(ANSWERS)
    best, second, _ = (row.item for row in ranking.rows)
    assert ranking.prob_above(best, second) == pytest.approx(ranking.rows[0].prob_above_next)
    assert ranking.prob_above(second, best) == pytest.approx(1 - ranking.prob_above(best, second))
    assert sum(ranking.prob_top(2).values()) == pytest.approx(2)
    narrow = nextpair.rank(ANSWERS, level=0.5)
    assert all(row.low < one.low for row, one in zip(ranking.rows, narrow.rows, strict=True))
    with pytest.raises(UnknownItem, match="no item 'Tea' was compared: check the spelling"):
        ranking.prob_above("Tea", "water")
    with pytest.raises(InvalidSetting, match="there is no top 4 of 3 items"):
        ranking.prob_top(4)
    assert repr(ranking).startswith("<Ranking of 3 items by 6 answers, model full-posterior, expected accuracy 0.")
    assert repr(ranking).endswith(": tea, coffee, water>")


def test_a_model_of_scores_alone_does_not_say_how_sure_it_is() -> None:
    ranking = nextpair.rank(ANSWERS, model="borda")
    assert (ranking.expected_accuracy, ranking.belief) == (None, None)
    for ask in (lambda: ranking.prob_top(1), lambda: ranking.prob_above("tea", "water")):
        with pytest.raises(InvalidSetting, match="the model borda does not say how sure it is: take auto or"):
            ask()
    assert repr(ranking) == "<Ranking of 3 items by 6 answers, model borda: tea, coffee, water>"


def test_what_is_odd_is_noted() -> None:
    ranking = nextpair.rank([("Tea", "coffee"), ("tea", "coffee"), ("red", "blue")])
    alike, groups = ranking.notes
    assert alike.startswith("these look like one item but count as several: 'Tea' and 'tea'.")
    assert groups.startswith("2 groups of items were never compared with each other")
    weighed = nextpair.rank([{"winner": "a", "loser": "b", "count": 3, "votes": 2}]).notes
    assert weighed == (
        "the columns count, votes are not read, and every row is one answer: repeat a row as often as it was given",
    )


def test_a_ranking_is_drawn(tmp_path: Path) -> None:
    ranking = nextpair.rank(ANSWERS)
    nextpair.draw(tmp_path / "drinks.svg", ranking.rows, ranking.workers)
    assert (tmp_path / "drinks.svg").exists()
