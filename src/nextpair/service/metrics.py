"""Counts and latencies of this process, in the text format that Prometheus reads. No names, no tokens, no answers."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, defaultdict

_BOUNDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5)


class Metrics:
    """What one server process has served."""

    def __init__(self) -> None:
        self.requests: Counter[tuple[str, str, int]] = Counter()
        self._buckets: dict[tuple[str, str], list[int]] = defaultdict(lambda: [0] * (len(_BOUNDS) + 1))
        self._seconds: Counter[tuple[str, str]] = Counter()

    def observe(self, method: str, route: str, status: int, seconds: float) -> None:
        self.requests[method, route, status] += 1
        self._buckets[method, route][bisect_left(_BOUNDS, seconds)] += 1
        self._seconds[method, route] += seconds  # type: ignore[assignment]

    def render(self) -> str:
        lines = ["# TYPE nextpair_requests_total counter"]
        for (method, route, status), count in sorted(self.requests.items()):
            lines.append(f'nextpair_requests_total{{method="{method}",route="{route}",status="{status}"}} {count}')
        lines.append("# TYPE nextpair_request_seconds histogram")
        for (method, route), buckets in sorted(self._buckets.items()):
            labels, total = f'method="{method}",route="{route}"', 0
            for bound, count in zip((*_BOUNDS, "+Inf"), buckets, strict=True):
                total += count
                lines.append(f'nextpair_request_seconds_bucket{{{labels},le="{bound}"}} {total}')
            lines.append(f"nextpair_request_seconds_sum{{{labels}}} {self._seconds[method, route]:.6f}")
            lines.append(f"nextpair_request_seconds_count{{{labels}}} {total}")
        return "\n".join(lines) + "\n"
