"""Other papers' parsers on replies whose reading by them is known, and on what their descriptions say."""

import re
import string
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from audiometry import seeds
from audiometry.choices.parsers import airbench, airbench_text, evalscope, lmms_eval, muchomusic, ultraeval

FOUR = ("a dog", "a cat", "a cow", "a hen")
NONE = None


def read_ultraeval(reply):
    return ultraeval.read(reply, FOUR)


def read_lmms_eval(reply):
    return lmms_eval.read(reply, FOUR)


def read_muchomusic(reply):
    return muchomusic.read(reply, FOUR)


def read_airbench_text(reply):
    return airbench_text.read(reply, FOUR)


READERS = {
    "airbench": airbench.read,
    "airbench-text": read_airbench_text,
    "lmms-eval": read_lmms_eval,
    "evalscope": evalscope.read,
    "muchomusic": read_muchomusic,
    "ultraeval": read_ultraeval,
}

# reply: what airbench, lmms-eval (None: a guess), evalscope and ultraeval read
TRAPS = [
    ("A dog is barking, so C.", "A", "C", "A", "A"),
    ("Don't know", "D", NONE, "D", "D"),
    ("(B) piano", NONE, "B", "B", NONE),
    ("A piano plays…", "A", "A", "A", "A"),
    ("(A) or rather (C)", "C", "A", "A", NONE),
    ("Acoustic guitar", "A", NONE, "A", "A"),
    ("Bass", "B", NONE, "B", "B"),
]
PLAIN = [
    ("B", "B", "B", "B", "B"),
    ("B.", "B", "B", "B", "B"),
    ("B)", "B", NONE, "B", "B"),
    ("b", NONE, NONE, "B", "B"),
    (" B\n", "B", "B", "B", "B"),
    ("The answer is C.", "C", "C", "C", NONE),
    ("The answer is C", NONE, "C", "C", NONE),
    ("Answer: D", "A", "D", "D", "A"),
    ("answer cat", NONE, NONE, "C", "A"),
    ("The answer b", NONE, NONE, "B", NONE),
    ("drums", NONE, NONE, "D", "D"),
    ("The answer:\nC.", "C", NONE, "C", NONE),
    ("", NONE, NONE, NONE, NONE),
    ("  \n ", NONE, NONE, NONE, NONE),
    ("None", NONE, NONE, NONE, NONE),
    ("x", NONE, NONE, NONE, NONE),
    ("E", NONE, NONE, NONE, NONE),
]


@pytest.mark.parametrize(("reply", "by_airbench", "by_lmms_eval", "by_evalscope", "by_ultraeval"), TRAPS + PLAIN)
def test_each_reader_reads_what_its_original_is_known_to_read(
    reply, by_airbench, by_lmms_eval, by_evalscope, by_ultraeval
):
    assert airbench.read(reply).letter == by_airbench
    assert read_lmms_eval(reply).letter == by_lmms_eval
    assert evalscope.read(reply).letter == by_evalscope
    assert read_ultraeval(reply).letter == by_ultraeval


def test_airbench_joins_lines_before_it_looks_at_the_ends():
    assert airbench.read("I think\nthe answer is\nD\n.").letter == "D"
    assert airbench.read("It is\nB").letter is None
    assert airbench.read("Ax").how == "first-character"
    assert airbench.read("xAx").how == "second-to-last-character"


@pytest.mark.parametrize(
    ("reply", "by_text", "by_script"),
    [
        ("B", "B", "B"),
        ("B.", "B", "B"),
        ("B)", "B", "B"),
        (" C)\n", "C", "C"),
        ("D", "D", "D"),
        ("Dogs and birds can be heard.", NONE, "D"),
        ("A dog is barking.", NONE, "A"),
        ("B. a cat", NONE, "B"),
        ("B) a cat", NONE, "B"),
        ("The answer is B.", NONE, "B"),
        ("(B)", NONE, "B"),
        ("B,", NONE, "B"),
        ("B..", NONE, "B"),
        ("B.)", NONE, "B"),
        ("B .", NONE, "B"),
        ("AB", NONE, "A"),
        ("b", NONE, NONE),
        ("b)", NONE, NONE),
        ("E", NONE, NONE),
        ("E.", NONE, NONE),
        (".", NONE, NONE),
        (")", NONE, NONE),
        ("", NONE, NONE),
        (" \n", NONE, NONE),
    ],
)
def test_plain_matching_by_the_papers_text_and_by_its_script(reply, by_text, by_script):
    assert airbench_text.read(reply, FOUR).letter == by_text
    assert airbench_text.read(reply, FOUR[:2]).letter == by_text  # the prompt names four letters for two options, too
    assert airbench.read(reply).letter == by_script


def test_the_papers_text_has_no_end_of_the_alphabet_where_an_item_shows_more():
    assert airbench_text.read("E)", (*FOUR, "an eagle")).letter == "E"
    assert airbench_text.read("F)", (*FOUR, "an eagle")).letter is None


def test_lmms_eval_prefers_brackets_to_spaces_and_spaces_to_dots():
    assert read_lmms_eval("I say B but (D) fits, not C.").how == "bracketed"
    assert read_lmms_eval("I say B.x but C fits").letter == "C"
    assert read_lmms_eval("B.piano").letter == "B"


def test_lmms_eval_takes_of_several_the_last_between_spaces_and_else_the_first_of_the_alphabet():
    assert read_lmms_eval("first A then B then C it is").letter == "C"
    assert read_lmms_eval("C, then B , then A , I mean B really").letter == "B"
    assert read_lmms_eval("(C), then (A)").letter == "A"
    assert read_lmms_eval("(A) and (C), so C it is").letter == "C"
    assert read_lmms_eval("D.drum or B.piano").letter == "B"


def test_lmms_eval_takes_each_mark_off_the_ends_once_and_in_its_order():
    assert read_lmms_eval("B.,").letter == "B"
    assert read_lmms_eval("it is C!").letter == "C"
    assert read_lmms_eval("it is C!,").letter == "C"
    assert read_lmms_eval("it is C,!").letter is None  # the comma is looked for before the exclamation mark is gone
    assert read_lmms_eval("it is C.!").how == "before-a-dot"
    assert read_lmms_eval("''B''").letter == "B"


@pytest.mark.parametrize("n", range(2, 7))
def test_lmms_eval_knows_the_letters_of_the_items_own_options_only(n):
    options = [f"sound {number}" for number in range(n)]
    for form in ("({})", "it is {}", "{}.x"):
        read = [lmms_eval.read(form.format(letter), options).letter for letter in "ABCDEFGH"]
        assert read == [*"ABCDEFGH"[:n], *[None] * (8 - n)]


def test_evalscope_prefers_what_follows_answer_and_then_a_letter_alone():
    assert evalscope.read("A dog? No. Answer: C").letter == "C"
    assert evalscope.read("Answer\t-\n b").letter == "B"
    assert evalscope.read("Dogs bark (C)").how == "alone"
    assert evalscope.read("cat").how == "first-character"


def test_evalscope_asks_for_no_end_of_the_word_behind_answer_and_for_none_before_it():
    assert evalscope.read("answer: Bass").letter == "B"
    assert evalscope.read("Answer: cat, which is option B").letter == "C"
    assert evalscope.read("unanswerable, B").letter == "A"
    assert evalscope.read("answers: B").letter == "B"
    assert evalscope.read("answers: bass").letter == "A"  # "answer" with an s behind it; and a first character
    assert evalscope.read("ANSWER : (b)").letter == "A"  # a bracket is nothing that may stand between


def test_evalscope_reads_on_in_time_through_any_number_of_blanks():
    assert evalscope.read("answer" + " \n" * 500_000 + "x").letter == "A"


def test_ultraeval_knows_only_the_letters_that_stand_there():
    assert ultraeval.read("Cello", ("a dog", "a cat")).letter is None
    assert ultraeval.read("Eagle", (*FOUR, "an eagle")).letter == "E"


INSTRUMENTS = ("Violin", "a Piano ", "piano roll", "Drum kit")


@pytest.mark.parametrize(
    ("reply", "letter", "how"),
    [
        ("Acoustic guitar", "A", "only-capital"),
        ("Bass", "B", "only-capital"),
        ("Drums", "D", "only-capital"),
        ("Don't know", "D", "only-capital"),
        ("(B) piano", "B", "only-capital"),
        ("A piano plays…", "A", "only-capital"),  # whatever stands under A
        ("B, B and only B", "B", "only-capital"),  # one letter, however often
        ("CC", "C", "only-capital"),
        ("NASA", "A", "only-capital"),
        ("A dog is barking, so C.", NONE, "nothing-read"),  # two letters, and no option's text
        ("A: a violin, so not C", "A", "option-named"),
        ("(A) or rather (C)", NONE, "nothing-read"),
        ("AC/DC on a drum kit", "D", "option-named"),
        ("b", NONE, "nothing-read"),
        ("(c)", NONE, "nothing-read"),
        ("violin", "A", "option-named"),
        ("VIOLIN!", "A", "option-named"),
        ("it is a piano roll", "B", "first-option-named"),  # the first that is contained, though C says more
        ("the piano roll of it", "C", "option-named"),
        ("a drum kit or a violin", "A", "first-option-named"),  # in the order shown, not the reply's
        ("violins and violas", "A", "option-named"),  # part of a word
        ("vio", NONE, "nothing-read"),  # the option has to stand in the reply, not the reply in the option
        ("E", NONE, "nothing-read"),
        ("The correct answer is: B", "B", "only-capital"),
        ("(A) or (B)? The correct answer is: (B) because it is", "B", "only-capital"),
        ("The correct answer is: A. The correct answer is: C", "C", "only-capital"),
        ("The correct answer is: A. The correct answer is:", NONE, "nothing-read"),
        ("the correct answer is: A", "A", "only-capital"),
        ("A or B? the correct answer is: B", NONE, "nothing-read"),  # in that case alone are the words known
        ("A or B? The correct answer is B", NONE, "nothing-read"),  # and with their colon
        ("violin. The correct answer is: none", NONE, "nothing-read"),
        ("Á", NONE, "nothing-read"),
        ("", NONE, "empty"),
        (" \n", NONE, "empty"),
    ],
)
def test_muchomusic_reads_what_its_script_reads(reply, letter, how):
    found = muchomusic.read(reply, INSTRUMENTS)
    assert (found.letter, found.how) == (letter, how)


def test_muchomusic_knows_the_letters_a_to_d_alone_and_the_texts_of_all_options():
    five = (*FOUR, "an eagle")
    assert muchomusic.read("E", five).letter is None
    assert muchomusic.read("an eagle", five).letter == "E"
    assert muchomusic.read("Dogs", ("a dog", "a cat")).letter == "D"  # a letter that no option has


# The guess for an unreadable reply: a named stream, drawn from here by hand.


@pytest.mark.parametrize("n", [2, 3, 4, 5, 26])
def test_the_guess_comes_from_the_stated_stream_and_from_nothing_else(n):
    for item, variant, seed in (("clip-1", "plain", 0), ("clip-1", "order-1", 0), ("clip-2", "plain", 7)):
        expected = string.ascii_uppercase[int(seeds.stream(seed, "lmms-eval", item, variant).random() * n)]
        assert lmms_eval.guess(seed, item, variant, n) == expected == lmms_eval.guess(seed, item, variant, n)


@pytest.mark.parametrize(("n", "limit"), [(2, 10.83), (3, 13.82), (4, 16.27), (5, 18.47)])  # chi-squared, p = .001
def test_guesses_favour_none_of_the_items_own_letters_and_know_no_other(n, limit):
    drawn = Counter(lmms_eval.guess(0, f"item-{number}", "plain", n) for number in range(4000))
    assert set(drawn) == set("ABCDE"[:n])
    assert sum((times - 4000 / n) ** 2 / (4000 / n) for times in drawn.values()) < limit


# Any text: an independent statement of each rule.

texts = st.lists(st.sampled_from([*"ABCDEabd ().,!? :-\n\t1'", "answer", "ANSWER"]), max_size=30).map("".join)


@given(texts)
def test_airbench_by_its_description(text):
    flat = text.strip().replace("\n", "")
    places = [0, len(flat) - 2] if len(flat) > 1 else [0] * bool(flat)
    letters = [flat[place] for place in places if flat[place] in {"A", "B", "C", "D"}]
    assert airbench.read(text).letter == (letters[0] if letters else None)


@given(texts, st.integers(2, 5))
def test_lmms_eval_by_its_description(text, n):
    flat = text.strip()
    for mark in ",.!?;:'":
        while flat.startswith(mark):
            flat = flat[1:]
        while flat.endswith(mark):
            flat = flat[:-1]
    places = {letter: f" {flat} ".rfind(f" {letter} ") for letter in "ABCDE"[:n]}
    spaced = {letter: place for letter, place in places.items() if place >= 0}
    expected = None
    for form in ("({})", " {} ", "{}."):
        written = {letter for letter in places if form.format(letter) in f" {flat} "}
        if written:
            expected = max(written & set(spaced), key=spaced.get, default=min(written))
            break
    assert lmms_eval.read(text, "abcde"[:n]).letter == expected


@given(texts)
def test_evalscope_by_its_description(text):
    lower, expected = text.lower(), None
    for place in (at for at in range(len(text)) if lower.startswith("answer", at)):
        behind = lower[place + len("answer") :].lstrip()
        behind = (behind[1:] if behind[:1] in set(":-") else behind).lstrip()
        if behind[:1] in set("abcd"):
            expected = behind[0].upper()
            break
    if expected is None:
        alone = [word for word in re.split(r"\W", text) if word in {"A", "B", "C", "D"}]
        expected = (alone or [text.strip()[:1].upper()])[0]
    assert evalscope.read(text).letter == (expected if expected in {"A", "B", "C", "D"} else None)


sung = st.lists(
    st.sampled_from(
        ["A", "B", "C", "D", "E", "a", "d", " ", "\n", ".", "dog", "cat", "a cow", "The correct answer is:"]
    ),
    max_size=12,
).map("".join)
options = st.lists(st.sampled_from(["dog", "Cat", " a cow", "cow ", "do", "D", "x", "The cat"]), min_size=2, max_size=5)


@given(sung, options)
def test_muchomusic_by_its_description(text, shown):
    while "The correct answer is:" in text:
        text = text[text.index("The correct answer is:") + len("The correct answer is:") :]
    there = [letter for letter in ("A", "B", "C", "D") if text.count(letter)]
    expected = there[0] if len(there) == 1 else None
    if expected is None:
        contained = [option.strip().lower() in text.lower() for option in shown]
        expected = "ABCDE"[contained.index(True)] if any(contained) else None
    assert muchomusic.read(text, shown).letter == expected


@given(st.text(max_size=40), st.text(max_size=40))
def test_muchomusic_reads_nothing_of_what_stands_before_the_last_words_of_the_prompt(before, after):
    told = muchomusic.read(f"{before}The correct answer is:{after}", INSTRUMENTS)
    assert told.letter == muchomusic.read(after, INSTRUMENTS).letter


@given(st.sampled_from("ABCD"), st.text(max_size=40))
def test_muchomusic_is_turned_by_no_word_without_these_capitals(letter, rest):
    small = rest.translate({ord(one): "x" for one in "ABCD:"})
    assert muchomusic.read(f"{small}{letter}{small}", INSTRUMENTS).letter == letter


@given(texts, st.sampled_from("ABCD"))
def test_ultraeval_is_the_match_of_a_prefix(text, gold):
    right = text.strip().lower().startswith(gold.lower())
    assert (read_ultraeval(text).letter == gold) == right


@pytest.mark.parametrize("name", READERS)
@given(reply=st.text(max_size=60))
def test_any_text_at_all_gives_one_of_four_letters_or_none(name, reply):
    found = READERS[name](reply)
    assert found.letter in {"A", "B", "C", "D", None}
    assert found.how
    assert not found.refused
