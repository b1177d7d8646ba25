"""A benchmark built from a table: 10,000 choice items of as many clips, and the memory of that beside a tenth of it.

The same with wrong options that a model writes, timed once all its replies are there.
"""

import csv
import json
import shutil
import statistics
import sys
from pathlib import Path

from processes import mock_server, run
from sections import AUDIOMETRY, Row, Settings
from work import DONE, write_noise

ITEMS, TENTH, SECONDS = 10_000, 1_000, 0.5
SPECIES, STATIONS = 40, 200
SPEC = """
[benchmark]
name = "birds"
licence = "CC0-1.0"
[[source]]
source = "csv"
path = "{n}.csv"
columns = {{audio = "file", group = ["station"]}}
facts = {{species = "species"}}
[[task]]
name = "species"
category = "sound"
make = "label"
about = "species"
question = ["Which bird is heard?", "Name the bird."]
"""
WRITTEN = (
    SPEC.replace('make = "label"', 'make = "near"')
    + """
[writer]
model = "openai/mock"
base_url = "{url}"
"""
)
REPLY = 'Sure, here they are: {"wrong": ["an owl", "a hen", "a gull"]}'
PLANNED = """
import sys
from pathlib import Path
from audiometry.builder.build import plan
print(len(plan(Path(sys.argv[1]), folder=Path(sys.argv[2])).made))
"""


def building(settings: Settings) -> list[Row]:
    """Items a second that are made of a table, and that are written, checked and described as well; peak memory."""
    folder = made(settings.cache)
    rates: dict[str, list[float]] = {"made (--dry-run)": [], "built, checked, described": []}
    cpu: dict[str, list[float]] = {name: [] for name in rates}
    peaks: dict[int, list[float]] = {TENTH: [], ITEMS: []}
    for _ in range(settings.repeats):
        for n in (TENTH, ITEMS):
            out = folder / "out"
            shutil.rmtree(out, ignore_errors=True)
            for name, how in zip(rates, (["--dry-run"], ["-o", out]), strict=True):
                used = run([AUDIOMETRY, "build", folder / f"{n}.toml", *how, "--json"], OPENBLAS_NUM_THREADS="1")
                if json.loads(used.output)["items"] != {"species": n}:
                    sys.exit(f"{n} items were to be made")
                if n == ITEMS:
                    rates[name].append(n / used.wall_s)
                    cpu[name].append(1000 * used.cpu_s / n)
            peaks[n].append(used.peak_mb)
    rows = []
    for name, found in rates.items():
        goal = 2000.0 if "made" in name else None
        rows.append(Row(f"{ITEMS:,} items {name}", statistics.median(found), "items/s", goal, at_least=True))
        rows.append(Row(f"{ITEMS:,} items {name}, CPU an item", statistics.median(cpu[name]), "ms"))
    for n, found in peaks.items():
        rows.append(Row(f"{n:,} items built, peak memory", statistics.median(found), "MB"))
    each = 1000 * (statistics.median(peaks[ITEMS]) - statistics.median(peaks[TENTH])) / (ITEMS - TENTH)
    return [*rows, Row("memory an item", each, "kB", 10), *written(settings, folder)]


def written(settings: Settings, folder: Path) -> list[Row]:
    """Items a second of wrong options that were replied before: read, checked and made, and the memory of that."""
    rates, cpu = list[float](), list[float]()
    peaks: dict[int, list[float]] = {TENTH: [], ITEMS: []}
    with mock_server(delay_ms=0, replies=[REPLY]) as mock:
        for n in (TENTH, ITEMS):
            spec, beside = folder / f"{n}-written.toml", folder / f"written-{n}" / "build"
            shutil.rmtree(beside, ignore_errors=True)
            spec.write_text(WRITTEN.format(n=n, url=mock.url), encoding="utf-8")
            for again in range(1 + settings.repeats):
                used = run([sys.executable, "-c", PLANNED, spec, beside], OPENBLAS_NUM_THREADS="1", OPENAI_API_KEY="x")
                if int(used.output) != n:
                    sys.exit(f"{n} items were to be written, {used.output.strip()} were")
                if again:
                    peaks[n].append(used.peak_mb)
                if again and n == ITEMS:
                    rates.append(n / used.wall_s)
                    cpu.append(1000 * used.cpu_s / n)
    each = 1000 * (statistics.median(peaks[ITEMS]) - statistics.median(peaks[TENTH])) / (ITEMS - TENTH)
    return [
        Row(f"{ITEMS:,} items written, after the replies", statistics.median(rates), "items/s", 2000, at_least=True),
        Row(f"{ITEMS:,} items written, CPU an item", statistics.median(cpu), "ms"),
        Row("memory an item written", each, "kB", 10),
    ]


def made(cache: Path) -> Path:
    """Clips of noise and their tables."""
    folder = cache / f"building-{ITEMS}"
    if (folder / DONE).exists():
        return folder
    (folder / "clips").mkdir(parents=True, exist_ok=True)
    for k in range(ITEMS):
        write_noise(folder / "clips" / f"{k}.wav", seed=k, seconds=SECONDS)
    for n in (TENTH, ITEMS):
        with (folder / f"{n}.csv").open("w", encoding="utf-8", newline="") as file:
            table = csv.writer(file)
            table.writerow(["file", "species", "station"])
            table.writerows((f"clips/{k}.wav", f"bird {k % SPECIES}", f"s{k % STATIONS}") for k in range(n))
        (folder / f"{n}.toml").write_text(SPEC.format(n=n), encoding="utf-8")
    (folder / DONE).touch()
    return folder
