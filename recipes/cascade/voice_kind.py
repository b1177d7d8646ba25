"""Fit the two voice models again: ``python -m recipes.cascade.voice_kind --cache FOLDER``.

Prints the weights beside those of ``audiometry.models.cascade.signal.voice_kind``, and how both do on the very clips
they were fitted to: that says how close the two are, and nothing about other voices.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from recipes.cascade import notes, utterances
from recipes.cascade.fits import Matrix, chances, logistic
from recipes.cascade.packages import RECOGNISER_RATE, at_rate, fetched, read, small_font
from recipes.mini.draft import Samples
from recipes.mini.sources import Sources

from audiometry import seeds
from audiometry.models.cascade.signal import frames, voice_kind
from audiometry.models.cascade.signal.voice import measure_voice

PROMPT_SEED, SENTENCE_SEED, NOTE_SEED = 3, 5, 1
PROMPTS_EACH, NOTES_EACH, NOTES_KEPT = 70, 24, 250
_SUNG = ("voxy", "choir")


def sounding(x: Samples) -> Samples | None:
    """What sounds of a clip at 16 kHz, as the cascade cuts it; None for silence."""
    spans = frames.active_spans(x, RECOGNISER_RATE)
    return np.concatenate([frames.cut(x, RECOGNISER_RATE, s) for s in spans]) if spans else None


def length_s(x: Samples) -> float:
    """Seconds of sound in a clip at 16 kHz."""
    return float(sum(s.length_s for s in frames.active_spans(x, RECOGNISER_RATE)))


def speech_rows(clips: Sequence[Samples]) -> Matrix:
    """`speech_features` of every clip that is not silent, ``float64[n, 12]``."""
    rows = [
        voice_kind.speech_features(measure_voice(s, RECOGNISER_RATE), length_s(x))
        for x in clips
        if (s := sounding(x)) is not None
    ]
    return np.array(rows)


def machine_rows(clips: Sequence[Samples]) -> Matrix:
    """`machine_features` of every clip with enough voiced sound, ``float64[n, 9]``."""
    found = [voice_kind.machine_features(s, RECOGNISER_RATE) for x in clips if (s := sounding(x)) is not None]
    return np.array([row for row in found if row is not None])


def gathered(found: Sources, cache: Path) -> dict[str, list[Samples]]:
    """Every clip, by where it comes from, at 16 kHz."""
    draw = seeds.Stream(PROMPT_SEED)
    prompts = utterances.prompts(found, PROMPTS_EACH, draw)
    machines = utterances.synthesised(cache / "sentences", SENTENCE_SEED)
    by_key = dict(notes.held_notes(small_font(found), NOTES_EACH, NOTE_SEED))
    kept = draw.sample(sorted(by_key), NOTES_KEPT)
    samples = sorted((found.root("sonic-pi-samples") / "usr/share/sonic-pi/samples").glob("*.flac"))
    return {
        "prompts": [read(p) for p in prompts],
        "single words": [read(p) for p in utterances.single_words(found)],
        **{name: [read(p) for p in paths] for name, paths in machines.items()},
        "held notes": [at_rate(by_key[k], notes.RENDER_RATE, RECOGNISER_RATE) for k in kept],
        "samples": [read(p) for p in samples if not any(s in p.name for s in _SUNG)],
    }


def speech_weights(rows: dict[str, Matrix]) -> Matrix:
    """The fit of ``SPEECH_WEIGHTS``."""
    spoken = np.vstack([rows[k] for k in ("prompts", "espeak-ng", "flite", "single words")])
    other = np.vstack([rows[k] for k in ("held notes", "samples")])
    return logistic(np.vstack([spoken, other]), np.repeat([1.0, 0.0], [len(spoken), len(other)]))


def machine_weights(rows: dict[str, Matrix]) -> Matrix:
    """The fit of ``MACHINE_WEIGHTS``; people and machines count alike, however many clips there are of each."""
    machines = np.vstack([rows["espeak-ng"], rows["flite"]])
    people = rows["prompts"]
    sizes = [len(machines), len(people)]
    counts = np.repeat([len(people) / len(machines), 1.0], sizes)
    return logistic(np.vstack([machines, people]), np.repeat([1.0, 0.0], sizes), ridge=2.0, counts=counts)


def compare(name: str, shipped: Sequence[float], fitted: Matrix, rows: dict[str, Matrix]) -> None:
    """Print both tables, and of how many clips of each source they say more than one half."""
    print(f"{name}\n  shipped {list(shipped)}\n  fitted  {np.round(fitted, 3).tolist()}")
    for source, row in rows.items():
        old, new = chances(shipped, row), chances(fitted, row)
        print(
            f"  {source:13}{len(row):4} clips: shipped {np.mean(old > 0.5):.3f}, fitted {np.mean(new > 0.5):.3f}, "
            f"largest difference {np.abs(old - new).max():.3f}"
        )


def main() -> None:
    """Read the command line, fit, compare."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cache", type=Path, required=True, help="where packages are kept and unpacked")
    cache: Path = parser.parse_args().cache
    clips = gathered(fetched(cache), cache)
    speech = {name: speech_rows(of) for name, of in clips.items()}
    compare("SPEECH_WEIGHTS", voice_kind.SPEECH_WEIGHTS, speech_weights(speech), speech)
    machine = {name: machine_rows(clips[name]) for name in ("prompts", "espeak-ng", "flite")}
    compare("MACHINE_WEIGHTS", voice_kind.MACHINE_WEIGHTS, machine_weights(machine), machine)


if __name__ == "__main__":
    main()
