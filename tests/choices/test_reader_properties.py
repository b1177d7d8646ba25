import string
import time

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from audiometry import choices
from audiometry.errors import UsageError

DRESSES = (
    "{L}", "{l}", "({L})", "({l})", "{L}.", "{L})", "[{L}]", "**{L}**", "`{L}`", '"{L}"', "{{{L}}}", "*{L}.*",
    "Option {L}", "option {l}", "choice {L}", "Answer: {L}", "answer: {l}", "**Answer:** {L}", "The answer is {L}.",
    "The correct answer is ({L}).", "The correct option is {L}", "Final answer: {L}", "<answer>{L}</answer>",
    "<think>A, B or C? I guess (A).</think>\n{L}", "\\boxed{{{L}}}", "[[{L}]]", '{{"answer": "{L}"}}',
)  # fmt: skip
WORDS = (
    *(
        "piano",
        "violin",
        "guitar",
        "male",
        "female",
        "dog",
        "cat",
        "barking",
        "electric",
        "happy",
        "unhappy",
        "not",
        "no",
    ),
    *(
        "yes",
        "one",
        "1",
        "10",
        "2.5",
        "the",
        "A",
        "B",
        "C",
        "D",
        "E",
        "I",
        "F#",
        "C#4",
        "and",
        "or",
        "answer",
        "option",
    ),
    *("[1.2, 3.4]", "[1.2, 3.45]", "None of the above", "钢琴", "Ω", "é"),
)
MARKS = (
    *(
        "is",
        "isn't",
        "so",
        "but",
        "wait,",
        "actually",
        "therefore",
        "I'm",
        "sorry",
        "can't",
        "determine",
        "guess",
        "think",
    ),
    *(
        "neither",
        "nor",
        ",",
        ".",
        "?",
        ":",
        "\n",
        "**",
        "[[",
        "]]",
        "{",
        "}",
        "\\boxed{",
        "Answer:",
        "(A)",
        "(B)",
        "B.",
        "C)",
    ),
    *("<think>", "</think>", "<answer>", "</answer>", "analysis", "assistantfinal", "✅", "❌", "Question:", "It is"),
)
words = st.sampled_from(WORDS)
phrases = st.lists(words, min_size=1, max_size=4).map(" ".join)
printable = st.text(st.characters(exclude_categories=["Cs", "Cc", "Zl", "Zp"]), min_size=1, max_size=12)
lines = st.one_of(phrases, printable, st.text(string.ascii_letters + ".()[]*:# ", min_size=1, max_size=5))
texts = lines.map(lambda text: " ".join(text.split())).filter(bool)
option_sets = st.lists(texts, unique=True, min_size=2, max_size=10).map(tuple)


@given(option_sets, st.integers(0, 9), st.integers(0, 99), st.sampled_from(DRESSES), st.sampled_from(["", " ", "\n\t"]))
@example(("C", "D", "E", "F#"), 1, 0, "{L}", "")
@example(("b", "a"), 0, 0, "The answer is {L}.", " ")
def test_a_letter_in_any_dress_is_read_back_whatever_the_options_are(options, place, k, dress, around):
    shown = choices.order("item", options, seed=1, order=k)
    letter = choices.letters(len(shown))[place % len(shown)]
    answer = choices.read_answer(around + dress.format(L=letter, l=letter.lower()) + around, shown)
    assert (answer.letter, answer.refused) == (letter, False)


# without letters a line is the option's own text, which the test after this one reads
@given(option_sets, st.integers(0, 9), st.integers(0, 99), st.sampled_from(choices.LETTERED))
@example(("1.2", "[1.2]"), 0, 0, "dotted")
def test_every_line_of_every_rendering_is_read_back(options, place, k, style):
    shown = choices.order("item", options, seed=2, order=k)
    letter = choices.letters(len(shown))[place % len(shown)]
    line = choices.render([shown[place % len(shown)]], style).replace("A", letter, 1)
    assume(line not in shown)
    assert choices.read_answer(line, shown).letter == letter


def names_something_else(text, options):
    """Whether the text is also a letter, or a letter with the text of an option."""
    if choices.read_answer(text, ["\x00"] * 26).letter:
        return True
    others = [f"{letter}. {other}" for letter in choices.letters(26) for other in options]
    return any(choices.read_answer(text, [other]).how == "option-text" for other in others)


@given(option_sets, st.integers(0, 9), st.integers(0, 99))
@example(("male", "female"), 0, 1)
@example(("[1.2, 3.4]", "[1.2, 3.45]", "1.2"), 0, 0)
@example(("piano", "electric piano", "not piano"), 2, 0)
@example(("Piano", "piano", "piano."), 1, 0)
def test_the_plain_text_of_an_option_is_read_back(options, place, k):
    shown = choices.order("item", options, seed=3, order=k)
    text = shown[place % len(shown)]
    answer = choices.read_answer(text, shown)
    own = choices.letters(len(shown))[shown.index(text)]
    assert answer.letter == own or names_something_else(text, shown)


talk = st.lists(st.one_of(words, st.sampled_from(MARKS), printable), max_size=30).map(" ".join)


@settings(max_examples=600)
@given(st.one_of(talk, st.text(max_size=200)), option_sets)
@example("0", ("piano", "%"))
def test_whatever_is_said_the_answer_is_one_of_the_options_or_none(reply, options):
    answer = choices.read_answer(reply, options)
    assert answer.letter is None or answer.letter in choices.letters(len(options))
    assert not (answer.letter and answer.refused)
    assert answer.how


@given(st.one_of(talk, st.text(max_size=100)), option_sets, st.sampled_from([" ", "\n", "\t \n", "  \r\n"]))
def test_blanks_around_a_reply_change_nothing(reply, options, blank):
    assert choices.read_answer(blank + reply + blank, options) == choices.read_answer(reply, options)


def test_no_options_and_too_many():
    assert choices.read_answer("A", []).letter is None
    with pytest.raises(UsageError, match="27 options"):
        choices.read_answer("nothing", [str(i) for i in range(27)])


OPTIONS = ("violin", "piano", "guitar", "drums")
LONG = {
    "a letter": "A " * 1_000_000,
    "two letters": "A B " * 500_000,
    "all letters": "A B C D, " * 200_000,
    "brackets": "(" * 2_000_000,
    "nested brackets": "(" * 1_000_000 + "B" + ")" * 1_000_000,
    "double brackets": "[[" * 1_000_000,
    "blanks": "B" + " " * 2_000_000 + ".",
    "line breaks": "\n" * 1_000_000 + "x" + "\n" * 1_000_000,
    "open thoughts": "<think>" * 300_000,
    "nested thoughts": "<think>" * 150_000 + "</think>" * 150_000 + "B",
    "open tags": "<answer>" * 250_000,
    "nested tags": "<answer>" * 120_000 + "B" + "</answer>" * 120_000,
    "half tags": "<answer" * 300_000,
    "boxes": "\\boxed{" * 300_000,
    "keys": '"answer": "' * 180_000 + "{",
    "braces": "{" * 2_000_000,
    "asterisks": "*" * 2_000_000,
    "bold": "**B" * 700_000,
    "quotes": "'" * 2_000_000,
    "hyphens": "a-" * 1_000_000,
    "numbers": "1.2" * 700_000,
    "digits": "1" * 2_000_000,
    "negations": "not " * 500_000 + "B or A",
    "refusals": "I'm sorry, I can't " * 100_000,
    "corrections": "A, no wait, B, no wait, " * 80_000,
    "statements": "The answer is A. The answer is B. " * 60_000,
    "cues without an end": "answer " * 280_000 + "A B",
    "questions": "B\nQuestion: " * 150_000,
    "turn ends": "</s>" * 500_000,
    "channels": "<|channel|>" * 180_000,
    "one word": "b" * 2_000_000,
    "wide": "钢琴" * 1_000_000,
    "wide letters": "Ｂ" * 1_000_000 + " A",
    "marks": "\u0301" * 2_000_000,
    "ligature": "\ufdfa" * 600_000,
    "texts": "violin piano " * 150_000,
    "lines": "A. violin\nB. piano\n" * 100_000,
    "apostrophes": "a'" * 1_000_000,
    "underscores": "_" * 2_000_000,
    "not a letter": "I " * 1_000_000,
}


@pytest.mark.parametrize("kind", LONG)
def test_two_million_characters_are_read_quickly(kind):
    reply = LONG[kind]
    before = time.process_time()
    answer = choices.read_answer(reply, OPTIONS)
    assert time.process_time() - before < 2.0  # on a slow machine; 0.02 to 0.6 s otherwise
    assert answer.letter is None or answer.letter in "ABCD"


def test_the_ends_of_a_long_reply_are_read_and_its_middle_is_not():
    rambling = "The melody rises and falls. " * 400_000
    assert choices.read_answer(f"{rambling}The answer is B.", OPTIONS).letter == "B"
    assert choices.read_answer(f"B. piano\n\n{rambling}", OPTIONS).letter == "B"
    assert choices.read_answer(f"<think>{rambling}It is A.</think>C", OPTIONS).letter == "C"
    assert choices.read_answer(f"{rambling}The answer is B. {rambling}", OPTIONS).letter is None
    assert choices.read_answer(f"The answer is A. {rambling}The answer is B.", OPTIONS).letter is None
    assert choices.read_answer("x" * 3_999 + "Bass" + "y" * 12_000, ("Ba", "ss")).letter is None
