"""Pairs of clips mixed by one library, read to written, in one process or several.

    python bare_mixing.py LIBRARY FOLDER PAIRS PROCESSES

LIBRARY is audiometry, pyloudnorm, scaper or pydub (which knows no LUFS). FOLDER holds ``a/x/K.wav`` and ``b/x/K.wav``.
Prints a JSON object: seconds on the clock and of the CPU from the first pair to the last, imports left out; empty
where the library is not installed.
"""

import importlib.util
import json
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from resource import RUSAGE_CHILDREN, RUSAGE_SELF, getrusage

import numpy as np
import soundfile

from audiometry.audio import MixPlan
from audiometry.audio.mixed_file import mix_files
from audiometry.programs.parallel import mapped

LOUDER_BY, OFFSET_S, RATE = 6.0, 1.5, 16_000
PLAN = MixPlan(louder="a", level_difference_db=LOUDER_BY, ahead="b", offset_s=OFFSET_S)
Mixer = Callable[[Path, Path, Path], object]


def by_audiometry() -> Mixer:
    """The way of a whole set."""
    return lambda a, b, out: mix_files(a, b, PLAN, out, durable=False)


def by_pyloudnorm() -> Mixer:
    """The loop that a person would write: soundfile, pyloudnorm's meter with the same filter, numpy."""
    import pyloudnorm

    meter = pyloudnorm.Meter(RATE, filter_class="DeMan")

    def mixed(a: Path, b: Path, out: Path) -> None:
        first, second = soundfile.read(a)[0], soundfile.read(b)[0]
        difference = meter.integrated_loudness(first) - meter.integrated_loudness(second)
        second = second * 10 ** ((difference - LOUDER_BY) / 20)
        onset = round(OFFSET_S * RATE)
        whole = np.zeros(max(len(first) + onset, len(second)))
        whole[: len(second)] += second
        whole[onset : onset + len(first)] += first
        soundfile.write(out, whole / max(1.0, np.abs(whole).max()), RATE, subtype="PCM_16")

    return mixed


def by_scaper() -> Mixer:
    """An event over a background, at a signal-to-noise ratio in LUFS."""
    setattr(np, "Inf", np.inf)  # noqa: B010  scaper 1.6 is from before numpy 2
    import scaper

    def mixed(a: Path, b: Path, out: Path) -> None:
        scene = scaper.Scaper(10.0 + OFFSET_S, str(a.parents[1]), str(b.parents[1]), random_state=0)
        scene.sr, scene.ref_db, scene.n_channels = RATE, -30, 1
        start = ("const", 0.0)
        scene.add_background(label=("const", "x"), source_file=("const", str(b)), source_time=start)
        scene.add_event(
            label=("const", "x"),
            source_file=("const", str(a)),
            source_time=start,
            event_time=("const", OFFSET_S),
            event_duration=("const", 10.0),
            snr=("const", LOUDER_BY),
            pitch_shift=None,
            time_stretch=None,
        )
        scene.generate(str(out), jams_path=None, disable_sox_warnings=True)

    return mixed


def by_pydub() -> Mixer:
    """By dBFS, which is no loudness."""
    from pydub import AudioSegment

    def mixed(a: Path, b: Path, out: Path) -> None:
        first, second = AudioSegment.from_wav(str(a)), AudioSegment.from_wav(str(b))
        second = second.apply_gain(first.dBFS - second.dBFS - LOUDER_BY)
        room = AudioSegment.silent(duration=round(1000 * (10 + OFFSET_S)), frame_rate=RATE)
        room.overlay(second).overlay(first, position=round(1000 * OFFSET_S)).export(str(out), format="wav")

    return mixed


MIXERS = {"audiometry": by_audiometry, "pyloudnorm": by_pyloudnorm, "scaper": by_scaper, "pydub": by_pydub}


def main(library: str, folder: Path, pairs: int, processes: int) -> None:
    """Mix all pairs."""
    warnings.simplefilter("ignore")
    if importlib.util.find_spec(library) is None:
        print("{}")
        return
    mixer = MIXERS[library]()
    with tempfile.TemporaryDirectory(dir=folder) as made:
        work = [(folder / f"a/x/{k}.wav", folder / f"b/x/{k}.wav", Path(made) / f"{k}.wav") for k in range(pairs)]
        mixer(*work[0][:2], Path(made) / "first.wav")
        began, before = time.perf_counter(), cpu_s()
        for _ in mapped(lambda one: mixer(*one) and None, work, chunk=8, after_s=0, processes=processes):
            pass
        print(json.dumps({"wall_s": time.perf_counter() - began, "cpu_s": cpu_s() - before}))


def cpu_s() -> float:
    """Of this process and of its children that have ended."""
    used = [getrusage(whose) for whose in (RUSAGE_SELF, RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4]))
