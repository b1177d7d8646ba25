"""Prompt layouts: what a model reads."""

import pytest

from audiometry.errors import UnknownNameError
from audiometry.records import Item
from audiometry.run import layout

ITEM = Item(id="x", task="t", question="  Who speaks?  ", options=("a man", "a woman"), answer="a man")


def words(name, item=ITEM, options=None):
    how = layout.stamp(name, "audio-first")
    return layout.prompt(item, "plain", item.options if options is None else options, [], how).text


def test_ours_shows_the_options_that_there_are_and_asks_for_a_letter():
    text = words("ours")
    assert text.startswith("Who speaks?\n\nA. a man\nB. a woman\n\n")
    assert "letter" in text
    assert "None" not in text


def test_airbench_puts_the_instruction_first_and_shows_four_lines():
    lines = words("airbench").split("\n")
    assert lines[1:] == ["Who speaks?", "A. a man", "B. a woman", "C. None", "D. None"]
    assert "A, B, C" in lines[0]


def test_lmms_eval_puts_the_instruction_last_and_shows_four_lines():
    lines = words("lmms-eval").split("\n")
    assert lines[:5] == ["Who speaks?", "A. a man", "B. a woman", "C. None", "D. None"]
    assert "letter" in lines[5]


@pytest.mark.parametrize("name", layout.LAYOUTS.names())
def test_braces_in_a_question_or_an_option_stay_as_they_are(name):
    item = Item(id="x", task="t", question="Is it {options}?", options=("{question}", "{options}"), answer="{options}")
    text = words(name, item)
    assert text.count("{question}") == 1
    assert text.count("{options}") == 2


@pytest.mark.parametrize("name", layout.LAYOUTS.names())
def test_more_than_four_options_are_all_shown(name):
    options = tuple(f"option {n}" for n in range(6))
    mark = "(F)" if layout.named(name).style == "one-line" else "F."
    assert f"{mark} option 5" in words(name, options=options)
    assert "None" not in words(name, options=options)


@pytest.mark.parametrize("name", ["ours", "airbench"])
def test_an_open_question_is_the_bare_question(name):
    assert words(name, options=()) == "Who speaks?"


def test_the_port_asks_open_questions_for_detail_and_for_english():
    question, _, wish = words("lmms-eval", options=()).partition("\n")
    assert question == "Who speaks?"
    assert "English" in wish
    assert "detail" in wish


def test_layouts_are_told_apart_by_their_hash():
    assert len({layout.stamp(name, "audio-first").sha256 for name in layout.LAYOUTS.names()}) == len(
        layout.LAYOUTS.names()
    )


def test_an_unknown_layout_suggests_the_nearest():
    with pytest.raises(UnknownNameError, match="did you mean 'airbench'"):
        layout.stamp("air-bench", "audio-first")
