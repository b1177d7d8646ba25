import numpy as np
import pytest

from audiometry.models.cascade.signal.events import measure_events

RATE = 16_000


def bursts(times, *, burst_s=0.1, length=3.0, noise=False):
    x = np.zeros(int(RATE * length))
    n = int(RATE * burst_s)
    rng = np.random.default_rng(2)
    for start in times:
        at = int(start * RATE)
        x[at : at + n] = 0.1 * rng.standard_normal(n) if noise else 0.3 * np.sin(2 * np.pi * 500 * np.arange(n) / RATE)
    return x


def test_bursts_are_counted_timed_and_told_even_from_uneven():
    even = measure_events(bursts(np.arange(0.2, 2.6, 0.4)), RATE)
    uneven = measure_events(bursts([0.2, 0.4, 1.3, 1.5, 2.6]), RATE)

    assert even is not None
    assert uneven is not None
    assert (even.bursts, uneven.bursts) == (6, 5)
    assert even.rate_hz == pytest.approx(2.5, rel=0.02)
    assert even.burst_s == pytest.approx(0.1, abs=0.02)
    assert even.regularity > 0.95
    assert uneven.regularity < 0.6


def test_tones_are_tonal_and_noise_is_not():
    tone = measure_events(bursts([0.5], burst_s=1.0), RATE)
    noise = measure_events(bursts([0.5], burst_s=1.0, noise=True), RATE)

    assert tone is not None
    assert noise is not None
    assert tone.tonal > 0.9
    assert tone.pitch_hz == pytest.approx(500, rel=0.01)
    assert tone.pitch_span < 0.02
    assert noise.tonal < 0.2
    assert noise.flatness > 100 * tone.flatness


@pytest.mark.parametrize(("octaves", "sign"), [(1.0, 1), (-1.0, -1)])
def test_a_glide_has_its_direction_and_size(octaves, sign):
    t = np.arange(RATE) / RATE
    phase = 2 * np.pi * 400 * (2.0 ** (octaves * t) - 1) / (octaves * np.log(2))
    found = measure_events(0.3 * np.sin(phase), RATE)

    assert found is not None
    assert found.glide * sign == pytest.approx(2 / 3, abs=0.08)  # middle of the last third less that of the first
    assert found.pitch_span == pytest.approx(0.8, abs=0.08)


def test_attack_and_decay_follow_the_envelope():
    t = np.arange(2 * RATE) / RATE
    envelope = np.minimum(t / 0.5, 1.0) * np.where(t > 0.5, 10 ** (-2 * (t - 0.5)), 1.0)  # then 40 dB a second
    found = measure_events(0.5 * envelope * np.sin(2 * np.pi * 600 * t), RATE)

    assert found is not None
    assert found.attack_s == pytest.approx(0.45, abs=0.06)  # a tenth of the peak is reached after 0.05 s
    assert found.decay_s == pytest.approx(0.5, abs=0.04)


def test_silence_has_no_events():
    assert measure_events(np.zeros(RATE), RATE) is None
