"""Other papers' parsers on replies whose reading by them is known, and on what their descriptions say."""

import re
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from audiometry import seeds
from audiometry.choices.parsers import airbench, evalscope, lmms_eval, ultraeval

FOUR = ("a dog", "a cat", "a cow", "a hen")
NONE = None


def read_ultraeval(reply):
    return ultraeval.read(reply, FOUR)


READERS = {
    "airbench": airbench.read,
    "lmms-eval": lmms_eval.read,
    "evalscope": evalscope.read,
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
    ("b", NONE, NONE, NONE, "B"),
    (" B\n", "B", "B", "B", "B"),
    ("The answer is C.", "C", "C", "C", NONE),
    ("The answer is C", NONE, "C", "C", NONE),
    ("Answer: D", "A", "D", "D", "A"),
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
    assert lmms_eval.read(reply).letter == by_lmms_eval
    assert evalscope.read(reply).letter == by_evalscope
    assert read_ultraeval(reply).letter == by_ultraeval


def test_airbench_joins_lines_before_it_looks_at_the_ends():
    assert airbench.read("I think\nthe answer is\nD\n.").letter == "D"
    assert airbench.read("It is\nB").letter is None
    assert airbench.read("Ax").how == "first-character"
    assert airbench.read("xAx").how == "second-to-last-character"


def test_lmms_eval_prefers_brackets_to_spaces_and_spaces_to_dots():
    assert lmms_eval.read("I say B but (D) fits, not C.").how == "bracketed"
    assert lmms_eval.read("I say B.x but C fits").letter == "C"
    assert lmms_eval.read("B.piano or C.drum").letter == "B"
    assert lmms_eval.read("first A then B then C it is").letter == "C"
    assert lmms_eval.read("(C), then (A)").letter == "C"


def test_evalscope_prefers_what_follows_answer_and_then_a_letter_alone():
    assert evalscope.read("A dog? No. Answer: C").letter == "C"
    assert evalscope.read("ANSWER : (b)").letter == "B"
    assert evalscope.read("Answer: cat, which is option B").letter == "B"
    assert evalscope.read("Dogs bark (C)").letter == "C"
    assert evalscope.read("answer: Bass").letter is None


def test_ultraeval_knows_only_the_letters_that_stand_there():
    assert ultraeval.read("Cello", ("a dog", "a cat")).letter is None
    assert ultraeval.read("Eagle", (*FOUR, "an eagle")).letter == "E"


# The guess for an unreadable reply: a named stream, drawn from here by hand.


def test_the_guess_comes_from_the_stated_stream_and_from_nothing_else():
    for item, variant, seed in (("clip-1", "plain", 0), ("clip-1", "order-1", 0), ("clip-2", "plain", 7)):
        expected = "ABCD"[int(seeds.stream(seed, "lmms-eval", item, variant).random() * 4)]
        assert lmms_eval.guess(seed, item, variant) == expected == lmms_eval.guess(seed, item, variant)


def test_guesses_favour_no_letter():
    drawn = Counter(lmms_eval.guess(0, f"item-{n}", "plain") for n in range(4000))
    assert set(drawn) == set("ABCD")
    assert sum((n - 1000) ** 2 / 1000 for n in drawn.values()) < 16.27  # chi-squared, 3 df, p = .001


# Any text: an independent statement of each rule.

texts = st.text(st.sampled_from(list("ABCDEabd ()., :\n\tanswerANSWER1'")), max_size=30)


@given(texts)
def test_airbench_by_its_description(text):
    flat = text.strip().replace("\n", "")
    places = [0, len(flat) - 2] if len(flat) > 1 else [0] * bool(flat)
    letters = [flat[place] for place in places if flat[place] in {"A", "B", "C", "D"}]
    assert airbench.read(text).letter == (letters[0] if letters else None)


@given(texts)
def test_lmms_eval_by_its_description(text):
    padded = f" {text.strip(' ' + chr(9) + chr(10) + chr(13) + ',.!?;:' + chr(39))} "
    ways = [("({})", min), (" {} ", max), ("{}.", min)]
    expected = None
    for form, choose in ways:
        places = {
            start: letter
            for letter in "ABCD"
            for start in range(len(padded))
            if padded.startswith(form.format(letter), start)
        }
        if places:
            expected = places[choose(places)]
            break
    assert lmms_eval.read(text).letter == expected


@given(texts)
def test_evalscope_by_its_description(text):
    flat = text.strip()
    words = [word for word in re.split(r"\W", flat) if word in {"A", "B", "C", "D"}]
    found = evalscope.read(text)
    if found.how == "alone":
        assert found.letter == words[0]
    elif found.how == "first-character":
        assert found.letter == flat[0]
        assert not words
    elif found.how == "answer-colon":
        assert "answer" in flat.lower()
    else:
        assert not words
        assert flat[:1] not in set("ABCD")


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
