"""Where the time of a request goes: what its Server-Timing header tells."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

Spans = dict[str, float]  # name -> seconds
_spans: ContextVar[Spans | None] = ContextVar("spans", default=None)


def collect() -> Spans:
    """The spans of the request that begins here; a thread that works for it adds to the same ones."""
    spans: Spans = {}
    _spans.set(spans)
    return spans


@contextmanager
def span(name: str) -> Iterator[None]:
    """Count the time of this block: `queue` (waiting for others), `database` or `choose`."""
    started = time.perf_counter()
    try:
        yield
    finally:
        spans = _spans.get()
        if spans is not None:
            spans[name] = spans.get(name, 0.0) + time.perf_counter() - started


def header(spans: Spans) -> str:
    """The spans in milliseconds, as browsers and the bench read them."""
    return ", ".join(f"{name};dur={1000 * seconds:.2f}" for name, seconds in spans.items())
