"""Rows of a table with their numbers, the names in them, and those that are bad; and a CSV file as such a table."""

from __future__ import annotations

import csv
import io
import re
from bisect import insort
from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from nextpair.campaign.amounts import plural
from nextpair.campaign.names import can_be_seen, heard
from nextpair.errors import InvalidFile
from nextpair.store.streams import Source

LISTED = 20  # bad rows that are told one by one
LONGEST_LINE = 1_000_000  # characters; csv itself refuses a field of more than 131,072
DELIMITERS = (",", ";", "\t")  # a spreadsheet in many a country writes the second
SEPARATOR = re.compile(r'"?sep=[,;\t]?"?', re.IGNORECASE)  # a line for Excel before the header, which tells by itself
# a cell in quotes, and white space behind it; it begins where a cell does, or a long row of quotes would take for ever
QUOTED = re.compile(r'((?:^|[,;\t]) *"(?:[^"]|"")*+") +(?=[,;\t\r\n]|$)')
ARRAY = re.compile(r"\ufeff?\s*\[\s*(?:\{|\]|$)")  # how a JSON array of objects begins, which may be one long line
WHOLE = re.compile(r"\A(?=\d)0*+(\d*+)(?:\.0++)?\Z")  # less zeros that say nothing; it never tries again


class Fault(Exception):
    """What is wrong with one row."""


@dataclass(frozen=True, order=True)
class BadRow:
    """A row that cannot be used: the line it starts on (or its number), and why."""

    line: int
    reason: str


@dataclass
class BadRows:
    """The bad rows of a file: how many, and the first few of them. A million bad rows must not fill the memory."""

    unit: str = "line"  # what a row is told by
    count: int = 0
    first: list[BadRow] = field(default_factory=list)

    def add(self, line: int, reason: str) -> None:
        self.count += 1
        insort(self.first, BadRow(line, reason))
        del self.first[LISTED:]

    def listing(self) -> str:
        """One line a row, and how many more there are."""
        lines = [f"  {self.unit} {row.line:,}: {row.reason}" for row in self.first]
        if self.count > len(self.first):
            lines.append(f"  … and {self.count - len(self.first):,} more")
        return "\n".join(lines)


class RefusedRows(InvalidFile):
    """A file with bad rows, of which nothing was used."""

    def __init__(self, name: str, bad: BadRows) -> None:
        self.bad = bad
        super().__init__(
            f"{name}: {plural(bad.count, 'bad row')}, so none of it was used\n{bad.listing()}\n"
            "Correct them, or leave bad rows out with --skip-bad (skip_bad=True)."
        )


def shown(text: str, longest: int = 60) -> str:
    """A name as a message can hold it: quoted, on one line, not too long."""
    return repr(text if len(text) <= longest else text[: longest - 1] + "…")


def delimiter_of(line: str) -> str:
    """What stands between the cells, by the first line of a table: of equal counts the comma."""
    return max(DELIMITERS, key=line.count)


def look_alikes(names: Sequence[str]) -> list[list[str]]:
    """Names that differ by no more than white space, capitals, the encoding of a letter or what nobody sees.

    And whole numbers written in several ways, as programs do that take them for numbers: 7, 7.0 and 007.
    """
    seen: dict[str, list[str]] = {}
    for name in names:
        seen.setdefault(WHOLE.sub(r"\1", heard(name)), []).append(name)
    return [alike for alike in seen.values() if len(alike) > 1]


class Names(dict[str, int]):
    """Numbers for names, in the order of their first appearance: `names[cell]`. A cell that is no name is a Fault.

    A name is what stands in the cell, less the white space around it.
    """

    def __init__(self, what: str, words: Collection[str] = ()) -> None:
        self.what, self.words = what, words
        self.names: list[str] = []
        self.tricky = False  # a name is also one of the words

    def __missing__(self, cell: str) -> int:
        name = cell.strip()
        if not name:
            raise Fault(f"the {self.what} is missing: an empty name")
        if "\0" in name:
            raise Fault(f"{self.what} {shown(name)} holds a NUL byte")
        if not encodable(name):
            raise Fault(f"broken encoding: {self.what} {shown(name)} is not UTF-8 (save the table as CSV in UTF-8)")
        if not can_be_seen(name):
            raise Fault(f"{self.what} {name!a} cannot be seen")
        if name not in self:
            self.names.append(name)
            self[name] = len(self.names) - 1
            self.tricky = self.tricky or name.lower() in self.words
        self[cell] = self[name]
        return self[name]


def encodable(text: str) -> bool:
    """False where bytes that are no UTF-8 were let through by `surrogateescape`."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def rows_of_text(text: str) -> list[list[str]]:
    """The rows of a small table that hold anything, with its header, which tells what separates the cells."""
    lines = io.StringIO(text, newline="").readlines()
    begin = 0
    while begin < len(lines) and (not lines[begin].strip() or SEPARATOR.fullmatch(lines[begin].strip())):
        begin += 1
    if begin == len(lines):
        return []
    try:
        return _filled(lines, begin)
    except InvalidFile:
        with suppress(InvalidFile):  # nothing but white space behind closing quotes may be wrong with it
            return _filled([QUOTED.sub(r"\1", line) for line in lines], begin)
        raise


def _filled(lines: Sequence[str], begin: int) -> list[list[str]]:
    delimiter = delimiter_of(lines[begin])
    reader = csv.reader(lines[begin:], delimiter=delimiter, skipinitialspace=True, strict=True)
    rows: list[list[str]] = []
    while True:
        line = begin + reader.line_num + 1
        try:
            rows.append(next(reader))
        except StopIteration:
            return [row for row in rows if not _is_blank(row)]
        except csv.Error as error:
            raise InvalidFile(f"line {line:,} of the file: {_csv_fault(str(error))}") from None


class Lines:
    """The lines of a source: `last` is the number of the one that came last, `text` what it says.

    The first one that says anything is `first`, and those behind it are gone through. (`sep=;` is for Excel alone.)
    """

    def __init__(self, source: Source) -> None:
        self.name = source.name
        self.last, self.text = 0, ""
        self._file = io.TextIOWrapper(source.stream, encoding="utf-8", errors="surrogateescape", newline="")
        lines = (line.removeprefix("\ufeff") for line in self)
        self.first = next((one for one in lines if one.strip() and not SEPARATOR.fullmatch(one.strip())), "")
        if not self.first:
            raise InvalidFile(f"{self.name} is empty: it needs a header and at least one row")

    def __iter__(self) -> Iterator[str]:
        # not `for line in file`: a file without line ends would be taken into memory whole
        while line := self._file.readline(LONGEST_LINE):
            self.last, self.text = self.last + 1, line
            if len(line) == LONGEST_LINE and line[-1] not in "\r\n" and not ARRAY.match(line):
                raise InvalidFile(
                    f"{self.name}, line {self.last:,} is longer than {LONGEST_LINE:,} characters: is it a table?"
                )
            yield line

    def whole(self) -> str:
        """The first line and all that follows."""
        return self.first + self._file.read()


class Rows:
    """The rows of a table, each as wide as its header. `line` is the number of the present one.

    made_safe: whether names may have been made safe for a spreadsheet.
    """

    heading, place = "header", " in the first line"  # how its columns and where their names are called in messages

    def __init__(self, name: str, unit: str = "line", *, made_safe: bool = True) -> None:
        self.name = name
        self.bad = BadRows(unit)
        self.line = 0
        self.made_safe = made_safe
        self.header: list[str] = []

    def column(self, name: str) -> int:
        """Where the column of that name is."""
        if self.header.count(name) > 1:
            raise InvalidFile(f"{self.name} has {self.header.count(name)} columns called {name}: leave one")
        return self.header.index(name)

    def optional_column(self, *names: str) -> int | None:
        """Where the column is that has the first of these names that one has."""
        return next((self.column(name) for name in names if name in self.header), None)

    def has(self, *names: str) -> bool:
        return set(names) <= set(self.header)

    def __iter__(self) -> Iterator[list[str]]:
        raise NotImplementedError

    def report(self, reason: str, line: int | None = None) -> None:
        self.bad.add(self.line if line is None else line, reason)

    def refuse_bad(self, skip_bad: bool) -> None:
        """Refuse the file for its bad rows, if it has any and they are not to be skipped."""
        if self.bad.count and not skip_bad:
            raise RefusedRows(self.name, self.bad)


class CsvRows(Rows):
    """Those below the header of a CSV file.

    Rows of another width and rows that csv cannot read are reported and left out; so are blank lines, in silence, and
    rows of nothing but blank cells, as a spreadsheet writes them below a table.
    """

    def __init__(self, lines: Lines) -> None:
        super().__init__(lines.name)
        self._lines = lines
        self._delimiter = delimiter_of(lines.first)
        try:
            cells = next(csv.reader([lines.first], delimiter=self._delimiter, skipinitialspace=True))
        except csv.Error as error:
            raise InvalidFile(f"{self.name} has no header that can be read ({error}): is it a CSV file?") from error
        self.header = [cell.strip().lower() for cell in cells]

    def __iter__(self) -> Iterator[list[str]]:
        reader = csv.reader(self._lines, delimiter=self._delimiter, skipinitialspace=True, strict=True)
        width = len(self.header)
        while True:
            self.line = self._lines.last + 1
            try:
                row = next(reader)
            except StopIteration:
                return
            except csv.Error as error:
                row = self._forgiven()
                if not row:
                    self.report(_csv_fault(str(error)))
                    continue
            if len(row) == width and (row[0] or not _is_blank(row)):
                yield row
            elif not _is_blank(row):
                self.report(f"{plural(len(row), 'field')} where the header has {width}")

    def _forgiven(self) -> list[str]:
        """The row, if nothing but white space behind a closing quote was wrong with it; else nothing."""
        if self.line != self._lines.last:  # a row of several lines, of which only the last is at hand
            return []
        tight = [QUOTED.sub(r"\1", self._lines.text)]
        try:
            return next(csv.reader(tight, delimiter=self._delimiter, skipinitialspace=True, strict=True))
        except csv.Error:
            return []


def _is_blank(row: list[str]) -> bool:
    return not any(map(str.strip, row))


def _csv_fault(error: str) -> str:
    if "limit" in error:
        return f"a cell of more than {csv.field_size_limit():,} characters: is a quote opened and not closed?"
    if "unexpected end" in error:
        return "a quote is opened and not closed"
    return f"broken quoting ({error}): write a quote inside of a quoted cell twice, and nothing behind the closing one"


def describe(header: Sequence[str]) -> str:
    """A header as a message can hold it."""
    return shown(",".join(header), 120)
