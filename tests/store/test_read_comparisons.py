"""Reading comparisons and truths: what survives, what is refused, and on which line."""

from __future__ import annotations

import gzip
import re
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nextpair.campaign.names import can_be_seen
from nextpair.errors import InvalidFile
from nextpair.store import rows as rows_module
from nextpair.store.comparisons import ComparisonTable, read_comparisons
from nextpair.store.rows import RefusedRows
from nextpair.store.scores import read_guess, read_truth
from nextpair.store.spreadsheet import csv_text
from nextpair.store.streams import open_source

# any text with something to see in it; surrogates cannot be written as UTF-8
NAMES = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1).filter(
    lambda text: text == text.strip() and can_be_seen(text)
)
PLAIN = st.text("abcdefg ,;\"'\n\r\té=漢🙂", min_size=1, max_size=8).filter(lambda text: text == text.strip())


def read(path: Path, content: str | bytes, *, skip_bad: bool = False) -> ComparisonTable:
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    with open_source(str(path)) as source:
        return read_comparisons(source, skip_bad=skip_bad)


def told(path: Path, content: str | bytes) -> list[tuple[int, str]]:
    """(line, reason) of the rows for which the file is refused."""
    with pytest.raises(RefusedRows) as caught:
        read(path, content)
    return [(row.line, row.reason) for row in caught.value.bad.first]


def answers(table: ComparisonTable) -> list[tuple[str | None, str, str, bool]]:
    """(worker, winner, loser, tie) by name, as an oracle would write it down."""
    data = table.comparisons
    columns = (data.workers.tolist(), data.winners.tolist(), data.losers.tolist(), data.ties.tolist())
    return [
        (None if who < 0 else table.workers[who], table.items[won], table.items[lost], bool(tie))
        for who, won, lost, tie in zip(*columns, strict=True)
    ]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "comparisons.csv"


def test_the_words_and_the_names_of_the_winner_are_understood(path: Path) -> None:
    table = read(path, "worker,left,right,winner\nw,a,b,left\nw,a,b, Right \nv,a,c,TIE\nv,c,b,b\nv,c,b,c\n")
    assert answers(table) == [
        ("w", "a", "b", False),
        ("w", "b", "a", False),
        ("v", "a", "c", True),
        ("v", "b", "c", False),
        ("v", "c", "b", False),
    ]
    assert table.items == ["a", "b", "c"]
    assert table.workers == ["w", "v"]


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("winner,loser\na,b\n", (None, "a", "b", False)),
        ("loser,Winner\na,b\n", (None, "b", "a", False)),
        ("\ufeffwinner,loser,WORKER\r\na,b,w\r\n", ("w", "a", "b", False)),
        ("winner,loser\ra,b\r", (None, "a", "b", False)),
        ("winner,note,loser,tie\na,x,b,1\n", (None, "a", "b", True)),
        ("winner,loser,tie\na,b,\n", (None, "a", "b", False)),
        ("winner,loser,tie\na,b,No\n", (None, "a", "b", False)),
        ("winner;loser;worker\na;b,c;w\n", ("w", "a", "b,c", False)),
        ("winner\tloser\na\tb\n", (None, "a", "b", False)),
        ('"winner","loser"\n" a ",b\n', (None, "a", "b", False)),
        ("\n\nleft,right,winner\n\na,b,right\n\n", (None, "b", "a", False)),
        ("winner,loser\na,b", (None, "a", "b", False)),
        ("\ufeffsep=;\r\nwinner;loser\r\na;b\r\n", (None, "a", "b", False)),
        ("SEP=,\nwinner,loser\na,b\n", (None, "a", "b", False)),
        ("winner;loser;worker\na;b;w\n;;\n ; ;\n;;;;\n   \n", ("w", "a", "b", False)),
    ],
)
def test_headers_in_any_order_case_and_company(path: Path, content: str, expected: tuple[object, ...]) -> None:
    assert answers(read(path, content)) == [expected]


def test_white_space_around_a_name_makes_no_second_item(path: Path) -> None:
    table = read(path, "winner,loser\na,b\n b,a \n")
    assert table.items == ["a", "b"]


@pytest.mark.parametrize("separator", [", ", ";  ", ","])
def test_white_space_before_a_quote_is_no_part_of_the_name(path: Path, separator: str) -> None:
    rows = [['"winner"', '"loser"'], ['"a, b"', '"c"'], ["c", '"a, b"'], [' "c"', '"a, b"']]
    table = read(path, "\n".join(separator.join(row) for row in rows) + "\n")
    assert table.items == ["a, b", "c"]
    assert answers(table) == [(None, "a, b", "c", False), (None, "c", "a, b", False), (None, "c", "a, b", False)]


def test_white_space_before_quotes_leaves_lines_and_reasons_right(path: Path) -> None:
    rows = '"a", "b"\n   \n"a", "b\nb", "c"\n"a", "a"\n"a", "b"c\n'
    lines = told(path, '"winner", "loser"\n' + rows)
    assert [line for line, _ in lines] == [4, 6, 7]
    for (_, reason), expected in zip(lines, ["3 fields", "itself", "quoting"], strict=True):
        assert expected in reason


@settings(max_examples=60)
@given(
    data=st.lists(st.tuples(NAMES, NAMES, NAMES, st.booleans()).filter(lambda row: row[1] != row[2]), min_size=1),
    packed=st.booleans(),
)
def test_any_names_survive_writing_and_reading(
    tmp_path_factory: pytest.TempPathFactory, data: list[tuple[str, str, str, bool]], packed: bool
) -> None:
    raw = csv_text([("worker", "winner", "loser", "tie"), *((*row[:3], int(row[3])) for row in data)]).encode()
    table = read(tmp_path_factory.mktemp("any") / "any.csv", gzip.compress(raw) if packed else raw)
    assert answers(table) == data


@settings(max_examples=60)
@given(data=st.lists(st.tuples(PLAIN, PLAIN, st.integers(0, 2)).filter(lambda row: row[0] != row[1]), min_size=1))
def test_left_right_and_tie_survive_whatever_the_names(
    tmp_path_factory: pytest.TempPathFactory, data: list[tuple[str, str, int]]
) -> None:
    rows = [(left, right, ("left", "right", "tie")[said]) for left, right, said in data]
    table = read(tmp_path_factory.mktemp("any") / "any.csv", csv_text([("left", "right", "winner"), *rows]))
    assert answers(table) == [
        (None, right, left, False) if said == 1 else (None, left, right, said == 2) for left, right, said in data
    ]


def test_the_apostrophe_of_a_table_that_is_safe_in_a_spreadsheet_is_no_part_of_a_name(path: Path) -> None:
    table = read(path, "left,right,winner,worker\n'=A,''=A, '=A ,'+w\n-5,'=A,'=A,'+w\n")
    assert answers(table) == [("+w", "=A", "'=A", False), ("+w", "=A", "-5", False)]
    assert TestTruth().read(path, "item,score\n'=A,1\n''=A,2\n") == {"=A": 1, "'=A": 2}


@settings(max_examples=60)
@given(names=st.lists(st.text("'=-5a", min_size=1, max_size=3), min_size=2, max_size=6, unique=True))
def test_names_are_never_confused_by_it(tmp_path_factory: pytest.TempPathFactory, names: list[str]) -> None:
    """In a table that something else wrote, where an apostrophe may be part of a name."""
    content = "winner,loser\n" + "".join(f"{name},zz\n" for name in names)
    items = read(tmp_path_factory.mktemp("any") / "any.csv", content).items
    assert len(set(items)) == len(names) + 1
    if any(name[0] in "=-" and not name[1:].isdigit() for name in names):
        assert items == [names[0], "zz", *names[1:]]


BAD = """worker,left,right,winner
w,a,b,left
w,a,b
w,a,a,left
w,a,b,c
w,,b,left
,a,b,left
w,a,b,
w,a,b,left,x
w,"a
a",b,nobody
w,a,b,right
w,"a"a,b,left
"""


def test_every_bad_row_is_told_by_the_line_it_starts_on(path: Path) -> None:
    lines = told(path, BAD)
    assert [line for line, _ in lines] == [3, 4, 5, 6, 7, 8, 9, 10, 13]
    for (_, reason), expected in zip(
        lines,
        [
            "3 fields",
            "itself",
            "'c'",
            "item is missing",
            "worker is missing",
            "winner is missing",
            "5 fields",
            "'a\\na'",
            "quot",
        ],
        strict=True,
    ):
        assert expected in reason


def test_white_space_behind_a_closing_quote_is_no_part_of_the_cell(path: Path) -> None:
    rows = 'winner,loser,worker\n"a" ,b,w\n"x, ""y"" , z"  ,"b" , "w" \n"a",b,"w"  '
    assert answers(read(path, rows)) == [
        ("w", "a", "b", False),
        ("w", 'x, "y" , z', "b", False),
        ("w", "a", "b", False),
    ]
    # nor is a row taken that was none
    assert [line for line, _ in told(path, 'winner,loser\na,b\n"a" c,b\n"a\nb" c" ,d\n"a" ,"b\n')] == [3, 4, 6]


def test_a_row_of_very_many_quotes_is_refused_at_once(path: Path) -> None:
    """The time to forgive a row grew with the square of its quotes: these would have taken many minutes."""
    path.write_text("winner,loser\na,b\n" + '"' * 200_000 + "x,b\n")
    command = [sys.executable, "-m", "nextpair.cli.main", "rank", str(path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 1
    assert "line 3: " in done.stderr


def test_skipping_bad_rows_keeps_the_good_ones_and_brings_in_nobody_else(path: Path) -> None:
    table = read(path, BAD + "z,y,y,left\n", skip_bad=True)
    assert answers(table) == [("w", "a", "b", False), ("w", "b", "a", False)]
    assert (table.items, table.workers) == (["a", "b"], ["w"])
    assert table.skipped.count == 10


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        (b"caf\xe9,b", "broken encoding: item 'caf\\udce9' is not UTF-8 (save the table as CSV in UTF-8)"),
        (b"a\0,b", "NUL"),
        (b"a,  ", "missing"),
        (b'a,"b', "not closed"),
        (b'a,"' + b"x" * 200_000 + b'"', "not closed"),
        (b'a,"b"c', "quoting"),
        (b"a", "1 field where"),
    ],
)
def test_a_broken_row_is_told(path: Path, row: bytes, reason: str) -> None:
    ((line, why),) = told(path, b"winner,loser\na,b\n" + row + b"\n")
    assert line == 3
    assert reason in why


@pytest.mark.parametrize("length", [60, 61, 5000])
def test_a_long_name_is_told_by_its_beginning(path: Path, length: int) -> None:
    ((_, why),) = told(path, f"winner,loser\n{'x' * length},{'x' * length}\n")
    assert why == f"item '{'x' * 60 if length == 60 else 'x' * 59 + '…'}' is compared with itself"


def test_a_winner_in_another_encoding_is_told_as_that(path: Path) -> None:
    ((line, why),) = told(path, "left,right,winner\na,é,".encode() + b"\xe9\n")
    assert line == 2
    assert "broken encoding" in why


def test_a_tie_column_holds_yes_or_no(path: Path) -> None:
    assert told(path, "winner,loser,tie\na,b,perhaps\n") == [
        (2, "the tie is 'perhaps': neither 1, true, yes nor 0, false, no")
    ]


def test_the_first_twenty_bad_rows_are_listed_and_the_rest_counted(path: Path) -> None:
    with pytest.raises(RefusedRows) as caught:
        read(path, "winner,loser\n" + "a,a\n" * 1_234)
    message = str(caught.value)
    assert "1,234 bad rows" in message
    assert "line 21: " in message
    assert "line 22: " not in message
    assert "and 1,214 more" in message


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("", "empty"),
        ("\n \n", "empty"),
        ("a,b\nb,c\n", "'a,b'"),
        ("winner\na\n", "'winner'"),
        ("left,right\na,b\n", "'left,right'"),
        ("winner,loser,winner\na,b,c\n", "2 columns called winner"),
        ("left,right,winner,tie\na,b,left,0\n", "column tie"),
        ("winner,loser\n", "no comparisons"),
        ("x" * 1_000_001, "longer than 1,000,000"),
        ("x" * 200_000, "no header that can be read"),
        (b"\xff\xfew\0i\0", "UTF-16"),
        (b"PK\x03\x04....", "spreadsheet"),
        (gzip.compress(b"winner,loser\na,b\n" * 99)[:-12], "cut short"),
        (b"\x1f\x8b\x08\x00garbage that is no deflate stream", "damaged"),
    ],
    ids=str.split("empty blank headless one-column no-winner twice tie nothing huge long utf-16 zip cut damaged"),
)
def test_a_file_that_is_none_is_refused(path: Path, content: str | bytes, expected: str) -> None:
    with pytest.raises(InvalidFile, match=expected):
        read(path, content)


def test_a_line_may_be_as_long_as_is_allowed(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rows_module, "LONGEST_LINE", len("winner,loser\n"))
    assert read(path, "winner,loser\na,b\n").items == ["a", "b"]


def test_nothing_but_bad_rows_is_refused_even_when_skipped(path: Path) -> None:
    with pytest.raises(InvalidFile, match="no row that is not bad\n  line 2: item 'a' is compared with itself$"):
        read(path, "winner,loser\na,a\n", skip_bad=True)


class TestAnItemCalledLeft:
    """The winner's cell may then be the word or the name; the other rows of the column tell."""

    def test_where_the_others_are_words_it_is_the_word(self, path: Path) -> None:
        table = read(path, "left,right,winner\nb,left,left\na,b,right\nb,tie,tie\n")
        assert answers(table) == [
            (None, "b", "left", False),
            (None, "b", "a", False),
            (None, "b", "tie", True),
        ]

    def test_where_the_others_are_names_it_is_the_name(self, path: Path) -> None:
        table = read(path, "left,right,winner\nb,left,left\na,b,b\ntie,b,tie\nb,tie,tie\nright,b,right\n")
        assert answers(table) == [
            (None, "left", "b", False),
            (None, "b", "a", False),
            (None, "tie", "b", False),
            (None, "tie", "b", False),
            (None, "right", "b", False),
        ]

    def test_where_both_mean_the_same_nothing_has_to_be_settled(self, path: Path) -> None:
        assert answers(read(path, "left,right,winner\nleft,b,left\n")) == [(None, "left", "b", False)]

    @pytest.mark.parametrize("others", ["", "a,b,left\na,b,a\n"])
    def test_where_the_others_do_not_tell_it_is_refused(self, path: Path, others: str) -> None:
        content = f"left,right,winner\n{others}b,left,left\n"
        ((line, why),) = told(path, content)
        assert line == content.count("\n")
        assert "winner,loser" in why

    def test_and_skipped_if_bad_rows_are_skipped(self, path: Path) -> None:
        table = read(path, "left,right,winner\nb,left,left\na,b,left\na,b,a\n", skip_bad=True)
        assert answers(table) == [(None, "a", "b", False)] * 2
        assert sorted(table.items) == ["a", "b"]


def test_progress_is_told_while_reading(path: Path) -> None:
    path.write_text("winner,loser\n" + "a,b\n" * 40_000)
    seen: list[tuple[int, float | None]] = []
    with open_source(str(path)) as source:
        read_comparisons(source, on_rows=lambda n: seen.append((n, source.share)))
    assert [n for n, _ in seen] == [16_384, 32_768]
    assert all(share is not None and 0 < share <= 1 for _, share in seen)


class TestTruth:
    def read(self, path: Path, content: str, **more: bool) -> dict[str, float]:
        path.write_text(content)
        with open_source(str(path)) as source:
            return read_truth(source, **more)[0]

    def test_scores_by_name(self, path: Path) -> None:
        assert self.read(path, "Score,item,note\n-1.5,a,x\n2e3, b ,y\n-1.5,a,again\n") == {"a": -1.5, "b": 2000.0}

    @pytest.mark.parametrize(
        ("row", "reason"), [("a,high", "not a number"), ("a,nan", "not a number"), ("b,2", "before"), (",1", "missing")]
    )
    def test_bad_rows_refuse_it(self, path: Path, row: str, reason: str) -> None:
        with pytest.raises(RefusedRows, match=f"(?s)line 3: .*{reason}"):
            self.read(path, f"item,score\nb,1\n{row}\n")
        assert self.read(path, f"item,score\nb,1\n{row}\n", skip_bad=True) == {"b": 1.0}

    def test_another_header_refuses_it(self, path: Path) -> None:
        with pytest.raises(InvalidFile, match="item,score"):
            self.read(path, "item,level\na,1\n")


class TestGuess:
    def read(self, path: Path, content: str, **more: bool) -> dict[str, float | None]:
        path.write_text(content)
        with open_source(str(path)) as source:
            return read_guess(source, **more)[0]

    def test_an_empty_cell_is_no_guess_and_a_ranking_is_one(self, path: Path) -> None:
        assert self.read(path, "item;guess\na;-1.5\nb;\nc;0\n") == {"a": -1.5, "b": None, "c": 0.0}
        assert self.read(path, "rank,item,score,low,high\n1,a,2,1,3\n") == {"a": 2.0}
        assert self.read(path, "item,score,guess\na,2,5\n") == {"a": 5.0}

    def test_a_number_may_have_a_comma_as_where_semicolons_separate_cells(self, path: Path) -> None:
        table = "item;guess\na;0,5\nb;-1,25\nc;,5\nd;0,316\ne;1,2345\nf;1,5E-2\n"
        assert list(self.read(path, table).values()) == [0.5, -1.25, 0.5, 0.316, 1.2345, 0.015]
        with pytest.raises(RefusedRows, match=r"line 2: the guess is '-1,234', which can be read in two ways"):
            self.read(path, "item;guess\na;-1,234\n")
        with pytest.raises(RefusedRows, match=r"line 2: the guess is '1.234,5', which is not a number"):
            self.read(path, "item;guess\na;1.234,5\n")

    @pytest.mark.parametrize(
        ("row", "reason"),
        [
            ("a,high", "the guess is 'high', which is not a number"),
            ("a,inf", "the guess is 'inf', which is not a number"),
            ("b,2", "item 'b' has the guess '2' here and '1' before"),
            ("b,", "item 'b' has the guess '' here and '1' before"),
            (",1", "missing"),
        ],
    )
    def test_bad_rows_refuse_it(self, path: Path, row: str, reason: str) -> None:
        with pytest.raises(RefusedRows, match=f"(?s)line 3: .*{reason}"):
            self.read(path, f"item,guess\nb,1\n{row}\n")
        assert self.read(path, f"item,guess\nb,1\n{row}\n", skip_bad=True) == {"b": 1.0}

    def test_another_header_refuses_it(self, path: Path) -> None:
        with pytest.raises(InvalidFile, match="a guess needs item,guess or item,score in the first line"):
            self.read(path, "item,level\na,1\n")


def test_a_million_bad_rows_are_not_kept(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rows_module, "LISTED", 3)
    assert len(told(path, "winner,loser\n" + "a,a\n" * 50)) == 3


def test_a_cell_that_is_too_long_is_called_so(tmp_path):
    path = tmp_path / "long.csv"
    path.write_text(f"winner,loser\na,b\n{'x' * 200_000},b\n")
    with (
        pytest.raises(InvalidFile, match="line 3: a cell of more than 131,072 characters"),
        open_source(str(path)) as s,
    ):
        read_comparisons(s)


@pytest.mark.parametrize(
    ("content", "sides"),
    [
        ("left,right,winner\na,b,left\na,b,right\na,b,tie\n", [1, -1, 1]),
        ("left,right,winner\na,b,a\na,b,b\n", [1, -1]),
        ("left,right,winner\na,b,left\nb,a,left\na,b,tie\n", [0, 0, 0]),  # winners were written down first
        ("left,right,winner\na,b,right\nb,a,right\n", [0, 0]),
        ("left,right,winner\na,b,tie\n", [0]),
        ("winner,loser\na,b\nb,a\n", [0, 0]),
        ("left,right,winner\na,right,right\na,c,c\na,c,a\nright,tie,tie\n", [-1, -1, 1, -1]),  # names, not words
    ],
)
def test_sides_are_known_where_left_and_right_were_not_written_by_who_won(path: Path, content, sides) -> None:
    table = read(path, content)
    assert table.comparisons.sides.tolist() == sides
    assert [as_shown for as_shown, _ in table.named()] == [any(sides)]


def test_a_campaign_takes_sides_as_the_file_has_them(path: Path) -> None:
    rows = [("w", "a", "b", "left"), ("w", "b", "c", "right"), ("v", "c", "a", "tie")]
    content = "worker,left,right,winner\n" + "".join(",".join(row) + "\n" for row in rows)
    assert named(read(path, content)) == [(True, rows)]
    content = "worker,winner,loser\nw,a,b\nv,c,b\n"
    assert named(read(path, content)) == [(False, [("w", "a", "b", "left"), ("v", "c", "b", "left")])]


def named(table) -> list[tuple[bool, list]]:
    return [(as_shown, list(rows)) for as_shown, rows in table.named()]


def test_a_column_left_says_who_stood_there(path: Path) -> None:
    table = read(path, "winner,loser,tie,left\na,b,0,a\nc,a,0, a \nb,c,1,c\nb,a,0,\n")
    assert table.comparisons.sides.tolist() == [1, -1, -1, 0]
    shown = [(None, "a", "b", "left"), (None, "a", "c", "right"), (None, "c", "b", "tie")]
    assert named(table) == [(True, shown), (False, [(None, "b", "a", "left")])]


def test_who_stood_left_is_one_of_the_two(path: Path) -> None:
    with pytest.raises(InvalidFile, match="line 3: 'c' cannot have stood left: it is neither of the two items"):
        read(path, "winner,loser,left\na,b,a\na,b,c\nc,a,a\n")


@pytest.mark.parametrize("header", ["worker,left,right,winner,much", "worker,winner,loser,left,much"])
def test_a_column_much_says_by_how_much(path: Path, header: str) -> None:
    won = "left" if "right" in header else "a"
    rows = f"ann,a,b,{won},1\nann,a,c,{won},no\nben,b,c,{'right' if won == 'left' else 'b'},Yes\n"
    table = read(path, f"{header}\n{rows}")
    assert table.comparisons.much.tolist() == [1, 0, 1]
    assert table.ignored == []
    choices = [choice for _, rows in table.named() for *_, choice in rows]
    assert [choice.startswith("much-") for choice in choices] == [True, False, True]


def test_a_column_much_holds_yes_or_no_and_no_tie_is_much(path: Path) -> None:
    assert told(path, "left,right,winner,much\na,b,left,very\na,b,tie,1\na,b,tie,0\n") == [
        (2, "the much is 'very': neither 1, true, yes nor 0, false, no"),
        (3, "it is a tie, in which neither is much better: clear one of the two"),
    ]


@pytest.mark.parametrize(("row", "what"), [("ann,\u200b,b,left", "item"), ("\u3164,a,b,left", "worker")])
def test_a_name_that_cannot_be_seen_is_a_bad_row(path: Path, row: str, what: str) -> None:
    ((line, reason),) = told(path, f"worker,left,right,winner\nann,a,b,left\n{row}\n")
    assert line == 3
    assert re.fullmatch(rf"{what} '\\u\w{{4}}' cannot be seen", reason)
