"""What is read grows no faster than the text: work is counted in calls, since time says little on a busy machine."""

import sys
from itertools import islice, product
from string import ascii_uppercase

import pytest

from audiometry import choices
from audiometry.choices import letter_context
from audiometry.choices.labels import label_names, read_label

OPTIONS = ("violin", "piano", "guitar", "3 drums")
REPEATED = (
    *("A. ", "A ", "A\n", "A, ", "(A) ", "[x] ", "- [ ] piano\n", "A and ", "A? ", "A but ", "also A ", "if A, "),
    *("not ", "not B ", "far from B ", "I doubt B. ", "nothing ", "no, wait, ", "No - yes. ", "~~A~~ ", "~~A", "~"),
    *('"', '"B" ', "'B' ", 'says "', 'she says "B" ', "says 'it's ", "says it ", "the word ", "(", "[[B", "\n", ". "),
    *("The answer is A. ", "The answer is ", "A: no\n", "A would be B would be ", "second best: A ", "although A "),
    *("violin piano guitar drums ", "A. violin\nB. piano\nC. guitar\n", "violins ", "gutar ", "is piano "),
    *("one ", "one drum ", "seventy-two ", "one hundred and ", "100 % sure ", "3 ", "3 times ", "the third option "),
    *("melody ", "a-", "a", "é ", "钢琴", "Question: ", '{"answer": "B"} ', "<think>", "I'm sorry, I can't "),
)


def calls(reply):
    """How many functions of ours or the interpreter's are called while a reply is read."""
    return called(lambda: choices.read_answer(reply, OPTIONS))


def called(read):
    """How many functions are called while something is read."""
    counted = 0

    def count(_frame, event, _arg):
        nonlocal counted
        counted += event in {"call", "c_call"}

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        read()
    finally:
        sys.setprofile(before)
    return counted


@pytest.mark.parametrize("unit", REPEATED)
def test_four_times_the_text_takes_four_times_the_work(unit):
    short, long = (unit * (length // len(unit)) for length in (3_000, 12_000))
    choices.read_answer(long, OPTIONS)  # what is kept of patterns and words is there
    assert calls(long) <= 5 * calls(short) + 200


def test_beyond_what_is_read_the_work_grows_no_more():
    calls("A. " * 10_000)  # what is compiled and kept is there
    assert calls("A. " * 100_000) <= calls("A. " * 10_000) + 200


def test_a_search_for_initials_ends_after_a_few():
    assert letter_context._INITIALS.match("J. S. Bach")
    assert letter_context._INITIALS.match("A. " * 11 + "Bach") is None


def of_labels(first, n):
    """Reads two replies to a task of so many labels, codes in capitals, and as many more that hold one."""
    labels = ["".join(code) for code in islice(product(ascii_uppercase, repeat=4), first, first + n)]
    names = label_names([*labels, *(f"{code} tone" for code in labels)], {})
    assert read_label(f"I think that it is {labels[5]} tone, not another one", names).label == f"{labels[5]} tone"
    assert read_label(f"tell {labels[7].lower()} more", names).label is None


def test_four_times_the_labels_in_capitals_take_four_times_the_work():
    of_labels(0, 30)  # patterns are there
    assert called(lambda: of_labels(1_000, 1_200)) <= 5 * called(lambda: of_labels(3_000, 300))
