"""What every kind of question shares: lines that no answer can end."""

import hashlib

from hypothesis import given
from hypothesis import strategies as st

from audiometry.score.judge.question import LENGTH, unused_mark


@given(seed=st.text(), text=st.text())
def test_the_mark_is_not_in_the_text_and_always_the_same(seed, text):
    mark = unused_mark(seed, text)
    assert mark not in text
    assert len(mark) == LENGTH
    assert mark == unused_mark(seed, text)


def test_a_text_that_holds_the_marks_it_could_guess_gets_another():
    first = unused_mark("key", "")
    second = unused_mark("key", f"--- {first} ---")
    third = unused_mark("key", f"{first} {second}")
    assert len({first, second, third}) == 3
    assert first == hashlib.sha256(b"key").hexdigest()[:LENGTH]
