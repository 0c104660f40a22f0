"""Answers as JSON and as Chatbot Arena writes them: the same table as of CSV, and as strict."""

from __future__ import annotations

import csv
import io
import json
from enum import StrEnum
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nextpair.errors import InvalidFile
from nextpair.store import rows as rows_module
from nextpair.store.comparisons import ComparisonTable, read_comparisons
from nextpair.store.records import cell_of
from nextpair.store.rows import Fault, RefusedRows
from nextpair.store.streams import CountedReader, Source

ANSWERS = [
    {"worker": "ann", "left": "tea", "right": "coffee", "winner": "left"},
    {"worker": "ben", "left": "water", "right": "tea", "winner": "right"},
    {"worker": "ann", "left": "water", "right": "coffee", "winner": "tie"},
    {"worker": "ann", "left": "water", "right": "coffee", "winner": "coffee"},
]


def read(content: str, *, skip_bad: bool = False) -> ComparisonTable:
    stream = io.BytesIO(content.encode("utf-8", "surrogateescape"))
    return read_comparisons(Source("the file", stream, None, CountedReader(stream)), skip_bad=skip_bad)


def lines(records: list[Any]) -> str:
    return "".join(json.dumps(record) + "\n" for record in records)


def as_csv(records: list[dict[str, Any]]) -> str:
    text = io.StringIO()
    table = csv.DictWriter(text, list(records[0]))
    table.writeheader()
    table.writerows(records)
    return text.getvalue()


def told(content: str) -> list[tuple[int, str]]:
    """(number, reason) of the rows for which all is refused."""
    with pytest.raises(RefusedRows) as caught:
        read(content)
    return [(row.line, row.reason) for row in caught.value.bad.first]


def same(one: ComparisonTable, other: ComparisonTable) -> bool:
    tables = [(table.items, table.workers, table.comparisons.columns().tolist()) for table in (one, other)]
    return tables[0] == tables[1]


@pytest.mark.parametrize(
    "written",
    [
        lines(ANSWERS),
        "\ufeff\r\n" + lines(ANSWERS).replace("\n", "\r\n\r\n"),
        lines(ANSWERS).rstrip(),
        json.dumps(ANSWERS),
        json.dumps(ANSWERS, indent=2),
        lines([dict(reversed(answer.items())) for answer in ANSWERS]),
        lines([ANSWERS[0], *({" Winner ": answer.pop("winner"), **answer} for answer in map(dict, ANSWERS[1:]))]),
        lines([{"prompt": [1.5, {"id": None}], **answer} for answer in ANSWERS]),
    ],
    ids=str.split("lines blank-lines no-last-end array indented turned capitals other-fields"),
)
def test_json_is_read_as_csv_is(written: str) -> None:
    assert same(read(written), read(as_csv(ANSWERS)))


def test_an_array_on_one_long_line_is_read_and_a_long_line_of_anything_else_is_not(monkeypatch: Any) -> None:
    monkeypatch.setattr(rows_module, "LONGEST_LINE", 100)
    assert same(read(json.dumps(ANSWERS)), read(as_csv(ANSWERS)))
    with pytest.raises(InvalidFile, match="the file, line 1 is longer than 100 characters: is it a table"):
        read(lines([{"prompt": "x" * 100, **ANSWERS[0]}]))


def test_the_other_layout_has_truths_and_numbers() -> None:
    first = {"winner": 7, "loser": 8, "tie": False, "left": None}
    table = read(lines([first, {"winner": 8, "loser": 9, "tie": True, "left": 9}]))
    assert table.items == ["7", "8", "9"]
    assert table.comparisons.ties.tolist() == [0, 1]
    assert read(lines([{"winner": "a", "loser": "b", "much": True}])).comparisons.much.tolist() == [1]


TEXT = st.text(st.characters(exclude_categories=["Cs", "Cc", "Cf", "Z", "M"]), min_size=1).filter(
    lambda text: text.isalnum() or text.startswith("=")
)


@given(names=st.lists(TEXT, min_size=2, max_size=5, unique_by=str.strip))
def test_any_names_come_out_as_they_went_in(names: list[str]) -> None:
    pairs = [{"winner": names[0], "loser": name} for name in names[1:]]
    assert read(lines(pairs)).items == read(json.dumps(pairs)).items == names


def test_an_apostrophe_of_json_is_part_of_the_name() -> None:
    assert read(lines([{"winner": "'=x", "loser": "b"}])).items == ["'=x", "b"]
    assert read("winner,loser\n'=x,b\n").items == ["=x", "b"]


class TestBad:
    @pytest.mark.parametrize(
        ("line", "reason"),
        [
            ('{"winner": "a", "los', "no JSON that can be read (Unterminated string starting at: character 17)"),
            ('{"winner": 1' + "0" * 5_000 + "}", "no JSON that can be read (Exceeds the limit"),
            ('{"winner": "a", "loser": "a"}', "item 'a' is compared with itself"),
            ('{"winner": "a"}', "the item is missing: an empty name"),
            ('{"winner": "a", "loser": null}', "the item is missing: an empty name"),
            ('{"winner": "a", "loser": NaN}', "the item is missing: an empty name"),
            ('{"winner": "a", "loser": 1.0}', "the loser is 1.0: text is wanted, or a whole number"),
            ('{"winner": ["a"], "loser": "b"}', "the winner is ['a']: text is wanted, or a whole number"),
            ('["a", "b"]', "'[\"a\", \"b\"]' is no JSON object: an answer is one, such as"),
            ('{"winner": "a", "loser": "b", "winner": "c"}', "an object with 'winner' twice: leave one"),
            ('{"winner": "a", "loser": "b", "worker": "w"}', "it has 'worker', and the first one has not"),
            ('{"winner": "\\ud800", "loser": "b"}', "broken encoding: item"),
            ("[" * 900_000, "no JSON that can be read (brackets"),
            ("{}", "the item is missing: an empty name"),
        ],
    )  # fmt: skip
    def test_a_line_refuses_all_and_is_named(self, line: str, reason: str) -> None:
        content = f'{{"winner": "a", "loser": "b"}}\n\n{line}\n'
        ((number, why),) = told(content)
        assert number == 3
        assert why.startswith(reason)
        table = read(content, skip_bad=True)
        assert (table.items, table.skipped.count) == (["a", "b"], 1)

    def test_it_says_line_of_a_line_and_answer_of_one_in_an_array(self) -> None:
        bad = [{"winner": "a", "loser": "b"}, {"winner": "a", "loser": "a"}]
        with pytest.raises(RefusedRows, match="the file: 1 bad row, so none of it was used\n  line 2: item 'a' is"):
            read(lines(bad))
        with pytest.raises(RefusedRows, match="the file: 1 bad row, so none of it was used\n  answer 2: item 'a' is"):
            read(json.dumps(bad))

    def test_the_first_line_that_can_be_read_has_the_fields(self) -> None:
        content = '{"winner": "a", "los\n{"winner": "a", "loser": "b"}\n'
        assert [number for number, _ in told(content)] == [1]
        assert read(content, skip_bad=True).items == ["a", "b"]

    @pytest.mark.parametrize(
        ("content", "said"),
        [
            ("[]", "holds no comparisons: nothing to rank"),
            ("{}\n{}\n", "(?s)2 bad rows.*line 1: it has no fields"),
            ("[{}]", "(?s)1 bad row.*answer 1: it has no fields"),
            ('{"winner": "a"\n', "(?s)1 bad row.*line 1: no JSON that can be read"),
            ('[{"winner": "a", "loser": "b"}', "is no JSON that can be read .*: is it cut short"),
            ('[{"a": 1, "a": 2}]', "is an object with 'a' twice"),
            ('{"one": "a", "two": "b"}\n', "has the fields 'one,two': name the columns left,right,winner.*much.$"),
            ('{"left": "a", "Left": "b", "right": "c", "winner": "c"}\n', "has 2 columns called left: leave one"),
            ('["a", "b"]\n', "is JSON, but neither an object a line nor an array of objects"),
        ],
    )
    def test_a_file_that_is_none_is_refused(self, content: str, said: str) -> None:
        with pytest.raises(InvalidFile, match=f"the file:? {said}" if said[0] != "(" else said):
            read(content)


class Word(StrEnum):
    LEFT = "left"


@pytest.mark.parametrize(
    ("value", "cell"),
    [
        ("a", "a"), (Word.LEFT, "left"), (7, "7"), (np.int64(7), "7"), (np.str_("a"), "a"), (True, "1"),
        (np.False_, "0"), (None, ""), (float("nan"), ""), (np.float64("nan"), ""), (np.datetime64("NaT"), ""),
    ],
)  # fmt: skip
def test_a_value_is_a_cell(value: object, cell: str) -> None:
    assert cell_of("item", value) == cell
    assert type(cell_of("item", value)) is str


@pytest.mark.parametrize("value", [0.5, np.float64(2), float("inf"), [], {}, ("a",), np.array(["a", "b"]), b"a"])
def test_a_value_is_no_cell(value: object) -> None:
    with pytest.raises(Fault, match=r"the item is .*: text is wanted, or a whole number"):
        cell_of("item", value)


class TestChatbotArena:
    ROWS = "a,b,model_a,x\nb,c,model_b,y\na,c,tie,x\nc,b,tie (bothbad),y\na,b,both_bad,x\nb,a,a,y\n"

    def test_its_words_are_those_of_left_and_right(self) -> None:
        rows = self.ROWS
        for theirs, ours in (("model_a", "left"), ("model_b", "right"), ("tie (bothbad)", "tie"), ("both_bad", "tie")):
            rows = rows.replace(theirs, ours)
        plain = read("left,right,winner,worker\n" + rows)
        assert plain.comparisons.ties.sum() == 3
        assert same(read("model_a,model_b,winner,judge\n" + self.ROWS), plain)
        assert read("turn,model_a,model_b,winner,judge\n1,a,b,model_a,x\n").ignored == ["turn"]

    @pytest.mark.parametrize("word", ["left", "right", "bothbad", "1", "", "model_c", "tie(bothbad)"])
    def test_other_words_are_refused(self, word: str) -> None:
        ((line, why),) = told(f"model_a,model_b,winner\na,b,model_a\na,b,{word}\n")
        assert line == 3
        wanted = "neither model_a, model_b, tie, tie (bothbad), both_bad nor one of the items 'a' and 'b'"
        assert why == f"the winner {f'is {word!r}' if word else 'is missing'}: {wanted}"

    def test_its_words_are_no_words_of_the_other_header(self) -> None:
        assert [line for line, _ in told("left,right,winner\na,b,left\na,b,model_a\na,b,both_bad\n")] == [3, 4]

    def test_an_item_called_as_a_word_is_settled_as_in_the_other_header(self) -> None:
        table = read("model_a,model_b,winner\nb,model_a,model_a\na,b,a\n")
        assert table.items[table.comparisons.winners[0]] == "model_a"
        assert read("model_a,model_b,winner\nb,left,model_a\nb,left,model_b\n").items == ["b", "left"]

    def test_a_column_tie_beside_the_winner_is_refused(self) -> None:
        with pytest.raises(InvalidFile, match="a column tie beside model_a,model_b,winner: say tie in winner"):
            read("model_a,model_b,winner,tie\na,b,model_a,0\n")


@pytest.mark.parametrize("layout", ["left,right,winner", "winner,loser,left"])
def test_a_judge_is_a_worker_unless_there_is_a_column_of_that_name(layout: str) -> None:
    assert read(f"{layout},judge\na,b,a,gpt\n").workers == ["gpt"]
    table = read(f"{layout},judge,worker\na,b,a,gpt,ann\n")
    assert (table.workers, table.ignored) == (["ann"], ["judge"])


def test_the_label_of_crowd_kit_is_the_winner() -> None:
    table = read("worker,left,right,label\nann,a,b,b\n")
    assert [table.items[k] for k in table.comparisons.winners] == ["b"]
    assert read("left,right,label,winner\na,b,b,a\n").ignored == ["label"]
