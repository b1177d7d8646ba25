"""What of a run is measured: which items, which words of a reply, and what became of it."""

import pytest

from audiometry.errors import RunFolderError, UsageError
from audiometry.records import Item, ReplyRecord, State
from audiometry.score.door import measured
from audiometry.score.filling import fill
from audiometry.score.measures import named
from audiometry.score.measures.references import language_of
from audiometry.score.measures.references import paired as pair
from audiometry.score.opened import open_run
from audiometry.score.profiles import PROFILES
from audiometry.score.readers.words import WORDS, answer_in

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
    item = Item(id="a", task="t", tags={"references": list(references)})
    assert WORDS.read(ReplyRecord(item="a", **fields), item, ()).state == state


def test_references_and_languages_come_from_answer_and_tags():
    item = Item(id="a", task="t", answer=" a cat ", tags={"references": ["a cat", "", "the cat"], "language": "German"})
    assert item.references == ("a cat", "the cat")
    assert language_of(item, "fr") == "de"
    assert language_of(Item(id="a", task="t"), "fr") == "fr"
    translated = Item(id="a", task="t", tags={"language": "fr", "reference_language": "en"})
    assert language_of(translated) == "en"
    assert Item(id="a", task="t", answer=" ").references == ()
    assert Item(id="a", task="t", tags={"references": "one"}).references == ("one",)


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
    sheet = fill(open_run(run), PROFILES.named("strict"), named("wer"))
    expected = [State.ANSWERED, State.ANSWERED, State.FAILED, State.NOT_ASKED]
    assert [list(State)[code] for code in sheet.state[:, 0]] == expected
    assert sheet.parts[:, 0, :2].tolist() == [[1, 1], [1, 1], [1, 1], [0, 0]]
    assert sheet.why == {(2, 0): "timeout"}


def test_items_with_options_or_without_a_reference_are_counted_and_left_out(make_benchmark, make_run):
    rows = [{"options": [], "answer": "a"}, {"options": [], "answer": None}, {"task": "choice"}]
    folder = make_benchmark(rows, card=OPEN, clips=False)
    found = measured(open_run(make_run(folder, {"item-00000": "a"})), ["wer"]).scores["wer"]
    assert (found.n_items, found.value) == (1, 0.0)
    assert found.unscored_items == {"options to choose from": 1, "no reference answer": 1}


@pytest.mark.parametrize(
    ("rows", "says"),
    [
        (
            [{"task": "choice"}],
            "of the kind open or transcript, and this run of made was asked none",
        ),
        ([{"options": [], "answer": None}], "no item of made that wer fits has a reference to compare with"),
    ],
)
def test_nothing_to_measure_is_one_line(make_benchmark, make_run, rows, says):
    run = open_run(make_run(make_benchmark(rows, card=OPEN, clips=False), {}))
    with pytest.raises(UsageError, match=says) as raised:
        measured(run, ["wer"])
    assert "\n" not in str(raised.value)


def test_a_reply_to_an_item_that_is_not_there_is_one_line(make_benchmark, make_run):
    run = make_run(make_benchmark([{"options": [], "answer": "a"}], card=OPEN, clips=False), {"elsewhere": "a"})
    with pytest.raises(RunFolderError, match="item 'elsewhere' is not in made; restore the file"):
        measured(open_run(run), ["wer"])
