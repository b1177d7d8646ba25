"""The cascade from end to end: real processes, real recogniser, sounds made here."""

import asyncio
import hashlib
import importlib.util
import io
import os
import signal
import sys

import msgspec
import numpy as np
import pytest
import soundfile

from audiometry.errors import ModelError, UnknownNameError, UsageError
from audiometry.files.extras import install
from audiometry.models import ModelSettings, chat_completions
from audiometry.models.cascade import model as cascade
from audiometry.models.cascade import pool, transcribe
from audiometry.models.cascade.messages import Request
from audiometry.records import Audio, ModelCard, Prompt, Reply, Text, Turn

RATE = 16_000
needs_pocketsphinx = pytest.mark.skipif(
    importlib.util.find_spec("pocketsphinx") is None, reason="the package pocketsphinx is not installed"
)


def wav(x, rate=RATE, form="WAV", subtype=None):
    out = io.BytesIO()
    soundfile.write(out, x, rate, format=form, subtype=subtype)
    return out.getvalue()


def audio(data, form="wav"):
    digest = hashlib.sha256(data).hexdigest()
    return Audio(data=data, format=form, sha256=digest, rate=RATE, channels=1, duration_s=1.0)


def note(midi, seconds=1.5):
    t = np.arange(int(seconds * RATE)) / RATE
    hz = 440 * 2 ** ((midi - 69) / 12)
    return 0.2 * np.exp(-2 * t) * sum(np.sin(2 * np.pi * hz * k * t) / k for k in (1, 2, 3))


def ask(question, options, *clips):
    shown = "\n".join(f"{letter}. {o}" for letter, o in zip("ABCDEFGH", options, strict=False))
    return Prompt(turns=(Turn("user", (*clips, Text(f"{question}\n{shown}"))),), item="one", options=tuple(options))


def answers(*prompts, reader=None):
    async def run():
        model = cascade.load("cascade/pocketsphinx", ModelSettings(reader=reader))
        try:
            return await asyncio.gather(*(model.answer(p) for p in prompts), return_exceptions=True)
        finally:
            await model.close()

    return asyncio.run(run())


@pytest.fixture(scope="module")
def heard():
    """The ``answers`` of one model, whose process serves all tests that ask for nothing of their own."""
    with asyncio.Runner() as runner:
        model = cascade.load("cascade/pocketsphinx", ModelSettings())

        async def asked(prompts):
            return await asyncio.gather(*(model.answer(p) for p in prompts), return_exceptions=True)

        yield lambda *prompts: runner.run(asked(prompts))
        runner.run(model.close())


class Reader:
    """A chat model that keeps what it is sent."""

    name = "double/reader"
    card = ModelCard(name="double/reader", concurrency=64)

    def __init__(self):
        self.prompts, self.closed = [], False

    @property
    def parameters(self):
        return {"temperature": 0.5}

    async def answer(self, prompt):
        self.prompts.append(prompt)
        return Reply(text="B", finish_reason="stop", tokens_in=11, tokens_out=1)

    async def stream(self, prompt):
        raise AssertionError(prompt)
        yield

    async def close(self):
        self.closed = True


@needs_pocketsphinx
def test_a_note_is_named_and_its_description_kept(heard):
    (reply,) = heard(ask("Which MIDI note is played?", ["60", "64", "67", "72"], audio(wav(note(64)))))

    assert reply.text == "B. 64"
    assert "MIDI 64.0" in reply.notes
    assert reply.finish_reason == "stop"


@needs_pocketsphinx
@pytest.mark.parametrize("form", ["flac", "ogg"])
def test_other_formats_are_heard_as_they_are(heard, form):
    clip = audio(wav(note(69), form=form.upper()), form)
    (reply,) = heard(ask("What is the pitch of the note?", ["A3", "A4", "C5"], clip))

    assert reply.text == "B. A4"


@needs_pocketsphinx
def test_silence_is_not_guessed_about(heard):
    (reply,) = heard(ask("Which instrument plays?", ["flute", "piano"], audio(wav(np.zeros(RATE)))))

    assert reply.text == "I cannot tell from the audio."
    assert "Kind: silence" in reply.notes


@needs_pocketsphinx
@pytest.mark.parametrize(
    "data",
    [b"", b"not audio at all", wav(note(60))[:30], wav(np.full(RATE, np.nan, dtype=np.float32), subtype="FLOAT")],
    ids=["empty", "text", "header only", "not numbers"],
)
def test_a_clip_that_cannot_be_heard_is_a_failure_and_others_go_on(heard, data):
    good = ask("Which MIDI note?", ["60", "64"], audio(wav(note(60))))
    bad = ask("Which MIDI note?", ["60", "64"], audio(data))

    failed, reply, again = heard(bad, good, bad)

    assert isinstance(failed, ModelError)
    assert isinstance(again, ModelError)
    assert failed.kind == "audio-unreadable"
    assert not failed.retry
    assert "\n" not in str(failed)
    assert reply.text == "A. 60"


@needs_pocketsphinx
def test_a_reader_gets_question_options_and_description_and_no_audio():
    reader = Reader()
    prompt = ask("Which MIDI note is played?", ["60", "64"], audio(wav(note(64))))
    (reply,) = answers(prompt, reader=reader)

    (sent,) = reader.prompts
    assert sent.audio == ()
    assert "Which MIDI note is played?" in sent.text
    assert "A. 60\nB. 64" in sent.text
    assert reply.notes in sent.text
    assert sent.text.index(reply.notes) < sent.text.index("Which MIDI note")  # where the clip stood
    assert sent.options == prompt.options
    assert (reply.text, reply.tokens_in) == ("B", 11)
    assert reader.closed


@needs_pocketsphinx
def test_several_clips_are_described_apart():
    reader = Reader()
    prompt = ask("Which is higher?", ["first", "second"], audio(wav(note(60))), audio(wav(note(72))))
    (reply,) = answers(prompt, reader=reader)

    assert reply.notes.startswith("Clip 1\n")
    text = reader.prompts[0].text
    assert text.index("recording 1:") < text.index("MIDI 60.0") < text.index("recording 2:") < text.index("MIDI 72.0")


def test_a_clip_asked_about_by_many_at_once_is_described_once(monkeypatch):
    asked = []

    async def counted(self, request):
        asked.append(request)
        await asyncio.sleep(0.02)
        return "Kind: speech likeness 0.00\nNotes: 0.10 s C4 (MIDI 60.0, 261.6 Hz), -41.0 dBFS"

    monkeypatch.setattr(pool.Workers, "ask", counted)
    one, two = audio(wav(note(60))), audio(wav(note(62)))
    replies = answers(*[ask(f"Which note, {i}?", ["C4", "D4"], one if i % 4 else two) for i in range(40)])

    assert len(asked) == 2
    assert {r.text for r in replies} == {"A. C4"}


def test_one_who_gives_up_does_not_take_the_description_from_others(monkeypatch):
    asked = []

    async def slow(self, request):
        asked.append(request)
        await asyncio.sleep(0.05)
        return "Kind: silence"

    monkeypatch.setattr(pool.Workers, "ask", slow)
    prompt = ask("Which note?", ["C4", "D4"], audio(wav(note(60))))

    async def run():
        model = cascade.load("cascade/pocketsphinx", ModelSettings())
        first = asyncio.create_task(model.answer(prompt))
        second = asyncio.create_task(model.answer(prompt))
        await asyncio.sleep(0.01)
        first.cancel()
        reply = await second
        with pytest.raises(asyncio.CancelledError):
            await first
        await model.close()
        return reply

    assert asyncio.run(run()).notes == "Kind: silence"
    assert len(asked) == 1


def test_why_a_reader_was_blocked_is_noted_beside_what_was_heard(monkeypatch):
    async def heard(self, request):
        return "Kind: silence"

    async def blocked(prompt):
        return Reply(text="", finish_reason="content_filter", notes="blocked by the provider: SAFETY")

    monkeypatch.setattr(pool.Workers, "ask", heard)
    reader = Reader()
    reader.answer = blocked
    (reply,) = answers(ask("Which note?", ["C4", "D4"], audio(wav(note(60)))), reader=reader)
    assert (reply.text, reply.finish_reason) == ("", "content_filter")
    assert reply.notes == "Kind: silence\nblocked by the provider: SAFETY"


def test_a_failed_description_is_not_kept(monkeypatch):
    tries = []

    async def first_fails(self, request):
        tries.append(request)
        if len(tries) == 1:
            raise ModelError("crash", "ended")
        return "Kind: silence"

    monkeypatch.setattr(pool.Workers, "ask", first_fails)
    prompt = ask("Which note?", ["C4", "D4"], audio(wav(note(60))))

    async def run():
        model = cascade.load("cascade/pocketsphinx", ModelSettings())
        with pytest.raises(ModelError):
            await model.answer(prompt)
        reply = await model.answer(prompt)
        await model.close()
        return reply

    assert asyncio.run(run()).notes == "Kind: silence"


@needs_pocketsphinx
def test_a_killed_process_is_a_failure_and_the_next_request_gets_a_new_one():
    async def run():
        workers = pool.Workers("pocketsphinx", 1, 1)
        request = Request(wav(note(60)))
        before = await workers.ask(request)
        (worker,) = workers.pool.members
        os.kill(worker.program.pid, signal.SIGKILL)
        with pytest.raises(ModelError) as failure:
            await workers.ask(request)
        after = await workers.ask(request)
        await workers.close()
        return before, failure.value, after, worker.program.ended.result().code

    before, failure, after, code = asyncio.run(run())
    assert failure.kind == "crash"
    assert failure.retry
    assert str(failure).startswith("the process that listens to clips was killed by SIGKILL")
    assert before == after
    assert code == -signal.SIGKILL


@pytest.mark.skipif(importlib.util.find_spec("faster_whisper") is None, reason="faster-whisper is not installed")
def test_a_whisper_model_that_is_not_there_stops_the_run_in_one_line(tmp_path):
    async def run():
        model = cascade.load(f"cascade/whisper:{tmp_path}", ModelSettings())
        try:
            await model.answer(ask("Which MIDI note?", ["60", "64"], audio(wav(note(60)))))
        finally:
            await model.close()

    with pytest.raises(ModelError, match="cannot be loaded") as failure:
        asyncio.run(run())
    assert failure.value.kind == "model-unavailable"
    assert failure.value.fatal
    assert "\n" not in str(failure.value)


@needs_pocketsphinx
def test_closing_ends_the_processes_and_a_model_can_serve_a_second_loop():
    model = cascade.load("cascade/pocketsphinx", ModelSettings())
    prompt = ask("Which MIDI note?", ["60", "64"], audio(wav(note(60))))

    async def run():
        reply = await model.answer(prompt)
        workers = list(model._workers.pool.members)
        await model.close()
        return reply.text, [worker.program.ended.result().code for worker in workers]

    assert asyncio.run(run()) == ("A. 60", [-signal.SIGKILL])
    assert asyncio.run(run()) == ("A. 60", [-signal.SIGKILL])


@needs_pocketsphinx
def test_what_nobody_closes_leaves_no_process():
    import gc

    async def run():
        workers = pool.Workers("pocketsphinx", 1, 1)
        await workers.start()
        (worker,) = workers.pool.members
        return worker.program.pid

    pid = asyncio.run(run())
    gc.collect()
    assert not _alive(pid)


@needs_pocketsphinx
def test_a_stream_is_the_reply_in_one_piece():
    async def run():
        model = cascade.load("cascade/pocketsphinx", ModelSettings())
        prompt = ask("Which MIDI note?", ["60", "64"], audio(wav(note(60))))
        chunks = [c async for c in model.stream(prompt)]
        await model.close()
        return chunks

    (chunk,) = asyncio.run(run())
    assert (chunk.text, chunk.finish_reason) == ("A. 60", "stop")
    assert "MIDI 60.0" in chunk.notes


@needs_pocketsphinx
def test_a_process_ends_when_the_one_that_started_it_is_gone(tmp_path):
    import subprocess
    import time

    script = tmp_path / "orphan.py"
    script.write_text(
        "import asyncio, os, signal\n"
        "from audiometry.models.cascade import pool\n"
        "async def main():\n"
        "    workers = pool.Workers('pocketsphinx', 1, 1)\n"
        "    await workers.start()\n"
        "    (worker,) = workers.pool.members\n"
        "    print(worker.program.pid, flush=True)\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n"
        "asyncio.run(main())\n"
    )
    out = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=False)
    pid = int(out.stdout)
    until = time.monotonic() + 20
    while time.monotonic() < until and _alive(pid):
        time.sleep(0.05)

    assert not _alive(pid)


def _alive(pid):
    from pathlib import Path

    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


def test_parameters_name_versions_and_reader():
    plain = cascade.load("cascade/pocketsphinx", ModelSettings()).parameters
    read = cascade.load("cascade/pocketsphinx", ModelSettings(reader=Reader())).parameters

    assert plain["reader"]["name"] == "rules"
    assert read["reader"] == {"name": "double/reader", "parameters": {"temperature": 0.5}}
    assert "pocketsphinx" in plain["recogniser"]
    assert msgspec.json.encode(plain) != msgspec.json.encode(read)


def test_the_card_takes_files_as_they_are_and_follows_the_reader():
    card = cascade.load("cascade/pocketsphinx", ModelSettings()).card

    assert (card.rate, card.channels) == (None, None)
    assert set(card.formats) == {"wav", "flac", "ogg"}
    assert card.concurrency >= 1
    assert cascade.load("cascade/pocketsphinx", ModelSettings(reader=Reader())).card.concurrency == 64


@pytest.mark.parametrize("name", ["cascade/pocketsphynx", "cascade/pocket", "cascade/kaldi"])
def test_unknown_recognisers_are_refused_with_what_is_known(name):
    with pytest.raises(UnknownNameError, match="pocketsphinx"):
        cascade.load(name, ModelSettings())


def test_an_unknown_option_is_refused():
    with pytest.raises(UsageError, match="beam"):
        cascade.load("cascade/pocketsphinx?beam=3", ModelSettings())


@pytest.mark.parametrize(
    ("name", "package", "extra"),
    [("cascade/pocketsphinx", "pocketsphinx", "cascade"), ("cascade/whisper-tiny.en", "faster_whisper", "whisper")],
)
def test_a_missing_package_is_named_with_what_to_run(monkeypatch, name, package, extra):
    monkeypatch.setattr(cascade, "find_spec", lambda p: None)

    with pytest.raises(UsageError) as error:
        cascade.load(name, ModelSettings())

    assert package in str(error.value)
    assert install(extra) in str(error.value)


def test_another_whisper_in_the_same_folder_is_another_model(tmp_path, monkeypatch):
    monkeypatch.setattr(transcribe.Whisper, "versions", staticmethod(dict))  # of a package that may not be here
    told = []
    for weights in (b"first", b"other"):
        (tmp_path / "model.bin").write_bytes(weights)
        told.append(cascade.Cascade("cascade/whisper:x", f"whisper:{tmp_path}", None).parameters["recogniser"])
    assert told[0] != told[1]
    assert told[0]["weights"].startswith("folder ")


def test_a_cascade_is_asked_where_its_reader_is():
    reader = chat_completions.load("vllm/reader", ModelSettings(base_urls=("http://GPU1:8000/v1/",)))
    assert cascade.Cascade("cascade/pocketsphinx", "pocketsphinx", reader).served_at == ("http://gpu1:8000/v1",)
    assert cascade.Cascade("cascade/pocketsphinx", "pocketsphinx", None).served_at == ()


def behind_examples(item, options, own, shots):
    from audiometry.run import layout

    how = layout.stamp("ours", "audio-first")
    return layout.prompt(item, "plain", options, [own], how, None, shots)


@needs_pocketsphinx
def test_worked_examples_change_nothing_that_rules_read_and_a_reader_gets_them_all(heard):
    from audiometry.records import Item
    from audiometry.run.layout import Shot

    own, others = audio(wav(note(60))), [audio(wav(note(midi))) for midi in (72, 84)]
    item = Item(id="one", question="What is the pitch of this note?", options=("60", "72"), answer="60")
    shown = [
        Shot(Item(id="", question=item.question, options=("72", "84"), answer=a), ("72", "84")) for a in ("72", "84")
    ]
    bare = behind_examples(item, item.options, own, [])
    in_words = behind_examples(item, item.options, own, [(shot, []) for shot in shown])
    with_clips = behind_examples(item, item.options, own, [(s, [clip]) for s, clip in zip(shown, others, strict=True)])
    plain, *rest = heard(bare, in_words, with_clips)
    assert [(one.text, one.notes) for one in rest] == [(plain.text, plain.notes)] * 2
    reader = Reader()
    answers(with_clips, reader=reader)
    (prompt,) = reader.prompts
    words = prompt.text
    assert words.index("recording 1") < words.index("Answer: A") < words.index("recording 2") < words.index("Answer: B")
    assert words.index("recording 3") < words.index("Now the question to answer")
