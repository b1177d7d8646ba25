import importlib.util
import subprocess

import numpy as np
import pytest
import soundfile

from audiometry.models.cascade import transcribe
from audiometry.models.cascade.vocabulary import number_words, whole_number

needs_pocketsphinx = pytest.mark.skipif(
    importlib.util.find_spec("pocketsphinx") is None, reason="the package pocketsphinx is not installed"
)


@pytest.fixture(scope="module")
def recogniser():
    return transcribe.PocketSphinx()


@pytest.fixture(scope="module")
def speak(tmp_path_factory, system_program):
    """Words spoken by espeak-ng, at the recognisers' rate."""
    import soxr

    program = system_program("espeak-ng")

    def spoken(text: str):
        path = tmp_path_factory.mktemp("speech") / "a.wav"
        subprocess.run([program, "-v", "en-us", "-s", "140", "-w", str(path), "--", text], check=True)
        x, rate = soundfile.read(path)
        return soxr.resample(x, rate, transcribe.RATE)

    return spoken


@needs_pocketsphinx
def test_a_sentence_comes_back_in_large_part_with_times_in_order(recogniser, speak):
    x = speak("please enter your account number followed by the pound key")
    said = recogniser.transcribe(x)

    words = set(said.text.split())
    assert len(words & {"please", "enter", "your", "account", "number", "followed", "by", "the", "pound", "key"}) >= 4
    assert 0.0 <= said.confidence <= 1.0
    times = [t for w in said.words for t in (w.start_s, w.end_s)]
    assert times == sorted(times)
    assert times[0] >= 0.0
    assert times[-1] <= len(x) / transcribe.RATE


@needs_pocketsphinx
@pytest.mark.parametrize("word", ["zero", "two", "nine"])
def test_a_word_is_picked_among_options(recogniser, speak, word):
    assert recogniser.pick(speak(word), ("seven", "two", "nine", "zero")) == word


@needs_pocketsphinx
def test_digits_in_figures_are_options_too_and_unknown_words_are_not(recogniser, speak):
    x = speak("five")

    assert recogniser.pick(x, ("5", "9", "8")) == "5"
    assert recogniser.pick(x, ("5", "xqzvrt")) == ""
    assert recogniser.pick(x, ("5",)) == ""
    assert recogniser.pick(x, ()) == ""


@needs_pocketsphinx
def test_a_word_is_spotted_where_it_is(recogniser, speak):
    before, word = speak("please leave your"), speak("password")
    x = np.concatenate((before, word, speak("after the tone")))
    found = recogniser.spot(x, "password")

    assert found
    assert found[0].start_s == pytest.approx(len(before) / transcribe.RATE, abs=0.25)
    assert recogniser.spot(x, "xqzvrt") == []


@needs_pocketsphinx
def test_silence_and_noise_are_no_trouble(recogniser):
    assert recogniser.transcribe(np.zeros(8000)).text == ""
    assert isinstance(recogniser.transcribe(0.1 * np.random.default_rng(0).standard_normal(16_000)).text, str)
    assert isinstance(recogniser.transcribe(np.zeros(0)).text, str)


def test_the_same_samples_give_the_same_input():
    x = 0.01 * np.random.default_rng(0).standard_normal(4000)

    first, again, louder = transcribe.pcm16(x), transcribe.pcm16(x), transcribe.pcm16(10 * x)

    assert np.array_equal(first, again)
    assert np.abs(first.astype(int) - louder).max() <= 1  # the level is evened out
    assert len(first) == 4000 + 2 * 1600


def test_phrases_are_spelt_as_the_dictionary_spells_them():
    assert transcribe.spoken("Enter PIN 42!") == "enter pin forty two"
    assert transcribe.spoken("it's the x-ray") == "it's the x-ray"


def test_numbers_and_words_are_inverses():
    assert all(whole_number(number_words(n)) == n for n in range(1000))
    assert whole_number("three speakers") == 3
    assert whole_number("more than three") is None


def test_long_quiet_around_a_sound_is_left_out_and_little_is_not():
    rate = transcribe.RATE
    word = np.sin(np.arange(rate) * 0.3) * 0.1
    quiet = np.full(30 * rate, 1e-4)
    part = transcribe.sounding(np.concatenate((quiet, word, quiet)))
    assert part.start / rate == pytest.approx(29.5, abs=0.02)
    assert part.stop / rate == pytest.approx(31.5, abs=0.02)
    for whole in (np.concatenate((quiet[:rate], word, quiet[:rate])), quiet, np.zeros(5 * rate), np.zeros(0)):
        assert transcribe.sounding(whole) == slice(0, len(whole))


@needs_pocketsphinx
def test_a_word_at_the_end_of_a_minute_of_quiet_is_heard_where_it_is(recogniser):
    from audiometry import seeds
    from audiometry.audio import probe_tones

    room = seeds.generator(0, "room")
    x = probe_tones.placed(probe_tones.digit(9), 61.0, "end", room).samples[:, 0].astype(np.float64)
    said = recogniser.transcribe(x)
    assert said.text == "nine"
    assert 59.5 < said.words[0].start_s < said.words[0].end_s <= 61.0
    assert recogniser.pick(x, ("seven", "two", "nine", "zero")) == "nine"
