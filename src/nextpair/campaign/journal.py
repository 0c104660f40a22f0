"""The journal as a file: one JSON object a line, the first of them `Created`."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from nextpair.campaign.events import Event, decode, encode
from nextpair.errors import InvalidFile

_DECODER = json.JSONDecoder()


def to_line(event: Event) -> str:
    return json.dumps(encode(event), ensure_ascii=False, separators=(",", ":")) + "\n"


def read_journal(path: str | Path) -> Iterator[Event]:
    """The events of a journal file.

    A last line without its end is what a killed process leaves behind: it was never acknowledged and is passed over.
    So is the mark that some editors put before the first line.
    """
    try:
        with open(path, "rb") as file:
            for number, line in enumerate(file, start=1):
                if line.endswith(b"\n"):
                    yield _event(line, path, number)
    except OSError as error:
        raise InvalidFile(f"cannot read the journal {path}: {error.strerror}") from None


def _event(line: bytes, path: str | Path, number: int) -> Event:
    try:
        return decode(_parse(line.decode("utf-8-sig" if number == 1 else "utf-8")))
    except (ValueError, RecursionError) as error:
        raise InvalidFile(f"{path}, line {number} is not a line of a journal: {error}") from None


def _parse(line: str) -> Any:
    """`json.loads`, with less around it."""
    value, end = _DECODER.raw_decode(line)
    return value if line[end:] == "\n" else json.loads(line)


def write_journal(path: str | Path, events: Iterable[Event]) -> None:
    """Write the file whole: a reader sees the old one or the new one, never a part."""
    target = Path(path)
    handle, name = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.writelines(map(to_line, events))
            file.flush()
            os.fsync(file.fileno())
        os.replace(name, target)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
