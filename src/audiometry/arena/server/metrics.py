"""Counts of what the server did, in the text format of Prometheus. None is by model: that would unblind."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping
from typing import Final

BUCKETS: Final = (0.01, 0.025, 0.05, 0.1, 0.2, 0.5, 1.0, 2.5, 10.0, 30.0)
"""Upper ends of the histogram of how long requests take, seconds."""
_PREFIX: Final = "audiometry_arena_"


class Metrics:
    """Counters, a histogram of request times, and gauges that are read when they are asked for."""

    def __init__(self) -> None:
        self._counts: dict[str, Counter[tuple[tuple[str, str], ...]]] = defaultdict(Counter)
        self._times: dict[str, list[int]] = defaultdict(lambda: [0] * (len(BUCKETS) + 1))
        self._seconds: Counter[str] = Counter()

    def count(self, name: str, **labels: object) -> None:
        """Something happened; ``votes`` becomes ``audiometry_arena_votes_total``."""
        self._counts[name][tuple((key, str(value)) for key, value in sorted(labels.items()))] += 1

    def took(self, route: str, seconds: float) -> None:
        """A request was answered."""
        self._times[route][sum(seconds > end for end in BUCKETS)] += 1
        self._seconds[route] += seconds  # type: ignore[assignment]  # a Counter of floats

    def text(self, gauges: Mapping[str, Callable[[], float]]) -> str:
        """All of it."""
        lines = []
        for name, counts in sorted(self._counts.items()):
            lines.append(f"# TYPE {_PREFIX}{name}_total counter")
            lines += [f"{_PREFIX}{name}_total{_labelled(dict(labels))} {n}" for labels, n in sorted(counts.items())]
        for name, value in sorted(gauges.items()):
            lines += [f"# TYPE {_PREFIX}{name} gauge", f"{_PREFIX}{name} {value():g}"]
        lines.append(f"# TYPE {_PREFIX}request_seconds histogram")
        for route, times in sorted(self._times.items()):
            below = 0
            for end, n in zip((*BUCKETS, "+Inf"), times, strict=True):
                below += n
                lines.append(f"{_PREFIX}request_seconds_bucket{_labelled({'route': route, 'le': str(end)})} {below}")
            lines.append(f"{_PREFIX}request_seconds_sum{_labelled({'route': route})} {self._seconds[route]:.6f}")
            lines.append(f"{_PREFIX}request_seconds_count{_labelled({'route': route})} {below}")
        return "\n".join([*lines, ""])


def _labelled(labels: Mapping[str, str]) -> str:
    return "{" + ",".join(f'{name}="{value}"' for name, value in labels.items()) + "}" if labels else ""
