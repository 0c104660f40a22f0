"""A program as a judge: it reads a question as a line of JSON and prints its answer."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import signal
import subprocess
from contextlib import suppress

from nextpair.errors import InvalidSetting, JudgeFailed, reason
from nextpair.judging.places import Put

SHOWN = 200  # letters of what a program printed that a message repeats
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
            raise InvalidSetting(f"no program {name!r} is found: check the spelling, or give its whole path")
        self.timeout = timeout
        self._running: set[subprocess.Popen[str]] = set()

    def __call__(self, question: Put) -> str:
        told = json.dumps({name: getattr(question, name) for name in TOLD if hasattr(question, name)})
        out, err, code = self._run(told + "\n")
        if code:
            raise JudgeFailed(f"it ended with exit code {code}{_last_words(err)}")
        lines = out.strip().splitlines()
        if not lines:
            raise JudgeFailed(f"it printed no answer{_last_words(err)}")
        return lines[-1].strip().lower()

    def stop(self) -> None:
        """End what is still running."""
        for process in tuple(self._running):
            _kill(process)

    def _run(self, told: str) -> tuple[str, str, int]:
        pipe = subprocess.PIPE
        try:
            # a session of its own: Ctrl-C is for nextpair, which lets judges finish what is paid for
            process = subprocess.Popen(
                self.words,
                stdin=pipe,
                stdout=pipe,
                stderr=pipe,
                encoding="utf-8",
                errors="replace",
                start_new_session=True,
            )
        except OSError as error:
            raise JudgeFailed(f"it cannot be run: {reason(error)}") from None
        self._running.add(process)
        try:
            out, err = process.communicate(told, self.timeout)
        except subprocess.TimeoutExpired:
            _kill(process)
            process.communicate()
            raise JudgeFailed(f"it did not answer within {self.timeout:g} seconds") from None
        finally:
            self._running.discard(process)
        return out, err, process.returncode


def _kill(process: subprocess.Popen[str]) -> None:
    """End a program and those that it has started."""
    with suppress(ProcessLookupError, PermissionError):
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()


def _last_words(err: str) -> str:
    lines = err.strip().splitlines()
    return f": {lines[-1][:SHOWN]}" if lines else ""
