"""What a writing model leaves behind in items, and options that say the same."""

from pathlib import Path

import pytest

from audiometry.bench.check import check
from audiometry.bench.check_wording import left, twin

LEFT = [
    "The question can be modified to: What instrument is playing?",
    "Modified question: What instrument is playing?",
    "**Modified Question:** What is the tempo?",
    "Revised answer: a piano",
    "Sure, here is a question about the recording.",
    "Sure! What animal can be heard?",
    "Certainly. Which bird is it?",
    "Here are four options for the question",
    "Here's your rewritten question: who speaks?",
    "I have rephrased it so that the audio is needed.",
    "As an AI language model, I cannot hear the clip.",
    "I'm sorry, but no question can be written.",
    "I can't listen to audio files.",
    "Question 3: What is heard?",
    "Answer: a violin",
    "```json",
    "## What is heard",
    "What is the {instrument} that plays?",
    "Which of [insert options here] is heard?",
    "<|im_end|>",
    "Let me know if you need more.",
]
CLEAN = [
    "What can be heard?",
    "Sure enough, the dog barks. What happens next?",
    "Is the speaker sure of the answer?",
    "Which question is asked: who, or where?",
    'The voice says "I\'m sorry."',
    "What does the speaker answer to the question: yes or no?",
    "Can the tempo be changed?",
    "Which of these was the question modified by?",
    "a great, slow waltz",
    "Great Britain",
    "okay",
    "C# minor",
    "#1",
    "I am happy",
    "A: the first theme",
    "What key is it in (C, D, E)?",
    "an AI voice",
]


@pytest.mark.parametrize("text", LEFT)
def test_what_a_writing_model_leaves_behind_is_seen(text):
    assert left(text)


@pytest.mark.parametrize("text", CLEAN)
def test_what_a_person_writes_is_not(text):
    assert not left(text)


TABLE = [line.split("\t") for line in Path(__file__).with_name("left_behind.tsv").read_text().splitlines()]


def test_of_realistic_leftovers_nine_in_ten_are_seen_and_of_what_looks_like_them_none():
    assert sum(kind == "left" for _, kind, _ in TABLE) >= 30
    assert sum(kind == "clean" for _, kind, _ in TABLE) >= 30
    found = [(kind, text, left(text.replace("\\n", "\n"), asked=part == "question")) for part, kind, text in TABLE]
    assert [one for one in found if one[0] == "clean" and one[2]] == []
    missed = [one for one in found if one[0] == "left" and not one[2]]
    assert len(missed) <= 0.1 * len(found) / 2, missed


@pytest.mark.parametrize(
    ("options", "same"),
    [
        (["A dog", "a cat", "a dog."], "a dog."),
        (["“yes”", "no", "Yes"], "Yes"),
        (["one  two", "one two"], "one two"),
        (["ﬁfe", "fife"], "fife"),
        (["C", "C#"], None),
        (["-3", "3"], None),
        (["3.5", "35"], None),
        (["...", "!"], None),
        ([], None),
    ],
)
def test_options_that_say_the_same_are_seen(options, same):
    assert twin(options) == same


def test_check_names_the_items_and_what_to_do(make_benchmark):
    items = [{}, {"question": "Modified question: what is it?"}, {"question": "Modified question: and this?"}]
    items += [{"options": ["a dog", "A dog.", "a cat", "a hen"], "answer": "a cat"}]
    items += [{"options": ["Sure, here is your coffee", "Option B: tea", "a hen"], "answer": "a hen"}]
    card = '[benchmark]\nname = "b"\n[[task]]\nname = "sounds"\nwordings = ["{question}", "Sure! {question}"]\n'
    found = {(one.code, one.where): one for one in check(make_benchmark(items, card=card)).findings}
    written = found["written", "item item-00001"]
    assert (written.n_items, written.severity) == (2, "warning")
    assert "a label before the text" in written.what
    assert found["options-alike", "item item-00003"].items == ("item-00003",)
    assert [one.items for (code, _), one in found.items() if code == "written" and "the option has" in one.what] == [
        ("item-00004",)
    ]
    assert "an obliging opening" in found["written", "task sounds"].what


def test_the_shipped_benchmarks_have_none():
    for name in ("mini", "mini/chat"):
        assert not [one for one in check(name, decode=False).findings if one.code in {"written", "options-alike"}]
