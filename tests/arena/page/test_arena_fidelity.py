"""What a microphone hears, without processing, the server gets: the level within 0.5 dB, the length within 50 ms."""

import io

import numpy as np
import pytest
import soundfile
from scipy.signal import fftconvolve

from audiometry.web import upload

pytestmark = [pytest.mark.browser, pytest.mark.slow]

RATE = 48_000
LEVEL_DB, LENGTH_S = 0.5, 0.05


@pytest.fixture
def recorded(hearing, visit, stand, at):
    """What the server decodes of some seconds that a microphone heard: samples and what the page said of them."""

    def call(samples, seconds):
        page = visit(browser=hearing(samples))
        at(page, "ready")
        page.click("#record")
        at(page, "recording")
        page.wait_for_timeout(1000 * seconds)
        page.click("#stop")
        at(page, "listen")
        page.wait_for_function("() => document.querySelector('#length').textContent.includes('second')")
        (sent,) = stand.sent.values()
        flac, facts = upload.heard(sent["path"].read_bytes())
        heard, rate = soundfile.read(io.BytesIO(flac), always_2d=True)
        assert rate == RATE
        assert not facts.clipped
        return heard.mean(axis=1), sent["told"]

    return call


def decibels(samples):
    return 10 * np.log10(np.mean(samples**2))


def test_a_tone_keeps_its_level_and_its_length(recorded):
    tone = 0.25 * np.sin(2 * np.pi * 523.25 * np.arange(RATE) / RATE)
    heard, told = recorded(np.concatenate([tone, np.zeros(RATE // 2)]), 3.5)
    loud = np.sqrt(np.convolve(heard**2, np.ones(480) / 480, "same")) > 0.25 / np.sqrt(2) / 2  # of 10 ms
    edges = np.flatnonzero(np.diff(loud.astype(int)))
    begins = [int(at) for at in edges if not loud[at] and at > RATE // 20]  # not where the recording itself begins
    whole = [(at, int(edges[edges > at][0])) for at in begins if (edges > at).any()]
    assert whole, "no tone from its beginning to its end"
    for begin, end in whole:
        assert (end - begin) / RATE == pytest.approx(1.0, abs=LENGTH_S)
        middle = heard[begin + RATE // 10 : end - RATE // 10]
        assert decibels(middle) == pytest.approx(decibels(tone), abs=LEVEL_DB)
    assert told["seconds"] == pytest.approx(len(heard) / RATE, abs=0.25)  # by the page's clock, on a machine under load


def test_speech_keeps_its_level_and_its_length(recorded, voice):
    heard, _ = recorded(voice, 3.2 * len(voice) / RATE)
    found = np.abs(fftconvolve(heard, voice[::-1], "valid"))  # where the voice begins again
    first = int(np.argmax(found[: len(voice)]))
    again = first + len(voice) // 2 + int(np.argmax(found[first + len(voice) // 2 : first + 3 * len(voice) // 2]))
    assert (again - first) / RATE == pytest.approx(len(voice) / RATE, abs=LENGTH_S)
    assert decibels(heard[first : first + len(voice)]) == pytest.approx(decibels(voice), abs=LEVEL_DB)
