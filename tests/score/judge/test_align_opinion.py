"""A judge's answer is read, or is said to be unreadable; it is never guessed at."""

import pytest

from audiometry.choices import letters
from audiometry.score.judge.letters import Opinion, read_opinion

ANIMALS = ("dog", "cat", "cow", "hen")


@pytest.mark.parametrize(
    ("said", "letter"),
    [
        ("B", "B"),
        ("b", "B"),
        ("**B**", "B"),
        ("(B)", "B"),
        ("B. cat", "B"),
        ("cat", "B"),
        ("The reply chooses option B.", "B"),
        ("The reply names a feline, so the answer is B.", "B"),
        ('{"answer": "B"}', "B"),
        ('```json\n{"answer": "B"}\n```', "B"),
        ("<answer>B</answer>", "B"),
        ("<think>It might be A, or NONE.</think>\nB", "B"),
        ("Ｂ", "B"),
        ("B。", "B"),
        ("答案：B", "B"),
        ("Die Antwort ist B.", "B"),
        ("\\boxed{B}", "B"),
    ],
)
def test_a_letter(said, letter):
    assert read_opinion(said, ANIMALS).letter == letter
    assert not read_opinion(said, ANIMALS).failed


@pytest.mark.parametrize(
    "said",
    [
        "NONE",
        "none",
        "None.",
        "**NONE**",
        '"NONE"',
        '{"answer": "NONE"}',
        "<answer>NONE</answer>",
        "The answer is NONE.",
        "<think>A or B?</think>NONE",
        "NONE. The reply declines to choose.",
        "\\boxed{NONE}",
        "NONE, since it names A and B.",
    ],
)
def test_nothing_is_chosen(said):
    opinion = read_opinion(said, ANIMALS)
    assert (opinion.letter, opinion.failed) == (None, False)
    assert opinion.how == "none"


@pytest.mark.parametrize(
    ("said", "how"),
    [
        ("", "empty"),
        ("   \n", "empty"),
        ("<think>The reply says", "reasoning-only"),
        ("E", "letter-beyond"),
        ("A or B", "several-options"),
        ("A and C", "several-options"),
        ("Sure! Let me have a look.", "nothing-read"),
        ("I can't help with that.", "refusal"),
        ("NONE or A", "letter-and-none"),
        ("NO-CHOICE", "nothing-read"),
    ],
)
def test_what_cannot_be_read_is_a_failure_of_the_judge(said, how):
    assert read_opinion(said, ANIMALS) == Opinion(None, how, failed=True)


def test_none_among_the_options_has_another_word_for_nothing():
    options = ("one", "None", "both")
    assert read_opinion("B", options).letter == "B"
    assert read_opinion("None", options).letter == "B"
    assert read_opinion("NO-CHOICE", options) == Opinion(None, "none")
    assert read_opinion("The answer is NO-CHOICE.", options) == Opinion(None, "none")


def test_as_many_options_as_there_are_letters():
    options = tuple(f"sound {number}" for number in range(26))
    assert read_opinion("Z", options).letter == letters(26)[-1]
    assert read_opinion("NONE", options) == Opinion(None, "none")
