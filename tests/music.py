"""Made data in the layouts of MuChoMusic and RUL-MuChoMusic: questions of our own, clips of noise."""

import csv
import json
from pathlib import Path

import numpy as np
import soundfile

CUT, PLAIN = "musiccaps/audio/[{video}]-[{start}-{end}].wav", "musiccaps/audio/{video}_{start}.wav"
FOLDED = "sdd/audio/{two}/{track}.2min.mp3"
COLUMNS = (
    *("question_id", "question", "correct_answer", "distractor_1_answer", "distractor_2_answer", "distractor_3_answer"),
    *("dataset", "dataset_identifier", "num_annotations", "correct", "distractor1", "distractor2", "distractor3"),
    *("odd_question", "genre", "music_knowledge", "music_reasoning"),
)
KNOWLEDGE = ("['melody']", "", "['instrumentation', 'sound texture']", "[]")
REASONING = ("", "['lyrics']", "['genre and style']", "['functional context', 'lyrics']")


def rows(n: int = 8) -> list[dict[str, str]]:
    """Questions on tracks of both data sets, two on each track, ids with gaps as the released ones have."""
    found = []
    for k in range(n):
        track = k // 2
        sdd = track % 2
        name = str(415600 + track) if sdd else f"v_{track}-x_{30 + track}"
        found.append(
            dict.fromkeys(COLUMNS, "0.5")
            | {
                "question_id": str(3 * k + 2),
                "question": f"What leads in passage {k}?",
                "correct_answer": f"A fiddle, take {k}",
                "distractor_1_answer": f"A kazoo, take {k}",
                "distractor_2_answer": f"It is slow, take {k}",
                "distractor_3_answer": f"It is a speech, take {k}",
                "dataset": "sdd" if sdd else "musiccaps",
                "dataset_identifier": f"{name}.json" if k % 3 else name,
                "genre": ("Folk", "Classical")[k % 2],
                "music_knowledge": KNOWLEDGE[k % 4],
                "music_reasoning": REASONING[k % 4],
            }
        )
    return found


def clip_name(row: dict[str, str], cut: str = CUT, sdd: str = FOLDED) -> str:
    """Where the clip of a row is, by one habit or another."""
    name = row["dataset_identifier"].removesuffix(".json")
    if row["dataset"] == "sdd":
        return sdd.format(track=name, two=name[-2:])
    video, _, start = name.rpartition("_")
    return cut.format(video=video, start=start, end=int(start) + 10)


def write_clip(path: Path, number: int, seconds: float = 0.1) -> None:
    """A clip of noise in the form that its name says."""
    path.parent.mkdir(parents=True, exist_ok=True)
    samples = 0.1 * np.random.default_rng(number).normal(size=int(16_000 * seconds))
    soundfile.write(path, samples, 16_000)


def write(folder: Path, told: list[dict[str, str]], *, cut: str = CUT, sdd: str = FOLDED, clips: bool = True) -> Path:
    """``muchomusic.csv`` and the clips it names."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "muchomusic.csv").open("w", newline="", encoding="utf-8") as file:
        out = csv.DictWriter(file, list(told[0]))
        out.writeheader()
        out.writerows(told)
    if clips:
        for number, name in enumerate(sorted({clip_name(row, cut, sdd) for row in told})):
            write_clip(folder / name, number)
    return folder


def write_rul(folder: Path, told: list[dict[str, str]]) -> Path:
    """``RUL-MuchoMusic.json`` beside the table, with captions that are told apart from anything else."""
    entries = {
        row["question_id"]: {
            "question": row["question"],
            "caption": f"Sentinel-{row['question_id']}: the fiddle of this very track plays in the dusk.",
            "correct_answer": row["correct_answer"],
            "distractors": [f"A {name}, take {row['question_id']}" for name in ("lute", "horn", "bell", "drum")],
            "PI": 0.01 * number,
        }
        for number, row in enumerate(told)
    }
    (folder / "RUL-MuchoMusic.json").write_text(json.dumps(entries, indent=1), encoding="utf-8")
    return folder
