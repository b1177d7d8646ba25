import numpy as np
import pytest

from audiometry.models.cascade.signal import voice
from audiometry.models.cascade.signal.voice import VoicePrint
from audiometry.models.cascade.signal.voice_kind import (
    MACHINE_WEIGHTS,
    SPEECH_WEIGHTS,
    machine_features,
    machine_likeness,
    speech_features,
    speech_likeness,
)

RATE = 16_000


def glottal(hz, formants, seconds=1.0, jitter=0.0, seed=0):
    """A pulse train through resonators: a vowel with a known pitch, formants and jitter."""
    from scipy.signal import lfilter

    rng = np.random.default_rng(seed)
    x = np.zeros(int(seconds * RATE))
    at = 0.0
    while at < len(x):
        x[int(at)] = 1.0
        at += RATE / hz * (1.0 + jitter * rng.standard_normal())
    for f in formants:
        r = np.exp(-np.pi * 80 / RATE)
        x = lfilter([1.0], [1.0, -2 * r * np.cos(2 * np.pi * f / RATE), r * r], x)
    return 0.3 * x / np.abs(x).max()


def test_pitch_and_voicing_of_a_vowel_are_measured():
    v = voice.measure_voice(glottal(125.0, (700, 1200)), RATE)

    assert v.median_hz == pytest.approx(125.0, rel=0.01)
    assert v.voiced_share > 0.9
    assert v.low_hz == pytest.approx(v.high_hz, rel=0.02)


def test_jitter_grows_with_the_jitter_put_in():
    found = [voice.measure_voice(glottal(125.0, (700, 1200), jitter=j), RATE).jitter for j in (0.0, 0.01, 0.03)]

    assert found[0] < found[1] < found[2]


def test_noise_is_unvoiced_and_silence_gives_finite_measures():
    noise = voice.measure_voice(np.random.default_rng(1).standard_normal(RATE) * 0.1, RATE)
    silence = voice.measure_voice(np.zeros(RATE), RATE)

    assert noise.voiced_share < 0.1
    assert silence.median_hz == 0.0
    assert all(np.isfinite(silence))


def test_modulation_is_the_rate_of_the_level():
    t = np.arange(4 * RATE) / RATE
    x = glottal(150.0, (700, 1200), 4.0)[: len(t)] * (0.55 + 0.45 * np.sin(2 * np.pi * 4 * t))

    assert voice.measure_voice(x, RATE).modulation_hz == pytest.approx(4.0, abs=1.0)


def test_a_held_tone_has_no_flux_and_changing_vowels_have():
    held = glottal(150.0, (700, 1200), 1.0)
    other = [glottal(150.0, f, 0.1) for f in ((300, 2300), (700, 1200))]
    moving = np.concatenate(other * 5)

    assert voice.spectral_flux(held, RATE) < 1.0
    assert voice.spectral_flux(moving, RATE) > 2 * voice.spectral_flux(held, RATE)


def test_voices_are_counted_in_order_of_appearance():
    low = [voice.voice_print(glottal(110.0, (600, 1100, 2500), seed=s, jitter=0.005), RATE) for s in (1, 2)]
    high = [voice.voice_print(glottal(230.0, (800, 1500, 3200), seed=s, jitter=0.005), RATE) for s in (3, 4)]
    prints = [high[0], low[0], high[1], low[1]]

    assert all(p is not None for p in prints)
    assert voice.count_voices([p for p in prints if p], 25.0) == [0, 1, 0, 1]
    assert voice.count_voices([], 25.0) == []
    assert voice.count_voices([p for p in prints[:1] if p], 25.0) == [0]


def test_an_octave_of_pitch_weighs_40_db_and_little_speech_less():
    long = VoicePrint(np.zeros(19), 7.0, 1000.0)

    assert voice.voice_distance(long, long) == 0.0
    assert voice.voice_distance(long, long._replace(pitch=8.0)) == pytest.approx(40.0, rel=0.01)
    assert voice.voice_distance(long, VoicePrint(np.zeros(19), 8.0, 0.3)) == pytest.approx(40.0 / np.sqrt(2), rel=0.01)


def test_too_little_voice_has_no_print():
    assert voice.voice_print(np.random.default_rng(1).standard_normal(RATE) * 0.1, RATE) is None
    assert voice.voice_print(glottal(150.0, (700,), 0.1), RATE) is None
    assert voice.voice_print(np.zeros(100), RATE) is None


def test_a_held_note_and_noise_are_not_speech():
    t = np.arange(RATE) / RATE
    note = 0.2 * np.sin(2 * np.pi * 220 * t) + 0.1 * np.sin(2 * np.pi * 440 * t)
    noise = np.random.default_rng(1).standard_normal(RATE) * 0.1

    for x in (note, noise, np.zeros(RATE)):
        assert speech_likeness(voice.measure_voice(x, RATE), 1.0) < 0.2


def test_no_voice_no_machine():
    assert machine_likeness(np.random.default_rng(1).standard_normal(RATE) * 0.1, RATE) is None
    assert machine_likeness(np.zeros(RATE), RATE) is None


def test_likeness_is_the_logistic_of_the_weighted_features():
    v = voice.measure_voice(glottal(125.0, (700, 1200), jitter=0.01), RATE)
    features = speech_features(v, 1.0)
    total = SPEECH_WEIGHTS[0] + np.dot(SPEECH_WEIGHTS[1:], features)

    assert features[0] == v.voiced_share
    assert speech_likeness(v, 1.0) == pytest.approx(1.0 / (1.0 + np.exp(-total)))


def test_a_smoother_pitch_bends_less_in_the_features_of_a_machine():
    smooth, rough = (machine_features(glottal(125.0, (700, 1200), jitter=j), RATE) for j in (0.0, 0.03))

    assert len(smooth) == len(MACHINE_WEIGHTS) - 1
    assert smooth[1] < rough[1]
