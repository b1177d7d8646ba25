"""Clips out of 2 GB of parquet, in one row group and in many; memory and MB/s beside a bare pyarrow loop.

As a script it is one of the children that are measured: ``streaming.py make|bare|audiometry FILE …``.
"""

import os
import shutil
import sys
import tempfile
from pathlib import Path

from processes import HERE, median, run
from sections import Row, Settings

CLIPS, CLIP_BYTES, AT_ONCE = 1000, 2_000_000, 8
LAYOUTS = {"one row group": CLIPS, "groups of 8": AT_ONCE}
PEAK_MB = 300.0
CARD = '[benchmark]\nname = "clips"\n[data]\nsource = "parquet"\npath = "{name}"\n'


def streaming(settings: Settings) -> list[Row]:
    """Medians of whole processes that read every clip and keep it as a file; what was made is deleted."""
    rows, script = [], HERE / "streaming.py"
    for layout, in_group in LAYOUTS.items():
        found: dict[str, list[dict[str, float]]] = {"bare": [], "audiometry": []}
        with tempfile.TemporaryDirectory(prefix="audiometry-streaming-") as scratch:
            file = Path(scratch) / "clips.parquet"
            run([sys.executable, script, "make", file, str(in_group)])
            mb = file.stat().st_size / 1e6
            for _ in range(settings.repeats):
                for route, rates in found.items():
                    out = Path(scratch) / route
                    used = run([sys.executable, script, route, file, out], AUDIOMETRY_CACHE=str(out))
                    rates.append({"rate": mb / used.wall_s, "cpu_s": used.cpu_s, "peak_mb": used.peak_mb})
                    shutil.rmtree(out)
        for route, name in (("bare", "bare pyarrow loop"), ("audiometry", "audiometry")):
            middle = median(found[route])
            goal = PEAK_MB if route == "audiometry" else None
            rows.append(Row(f"{layout}: {name}", middle["rate"], "MB/s"))
            rows.append(Row(f"{layout}: {name}, CPU", middle["cpu_s"], "s"))
            rows.append(Row(f"{layout}: {name}, peak memory", middle["peak_mb"], "MB", goal))
        pairs = zip(found["audiometry"], found["bare"], strict=True)
        ratio = median([{"ratio": ours["rate"] / bare["rate"]} for ours, bare in pairs])["ratio"]
        rows.append(Row(f"{layout}: audiometry / bare loop", ratio, ""))
    return rows


def make(file: Path, in_group: int) -> None:
    """Noise, so nothing can be packed; pages of a few clips, as a page is read whole whoever reads it."""
    import pyarrow as pa
    from pyarrow import parquet

    plain = {"task": "t", "question": "Which?", "options": ["dog", "cat"], "answer": "cat"}
    several = max(in_group, AT_ONCE)

    def table(first: int) -> pa.Table:
        numbers = range(first, min(first + several, CLIPS))
        clips = ({"bytes": os.urandom(CLIP_BYTES), "path": f"{n}.wav"} for n in numbers)
        return pa.Table.from_pylist(
            [plain | {"id": f"i{n}", "audio": one} for n, one in zip(numbers, clips, strict=True)]
        )

    with parquet.ParquetWriter(file, table(CLIPS - 1).schema, compression="none", write_batch_size=AT_ONCE) as writer:
        for first in range(0, CLIPS, several):
            writer.write_table(table(first), row_group_size=in_group)


def bare(file: Path, out: Path) -> None:
    """The same without audiometry: batches of a few clips, each written to a file."""
    from pyarrow import parquet

    out.mkdir()
    number, table = 0, parquet.ParquetFile(file, pre_buffer=False, buffer_size=1 << 20)
    for batch in table.iter_batches(batch_size=AT_ONCE, columns=["audio"], use_threads=False):
        for clip in batch.column(0).field("bytes"):
            (out / str(number)).write_bytes(clip.as_buffer())
            number += 1


def audiometry(file: Path) -> None:
    """A benchmark of the file, and each of its clips asked for in turn."""
    from audiometry import bench

    card = file.with_suffix(".toml")
    card.write_text(CARD.format(name=file.name), encoding="utf-8")
    benchmark = bench.load(card)
    found = sum(benchmark.clip_path(item.file_name).stat().st_size for item in benchmark)
    if found != CLIPS * CLIP_BYTES:
        sys.exit(f"{found:,} bytes of clips")


if __name__ == "__main__":
    mode, given = sys.argv[1], Path(sys.argv[2])
    if mode == "make":
        make(given, int(sys.argv[3]))
    elif mode == "bare":
        bare(given, Path(sys.argv[3]))
    else:
        audiometry(given)
