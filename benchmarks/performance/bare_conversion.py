"""The mark for conversion: decode, average, resample, in as many processes as there are CPUs, and nothing else.

    python benchmarks/performance/bare_conversion.py BENCH

Prints ``{"clips", "seconds", "cpu_s"}`` of the work alone: processes are there and libraries loaded before the clock
starts.
"""

import json
import multiprocessing
import os
import resource
import sys
import time
from multiprocessing.queues import SimpleQueue
from multiprocessing.synchronize import Barrier
from pathlib import Path

from work import read_items

RATE = 16_000


def convert(path: str) -> int:
    """Samples of a clip as a model takes them."""
    import soundfile
    import soxr

    samples, rate = soundfile.read(path, dtype="float32")
    mean = (samples[:, 0] + samples[:, 1]) / 2
    return len(soxr.resample(mean, rate, RATE, quality="HQ"))


def work(paths: list[str], tasks: "SimpleQueue[int | None]", told: "SimpleQueue[float]", ready: Barrier) -> None:
    """Convert what is handed out; say how much CPU that took."""
    convert(paths[0])
    ready.wait()
    before = resource.getrusage(resource.RUSAGE_SELF)
    while (number := tasks.get()) is not None:
        convert(paths[number])
    after = resource.getrusage(resource.RUSAGE_SELF)
    told.put(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


def main() -> None:
    """Convert every clip of a benchmark folder once."""
    paths = [str(path) for _, path, _ in read_items(Path(sys.argv[1]))]
    count = len(os.sched_getaffinity(0))
    context = multiprocessing.get_context("fork")
    tasks: SimpleQueue[int | None] = context.SimpleQueue()
    told: SimpleQueue[float] = context.SimpleQueue()
    ready = context.Barrier(count + 1)
    workers = [context.Process(target=work, args=(paths, tasks, told, ready)) for _ in range(count)]
    for worker in workers:
        worker.start()
    ready.wait()
    began = time.perf_counter()
    for number in [*range(len(paths)), *[None] * count]:
        tasks.put(number)
    cpu_s = sum(told.get() for _ in workers)
    seconds = time.perf_counter() - began
    for worker in workers:
        worker.join()
    print(json.dumps({"clips": len(paths), "seconds": seconds, "cpu_s": cpu_s}))


if __name__ == "__main__":
    main()
