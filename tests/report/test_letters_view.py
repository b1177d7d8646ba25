"""Letters: a sentence only from the test, and each letter's difference with its interval."""

import re

import numpy as np
import pytest

from audiometry.render.console import Terminal
from audiometry.render.document import Chart, Folded, Line
from audiometry.render.html import html
from audiometry.render.table import Estimate
from audiometry.report.views.entries import Runs
from audiometry.report.views.letters import letters, preferred
from audiometry.score.counts import LetterDifference, Letters, LetterTest
from audiometry.seeds import generator
from audiometry.stats.homogeneity import homogeneity

HOSTILE = "<script>alert(1)</script>\x1b[2J\u202e"


def chosen(pairs):
    """Letters of so many replies with a right and a chosen letter each."""
    gold, said = (np.array([place for pair, n in pairs.items() for place in [pair[at]] * n]) for at in (0, 1))
    found = homogeneity(gold, said, np.arange(len(gold)), generator(0, "letters"))
    names = "ABCD"[: len(found.difference)]
    each = zip(names, found.difference.tolist(), found.low.tolist(), found.high.tolist(), strict=True)
    return Letters(
        gold={name: int((gold == n).sum()) for n, name in enumerate(names)},
        chosen={name: int((said == n).sum()) for n, name in enumerate(names)},
        test=LetterTest(
            statistic=found.statistic, df=found.df, p=found.p, n_replies=found.n, n_clusters=found.n_clusters,
            letters={name: LetterDifference(difference=d, interval=(low, high)) for name, d, low, high in each},
        ),
    )  # fmt: skip


FAIR = chosen({(0, 0): 20, (1, 1): 20, (0, 1): 5, (1, 0): 6, (2, 2): 9})
BIASED = chosen({(0, 0): 20, (1, 0): 18, (1, 1): 4, (2, 0): 15, (2, 2): 5, (0, 2): 1})


def shown(found, labels):
    return letters(found, Runs(scored=(None,) * len(found), labels=tuple(labels)))


def words(found):
    return "" if found is None else found.text


def printed(blocks, width):
    out = Terminal(width)
    with out.capture() as said:
        out.show(blocks)
    return said.get()


def test_a_terminal_says_which_letters_are_preferred_where_the_test_finds_some_and_else_nothing():
    assert FAIR.test.p >= 0.05 > BIASED.test.p
    assert preferred(FAIR) is None
    assert preferred(None) is None
    assert preferred(Letters(gold={}, chosen={})) is None
    said = words(preferred(BIASED))
    assert said.startswith("Letters are not chosen as often as they are right (Stuart-Maxwell test, chi-squared ")
    a, b = BIASED.test.letters["A"], BIASED.test.letters["B"]
    for name, one in (("A", a), ("B", b)):
        low, high = (f"{100 * end:+.1f}" for end in one.interval)
        assert f"{name} {100 * one.difference:+.1f} points (95 %: {low} to {high})" in said
    assert ", 63 replies in 63 clusters): " in said


def test_where_no_letter_alone_is_told_the_sentence_says_so():
    test = BIASED.test
    wide = {name: LetterDifference(difference=0.1, interval=(-0.3, 0.4)) for name in test.letters}
    found = Letters(gold=BIASED.gold, chosen=BIASED.chosen, test=LetterTest(**_fields(test) | {"letters": wide}))
    assert words(preferred(found)).endswith("; of no letter alone can it be told.")


def test_only_letters_whose_interval_leaves_out_nothing_are_named():
    test = BIASED.test
    wide = {**test.letters, "B": LetterDifference(difference=-0.1, interval=(-0.3, 0.1))}
    found = Letters(gold=BIASED.gold, chosen=BIASED.chosen, test=LetterTest(**_fields(test) | {"letters": wide}))
    assert " B -10.0 points" not in words(preferred(found))
    assert " A +" in words(preferred(found))


def _fields(test):
    return {name: getattr(test, name) for name in test.__struct_fields__}


def test_the_page_tells_of_one_run_what_was_counted_and_of_several_each_difference(on_axes):
    alone = shown([FAIR], ["one"])
    assert on_axes([alone, shown([BIASED], ["one"])]) == 2
    (chart,) = (block for block in alone.blocks if isinstance(block, Chart))
    assert next(row[:4] for row in chart.table.rows) == ("A", 25, 25 / 60, 26)
    assert chart.figure.reference == 0
    assert chart.figure.caption == chart.table.caption
    assert chart.table.caption.endswith("in points of the replies, with joint intervals")  # and not each its own
    assert (chart.figure.n, chart.figure.n_of) == (60, "reply")
    assert not any(isinstance(block, Folded) for block in alone.blocks)
    (two,) = (block for block in shown([FAIR, BIASED], ["one", "two"]).blocks if isinstance(block, Chart))
    assert [one.title for one in two.table.columns] == ["letter", "one", "two"]
    assert two.figure.series == ("one", "two")
    both = shown([FAIR, None, BIASED], ["one", "two", HOSTILE])
    (chart,) = (block for block in both.blocks if isinstance(block, Chart))
    assert {mark.series for mark in chart.figure.marks} == {0, 2}
    assert [one.title for one in chart.table.columns] == ["letter", "one", "two", HOSTILE]
    said = [block.text for block in both.blocks if isinstance(block, Line)]
    assert said[0].startswith("one: No letter can be told to be preferred (")
    assert said[1] == "two: No letters were shown."
    page = html([both])
    assert "<script>" not in page
    assert "\x1b" not in printed([both], 80)


def test_of_many_runs_all_have_their_numbers_and_without_replies_nothing_is_drawn():
    (chart,) = (one for one in shown([FAIR] * 5, list("abcde")).blocks if isinstance(one, Chart))
    assert [column.title for column in chart.table.columns] == ["letter", *"abcde"]
    assert all(isinstance(cell, Estimate) for row in chart.table.rows for cell in row[1:])
    assert len(chart.figure.marks) == 15
    many = shown([FAIR, BIASED, *[FAIR] * 7, None], list("abcdefghij"))
    (said,) = (block for block in many.blocks if isinstance(block, Line) and block.weight != "about")
    assert said.text.startswith("b: Letters are not chosen")
    told = next(block for block in many.blocks if isinstance(block, Folded))
    assert (told.title[:7], len(told.blocks)) == ("9 runs ", 9)
    assert "a: No letter can be told" in printed([many], 200)
    none = shown([Letters(gold={}, chosen={})], ["one"])
    assert [block.text for block in none.blocks] == ["No reply named a letter."]


@pytest.mark.parametrize("width", [60, 80, 100, 120])
def test_every_figure_stands_whole_on_a_terminal_of_any_width(width):
    text, wide = (printed([shown([BIASED], ["one"])], size) for size in (width, 1000))
    assert sorted(re.findall(r"[+-]?\d[\d.,]*", text)) == sorted(re.findall(r"[+-]?\d[\d.,]*", wide))
    assert max(map(len, text.splitlines())) <= width
