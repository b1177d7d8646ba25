"""Made releases of AIR-Bench foundation and chat, in their own layout and with their own oddities."""

import io
import json
import runpy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests of shipped data count as slow while it, its recipe and they are as recorded (shipped.py)."""
    measuring = [item for item in items if item.get_closest_marker("shipped")]
    if measuring and runpy.run_path(str(Path(__file__).with_name("shipped.py")))["unchanged"]():
        for item in measuring:
            item.add_marker("slow")


PAIRS = {
    "Speech_Grounding": ["librispeech"],
    "Spoken_Language_Identification": ["covost2"],
    "Speaker_Gender_Recognition": ["common_voice_13_en", "meld"],
    "Speaker_Emotion_Recontion": ["iemocap", "meld"],
    "Speaker_Age_Prediction": ["common_voice_13.0_en"],
    "Speech_Entity_Reconition": ["slurp"],
    "Speaker_Intent_Classification": ["slurp"],
    "Speaker_Number_Verification": ["voxceleb1"],
    "Synthesized_Voice_Detection": ["fake_or_real"],
    "Audio_Grounding": ["AudioGrounding"],
    "vocal_sound_classification": ["VocalSound"],
    "Acoustic_Scene_Classification": ["CochlScene", "TUT2017"],
    "Sound_AQA": ["avqa", "clothoaqa"],
    "Music_Instruments_Classfication": ["nsynth", "MTJ-Jamendo"],
    "Music_Genre_Recognition": ["fma", "MTJ-Jamendo"],
    "Music_Midi_Pitch_Analysis": ["nsynth"],
    "Music_Midi_Velocity_Analysis": ["nsynth"],
    "Music_AQA": ["music_avqa"],
    "Music_Mood_Recognition": ["MTJ-Jamendo"],
}
FOLDERS = [(task, dataset) for task, datasets in PAIRS.items() for dataset in datasets]
CHAT_PAIRS = {
    "speech_QA": ["common_voice_en", "iemocap"],
    "speech_dialogue_QA": ["fisher", "spokenwoz"],
    "sound_QA": ["clotho"],
    "sound_generation_QA": ["clotho"],
    "music_QA": ["musiccaps"],
    "music_generation_analysis_QA": ["musiccaps"],
    "speech_and_sound_QA": ["audiocaps_cv"],
    "speech_and_music_QA": ["musiccaps_cv"],
}
CHAT_FOLDERS = [(task, dataset) for task, datasets in CHAT_PAIRS.items() for dataset in datasets]
DESCRIPTIONS = {
    "speech_QA": "{'emotion': 'neutral', 'gender': 'male', 'transcription': \"it's {number}, isn't it\"}",
    "speech_dialogue_QA": "{'transcription': \"A: is it {number}?\\nB: 'gender': that it is\"}",
    "speech_and_sound_QA": "{'Louder': 'speech', 'Ahead': 'sound', 'speech': 'number {number}', 'sound': 'rain'}",
    "speech_and_music_QA": "Louder: music\nAhead: speech\nspeech: number {number}, music: a slow waltz",
}
MakeRelease = Callable[..., Path]


def clip(form: str, number: int) -> bytes:
    """A short real file of a format."""
    file = io.BytesIO()
    samples = 0.1 * np.random.default_rng(number).normal(size=1600)
    soundfile.write(file, samples, 16_000, format=form)
    return file.getvalue()


@pytest.fixture
def make_release(tmp_path_factory: pytest.TempPathFactory) -> MakeRelease:
    """Write ``Foundation/`` with so many rows a folder; ``change(rows)`` may spoil them before they are written."""

    def make(rows_each: int = 2, change: Callable[[list[dict[str, Any]]], object] = lambda _rows: None) -> Path:
        data = tmp_path_factory.mktemp("airbench")
        root = data / "Foundation"
        rows: list[dict[str, Any]] = []
        for task, dataset in FOLDERS:
            folder = root / f"{task}_{dataset}"
            folder.mkdir(parents=True)
            for k in range(rows_each):
                number = len(rows)
                ending = ("mp3", "wav", "flac")[number % 3]
                (folder / f"clip-{number}.{ending}").write_bytes(clip(ending.upper(), number))
                two = task in {"Speaker_Gender_Recognition", "Synthesized_Voice_Detection"}
                options = ["male", "female"] if two else [f"option {number} {letter}" for letter in "wxyz"]
                row: dict[str, Any] = {
                    "path": f"clip-{number}.{ending}",
                    "question": f"Which one is it, {number}?",
                    "choice_a": options[0],
                    "choice_b": options[1],
                    "answer_gt": options[number % len(options)],
                    "task_name": task,
                    "dataset_name": dataset,
                    "uniq_id": number,
                }
                if two and k % 2:
                    row |= {"choice_c": None, "choice_d": None}
                elif not two:
                    row |= {"choice_c": options[2], "choice_d": options[3]}
                rows.append(row)
        change(rows)
        (root / "Foundation_meta.json").write_text(json.dumps(rows), encoding="utf-8")
        (root / ".DS_Store").write_bytes(b"\0")
        return data

    return make


@pytest.fixture
def make_chat(tmp_path_factory: pytest.TempPathFactory) -> MakeRelease:
    """Write ``Chat/`` as `make_release` writes ``Foundation/``; the clips of a data set are wav and mp3 in turn."""

    def make(rows_each: int = 2, change: Callable[[list[dict[str, Any]]], object] = lambda _rows: None) -> Path:
        data = tmp_path_factory.mktemp("airbench")
        root = data / "Chat"
        rows: list[dict[str, Any]] = []
        for task, dataset in CHAT_FOLDERS:
            folder = root / f"{task}_{dataset}"
            folder.mkdir(parents=True)
            for _ in range(rows_each):
                number = len(rows)
                ending = ("mp3", "wav")[number % 2]
                (folder / f"clip-{number}.{ending}").write_bytes(clip(ending.upper(), number))
                description = DESCRIPTIONS.get(task, "a recording of the number {number}")
                row: dict[str, Any] = {
                    "path": f"clip-{number}.{ending}",
                    "question": f"What is to be heard in clip {number}?",
                    "answer_gt": f"The number {number} is to be heard.",
                    "meta_info": description.replace("{number}", str(number)),
                    "task_name": task,
                    "dataset_name": dataset,
                    "uniq_id": number,
                }
                rows.append(row)
        change(rows)
        (root / "Chat_meta.json").write_text(json.dumps(rows), encoding="utf-8")
        (root / ".DS_Store").write_bytes(b"\0")
        return data

    return make
