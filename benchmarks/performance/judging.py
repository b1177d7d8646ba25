"""What it takes to judge 2,000 open answers in both orders, and to score them again."""

import shutil
import sys
import tempfile
from pathlib import Path

from chat_work import make_chat
from processes import HERE, Mock, median, mock_server, run
from sections import AUDIOMETRY, Row, Settings, measured

N_REPLIES = 2000
ORDERS = 2
IN_FLIGHT = 64
SHARE, AGAIN_S = 0.9, 0.5
MORE, ITEM_KB = 12_000, 1.0  # replies of a larger run, and the most memory that each of them may take
SCORES = ("7 8", "8 6.5", "9 9", "4 7")


def judging(settings: Settings) -> list[Row]:
    """Requests a second on the server's clock beside a bare loop, in turn; then the same command with all answered."""
    benchmark, replies = make_chat(settings.cache, N_REPLIES)
    found: dict[str, list[dict[str, float]]] = {"loop": [], "judge": [], "again": []}
    with mock_server(delay_ms=settings.delay_ms, replies=SCORES) as mock, tempfile.TemporaryDirectory() as scratch:
        if not settings.only_reference:
            whole = Path(scratch) / "run"
            model = ("--model", f"scripted/replay?file={replies}", "--no-probe")
            run([AUDIOMETRY, "run", benchmark, *model, "-o", whole], expected=(0, 1))
        for repeat in range(settings.repeats):
            loop = [sys.executable, HERE / "reference.py", benchmark, "--port", str(mock.port), "--work", "judging"]
            _, row = measured([*loop, "--concurrency", str(IN_FLIGHT)], mock, ORDERS * N_REPLIES)
            found["loop"].append(row)
            if settings.only_reference:
                continue
            folder = Path(scratch) / f"run-{repeat}"
            shutil.copytree(whole, folder)
            command = score_command(folder, mock)
            _, row = measured(command, mock, ORDERS * N_REPLIES)
            found["judge"].append(row)
            for _ in range(3):
                _, row = measured(command, mock, 0)
                found["again"].append(row)
            shutil.rmtree(folder)
    return rows(found) + ([] if settings.only_reference else memory(settings))


def memory(settings: Settings) -> list[Row]:
    """What an item more takes, judged and scored again, by a judge in the process that says the same of all."""
    peaks: dict[str, list[float]] = {"judged": [], "scored again": []}
    for n_replies in (N_REPLIES, MORE):
        benchmark, replies = make_chat(settings.cache, n_replies)
        with tempfile.TemporaryDirectory() as scratch:
            folder = Path(scratch) / "run"
            model = ("--model", f"scripted/replay?file={replies}", "--no-probe")
            run([AUDIOMETRY, "run", benchmark, *model, "-o", folder], expected=(0, 1))
            for found in peaks.values():
                used = run([AUDIOMETRY, "score", folder, "--judge", "scripted/constant?text=7 8"], expected=(0, 1))
                found.append(used.peak_mb)
    return [
        Row(f"memory an item, {what}", (more - less) * 1e3 / (MORE - N_REPLIES), "kB", ITEM_KB)
        for what, (less, more) in peaks.items()
    ]


def score_command(folder: Path, mock: Mock) -> list[str | Path]:
    """``audiometry score`` as a person would type it; it ends with the printed report."""
    judge = ("--judge", "openai/mock", "--base-url", mock.url, "--concurrency", str(IN_FLIGHT))
    return [AUDIOMETRY, "score", folder, *judge]


def rows(found: dict[str, list[dict[str, float]]]) -> list[Row]:
    """Medians; the ratio is the median of the ratios within each repeat."""
    told = []
    for name, what in (("loop", "bare aiohttp loop"), ("judge", "audiometry score --judge")):
        if found[name]:
            middle = median(found[name])
            told += [
                Row(what, middle["rate"], "requests/s"),
                Row(f"{what}, time of the whole process", middle["wall_s"], "s"),
                Row(f"{what}, CPU of the whole process", middle["cpu_s"], "s"),
                Row(f"{what}, peak memory", middle["peak_mb"], "MB"),
            ]
    if found["judge"]:
        ratios = [{"ratio": a["rate"] / b["rate"]} for a, b in zip(found["judge"], found["loop"], strict=True)]
        again = median(found["again"])
        told += [
            Row("audiometry score --judge / bare aiohttp loop", median(ratios)["ratio"], "", SHARE, at_least=True),
            Row("score again from stored verdicts", again["wall_s"], "s", AGAIN_S),
            Row("score again from stored verdicts, CPU", again["cpu_s"], "s"),
        ]
    return told
