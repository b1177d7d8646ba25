"""What is measured: speed, start, resume, memory. Each gives rows: what, the number, the goal."""

import functools
import json
import shutil
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from processes import HERE, Mock, Used, folder_bytes, median, mock_server, run
from work import make_benchmark

AUDIOMETRY = Path(sys.executable).parent / "audiometry"
TINY_S = 0.1


@dataclass(frozen=True)
class Row:
    """One line of the table; ``goal`` is the most allowed, or the least if ``at_least``."""

    what: str
    value: float
    unit: str
    goal: float | None = None
    at_least: bool = False

    @property
    def met(self) -> bool | None:
        """Whether the goal is met; None where there is none."""
        if self.goal is None:
            return None
        return self.value >= self.goal if self.at_least else self.value <= self.goal


@dataclass(frozen=True)
class Settings:
    """How it is measured."""

    cache: Path
    items: int = 2000
    repeats: int = 5
    concurrency: tuple[int, ...] = (64, 256)
    delay_ms: float = 50.0
    many: int = 50_000
    long: int = 19_000
    clips: int = 100
    pairs: int = 100
    only_reference: bool = False


def run_command(benchmark: Path, mock: Mock, concurrency: int, folder: Path) -> list[str | Path]:
    """``audiometry run`` as a person would type it; it ends with the scored table."""
    model = ("--model", "openai/mock", "--base-url", mock.url)
    return [AUDIOMETRY, "run", benchmark, *model, *unprobed(), "--concurrency", str(concurrency), "-o", folder]


@functools.cache
def unprobed() -> tuple[str, ...]:
    """Where a run would first probe the model, not to: the mock's clock starts with the first request."""
    return ("--no-probe",) if "--no-probe" in run([AUDIOMETRY, "run", "--help"]).output else ()


def measured(command: Sequence[str | Path], mock: Mock, items: int) -> tuple[Used, dict[str, float]]:
    """Run a command that sends so many requests to the mock; the server's clock beside what the process used."""
    mock.reset()
    used = run(command, OPENAI_API_KEY="benchmark")
    told = mock.stats()
    if told["requests"] != items:
        sys.exit(f"{command[0]} sent {told['requests']} requests, not {items}")
    row = {
        "rate": told["items_per_s"],
        "cpu_ms": used.cpu_s / max(items, 1) * 1000,
        "cpu_s": used.cpu_s,
        "wall_s": used.wall_s,
        "peak_mb": used.peak_mb,
    }
    return used, row


def speed(settings: Settings) -> list[Row]:
    """Items a second on the server's clock beside the reference loops, in turn; CPU, time, memory, disk."""
    benchmark = make_benchmark(settings.cache, n_items=settings.items, seconds=5)
    found: dict[tuple[str, int], list[dict[str, float]]] = {}
    with mock_server(delay_ms=settings.delay_ms) as mock, tempfile.TemporaryDirectory() as scratch:
        for repeat in range(settings.repeats):
            for concurrency in settings.concurrency:
                for route in ("socket", "aiohttp"):
                    command = [sys.executable, HERE / "reference.py", benchmark, "--port", str(mock.port)]
                    command += ["--concurrency", str(concurrency), "--route", route]
                    _, row = measured(command, mock, settings.items)
                    found.setdefault((route, concurrency), []).append(row)
                if settings.only_reference:
                    continue
                folder = Path(scratch) / f"{repeat}-{concurrency}"
                _, row = measured(run_command(benchmark, mock, concurrency, folder), mock, settings.items)
                row["disk_kb"] = folder_bytes(folder) / settings.items / 1000
                found.setdefault(("audiometry", concurrency), []).append(row)
                shutil.rmtree(folder)
    return [row for c in settings.concurrency for row in speed_rows(found, c)]


SHARE_OF_REFERENCE = {64: 0.9, 256: 0.85}


def speed_rows(found: dict[tuple[str, int], list[dict[str, float]]], concurrency: int) -> list[Row]:
    """Medians; the ratio is the median of the ratios within each repeat, so a busy minute hits both sides."""
    at = f"{concurrency} in flight"
    rows = []
    for route, name in (("socket", "raw sockets"), ("aiohttp", "aiohttp loop"), ("audiometry", "audiometry run")):
        if (route, concurrency) in found:
            middle = median(found[route, concurrency])
            rows.append(Row(f"{at}: {name}", middle["rate"], "items/s"))
            rows.append(Row(f"{at}: {name}, CPU of the whole process", middle["cpu_ms"], "ms/item"))
            rows.append(Row(f"{at}: {name}, peak memory", middle["peak_mb"], "MB"))
    if ("audiometry", concurrency) not in found:
        return rows
    ours, reference = found["audiometry", concurrency], found["aiohttp", concurrency]
    ratios = [{"ratio": a["rate"] / b["rate"]} for a, b in zip(ours, reference, strict=True)]
    goal = SHARE_OF_REFERENCE.get(concurrency)
    middle = median(ours)
    return [
        *rows[:-2],
        Row(f"{at}: audiometry run / aiohttp loop", median(ratios)["ratio"], "", goal, at_least=True),
        Row(f"{at}: audiometry run, CPU of the whole process", middle["cpu_ms"], "ms/item", 1.0),
        Row(f"{at}: audiometry run, start to scored table", middle["wall_s"], "s", 4.0),
        Row(f"{at}: audiometry run, peak memory", middle["peak_mb"], "MB", 120.0),
        Row(f"{at}: run folder", middle["disk_kb"], "kB/item", 0.5),
    ]


def start(settings: Settings) -> list[Row]:
    """Seconds until nothing much has happened."""
    python = Path(sys.executable)
    commands: dict[str, tuple[list[str | Path], float | None]] = {
        "python -c pass": ([python, "-c", "pass"], None),
        "python -c 'import numpy'": ([python, "-c", "import numpy"], None),
        "python -c 'import audiometry'": ([python, "-c", "import audiometry"], 0.10),
    }
    if not settings.only_reference:
        commands["audiometry --help"] = ([AUDIOMETRY, "--help"], 0.15)
        commands["audiometry run --help"] = ([AUDIOMETRY, "run", "--help"], 0.15)
    times: dict[str, list[dict[str, float]]] = {name: [] for name in commands}
    for _ in range(max(15, settings.repeats)):
        for name, (command, _) in commands.items():
            times[name].append({"s": run(command).wall_s})
    middle = {name: median(rows)["s"] for name, rows in times.items()}
    rows = [Row(name, middle[name], "s", goal) for name, (_, goal) in commands.items()]
    ratio = middle["python -c 'import audiometry'"] / middle["python -c 'import numpy'"]
    return [*rows, Row("import audiometry / import numpy", ratio, "")]


def resume(settings: Settings) -> list[Row]:
    """A finished run again, and its score again."""
    rows = []
    with mock_server(delay_ms=1) as mock, tempfile.TemporaryDirectory() as scratch:
        for items, goal in ((2000, 0.5), (settings.long, 2.0)):
            benchmark = make_benchmark(settings.cache, n_items=items, seconds=TINY_S)
            folder = Path(scratch) / str(items)
            command = run_command(benchmark, mock, 64, folder)
            measured(command, mock, items)
            again, scores = [], []
            for _ in range(settings.repeats):
                again.append(resumed(command, mock))
                scores.append(run([AUDIOMETRY, "score", folder, "--json"]))
            for name, uses in (("resume", again), ("score", scores)):
                what = f"{name} a finished run of {items:,} items"
                middle = median([{"wall_s": used.wall_s, "cpu_s": used.cpu_s} for used in uses])
                rows.append(Row(what, middle["wall_s"], "s", goal))
                rows.append(Row(f"{what}, CPU", middle["cpu_s"], "s"))
    return rows


def resumed(command: Sequence[str | Path], mock: Mock) -> Used:
    """Run again what is finished; nothing may be asked."""
    mock.reset()
    used = run(command, OPENAI_API_KEY="benchmark")
    asked = mock.stats()["requests"]
    if asked:
        sys.exit(f"resuming a finished run sent {asked} requests")
    return used


def memory(settings: Settings) -> list[Row]:
    """What each further item costs, with clips too short to matter."""
    peaks = {}
    with mock_server(delay_ms=5) as mock, tempfile.TemporaryDirectory() as scratch:
        for items in (2000, settings.many):
            benchmark = make_benchmark(settings.cache, n_items=items, seconds=TINY_S)
            folder = Path(scratch) / str(items)
            used, _ = measured(run_command(benchmark, mock, 64, folder), mock, items)
            peaks[items] = (used.peak_mb, run([AUDIOMETRY, "score", folder, "--json"]).peak_mb)
    rows = []
    for i, name in enumerate(("run", "score")):
        few, many = peaks[2000][i], peaks[settings.many][i]
        rows.append(Row(f"{name}: peak at 2,000 items", few, "MB", 120.0))
        rows.append(Row(f"{name}: peak at {settings.many:,} items", many, "MB"))
        each = (many - few) * 1024 / (settings.many - 2000)
        rows.append(Row(f"{name}: memory for each further item", each, "kB", 1.0))
    return rows


SECTIONS: dict[str, Callable[[Settings], list[Row]]] = {
    "speed": speed,
    "start": start,
    "resume": resume,
    "memory": memory,
}


def as_json(found: dict[str, list[Row]]) -> str:
    """All rows by section."""
    told = {
        section: [{"what": r.what, "value": r.value, "unit": r.unit, "goal": r.goal, "met": r.met} for r in rows]
        for section, rows in found.items()
    }
    return json.dumps(told, indent=2)
