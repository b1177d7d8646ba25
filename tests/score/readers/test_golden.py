"""What becomes of a reply that a judge which was shown the right choice has called correct or not."""

import numpy as np
import pytest

from audiometry.records import Failure, Item, ReplyRecord, State
from audiometry.score.judge.golden import GoldenContent
from audiometry.score.measures.accuracy import MEASURE, is_right
from audiometry.score.readers import Said
from audiometry.score.readers.golden import GoldenReader

ITEM = Item(id="i", task="t", question="What barks?", options=("cat", "dog", "cow"), answer="dog")
SHOWN = ("dog", "cow", "cat")
READER = GoldenReader()


def reply(text="It goes woof.", **more):
    return ReplyRecord(item="i", text=text, **more)


def read(record, *answers, item=ITEM):
    return READER.read(record, item, SHOWN, [Said(first=text, readable=text is not None) for text in answers])


def test_a_reply_called_correct_is_right_and_chose_the_right_letter():
    found = read(reply(), "CORRECT")
    assert (found.state, found.read, found.letter) == (State.ANSWERED, "dog", "A")
    assert is_right(ITEM, found)


def test_a_reply_called_incorrect_is_wrong_and_chose_nobody_knows_what():
    found = read(reply(), "Incorrect.")
    assert (found.state, found.read, found.letter, found.how) == (State.ANSWERED, None, None, "judge-incorrect")
    assert not is_right(ITEM, found)


@pytest.mark.parametrize(
    ("answers", "how"), [((), "judge-failed"), ((None,), "judge-failed"), (("B",), "judge-unreadable")]
)
def test_a_judge_that_fails_leaves_a_reply_unjudged_and_never_wrong(answers, how):
    found = read(reply(), *answers)
    assert (found.state, found.how) == (State.UNJUDGED, how)


def test_a_second_answer_counts_where_the_first_could_not_be_read():
    found = READER.read(reply(), ITEM, SHOWN, [Said(first="B", again="CORRECT")])
    assert found.state == State.ANSWERED


@pytest.mark.parametrize(
    ("record", "state"),
    [
        (None, State.NOT_ASKED),
        (ReplyRecord(item="i", error=Failure(kind="timeout", message="")), State.FAILED),
        (ReplyRecord(item="i"), State.FAILED),
        (reply(""), State.EMPTY),
        (reply(" \n"), State.EMPTY),
        (reply("<think>the dog</think>"), State.EMPTY),
    ],
)
def test_what_has_no_words_is_put_to_nobody_and_is_what_it_is(record, state):
    assert READER.asks(record, ITEM, SHOWN) == ()
    assert read(record, "CORRECT").state == state


def test_a_reply_that_declines_is_put_to_the_judge_and_stays_one_unless_it_is_called_correct():
    declines = reply("I'm sorry, I can't help with that.")
    assert len(READER.asks(declines, ITEM, SHOWN)) == 1
    assert read(declines, "INCORRECT").state == State.REFUSED
    assert read(declines, "CORRECT").state == State.ANSWERED


def test_the_judge_sees_the_right_choice_as_it_was_shown():
    assert READER.asks(reply(), ITEM, SHOWN) == (GoldenContent("What barks?", "A. dog", "It goes woof."),)
    plain = READER.shown_as("words")
    assert plain.asks(reply(), ITEM, SHOWN)[0].right == "dog"
    assert READER.shown_as("bracketed") is READER


def test_an_item_whose_answer_nobody_knows_is_put_to_nobody():
    unknown = Item(id="i", task="t", options=ITEM.options)
    assert READER.asks(reply(), unknown, SHOWN) == ()
    assert read(reply(), "CORRECT", item=unknown).state == State.UNANSWERED


def test_accuracy_over_its_outcomes_is_the_share_called_correct():
    outcomes = [read(reply(), word) for word in ("CORRECT", "INCORRECT", "correct", "not correct")]
    sums = MEASURE.parts([ITEM] * 4, outcomes, ("right", "replies")).parts.sum(axis=0)
    assert MEASURE.value(np.asarray(sums)) == pytest.approx(0.5)
