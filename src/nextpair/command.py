"""How every command begins and ends: with a place for compiled code, and one line and an exit code for an error.

That nobody reads standard output any more, as in `nextpair show … | head`, is no error.
"""

from __future__ import annotations

import codecs
import errno
import io
import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import click

from nextpair.compiled import keep_compiled
from nextpair.errors import NextpairError, NothingToAsk, reason

FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
STEERING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")  # a name in a message must not
PLAIN = {"─": "-", "●": "o", "–": "-", "…": "~"}  # what tables are drawn with, where it cannot be shown


def run(command: click.Command) -> None:
    """Run a command with the words of the command line."""
    _fill_closed_streams()
    keep_compiled(lambda words: click.echo(f"nextpair: {words}", err=True))
    _print_what_can_be_shown()
    printed_to = sys.stdout
    try:
        command(standalone_mode=True)
    except NextpairError as error:
        click.echo(f"nextpair: {plain(str(error))}", err=True)
        sys.exit(3 if isinstance(error, NothingToAsk) else 1)
    except ModuleNotFoundError as error:  # the lab and the service have parts that a small install lacks
        if (error.name or "").partition(".")[0] == "nextpair":
            raise
        click.echo(f"nextpair: this needs the package {error.name}: pip install 'nextpair[all]'", err=True)
        sys.exit(1)
    except MemoryError:
        click.echo("nextpair: this takes more memory than there is: fewer items or answers take less", err=True)
        sys.exit(1)
    except SystemError as error:
        if not is_interrupt(error):
            raise
        click.echo("\nAborted!", err=True)  # as click says it
        sys.exit(1)
    except SystemExit:
        if (
            sys.stdout is printed_to or not _is_unread()
        ):  # click puts another in its place where a pipe broke, and says 1
            raise
        print_no_more()
        sys.exit(0)
    except OSError as error:  # of printing: who writes a file says which
        if error.filename is not None or error.errno not in FULL:
            raise
        print_no_more()
        click.echo(f"nextpair: cannot print: {reason(error)}", err=True)
        sys.exit(1)


def _fill_closed_streams() -> None:
    """Where standard output or error is closed, nobody reads; but a file opened next would be in its place."""
    for name in ("stdin", "stdout", "stderr"):
        if getattr(sys, name) is not None:
            continue
        nothing = os.open(os.devnull, os.O_RDWR)  # the lowest number that is free: that of what is closed
        os.set_inheritable(nothing, True)  # as streams are, by processes that share the work
        if name != "stdin":  # of which whoever would read it says that it is closed
            setattr(sys, name, open(nothing, "w", encoding="utf-8", errors="replace"))  # noqa: SIM115


def plain(words: str) -> str:
    """Words from elsewhere, with what would steer a terminal told as an escape."""
    return STEERING.sub(_escaped, words)


def _escaped(found: re.Match[str]) -> str:
    return repr(found[0])[1:-1]


def is_interrupt(error: BaseException | None) -> bool:
    """Whether someone pressed Ctrl-C: amid compiled code, numba makes a SystemError of it, and another of that."""
    return isinstance(error, KeyboardInterrupt) or (isinstance(error, SystemError) and is_interrupt(error.__cause__))


def speaks_unicode() -> bool:
    """Whether standard output takes every letter. On Windows a pipe or a file often does not."""
    return (getattr(sys.stdout, "encoding", None) or "").lower().startswith("utf")


def print_no_more() -> None:
    """Let go of what standard output did not take: the last flush, at exit, must not fail again."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


@contextmanager
def whether_or_not_it_is_read() -> Iterator[None]:
    """Around the printing of what comes before more to do: if nobody reads any more (`| head`), that is still done."""
    try:
        yield
        sys.stdout.flush()
    except BrokenPipeError:
        print_no_more()


def _is_unread() -> bool:
    """Whether it is standard output that broke, and no other pipe: that of a program, or of a database."""
    try:
        os.write(sys.stdout.fileno(), b"\n")
    except OSError:
        return True
    return False


def _print_what_can_be_shown() -> None:
    """Where standard output cannot hold a letter, print an escape, or a plainer one, instead of giving up."""
    codecs.register_error("nextpair", _more_plainly)
    if isinstance(sys.stdout, io.TextIOWrapper) and not speaks_unicode():
        sys.stdout.reconfigure(errors="nextpair")


def _more_plainly(error: UnicodeError) -> tuple[str, int]:
    assert isinstance(error, UnicodeEncodeError)
    letters = error.object[error.start : error.end]
    plain = (PLAIN.get(letter, letter.encode("ascii", "backslashreplace").decode()) for letter in letters)
    return "".join(plain), error.end
