"""What a run of the bench tells: load, latencies and where they come from, faults, and what was lost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from nextpair.service.bench.load import Seen


@dataclass(frozen=True)
class Latency:
    """Milliseconds: half of all were faster, and 99 of 100."""

    p50: float
    p99: float
    n: int

    @classmethod
    def of(cls, seconds: list[float]) -> Self:
        if not seconds:
            return cls(float("nan"), float("nan"), 0)
        p50, p99 = np.percentile(np.array(seconds) * 1000, [50, 99])
        return cls(float(p50), float(p99), len(seconds))


@dataclass(frozen=True)
class Split:
    """The time that a request took its worker, and its parts: network (with HTTP on both sides), database, and us.

    Of ours, `choosing` is the engine's and `waiting` is for other requests to the same campaign.
    """

    seen: Latency
    network: Latency
    database: Latency
    ours: Latency
    choosing: Latency
    waiting: Latency

    @classmethod
    def of(cls, requests: list[Seen]) -> Self:
        def part(name: str) -> list[float]:
            return [spans.get(name, 0.0) for _, spans in requests]

        return cls(
            Latency.of([seconds for seconds, _ in requests]),
            Latency.of([seconds - spans.get("total", 0.0) for seconds, spans in requests]),
            Latency.of(part("database")),
            Latency.of([spans.get("total", 0.0) - spans.get("database", 0.0) for _, spans in requests]),
            Latency.of(part("choose")),
            Latency.of(part("queue")),
        )


@dataclass(frozen=True)
class Report:
    """What was done and what came of it. `lost` is empty when everything held."""

    seconds: float
    answers: int
    spent: float
    budget: float
    faults: dict[str, int]
    kills: int
    question: Split  # of workers on this machine
    answer: Split
    far_question: Split  # of workers a network away, if there are any
    far_answer: Split
    read: Latency  # bare round trips to the database
    append: Latency
    lost: list[str]
