"""Texts as words, as keys, and the terms of topics."""

from __future__ import annotations

import math
import unicodedata

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from audiometry.analysis.topics.terms import labels, terms
from audiometry.analysis.topics.vectors import _letters, normalized, points, telling
from audiometry.analysis.topics.words import grams, key, normal, words


def test_equal_queries_are_those_with_the_same_words():
    assert key("What's the TIME?") == key("what’s  the time") == key("What's, the time!")
    assert key("10 am") != key("1 0 am")
    assert key("東京は？") == key("東京は")


def test_scripts_without_blanks_go_two_letters_at_a_time():
    assert words("東京都") == ["東京", "京都"]
    assert words("ไทย") == ["ไท", "ทย"]
    assert words("नमस्ते दुनिया") == ["नमस्ते", "दुनिया"]
    assert grams(["東京", "京都"]) == ["東京", "京都"]


@given(st.text(max_size=100))
def test_a_key_is_its_own_key(text):
    assert key(key(text)) == key(text)
    assert all(word == word.strip() and word for word in words(normal(text)))


@given(st.text(alphabet=st.characters(min_codepoint=97, max_codepoint=382), max_size=40))
def test_forms_of_unicode_are_one(text):
    assert key(unicodedata.normalize("NFD", text)) == key(unicodedata.normalize("NFC", text))


def test_terms_follow_their_formula():
    told = [["cat", "food"], ["cat", "toy"], ["dog", "food"], ["dog", "bone"], ["dog", "bone"]]
    found = terms(told, [0, 0, 1, 1, 1], 2)
    n = {"cat": (2, 2), "food": (1, 2), "toy": (1, 1), "cat food": (1, 1), "cat toy": (1, 1)}
    average = (2 + 1 + 1 + 1 + 1 + 3 + 1 + 2 + 1 + 2) / 2
    weight = {term: own * math.log1p(average / every) for term, (own, every) in n.items()}
    assert found[0][0] == max(weight, key=weight.get) == "cat"
    assert found[1][0] == "dog"
    assert "cat food" in found[0][:3]
    assert "food" not in found[0][found[0].index("cat food") :]  # every word of it stands in a better one


def test_labels_are_unlike_each_other():
    found = labels([("a", "b", "c", "d"), ("a", "b", "c", "e"), (), ("other",)])
    assert len(set(found)) == 4
    assert "other" not in found


def test_common_words_tell_nothing():
    own = [
        "food",
        "music",
        "coast",
        "desert",
        "rivers",
        "people",
        "history",
        "birds",
        "trains",
        "weather",
        "prices",
        "cities",
    ]
    texts = [f"maybe the {word} of Peru" for word in own for _ in range(5)]
    told = telling(texts, ["en"] * len(texts))
    assert all("peru" not in some and "the" not in some for some in told)
    assert all(len(some) == 1 for some in told)


def test_points_are_of_length_one_or_say_nothing():
    found = points([["a", "b"], ["a", "b"], ["a", "c"], [], ["alone"]], 0)
    assert np.allclose(np.linalg.norm(found[:3], axis=1), 1)
    assert not found[3:].any()
    assert not points([[], []], 0).any()
    assert np.allclose(np.ptp(points([["a", "b"]] * 5, 0), axis=0), 0)  # and nothing is divided by nothing


def test_forms_of_a_word_are_near_by_the_letters_that_they_share():
    told = [[word] for word in ("planet", "planets", "window", "windows") for _ in range(2)]
    found = points(told, 0)
    assert found[0] @ found[2] > 0.1 > abs(found[0] @ found[4])
    assert found[4] @ found[6] > 0.1


def test_letters_go_in_threes_and_fours_with_the_ends_of_a_word_marked():
    assert sorted(_letters(["abc"])) == sorted([" ab", "abc", "bc ", " abc", "abc "])
    assert _letters(["東京"]) == [" 東京", "東京 ", " 東京 "]
    assert _letters(["a"]) == [" a "]


def test_points_within_rounding_of_nothing_are_nothing():
    found = normalized(np.array([[3.0, 4.0], [1e-7, 0.0], [0.0, 1e-5]]))
    assert found.tolist() == [[0.6, 0.8], [0.0, 0.0], [0.0, 1.0]]
