"""Facts in the descriptions of AIR-Bench chat, in whatever notation they come."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from audiometry.bench.airbench_meta import LONGEST, tags

SPEAKERS = {
    "{'emotion': 'neutral', 'gender': 'male', 'transcription': \"it's here\"}": {
        "emotion": "neutral",
        "gender": "male",
    },
    "{'age': 'twenties', 'accent': '', 'gender': None}": {"age": "twenties"},
    '{"gender": "female", "age": 31}': {"gender": "female", "age": "31"},
    "{'transcription': \"she said 'gender': 'male', twice\", 'emotion': 'sad'}": {"emotion": "sad"},
    "{'emotion': 'it\\'s fine'}": {"emotion": "it's fine"},
    "a woman speaks about the weather": {},
    "{'emotion': ": {},
    "{'emotion': ['a', 'b']}": {},
    "": {},
}
MIXED = {
    "{'Louder': 'speech', 'Ahead': 'music'}": {"louder": "speech", "ahead": "music"},
    '{"LOUDER":"sound","Level Difference":"6.5","offset":-1}': {
        "louder": "sound",
        "level_difference": 6.5,
        "offset_s": -1.0,
    },
    "{'speech': {'text': 'x'}, 'mix': {'louder': 'speech', 'offset_s': 1.5}}": {"louder": "speech", "offset_s": 1.5},
    "Louder: speech\nAhead: the music": {"louder": "speech", "ahead": "the music"},
    "louder=speech; ahead=sound.": {"louder": "speech", "ahead": "sound"},
    "{'louder': None, 'offset_s': nan, 'level_difference': 'much'}": {},
    "someone talks louder than the music": {},
    "{'gender': 'male'}": {},
}


@pytest.mark.parametrize("text", SPEAKERS)
def test_facts_about_speakers(text):
    assert tags(text, mixed=False) == SPEAKERS[text]


@pytest.mark.parametrize("text", MIXED)
def test_facts_about_mixing(text):
    assert tags(text, mixed=True) == MIXED[text]


def test_a_description_beyond_bounds_is_not_looked_through():
    text = "{'emotion': 'sad', 'x': '" + "y" * LONGEST + "'}"
    assert tags(text, mixed=False) == {}
    assert tags(text.replace("y" * LONGEST, "y"), mixed=False) == {"emotion": "sad"}
    assert tags("{'emotion': '" + "very " * 40 + "sad'}", mixed=False) == {}


@given(st.text(alphabet="{}[]'\"\\:,=. \nlouderahead019-+xé", max_size=80), st.booleans())
def test_no_text_breaks_it(text, mixed):
    for value in tags(text, mixed=mixed).values():
        assert math.isfinite(value) if isinstance(value, float) else value.strip()
