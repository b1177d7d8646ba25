"""What every reader of the house says where no words came, or a filter cut them off: the same seven things."""

import pytest

from audiometry.records import Failure, Item, ReplyRecord, State, Task
from audiometry.score.profiles import PROFILES
from audiometry.score.readers import of_task

OPTIONS = ("dog", "cat", "cow", "hen")
ITEM = Item(id="i", task="t", question="What makes this sound?", options=OPTIONS, answer="dog")
TASK = Task(name="t", kind="label", labels=OPTIONS)
READERS = {
    f"{kind} of {name}": of_task(PROFILES.named(name).readers[kind], TASK, OPTIONS)
    for name in ("strict", "evalscope", "airbench")
    for kind in PROFILES.named(name).readers
    if kind != "open"
}
LATE = Failure(kind="timeout", message="late")


@pytest.mark.parametrize("name", READERS)
@pytest.mark.parametrize(
    ("reply", "state"),
    [
        (None, State.NOT_ASKED),
        ({"error": LATE}, State.FAILED),
        ({"error": LATE, "text": "dog"}, State.FAILED),  # what came before the connection broke is no reply
        ({"error": LATE, "text": "", "finish_reason": "content_filter"}, State.FAILED),
        ({}, State.FAILED),
        ({"text": "", "finish_reason": "content_filter"}, State.REFUSED),
        ({"text": " \n"}, State.EMPTY),
        ({"text": "<think>dog</think>"}, State.EMPTY),
    ],
)
def test_where_no_words_came_every_reader_says_the_same(name, reply, state):
    record = None if reply is None else ReplyRecord(item="i", **reply)
    found = READERS[name].read(record, ITEM, OPTIONS)
    assert (found.state, found.letter) == (state, None)
    if state is State.FAILED:
        assert found.how == ("timeout" if reply else "no-text")


@pytest.mark.parametrize("kind", ["choice", "label", "transcript"])
@pytest.mark.parametrize("reason", ["content_filter", "refusal"])
def test_what_came_before_a_filter_stopped_it_is_no_answer(kind, reason):
    """To a question with a right answer; a reply that only says that it stopped may still be read."""
    reader = of_task(PROFILES.named("strict").readers[kind], TASK, OPTIONS)
    found = reader.read(ReplyRecord(item="i", text="dog", finish_reason=reason), ITEM, OPTIONS)
    assert found.state is (State.ANSWERED if reason == "refusal" and kind != "transcript" else State.REFUSED)
