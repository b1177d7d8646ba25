"""A cascade that hears words alone: what its reader is sent, to the letter, and that its name says who that is."""

import asyncio
import importlib.util
import json
import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import audiometry
from audiometry.errors import ModelError, UnknownNameError, UsageError
from audiometry.models import ModelSettings, load, reading, with_reader
from audiometry.models.cascade import describe, pool, rules, transcribe, wording
from audiometry.models.cascade.question import Question
from audiometry.records import Audio, ModelCard, Prompt, Reply, Text, Turn

MINI = Path(audiometry.__file__).parent / "bench" / "mini"
SYNTHETIC = "mini/Synthesized_Voice_Detection/0004"  # flite says "Please try again."
WORDS = "cascade/pocketsphinx?hears=words"
needs_pocketsphinx = pytest.mark.skipif(
    importlib.util.find_spec("pocketsphinx") is None, reason="the package pocketsphinx is not installed"
)


def rows(name="metadata.jsonl"):
    return [json.loads(line) for line in (MINI / name).read_text(encoding="utf-8").splitlines()]


def clip(number=0):
    return Audio(data=b"RIFF", format="wav", sha256=f"{number:064}", rate=16_000, channels=1, duration_s=1.0)


def turn(*parts, role="user"):
    return Turn(role, tuple(Text(part) if isinstance(part, str) else part for part in parts))


class Reader:
    """A model that keeps what it is sent, and offers all that a model may offer besides."""

    name = "double/reader?a=1&b=2"
    card = ModelCard(name=name, concurrency=64, price_in=10.0, price_out=30.0)
    batch = 7

    def __init__(self):
        self.parameters, self.answered_by = {"temperature": 0.5}, {"http://a/v1": 3}
        self.prompts, self.did = [], []

    async def answer(self, prompt):
        self.prompts.append(prompt)
        return Reply(text="B")

    async def start(self):
        self.did.append("start")

    def need_key(self):
        self.did.append("need_key")

    async def close(self):
        self.did.append("close")


@pytest.fixture
def heard(monkeypatch):
    """What the listening processes are asked; each clip says ``words``, whatever it is."""

    class Asked(list):
        says = "press one for yes"

    asked = Asked()

    async def ask(self, request):
        asked.append(request)
        return asked.says

    monkeypatch.setattr(pool.Workers, "ask", ask)
    monkeypatch.setattr("audiometry.models.cascade.model.find_spec", lambda name: True)
    return asked


def answers(name, *prompts, **settings):
    async def run():
        model = load(name, **settings)
        try:
            return await asyncio.gather(*(model.answer(prompt) for prompt in prompts))
        finally:
            await model.close()

    return asyncio.run(run())


# what a reader is sent


def copied(make_benchmark, *names):
    """A benchmark of items of mini, with their clips."""
    chosen = [row for row in rows() if row["id"] in names]
    folder = make_benchmark(
        [{key: row[key] for key in ("id", "task", "question", "options", "answer", "file_name")} for row in chosen]
    )
    for row in chosen:
        shutil.copy(MINI / row["file_name"], folder / row["file_name"])
    return folder


@needs_pocketsphinx
def test_a_reader_of_words_is_sent_the_transcript_and_the_question_and_nothing_else(
    chat_server, make_benchmark, cli, tmp_path
):
    server = chat_server(answer="B")
    bench = copied(make_benchmark, SYNTHETIC)
    asking = ["--base-url", server.url, "--no-probe", "--reader", "vllm/reads"]
    assert cli("run", bench, "--model", WORDS, *asking, "-o", tmp_path / "words").code == 0

    (request,) = server.log()
    reply = json.loads((tmp_path / "words" / "replies.jsonl").read_text())
    said = reply["notes"].removeprefix("Transcript: ")
    assert "try again" in said
    assert request["parts"] == ["user:text"]  # one plain string, which every server of a language model takes
    assert request["model"] == "reads"
    assert request["text"] == (
        "You cannot hear the recording yourself. A speech recogniser wrote down the words in it; its transcript "
        "stands in place of the recording below, and may have mistakes.\n\n"
        f"Transcript of the recording:\n{said}\n\n"
        "Did a person say this, or was it rendered by software?\n\nA. a human voice\nB. a synthesised voice\n\n"
        "Exactly one of these options is right. Reply with its letter and nothing else."
    )

    assert cli("run", bench, "--model", "cascade/pocketsphinx", *asking, "-o", tmp_path / "all").code == 0
    told = server.log()[1]["text"]
    for reading_of in ("Machine-like voice: ", "Voice: pitch", "Language: en", "Level: ", "Kind: ", "confidence"):
        assert reading_of in told  # by which the item is given away, so that it must not be in the other
        assert reading_of not in request["text"]


@needs_pocketsphinx
def test_instruments_are_not_even_loaded_where_words_alone_are_wanted():
    row = next(row for row in rows() if row["id"] == SYNTHETIC)
    script = (
        "import sys; from pathlib import Path\n"
        "from audiometry.models.cascade import messages, transcribe, worker\n"
        "asked = messages.Request(Path(sys.argv[1]).read_bytes(), wanted='words')\n"
        "print(worker._heard(transcribe.PocketSphinx(), asked))\n"
        "print(*[m for m in sys.modules if m.startswith(('scipy', 'audiometry.audio', 'audiometry.models'))])\n"
    )
    out = subprocess.run(
        [sys.executable, "-c", script, str(MINI / row["file_name"])], capture_output=True, text=True, check=True
    )
    said, modules = out.stdout.splitlines()
    assert "again" in said
    assert not [m for m in modules.split() if m == "scipy" or m.startswith("audiometry.models.cascade.signal")]


def test_a_clip_is_transcribed_once_and_the_question_says_nothing_to_the_recogniser(heard):
    one = turn(clip(), 'When is "yes" said?\nA. [0.1, 0.3]\nB. [0.5, 0.9]')
    two = turn(clip(), "Which word is said?\nA. yes\nB. no")
    reader = Reader()
    answers(WORDS, *[Prompt(turns=(one,))] * 3, Prompt(turns=(two,)), reader=reader)
    assert [(request.wanted, request.focus) for request in heard] == [("words", None)]
    assert len(reader.prompts) == 4


def test_an_empty_transcript_is_said_to_be_empty(heard):
    heard.says = ""
    reader = Reader()
    (reply,) = answers(WORDS, Prompt(turns=(turn(clip(), "Who speaks?"),)), reader=reader)
    assert reader.prompts[0].text.endswith("Transcript of the recording:\n(no words recognised)\n\nWho speaks?")
    assert reply.notes == "Transcript: (no words recognised)"


def test_recordings_are_numbered_and_explained_once(heard):
    reader = Reader()
    (reply,) = answers(WORDS, Prompt(turns=(turn(clip(1), clip(2), "Which?"),)), reader=reader)
    text = reader.prompts[0].text
    assert text.count("You cannot hear the recording yourself.") == 1
    assert "Transcript of recording 1:\npress one for yes\n\nTranscript of recording 2:\npress one for yes" in text
    assert reply.notes == "Clip 1\nTranscript: press one for yes\n\nClip 2\nTranscript: press one for yes"


@pytest.mark.parametrize("silent", [(), ("",), (" \n",)])
def test_a_turn_of_recordings_alone_is_what_a_person_says(heard, silent):
    reader = Reader()
    system = turn("You are a helpful assistant.", role="system")
    answers(WORDS, Prompt(turns=(system, turn(clip(), *silent))), reader=reader)
    assert [(t.role, t.parts) for t in reader.prompts[0].turns] == [
        ("system", (Text("You are a helpful assistant."),)),
        ("user", (Text("press one for yes"),)),
    ]


def test_a_prompt_without_a_clip_goes_to_the_reader_as_it_is(heard):
    reader = Reader()
    (reply,) = answers(WORDS, Prompt(turns=(turn("Which?\nA. x\nB. y"),)), reader=reader)
    assert (reader.prompts[0].text, reply.notes, heard) == ("Which?\nA. x\nB. y", "", [])


def test_the_time_to_hear_is_part_of_a_replys(monkeypatch, heard):
    async def slow(self, request):
        await asyncio.sleep(0.2)
        return "yes"

    class Timed(Reader):
        async def answer(self, prompt):
            return Reply(text="B", first_token_s=1.0, latency_s=2.0)

    monkeypatch.setattr(pool.Workers, "ask", slow)
    (reply,) = answers(WORDS, Prompt(turns=(turn(clip(), "Who?"),)), reader=Timed())
    assert reply.first_token_s >= 1.19  # of the loop's clock and this one the second may be a little behind
    assert reply.latency_s - reply.first_token_s == pytest.approx(1.0, abs=1e-3)
    (reply,) = answers(WORDS, Prompt(turns=(turn(clip(), "Who?"),)), reader=Reader())
    assert (reply.first_token_s, reply.latency_s) == (None, None)  # then the dispatcher's clock runs over all of it


def test_words_come_before_or_after_as_the_prompt_has_them(heard):
    reader = Reader()
    answers(WORDS, Prompt(turns=(turn("Who?", clip()),)), reader=reader)
    assert reader.prompts[0].text.startswith("Who?\n\nYou cannot hear")


# rules that read words alone


@pytest.mark.parametrize(
    ("question", "options", "said", "answer"),
    [
        ("Which word is said?", ("yes", "no", "maybe"), "maybe tomorrow", "C. maybe"),
        ("Which digits are read out?", ("5 6 1 7", "3 6 1 0"), "Five, six, one, seven.", "A. 5 6 1 7"),
        ("Write down what is said.", (), "Please hold.", "Please hold."),
        ("What happens here?", (), "please hold", "A voice says: please hold."),
        ("Write down what is said.", (), "", rules.CANNOT_TELL),
        ("Which word is said?", ("yes", "no"), "", rules.CANNOT_TELL),
        ("Which word is said?", ("words", "recognised"), "", rules.CANNOT_TELL),
        ("Is this a person or a machine?", ("a person", "a machine"), "hello", rules.CANNOT_TELL),
        ("Who speaks?", ("a man", "a woman"), "hello", rules.CANNOT_TELL),
        ("Which language is spoken?", ("English", "French"), "hello", rules.CANNOT_TELL),
        ("How many speakers are there?", ("1", "2"), "hello", rules.CANNOT_TELL),
        ("How hard is the note struck?", ("velocity 30", "velocity 100"), "hello", rules.CANNOT_TELL),
    ],
)
def test_without_a_reader_rules_answer_from_the_words_or_not_at_all(question, options, said, answer):
    assert rules.read(Question(question, options), describe.transcript(said)).text == answer


@pytest.mark.parametrize("task", ["choices", "open"])
def test_rules_take_questions_of_every_task_with_words_alone(task):
    for row in rows("metadata.jsonl" if task == "choices" else "chat.jsonl")[::7]:
        for said in ("", "five two nine", "Kind: speech likeness 0.99"):
            question = Question(row["question"], tuple(row.get("options", ())))
            assert rules.read(question, describe.transcript(said)).text


# the name


def test_two_ways_to_name_a_reader_are_one_name(heard):
    settings = ModelSettings(base_urls=("http://127.0.0.1:9/v1",))
    full = "cascade/pocketsphinx?hears=words&reader=vllm/meta/Llama-3"
    for name in (
        full,
        "cascade/pocketsphinx?reader=vllm/meta/Llama-3&hears=words",
        with_reader(WORDS, "vllm/meta/Llama-3"),
    ):
        assert load(name, settings).name == full
    assert load("cascade/pocketsphinx?hears=all", settings).name == "cascade/pocketsphinx"
    assert with_reader(full, "vllm/meta/Llama-3") == full
    assert load(f"{WORDS}&reader=vllm/c++", settings).name == f"{WORDS}&reader=vllm/c%2B%2B"  # a plus is no blank
    assert with_reader("openai/x", "openai/y") == "openai/x"  # refused as idle, see `refuse_idle`


def test_a_readers_own_options_and_blanks_are_part_of_the_name(heard):
    named = "cascade/pocketsphinx?hears=words&reader=double/reader%3Fa=1%26b=2"
    assert load(WORDS, reader=Reader()).name == named
    assert load(WORDS, reader=Reader()).parameters["reader"] == {
        "name": "double/reader?a=1&b=2",
        "parameters": {"temperature": 0.5},
    }


@given(st.text(min_size=1))
def test_any_reader_comes_out_of_the_name_as_it_went_in(reader):
    for before in ("cascade/pocketsphinx", WORDS):
        name = with_reader(before, reader)
        assert reading.reader_in(name) == reader
        assert not set(" \n\t") & set(name.removeprefix(before))


@pytest.mark.parametrize(
    ("name", "settings", "said"),
    [
        ("cascade/pocketsphinx?hears=word", {}, "did you mean 'words'"),
        ("cascade/pocketsphinx?hears=", {}, "hears"),
        ("cascade/pocketsphinx?hears=words&hears=all", {}, "hears= stands there twice"),
        ("cascade/pocketsphinx?reader=", {}, "reader= names nobody"),
        ("cascade/pocketsphinx?reader=rules", {}, "'rules' is not a model name"),
        ("cascade/pocketsphinx?reader=gpt-4", {}, "provider/name, for example openai/"),
        ("cascade/pocketsphinx?reader=opnai/x", {}, "did you mean 'openai'"),
        ("cascade/pocketsphinx?reader=vllm/a&reader=vllm/b", {}, "reader= stands there twice"),
        ("cascade/pocketsphinx?reader=cascade/pocketsphinx", {}, "has no use for a transcript"),
        ("cascade/pocketsphinx?reader=vllm/a", {"reader": Reader()}, "another one is given"),
        ("cascade/pocketsphinx?beam=5", {}, "did you mean 'reader'|beam"),
        ("cascade/pocketsphinx?hears=words&reader=openai/gpt-4-turbo", {}, "needs a key"),
    ],
)
def test_what_cannot_be_is_refused_in_one_line(heard, no_keys, name, settings, said):
    with pytest.raises((UsageError, UnknownNameError), match=said) as refused:
        load(name, **settings)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--reader", "vllm/b"], "--reader vllm/b, but the model's name says reader=vllm/a; leave out one"),
        (["--model", f"{WORDS}&reader=vllm/a&reader=vllm/b"], "stands there twice"),
        (["--model", f"{WORDS}&reader=scripted/oracle", "--base-url", "http://x/v1"], "--base-url does nothing with"),
        (["--model", WORDS, "--temperature", 0], "--temperature does nothing with cascade/pocketsphinx?hears=words"),
    ],
)
def test_options_that_cannot_be_are_refused_before_anything_is_written(cli, tmp_path, words, said):
    asked = ["run", "mini", "--model", f"{WORDS}&reader=vllm/a", *words, "-o", tmp_path / "run"]
    told = cli(*asked)
    assert (told.code, told.out) == (2, "")
    assert said in told.err
    assert len(told.err.splitlines()) == 1
    assert not (tmp_path / "run").exists()


def test_a_reader_in_the_name_takes_its_own_options(heard, cli, tmp_path):
    model = f"{WORDS}&reader=openai/x"
    words = ["--base-url", "http://127.0.0.1:9/v1", "--temperature", 0, "--dry-run", "--json"]
    told = cli("run", "mini", "--model", model, "-o", tmp_path / "run", *words)
    assert (told.code, told.err) == (0, "")
    assert told.json["parameters"]["reader"] == {"name": "openai/x", "parameters": {"temperature": 0.0}}


# what is kept of it


@pytest.mark.slow
@needs_pocketsphinx
def test_two_readers_never_look_alike(chat_server, make_benchmark, cli, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    server = chat_server(answer="A")
    bench = copied(make_benchmark, SYNTHETIC)
    table = tmp_path / "prices.toml"
    llama = "vllm/meta-llama/Meta-Llama-3-8B-Instruct-"
    table.write_text("".join(f'["{llama}{end}"]\ntokens_in = 10.0\ntokens_out = 30.0\n' for end in "ab"))
    names = [f"{WORDS}&reader={llama}{end}" for end in "ab"]
    for model in names:
        told = cli("run", bench, "--model", model, "--base-url", server.url, "--no-probe", "--prices", table, "--json")
        assert told.code == 0
        assert told.json["usage"]["cost_usd"] > 0
    runs = sorted((tmp_path / "runs").iterdir())
    assert [run.name.rpartition("--")[0] for run in runs] == [
        f"made--pocketsphinx-hears-words-reader-vllm-meta-llama-Meta-Llama-3-8B-Instruct-{end}" for end in "ab"
    ]
    assert [json.loads((run / "run.json").read_text())["model"] for run in runs] == names
    scores = [cli("score", run, "--json").json for run in runs]
    assert [score["model"] for score in scores] == names
    signatures = [score["scores"]["strict"]["signature"] for score in scores]
    for signature, end in zip(signatures, "ab", strict=True):
        assert f"+hears-words+reader-vllm-meta-llama-Meta-Llama-3-8B-Instruct-{end}+" in signature
    assert {row["model"] for row in cli("list", "runs", "runs", "--json").json} == set(names)
    listed = cli("list", "runs", "runs").out
    assert all(name in listed.split() and run.name in listed.split() for name, run in zip(names, runs, strict=True))
    compared = json.dumps(cli("compare", *runs, "--json").json)
    assert all(name in compared or run.name in compared for name, run in zip(names, runs, strict=True))
    assert cli("report", *runs, "-o", tmp_path / "r.html").code == 0
    page = (tmp_path / "r.html").read_text()
    assert all(name.replace("&", "&amp;") in page for name in names)
    before = len(server.log())
    again = cli(
        "run", bench, "--model", WORDS, "--reader", f"{llama}a", "--base-url", server.url, "--no-probe", "--json"
    )
    assert again.code == 0
    assert len(server.log()) == before  # the same name, so the same folder
    told = cli("run", bench, "--model", names[0], "--base-url", server.url, "-o", runs[1])
    assert told.code == 2
    assert "was made with model" in told.err


def test_the_command_that_a_probe_advises_can_be_pasted(heard, cli, make_benchmark, tmp_path, chat_server):
    heard.says = ""
    model = f"{WORDS}&reader=vllm/x"
    server = chat_server(answer="None of these.")
    told = cli("run", make_benchmark(1), "--model", model, "--base-url", server.url, "-o", tmp_path / "run")
    assert f"`audiometry probe {shlex.quote(model)}` tells more" in told.err


def test_what_a_reader_offers_the_cascade_offers(heard):
    reader = Reader()
    model = load(WORDS, reader=reader)

    async def run():
        await model.start()
        model.need_key()
        await model.close()

    asyncio.run(run())
    assert reader.did == ["start", "need_key", "close"]
    assert [request.wanted for request in heard] == ["nothing"]  # the recogniser is loaded before the first clip
    assert (model.batch, model.answered_by) == (7, {"http://a/v1": 3})
    assert (model.card.price_in, model.card.price_out, model.card.concurrency) == (10.0, 30.0, 64)
    assert not hasattr(load(WORDS), "batch")


CARD = """
[[card]]
name = "openai/x"
temperature = false
ends = "2020-01-31"
successor = "openai/y"
[[card]]
name = "openai/ears"
needs_audio = true
"""


@pytest.mark.parametrize(
    ("reader", "words", "code", "said"),
    [
        ("openai/x", [], 0, "openai/x was served until 2020-01-31; ask openai/y instead"),
        ("openai/x", ["--temperature", 0], 2, "takes no temperature, as its card says; leave out --temperature"),
        ("openai/ears", [], 2, "its reader takes no prompt without a clip, as its card says; name one that reads text"),
    ],
)
def test_what_the_card_of_a_reader_says_holds_for_the_cascade(heard, cli, tmp_path, reader, words, code, said):
    card = tmp_path / "card.toml"
    card.write_text(CARD)
    model = f"{WORDS}&reader={reader}"
    at = ["--base-url", "http://127.0.0.1:9/v1", "--card", card, "--dry-run", "-o", tmp_path / "run"]
    told = cli("run", "mini", "--model", model, *at, *words)
    assert (told.code, len(told.err.splitlines())) == (code, 1)
    assert said in told.err


@pytest.mark.slow
@needs_pocketsphinx
def test_a_program_may_read(tmp_path):
    program = tmp_path / "read it.py"
    program.write_text(
        "import json, sys\n"
        "print(json.dumps({'audiometry': 1, 'name': 'reads', 'version': '1'}), flush=True)\n"
        "for line in sys.stdin:\n"
        "    asked = json.loads(line)\n"
        "    words = [part.get('text', part) for turn in asked['turns'] for part in turn['parts']]\n"
        "    print(json.dumps({'id': asked['id'], 'text': repr(words)}), flush=True)\n"
    )
    command = f"exec/{shlex.quote(sys.executable)} {shlex.quote(str(program))}?start=60"
    name = with_reader(WORDS, command)
    assert " " not in name
    row = next(row for row in rows() if row["id"] == SYNTHETIC)
    data = (MINI / row["file_name"]).read_bytes()
    spoken = Audio(data=data, format="ogg", sha256=row["sha256"], rate=16_000, channels=1, duration_s=1.5)
    (reply,) = answers(name, Prompt(turns=(turn(spoken, "Who?"),)))
    assert reply.text.endswith("\\n\\nWho?']")
    assert "Transcript of the recording:" in reply.text


@needs_pocketsphinx
def test_a_recogniser_that_cannot_be_loaded_is_said_before_the_first_clip(tmp_path, monkeypatch):
    model = load(WORDS)
    model._recogniser = f"whisper:{tmp_path}/nowhere"
    monkeypatch.setitem(os.environ, "HF_HUB_OFFLINE", "1")

    async def run():
        try:
            await model.start()
        finally:
            await model.close()

    with pytest.raises(ModelError) as failure:
        asyncio.run(run())
    assert failure.value.kind in {"model-unavailable", "crash"}  # the package may not be here


def test_how_whisper_decodes_is_part_of_the_parameters(monkeypatch):
    monkeypatch.setattr(transcribe.Whisper, "versions", staticmethod(dict))  # of a package that may not be here
    monkeypatch.setattr("audiometry.models.cascade.model.find_spec", lambda name: True)
    told = load("cascade/whisper-large-v2?hears=words").parameters
    assert told == {
        "hears": "words",
        "recogniser": {
            "name": "large-v2", "task": "transcribe", "language": "detected, if it knows several", "compute": "int8",
            "window_s": 30, "beam_size": 5, "word_timestamps": False, "temperature": 0.0,
            "condition_on_previous_text": False, "vad_filter": False,
        },
        "wording": wording.VERSION,
        "reader": {"name": "rules", "version": rules.VERSION},
    }  # fmt: skip
    assert load("cascade/whisper-tiny.en?hears=words").parameters["recogniser"]["language"] == "en"
    described = load("cascade/whisper-tiny.en").parameters["recogniser"]
    assert (described["beam_size"], described["word_timestamps"]) == (1, True)
