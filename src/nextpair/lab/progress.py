"""How far a run is and what is left, on standard error, once it takes more than two seconds."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any, TextIO

from nextpair.extras import require

QUIET_SECONDS = 2.0
LINE_SECONDS = 10.0  # how often a line is written where nothing can be overwritten


def in_words(seconds: float) -> str:
    """A duration for people: 45 s, 12 min, 3 h 20 min."""
    if seconds < 90:
        return f"{max(1, round(seconds))} s"
    minutes = round(seconds / 60)
    if minutes < 90:
        return f"{minutes} min"
    return f"{minutes // 60} h {minutes % 60} min"


class Progress:
    """Counts what is finished: trials, unless `what` says otherwise."""

    def __init__(self, name: str, total: int, done: int = 0, *, what: str = "trials", stream: TextIO | None = None,
                 clock: Callable[[], float] = time.monotonic) -> None:  # fmt: skip
        self._name, self._total, self._done, self._kept, self._what = name, total, done, done, what
        self._stream = stream or sys.stderr
        self._clock = clock
        self._start = self._last = clock()
        self._shown = False

    def advance(self, count: int) -> None:
        self._done += count
        now = self._clock()
        if now - self._start < QUIET_SECONDS:
            return
        live = self._stream.isatty()
        if live or not self._shown or now - self._last >= LINE_SECONDS:
            self._last, self._shown = now, True
            self._stream.write(f"\r\x1b[K{self.text(now)}" if live else f"{self.text(now)}\n")
            self._stream.flush()

    def text(self, now: float) -> str:
        fresh = self._done - self._kept
        left = (now - self._start) / fresh * (self._total - self._done) if fresh else 0.0
        return f"{self._name}: {self._done} of {self._total} {self._what}, about {in_words(left)} left"

    def close(self) -> None:
        if self._shown and self._stream.isatty():
            self._stream.write("\r\x1b[K")
            self._stream.flush()


def all_of(
    name: str, call: Callable[..., Any], given: Iterable[tuple[Any, ...]], jobs: int, *, what: str = "trials"
) -> list[Any]:
    """What `call` gives for each of these arguments, in their order, on so many processes, telling how far it is."""
    tasks = list(given)
    progress, found = Progress(name, len(tasks), what=what), []
    for one in (call(*arguments) for arguments in tasks) if jobs == 1 else _side_by_side(call, tasks, jobs):
        found.append(one)
        progress.advance(1)
    progress.close()
    return found


def _side_by_side(call: Callable[..., Any], given: Iterable[tuple[Any, ...]], jobs: int) -> Iterator[Any]:
    require("joblib", "more than one process (--jobs)")
    from joblib import Parallel, delayed

    return iter(Parallel(n_jobs=jobs, return_as="generator")(delayed(call)(*arguments) for arguments in given))
