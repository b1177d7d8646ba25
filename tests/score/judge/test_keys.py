"""Keys and texts in little memory do what a dictionary does."""

import hashlib

from hypothesis import given
from hypothesis import strategies as st

from audiometry.score.judge import keys as module
from audiometry.score.judge.keys import Keys, Texts, short

numbers = st.integers(0, 40)


def key(number):
    return hashlib.sha256(b"%d" % number).hexdigest()[:32]


@given(st.lists(st.tuples(numbers, st.sampled_from("abc"))), st.integers(0, 3))
def test_the_last_text_of_a_key_counts_whenever_it_is_sorted_in(added, late):
    before, module._LATE = module._LATE, late
    try:
        texts, expected = Texts(), {}
        for number, text in added:
            texts.add(short(key(number)), text)
            expected[number] = text
            assert texts.get(short(key(number))) == text
        assert len(texts) == len(expected)
        assert sorted(texts) == sorted(short(key(number)) for number in expected)
        assert [texts.get(short(key(number))) for number in range(41)] == [expected.get(n) for n in range(41)]
    finally:
        module._LATE = before


@given(st.lists(numbers))
def test_keys_are_counted_once(added):
    found = Keys(short(key(number)) for number in added)
    assert len(found) == len(set(added))
    assert sorted(found) == sorted({short(key(number)) for number in added})
    assert [key(number) in found for number in range(41)] == [number in added for number in range(41)]


def test_a_key_that_somebody_wrote_otherwise_is_a_key():
    texts = Texts()
    texts.add(short("-18129127996402684"), "y")
    assert (texts.get(short("-18129127996402684")), len(texts)) == ("y", 1)
    texts.add(short("no number"), "x")
    assert texts.get(short("no number")) == "x"
    assert None not in Keys()
