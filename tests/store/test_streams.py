"""Opening and writing files: streams that trickle, targets that must not be lost."""

from __future__ import annotations

import io
import os
import re
import stat
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nextpair.errors import InvalidFile
from nextpair.store.spreadsheet import FORMULA, NUMBER, csv_text, plain_cell, safe_cell
from nextpair.store.streams import CountedReader, open_source, write_atomically


class Trickle(io.BytesIO):
    """A pipe that hands out one byte at a time."""

    def read1(self, size: int | None = -1, /) -> bytes:
        return super().read1(1)


def test_the_beginning_of_a_trickling_stream_can_be_seen() -> None:
    reader = CountedReader(Trickle(b"\x1f\x8b\x08\x00rest"))
    buffered = io.BufferedReader(reader)
    assert buffered.peek(4)[:4] == b"\x1f\x8b\x08\x00"
    assert buffered.read() == b"\x1f\x8b\x08\x00rest"
    assert reader.taken == 8


@pytest.mark.parametrize(("name", "why"), [("missing.csv", "no such file"), (".", "directory"), ("a\0b", "null")])
def test_what_cannot_be_opened_is_said(tmp_path: Path, name: str, why: str) -> None:
    with pytest.raises(InvalidFile, match=f"cannot read .*{why}"), open_source(f"{tmp_path}/{name}"):
        pass


def test_a_closed_standard_input_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", None)
    with pytest.raises(InvalidFile, match="closed"), open_source("-"):
        pass


def test_writing_replaces_the_file_keeps_its_mode_and_follows_links(tmp_path: Path) -> None:
    real, link = tmp_path / "real.csv", tmp_path / "link.csv"
    real.write_text("old")
    real.chmod(0o640)
    link.symlink_to(real)
    write_atomically(str(link), "né\r\n")
    assert real.read_bytes() == "né\r\n".encode()
    assert stat.S_IMODE(real.stat().st_mode) == 0o640
    assert link.is_symlink()
    assert sorted(p.name for p in tmp_path.iterdir()) == ["link.csv", "real.csv"]


def test_a_failed_write_leaves_the_old_file_and_no_draft(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "ranking.csv"
    target.write_text("old")

    def full(fd: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(InvalidFile, match="no space left"):
        write_atomically(str(target), "new")
    assert [p.read_text() for p in tmp_path.iterdir()] == ["old"]


def test_a_device_is_written_to_and_not_replaced() -> None:
    write_atomically(os.devnull, "text")
    assert stat.S_ISCHR(os.stat(os.devnull).st_mode)


@pytest.mark.parametrize("name", ["none/x.csv", "."])
def test_where_nothing_can_be_written_is_said(tmp_path: Path, name: str) -> None:
    with pytest.raises(InvalidFile, match="cannot write"):
        write_atomically(str(tmp_path / name), "x")


@pytest.mark.parametrize("text", ["=1+1", "+x", "-x", "@x", "\tx", "\rx", "-2+3+cmd"])
def test_a_formula_is_written_behind_an_apostrophe(text: str) -> None:
    assert safe_cell(text) == f"'{text}"


@pytest.mark.parametrize(
    ("text", "safe"),
    [
        ("x;=cmd|' /C calc'!A0;y", "x;'=cmd|' /C calc'!A0;y"),
        ("x\n=1+1", "x\n'=1+1"),
        ("x\r+1;\t@y", "x\r'+1;\t'@y"),
        ('x;"=1+1;"', 'x;\'"=1+1;"'),  # in the file these quotes are doubled, which is an empty cell before the formula
        ("-5;=1", "'-5;'=1"),
        ("x;'=1", "x;''=1"),
    ],
)
def test_neither_does_a_semicolon_or_a_line_break_begin_a_formula(text: str, safe: str) -> None:
    assert safe_cell(text) == safe
    assert plain_cell(safe) == text


@pytest.mark.parametrize("text", ["-5", "+1.5e-3", "-.5", "a=b", "", "'x", "x-y", "x; y", "x\ny", "a; -b"])
def test_numbers_and_plain_text_stay(text: str) -> None:
    assert safe_cell(text) == text


@given(st.text(alphabet="'=+-@5ex\t\r\n;\"", max_size=8))
def test_what_was_made_safe_is_read_as_it_was(text: str) -> None:
    assert plain_cell(safe_cell(text)) == text
    assert not safe_cell(text).startswith(FORMULA) or NUMBER.fullmatch(text)
    assert not re.search(r'[;\t\r\n]"*[=+\-@]', safe_cell(text))


def test_numbers_in_cells_are_not_text() -> None:
    rows = [("item", "score"), ("a\rb", -0.5), ("-c", "-0.5")]
    assert csv_text(rows) == 'item,score\n"a\rb",-0.5\n\'-c,-0.5\n'
