"""Bodies of chat-completions requests, as a JSON parser and a base64 decoder see them."""

import asyncio
import base64
import json

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from audiometry.models.chat_completions.body import body
from audiometry.models.chat_completions.session import SLICE, Body
from audiometry.records import Audio, ModelCard, Prompt, Text, Turn


def parsed(prompt, card=ModelCard(), settings=None, model="m"):  # noqa: B008  frozen
    return json.loads(sent(body(prompt, model, card, settings or {})))


def sent(pieces):
    class Writer:
        def __init__(self):
            self.out = []

        async def write(self, data):
            self.out.append(bytes(data))

    async def go():
        writer, whole = Writer(), Body(pieces)
        await whole.write_with_length(writer, None)
        await whole.write(writer)
        raw = b"".join(writer.out)
        assert raw[: len(raw) // 2] == raw[len(raw) // 2 :]  # can be sent again
        assert whole.size == len(raw) // 2
        assert whole.decode() == raw[: len(raw) // 2].decode()
        return raw[: len(raw) // 2]

    return asyncio.run(go())


def test_a_clip_and_words(make_prompt, make_clip):
    clip = make_clip()
    assert parsed(make_prompt(clip, "What?"), model="gpt") == {
        "model": "gpt",
        "messages": [
            {
                "role": "user",
                "content": [
                    {
                        "type": "input_audio",
                        "input_audio": {"data": base64.b64encode(clip.data).decode(), "format": "wav"},
                    },
                    {"type": "text", "text": "What?"},
                ],
            }
        ],
    }


@pytest.mark.parametrize(("form", "media"), [("wav", "wav"), ("mp3", "mpeg"), ("flac", "flac"), ("ogg", "ogg")])
def test_a_clip_as_a_url(make_prompt, make_clip, form, media):
    clip = make_clip(form=form)
    (turn,) = parsed(make_prompt("What?", clip), msgspec.structs.replace(ModelCard(), parts="audio_url"))["messages"]
    url = f"data:audio/{media};base64,{base64.b64encode(clip.data).decode()}"
    assert turn["content"] == [{"type": "text", "text": "What?"}, {"type": "audio_url", "audio_url": {"url": url}}]


def test_words_alone_are_a_plain_string(make_prompt):
    assert parsed(make_prompt("Hi", system="Be brief."))["messages"] == [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "Hi"},
    ]


def test_nothing_but_what_was_told(make_prompt):
    assert set(parsed(make_prompt("Hi"))) == {"model", "messages"}
    assert parsed(make_prompt("Hi"), settings={"temperature": 0, "max_tokens": 5})["temperature"] == 0


@given(st.text(), st.text())
def test_any_words_survive(words, model):
    prompt = Prompt(turns=(Turn("user", (Text(words),)),))
    document = parsed(prompt, model=model)
    assert document["messages"][0]["content"] == words
    assert document["model"] == model


@pytest.mark.parametrize("size", [0, 1, 2, 3, SLICE - 1, SLICE, SLICE + 1, 2 * SLICE + 2])
def test_slices_of_base64_join(size):
    data = bytes(i * 31 % 256 for i in range(size))
    clip = Audio(data=data, format="wav", sha256="", rate=1, channels=1, duration_s=0)
    (turn,) = parsed(Prompt(turns=(Turn("user", (clip,)),)))["messages"]
    assert base64.b64decode(turn["content"][0]["input_audio"]["data"], validate=True) == data


OLD = msgspec.structs.replace(ModelCard(), system_role=False)


def test_where_no_system_turn_is_taken_its_words_go_before_the_users(make_prompt, make_clip):
    (turn,) = parsed(make_prompt(make_clip(), "What?", system="Listen."), OLD)["messages"]
    assert [part["type"] for part in turn["content"]] == ["input_audio", "text"]
    assert turn["content"][1]["text"] == "Listen.\n\nWhat?"
    (turn,) = parsed(make_prompt("What?", make_clip(), system="Listen."), OLD)["messages"]
    assert [part["type"] for part in turn["content"]] == ["text", "input_audio"]
    (turn,) = parsed(make_prompt(make_clip(), system="Listen."), OLD)["messages"]
    assert turn["content"][1] == {"type": "text", "text": "Listen."}


def test_system_turns_elsewhere():
    turns = [("user", "1"), ("assistant", "2"), ("system", "3"), ("assistant", "4"), ("user", "5"), ("system", "6")]
    prompt = Prompt(turns=tuple(Turn(role, (Text(words),)) for role, words in turns))
    assert [(t["role"], t["content"]) for t in parsed(prompt, OLD)["messages"]] == [
        ("user", "1"),
        ("assistant", "2"),
        ("assistant", "4"),
        ("user", "3\n\n5"),
        ("user", "6"),
    ]


def test_a_prefix_before_the_base64(make_prompt, make_clip):
    clip = make_clip()
    card = ModelCard(data_prefix='data:"audio";base64,')
    (turn,) = parsed(make_prompt(clip, "What?"), card)["messages"]
    assert turn["content"][0]["input_audio"]["data"] == card.data_prefix + base64.b64encode(clip.data).decode()
