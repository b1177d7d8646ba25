"""Coding by a book's rules: where words end, which match counts, and which way it goes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from audiometry.analysis.coding.rules import LONGEST, Rules, plain
from audiometry.analysis.reasons import book
from audiometry.files.code_book import Book, Code

BOOK = Book(
    (
        Code(name="facts", title="facts", about="…", praise=("correct", "错误少"), complaint=("wrong", "错")),
        Code(name="language", title="language", about="…", rules=("language",), complaint=("wrong language",)),
        Code(
            name="detail",
            title="detail",
            about="…",
            rules=("length", "Big"),
            praise=("detailed", "詳し"),
            complaint=("long",),
        ),
    )
)
RULES = Rules(BOOK)
OWN = Rules(book.own())


def test_a_mention_stands_where_it_is_in_the_text_whatever_small_letters_become():
    text = plain("İSTANBUL İ was WRONG, not correct")
    places = {text[one.start : one.end] for one in RULES.mentions(text)}
    assert places == {"WRONG", "correct"}


def said(text, rules=RULES):
    return {(one.code, one.way) for one in rules.mentions(plain(text))}


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("It was correct.", {("facts", "praise")}),
        ("INCORRECTLY", set()),
        ("BIG", {("detail", "")}),
        ("big", {("detail", "")}),
        ("İİ correct", {("facts", "praise")}),
        ("wrong", {("facts", "complaint")}),
        ("the wrong language", {("language", "complaint")}),
        ("wrong, and the language too", {("facts", "complaint"), ("language", "")}),
        ("not correct", {("facts", "complaint")}),
        ("it isn’t at all correct", {("facts", "complaint")}),
        ("not wrong", {("facts", "praise")}),
        ("no, it was wrong", {("facts", "complaint")}),
        ("not bad but correct", {("facts", "praise")}),
        ("I did not think that one was really correct", {("facts", "praise")}),  # more than three words away
        ("less detailed", {("detail", "complaint")}),
        ("too detailed", {("detail", "complaint")}),
        ("not too detailed", {("detail", "praise")}),
        ("too long", {("detail", "complaint")}),
        ("not too long", {("detail", "praise")}),
        ("nicht correct", {("facts", "complaint")}),
        ("完全错了", {("facts", "complaint")}),
        ("没有错", {("facts", "praise")}),
        ("错误少", {("facts", "praise")}),
        ("詳しくない", {("detail", "complaint")}),
        ("ＣＯＲＲＥＣＴ **correct**", {("facts", "praise")}),
        ("correct and wrong", {("facts", "praise"), ("facts", "complaint")}),
        ("", set()),
        ("x" * LONGEST + " correct", set()),
    ],
)
def test_a_text_has_the_codes_that_its_words_say(text, found):
    assert said(text) == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Response B is way more accurate", {("accuracy", "praise")}),
        ("不错", {("other", "")}),
        ("No se entiende y es demasiado formal", {("hearing", "complaint"), ("tone", "complaint")}),
        ("pas clair", {("clarity", "complaint")}),
        ("weniger förmlich", {("tone", "praise")}),
        ("役に立たない", {("helpfulness", "complaint")}),
        ("👍", {("other", "")}),
    ],
)
def test_the_houses_book_reads_what_it_was_not_written_from(text, found):
    assert said(text, OWN) == found


@given(st.text(max_size=60))
def test_no_text_breaks_it_and_every_mention_lies_in_it(text):
    whole = plain(text)
    for one in OWN.mentions(whole):
        assert 0 <= one.start < one.end <= len(whole)


@given(st.lists(st.sampled_from(["wrong", "correct", "not", "too", "long", "language", ",", "but", "错"]), max_size=8))
def test_no_mention_lies_within_a_longer_one(words):
    found = RULES.mentions(plain(" ".join(words)))
    for one in found:
        assert not any(
            o.start <= one.start and one.end <= o.end and o.end - o.start > one.end - one.start for o in found
        )


def test_letters_that_become_two_when_small_move_nothing():
    text = plain("İİİ the answer was correct")
    (found,) = RULES.mentions(text)
    assert text[found.start : found.end] == "correct"
