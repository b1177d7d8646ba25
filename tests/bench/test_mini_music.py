"""The labels of the demo benchmark's music measured again from its clips, sharing no code with the recipe."""

import json
from collections import Counter, defaultdict
from pathlib import Path

import numpy as np
import pytest
import soundfile

import audiometry
from audiometry import bench

FOLDER = Path(audiometry.__file__).parent / "bench" / "mini"


@pytest.fixture(scope="module")
def by_task():
    out = defaultdict(list)
    for item in bench.load("mini"):
        out[item.task].append(item)
    return out


def heard(item):
    return soundfile.read(FOLDER / item.file_name)


def level_db(samples):
    return 10 * np.log10(np.mean(np.square(samples)) + 1e-12)


def pitch_of(part, rate):
    """MIDI pitch by the autocorrelation of a part of a note: the first peak that comes near the highest one."""
    spectrum = np.fft.rfft(part, 2 * len(part))
    lags = np.fft.irfft(np.abs(spectrum) ** 2)[: len(part) // 2]
    lags = lags / (len(part) - np.arange(len(lags)))
    shortest = rate // 2000
    peaks = [n for n in range(shortest, len(lags) - 1) if lags[n - 1] < lags[n] >= lags[n + 1]]
    top = max(lags[n] for n in peaks)
    lag = next(n for n in peaks if lags[n] > 0.9 * top)
    left, middle, right = lags[lag - 1 : lag + 2]
    exact = lag + 0.5 * (left - right) / (left - 2 * middle + right)
    return 69 + 12 * np.log2(rate / exact / 440)


@pytest.mark.shipped
def test_most_pitches_are_found_again_by_autocorrelation(by_task):
    errors = []
    for item in by_task["Music_Midi_Pitch_Analysis"]:
        assert item.answer == f"midi_pitch_{item.tags['pitch']}"
        samples, rate = heard(item)
        errors.append(pitch_of(samples[round(0.3 * rate) : round(0.8 * rate)], rate) - item.tags["pitch"])
    errors = np.array(errors)
    octaves = np.abs(errors - 12 * np.round(errors / 12))
    assert np.mean(np.abs(errors) < 0.5) >= 0.85
    assert np.mean(octaves < 0.5) >= 0.95


def test_the_right_pitch_stands_anywhere_among_its_options(by_task):
    ranks = Counter()
    for item in by_task["Music_Midi_Pitch_Analysis"]:
        numbers = [int(o.removeprefix("midi_pitch_")) for o in item.options]
        assert all(0 <= n <= 127 for n in numbers)
        ranks[sorted(numbers).index(item.tags["pitch"])] += 1
    assert min(ranks[n] for n in range(4)) >= 7


@pytest.mark.shipped
def test_a_harder_note_is_louder(by_task):
    notes = defaultdict(list)
    for item in by_task["Music_Midi_Velocity_Analysis"]:
        notes[item.group].append((int(item.answer), level_db(heard(item)[0])))
    assert len(notes) == 12
    for name, levels in notes.items():
        assert [v for v, _ in sorted(levels)] == [25, 50, 75, 100, 127]
        assert np.diff([level for _, level in sorted(levels)]).min() > 1.0, name


def test_the_tunes_are_what_their_notes_say(by_task):
    seen = Counter()
    for item in by_task["Music_AQA"]:
        facts, about = json.loads(item.meta), item.tags["about"]
        steps, gaps = np.sign(np.diff(facts["pitches"])), np.diff(facts["starts"])
        force = np.sign(np.diff(facts["velocities"]))
        if about == "notes":
            assert len(facts["starts"]) == int(item.answer)
        elif about == "instruments":
            assert len(set(facts["programs"])) == int(item.answer)
        elif about == "contour":
            words = {(1.0,): "it rises throughout", (-1.0,): "it falls throughout"}
            words |= {(1.0, -1.0): "it rises and then falls", (-1.0, 1.0): "it falls and then rises"}
            assert words[tuple(s for n, s in enumerate(steps) if n == 0 or s != steps[n - 1])] == item.answer
        elif about == "loudness":
            words = {(1.0,): "it gets louder", (-1.0,): "it gets softer", (0.0,): "it stays the same"}
            words |= {(1.0, 0.0, -1.0): "it gets louder and then softer"}
            assert words[tuple(s for n, s in enumerate(force) if n == 0 or s != force[n - 1])] == item.answer
        elif about == "tempo":
            change = gaps[-1] / gaps[0]
            middle = gaps[len(gaps) // 2] / gaps[0]
            wanted = "it gets faster" if change < 0.5 else "it gets slower" if change > 2 else "it stays the same"
            assert item.answer == ("it gets faster and then slower" if middle < 0.5 < change else wanted)
        else:
            first = list(dict.fromkeys(facts["programs"]))
            assert len(first) == 3
        seen[about] += 1
    assert set(seen) == {"order", "notes", "instruments", "contour", "loudness", "tempo"}


@pytest.mark.shipped
def test_most_melodies_can_be_followed_again(by_task):
    asked = [i for i in by_task["Music_AQA"] if i.tags["about"] == "contour"]
    right = total = 0
    for item in asked:
        samples, rate = heard(item)
        facts = json.loads(item.meta)
        for start, pitch in zip(facts["starts"], facts["pitches"], strict=True):
            found = pitch_of(samples[round((start + 0.06) * rate) : round((start + 0.32) * rate)], rate)
            right += abs(found - pitch) < 0.6
            total += 1
    assert total == 7 * len(asked)
    assert right / total >= 0.85


@pytest.mark.shipped
def test_dynamics_can_be_measured_again(by_task):
    for item in by_task["Music_AQA"]:
        if item.tags["about"] != "loudness":
            continue
        samples, rate = heard(item)
        levels = [level_db(samples[round(s * rate) : round((s + 0.3) * rate)]) for s in json.loads(item.meta)["starts"]]
        rise = {"it gets louder": (6, 99), "it gets softer": (-99, -6)}.get(item.answer, (-5, 5))
        assert rise[0] < levels[-1] - levels[0] < rise[1], item.id
