"""MuChoMusic at its full size: its 1,187 questions loaded, three orders of them planned, and all replies scored."""

import csv
import json
import random
import statistics
import sys
from pathlib import Path

from processes import HERE, run
from sections import AUDIOMETRY, Row, Settings
from work import DONE, write_noise

from audiometry import bench
from audiometry.choices.variant import asked_names, shown_options

SAID = ("{letter}", "({letter}) {option}", "The correct answer is: {letter}", "I hear that {option}.", "Hard to say.")
QUESTIONS, TRACKS, ORDERS = 1187, 644, 3
NAMES = ("correct_answer", "distractor_1_answer", "distractor_2_answer", "distractor_3_answer")
LISTS = ("['melody']", "['instrumentation', 'sound texture']", "", "[]")


def music(settings: Settings) -> list[Row]:
    """CPU seconds in a process that is up, and the whole command from start to exit."""
    folder = made(settings.cache)
    alone = json.loads(run([sys.executable, HERE / "bare_music.py", folder, str(settings.repeats)]).output)
    plan = ("run", "muchomusic", "--data", folder, "--model", "scripted/constant?text=A", "--orders", str(ORDERS))
    used = [run([AUDIOMETRY, *plan, "--dry-run", "--json"]) for _ in range(settings.repeats)]
    what = f"{QUESTIONS:,} questions"
    asked = replied(settings.cache, folder)
    score = (AUDIOMETRY, "score", asked, "--profile", "all", "--json")
    scored = [run([*score]) for _ in range(settings.repeats)]
    return [
        Row(f"{what} loaded, CPU", statistics.median(alone["loaded"]), "s"),
        Row(f"{what} loaded and {ORDERS} orders planned, CPU", statistics.median(alone["planned"]), "s", 0.5),
        Row(f"{what}: run --dry-run --orders {ORDERS}, CPU", statistics.median(one.cpu_s for one in used), "s"),
        Row(f"{what} × {ORDERS}: score --profile all, CPU", statistics.median(one.cpu_s for one in scored), "s", 1.0),
    ]


def replied(cache: Path, folder: Path) -> Path:
    """A finished run in three orders: letters, letters with options, options, and sentences that name one."""
    asked = cache / "muchomusic--replied"
    if (asked / "complete").exists():
        return asked
    draw, said = random.Random(0), cache / "muchomusic-replies.jsonl"
    benchmark = bench.load("muchomusic", folder)
    with said.open("w", encoding="utf-8") as out:
        for item in benchmark:
            for variant in asked_names(ORDERS):
                options = shown_options(item, seed=0, variant=variant)
                place = options.index(item.answer) if item.answer and draw.random() < 0.5 else draw.randrange(4)
                text = draw.choice(SAID).format(letter="ABCD"[place], option=options[place])
                out.write(json.dumps({"item": item.id, "variant": variant, "text": text, "attempts": 1}) + "\n")
    model = f"scripted/replay?file={said}"
    run([AUDIOMETRY, "run", "muchomusic", "--data", folder, "--model", model, "--orders", str(ORDERS), "-o", asked])
    (asked / "complete").touch()
    return asked


def made(cache: Path) -> Path:
    """A table and clips as released: three tracks in four of MusicCaps, the others of the Song Describer Dataset."""
    folder = cache / "muchomusic"
    if (folder / DONE).exists():
        return folder
    (folder / "audio").mkdir(parents=True, exist_ok=True)
    rows = []
    for number in range(QUESTIONS):
        track = number % TRACKS
        sdd = track % 4 == 0
        name = str(400_000 + track) if sdd else f"v{track:06}-x_{track % 500}"
        rows.append(
            {"question_id": str(number + 2), "question": f"Which instrument carries the theme of passage {number}?"}
            | {column: f"The answer of column {place} to it" for place, column in enumerate(NAMES)}
            | {"dataset": "sdd" if sdd else "musiccaps", "dataset_identifier": f"{name}.json", "genre": "Folk"}
            | {"music_knowledge": LISTS[number % 4], "music_reasoning": ("['lyrics']", "")[number % 2]}
        )
        clip = folder / "audio" / (f"{name}.2min.wav" if sdd else f"{name}.wav")
        if not clip.exists():
            write_noise(clip, seed=track, seconds=0.1)
    with (folder / "muchomusic.csv").open("w", newline="", encoding="utf-8") as file:
        out = csv.DictWriter(file, list(rows[0]))
        out.writeheader()
        out.writerows(rows)
    (folder / DONE).touch()
    return folder
