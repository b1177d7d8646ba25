"""Single notes of a General MIDI sound font, rendered by fluidsynth at its defaults, and their timbre."""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from itertools import repeat
from pathlib import Path
from typing import NamedTuple

import numpy as np
import soundfile
from numpy.typing import NDArray
from recipes.cascade.packages import at_rate
from recipes.mini.draft import Samples
from recipes.mini.midi import Note, midi_file

from audiometry import seeds
from audiometry.models.cascade.signal.frames import frame_levels
from audiometry.models.cascade.signal.pitch import midi_of, note_hz
from audiometry.models.cascade.signal.timbre import timbre

VELOCITIES = (25, 50, 75, 100, 127)
RENDER_RATE, TIMBRE_RATE = 44_100, 22_050
SLOT_S, KEPT_S = 4.0, 3.5
_PROCESSES = 2
_AUDIBLE = 1e-4


class Program(NamedTuple):
    """A General MIDI program, counted from 0, the name it is to be heard as, and its lowest and highest MIDI pitch."""

    number: int
    name: str
    low: int
    high: int


PROGRAMS = tuple(Program(*row) for row in (
    (0, "piano", 30, 96),
    (1, "piano", 30, 96),
    (4, "electric piano", 36, 90),
    (5, "electric piano", 36, 90),
    (6, "harpsichord", 36, 84),
    (9, "glockenspiel", 72, 100),
    (10, "music box", 60, 96),
    (11, "vibraphone", 53, 89),
    (12, "marimba", 45, 90),
    (13, "xylophone", 60, 96),
    (14, "tubular bells", 60, 77),
    (16, "organ", 36, 90),
    (18, "organ", 36, 90),
    (19, "church organ", 36, 90),
    (21, "accordion", 48, 84),
    (22, "harmonica", 60, 90),
    (24, "acoustic guitar", 40, 80),
    (25, "acoustic guitar", 40, 80),
    (26, "electric guitar", 40, 80),
    (27, "electric guitar", 40, 80),
    (30, "distorted guitar", 40, 76),
    (32, "double bass", 28, 55),
    (33, "electric bass", 28, 55),
    (35, "electric bass", 28, 55),
    (38, "synth bass", 28, 55),
    (40, "violin", 55, 96),
    (41, "viola", 48, 84),
    (42, "cello", 36, 72),
    (48, "string ensemble", 40, 90),
    (46, "harp", 36, 90),
    (47, "timpani", 36, 57),
    (52, "choir", 48, 79),
    (53, "voice", 48, 79),
    (56, "trumpet", 55, 84),
    (57, "trombone", 42, 70),
    (58, "tuba", 28, 58),
    (60, "french horn", 41, 74),
    (61, "brass section", 42, 80),
    (64, "saxophone", 55, 84),
    (65, "saxophone", 50, 80),
    (66, "saxophone", 46, 76),
    (67, "saxophone", 40, 68),
    (68, "oboe", 58, 88),
    (69, "english horn", 52, 80),
    (70, "bassoon", 34, 70),
    (71, "clarinet", 50, 90),
    (72, "piccolo", 74, 100),
    (73, "flute", 60, 94),
    (74, "recorder", 60, 90),
    (75, "pan flute", 60, 90),
    (80, "synthesiser lead", 36, 90),
    (81, "synthesiser lead", 36, 90),
    (87, "synthesiser lead", 36, 90),
    (104, "sitar", 48, 77),
    (105, "banjo", 48, 84),
))  # fmt: skip
"""What `instruments.json` tells apart; several programs may bear one name."""

HELD = (
    ("piano", (0, 1, 2), 30, 96),
    ("keyboard", (4, 5), 36, 90),
    ("organ", (16, 18, 19), 36, 90),
    ("accordion", (21, 22), 48, 84),
    ("guitar", (24, 25, 26, 27), 40, 80),
    ("bass", (32, 33, 34), 28, 55),
    ("strings", (40, 41, 42, 48), 40, 90),
    ("harp", (46,), 36, 90),
    ("brass", (56, 57, 60, 61), 42, 80),
    ("reed", (64, 65, 66, 68, 70, 71), 46, 84),
    ("flute", (73, 74, 72), 60, 92),
    ("mallet", (9, 11, 12, 13), 53, 96),
    ("vocal", (52, 53), 48, 79),
    ("synth", (80, 81, 87), 36, 90),
)
"""The notes that are no speech: family, programs, lowest and highest MIDI pitch."""


class Colour(NamedTuple):
    """A rendered note: its name and true MIDI pitch and velocity, what was measured of it (None: nothing was).

    Attributes:
        name: of its program.
        pitch, velocity: as played.
        heard: its MIDI pitch by the pitch tracker.
        level_dbfs: its loudest tenth of a second.
        numbers: `audiometry.models.cascade.signal.timbre.timbre`.
    """

    name: str
    pitch: int
    velocity: int
    heard: float | None
    level_dbfs: float
    numbers: NDArray[np.float64] | None


def rendered(font: Path, notes: Sequence[Note]) -> Iterator[tuple[int, Samples]]:
    """The place of each note that can be heard, and its sound, 3.5 s from its beginning at 44.1 kHz.

    fluidsynth's default gain, reverb and chorus stay on: that is how General MIDI is mostly rendered.
    """
    with tempfile.TemporaryDirectory() as name:
        score, wave = Path(name) / "score.mid", Path(name) / "score.wav"
        score.write_bytes(midi_file(notes))
        command = ["fluidsynth", "-q", "-ni", "-r", str(RENDER_RATE), "-F", str(wave), str(font), str(score)]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        samples, rate = soundfile.read(wave)
    # the first renders were kept as 16-bit files, and the faintest harmonics show it
    mono = np.floor(samples.mean(axis=1) * 32768.0) / 32768.0
    for at, note in enumerate(notes):
        part = mono[int(note.start_s * rate) : int((note.start_s + KEPT_S) * rate)]
        if len(part) and np.abs(part).max() > _AUDIBLE:
            yield at, part


def colours(font: Path, each: int, seed: int) -> list[Colour]:
    """What is measured of so many random notes of every one of `PROGRAMS`."""
    with ProcessPoolExecutor(_PROCESSES) as workers:
        found = workers.map(_colours_of, PROGRAMS, repeat(font), repeat(each), repeat(seed))
        return [colour for row in found for colour in row]


def _colours_of(program: Program, font: Path, each: int, seed: int) -> list[Colour]:
    # the streams and the order of draws are those of the shipped table
    draw = seeds.Stream(seed * 1000 + program.number)
    notes = []
    for at in range(each):
        held, pitch = draw.choice([0.7, 1.0, 1.5, 2.0]), draw.randint(program.low, program.high)
        notes.append(Note(at * SLOT_S, held, pitch, draw.choice(VELOCITIES), program.number))
    out = []
    for at, part in rendered(font, notes):
        x = at_rate(part, RENDER_RATE, TIMBRE_RATE)
        hz = note_hz(x[int(0.05 * TIMBRE_RATE) : int(1.5 * TIMBRE_RATE)], TIMBRE_RATE)
        level = float(frame_levels(x, TIMBRE_RATE, 0.1, 0.02).max())
        numbers = None if hz is None else timbre(x, TIMBRE_RATE, hz)
        heard = None if hz is None else midi_of(hz)
        out.append(Colour(program.name, notes[at].pitch, notes[at].velocity, heard, level, numbers))
    return out


def held_notes(font: Path, each: int, seed: int) -> list[tuple[str, Samples]]:
    """So many random notes of every program of `HELD`, with a key to sort them by, at 44.1 kHz."""
    draw = seeds.Stream(seed)
    out = []
    for family, programs, low, high in HELD:
        for program in programs:
            notes = []
            for at in range(each):
                held, pitch = draw.choice([1.0, 1.5, 2.0]), draw.randint(low, high)
                notes.append(Note(at * SLOT_S, held, pitch, draw.choice(VELOCITIES), program))
            for at, part in rendered(font, notes):
                out.append((f"{family}_{program}_{at}_{notes[at].pitch}_{notes[at].velocity}.wav", part))
    return out
