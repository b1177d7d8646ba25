"""Pairs of 10 s of 16 kHz mono 16-bit WAV mixed at a set loudness, read to written, on one core and on two.

``--pairs 1000`` is the work of the goals; scaper and pydub stand beside it where they are installed.
"""

import json
import statistics
import sys
from pathlib import Path

from processes import HERE, run
from sections import Row, Settings
from work import DONE, write_noise

SECONDS, FILES = 10, 100
GOALS = {("pyloudnorm", 1): 2.5, ("pyloudnorm", 2): 2.3, ("scaper", 1): 3.5, ("scaper", 2): 3.5}
LIBRARIES = ("audiometry", "pyloudnorm", "scaper", "pydub")


def mixing(settings: Settings) -> list[Row]:
    """Pairs a second of each library, in turns, and how many times as many ours are."""
    folder = made(settings.cache, settings.pairs)
    rows = []
    for processes in (1, 2):
        found: dict[str, list[dict[str, float]]] = {name: [] for name in LIBRARIES}
        for _ in range(settings.repeats):
            for name in LIBRARIES:
                command = [sys.executable, HERE / "bare_mixing.py", name, folder, str(settings.pairs), str(processes)]
                told = json.loads(run(command, OPENBLAS_NUM_THREADS="1").output.splitlines()[-1])
                found[name] += [told] if told else []
        at = f"{processes} core{'s' * (processes > 1)}"
        for name, times in found.items():
            if times:
                rate = statistics.median(settings.pairs / one["wall_s"] for one in times)
                each = statistics.median(one["cpu_s"] / settings.pairs for one in times)
                rows += [Row(f"{at}: {name}", rate, "pairs/s"), Row(f"{at}: {name}, CPU a pair", 1000 * each, "ms")]
        for name in LIBRARIES[1:]:
            for unit in ("wall_s", "cpu_s"):
                ratios = [b[unit] / a[unit] for a, b in zip(found["audiometry"], found[name], strict=False)]
                if ratios:
                    what = f"{at}: audiometry / {name}{', by CPU' * (unit == 'cpu_s')}"
                    goal = GOALS.get((name, processes)) if unit == "wall_s" else None
                    rows.append(Row(what, statistics.median(ratios), "times", goal, at_least=True))
    return rows


def made(cache: Path, pairs: int) -> Path:
    """Clips of noise, a hundred of them under as many names as there are pairs."""
    folder = cache / f"mixing-{pairs}"
    if (folder / DONE).exists():
        return folder
    for side in "ab":
        (folder / side / "x").mkdir(parents=True, exist_ok=True)
        for k in range(pairs):
            path = folder / side / "x" / f"{k}.wav"
            path.unlink(missing_ok=True)
            if k < FILES:
                write_noise(path, seed=2 * k + (side == "b"), seconds=SECONDS)
            else:
                path.hardlink_to(folder / side / "x" / f"{k % FILES}.wav")
    (folder / DONE).touch()
    return folder
