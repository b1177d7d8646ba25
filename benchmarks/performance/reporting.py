"""Reports of two finished runs of 2,000, 20,000 and 100,000 items, beside a bare loop over the same files."""

import sys

from processes import HERE, median, run
from scoring import MODELS, finished, made
from sections import AUDIOMETRY, Row, Settings

SIZES = (2000, 20_000, 100_000)
WRITTEN_S = {2000: 1.0, 20_000: 4.0, 100_000: 15.0}
AN_ITEM_KB = 0.5


def reporting(settings: Settings) -> list[Row]:
    """Seconds of whole commands, and how much memory an item takes more; medians, and the best time."""
    rows, least = [], 0.0
    for n in SIZES:
        benchmark = made(settings.cache / f"scoring-{n}", n)
        runs = [finished(benchmark, model) for model in MODELS]
        page = settings.cache / f"reporting-{n}.html"
        commands = {
            "bare loop": [sys.executable, HERE / "bare_reporting.py", benchmark, *runs, page.with_suffix(".bare")],
            "report": [AUDIOMETRY, "report", *runs, "-o", page],
        }
        found: dict[str, list[dict[str, float]]] = {name: [] for name in commands}
        for _ in range(settings.repeats):
            for name, command in commands.items():
                used = run(command)
                found[name].append({"wall_s": used.wall_s, "cpu_s": used.cpu_s, "peak_mb": used.peak_mb})
        for name, uses in found.items():
            middle, goal = median(uses), WRITTEN_S[n] if name == "report" else None
            rows.append(Row(f"{n:,} items: {name}", middle["wall_s"], "s"))
            rows.append(Row(f"{n:,} items: {name}, the fastest", min(one["wall_s"] for one in uses), "s", goal))
            rows.append(Row(f"{n:,} items: {name}, CPU", middle["cpu_s"], "s"))
            rows.append(Row(f"{n:,} items: {name}, peak memory", middle["peak_mb"], "MB"))
        ours, bare = (median(found[name]) for name in ("report", "bare loop"))
        rows.append(Row(f"{n:,} items: report / bare loop, CPU", ours["cpu_s"] / bare["cpu_s"], ""))
        if n == SIZES[0]:
            least = ours["peak_mb"]
        else:
            kb = 1000 * (ours["peak_mb"] - least) / (n - SIZES[0])
            rows.append(Row(f"{n:,} items: memory of each, from {SIZES[0]:,} items on", kb, "kB", AN_ITEM_KB))
    return rows
