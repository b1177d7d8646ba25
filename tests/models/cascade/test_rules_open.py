"""Answers to questions without options, from descriptions as they are written."""

import pytest

from audiometry.models.cascade import rules
from audiometry.models.cascade.question import Question

WORDS = (
    "Kind: speech likeness 0.98\nTranscript: one moment please\n"
    "Words: one 0.1-0.3 s; moment 0.3-0.8 s; please 0.8-1.2 s\nRecogniser's confidence: {sure}"
)
NOTES = (
    "Kind: speech likeness 0.01\nNotes: 0.10 s F4 (MIDI 65.0, 349.0 Hz), -23.7 dBFS, like clarinet; "
    "0.47 s A4 (MIDI 69.0, 440.0 Hz), -21.8 dBFS, like oboe; 0.84 s {last}, -22.7 dBFS, like oboe\n"
    "Timbre: if one instrument plays: oboe 0.610; clarinet 0.200\nTempo: 120 beats a minute, strength 0.40\n"
    "Events: tonal 0.95, tone 400 Hz"
)
SOUNDS = (
    "Kind: speech likeness 0.02\nNotes: 4.80 s G7 (MIDI 103.2, 3177.8 Hz), -21.2 dBFS, like choir\n"
    "Events: tonal 0.32, tone 3088 Hz\n"
    "Stretch 1: 0.23-1.38 s, -24.3 dBFS, tonal 0.00, tone 0 Hz, bursts 1\n"
    "Stretch 2: 2.04-4.25 s, -25.0 dBFS, tonal 0.13, tone 102 Hz, bursts 8\n"
    "Stretch 3: 4.80-6.42 s, -23.4 dBFS, tonal 1.00, tone 3092 Hz, bursts 1\n"
    "Stretch 4: 6.88-6.97 s, -24.0 dBFS, tonal 0.45, tone 500 Hz, bursts 1"
)


def told(question, description):
    ruling = rules.read(Question(question, ()), description)
    assert ruling.rule == "open"
    return ruling.text


def test_words_alone_where_they_are_asked_for():
    assert told("What does she say?", WORDS.format(sure=0.8)) == "one moment please"
    assert told("Transcribe the clip.", WORDS.format(sure=0.8)) == "one moment please"


def test_words_in_a_sentence_where_something_else_is_asked():
    assert told("Which animal is this?", WORDS.format(sure=0.8)) == "A voice says: one moment please."


def test_words_that_the_recogniser_hardly_believes_are_not_passed_on():
    stretch = "Stretch 1: 0.10-1.20 s, -20.0 dBFS, tonal 1.00, tone 300 Hz"
    said = told("Which animal is this?", f"{WORDS.format(sure=0.02)}\n{stretch}")
    assert said == "I hear one sound: 0.1 to 1.2 s, a tone around 300 Hz."


@pytest.mark.parametrize(
    ("last", "course"),
    [
        ("C5 (MIDI 72.0, 523.3 Hz)", "The melody rises."),
        ("E4 (MIDI 64.0, 329.6 Hz)", "The melody rises and then falls."),
    ],
)
def test_notes_are_counted_named_and_followed(last, course):
    said = told("Describe the tune.", NOTES.format(last=last))
    assert said.startswith(f"I hear music: 3 notes, most like oboe (F4, A4, {last[:2]}).")
    assert course in said
    assert said.endswith("The tempo is about 120 beats a minute.")


def test_sounds_are_listed_with_their_times_and_manner():
    assert told("What happens in this clip?", SOUNDS) == (
        "I hear 4 separate sounds: 0.2 to 1.4 s, noise-like; 2.0 to 4.2 s, noise-like, in 8 bursts; "
        "4.8 to 6.4 s, a tone around 3092 Hz; 6.9 to 7.0 s, partly a tone around 500 Hz."
    )


def test_silence_and_nothing_at_all():
    assert told("What is it?", "Length: 1.00 s, 16000 Hz, 1 channel\nKind: silence") == "The clip is silent."
    assert told("What is it?", "Kind: speech likeness 0.00") == "I cannot tell from the audio."
