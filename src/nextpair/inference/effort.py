"""What the full posterior of a set of comparisons takes, so that `auto` takes it wherever nobody has to wait long."""

from __future__ import annotations

from math import sqrt

from nextpair.core.comparisons import Comparisons, answers_by_worker
from nextpair.core.kernels.vouch import gave_many

# seconds of one sweep, on one core of an ordinary machine
AN_ANSWER = 0.22e-6
A_WORKERS_ANSWER = 0.35e-6
A_WORKER = 2.5e-6
AN_ANSWER_ADDED = 0.04e-6  # to the precision of the scores
AN_INVERSION = 0.15e-9  # times the cube of the number of items
WITH_TIES = 1.8  # times as long does an answer take where ties were called
BY_HOW_MUCH = 0.8e-6  # more of an answer, where some say by how much
SWEEPS_BY_HOW_MUCH = (45, 60)  # and so many sweeps at least, without workers and with them
CLAIMS = 0.2e-9  # once, times items squared times workers


def expected_seconds(told: Comparisons) -> float:
    """How long the full posterior of these comparisons takes, within a factor of two for most."""
    n, cube, m = len(told), float(told.n_items) ** 3, told.n_workers
    rebuilt = n * AN_ANSWER_ADDED + cube * AN_INVERSION
    matched = n * (WITH_TIES if told.ties.any() else 1.0)
    saying = bool(told.much.any())
    added = n * BY_HOW_MUCH if saying else 0.0
    sparse = told.n_items / max(n, 1)  # where answers are few, how far apart items are takes long to settle
    if not m:
        sweeps = max(12 + min(30, 150 * sparse), saying * SWEEPS_BY_HOW_MUCH[0])
        return sweeps * (matched * AN_ANSWER + added + rebuilt)
    heavy = int(gave_many(answers_by_worker(told.workers, m), n).sum())  # scores are rebuilt without each half of these
    sweeps = min(30 if heavy else 60, 10 + 2 * sqrt(n / m)) + (0 if heavy else min(60, 600 * sparse))
    sweeps = max(sweeps, saying * SWEEPS_BY_HOW_MUCH[1])
    sweep = added + matched * A_WORKERS_ANSWER + m * A_WORKER + (1 + 2 * heavy) * rebuilt
    return sweeps * sweep + CLAIMS * told.n_items**2 * m
