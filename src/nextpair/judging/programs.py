"""A program as a judge: it reads a question as a line of JSON and prints its answer."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import signal
import subprocess
from contextlib import suppress
from tempfile import TemporaryFile
from threading import Thread
from typing import IO

from nextpair.errors import InvalidSetting, JudgeFailed, reason
from nextpair.judging.places import Put

SHOWN = 200  # letters of what a program printed that a message repeats
KEPT = 1 << 16  # bytes of what it printed that are looked at: the last ones
DRAIN = 2.0  # seconds in which what it printed is there, once it has ended
TOLD = ("id", "worker", "left", "right", "question", "by_how_much", "left_item", "right_item")


class Program:
    """Runs a command for each question. It is no shell: items are in the question only, never in the command."""

    def __init__(self, command: str, timeout: float) -> None:
        try:
            self.words = shlex.split(command)
        except ValueError as error:
            raise InvalidSetting(f"the command {command!r} cannot be read: {error}") from None
        if not self.words or shutil.which(self.words[0]) is None:
            name = self.words[0] if self.words else command
            todo = "check the spelling, or give its whole path"
            if os.path.isfile(name):
                todo = (
                    f"{name} is a file that cannot be run: make it executable, or say what runs it, as python3 {name}"
                )
            raise InvalidSetting(f"no program {name!r} is found: {todo}")
        if not timeout > 0:  # with nan, who hangs would be waited for for ever
            raise InvalidSetting(f"the seconds that an answer may take are a positive number, not {timeout!r}")
        self.timeout = timeout
        self._running: set[subprocess.Popen[bytes]] = set()
        self._stopped = False

    def __call__(self, question: Put) -> str:
        told = json.dumps({name: getattr(question, name) for name in TOLD if hasattr(question, name)})
        out, err, code = self._run(told + "\n")
        if code:
            raise JudgeFailed(f"it {_ending(code)}{_last_words(err)}")
        lines = out.strip().splitlines()
        if not lines:
            raise JudgeFailed(f"it printed no answer{_last_words(err)}")
        return lines[-1].strip().lower()

    def stop(self) -> None:
        """End what is still running, and what is only being started."""
        self._stopped = True
        for process in tuple(self._running):
            _kill(process)

    def _run(self, told: str) -> tuple[str, str, int]:
        pipe = subprocess.PIPE
        try:
            with TemporaryFile() as asked:  # and no pipe: a program need not read it
                asked.write(told.encode())
                asked.seek(0)
                # a session of its own: Ctrl-C is for nextpair, which lets judges finish what is paid for
                process = subprocess.Popen(self.words, stdin=asked, stdout=pipe, stderr=pipe, start_new_session=True)
        except OSError as error:
            raise JudgeFailed(f"it cannot be run: {reason(error)}") from None
        self._running.add(process)
        assert process.stdout is not None
        assert process.stderr is not None
        ends = _End(process.stdout), _End(process.stderr)
        try:
            if self._stopped:
                _kill(process)
            code = process.wait(self.timeout)
        except subprocess.TimeoutExpired:
            _kill(process)
            process.wait()
            raise JudgeFailed(f"it did not answer within {self.timeout:g} seconds") from None
        finally:
            self._running.discard(process)
        out, err = (end.text() for end in ends)
        return out, err, code


class _End(Thread):
    """The last of what a program prints, however much that is.

    It is not waited for: what the program has started, and left behind, may hold the stream open for ever.
    """

    def __init__(self, stream: IO[bytes]) -> None:
        super().__init__(daemon=True)
        self._stream, self._kept = stream, b""
        self.start()

    def run(self) -> None:
        with self._stream as stream:
            while printed := os.read(stream.fileno(), KEPT):
                self._kept = (self._kept + printed)[-KEPT:]

    def text(self) -> str:
        self.join(DRAIN)
        return self._kept.decode("utf-8", "replace")


def _kill(process: subprocess.Popen[bytes]) -> None:
    """End a program and those that it has started."""
    with suppress(ProcessLookupError, PermissionError):
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()


def _ending(code: int) -> str:
    """How a program ended that gave no answer: below 0 stands the signal that ended it."""
    if code > 0:
        return f"ended with exit code {code}"
    with suppress(ValueError):
        return f"was ended by the signal {signal.Signals(-code).name}"
    return f"was ended by the signal {-code}"


def _last_words(err: str) -> str:
    lines = err.strip().splitlines()
    return f": {lines[-1][:SHOWN]}" if lines else ""
