"""What is said over the pipe, and the clips that are handed over."""

import base64
import json
import tempfile

import msgspec
import pytest

from audiometry.errors import ModelError, StorageError, UsageError
from audiometry.models.exec import wire
from audiometry.models.exec.clips import ClipFolder
from audiometry.programs.lines import Line
from audiometry.records import Prompt, Reply, Text, Turn


def line(text):
    data = text if isinstance(text, bytes) else text.encode()
    return Line(data, len(data))


def test_a_hello_of_little_gets_the_cautious_defaults():
    hello = wire.read_hello(line('{"audiometry": 1}'), "it")
    assert (hello.batch, hello.rate, hello.channels, hello.formats, hello.clips) == (1, 16_000, 1, ("wav",), "path")


@pytest.mark.parametrize("text", ["Loading checkpoint shards: 33%", '{"step": 1}', "[1, 2]", "3", '"x"', b"\xff\xfe{"])
def test_what_is_printed_before_the_hello_is_none(text):
    assert wire.read_hello(line(text), "it") is None


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('{"audiometry": 2}', "speaks version 2"),
        (
            '{"audiometry": 0, "said": "of old"}',
            "version 0 of the protocol; .* speaks 1: copy audiometry_pipe.py to it anew",
        ),
        ('{"audiometry": "1"}', "'audiometry' is '1'; a whole number is needed"),
        ('{"audiometry": true}', "'audiometry' is True; a whole number is needed"),
        ('{"audiometry": 1, "longest_s": 1e300}', "longest_s"),
        ('{"audiometry": 1, "batch": 0}', "batch"),
        ('{"audiometry": 1, "rate": "16k"}', "rate"),
        ('{"audiometry": 1, "longest": 30}', "longest"),
        ('{"audiometry": 1, "clips": "ftp"}', "ftp"),
        ('{"audiometry": 1, "version": 3}', "version"),
    ],
)
def test_a_wrong_hello_says_what_is_wrong(text, says):
    with pytest.raises(UsageError, match=says) as caught:
        wire.read_hello(line(text), "'it'")
    assert "\n" not in str(caught.value)
    assert str(caught.value).startswith("'it'")


def test_a_reply_carries_what_the_program_said_and_what_it_printed():
    said = wire.read_said(line('{"id": "p1", "text": "B", "finish_reason": "stop", "tokens_out": 3, "notes": "n"}'))
    assert wire.reply(said, "it", "aside") == Reply(text="B", finish_reason="stop", tokens_out=3, notes="n\naside")


@pytest.mark.parametrize("retry", [True, False])
def test_an_error_becomes_a_model_error_with_a_kind_fit_for_a_record(retry):
    text = json.dumps({"id": "p1", "error": {"kind": "OutOfMemory Error!", "message": "too\nlong"}, "retry": retry})
    error = wire.reply(wire.read_said(line(text)), "it", "")
    assert isinstance(error, ModelError)
    assert (error.kind, str(error), error.retry, error.fatal) == ("out-of-memory-error", "it: too long", retry, False)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('{"id": "p1"}', "it has neither text nor error"),
        ('{"id": "p1", "text": 5}', "its text is not a string"),
        ('{"id": "p1", "text": "B"', "it is not a JSON object"),
        ('{"id": "p1", "text": NaN}', "it has neither text nor error"),
        ('{"id": "p1", "text": null, "error": null}', "it has neither text nor error"),
        ('{"id": "p1", "x": ' + "[" * 100_000, "it is not a JSON object"),
    ],
)
def test_a_line_of_the_wrong_shape_that_names_its_prompt_fails_that_prompt(text, why):
    said = wire.read_said(line(text))
    assert said.id == "p1"
    assert said.error.kind == "bad-reply"
    assert why in said.error.message
    assert not said.retry


@pytest.mark.parametrize(
    ("text", "reply"),
    [
        ('{"id": "p1", "text": "B", "tokens_in": -1, "tokens_out": 12.5}', Reply(text="B")),
        ('{"id": "p1", "text": "B", "finish_reason": 0, "notes": 7, "retry": "no", "error": ""}', Reply(text="B")),
        ('{"id": "p1", "text": "B", "finish_reason": "all\\nsaid"}', Reply(text="B", finish_reason="other")),
        ('{"id": "p1", "text": "B", "tokens_in": NaN, "tokens_out": 3.0}', Reply(text="B", tokens_out=3)),
        (r'{"id": "p1", "text": "B \ud800"}', Reply(text="B \ufffd")),
        (b'{"id": "p1", "text": "B \xff"}', Reply(text="B \ufffd")),
        ('{"id": "p1", "text": "B", "x": ' + "[" * 9000 + "]" * 9000 + "}", Reply(text="B")),
    ],
    ids=str,
)
def test_odd_side_fields_of_a_program_cost_no_reply(text, reply):
    assert wire.reply(wire.read_said(line(text)), "it", "") == reply


@pytest.mark.parametrize(
    ("error", "kind", "message"),
    [
        ("dead", "program", "dead"),
        ({"kind": 3, "message": ["dead"]}, "3", "['dead']"),
        ({"kind": "x" * 41, "message": "dead"}, "program", "dead"),
        ({"kind": "!?", "code": 3}, "program", "no reason given"),
        ({}, "program", "no reason given"),
        (["dead"], "program", "['dead']"),
    ],
)
def test_errors_of_a_program_in_any_shape(error, kind, message):
    problem = wire.reply(wire.read_said(line(json.dumps({"id": "p1", "error": error}))), "it", "")
    assert (problem.kind, str(problem), problem.retry) == (kind, f"it: {message}", False)


def test_a_line_that_is_too_long_fails_its_prompt_and_says_how_long():
    said = wire.read_said(Line(b'{"id": "p9", "text": "aaaa', 100_000_000))
    assert said.id == "p9"
    assert "100,000,000 bytes" in said.error.message


@pytest.mark.parametrize("text", ["100%|####| 3/3", "{}", '{"text": "A"}', "null", '{"id": 3, "text": "A"}'])
def test_a_line_that_names_no_prompt_is_nobodys(text):
    assert wire.read_said(line(text)) is None


def test_only_turns_cross_the_pipe(make_prompt, make_clip, tmp_path):
    prompt = make_prompt(make_clip(), "What?\n\nA. x\nB. y", system="S", item="gold-is-B", options=("x", "y"))
    sent = json.loads(wire.request("p1", prompt, {0: tmp_path / "p1-0.wav"}, {"temperature": 0.5}))
    assert sent == {
        "id": "p1",
        "turns": [
            {"role": "system", "parts": [{"text": "S"}]},
            {
                "role": "user",
                "parts": [
                    {
                        "audio": {
                            "path": str(tmp_path / "p1-0.wav"),
                            "format": "wav",
                            "rate": 16000,
                            "channels": 1,
                            "duration_s": 0.1,
                        }
                    },
                    {"text": "What?\n\nA. x\nB. y"},
                ],
            },
        ],
        "decoding": {"temperature": 0.5},
    }


def test_a_clip_may_travel_in_the_line(make_prompt, make_clip):
    clip = make_clip()
    raw = wire.request("p1", make_prompt("?", clip), None, {})
    sent = json.loads(raw)
    audio = sent["turns"][0]["parts"][1]["audio"]
    assert base64.b64decode(audio["base64"]) == clip.data
    assert "path" not in audio
    assert "decoding" not in sent
    assert raw.count(b"\n") == 1


def test_a_prompt_with_line_breaks_is_one_line():
    raw = wire.request("p1", Prompt(turns=(Turn("user", (Text("a\nb\r\u2028c"),)),)), {}, {})
    assert raw.count(b"\n") == 1
    assert msgspec.json.decode(raw)["turns"][0]["parts"][0]["text"] == "a\nb\r\u2028c"


def test_clips_are_private_and_go_with_their_folder(make_prompt, make_clip):
    folder = ClipFolder()
    paths = folder.write("p1", make_prompt(make_clip(), "?", make_clip(seed=1), item="x"))
    assert [p.name for p in paths.values()] == ["p1-0.wav", "p1-1.wav"]
    assert {p.stat().st_mode & 0o077 for p in [folder.path, *paths.values()]} == {0}
    folder.remove([paths[0]])
    folder.remove([paths[0]])
    assert not paths[0].exists()
    folder.close()
    assert not folder.path.exists()


def test_a_disk_that_refuses_a_clip_is_told(make_prompt, make_clip, tmp_path, monkeypatch):
    folder = ClipFolder()
    folder.close()
    with pytest.raises(StorageError, match="No such file or directory; make room, or set TMPDIR"):
        folder.write("p1", make_prompt(make_clip()))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "nowhere"))
    with pytest.raises(StorageError, match="no temporary folder for clips"):
        ClipFolder()
