"""Telling on standard error how far a long command is, and nothing at all when it is quick."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from threading import Lock, Timer
from time import monotonic
from types import TracebackType
from typing import Self

import click

QUIET = 2.0  # seconds before anything is said
BETWEEN = 2.0  # seconds between two plain lines


class Patience:
    """A bar on a terminal, a plain line now and then anywhere else; both on standard error."""

    def __init__(self) -> None:
        self._next = monotonic() + QUIET
        self._bar: _Bar | None = None
        self._telling = Lock()  # of the command, and of what happens meanwhile

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.stop()

    def tell(self, doing: str, share: float | None = None) -> None:
        """What is going on, and which share of it is done where that is known."""
        with self._telling:
            if monotonic() < self._next:
                return
            if sys.stderr.isatty():
                self._bar = self._bar or _Bar()
                self._bar.show(doing, share)
            else:
                self._next = monotonic() + BETWEEN
                click.echo(f"nextpair: {doing}{'' if share is None else f' {share:.0%}'}", err=True)

    def note(self, words: str) -> None:
        """What is odd, said at once."""
        click.echo(f"nextpair: {words}", err=True)

    @contextmanager
    def meanwhile(self, doing: str) -> Iterator[None]:
        """Around what cannot tell how far it is: whoever waits for longer than usual is told what for, once."""
        notice = Timer(BETWEEN, self.tell, [doing])
        notice.daemon = True
        notice.start()
        try:
            yield
        finally:
            notice.cancel()

    def first_use(self) -> AbstractContextManager[None]:
        """Around the first call of compiled code."""
        return self.meanwhile("compiling the engine: this happens once and takes ten seconds or more")


@contextmanager
def patiently(doing: str) -> Iterator[None]:
    """Around all that a command does before it prints."""
    with Patience() as patience, patience.meanwhile(doing):
        yield


def compile_for(policy: str) -> None:
    """The first answer of an installation takes long: say so, before a bar stands still for it."""
    from nextpair.campaign.campaign import Campaign

    with Patience() as patience, patience.first_use():
        campaign = Campaign(["a", "b", "c"], ["w"], policy=policy)
        campaign.tell(campaign.ask().id, "left")
        campaign.ask()
        campaign.expected_accuracy()


class _Bar:
    def __init__(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeElapsedColumn

        self._progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            TextColumn("{task.fields[done]}"),
            TimeElapsedColumn(),
            console=Console(stderr=True),
            transient=True,
        )
        self._task: TaskID | None = None

    def show(self, doing: str, share: float | None) -> None:
        if self._task is None:
            self._task = self._progress.add_task(doing, total=1.0, done="")
            self._progress.start()
        done = "" if share is None else f"{share:4.0%}"
        self._progress.update(
            self._task, description=doing, total=None if share is None else 1.0, completed=share or 0.0, done=done
        )

    def stop(self) -> None:
        self._progress.stop()
