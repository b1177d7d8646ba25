"""What of a run is measured: which items, which words of a reply, and what became of it."""

import pytest

from audiometry.errors import RunFolderError, UsageError
from audiometry.records import Item, ReplyRecord
from audiometry.score.chat.sheet import State
from audiometry.score.judged import open_run
from audiometry.score.measuring.answers import answer_in, language_of, read, references_of, state_of
from audiometry.score.measuring.pairs import pair

OPEN = (
    '[benchmark]\nname = "made"\nversion = "1"\n[[task]]\nname = "sounds"\nkind = "open"\n[[task]]\nname = "choice"\n'
)
REFUSAL = "I'm sorry, but I can't listen to audio."


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        ("  a cat \n", "a cat"),
        ("<think>a dog?</think>a cat", "a cat"),
        ("<think>never ends", ""),
        ("<answer>a cat</answer>", "a cat"),
        ("first <answer> x </answer> then <ANSWER>a cat</ANSWER> and so on", "a cat"),
        ("<answer></answer> a cat", "<answer></answer> a cat"),
        ("<answer>a cat", "a cat"),
        ("5 < 6", "5 < 6"),
    ],
)
def test_reasoning_and_answer_tags_go_first(reply, said):
    assert answer_in(reply) == said


@pytest.mark.parametrize(
    ("fields", "references", "state"),
    [
        ({"text": "a cat"}, ("a dog",), State.ANSWERED),
        ({"text": "<think>x</think>"}, ("a dog",), State.EMPTY),
        ({"text": REFUSAL}, ("a dog",), State.REFUSED),
        ({"text": REFUSAL}, ("I am sorry, but I can not hear you",), State.ANSWERED),
        ({"text": REFUSAL + " but " * 200}, ("a dog",), State.ANSWERED),
        ({"text": "", "finish_reason": "content_filter"}, ("a dog",), State.REFUSED),
    ],
)
def test_what_became_of_a_reply(fields, references, state):
    record = ReplyRecord(item="a", **fields)
    assert state_of(record, answer_in(record.text), references) == state


def test_references_and_languages_come_from_answer_and_tags():
    item = Item(id="a", task="t", answer=" a cat ", tags={"references": ["a cat", "", "the cat"], "language": "German"})
    assert references_of(item) == ("a cat", "the cat")
    assert language_of(item, "fr") == "de"
    assert language_of(Item(id="a", task="t"), "fr") == "fr"
    translated = Item(id="a", task="t", tags={"language": "fr", "reference_language": "en"})
    assert language_of(translated) == "en"
    assert references_of(Item(id="a", task="t", answer=" ")) == ()
    assert references_of(Item(id="a", task="t", tags={"references": "one"})) == ("one",)


def test_much_of_a_long_reply_is_left_unread():
    long = pair("a", "word " * 200_000, ("x " * 1000,), "en")
    assert (len(long.prediction), long.cut_characters) == (40_000, 960_000)
    assert pair("a", "x" * 4000, ("x",), "en").cut_characters == 0


def test_a_failure_never_takes_the_place_of_a_reply_and_what_was_not_asked_is_apart(make_benchmark, make_run):
    folder = make_benchmark([{"options": [], "answer": "a"} for _ in range(4)], card=OPEN, clips=False)
    failed = {"text": None, "error": {"kind": "timeout", "message": "late"}}
    run = make_run(folder, {"item-00000": failed, ("item-00001", "plain"): "one", "item-00002": failed})
    with (run / "replies.jsonl").open("a", encoding="utf-8") as file:
        file.write('{"item":"item-00000","variant":"plain","text":"later"}\n')
        file.write('{"item":"item-00001","variant":"plain","error":{"kind":"http-500","message":"x"}}\n')
    found = read(open_run(run))
    assert [texts[0] for texts in found.texts] == ["later", "one", "", ""]
    assert found.state[:, 0].tolist() == [State.ANSWERED, State.ANSWERED, State.FAILED, State.NOT_ASKED]
    assert found.failures == {"timeout": 1}


def test_items_with_options_or_without_a_reference_are_counted_and_left_out(make_benchmark, make_run):
    rows = [{"options": [], "answer": "a"}, {"options": [], "answer": None}, {"task": "choice"}]
    folder = make_benchmark(rows, card=OPEN, clips=False)
    found = read(open_run(make_run(folder, {"item-00000": "a"})))
    assert ([item.id for item in found.items], found.n_with_options, found.n_without_reference) == (
        ["item-00000"],
        1,
        1,
    )


@pytest.mark.parametrize(
    ("rows", "says"),
    [
        ([{"task": "choice"}], "every item of made has options, and metrics measure open answers"),
        ([{"options": [], "answer": None}], "no open item of made has a reference to compare with"),
    ],
)
def test_nothing_to_measure_is_one_line(make_benchmark, make_run, rows, says):
    run = open_run(make_run(make_benchmark(rows, card=OPEN, clips=False), {}))
    with pytest.raises(UsageError, match=says) as raised:
        read(run)
    assert "\n" not in str(raised.value)


def test_a_reply_to_an_item_that_is_not_there_is_one_line(make_benchmark, make_run):
    run = make_run(make_benchmark([{"options": [], "answer": "a"}], card=OPEN, clips=False), {"elsewhere": "a"})
    with pytest.raises(RunFolderError, match="item 'elsewhere' is not in made; restore the file"):
        read(open_run(run))
