"""A program that answers batches, as a model on a GPU does: 400 ms a batch of up to 8, however many there are.

    audiometry run BENCH --model "exec/python benchmarks/performance/slow_batches.py LOG"

Appends the size of each batch to LOG, and the time at which it was answered.
"""

import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "examples" / "wrap_research_code"))
import audiometry_pipe

BATCH, BATCH_S = 8, 0.4


def main() -> None:
    """Serve until standard input ends."""
    audiometry_pipe.take_over()
    log = Path(sys.argv[1])

    def answer(requests: list[audiometry_pipe.Request]) -> list[str]:
        time.sleep(BATCH_S)
        with log.open("a", encoding="utf-8") as out:
            out.write(f"{len(requests)} {time.monotonic():.4f}\n")
        return ["A" for _ in requests]

    audiometry_pipe.serve(answer, name="slow-batches", version="1", batch=BATCH)


if __name__ == "__main__":
    main()
