"""Loading and planning MuChoMusic in a process that is up.

    python bare_music.py FOLDER REPEATS

Prints a JSON object: the CPU seconds of every repeat of loading alone, and of loading and planning three orders, every
prompt in words.
"""

import json
import sys
import tempfile
import time
from pathlib import Path

from audiometry import bench
from audiometry.run.execute import prepare
from audiometry.run.settings import RunSettings

ORDERS = 3


def main(folder: str, repeats: int) -> None:
    """Measure both; the first time, which imports what is needed, does not count."""
    found: dict[str, list[float]] = {"loaded": [], "planned": []}
    with tempfile.TemporaryDirectory() as scratch:
        for _ in range(repeats + 1):
            began = time.process_time()
            benchmark = bench.load("muchomusic", folder)
            found["loaded"].append(time.process_time() - began)
            run = prepare(benchmark, "scripted/constant?text=A", RunSettings(orders=ORDERS), Path(scratch) / "run")
            for variant in run.plan.variants:
                for position in run.plan.positions:
                    run.plan.words(benchmark.items.at(position), variant, [])
            found["planned"].append(time.process_time() - began)
    sys.stdout.write(json.dumps({name: times[1:] for name, times in found.items()}))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
