"""The journal as a file: one JSON object a line, the first of them `Created`; locked by whoever appends to it."""

from __future__ import annotations

import json
import os
import stat
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from shlex import quote
from typing import IO, Any

from nextpair.campaign.events import Event, decode, encode
from nextpair.errors import InvalidFile, InvalidSetting, reason

_DECODER = json.JSONDecoder()
_ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))  # `json.dumps` would make one for each line
_BLOCK = 1 << 16
_BEGINNING = b'{"event":"Created"'
_LOCKS = threading.local()


def _refuse_no_path(path: object) -> None:
    """To `open`, 0 would be standard input, which it closes in the end, and True standard output."""
    if not isinstance(path, str | os.PathLike) or isinstance(os.fspath(path), bytes):
        raise InvalidSetting(f"a journal is named by its path, as text or a Path, not by {path!r}")


def to_line(event: Event) -> str:
    return _ENCODER.encode(encode(event)) + "\n"


def read_journal(path: str | Path) -> Iterator[Event]:
    """The events of a journal file.

    A part of a last line is what a killed process leaves behind: it was never acknowledged and is passed over.
    So is the mark that some editors put before the first line.
    """
    _refuse_no_path(path)
    try:
        file = open(path, "rb")  # noqa: SIM115 - closed below; a ValueError of opening is no journal's
    except (OSError, ValueError) as error:
        raise InvalidFile(f"cannot read the journal {path}: {reason(error)}") from None
    with file:
        try:
            for number, line in enumerate(file, start=1):
                whole = line.endswith(b"\n") or _lacks_only_its_end(line)
                if whole or (number == 1 and not _begins_a_journal(line)):  # then it says why it is none
                    yield _event(line, path, number)
        except OSError as error:
            raise InvalidFile(f"cannot read the journal {path}: {reason(error)}") from None


def _lacks_only_its_end(line: bytes) -> bool:
    """Whether a last line is whole, as editors and scripts leave one: no part of an event is an object by itself."""
    try:
        return isinstance(json.loads(line), dict)
    except (ValueError, RecursionError):
        return False


def _begins_a_journal(line: bytes) -> bool:
    """Whether a part of a first line may be what an interrupted start left. Of another file nobody must hear it is."""
    return line.startswith(_BEGINNING[: len(line)])


def _event(line: bytes, path: str | Path, number: int) -> Event:
    try:
        return decode(_parse(line.decode("utf-8-sig" if number == 1 else "utf-8")))
    except json.JSONDecodeError as error:
        raise InvalidFile(f"{path}, line {number} is not a line of a journal: {_fault(error, path, number)}") from None
    except UnicodeDecodeError:
        todo = "unpack it if it is packed, or save it as text in UTF-8"
        raise InvalidFile(f"{path}, line {number} is not a line of a journal, for it is not UTF-8: {todo}") from None
    except (ValueError, RecursionError) as error:
        raise InvalidFile(f"{path}, line {number} is not a line of a journal: {error}") from None


def _fault(error: json.JSONDecodeError, path: str | Path, number: int) -> str:
    if not error.doc.strip():
        return "it is empty: take it out"
    if error.pos > 0:
        return f"{error.msg} at character {error.pos + 1}"
    begins = f"it begins {error.doc.strip()[:40]!a}"
    if number > 1:
        return begins
    todo = f"make a journal of it first: nextpair start NEW.journal --answers {quote(str(path))}"
    return f"{begins}. If it is a file of answers, use nextpair rank, or {todo}"


def _parse(line: str) -> Any:
    """`json.loads`, with less around it."""
    value, end = _DECODER.raw_decode(line)
    return value if line[end:] == "\n" else json.loads(line)


def save_journal(path: str | Path, events: Sequence[Event]) -> None:
    """Bring a file up to these events: a new one gets them all, and one that holds the first of them gets the rest."""
    try:
        create_journal(path, events)
    except FileExistsError:
        with locked(path) as file:
            append(file, events[_known(path, events) :], path)


def _known(path: str | Path, events: Sequence[Event]) -> int:
    """How many of these events the file holds. What else it holds is somebody's work, and must not be lost."""
    known = 0
    for event in read_journal(path):
        if known == len(events) or event != events[known]:
            raise InvalidFile(
                f"{path} was changed since it was loaded, or is another campaign's: from line {known + 1} on it holds "
                f"what this campaign does not. Load it again and repeat what you did, or save under another name"
            )
        known += 1
    if not known and os.path.getsize(path):
        raise InvalidFile(f"{path} is not a journal: save under another name")
    return known


def create_journal(path: str | Path, events: Sequence[Event]) -> None:
    """Write a new journal: it is there whole, on the disk, or not at all. Raises FileExistsError where there is a file.

    A killed process leaves a draft beside it at most: the first lines of a journal would be read as a shorter campaign.
    """
    _refuse_no_path(path)
    if os.path.lexists(path):
        raise FileExistsError
    draft = Path(path).parent / f".{Path(path).name[:40]}.{os.urandom(6).hex()}.draft"
    try:
        with open(draft, "x+b", buffering=0) as file:
            append(file, events, path)
        _give_name(draft, path)
        _settle(draft.parent)
    except (FileExistsError, InvalidFile):
        raise
    except (OSError, ValueError) as error:
        raise InvalidFile(f"cannot write the journal {path}: {reason(error)}") from None
    finally:
        with suppress(OSError, ValueError):
            draft.unlink()


def _give_name(draft: Path, path: str | Path) -> None:
    """Call the draft by the journal's name. Raises FileExistsError where there is a file."""
    try:
        os.link(draft, path)
    except FileExistsError:
        raise
    except OSError:  # this file system knows no links: take the name with an empty file, and put the draft in its place
        with open(path, "xb") as file:
            _lock(file)
            if os.fstat(file.fileno()).st_size:
                raise FileExistsError from None  # someone saved to it before it was locked
            os.replace(draft, path)


def _settle(folder: Path) -> None:
    """Bring a new name in a folder to the disk, where the system can do that."""
    with suppress(OSError):
        known = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(known)
        finally:
            os.close(known)


@contextmanager
def locked(path: str | Path) -> Iterator[IO[bytes]]:
    """The journal file, open for `append` and locked against other processes (not on Windows, which has no flock)."""
    while True:
        with _open(path) as file:
            known = os.fstat(file.fileno())
            if not stat.S_ISREG(known.st_mode):
                raise InvalidFile(f"cannot open the journal {path}: it is not a plain file")
            if (known.st_dev, known.st_ino) in _held():
                raise InvalidFile(f"{path} is being changed by this very program: it is saved when that is done")
            _lock(file)
            if _still_there(file, path):
                _held().add((known.st_dev, known.st_ino))
                try:
                    yield file
                finally:
                    _held().discard((known.st_dev, known.st_ino))
                    _unlock(file)
                return


def _held() -> set[tuple[int, int]]:
    """The files that this thread has locked: to wait for its own lock would be to wait for ever."""
    if not hasattr(_LOCKS, "held"):
        _LOCKS.held = set()
    held: set[tuple[int, int]] = _LOCKS.held
    return held


def _open(path: str | Path) -> IO[bytes]:
    _refuse_no_path(path)
    try:
        return open(path, "r+b", buffering=0)
    except (OSError, ValueError) as error:
        raise InvalidFile(f"cannot open the journal {path}: {reason(error)}") from None


def _lock(file: IO[bytes]) -> None:
    with suppress(ModuleNotFoundError):
        import fcntl

        fcntl.flock(file, fcntl.LOCK_EX)


def _unlock(file: IO[bytes]) -> None:
    """Closing it is not enough: a process that was forked meanwhile has it open, too."""
    with suppress(ModuleNotFoundError):
        import fcntl

        fcntl.flock(file, fcntl.LOCK_UN)


def _still_there(file: IO[bytes], path: str | Path) -> bool:
    """Whether the path still names this file: while we waited for the lock it may have been replaced or removed."""
    try:
        return os.path.samestat(os.fstat(file.fileno()), os.stat(path))
    except FileNotFoundError:
        return False


def append(file: IO[bytes], events: Sequence[Event], path: str | Path) -> None:
    """Write events at the end of a locked file: all, and on the disk before this returns, or none.

    What a killed process left of its last line is cut off.
    """
    lines = "".join(map(to_line, events)).encode()
    end = _end_of_last_line(file)
    file.seek(end)
    if _lacks_only_its_end(tail := file.read()):
        lines, end = b"\n" + lines, end + len(tail)
    try:
        file.truncate(end)
        file.seek(end)
        while lines:
            lines = lines[file.write(lines) :]
        os.fsync(file.fileno())
    except BaseException as error:
        with suppress(OSError):
            file.truncate(end)
        if isinstance(error, OSError):
            raise InvalidFile(
                f"cannot write the journal {path}: {reason(error)}. Nothing was written: put that right and try again"
            ) from None
        raise


def _end_of_last_line(file: IO[bytes]) -> int:
    end = file.seek(0, os.SEEK_END)
    while end:
        begin = max(0, end - _BLOCK)
        file.seek(begin)
        found = file.read(end - begin).rfind(b"\n")
        if found >= 0:
            return begin + found + 1
        end = begin
    return 0
