"""The reader of choices that a judge completes: every reply is one of seven things."""

import pytest

from audiometry.records import Failure, Item, ReplyRecord, State
from audiometry.score.profiles import PROFILES
from audiometry.score.readers import Said
from audiometry.score.readers.aligned import AlignedReader

OPTIONS = ("dog", "cat", "cow", "hen")
ITEM = Item(id="i", task="t", question="What makes this sound?", options=OPTIONS, answer="cow")
STRICT, AIRBENCH = (PROFILES.named(name).readers["choice"] for name in ("strict", "airbench"))


def said(text):
    return [Said(first=text, readable=True)] if text is not None else [Said()]


def read(reply, word, mode="judge", rules=STRICT):
    reply = ReplyRecord(item="i", text=reply) if isinstance(reply, str) else reply
    return AlignedReader(rules=rules, mode=mode).read(reply, ITEM, OPTIONS, said(word))


@pytest.mark.parametrize(
    ("mode", "reply", "word", "state", "letter", "how"),
    [
        ("judge", "It goes moo.", "C", State.ANSWERED, "C", "judge"),
        ("judge", "It goes moo.", "**A**", State.ANSWERED, "A", "judge"),
        ("judge", "It goes moo.", "NONE", State.UNANSWERED, None, "judge-none"),
        ("judge", "It goes moo.", "Hm, let me see.", State.UNJUDGED, None, "judge-unreadable"),
        ("judge", "It goes moo.", None, State.UNJUDGED, None, "judge-failed"),
        ("judge", "B", "C", State.ANSWERED, "B", "whole-letter"),
        ("judge", "I cannot help with that.", "C", State.REFUSED, None, None),
        ("judge", " ", "C", State.EMPTY, None, "blank"),
        ("always", "B", "C", State.ANSWERED, "C", "judge"),
        ("always", "B", "NONE", State.UNANSWERED, None, "judge-none"),
        ("always", "B", None, State.UNJUDGED, None, "judge-failed"),
        ("always", "I cannot help with that.", "NONE", State.REFUSED, None, None),
        ("always", "I cannot help with that.", "C", State.ANSWERED, "C", "judge"),
        ("always", "I cannot help with that.", None, State.UNJUDGED, None, "judge-failed"),
        ("always", "<think>B</think>", "C", State.EMPTY, None, "blank"),
    ],
)
def test_what_becomes_of_a_reply(mode, reply, word, state, letter, how):
    found = read(reply, word, mode)
    assert (found.state, found.letter) == (state, letter)
    assert how in {None, found.how} or how == "whole-letter"
    assert found.read == (OPTIONS["ABCD".index(letter)] if letter else None)


@pytest.mark.parametrize("mode", ["judge", "always"])
def test_a_judge_gives_no_word_where_none_came(mode):
    reader = AlignedReader(rules=STRICT, mode=mode)
    failed = ReplyRecord(item="i", error=Failure(kind="timeout", message="late"))
    blocked = ReplyRecord(item="i", text="", finish_reason="content_filter")
    for reply, state in ((None, State.NOT_ASKED), (failed, State.FAILED), (blocked, State.REFUSED)):
        assert reader.asks(reply, ITEM, OPTIONS) == ()
        assert read(reply, "C", mode).state == state


def test_what_is_put_to_the_judge_is_what_these_rules_cannot_read():
    moo, letter = ReplyRecord(item="i", text="It goes moo."), ReplyRecord(item="i", text="the answer: C, a cow, I say")
    for rules, reply, n in ((STRICT, moo, 1), (STRICT, letter, 0), (AIRBENCH, letter, 1)):
        (*asked,) = AlignedReader(rules=rules).asks(reply, ITEM, OPTIONS)
        assert len(asked) == n
    (about,) = AlignedReader(rules=STRICT, mode="always").asks(letter, ITEM, OPTIONS)
    assert (about.question, about.options, about.reply) == (ITEM.question, OPTIONS, letter.text)


def test_options_without_letters_are_read_so_before_a_judge_is_asked():
    reply = ReplyRecord(item="i", text="C")
    assert AlignedReader(rules=STRICT).asks(reply, ITEM, OPTIONS) == ()
    (about,) = AlignedReader(rules=STRICT).shown_as("lines").asks(reply, ITEM, OPTIONS)
    assert about.reply == "C"
