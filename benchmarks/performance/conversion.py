"""Clips that have to be converted: how fast, at what cost, once only, and without starving what is sent beside."""

import functools
import json
import shlex
import shutil
import statistics
import sys
import tempfile
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

from processes import HERE, Mock, Used, mock_server, run
from sections import AUDIOMETRY, Row, Settings, run_command, unprobed
from slow_batches import BATCH, BATCH_S
from work import DONE

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

RATE, SECONDS = 44_100, 30
FORMS = {"mp3": "MPEG_LAYER_III", "flac": "PCM_16", "ogg": "VORBIS"}
FEW = 16
IN_FLIGHT = 256


def make_clips(folder: Path, form: str, n_items: int) -> Path:
    """A benchmark folder of stereo clips in a format, no two alike, made if it is not there yet."""
    made = folder / f"clips-{form}-{n_items}"
    if (made / DONE).exists():
        return made
    (made / "audio").mkdir(parents=True, exist_ok=True)
    with ProcessPoolExecutor() as pool:
        names = list(pool.map(write_clip, [made] * n_items, [form] * n_items, range(n_items)))
    lines = [
        {"id": f"item-{i:04}", "task": "music", "question": f"What is heard in {i}?", "file_name": name}
        | {"options": ["a dog", "a bell", "a violin", "rain"], "answer": "a dog"}
        for i, name in enumerate(names)
    ]
    (made / "metadata.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    (made / "benchmark.toml").write_text(f'[benchmark]\nname = "{made.name}"\nversion = "1"\n', encoding="utf-8")
    (made / DONE).touch()
    return made


def write_clip(folder: Path, form: str, number: int) -> str:
    """Noise and a pulsing tone, from another place on in each clip; its name in the folder."""
    import numpy as np
    import soundfile

    samples = np.roll(sound(), 997 * number, axis=0)
    name = f"audio/{number:04}.{form}"
    soundfile.write(folder / name, samples, RATE, format=form.upper(), subtype=FORMS[form])
    return name


@functools.cache
def sound() -> "npt.NDArray[np.float32]":
    """What all clips are made of."""
    import numpy as np

    t = np.arange(RATE * SECONDS) / RATE
    noise = np.random.default_rng(0).standard_normal((len(t), 2), dtype=np.float32)
    noise[1:] += noise[:-1]
    tone = np.sin(2 * np.pi * 330 * t) * (0.5 + 0.5 * np.sin(4 * np.pi * t))
    return 0.05 * noise + 0.2 * tone[:, None].astype(np.float32)


def conversion(settings: Settings) -> list[Row]:
    """Runs of clips to convert beside the bare loop, in turn; then what is asked again, and what takes batches."""
    rows: list[Row] = []
    with mock_server(delay_ms=settings.delay_ms) as mock, tempfile.TemporaryDirectory() as scratch:
        for form in FORMS:
            benchmark = make_clips(settings.cache, form, settings.clips)
            repeats = [once(benchmark, mock, Path(scratch)) for _ in range(settings.repeats)]
            rows += speed_rows(form, repeats)
        few = make_clips(settings.cache, "mp3", FEW)
        rows += again(few, mock, Path(scratch), settings.repeats)
    return [*rows, *batches(make_clips(settings.cache, "mp3", settings.clips), settings.repeats)]


def cpu_s(command: list[str | Path], folder: Path) -> tuple[float, Used]:
    """CPU seconds of a run into a new folder, and all that it used."""
    shutil.rmtree(folder, ignore_errors=True)
    used = run(command, OPENAI_API_KEY="benchmark")
    return used.cpu_s, used


def once(benchmark: Path, mock: Mock, scratch: Path) -> dict[str, float]:
    """The bare loop, the run, and the run's start-up (a run of one item), one after the other."""
    bare = json.loads(run([sys.executable, HERE / "bare_conversion.py", benchmark]).output)
    command = run_command(benchmark, mock, IN_FLIGHT, scratch / "run")
    start, _ = cpu_s([*command, "--limit", "1"], scratch / "run")
    mock.reset()
    whole, used = cpu_s(command, scratch / "run")
    told = mock.stats()
    latencies = sorted(r["latency_s"] for r in replies(scratch / "run"))
    return {
        "bare": bare["clips"] / bare["seconds"],
        "rate": told["items_per_s"],
        "bare_ms": bare["cpu_s"] / bare["clips"] * 1000,
        "ms": (whole - start) / (told["requests"] - 1) * 1000,
        "peak": used.peak_mb,
        "p50": statistics.median(latencies) * 1000,
        "p99": latencies[int(0.99 * (len(latencies) - 1))] * 1000,
        "max": latencies[-1] * 1000,
    }


def replies(folder: Path) -> list[dict[str, float]]:
    """The records of a run; stop if one has none."""
    found = [json.loads(line) for line in (folder / "replies.jsonl").read_text(encoding="utf-8").splitlines()]
    for record in found:
        if record.get("latency_s") is None:
            sys.exit(f"no reply in {folder}: {record}")
    return found


def speed_rows(form: str, repeats: list[dict[str, float]]) -> list[Row]:
    """Medians; ratios are medians of the ratios within a repeat."""
    middle = {key: statistics.median(one[key] for one in repeats) for key in repeats[0]}
    return [
        Row(f"{form}: bare loop", middle["bare"], "clips/s"),
        Row(f"{form}: audiometry run", middle["rate"], "clips/s"),
        Row(f"{form}: run / bare loop", ratio(repeats, "rate", "bare"), "", 0.85, at_least=True),
        Row(f"{form}: bare loop, CPU", middle["bare_ms"], "ms/clip"),
        Row(f"{form}: audiometry run, CPU", middle["ms"], "ms/clip"),
        Row(f"{form}: CPU of run / bare loop", ratio(repeats, "ms", "bare_ms"), "", 1.25),
        Row(f"{form}: latency, median", middle["p50"], "ms"),
        Row(f"{form}: latency, 99th percentile", middle["p99"], "ms", 80),
        Row(f"{form}: latency, largest", middle["max"], "ms"),
        Row(f"{form}: peak memory, {IN_FLIGHT} in flight", middle["peak"], "MB", 300),
    ]


def ratio(repeats: list[dict[str, float]], over: str, under: str) -> float:
    """The median of the ratios within each repeat."""
    return statistics.median(one[over] / one[under] for one in repeats)


def again(benchmark: Path, mock: Mock, scratch: Path, repeats: int) -> list[Row]:
    """CPU of a few clips asked once, in three orders, and in two more variants."""
    plain = run_command(benchmark, mock, 64, scratch / "run")
    asked: dict[str, list[str | Path]] = {
        f"{FEW} mp3": plain,
        f"{FEW} mp3, three orders": [*plain, "--orders", "3"],
        f"{FEW} mp3, three orders, silence and other-clip": [
            *[*plain, "--orders", "3"],
            *["--variant", "silence", "--variant", "other-clip"],
        ],
    }
    found = {name: [cpu_s(command, scratch / "run")[0] for _ in range(repeats)] for name, command in asked.items()}
    return [Row(f"{name}: CPU of the whole command", statistics.median(each), "s") for name, each in found.items()]


def batches(benchmark: Path, repeats: int) -> list[Row]:
    """A program that takes 400 ms for a batch of 8: replies a second from its first batch to its last.

    Asked with clips that are converted meanwhile, and with clips that were converted before, which need no CPU to speak
    of: where the bare loop converts fewer than 20 a second, the first cannot reach the ideal.
    """
    found: dict[str, list[tuple[float, float]]] = {"converted meanwhile": [], "converted before": []}
    for _ in range(repeats):
        with tempfile.TemporaryDirectory() as scratch:
            for how, sizes in found.items():
                sizes.append(in_batches(benchmark, Path(scratch) / how, Path(scratch) / "clips"))
    rows = []
    for how, each in found.items():
        rate, size = (statistics.median(column) for column in zip(*each, strict=True))
        rows += [
            Row(f"batches, clips {how}: replies", rate, "1/s"),
            Row(f"batches, clips {how}: replies / ideal", rate * BATCH_S / BATCH, "", 0.85, at_least=True),
            Row(f"batches, clips {how}: mean batch", size, "", 7, at_least=True),
        ]
    return rows


def in_batches(benchmark: Path, folder: Path, clips: Path) -> tuple[float, float]:
    """Replies a second, and the mean batch."""
    folder.mkdir()
    log = folder / "log"
    model = f"exec/{shlex.quote(sys.executable)} {HERE / 'slow_batches.py'} {shlex.quote(str(log))}"
    run([AUDIOMETRY, "run", benchmark, "--model", model, *unprobed(), "--clips", clips, "-o", folder / "run"])
    counts = [(int(n), float(at)) for n, at in map(str.split, log.read_text(encoding="utf-8").splitlines())]
    (_, first), (_, last) = counts[0], counts[-1]
    replies = [n for n, _ in counts]
    return sum(replies[1:]) / (last - first), statistics.mean(replies)
