import numpy as np
import pytest

from audiometry.models.cascade.signal.timbre import FEATURES, timbre

RATE = 22_050


def note(amplitudes, hz=220.0, decay=0.0, seconds=2.0):
    t = np.arange(int(RATE * seconds)) / RATE
    x = sum(a * np.sin(2 * np.pi * hz * k * t) for k, a in enumerate(amplitudes, 1))
    return 0.1 * x * np.exp(-decay * t)


def named(x, hz=220.0):
    found = timbre(x, RATE, hz)
    assert found is not None
    assert found.shape == (len(FEATURES),)
    assert np.isfinite(found).all()
    return dict(zip(FEATURES, found.tolist(), strict=True))


def test_harmonic_levels_are_those_put_in():
    found = named(note([1.0, 0.5, 0.1]))

    assert found["h1"] == pytest.approx(0.0, abs=0.1)
    assert found["h2"] == pytest.approx(20 * np.log10(0.5), abs=0.2)
    assert found["h3"] == pytest.approx(-20.0, abs=0.3)
    assert found["octave"] == pytest.approx(57 / 12)
    assert found["noise"] < -2.5


def test_decay_shows_in_the_levels_after_the_attack():
    held, dying = named(note([1.0, 0.5])), named(note([1.0, 0.5], decay=4.0))

    assert held["level_600ms"] == pytest.approx(0.0, abs=0.5)
    assert dying["level_600ms"] == pytest.approx(-4.0 * 0.6 * 20 * np.log10(np.e), abs=1.0)


def test_odd_harmonics_vibrato_and_noise_each_show():
    odd = named(note([1.0, 0.0, 0.5, 0.0, 0.3, 0.0, 0.2]))
    t = np.arange(2 * RATE) / RATE
    shaken = named(0.1 * np.sin(2 * np.pi * 440 * t + 4.0 * np.sin(2 * np.pi * 5.5 * t)), 440.0)
    noisy = named(note([1.0]) + 0.05 * np.random.default_rng(0).standard_normal(2 * RATE))

    assert odd["odd_over_even"] > 20
    assert shaken["vibrato"] > 10 * named(note([1.0], 440.0), 440.0)["vibrato"] + 0.05
    assert noisy["noise"] > -1.5


def test_a_click_is_too_short():
    assert timbre(note([1.0], seconds=0.05), RATE, 220.0) is None
