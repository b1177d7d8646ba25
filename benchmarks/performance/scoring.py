"""Scoring and comparing finished runs of 2,000, 20,000 and 100,000 items, beside a bare loop over the same files."""

import json
import random
import sys
import wave
from pathlib import Path

from processes import HERE, median, run
from sections import AUDIOMETRY, Row, Settings

SIZES = (2000, 20_000, 100_000)
TASKS, FOLDERS, CLIPS = 19, 25, 50
MODELS = ("scripted/random", "scripted/oracle")
SCORED_S = {2000: 0.3, 100_000: 1.5}
COMPARED_S = {100_000: 3.0}
SCORED_MB = {100_000: 80.0}


def scoring(settings: Settings) -> list[Row]:
    """Seconds and memory of whole commands, and how many times what the bare loop takes."""
    rows = []
    for n in SIZES:
        benchmark = made(settings.cache / f"scoring-{n}", n)
        one, other = (finished(benchmark, model) for model in MODELS)
        commands: dict[str, list[str | Path]] = {
            "bare loop": [sys.executable, HERE / "bare_scoring.py", benchmark, one],
            "score": [AUDIOMETRY, "score", one, "--json"],
            "compare": [AUDIOMETRY, "compare", one, other, "--json"],
        }
        found: dict[str, list[dict[str, float]]] = {name: [] for name in commands}
        for _ in range(settings.repeats):
            for name, command in commands.items():
                used = run(command)
                found[name].append({"wall_s": used.wall_s, "cpu_s": used.cpu_s, "peak_mb": used.peak_mb})
        goals = {"score": (SCORED_S.get(n), SCORED_MB.get(n)), "compare": (COMPARED_S.get(n), None)}
        for name, uses in found.items():
            middle, (seconds, mb) = median(uses), goals.get(name, (None, None))
            rows.append(Row(f"{n:,} items: {name}", middle["wall_s"], "s", seconds))
            rows.append(Row(f"{n:,} items: {name}, CPU", middle["cpu_s"], "s"))
            rows.append(Row(f"{n:,} items: {name}, peak memory", middle["peak_mb"], "MB", mb))
            if name != "bare loop":
                each = zip(uses, found["bare loop"], strict=True)
                ratios = [{"ratio": ours["cpu_s"] / bare["cpu_s"]} for ours, bare in each]
                rows.append(Row(f"{n:,} items: {name} / bare loop, CPU", median(ratios)["ratio"], ""))
    return rows


def made(folder: Path, n: int) -> Path:
    """Items of 19 tasks in 25 folders, three in a row of one group, on 50 clips of 0.1 s."""
    if (folder / "metadata.jsonl").exists():
        return folder
    (folder / "audio").mkdir(parents=True, exist_ok=True)
    for k in range(CLIPS):
        with wave.open(str(folder / "audio" / f"{k}.wav"), "wb") as clip:
            clip.setnchannels(1)
            clip.setsampwidth(2)
            clip.setframerate(16_000)
            clip.writeframes(random.Random(k).randbytes(3200))
    categories = ("speech", "sound", "music")
    card = '[benchmark]\nname = "scoring"\nversion = "1"\nlicence = "CC0-1.0"\n'
    for k in range(TASKS):
        card += f'[[task]]\nname = "task-{k}"\ncategory = "{categories[k % 3]}"\nkind = "choice"\n'
    (folder / "benchmark.toml").write_text(card)
    draw = random.Random(0)
    with (folder / "metadata.part").open("w") as lines:  # not held: a child's peak memory begins with its parent's
        for i in range(n):
            options = [f"option {k} of {i % 97}" for k in range(4)]
            item = {
                "id": f"item-{i:06d}",
                "task": f"task-{i % TASKS}",
                "file_name": f"audio/{i % CLIPS}.wav",
                "question": f"What is heard in recording number {i}?",
                "options": options,
                "answer": draw.choice(options),
                "group": f"group-{i // 3}",
                "tags": {"folder": f"folder-{i % FOLDERS}"},
            }
            lines.write(json.dumps(item) + "\n")
    (folder / "metadata.part").rename(folder / "metadata.jsonl")
    return folder


def finished(benchmark: Path, model: str) -> Path:
    """A finished run of it, made once; what is made of it, scores and all, is written over."""
    folder = benchmark.with_name(f"{benchmark.name}--{model.rpartition('/')[2]}")
    if not (folder / "complete").exists():
        run([AUDIOMETRY, "run", benchmark, "--model", model, "--seed", "0", "-o", folder])
        (folder / "complete").touch()
    return folder
