"""Scripted models: what each knows, and what it does not."""

import asyncio
import hashlib
from collections import Counter

import msgspec
import pytest

from audiometry.errors import ModelError, RunFolderError, UnknownNameError, UsageError
from audiometry.models import load
from audiometry.records import Failure, ReplyRecord
from audiometry.stats.wilson import wilson

OPTIONS = ("violin", "piano", "drum", "flute")


class Answers:
    """Item ``i7`` has the clip ``clip 7`` and the answer ``OPTIONS[7 % 4]``."""

    def answer(self, item):
        return OPTIONS[int(item[1:]) % 4] if item[1:].isdecimal() else None

    def audio_sha256(self, item):
        return hashlib.sha256(f"clip {item[1:]}".encode()).hexdigest() if item[1:].isdecimal() else ""

    def kind(self, item):
        return "open"

    def labels(self, item):
        return ()


class Labels(Answers):
    def kind(self, item):
        return "label"

    def labels(self, item):
        return OPTIONS


class Transcripts(Answers):
    def answer(self, item):
        return f"the {super().answer(item)} plays"

    def kind(self, item):
        return "transcript"


@pytest.fixture
def ask(make_prompt, make_clip):
    """A prompt for an item with its own clip, or another one."""

    def make(i, *, clip=None, options=OPTIONS):
        own = make_clip(f"clip {i if clip is None else clip}".encode())
        return make_prompt(own, "What?", item=f"i{i}", options=options)

    return make


@pytest.fixture
def letters_of(say):
    return lambda name, prompts, seed=0: [r.text for r in say(load(name, answers=Answers(), seed=seed), *prompts)]


RIGHT = ["ABCD"[i % 4] for i in range(2000)]


def share_right(said):
    return sum(a == b for a, b in zip(said, RIGHT, strict=False)) / len(said)


def chance_interval(said):
    return wilson(share_right(said), len(said), 0.999)


def test_the_oracle_is_always_right(letters_of, ask):
    assert letters_of("scripted/oracle", [ask(i) for i in range(200)]) == RIGHT[:200]


def test_the_oracle_follows_the_order_shown(letters_of, ask):
    assert letters_of("scripted/oracle", [ask(0, options=("piano", "violin"))]) == ["B"]


def test_the_oracle_guesses_when_the_clip_is_not_the_items_own(letters_of, ask):
    said = letters_of("scripted/oracle", [ask(i, clip=i + 1) for i in range(2000)])
    assert 0.21 < share_right(said) < 0.29
    assert set(said) == set("ABCD")


def test_the_oracle_guesses_without_a_clip(letters_of, make_prompt):
    said = letters_of("scripted/oracle", [make_prompt("What?", item=f"i{i}", options=OPTIONS) for i in range(400)])
    assert share_right(said) < 0.4


@pytest.mark.parametrize("p", [0.0, 0.3, 0.7, 1.0])
def test_the_noisy_oracle_is_right_so_often(letters_of, ask, p):
    said = letters_of(f"scripted/noisy-oracle?p={p}", [ask(i) for i in range(2000)])
    assert abs(share_right(said) - p) < 0.04
    wrong = Counter(a for a, b in zip(said, RIGHT, strict=True) if a != b)
    assert not wrong or max(wrong.values()) / min(wrong.values()) < 1.6 or p == 1


def test_the_noisy_oracle_is_right_seven_times_in_ten_unless_told(letters_of, ask):
    assert letters_of("scripted/noisy-oracle", [ask(i) for i in range(50)]) == letters_of(
        "scripted/noisy-oracle?p=0.7", [ask(i) for i in range(50)]
    )


def test_the_deaf_one_does_not_mind_the_clip(letters_of, ask, make_prompt):
    assert letters_of("scripted/deaf", [ask(i, clip=999) for i in range(100)]) == RIGHT[:100]
    assert letters_of("scripted/deaf", [make_prompt("What?", item="i2", options=OPTIONS)]) == ["C"]


def test_random_is_at_chance_and_knows_no_item(letters_of, ask):
    said = letters_of("scripted/random", [ask(i) for i in range(2000)])
    low, high = chance_interval(said)
    assert low < 0.25 < high
    assert min(Counter(said).values()) > 400
    assert letters_of("scripted/random", [ask(0, options=("yes", "no")) for _ in range(9)])[0] in "AB"


def test_random_depends_on_the_seed_and_the_item_not_on_the_order(letters_of, ask):
    forwards = letters_of("scripted/random", [ask(i) for i in range(60)])
    assert letters_of("scripted/random", [ask(i) for i in reversed(range(60))])[::-1] == forwards
    assert letters_of("scripted/random", [ask(i) for i in range(60)], seed=1) != forwards


def test_constant(letters_of, ask):
    assert letters_of("scripted/constant", [ask(1)]) == ["A"]
    assert letters_of("scripted/constant?text=No%20idea.", [ask(1)]) == ["No idea."]
    assert letters_of("scripted/constant?text=", [ask(1)]) == [""]


@pytest.fixture
def replies(tmp_path):
    path = tmp_path / "replies.jsonl"
    records = [
        ReplyRecord(item="i0", error=Failure(kind="timeout", message="m"), attempts=5),
        ReplyRecord(item="i0", text="B", finish_reason="refusal", tokens_in=9, tokens_out=2, notes="n", attempts=1),
        ReplyRecord(item="i0", variant="order-1", text="C", attempts=1),
        ReplyRecord(item="i1", error=Failure(kind="timeout", message="m"), attempts=5),
    ]
    path.write_bytes(b"".join(msgspec.json.encode(record) + b"\n" for record in records))
    return path


def test_replay_says_again_what_was_recorded(say, ask, replies):
    model = load(f"scripted/replay?file={replies}")
    (reply,) = say(model, ask(0))
    assert (reply.text, reply.finish_reason, reply.tokens_in, reply.tokens_out) == ("B", "refusal", 9, 2)
    assert say(model, msgspec.structs.replace(ask(0), variant="order-1"))[0].text == "C"


@pytest.mark.parametrize("item", [1, 2])
def test_replay_makes_nothing_up(say, ask, replies, item):
    with pytest.raises(ModelError, match=f"has no reply for item i{item}, variant plain") as caught:
        say(load(f"scripted/replay?file={replies}"), ask(item))
    assert (caught.value.kind, caught.value.retry) == ("not-recorded", False)


@pytest.mark.parametrize("name", ["scripted/replay", "scripted/replay?file=/no/such", "scripted/replay?file=/tmp"])
def test_replay_of_nothing(name):
    with pytest.raises(UsageError, match=r"scripted/replay\?file=RUN/replies\.jsonl"):
        load(name)


def test_replay_of_a_file_that_is_not_there_names_it():
    with pytest.raises(UsageError, match=r"^/no/such is not there: write scripted/replay\?file="):
        load("scripted/replay?file=/no/such")


def test_replay_of_a_damaged_file(tmp_path):
    (tmp_path / "r.jsonl").write_text("no\n")
    with pytest.raises(RunFolderError, match=r"r\.jsonl, line 1"):
        load(f"scripted/replay?file={tmp_path / 'r.jsonl'}")


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("scripted/orakle", "unknown scripted model 'orakle'; did you mean 'oracle'?"),
        ("scripted/noisy-oracle?P=0.7", "unknown option of model 'noisy-oracle' 'P'; did you mean 'p'?"),
        ("scripted/oracle?p=0.7", "unknown option of model 'oracle' 'p'"),
        ("scripted/random?seed=1", "unknown option of model 'random' 'seed'"),
        ("scripted/constant?txt=B", "unknown option of model 'constant' 'txt'; did you mean 'text'?"),
        ("scripted/constant?B", "unknown option of model 'constant' 'B'; known: text"),
        ("scripted/deaf?x=", "unknown option of model 'deaf' 'x'"),
        ("scripted/replay?fil=x", "unknown option of model 'replay' 'fil'; did you mean 'file'?"),
    ],
)
def test_slips(name, said):
    with pytest.raises(UnknownNameError) as caught:
        load(name, answers=Answers())
    assert str(caught.value) == said


@pytest.mark.parametrize("p", ["1.1", "-0.1", "nan", "seven", ""])
def test_probabilities_that_are_none(p):
    with pytest.raises(UsageError, match=f"p={p} is not a number between 0 and 1"):
        load(f"scripted/noisy-oracle?p={p}", answers=Answers())


@pytest.mark.parametrize("name", ["oracle", "noisy-oracle", "deaf"])
def test_answers_are_needed(name):
    with pytest.raises(UsageError, match="needs a benchmark's answers"):
        load(f"scripted/{name}")


class HeldBack(Answers):
    def answer(self, item):
        return None


@pytest.mark.parametrize("name", ["oracle", "deaf"])
def test_an_answer_that_is_held_back_cannot_be_given(say, ask, name):
    with pytest.raises(ModelError, match="item i3 has no known answer") as caught:
        say(load(f"scripted/{name}", answers=HeldBack()), ask(3))
    assert (caught.value.kind, caught.value.retry, caught.value.fatal) == ("no-answer", False, False)


@pytest.mark.parametrize("name", ["random", "noisy-oracle?p=0"])
def test_an_open_question_cannot_be_guessed(say, ask, name):
    with pytest.raises(ModelError, match="item i3 has no options or labels") as caught:
        say(load(f"scripted/{name}", answers=Answers()), ask(3, options=()))
    assert (caught.value.kind, caught.value.retry, caught.value.fatal) == ("no-options", False, False)


def test_labels_are_guessed_and_mistaken_for_one_another(say, ask):
    prompts = [ask(i, options=()) for i in range(400)]
    right = [OPTIONS[i % 4] for i in range(400)]
    guessed = [reply.text for reply in say(load("scripted/random", answers=Labels()), *prompts)]
    assert set(guessed) == set(OPTIONS)
    assert 60 < sum(a == b for a, b in zip(guessed, right, strict=True)) < 140
    wrong = [reply.text for reply in say(load("scripted/noisy-oracle?p=0", answers=Labels()), *prompts)]
    assert set(wrong) == set(OPTIONS)
    assert not any(a == b for a, b in zip(wrong, right, strict=True))


def test_a_wrong_transcript_lacks_a_word(say, ask):
    prompts = [ask(1, options=()) for _ in range(3)] + [ask(i, options=()) for i in range(5, 50, 4)]
    model = load("scripted/noisy-oracle?p=0", answers=Transcripts())
    assert {reply.text for reply in say(model, *prompts)} == {"piano plays", "the plays", "the piano"}
    with pytest.raises(ModelError, match="cannot be guessed"):
        say(load("scripted/random", answers=Transcripts()), prompts[0])


def test_an_open_question_is_answered_by_the_reference(letters_of, ask):
    assert letters_of("scripted/oracle", [ask(2, options=())]) == ["drum"]


def test_streamed_it_is_the_same(chunks_of, ask, replies):
    (chunk,) = chunks_of(load(f"scripted/replay?file={replies}"), ask(0))
    assert (chunk.text, chunk.finish_reason, chunk.notes) == ("B", "refusal", "n")
    assert (chunk.tokens_in, chunk.tokens_out) == (9, 2)
    (chunk,) = chunks_of(load("scripted/oracle", answers=Answers()), ask(3))
    assert (chunk.text, chunk.finish_reason) == ("D", "stop")


def test_clips_go_to_scripted_models_as_they_are():
    model = load("scripted/random", seed=4)
    assert (model.card.rate, model.card.channels, model.card.formats) == (None, None, ())
    assert model.parameters == {"seed": 4}
    asyncio.run(model.close())
