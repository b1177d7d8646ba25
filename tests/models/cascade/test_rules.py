"""Questions of every kind, read from descriptions written here by hand in the format of `describe`."""

import pytest

from audiometry.models.cascade import rules
from audiometry.models.cascade.messages import Focus
from audiometry.models.cascade.question import Question, focus, of, span
from audiometry.records import Prompt, Text, Turn

SPEECH = """Length: 4.90 s, 16000 Hz, 1 channel
Level: -16.4 dBFS RMS, peak -3.3 dBFS
Kind: speech likeness 1.00
Transcript: please enter your agent number followed by the pound key
Words: please 1.64-1.99 s; enter 1.99-2.16 s; your 2.16-2.42 s; agent 2.42-2.90 s; number 2.90-3.25 s
Recogniser's confidence: 0.39
Voice: pitch 195 Hz (10 to 90 %: 135-270 Hz), jitter 1.16 %, aperiodicity 0.028, shimmer 0.60 dB
Machine-like voice: 0.08 (0: a person, 1: a synthesiser)
Voices: 2
Stretch 1: 0.06-1.29 s, -15.6 dBFS, tonal 0.90, tone 190 Hz, flux 6.1 dB, voice 1"""

ENGLISH = "\nLanguage: en ({}), by how sure the English recogniser is"

DIGIT = """Kind: speech likeness 0.98
Transcript: fine
Words: fine 0.08-0.77 s
As a number: five
As a letter: i
As a spelling word: lima"""

MELODY = """Kind: speech likeness 0.00
Onsets: 4 at 0.10, 0.50, 0.90, 1.30 s
Notes: 0.10 s C4 (MIDI 60.0, 261.6 Hz), -41.0 dBFS, like piano; 0.50 s E4 (MIDI 64.0, 329.6 Hz), -35.0 dBFS, like flute; 0.90 s G4 (MIDI 67.1, 393.0 Hz), -30.0 dBFS, like flute; 1.30 s C5 (MIDI 72.0, 523.3 Hz), -25.0 dBFS, like trumpet
Velocity: about 97, if the clip keeps the level of a General MIDI renderer
Timbre: if one instrument plays: piano 0.200; flute 0.150; violin 0.100; church organ 0.050
Tempo: 150 beats a minute, strength 0.60"""  # noqa: E501  one line, as it is written

COUGH = (
    "Kind: speech likeness 0.10\nEvents: tonal 0.60, tone 300 Hz, span 1.10 octaves, glide -0.10 octaves, bursts 3, "
    "burst 0.12 s, rate 4.00 Hz, regularity 0.80, attack 0.02 s, decay 0.05 s, swing 5.0 dB, sounding 0.50 s, "
    "centroid 800 Hz, flatness 0.0200, low 0.20, high 0.02\n"
    "Stretch 1: 0.00-0.50 s, -16.0 dBFS, tonal 0.60, tone 300 Hz, bursts 3, burst 0.12 s, rate 4.00 Hz, "
    "sounding 0.50 s, centroid 800 Hz\n"
    "Stretch 2: 2.00-5.00 s, -16.0 dBFS, tonal 0.05, tone 0 Hz, bursts 1, burst 3.00 s, rate 0.00 Hz, swing 2.0 dB, "
    "sounding 3.00 s, centroid 4500 Hz, high 0.50"
)

SPOTTED = "\nListening for 'zebra': 4.00-4.40 s (confidence 0.41); 0.10-0.40 s (confidence 0.12)"

TALK = (
    "Kind: speech likeness 0.60\nStretch 1: 0.00-3.00 s, -20.0 dBFS, tonal 0.50, flux 1.0 dB\n"
    "Stretch 2: 4.00-5.00 s, -20.0 dBFS, tonal 0.50, flux 6.0 dB"
)

SAID = COUGH.replace("likeness 0.10", "likeness 0.97\nRecogniser's confidence: 0.80")

CASES = [
    (SPEECH, "When is the word 'number' said?", ["[0.10, 0.50]", "[2.85, 3.30]", "[4.00, 4.40]"], 1),
    (SPEECH, 'At what time do you hear "agent number"?', ["[2.42, 3.25]", "[2.90, 3.25]", "[1.64, 1.99]"], 0),
    (SPEECH, "When is the word 'numbers' said?", ["[0.10, 0.50]", "[2.85, 3.30]"], 1),  # the word most like it
    (SPEECH, "When is the word 'number' said?", ["[0.10, 0.50]", "[3.60, 4.00]", "[4.40, 4.80]"], 1),  # the nearest
    (SPEECH + SPOTTED, "When is the word 'zebra' said?", ["[0.10, 0.50]", "[2.85, 3.30]", "[3.95, 4.45]"], 2),
    (TALK, "When does a person speak?", ["[0.00, 3.00]", "[4.00, 5.00]"], 1),
    (TALK, "When does it happen?", ["[0.00, 3.00]", "[4.00, 5.00]"], 0),
    (SAID, "What is it?", ["a siren", "someone talking", "rain"], 1),
    (COUGH, "What is it?", ["someone talking", "rain", "a cough"], 2),
    (SPEECH, "How many speakers are there?", ["one", "two", "three", "4"], 1),
    (SPEECH, "How many people talk?", ["1 person", "2 people", "3 people"], 1),
    (SPEECH, "Is the voice real or fake?", ["fake", "real"], 1),
    (SPEECH.replace("voice: 0.08", "voice: 0.93"), "Who speaks?", ["a human voice", "text-to-speech"], 1),
    (SPEECH, "What is the speaker's sex?", ["male", "female"], 1),
    (SPEECH.replace("pitch 195", "pitch 110"), "Is it a man or a woman?", ["a man", "a woman"], 0),
    (SPEECH, "What should be entered?", ["your agent number", "a birthday", "the postal code"], 0),
    (SPEECH + "\nLanguage: fr (0.91)", "Which language is it?", ["Italian", "French", "English"], 1),
    (SPEECH + ENGLISH.format(0.93), "Which language is it?", ["Italian", "French", "English"], 2),
    (SPEECH + ENGLISH.format(0.07), "Which language is it?", ["English", "Russian"], 1),
    (DIGIT, "Which digit is spoken?", ["3", "five", "8"], 1),
    (DIGIT, "Which number does the speaker say?", ["15", "9", "5", "4"], 2),
    (DIGIT, "Which letter is it?", ["C", "I", "Q"], 1),
    (DIGIT, "Which letter is spelt?", ["sierra", "lima", "kilo"], 1),
    (DIGIT + "\nClosest of dog, cat: cat", "Which word is said?", ["dog", "cat"], 1),
    (MELODY, "What is the highest note?", ["C4", "G4", "C5", "E5"], 2),
    (MELODY, "Which MIDI note comes first?", ["58", "60", "62"], 1),
    (MELODY, "What pitch does the loudest note have?", ["261.6 Hz", "440 Hz", "523 Hz"], 2),
    (MELODY, "What is the velocity of the note?", ["25", "50", "100", "127"], 2),
    (MELODY, "How loud is it struck?", ["very soft", "medium", "forte"], 2),
    (MELODY, "Does the melody go up or down?", ["it falls", "it rises", "it stays the same"], 1),
    (MELODY, "How does the loudness change?", ["it gets softer", "it stays the same", "it gets louder"], 2),
    (MELODY, "What is the tempo?", ["60 BPM", "90 BPM", "150 BPM"], 2),
    (MELODY, "How fast is the piece?", ["slow", "moderate", "fast"], 2),
    (MELODY, "How many notes are played?", ["2", "three", "four", "5"], 2),
    (MELODY, "Which instrument is it?", ["trumpet", "violin", "piano"], 2),
    (MELODY, "Which instrument plays last?", ["piano", "trumpet", "flute"], 1),
    (COUGH, "Which sound is it?", ["laughter", "a cough", "a sigh"], 1),
    (COUGH, "When does running water sound?", ["[0.00, 0.50]", "[2.00, 5.00]", "[0.50, 2.00]"], 1),
    (COUGH, "How many bursts are there?", ["one", "three", "five"], 1),
]


@pytest.mark.parametrize(("description", "question", "options", "right"), CASES)
def test_the_option_that_the_description_speaks_for_is_chosen(description, question, options, right):
    ruling = rules.read(Question(question, tuple(options)), description)

    assert ruling.text == f"{'ABCDEFGH'[right]}. {options[right]}"
    assert ruling.rule


@pytest.mark.parametrize(("description", "question", "options", "right"), CASES)
def test_the_order_of_the_options_does_not_change_the_choice(description, question, options, right):
    ruling = rules.read(Question(question, tuple(reversed(options))), description)

    assert ruling.text.partition(". ")[2] == options[right]


@pytest.mark.parametrize(
    ("description", "question", "options"),
    [
        (SPEECH, "What emotion does the speaker show?", ["anger", "joy", "sadness"]),
        (SPEECH, "Which language is spoken?", ["English", "French", "Italian"]),
        (SPEECH + ENGLISH.format(0.07), "Which language is spoken?", ["English", "French", "Italian"]),
        (MELODY, "What genre is it?", ["jazz", "rock", "folk"]),
        ("Length: 1.00 s, 16000 Hz, 1 channel\nKind: silence", "Which sound is it?", ["a dog", "a cat"]),
        ("", "What is heard?", ["this", "that"]),
        (MELODY, "Which instrument is it?", ["piano", "piano"]),
    ],
)
def test_without_evidence_there_is_no_guess(description, question, options):
    ruling = rules.read(Question(question, tuple(options)), description)

    assert ruling == (rules.CANNOT_TELL, "")


def test_open_questions_get_the_words_or_the_measures():
    assert rules.read(Question("Transcribe the speech.", ()), SPEECH).text.startswith("please enter your agent")
    assert "beats a minute" in rules.read(Question("Describe the music.", ()), MELODY).text
    assert rules.read(Question("What happens?", ()), "Kind: silence").text == "The clip is silent."


def test_a_prompt_is_taken_apart_with_and_without_stated_options():
    text = "Listen.\nWhich digit is 'spoken'?\nA. five\nB) nine\n(C) six\nAnswer with the letter."
    stated = of(Prompt(turns=(Turn("user", (Text(text),)),), options=("five", "nine", "six")))
    read = of(Prompt(turns=(Turn("user", (Text(text),)),)))

    assert stated == read
    assert stated.options == ("five", "nine", "six")
    assert stated.text == "Listen.\nWhich digit is 'spoken'?\nAnswer with the letter."


@pytest.mark.parametrize(
    ("text", "options", "wanted"),
    [
        ("Which word is spoken?", ("cat", "dog"), Focus(phrases=("cat", "dog"))),
        ("When is 'agent' said?", ("[0.1, 0.2]", "[1.0, 1.4]"), Focus(word="agent")),
        ("When does the dog bark?", ("[0.1, 0.2]", "[1.0, 1.4]"), None),
        ("Which language is spoken?", ("French", "Italian"), None),
        ("Which instrument do you hear?", ("flute", "oboe"), None),
        ("Describe what is said.", (), None),
    ],
)
def test_a_question_says_what_to_listen_for(text, options, wanted):
    assert focus(Question(text, options)) == wanted


@pytest.mark.parametrize(
    ("option", "wanted"),
    [
        ("[7.67, 8.05]", (7.67, 8.05)),
        ("0.5-1.5 s", (0.5, 1.5)),
        ("from 1 to 2 seconds", (1.0, 2.0)),
        ("[3.0, 1.0]", None),
        ("never", None),
        ("between 3 and 4 people", None),
    ],
)
def test_time_ranges_are_told_from_other_options(option, wanted):
    assert span(option) == wanted
