"""A made release of AIR-Bench foundation: folders, rows and file formats of the real one, with short clips of noise.

Rows by task are those of the published metadata; where a task has two data sets, they are shared out as the published
counts allow (992 and 1,000 for gender, else 1,000 each). Which folder holds which format is not published: likely ones
are taken. What a check of headers costs hangs on formats and, for MP3, on the number of frames, so MP3 clips of
music last 30 s and those of speech 5 s, as in the data sets they stand for; the others last half a second.
"""

import io
import json
import random
from pathlib import Path
from typing import Any

from work import DONE

RATE = 16_000
VERSION = "foundation-release-1"
"""Another number makes the cache anew."""

WORDS = {
    "language": "English, German, French, Spanish, Italian, Catalan, Chinese, Japanese, Arabic, Turkish, "
    "Persian, Welsh",
    "gender": "male, female",
    "emotion": "neutral, happy, sad, angry, surprised, fearful, frustrated, disgusted",
    "age": "teens to twenties, thirties to fourties, fifties to sixties, seventies to eighties",
    "entity": "event_name, date, time, place_name, person, media_type, list_name, food_type, device_type",
    "intent": "set alarm, set music, set mail, remove alarm, remove music, remove mail, query alarm, "
    "query music, query mail, play alarm, play music, play mail",
    "number": "one speaker, two speakers, three speakers, four speakers, five speakers",
    "synthesized": "real, fake",
    "vocal": "laughter, sigh, cough, throat clearing, sneeze, sniff",
    "scene": "bus, cafe or restaurant, car, city center, forest path, grocery store, home, library",
    "sound": "yes, no, a dog, a passing train, water, a child, footsteps, an engine, birds",
    "instrument": "guitar, piano, violin, flute, organ, bass, synthesizer, mallet, brass, keyboard",
    "genre": "hip-hop, rock, folk, electronic, international, pop, instrumental, experimental",
    "mood": "happy, dark, relaxing, energetic, epic, melancholic, romantic, dreamy, film, meditative",
}
# task, data set, rows, format, what its options are
FOLDERS = (
    ("Speech_Grounding", "librispeech", 981, "flac", "range"),
    ("Spoken_Language_Identification", "covost2", 1000, "mp3", "language"),
    ("Speaker_Gender_Recognition", "common_voice_13_en", 992, "mp3", "gender"),
    ("Speaker_Gender_Recognition", "meld", 1000, "wav", "gender"),
    ("Speaker_Emotion_Recontion", "iemocap", 1000, "wav", "emotion"),
    ("Speaker_Emotion_Recontion", "meld", 1000, "wav", "emotion"),
    ("Speaker_Age_Prediction", "common_voice_13.0_en", 1000, "mp3", "age"),
    ("Speech_Entity_Reconition", "slurp", 1000, "flac", "entity"),
    ("Speaker_Intent_Classification", "slurp", 1000, "flac", "intent"),
    ("Speaker_Number_Verification", "voxceleb1", 1000, "wav", "number"),
    ("Synthesized_Voice_Detection", "fake_or_real", 1000, "wav", "synthesized"),
    ("Audio_Grounding", "AudioGrounding", 896, "flac", "range"),
    ("vocal_sound_classification", "VocalSound", 1000, "wav", "vocal"),
    ("Acoustic_Scene_Classification", "CochlScene", 1000, "wav", "scene"),
    ("Acoustic_Scene_Classification", "TUT2017", 1000, "wav", "scene"),
    ("Sound_AQA", "avqa", 1000, "wav", "sound"),
    ("Sound_AQA", "clothoaqa", 1000, "wav", "sound"),
    ("Music_Instruments_Classfication", "nsynth", 1000, "wav", "instrument"),
    ("Music_Instruments_Classfication", "MTJ-Jamendo", 1000, "mp3", "instrument"),
    ("Music_Genre_Recognition", "fma", 1000, "mp3", "genre"),
    ("Music_Genre_Recognition", "MTJ-Jamendo", 1000, "mp3", "genre"),
    ("Music_Midi_Pitch_Analysis", "nsynth", 1000, "wav", "midi"),
    ("Music_Midi_Velocity_Analysis", "nsynth", 1000, "wav", "midi"),
    ("Music_AQA", "music_avqa", 814, "wav", "count"),
    ("Music_Mood_Recognition", "MTJ-Jamendo", 1000, "mp3", "mood"),
)
N_ROWS = 24_683
QUESTION = "Which of these describes the recording best, as to its {kind}? (wording {wording})"
CLIPS = {"music_avqa": 797}
"""Clips of a folder, where rows share them; elsewhere each row has its own."""


def make_release(cache: Path) -> Path:
    """The folder that holds ``Foundation/``, made if it is not there yet; about 350 MB.

    Args:
        cache: where such folders are kept.
    """
    made = cache / VERSION
    if (made / DONE).exists():
        return made
    root = made / "Foundation"
    rows = [row for number in range(len(FOLDERS)) for row in folder_rows(number)]
    if len(rows) != N_ROWS:
        raise ValueError(f"{len(rows)} rows, {N_ROWS} wanted")
    encoder = Encoder()
    for task, dataset, n_rows, form, _ in FOLDERS:
        folder = root / f"{task}_{dataset}"
        folder.mkdir(parents=True, exist_ok=True)
        seconds = 0.5 if form != "mp3" else 30 if task.startswith("Music") else 5
        for clip in range(CLIPS.get(dataset, n_rows)):
            (folder / f"clip_{clip:04d}.{form}").write_bytes(encoder.clip(form, seconds))
    for number, row in enumerate(rows):
        row["uniq_id"] = number
    (root / ".DS_Store").write_bytes(b"\0" * 64)
    (root / "Foundation_meta.json").write_text(json.dumps(rows, indent=1), encoding="utf-8")
    (made / DONE).touch()
    return made


def folder_rows(number: int) -> list[dict[str, Any]]:
    """The metadata of a folder; the metadata of Audio_Grounding say ``.wav`` where the files are ``.flac``."""
    task, dataset, n_rows, form, kind = FOLDERS[number]
    draw = random.Random(number)
    rows = []
    for k in range(n_rows):
        choices = options(kind, draw)
        ending = "wav" if task == "Audio_Grounding" else form
        row: dict[str, Any] = {
            "path": f"clip_{k % CLIPS.get(dataset, n_rows):04d}.{ending}",
            "question": QUESTION.format(kind=kind, wording=draw.randrange(40)),
            "answer_gt": draw.choice(choices),
            "task_name": task,
            "dataset_name": dataset,
        }
        row |= dict(zip(("choice_a", "choice_b", "choice_c", "choice_d"), [*choices, None, None][:4], strict=True))
        rows.append(row)
    return rows


def options(kind: str, draw: random.Random) -> list[str]:
    """Two to four options: words in an order of their own, ranges of time, numbers."""
    if kind == "range":
        starts = [draw.uniform(0, 9) for _ in range(4)]
        return [f"[{start:.2f}, {start + draw.uniform(0.2, 3):.2f}]" for start in starts]
    if kind in {"midi", "count"}:
        return [str(n) for n in draw.sample(range(128 if kind == "midi" else 11), 4)]
    words = WORDS[kind].split(", ")
    return draw.sample(words, min(4, len(words)))


class Encoder:
    """Clips of noise, each another file; half a minute of MP3 takes long to encode: these differ in their tags."""

    def __init__(self) -> None:
        # not at the top: the process that starts others needs no numpy, and it would count as theirs
        import numpy as np

        self._noise = 0.1 * np.random.Generator(np.random.PCG64(0)).standard_normal(30 * RATE + 50_000)
        self._made = 0
        self._mp3: dict[float, list[bytes]] = {}

    def clip(self, form: str, seconds: float) -> bytes:
        """The bytes of the next file."""
        self._made += 1
        if form != "mp3":
            return self._encoded(form, seconds, self._made)
        if seconds not in self._mp3:
            self._mp3[seconds] = [self._encoded(form, seconds, k) for k in range(16)]
        return id3(f"clip {self._made}") + self._mp3[seconds][self._made % 16]

    def _encoded(self, form: str, seconds: float, offset: int) -> bytes:
        import soundfile

        file = io.BytesIO()
        # the smallest rate of bits: time goes with frames, room on the disk with bytes
        rate_of_bits = {"compression_level": 0.99, "bitrate_mode": "CONSTANT"} if form == "mp3" else {}
        samples = self._noise[offset : offset + round(seconds * RATE)]
        soundfile.write(file, samples, RATE, format=form.upper(), **rate_of_bits)
        return file.getvalue()


def id3(title: str) -> bytes:
    """An ID3v2.3 tag with a title, as most MP3 files begin with."""
    text = b"\0" + title.encode("latin-1")
    frame = b"TIT2" + len(text).to_bytes(4, "big") + b"\0\0" + text
    return b"ID3\3\0\0" + bytes((0, 0, len(frame) >> 7, len(frame) & 0x7F)) + frame
