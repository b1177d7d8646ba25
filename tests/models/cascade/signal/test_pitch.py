import numpy as np
import pytest

from audiometry.models.cascade.signal import pitch


def tone(hz, rate=16_000, seconds=0.8, harmonics=6):
    t = np.arange(int(rate * seconds)) / rate
    parts = [np.sin(2 * np.pi * hz * k * t) / k for k in range(1, harmonics + 1) if hz * k < rate / 2]
    return 0.3 * np.sum(parts, axis=0)


@pytest.mark.parametrize("midi", range(28, 101, 3))
@pytest.mark.parametrize("rate", [16_000, 44_100])
def test_a_note_is_found_to_a_tenth_of_a_semitone(midi, rate):
    found = pitch.note_hz(tone(pitch.hz_of(midi), rate), rate)

    assert found is not None
    assert pitch.midi_of(found) == pytest.approx(midi, abs=0.1)


@pytest.mark.parametrize("midi", [40, 60, 84])
def test_a_pure_sine_is_found_too(midi):
    found = pitch.note_hz(tone(pitch.hz_of(midi), harmonics=1), 16_000)

    assert found is not None
    assert pitch.midi_of(found) == pytest.approx(midi, abs=0.1)


def test_noise_and_a_wide_glide_have_no_note():
    noise = np.random.default_rng(1).standard_normal(16_000) * 0.1
    t = np.arange(16_000) / 16_000
    glide = np.sin(2 * np.pi * 200 * (2.0 ** (2 * t) - 1) / (2 * np.log(2)))

    assert pitch.note_hz(noise, 16_000) is None
    assert pitch.note_hz(glide, 16_000) is None


def test_the_track_follows_a_step_and_marks_noise_as_unpitched():
    noise = np.random.default_rng(2).standard_normal(8_000) * 0.1
    x = np.concatenate((tone(120.0, seconds=0.5), tone(220.0, seconds=0.5), noise))

    tracked = pitch.track(x, 16_000)
    first = tracked.hz[(tracked.times_s > 0.05) & (tracked.times_s < 0.45)]
    second = tracked.hz[(tracked.times_s > 0.55) & (tracked.times_s < 0.95)]
    third = tracked.hz[tracked.times_s > 1.05]

    assert np.allclose(first, 120.0, rtol=0.005)
    assert np.allclose(second, 220.0, rtol=0.005)
    assert np.mean(third > 0) < 0.1


def test_silence_has_no_pitch_and_gives_no_warning():
    tracked = pitch.track(np.zeros(4_000), 16_000)

    assert not tracked.hz.any()
    assert np.isfinite(tracked.aperiodicity).all()
    assert pitch.note_hz(np.zeros(4_000), 16_000) is None


def test_names_and_numbers_agree():
    assert [pitch.note_name(m) for m in (21, 60, 61, 108)] == ["A0", "C4", "C#4", "C8"]
    assert pitch.hz_of(pitch.midi_of(333.0)) == pytest.approx(333.0)


def played(*midis, seconds=0.4, rate=16_000):
    """Notes one after another without a gap in phase, so that only the pitch tells them apart."""
    hz = np.repeat([pitch.hz_of(midi) for midi in midis], int(seconds * rate))
    return 0.3 * np.sin(2 * np.pi * np.cumsum(hz) / rate)


def steps_of(x):
    return pitch.steps(pitch.track(x, 16_000, lowest_hz=60.0, highest_hz=2500.0, hop_s=0.02, worst=0.2))


def test_steps_of_pitch_are_found_where_they_are():
    assert steps_of(played(60, 64, 63, 72)) == pytest.approx([0.4, 0.8, 1.2], abs=0.04)


def test_a_held_note_vibrato_and_noise_make_no_steps():
    t = np.arange(16_000) / 16_000
    vibrato = np.sin(2 * np.pi * 300 * t + 1.2 * np.sin(2 * np.pi * 5 * t))  # a third of a semitone to either side
    noise = np.random.default_rng(3).standard_normal(16_000) * 0.1

    assert steps_of(played(60, 60, 60)) == []
    assert steps_of(0.3 * vibrato) == []
    assert steps_of(noise) == []
    assert steps_of(np.zeros(16_000)) == []


def test_a_move_smaller_than_asked_for_is_no_step():
    tracked = pitch.track(played(60, 61), 16_000, lowest_hz=60.0, highest_hz=2500.0, hop_s=0.02)

    assert pitch.steps(tracked, least=1.5) == []
    assert len(pitch.steps(tracked, least=0.6)) == 1
