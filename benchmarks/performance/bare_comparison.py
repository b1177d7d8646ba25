"""Two runs compared by the function that the command calls, in a process that has loaded everything.

    python bare_comparison.py RUN_A RUN_B REPEATS

Prints a JSON object: the CPU seconds of every repeat, with both folders read, and of the tests alone.
"""

import json
import sys
import time
from pathlib import Path

from audiometry.score import difference
from audiometry.score.filling import fill
from audiometry.score.measures import MEASURES
from audiometry.score.opened import open_runs
from audiometry.score.profiles import PROFILES
from audiometry.score.two_runs import compare


def main(paths: list[Path], repeats: int) -> None:
    """Once to load, then as often as asked."""
    compare(*paths)
    strict, accuracy = PROFILES.named("strict"), MEASURES.named("accuracy")
    found: dict[str, list[float]] = {"whole": [], "sheets": []}
    for _ in range(repeats):
        began = time.process_time()
        compare(*paths)
        found["whole"].append(time.process_time() - began)
        sheets = [fill(one, strict, accuracy) for one in open_runs(paths, "")]
        began = time.process_time()
        difference.compare(*sheets)
        found["sheets"].append(time.process_time() - began)
    print(json.dumps(found))


if __name__ == "__main__":
    main([Path(sys.argv[1]), Path(sys.argv[2])], int(sys.argv[3]))
