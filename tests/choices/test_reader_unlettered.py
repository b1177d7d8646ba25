"""Replies to options that were shown without letters: their texts count, a letter names none."""

import pytest

from audiometry.choices import LETTERED, STYLES, read_answer, render

OPTIONS = ("violin", "piano", "drum", "a flute")
READ = {
    "piano": "B",
    "The answer is piano.": "B",
    "B. piano": "B",
    "A. piano": "B",  # the model's own numbering
    "b) drum": "C",
    "Answer: (A) a flute": "D",
    "A flute": "D",
    "I hear a violin, not a drum": "A",
    "<answer>piano</answer>": "B",
    "B is correct. It is the drum.": "C",
    "the third option": "C",
    "B": None,
    "(B)": None,
    "b.": None,
    "The answer is B.": None,
    "<answer>B</answer>": None,
    "В": None,
    "Option A or option B": None,
    "": None,
    "I cannot hear it.": None,
}


@pytest.mark.parametrize(("reply", "letter"), READ.items())
def test_texts_are_read_and_letters_are_not(reply, letter):
    assert read_answer(reply, OPTIONS, lettered=False).letter == letter


def test_the_same_options_under_letters_are_read_as_ever():
    for reply in ("B", "(B)", "The answer is B."):
        assert read_answer(reply, OPTIONS, lettered=False).letter is None
        assert read_answer(reply, OPTIONS).letter == "B"
    assert read_answer("A. piano", OPTIONS).how == "letter-against-text"


@pytest.mark.parametrize("reply", ["C", "(C)", "I think it is C.", "The key is C"])
def test_a_letter_that_is_an_options_text_is_that_option(reply):
    assert read_answer(reply, ("C", "A", "B"), lettered=False).letter == "A"


def test_a_refusal_is_one_with_and_without_letters():
    assert read_answer("I cannot answer that.", OPTIONS, lettered=False).refused


@pytest.mark.parametrize("text", ["violin", "bird's song", 'a "loud" bang', "Männerchor", "3 / 4"])
def test_an_option_in_quotes_is_read_back(text):
    options = ("piano", text, "drum")
    assert read_answer(render((text,), "quoted"), options, lettered=False).letter == "B"
    assert read_answer(f"[{render((text,), 'quoted')}]", options, lettered=False).letter == "B"


def test_styles_show_letters_or_none():
    for style in STYLES:
        assert ("A" in render(OPTIONS, style)) == (style in LETTERED)
    assert render(("a\nb", "c"), "words") == "a b\nc"
    assert render(("a", "c"), "words-one-line") == "a c"
