import numpy as np
import pytest

from audiometry.errors import SilentAudioError
from audiometry.models.cascade.signal import frames
from audiometry.models.cascade.signal.frames import Span

RATE = 16_000


def sine(hz, seconds=1.0, amplitude=1.0, rate=RATE):
    return amplitude * np.sin(2 * np.pi * hz * np.arange(int(seconds * rate)) / rate)


def test_a_full_scale_sine_is_at_minus_3_dbfs_and_a_square_wave_at_0():
    x = sine(1000)

    assert frames.level_dbfs(x) == pytest.approx(10 * np.log10(0.5), abs=1e-9)
    assert frames.level_dbfs(np.sign(x + 1e-9)) == pytest.approx(0.0, abs=1e-9)
    assert frames.peak_dbfs(0.5 * sine(1000)) == pytest.approx(20 * np.log10(0.5), abs=1e-6)


@pytest.mark.parametrize("gain_db", [-60.0, -20.0, -6.0])
def test_a_gain_moves_the_level_by_itself(gain_db):
    x = np.random.default_rng(3).standard_normal((4000, 2)) * 0.1

    assert frames.level_dbfs(x * 10 ** (gain_db / 20)) - frames.level_dbfs(x) == pytest.approx(gain_db)


@pytest.mark.parametrize("x", [np.zeros(100), np.zeros((100, 2)), np.zeros(0)])
def test_silence_has_no_level(x):
    with pytest.raises(SilentAudioError):
        frames.level_dbfs(x)
    with pytest.raises(SilentAudioError):
        frames.peak_dbfs(x)


def test_mono_is_the_mean_of_the_channels():
    x = np.array([[1.0, 0.0], [0.5, -0.5]], dtype=np.float32)

    assert frames.mono(x).tolist() == [0.5, 0.0]
    assert frames.mono(x[:, 0]).tolist() == [1.0, 0.5]


@pytest.mark.parametrize("noise", [0.0, 1e-4, 1e-3])
def test_spans_are_where_the_tones_are(noise):
    gap = np.zeros(int(0.5 * RATE))
    x = np.concatenate((gap, sine(440, 0.8, 0.3), gap, sine(300, 0.4, 0.1), gap))
    x = x + noise * np.random.default_rng(1).standard_normal(len(x))

    spans = frames.active_spans(x, RATE)

    assert np.array(spans) == pytest.approx(np.array([[0.5, 1.3], [1.8, 2.2]]), abs=0.02)


def test_a_clip_that_sounds_throughout_is_one_span_and_silence_none():
    assert frames.active_spans(sine(440), RATE) == [Span(0.0, 1.0)]
    assert frames.active_spans(np.zeros(RATE), RATE) == []
    assert frames.active_spans(1e-6 * sine(440), RATE) == []


def test_short_pauses_join_as_asked():
    x = np.concatenate((sine(440, 0.3, 0.3), np.zeros(int(0.1 * RATE)), sine(440, 0.3, 0.3)))

    assert len(frames.active_spans(x, RATE)) == 1
    assert len(frames.active_spans(x, RATE, join_s=0.05)) == 2


def test_a_single_click_is_kept_although_it_is_short():
    x = np.zeros(RATE)
    x[8000] = 0.9

    assert [round(s.start_s, 1) for s in frames.active_spans(x, RATE)] == [0.5]


def test_the_shape_of_a_sine_is_its_frequency_and_of_noise_the_middle():
    tone = frames.spectral_shape(sine(2000), RATE)
    noise = frames.spectral_shape(np.random.default_rng(5).standard_normal(4 * RATE), RATE)

    assert tone.centroid_hz == pytest.approx(2000, rel=0.01)
    assert tone.spread_hz < 100
    assert tone.flatness < 1e-4
    assert noise.centroid_hz == pytest.approx(RATE / 4, rel=0.03)
    assert noise.spread_hz == pytest.approx(RATE / 2 / np.sqrt(12), rel=0.03)  # of a uniform distribution
    assert noise.rolloff_hz == pytest.approx(0.85 * RATE / 2, rel=0.03)
    assert noise.flatness > 0.9
    assert noise.high_share == pytest.approx(0.5, abs=0.03)


def test_shares_of_low_and_high_power_add_up_for_two_tones():
    x = sine(100, amplitude=0.3) + sine(6000, amplitude=0.4)

    shape = frames.spectral_shape(x, RATE)

    assert shape.low_share == pytest.approx(0.09 / 0.25, abs=0.01)
    assert shape.high_share == pytest.approx(0.16 / 0.25, abs=0.01)


def test_a_spectrum_needs_sound():
    with pytest.raises(SilentAudioError):
        frames.spectral_shape(np.zeros(1000), RATE)


def test_frames_pad_a_short_clip_and_levels_never_fall_below_the_floor():
    assert frames.frames(np.ones(3), 8, 4).shape == (1, 8)
    assert frames.frame_levels(np.zeros(RATE), RATE).min() == frames.FLOOR_DB
