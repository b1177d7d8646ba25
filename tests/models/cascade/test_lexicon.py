import pytest

from audiometry.models.cascade.describe import _events
from audiometry.models.cascade.description import Description
from audiometry.models.cascade.instruments import likeness, names
from audiometry.models.cascade.lexicon import sounds, sounds_named
from audiometry.models.cascade.signal.events import EventMeasures
from audiometry.models.cascade.vocabulary import FAMILIES

MEASURES = EventMeasures(0.5, 300.0, 1.0, -0.25, 3, 0.12, 4.0, 0.8, 0.02, 0.05, 5.0, 0.5, 800.0, 0.02, 0.1, 0.05)


def test_every_measure_of_the_lexicon_is_in_the_description_and_read_back():
    found = Description(f"Events: {_events(MEASURES)}").events

    assert {m for s in sounds() for m in s.typical} <= set(found)
    assert found["tone"] == 300.0
    assert found["glide"] == -0.25
    assert found["flatness"] == 0.02


def test_a_sound_fits_its_own_typical_values_best():
    for sound in sounds():
        own = {name: value for name, (value, _) in sound.typical.items()}
        assert sound.fit(own) == 0.0
        assert sound.fit({**own, next(iter(own)): 1e4}) < 0.0
        assert sound.fit({}) < -1.0


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("a dog barking", "dog"),
        ("Barks of a dog", "dog"),
        ("a cat", "cat"),
        ("the bass drum", "kick"),
        ("a vehicle passes", "car"),
        ("clearing one's throat", "throat"),
        ("coughing", "cough"),
    ],
)
def test_words_find_their_sound(text, first):
    assert sounds_named(text)[0].words[0] == first


@pytest.mark.parametrize("text", ["catalogue", "a scarf", "nothing of the kind", ""])
def test_other_words_find_none(text):
    assert sounds_named(text) == []


def test_instrument_groups_hold_only_known_instruments_and_shares_add_up():
    import numpy as np

    assert {n for members in FAMILIES.values() for n in members} <= set(names())
    shares = likeness([np.zeros(23), np.ones(23)])
    assert sum(p for _, p in shares) == pytest.approx(1.0)
    assert [p for _, p in shares] == sorted((p for _, p in shares), reverse=True)
