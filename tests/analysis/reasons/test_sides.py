"""Which reply a comment names, and which side that is in a vote."""

from __future__ import annotations

import pytest

from audiometry.analysis.coding.rules import plain
from audiometry.analysis.reasons.sides import named, references, side
from audiometry.records.votes import Outcome


@pytest.mark.parametrize(
    ("text", "word", "which"),
    [
        ("Response A was vague", "vague", "a"),
        ("model 2 was vague", "vague", "second"),
        ("A was vague", "vague", "a"),
        ("A vague answer", "vague", None),
        ("B vague", "vague", "b"),
        ("b vague", "vague", None),
        ("I had to wait ages for B", "wait", "b"),
        ("the second answer is right", "right", "second"),
        ("Ignored the second part of my question", "Ignored", None),
        ("the right answer", "right", None),
        ("the left one was rude", "rude", "first"),
        ("the other misheard me", "misheard", "other"),
        ("Both had mistakes", "mistakes", "both"),
        ("B only listed names, A said more", "listed", "b"),
        ("B only listed names, A said more", "more", "a"),
        ("more detailed than B", "detailed", "a"),
        ("more detailed than the other", "detailed", None),
        ("I prefer A over B because it is short", "short", None),
        ("I picked A since it has more info", "info", "a"),
        ("B was fine. Too long though", "long", None),
        ("Antwort B war falsch", "falsch", "b"),
        ("Antwort 1 war falsch", "falsch", "first"),
        ("第二个更详细", "详细", "second"),
        ("no reply named", "named", None),
    ],
)
def test_the_reply_that_a_word_is_about(text, word, which):
    whole = plain(text)
    assert named(whole, references(whole), whole.index(word)) == which


@pytest.mark.parametrize(
    ("which", "outcome", "first", "expected"),
    [
        ("a", Outcome.B, -1, "a"),
        ("both", Outcome.TIE, -1, "both"),
        ("other", Outcome.A, -1, "b"),
        ("other", Outcome.B, -1, "a"),
        ("other", Outcome.BOTH_BAD, -1, None),
        ("first", Outcome.A, -1, None),
        ("first", Outcome.A, 0, "a"),
        ("first", Outcome.A, 1, "b"),
        ("second", Outcome.A, 1, "a"),
        ("second", Outcome.A, 0, "b"),
        (None, Outcome.A, 0, None),
    ],
)
def test_the_side_hangs_on_the_vote_and_on_what_was_shown_first(which, outcome, first, expected):
    assert side(which, outcome, first) == expected
