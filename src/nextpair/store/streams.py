"""Opening what a user names (a path, `-`, gzip or not) and writing without ever leaving half a file."""

from __future__ import annotations

import gzip
import io
import os
import shutil
import stat
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from nextpair.errors import InvalidFile, reason

# how files begin that are often passed by mistake, and what to do about each
STRANGERS = {
    b"\xff\xfe": "UTF-16 text: save it as CSV in UTF-8",
    b"\xfe\xff": "UTF-16 text: save it as CSV in UTF-8",
    b"PK\x03\x04": "a zip archive or a spreadsheet: save the table as CSV in UTF-8",
    b"PAR1": "a Parquet file: write the table as CSV in UTF-8",
}


class CountedReader(io.RawIOBase):
    """A stream that knows how many bytes were taken from it, which a pipe cannot tell."""

    def __init__(self, source: BinaryIO) -> None:
        self._source = source
        self.taken = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        # a pipe may hand out its first byte alone; whoever looks at how the stream begins needs a few
        least = 4 if self.taken == 0 else 1
        got = 0
        while got < min(least, len(buffer)):
            chunk = self._source.read1(len(buffer) - got)  # type: ignore[attr-defined]
            if not chunk:
                break
            buffer[got : got + len(chunk)] = chunk
            got += len(chunk)
        self.taken += got
        return got


@dataclass(frozen=True)
class Source:
    """An open input: its name for messages, its (unpacked) bytes, and how far along it is."""

    name: str
    stream: BinaryIO
    size: int | None  # None where it cannot be known
    counted: CountedReader

    @property
    def share(self) -> float | None:
        """The share that has been read, where the size is known."""
        return min(1.0, self.counted.taken / self.size) if self.size else None


def refuse_stranger(name: str, head: bytes) -> None:
    """An error for a file that begins as no table does, but one that is often passed by mistake."""
    for magic, advice in STRANGERS.items():
        if head.startswith(magic):
            raise InvalidFile(f"{name} is {advice}")


@contextmanager
def open_source(path: str) -> Iterator[Source]:
    """Open a path for reading, `-` being standard input. Gzip is known by its first bytes, not by its name."""
    name = "standard input" if path == "-" else path
    with _open(path) as binary:
        counted = CountedReader(binary)
        buffered = io.BufferedReader(counted, 1 << 18)
        head = buffered.peek(4)[:4]
        refuse_stranger(name, head)
        packed = head.startswith(b"\x1f\x8b")
        stream: BinaryIO = gzip.GzipFile(fileobj=buffered) if packed else buffered  # type: ignore[assignment]
        try:
            yield Source(name, stream, _size(binary), counted)
        except (EOFError, gzip.BadGzipFile, zlib.error) as error:
            raise InvalidFile(f"{name} is a gzip file that is damaged or cut short ({error}): get it again") from error


@contextmanager
def _open(path: str) -> Iterator[BinaryIO]:
    if path == "-":
        if sys.stdin is None:
            raise InvalidFile("standard input is closed: give it a file, or name one")
        yield sys.stdin.buffer
        return
    try:
        binary = open(path, "rb")  # noqa: SIM115 - closed below; opened here so that only its errors are caught
    except (OSError, ValueError) as error:
        raise InvalidFile(f"cannot read {path}: {reason(error)}") from error
    with binary:
        yield binary


def _size(binary: BinaryIO) -> int | None:
    try:
        status = os.fstat(binary.fileno())
    except (OSError, ValueError):
        return None
    return status.st_size if stat.S_ISREG(status.st_mode) else None


def write_atomically(path: str | os.PathLike[str], what: str | bytes) -> None:
    """Replace the file by a text in UTF-8 or by bytes, all or nothing. A device or a pipe is written to as it is."""
    target = Path(os.path.realpath(path))
    try:
        data = what.encode("utf-8") if isinstance(what, str) else what
        if target.exists() and not target.is_file():
            target.write_bytes(data)
            return
        draft = target.with_name(f".{target.name[:100]}.{os.getpid()}.draft")
        try:
            with open(draft, "xb") as out:
                out.write(data)
                out.flush()
                os.fsync(out.fileno())
            if target.exists():
                shutil.copymode(target, draft)
            os.replace(draft, target)
        except BaseException:
            with suppress(OSError):
                draft.unlink()
            raise
    except (OSError, ValueError) as error:
        raise InvalidFile(f"cannot write {path}: {reason(error)}") from error
