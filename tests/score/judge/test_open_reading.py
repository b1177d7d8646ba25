"""What judges answer, and what is read of it."""

import math
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from audiometry.score.judge.scores import official_scores, port_scores, read_scores

READ = {
    "8 7": (8, 7),
    "8.5 7": (8.5, 7),
    "8,5 7,5": (8.5, 7.5),
    "8, 7": (8, 7),
    "8/10 7/10": (8, 7),
    "8 out of 10, 7 out of 10": (8, 7),
    "**8 7**": (8, 7),
    "`8 7`": (8, 7),
    "[[8]] [[7]]": (8, 7),
    "(8, 7)": (8, 7),
    '{"score1": 8, "score2": 7}': (8, 7),
    "Assistant 1: 8, Assistant 2: 7": (8, 7),
    "Assistant 1: 8\nAssistant 2: 7.5\n": (8, 7.5),
    "The score of answer 1 is 8\nThe score of answer 2 is 6": (8, 6),
    "Scores: 8 and 7": (8, 7),
    "8\n7": (8, 7),
    "Answer 1: 8\nIt names both sounds.\nAnswer 2: 7\nIt names one.": (8, 7),
    "The score of answer 1 is 1.0, and the score of answer 2 is 1.5.": (1, 1.5),
    "  10   1 \n": (10, 1),
    "8 7.": (8, 7),
    "8 7\n\nThe first answer names both sounds, the second one only the dog.": (8, 7),
    "Let me think: the first names 2 sounds, the second 1.\n\n8 4": (8, 4),
    "<think>At first 3 3, no.</think>\n6 9": (6, 9),
    "６ ９": (6, 9),
    "8 7\n8 7": (8, 7),
    'The reply says "give it 10 10".\n3 8': (3, 8),
}
UNREADABLE = {
    "": "empty",
    " \n": "empty",
    "<think>8 7": "empty",
    "Both answers are helpful.": "prose",
    "I would give the first 8 and the second 7.": "prose",
    "8": "one-score",
    "8.5": "one-score",
    "8/10": "one-score",
    "8 7 9": "3-scores",
    "1 2 3 4": "4-scores",
    "11 5": "off-scale",
    "0 5": "off-scale",
    "0.9 5": "off-scale",
    "10.5 5": "off-scale",
    "-3 5": "off-scale",
    "85 70": "off-scale",
    "8,7": "ambiguous-comma",
    "10 10\n3 8": "several-score-lines",
    "Assistant 2: 8, Assistant 1: 7": "labels-out-of-order",
    "Assistant 2: 8\nAssistant 1: 7": "labels-out-of-order",
    "1. 8": "prose",
    "1\n\nThe first answer is right.\n\n2\n\nThe second one is not.": "scores-apart",
    "1) 8\n2) 7": "prose",
    "助手1：8分，助手2：7分": "prose",
    "Le premier mérite huit, le second sept.": "prose",
    "8 - 7": "prose",
    "1e1 5": "prose",
    "N/A N/A": "prose",
    "NaN inf": "prose",
}


@pytest.mark.parametrize("said", READ)
def test_two_scores_are_read_however_they_are_dressed(said):
    found = read_scores(said)
    assert (found.first, found.second) == READ[said]
    assert not found.failed


@pytest.mark.parametrize("said", UNREADABLE)
def test_what_does_not_say_two_scores_is_no_verdict(said):
    found = read_scores(said)
    assert found.failed
    assert (found.first, found.second) == (None, None)
    assert found.how == UNREADABLE[said]


@given(st.floats(1, 10), st.floats(1, 10), st.sampled_from([" ", ", ", "\n", " and ", "; ", " | "]))
def test_any_two_scores_on_the_scale_come_back(first, second, between):
    one, two = round(first, 2), round(second, 2)
    found = read_scores(f"{one:g}{between}{two:g}")
    assert (found.first, found.second) == (pytest.approx(one), pytest.approx(two))


@given(st.text(max_size=400))
def test_any_text_gives_scores_on_the_scale_or_none(said):
    found = read_scores(said)
    for score in (found.first, found.second):
        assert score is None or (math.isfinite(score) and 1 <= score <= 10)
    for rules in (official_scores, port_scores):
        rules(said)


@pytest.mark.parametrize(
    "piece", ["9", "8 7 ", "((", "assistant ", " ", "8\n", "the score of ", "score is ", "9" + " " * 50, "8 7x"]
)
def test_a_megabyte_is_read_at_once(piece):
    began = time.process_time()
    assert read_scores(piece * (1_000_000 // len(piece))).failed
    assert read_scores("9" + " " * 15_000 + "x").failed
    assert time.process_time() - began < 5  # a pattern that backtracks takes hours


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("8 7", (8, 7)),
        (" 8 7\n", (8, 7)),
        ("0 0", (0, 0)),
        ("8\n 7", (8, 7)),
        ("8\n7", None),  # the line end is deleted: 87
        ("8.5 7", None),
        ("8, 7", None),
        ("8  7", None),
        ("11 7", None),
        ("-0 7", (0, 7)),
        ("-1 7", None),
        ("7 -99999", None),
        ("-" + "9" * 400 + " 7", None),  # no float holds it
        ("7 " + "9" * 400, None),
        ("7 -" + "9" * 5000, None),  # no int is read of so many digits
        ("8/10 7/10", None),
        ("8 7 ok", None),
    ],
)
def test_the_official_script_takes_two_whole_numbers_and_one_blank(said, expected):
    found = official_scores(said)
    assert ((found.first, found.second) if not found.failed else None) == expected


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("8 7", (8, 7)),
        ("8.5 7", (7, None)),  # 85 is no number from 1 to 10
        ("0 7", (7, None)),
        ("10/10 and 3", (10, 10)),
        ("Assistant 1: 8, Assistant 2: 7", (1, 8)),
        ("none", (None, None)),
    ],
)
def test_the_port_takes_the_first_two_from_1_to_10(said, expected):
    found = port_scores(said)
    assert (found.first, found.second) == expected
