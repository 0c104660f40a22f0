"""`nextpair rank` as a user meets it."""

from __future__ import annotations

import csv
import gzip
import io
import json
import os
import re
import subprocess
import sys
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from time import monotonic, sleep
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len

from nextpair import Belief
from nextpair.campaign.names import can_be_seen
from nextpair.cli import progress
from nextpair.cli.main import cli, main
from nextpair.core.comparisons import Comparisons
from nextpair.core.full_posterior import FullPosterior
from nextpair.core.model import Model

SMALL = "worker,left,right,winner\nann,a,b,left\nann,b,c,left\nbob,a,c,left\nbob,c,b,tie\nbob,a,b,a\n"


def run(*args: str, stdin: str | bytes | None = None) -> Result:
    return CliRunner().invoke(cli, ["rank", *args], input=stdin)


def found(*args: str, stdin: str | bytes | None = None) -> Any:
    result = run(*args, "--json", stdin=stdin)
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def in_main(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, *args: str) -> tuple[int, str, str]:
    """(exit code, stdout, stderr) of the whole program, errors turned into messages."""
    monkeypatch.setattr(sys, "argv", ["nextpair", "rank", *args])
    with pytest.raises(SystemExit) as stop:
        main()
    output = capsys.readouterr()
    return int(stop.value.code or 0), output.out, output.err


def in_process(*args: str, **options: Any) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "nextpair.cli.main", "rank", *args],
        capture_output=True,
        text=True,
        timeout=300,
        **options,
    )


def less_progress(error: str) -> str:
    """Standard error without what is said of progress, of which there is none on a fast machine."""
    doing = tuple(f"nextpair: {what}" for what in ("compiling ", "reading: ", "ranking ", "fitting ", "working out "))
    return "".join(line for line in error.splitlines(keepends=True) if not line.startswith(doing))


@pytest.fixture(scope="module", autouse=True)
def _compiled() -> None:
    """The first use of all compiles and says so on standard error: not in the midst of these tests."""
    FullPosterior.fit(Comparisons.of([0], [1], [0])).expected_accuracy()
    Belief.prior(2, 1).update(0, 1, 0)


@pytest.fixture
def small(tmp_path: Path) -> str:
    path = tmp_path / "small.csv"
    path.write_text(SMALL)
    return str(path)


@pytest.mark.parametrize("model", ["full-posterior", "dirichlet"])
def test_json_is_the_belief_after_these_answers(small: str, model: str) -> None:
    told = Comparisons.of([0, 1, 0, 2, 0], [1, 2, 2, 1, 1], [0, 0, 1, 1, 1], [0, 0, 0, 1, 0])
    belief: Model = FullPosterior.fit(told)
    if model == "dirichlet":
        belief = Belief.prior(3, 2).fold(told.winners, told.losers, told.workers, told.ties)
    low, high = belief.intervals()
    result = found(small, "--model", model)
    assert list(result) == ["ranking", "workers", "expected_accuracy", "model"]
    assert [list(row) for row in result["ranking"]] == [["rank", "item", "score", "low", "high"]] * 3
    for place, k in enumerate(belief.ranking()):
        row = result["ranking"][place]
        assert (row["rank"], row["item"]) == (place + 1, "abc"[k])
        np.testing.assert_allclose([row["score"], row["low"], row["high"]], [belief.scores()[k], low[k], high[k]])
    trust = dict(zip(["ann", "bob"], belief.reliability.tolist(), strict=True))
    assert {row["worker"]: row["reliability"] for row in result["workers"]} == pytest.approx(trust)
    assert result["workers"] == sorted(result["workers"], key=lambda row: -row["reliability"])
    assert all(row["low"] < row["reliability"] < row["high"] for row in result["workers"])
    assert sum(row["answers"] for row in result["workers"]) == len(told)
    assert result["expected_accuracy"] == pytest.approx(belief.expected_accuracy())


def test_without_workers_answers_are_fully_reliable(tmp_path: Path) -> None:
    result = found("-", stdin="winner,loser\na,b\nc,b\n")
    belief = FullPosterior.fit(Comparisons.of([0, 2], [1, 1]))
    assert result["workers"] == []
    assert result["expected_accuracy"] == pytest.approx(belief.expected_accuracy())


@pytest.mark.parametrize("packed", [False, True])
def test_standard_input_packed_or_not(small: str, packed: bool) -> None:
    assert found("-", stdin=gzip.compress(SMALL.encode()) if packed else SMALL) == found(small)


def test_many_chunks_are_the_same_as_one(small: str, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = found(small, "--model", "dirichlet")
    monkeypatch.setattr("nextpair.ranking.CHUNK", 3)
    assert found(small, "--model", "dirichlet") == whole


def test_the_table_shows_ranking_workers_and_accuracy(small: str) -> None:
    output = run(small).stdout
    assert "\x1b" not in output
    lines = [line.split() for line in output.splitlines() if line.strip()]
    assert [line[1] for line in lines if line[0] in ("1", "2", "3")] == ["a", "b", "c"]
    assert "5 comparisons (1 tie) of 3 items by 2 workers; model full-posterior." in output
    assert f"Expected accuracy: {found(small)['expected_accuracy']:.1%} of pairs" in output
    assert {"ann", "bob"} <= {line[0] for line in lines}
    assert "●" in output


def test_many_workers_are_shown_by_the_ends_only() -> None:
    rows = "".join(f"w{k},a,b,{'left' if k < 30 else 'right'}\n" for k in range(40))
    output = run("-", stdin="worker,left,right,winner\n" + rows).stdout
    assert "… 20 more" in output


def test_many_items_are_cut_unless_top_asks_for_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nextpair.cli.rank_report.MOST_ROWS", 2)
    assert "… 1 more item: --csv or --json has all" in run("-", stdin="winner,loser\na,b\nb,c\n").stdout
    assert "more item" not in run("-", "--top", "3", stdin="winner,loser\na,b\nb,c\n").stdout


def test_top_leaves_the_accuracy_of_the_whole(small: str) -> None:
    whole, top = found(small), found(small, "--top", "1")
    assert top == {**whole, "ranking": whole["ranking"][:1]}
    assert len(run(small, "--csv", "--top", "2").stdout.splitlines()) == 3


NAMES = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1).filter(
    lambda text: text == text.strip() and can_be_seen(text)
)


@settings(max_examples=40)
@given(names=st.lists(NAMES, min_size=2, max_size=6, unique=True))
def test_any_names_come_out_as_they_went_in(names: list[str]) -> None:
    text = io.StringIO(newline="")
    csv.writer(text).writerows([["winner", "loser"], *pairwise(names)])
    result = found("-", stdin=text.getvalue().encode())
    assert sorted(row["item"] for row in result["ranking"]) == sorted(names)
    output = run("-", "--csv", stdin=text.getvalue().encode()).stdout_bytes.decode()
    written = [row["item"] for row in csv.DictReader(io.StringIO(output, newline=""))]
    wanted = [row["item"] for row in result["ranking"]]
    for cell, name in zip(written, wanted, strict=True):
        assert cell.replace("'", "") == name.replace("'", "")  # but for what makes it safe in a spreadsheet
    assert "\x1b" not in run("-", stdin=text.getvalue().encode()).stdout


@pytest.mark.parametrize("model", ["full-posterior", "borda"])
def test_a_figure_comes_besides_and_changes_nothing(small: str, tmp_path: Path, model: str) -> None:
    picture = tmp_path / "small.svg"
    plain = run(small, "--model", model)
    drawn = run(small, "--model", model, "--figure", str(picture))
    assert (drawn.exit_code, drawn.stdout) == (0, plain.stdout)
    assert drawn.stderr == f"nextpair: wrote {picture}\n"
    assert picture.read_text().startswith("<?xml")


def test_csv_holds_the_numbers_of_json(small: str) -> None:
    rows = list(csv.DictReader(io.StringIO(run(small, "--csv").stdout)))
    assert [
        {"rank": int(r["rank"]), "item": r["item"], **{k: float(r[k]) for k in ("score", "low", "high")}} for r in rows
    ] == found(small)["ranking"]


class TestOut:
    @pytest.mark.parametrize(("name", "flags"), [("r.json", []), ("r.txt", ["--json"]), ("r.csv", ["--json"])])
    def test_json(self, small: str, tmp_path: Path, name: str, flags: list[str]) -> None:
        result = run(small, "--out", str(tmp_path / name), *flags)
        assert result.stdout == ""
        assert json.loads((tmp_path / name).read_text()) == found(small)

    @pytest.mark.parametrize(("name", "flags"), [("r.CSV", []), ("r.json", ["--csv"])])
    def test_csv(self, small: str, tmp_path: Path, name: str, flags: list[str]) -> None:
        run(small, "--out", str(tmp_path / name), *flags)
        assert (tmp_path / name).read_text() == run(small, "--csv").stdout

    def test_table(self, small: str, tmp_path: Path) -> None:
        run(small, "--out", str(tmp_path / "r.txt"))
        assert (tmp_path / "r.txt").read_text() == run(small).stdout

    def test_it_never_overwrites_its_input(self, small: str, capsys: Any, monkeypatch: pytest.MonkeyPatch) -> None:
        code, _, error = in_main(capsys, monkeypatch, small, "--out", small)
        assert (code, Path(small).read_text()) == (1, SMALL)
        assert "would overwrite what is read" in error


class TestTruth:
    """a is ranked above b above c in SMALL."""

    def check(self, small: str, tmp_path: Path, rows: str) -> tuple[Any, Result]:
        (tmp_path / "truth.csv").write_text("item,score\n" + rows)
        truth = str(tmp_path / "truth.csv")
        return found(small, "--truth", truth)["truth"], run(small, "--truth", truth)

    @pytest.mark.parametrize(
        ("rows", "accuracy"),
        [
            ("a,3\nb,2\nc,1\n", 1.0),
            ("a,1\nb,2\nc,3\n", 0.0),
            ("a,2\nb,3\nc,1\n", 2 / 3),
            ("a,1\nb,2\nc,2\n", 1 / 3),  # b and c are equal: any order of the two is right
            ("a,1\nb,1\nc,1\n", 1.0),
        ],
    )
    def test_equal_levels_count_as_right(self, small: str, tmp_path: Path, rows: str, accuracy: float) -> None:
        result, shown = self.check(small, tmp_path, rows)
        assert result == {"accuracy": pytest.approx(accuracy), "items": 3}
        assert f"{accuracy:.1%} of pairs (3 of 3 items)" in shown.stdout
        assert shown.stderr == ""

    def test_another_ranking_is_one_too(self, small: str, tmp_path: Path) -> None:
        other = str(tmp_path / "other.csv")
        run("-", "--out", other, stdin="winner,loser\nb,a\nb,c\na,c\n")
        assert found(small, "--truth", other)["truth"] == {"accuracy": pytest.approx(2 / 3), "items": 3}

    def test_items_without_a_truth_are_said_and_left_out(self, small: str, tmp_path: Path) -> None:
        result, shown = self.check(small, tmp_path, "c,1\na,3\nx,9\ny,9\n")
        assert result == {"accuracy": 1.0, "items": 2}
        assert "no score for 1 item, left out of the accuracy: 'b'" in shown.stderr
        assert "scores for 2 items never compared" in shown.stderr

    def test_strangers_are_refused(self, small: str, tmp_path: Path, capsys: Any, monkeypatch: Any) -> None:
        (tmp_path / "truth.csv").write_text("item,score\nA,1\nB,2\n")
        code, out, error = in_main(capsys, monkeypatch, small, "--truth", str(tmp_path / "truth.csv"))
        assert (code, out) == (1, "")
        assert "0 of the 3 items" in error


class TestRefusals:
    """One friendly message, exit code 1, no traceback."""

    @pytest.mark.parametrize(
        ("content", "expected"),
        [
            ("", "is empty"),
            ("x,y\n1,2\n", "header"),
            ("winner,loser\na,a\n", "line 2: item 'a' is compared with itself"),
        ],
    )
    def test_bad_content(self, tmp_path: Path, capsys: Any, monkeypatch: Any, content: str, expected: str) -> None:
        (tmp_path / "f.csv").write_text(content)
        code, out, error = in_main(capsys, monkeypatch, str(tmp_path / "f.csv"))
        assert (code, out) == (1, "")
        assert error.startswith("nextpair: ")
        assert expected in error
        assert "Traceback" not in error

    @pytest.mark.parametrize("name", ["missing.csv", "."])
    def test_no_file(self, tmp_path: Path, capsys: Any, monkeypatch: Any, name: str) -> None:
        code, _, error = in_main(capsys, monkeypatch, str(tmp_path / name))
        assert code == 1
        assert error.count("\n") == 1

    def test_skip_bad_says_what_was_skipped(self, tmp_path: Path) -> None:
        result = run("-", "--skip-bad", "--csv", stdin="winner,loser\na,a\na,b\n")
        assert result.exit_code == 0
        assert "skipped 1 bad row\n  line 2: item 'a' is compared with itself" in result.stderr
        assert len(result.stdout.splitlines()) == 3

    @pytest.mark.parametrize(
        "args", [["--json", "--csv"], ["--top", "0"], ["--truth", "-"], ["--nonsense"], ["second.csv"]]
    )
    def test_wrong_usage(self, args: list[str]) -> None:
        assert run("-", *args, stdin=SMALL).exit_code == 2


def test_help_tells_each_column_that_is_read() -> None:
    told = run("--help").stdout
    assert "left,right,winner[,worker][,much] " in told
    assert "winner,loser[,worker][,tie][,left][,much] " in told
    assert max(map(len, told.splitlines())) <= 80


def test_names_cannot_steer_the_terminal_or_the_markup() -> None:
    output = run("-", stdin='winner,loser\n"x\x1b[31m\ny",[red]b\u202e\n').stdout
    assert "x\\x1b[31m\\ny" in output
    assert "[red]b\\u202e" in output


@pytest.mark.parametrize("columns", ["80", "100", "140"])
def test_a_very_long_name_is_cut_in_the_table_only(columns: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    name = "漢" * 5_000
    output = run("-", stdin=f"worker,winner,loser\n{name},{name},b\n").stdout
    assert max(cell_len(line) for line in output.splitlines()) <= int(columns)
    first, second = found("-", stdin=f"winner,loser\n{name},b\n")["ranking"]
    assert output.count("…") == 2  # both names, and no number
    assert f"{first['low']:.2g} – {first['high']:.2g}" in run("-", stdin=f"winner,loser\n{name},b\n").stdout
    assert (first["item"], second["item"]) == (name, "b")


@pytest.mark.parametrize("columns", ["80", "100", "140"])
def test_names_that_begin_or_end_alike_are_told_apart(columns: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    teams = ["Team Sunflower: irrigation", "Team Sunflower: drones", "The other drones"]
    judges = [f"{side} examiner of the faculty of agriculture{' and forestry' * 4}, {side}" for side in ("1st", "2nd")]
    rows = "".join(f'"{judge}",{a},{b}\n' for judge in judges for a, b in pairwise(teams))
    output = run("-", stdin=f"worker,winner,loser\n{rows}").stdout
    assert max(cell_len(line) for line in output.splitlines()) <= int(columns)
    assert all(team in output for team in teams)  # the picture gives way
    assert re.search(r"1st examiner .*…?.*, 1st  ", output)
    assert re.search(r"2nd examiner .*…?.*, 2nd  ", output)


def test_progress_is_told_only_when_it_takes_long(small: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert run(small).stderr == ""
    monkeypatch.setattr(progress, "QUIET", -1.0)
    assert "nextpair: ranking 3 items " in run(small).stderr
    assert "nextpair: ranking 3 items 0%" in run(small, "--model", "dirichlet").stderr


@pytest.mark.parametrize(
    ("model", "slow", "told"),
    [
        ("borda", "nextpair.ranking.fit", "nextpair: fitting borda\n"),
        ("dirichlet", "nextpair.ranking.ranking_rows", "nextpair: working out the expected accuracy\n"),
    ],
)
def test_what_takes_long_is_told_while_it_does(
    small: str, monkeypatch: pytest.MonkeyPatch, model: str, slow: str, told: str
) -> None:
    """And not before, when nobody knows that it will."""
    module, _, name = slow.rpartition(".")
    real = getattr(import_module(module), name)
    run(small, "--model", model)  # compiled
    monkeypatch.setattr(progress, "QUIET", 0.5)
    monkeypatch.setattr(progress, "BETWEEN", 0.5)
    monkeypatch.setattr(slow, lambda *given: (sleep(1.5), real(*given))[1])
    assert told in run(small, "--model", model).stderr


def test_who_waits_for_the_compiler_is_told_so(monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    monkeypatch.setattr(progress, "QUIET", -1.0)
    monkeypatch.setattr(progress, "BETWEEN", 0.02)
    with progress.Patience() as patience:
        with patience.first_use():
            pass
        assert capsys.readouterr().err == ""
        with patience.first_use():
            deadline = monotonic() + 120
            while not (told := capsys.readouterr().err) and monotonic() < deadline:
                sleep(0.01)
    assert "this happens once" in told


def test_a_terminal_gets_a_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setattr(progress, "QUIET", -1.0)
    monkeypatch.setenv("TERM", "xterm")
    with progress.Patience() as patience:
        patience.tell("reading", 0.5)
        patience.tell("counting")
    assert "reading" in terminal.getvalue()


class TestTheRealProgram:
    def test_exit_codes_and_streams(self, small: str, tmp_path: Path) -> None:
        fine = in_process(small)
        assert (fine.returncode, less_progress(fine.stderr)) == (0, "")
        assert "\x1b" not in fine.stdout
        refused = in_process("-", stdin=subprocess.DEVNULL)
        assert (refused.returncode, refused.stdout) == (1, "")
        assert refused.stderr == "nextpair: standard input is empty: it needs a header and at least one row\n"
        assert in_process().returncode == 2

    def test_no_colour_in_a_pipe_even_if_forced_nor_a_crash_on_a_narrow_encoding(self, tmp_path: Path) -> None:
        (tmp_path / "é.csv").write_text("winner,loser\né,漢\n", encoding="utf-8")
        env = {**os.environ, "FORCE_COLOR": "1", "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
        for flag in ("--csv", "--top=2", "--json"):
            done = in_process(str(tmp_path / "é.csv"), flag, env=env)
            assert done.returncode == 0, done.stderr
            assert "\x1b" not in done.stdout
            assert done.stdout.isascii()
        assert json.loads(done.stdout)["ranking"][0]["item"] == "é"

    @pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs a device that is always full")
    def test_a_full_disk_is_said(self, small: str) -> None:
        with open("/dev/full", "w") as full:
            done = subprocess.run(
                [sys.executable, "-m", "nextpair.cli.main", "rank", small],
                stdout=full,
                stderr=subprocess.PIPE,
                text=True,
                timeout=300,
            )
        assert done.returncode == 1
        assert less_progress(done.stderr) == "nextpair: cannot write to standard output: no space left on device\n"

    def test_a_reader_that_leaves_early_is_no_error(self, tmp_path: Path) -> None:
        rows = "".join(f"item {k},item {k + 1}\n" for k in range(3_000))  # more than a pipe holds
        (tmp_path / "long.csv").write_text("winner,loser\n" + rows)
        command = [sys.executable, "-m", "nextpair.cli.main", "rank", str(tmp_path / "long.csv"), "--json"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as child:
            assert child.stdout is not None
            assert child.stderr is not None
            child.stdout.readline()
            child.stdout.close()
            error = child.stderr.read().decode()
            assert (child.wait(300), less_progress(error)) == (0, "")


def test_columns_that_may_say_who_answered_are_named_where_none_is_called_worker() -> None:
    rows = "left,right,winner,rater,turn\na,b,left,gpt,1\nb,c,right,gpt,1\n"
    said = "No column is called worker or judge, so every answer counts as fully reliable. Ignored: 'rater,turn'."
    assert said in run("-", stdin=rows).stdout
    assert "Ignored" not in run("-", stdin=rows.replace("rater", "worker")).stdout
    assert "Ignored" not in run("-", stdin="winner,loser,tie,left\na,b,0,a\nb,c,1,\n").stdout


def leaning_file() -> str:
    """Two judges of eight items, each pair shown both ways round: b always says left, a what is right."""
    rows = ["worker,left,right,winner"]
    for i in range(8):
        for j in range(i + 1, 8):
            rows += [f"a,i{i},i{j},left", f"a,i{j},i{i},right", f"b,i{i},i{j},left", f"b,i{j},i{i},left"]
    return "\n".join(rows) + "\n"


def test_who_favours_a_side_is_said() -> None:
    result = found("-", stdin=leaning_file())
    leaning = {row["worker"]: row["leaning"] for row in result["workers"]}
    assert leaning["b"] > 0.9
    assert abs(leaning["a"] - 0.5) < 0.2
    assert [row["item"] for row in result["ranking"]] == [f"i{k}" for k in range(8)]
    output = run("-", stdin=leaning_file()).stdout
    assert "favours" in output
    assert f"left {100 * leaning['b']:.0f} %" in output
    other = found("-", "--model", "dirichlet", stdin=leaning_file())
    assert {row["leaning"] for row in other["workers"]} == {None}


def test_nobody_is_said_to_favour_a_side_without_a_reason(small: str) -> None:
    assert "favours" not in run(small).stdout
    assert {row["leaning"] for row in found(small)["workers"]} == {0.5}


@pytest.mark.parametrize(
    ("names", "told"),
    [
        (("a b", "a  b"), "'a b' and 'a  b'"),
        (("Tea", "tea"), "'Tea' and 'tea'"),
        (("tea", "te\u200ba"), r"'tea' and 'te\u200ba'"),
        (("\u00e9", "e\u0301"), r"'\xe9' and 'e\u0301'"),
        (("7", "7.0"), "'7' and '7.0'"),
        (("70", "0070"), "'70' and '0070'"),
        (("0", "00.00"), "'0' and '00.00'"),
    ],
)
def test_names_that_look_alike_are_told_and_count_as_two(names: tuple[str, str], told: str) -> None:
    one, other = names
    items = run("-", "--json", stdin=f"winner,loser\n{one},x\n{other},x\n")
    note = f"nextpair: these look like one item but count as several: {told}. If they are one, spell them alike\n"
    assert less_progress(items.stderr) == note
    assert len(json.loads(items.stdout)["ranking"]) == 3
    workers = run("-", "--json", stdin=f"winner,loser,worker\nx,y,{one}\ny,x,{other}\n")
    assert f"these look like one worker but count as several: {told}." in workers.stderr


@pytest.mark.parametrize("names", ["1.1,1.10", "7,70", "0,10", "1.0,10", "v1,v1.0", "-1,1", "1e2,100"])
def test_other_numbers_are_other_names(names: str) -> None:
    """Versions, too."""
    assert less_progress(run("-", stdin=f"winner,loser\n{names}\n").stderr) == ""


def test_white_space_around_a_name_is_no_other_name() -> None:
    result = run("-", "--json", stdin="winner,loser\n a ,b\na\t,\u00a0b\n")
    assert [row["item"] for row in json.loads(result.stdout)["ranking"]] == ["a", "b"]
    assert less_progress(result.stderr) == ""


def test_of_many_names_that_look_alike_some_are_told() -> None:
    rows = "".join(f"item {k},Item {k}\n" for k in range(7))
    assert "'item 4' and 'Item 4'; …. If they are one" in run("-", stdin="winner,loser\n" + rows).stderr


@pytest.mark.parametrize("header", ["winner,loser,Count", "count,winner,loser,worker"])
def test_a_row_that_stands_for_many_answers_is_no_silent_one(header: str) -> None:
    cells = {"winner": "a", "loser": "b", "count": "37", "worker": "ann"}
    row = ",".join(cells[name.lower()] for name in header.split(","))
    result = run("-", stdin=f"{header}\n{row}\n")
    assert "the column count is not read, and every row is one answer: repeat a row as often" in result.stderr
    assert "1 comparison of 2 items" in result.stdout


def test_other_columns_are_ignored_in_silence() -> None:
    assert less_progress(run("-", stdin="winner,loser,worker,seconds\na,b,ann,3\n").stderr) == ""
