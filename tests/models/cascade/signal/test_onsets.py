import numpy as np
import pytest

from audiometry.models.cascade.signal.onsets import onsets, tempo

RATE = 22_050


def plucks(times, length, hz=440.0):
    t = np.arange(int(RATE * length)) / RATE
    x = np.zeros_like(t)
    for i, start in enumerate(times):
        late = t - start
        x += np.where(late >= 0, np.exp(-8 * late) * np.sin(2 * np.pi * hz * 1.1 ** (i % 3) * late), 0.0)
    return 0.2 * x


def test_onsets_are_where_the_plucks_are():
    times = [0.2, 0.55, 0.9, 1.4, 2.0]

    assert onsets(plucks(times, 3.0), RATE) == pytest.approx(times, abs=0.03)


def test_a_sound_that_begins_with_the_clip_counts():
    assert onsets(plucks([0.0, 0.6], 1.5), RATE) == pytest.approx([0.0, 0.6], abs=0.03)


def test_silence_and_a_click_too_short_for_frames_do_no_harm():
    assert onsets(np.zeros(RATE), RATE) == []
    assert onsets(np.zeros(10), RATE) == []


@pytest.mark.parametrize("bpm", [72, 90, 100, 120, 150])
def test_the_tempo_of_an_even_pulse_is_found(bpm):
    found = tempo(plucks(np.arange(0.1, 7.5, 60 / bpm), 8.0), RATE)

    assert found is not None
    assert found.bpm == pytest.approx(bpm, rel=0.02)
    assert found.strength > 0.5


def test_noise_has_no_strong_pulse_and_two_seconds_are_needed():
    noise = np.random.default_rng(4).standard_normal(RATE * 6) * 0.1
    found = tempo(noise, RATE)

    assert found is not None
    assert found.strength < 0.3
    assert tempo(noise[:RATE], RATE) is None
    assert tempo(np.zeros(RATE * 3), RATE) is None
