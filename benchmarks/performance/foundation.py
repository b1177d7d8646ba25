"""What AIR-Bench foundation takes at its full size: checked, planned, scored under every profile."""

import tempfile
from collections.abc import Sequence
from pathlib import Path

from processes import Used, median, run
from release import N_ROWS, make_release
from replies import write_replies
from sections import AUDIOMETRY, Row, Settings

BENCHMARK = "airbench/foundation"
FEWEST = 3


def foundation(settings: Settings) -> list[Row]:
    """Check by headers, plan, and score of a made release with as many rows, folders and formats as the real one."""
    if settings.only_reference:
        return []
    release = make_release(settings.cache)
    repeats = max(FEWEST, settings.repeats)
    data = (AUDIOMETRY, "{}", BENCHMARK, "--data", release)
    rows = []
    with tempfile.TemporaryDirectory() as scratch:
        check = ["check" if word == "{}" else word for word in data]
        rows += timed("check --headers", [*check, "--headers", "--json"], repeats, goal=10.0, expected=(0, 1))
        ask = ["run" if word == "{}" else word for word in data]
        plan = [*ask, "--model", "scripted/constant?text=A", "-o", Path(scratch) / "plan"]
        rows += timed("plan (run --dry-run)", [*plan, "--dry-run", "--json"], repeats, goal=1.0)
        for kind, about in (("letters", "short replies"), ("prose", "prose replies")):
            said = write_replies(release, kind, Path(scratch) / f"{kind}.jsonl")
            folder = Path(scratch) / kind
            used = run([*ask, "--model", f"scripted/replay?file={said}", "--no-probe", "-o", folder])
            rows.append(Row(f"run with a scripted model, {about}", N_ROWS / used.wall_s, "items/s"))
            score = [AUDIOMETRY, "score", folder, "--profile", "all", "--json"]
            rows += timed(f"score --profile all, {about}", score, repeats, goal=5.0)
    return rows


def timed(
    what: str, command: Sequence[str | Path], repeats: int, *, goal: float, expected: Sequence[int] = (0,)
) -> list[Row]:
    """Medians of the whole command, from start to exit, imports included."""
    uses: list[Used] = [run(command, expected=expected) for _ in range(repeats)]
    middle = median([{"wall_s": used.wall_s, "cpu_s": used.cpu_s, "peak_mb": used.peak_mb} for used in uses])
    return [
        Row(what, middle["wall_s"], "s", goal),
        Row(f"{what}, CPU", middle["cpu_s"], "s"),
        Row(f"{what}, peak memory", middle["peak_mb"], "MB"),
    ]
