"""What the cascade hears, in the process of the test: real speech with the real recogniser, and sounds made here."""

import importlib.util
import io
import json
import re
from pathlib import Path

import numpy as np
import pytest
import soundfile

import audiometry
from audiometry.errors import AudioError
from audiometry.models.cascade.messages import Focus, Request

if importlib.util.find_spec("pocketsphinx") is None:
    pytest.skip("the package pocketsphinx is not installed", allow_module_level=True)

from audiometry.models.cascade.hear import Listener
from audiometry.models.cascade.transcribe import PocketSphinx, Transcript

RATE = 16_000
MINI = Path(audiometry.__file__).parent / "bench" / "mini"


@pytest.fixture(scope="module")
def listener():
    return Listener(PocketSphinx())


@pytest.fixture(scope="module")
def mini():
    """The item of the embedded benchmark with that id, and its clip."""
    rows = {row["id"]: row for row in map(json.loads, (MINI / "metadata.jsonl").read_text().splitlines())}

    def item(name):
        row = rows[f"mini/{name}"]
        return row, (MINI / row["file_name"]).read_bytes()

    return item


def wav(x, rate=RATE):
    out = io.BytesIO()
    soundfile.write(out, x, rate, format="WAV", subtype="FLOAT")
    return out.getvalue()


def note(midi, seconds=0.6, level=0.2):
    t = np.arange(int(seconds * RATE)) / RATE
    hz = 440 * 2 ** ((midi - 69) / 12)
    return level * np.exp(-2 * t) * sum(np.sin(2 * np.pi * hz * k * t) / k for k in (1, 2, 3))


def facts(description):
    """The lines by label."""
    return dict(line.split(": ", 1) for line in description.splitlines())


def numbers(text):
    return [float(n) for n in re.findall(r"-?\d+(?:\.\d+)?", text)]


def test_three_notes_are_named_with_their_times_and_tempo(listener):
    played = np.concatenate([np.zeros(8000), note(60), note(64), note(67), np.zeros(4000)])
    heard = facts(listener.listen(Request(wav(played))))
    assert heard["Length"] == "2.55 s, 16000 Hz, 1 channel"
    assert re.findall(r"(\S+) \(MIDI", heard["Notes"]) == ["C4", "E4", "G4"]
    times = [float(t) for t in re.findall(r"([\d.]+) s \S+ \(MIDI", heard["Notes"])]
    assert times == pytest.approx([0.5, 1.1, 1.7], abs=0.06)
    assert numbers(heard["Tempo"])[0] == pytest.approx(100, abs=3)
    assert numbers(heard["Kind"])[0] < 0.5
    assert "Transcript" not in heard
    (sounding,) = re.findall(r"([\d.]+)-([\d.]+) s", heard["Sounding"])
    assert [float(end) for end in sounding] == pytest.approx([0.5, 2.3], abs=0.1)


def test_a_softer_note_has_a_lower_velocity_and_the_same_name(listener):
    loud, soft = (facts(listener.listen(Request(wav(note(57, 1.5, level))))) for level in (0.02, 0.005))
    assert numbers(loud["Velocity"])[0] > numbers(soft["Velocity"])[0] > 0
    assert [one["Notes"].split()[2] for one in (loud, soft)] == ["A3", "A3"]


def test_silence_is_said_to_be_silence_and_nothing_else(listener):
    assert listener.listen(Request(wav(np.zeros((8000, 2))))) == "Length: 0.50 s, 16000 Hz, 2 channels\nKind: silence"


def test_speech_is_written_down_with_the_times_of_its_words(listener, mini):
    row, clip = mini("Speech_Grounding/0001")
    heard = facts(listener.listen(Request(clip)))
    assert numbers(heard["Kind"])[0] >= 0.5
    said = json.loads(row["meta"])
    gold = dict(zip((word.lower() for word in said["words"]), said["spans"], strict=True))
    found = {word: (float(a), float(b)) for word, a, b in re.findall(r"(\w+) ([\d.]+)-([\d.]+) s", heard["Words"])}
    assert {"juliet", "whiskey"} <= gold.keys() & found.keys()
    for word in ("juliet", "whiskey"):
        assert found[word] == pytest.approx(gold[word], abs=0.1)
    assert heard["Transcript"].split() == [one.split()[0] for one in heard["Words"].split("; ")]
    assert "Notes" not in heard
    stretches = [label for label in heard if label.startswith("Stretch ")]
    assert len(stretches) == len(heard["Sounding"].split("; ")) == 5
    assert all(", voice " in heard[label] for label in stretches)


def test_with_a_focus_only_what_was_asked_for_is_listened_to(listener, mini):
    row, clip = mini("Speech_Grounding/0001")
    heard = facts(listener.listen(Request(clip, Focus(word="victor"))))
    assert set(heard) == {"Listening for 'victor'"}
    start, end, confidence = numbers(heard["Listening for 'victor'"].replace("-", " "))[:3]
    assert (start, end) == pytest.approx(json.loads(row["answer"]), abs=0.15)
    assert 0 <= confidence <= 1


def test_of_several_phrases_the_one_that_is_said_is_picked(listener, mini):
    row, clip = mini("Speech_Entity_Reconition/0001")
    spelt = {"0": "zero", "1": "one", "3": "three", "5": "five", "6": "six", "7": "seven"}
    phrases = {option: " ".join(spelt[digit] for digit in option.split()) for option in row["options"]}
    heard = listener.listen(Request(clip, Focus(phrases=tuple(phrases.values()))))
    assert heard.endswith(f": {phrases[row['answer']]}")


def test_synthesisers_sound_more_like_machines_than_people_do(mini):
    class Deaf:
        """Of no words: they take most of the time, and a voice is told without them."""

        def transcribe(self, x):
            return Transcript(())

        def pick(self, x, phrases):
            return ""

    listener = Listener(Deaf())
    found = {"a human voice": [], "a synthesised voice": []}
    for number in range(1, 9):
        row, clip = mini(f"Synthesized_Voice_Detection/{number:04}")
        heard = facts(listener.listen(Request(clip)))
        if "Machine-like voice" in heard:
            found[row["answer"]].append(numbers(heard["Machine-like voice"])[0])
    human, made = found.values()
    assert human
    assert made
    assert np.median(made) > 0.5 > np.median(human)


def test_what_is_no_clip_is_told(listener):
    with pytest.raises(AudioError, match="the clip sent to the cascade"):
        listener.listen(Request(b"\x00not a clip"))
