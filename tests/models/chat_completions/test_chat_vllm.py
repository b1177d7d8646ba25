"""What is sent for ``vllm/…`` is the request that a current vLLM documents, and its replies are read.

Held in two ways. A server process (``tests/servers/chat_vllm.py``, which gives the source of each fact) takes the
documented request and refuses any other key. And where vLLM itself is installed, its own request model, its own
reading of content parts and its own audio loader read what we send: so checked last against release 0.33.0 (WAV, MP3,
FLAC and Ogg, both kinds of part, whole and streamed; every sample of every clip arrived).
"""

import contextlib
import io
import json

import numpy as np
import pytest
import soundfile

from audiometry.errors import ModelError
from audiometry.models import load
from audiometry.models.chat_completions.session import Body

FORMATS = ("wav", "mp3", "flac", "ogg")


@pytest.fixture
def vllm(servers, tmp_path, no_keys):
    """Start the server; gives its address and what it was asked."""
    with contextlib.ExitStack() as stack:

        def start(*flags):
            log = tmp_path / "asked.jsonl"
            one = servers.start("chat_vllm", ["--log", log, *flags], tmp_path / "errors.txt")
            stack.callback(servers.stop, one.pid)
            return f"http://127.0.0.1:{one.port}/v1", lambda: [
                json.loads(line) for line in log.read_text().splitlines()
            ]

        yield start


@pytest.fixture
def card_with(tmp_path):
    def write(parts):
        path = tmp_path / f"{parts}.toml"
        path.write_text(
            f'[[card]]\nname = "vllm/*"\nparts = "{parts}"\nmax_tokens_key = "max_completion_tokens"\n',
            encoding="utf-8",
        )
        return str(path)

    return write


@pytest.fixture
def clip_in(make_clip):
    def make(form, seed=0, frames=3200):
        samples = np.random.default_rng(seed).normal(0, 0.1, frames).astype(np.float32)
        file = io.BytesIO()
        soundfile.write(file, samples, 16_000, format=form.upper())
        return make_clip(file.getvalue(), form)

    return make


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("parts", ["input_audio", "audio_url"])
def test_clips_arrive_whole_in_the_documented_parts(vllm, card_with, clip_in, make_prompt, say, parts, stream):
    url, asked = vllm()
    model = load("vllm/org/model", base_urls=(url,), card=card_with(parts), stream=stream)
    prompts = [
        make_prompt(clip_in(form, 1), clip_in(form, 2, frames=1600), "Which?", system="Listen.") for form in FORMATS
    ]
    replies = say(model, *prompts)
    assert {(r.text, r.finish_reason, r.tokens_in, r.tokens_out) for r in replies} == {("It is B.", "stop", 31, 3)}
    for form, told in zip(FORMATS, asked(), strict=True):
        assert told["model"] == "org/model"
        assert told["parts"] == ["system:text", f"user:{parts}", f"user:{parts}", "user:text"]
        assert told["text"] == ["Listen.", "Which?"]
        assert [(c["container"], c["rate"], c["frames"]) for c in told["clips"]] == [
            (form.upper(), 16_000, 3200),
            (form.upper(), 16_000, 1600),
        ]
        assert all(clip["peak"] > 0.2 for clip in told["clips"])
        asked_for = {"stream": True, "stream_options": {"include_usage": True}} if stream else {}
        assert told["keys"] == asked_for


@pytest.mark.parametrize("name", ["vllm/org/model", "vllm/Qwen/Qwen2-Audio-7B-Instruct", "vllm/fixie-ai/ultravox-v0_5"])
def test_the_length_limit_is_the_one_that_is_not_deprecated(vllm, make_prompt, say, name):
    url, asked = vllm()
    say(load(name, base_urls=(url,), temperature=0.0, max_tokens=7), make_prompt("What?"))
    assert asked()[0]["keys"] == {"temperature": 0.0, "max_completion_tokens": 7}


@pytest.mark.parametrize("stream", [False, True])
def test_a_thought_beside_the_reply_is_not_the_reply(vllm, make_prompt, say, stream):
    url, _ = vllm("--reasoning")
    (reply,) = say(load("vllm/org/model", base_urls=(url,), stream=stream), make_prompt("What?"))
    assert reply.text == "It is B."
    assert (reply.first_token_s is not None) == stream


@pytest.mark.parametrize("stream", [False, True])
def test_what_vllm_says_of_a_clip_it_cannot_read(vllm, make_clip, make_prompt, say, stream):
    url, _ = vllm()
    model = load("vllm/org/model", base_urls=(url,), stream=stream)
    with pytest.raises(ModelError, match=r"answered 400 \(.*[Ff]ormat not recogni[sz]ed") as caught:
        say(model, make_prompt(make_clip(b"no clip at all"), "What?"))
    assert (caught.value.kind, caught.value.retry, caught.value.fatal) == ("http-400", False, False)


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("parts", ["input_audio", "audio_url"])
def test_vllm_itself_reads_it(card_with, clip_in, make_prompt, no_keys, parts, stream):
    protocol = pytest.importorskip("vllm.entrypoints.openai.chat_completion.protocol", reason="vLLM is not installed")
    from vllm.multimodal.media import MediaConnector
    from vllm.renderers.chat_utils.chat_message import parse_chat_message_content_mm_part

    model = load("vllm/org/model", card=card_with(parts), stream=stream, temperature=0.0, max_tokens=7)
    for form in FORMATS:
        prompt = make_prompt(clip_in(form, 1), clip_in(form, 2, frames=1600), "Which?", system="Listen.")
        body = b"".join(Body(model._pieces(prompt, stream=stream))._parts())
        request = protocol.ChatCompletionRequest.model_validate(json.loads(body))
        assert not request.model_extra
        assert (request.max_completion_tokens, request.max_tokens, request.temperature) == (7, None, 0.0)
        assert (request.stream, bool(request.stream_options and request.stream_options.include_usage)) == (
            stream,
            stream,
        )
        system, user = request.messages
        assert (system["role"], system["content"]) == ("system", "Listen.")
        read = [parse_chat_message_content_mm_part(part) for part in user["content"]]
        assert [kind for kind, _ in read] == [parts, parts, "text"]
        for (_, content), frames in zip(read[:2], (3200, 1600), strict=True):
            url = (
                content
                if parts == "audio_url"
                else f"data:audio/{content['format']};base64,{content['data']}"  # as its parser makes it
            )
            samples, rate = MediaConnector().fetch_audio(url)
            assert (samples.shape, rate) == ((frames,), 16_000)
