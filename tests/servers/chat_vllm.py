"""Stands in for `vllm serve` in the tests: takes the request that a current vLLM documents, and nothing else.

    python tests/servers/chat_vllm.py --log requests.jsonl [--reasoning]

Where vLLM lets unknown keys pass unread, this one answers 400, so that a key that would do nothing there is seen
here. Clips are decoded to their last sample. Prints ``{"port": …}`` when it is ready; one line a request in the log.

Source of each fact: vLLM's user guide, "Multimodal Inputs", section "Online Serving, Audio Inputs" (`input_audio` of
base64 ``data`` and ``format``; `audio_url` whose ``url`` may be a data URL; an optional ``uuid`` beside either;
``max_completion_tokens``) and "OpenAI-Compatible Server", section "Chat API" (``max_tokens`` deprecated, ``seed``,
``stream_options``); the shape of replies as release 0.33.0 writes them.
"""

import argparse
import asyncio
import base64
import io
import json
import re
from pathlib import Path
from typing import Literal

import msgspec
import soundfile
from aiohttp import web

WORDS = ["It", " is", " B."]
LARGEST_CLIP = 25 * 1024 * 1024  # bytes; VLLM_MAX_AUDIO_CLIP_FILESIZE_MB as it comes
LONGEST_S = 600  # VLLM_MAX_AUDIO_DECODE_DURATION_S as it comes
DATA_URL = re.compile(r"data:audio/([a-z0-9.+-]+);base64,(.*)", re.DOTALL)
FORMATS = ("wav", "mp3", "flac", "ogg", "mpeg")


class InputAudio(msgspec.Struct, forbid_unknown_fields=True):
    data: str
    format: str


class AudioUrl(msgspec.Struct, forbid_unknown_fields=True):
    url: str


class TextPart(msgspec.Struct, forbid_unknown_fields=True, tag_field="type", tag="text"):
    text: str


class InputAudioPart(msgspec.Struct, forbid_unknown_fields=True, tag_field="type", tag="input_audio"):
    input_audio: InputAudio
    uuid: str | None = None


class AudioUrlPart(msgspec.Struct, forbid_unknown_fields=True, tag_field="type", tag="audio_url"):
    audio_url: AudioUrl
    uuid: str | None = None


Part = TextPart | InputAudioPart | AudioUrlPart


class Message(msgspec.Struct, forbid_unknown_fields=True):
    role: Literal["system", "user", "assistant"]
    content: str | list[Part]


class StreamOptions(msgspec.Struct, forbid_unknown_fields=True):
    include_usage: bool = False
    continuous_usage_stats: bool = False


class Request(msgspec.Struct, forbid_unknown_fields=True):
    messages: list[Message]
    model: str | None = None
    max_completion_tokens: int | None = None  # `max_tokens` is deprecated, so here it is an unknown key
    temperature: float | None = None
    top_p: float | None = None
    seed: int | None = None
    stream: bool = False
    stream_options: StreamOptions | None = None


def clip_of(part: InputAudioPart | AudioUrlPart) -> dict[str, object]:
    """What is in a clip. Raises ValueError if vLLM could not read it."""
    if isinstance(part, InputAudioPart):
        kind, data = part.input_audio.format, part.input_audio.data
    else:
        found = DATA_URL.fullmatch(part.audio_url.url)
        if found is None:
            raise ValueError("Only base64 data URLs are supported for now.")
        kind, data = found.groups()
    if kind not in FORMATS:
        raise ValueError(f"no format of a clip: {kind}")
    raw = base64.b64decode(data, validate=True)
    if len(raw) > LARGEST_CLIP:
        raise ValueError("Maximum file size exceeded")
    with soundfile.SoundFile(io.BytesIO(raw)) as file:
        if file.frames > LONGEST_S * file.samplerate:
            raise ValueError("Audio exceeds maximum allowed duration")
        samples = file.read(dtype="float32", always_2d=True)
        return {
            "kind": kind,
            "container": file.format,
            "rate": file.samplerate,
            "frames": len(samples),
            "peak": round(float(abs(samples).max()), 4),
        }


class Server:
    def __init__(self, log: Path, *, reasoning: bool) -> None:
        self.log, self.reasoning = log, reasoning

    async def completions(self, request: web.Request) -> web.StreamResponse:
        raw = await request.read()
        try:
            asked = msgspec.json.decode(raw, type=Request)
            told = self.describe(asked, json.loads(raw))
        except (ValueError, soundfile.SoundFileError) as problem:
            said = {"message": str(problem), "type": "BadRequestError", "param": None, "code": 400}
            return web.json_response({"error": said}, status=400)
        with self.log.open("a", encoding="utf-8") as file:
            file.write(json.dumps(told) + "\n")
        usage = {"prompt_tokens": 31, "total_tokens": 34, "completion_tokens": 3}
        if asked.stream:
            return await self.stream(request, asked, usage)
        return web.json_response(self.whole(asked, usage))

    def describe(self, asked: Request, document: dict[str, object]) -> dict[str, object]:
        if asked.stream_options is not None and not asked.stream:
            raise ValueError("Stream options can only be defined when `stream=True`.")
        parts = [
            (message.role, part)
            for message in asked.messages
            for part in ([TextPart(message.content)] if isinstance(message.content, str) else message.content)
        ]
        return {
            "model": asked.model,
            "parts": [f"{role}:{part.__struct_config__.tag}" for role, part in parts],
            "text": [part.text for _, part in parts if isinstance(part, TextPart)],
            "clips": [clip_of(part) for _, part in parts if not isinstance(part, TextPart)],
            "keys": {k: v for k, v in document.items() if k not in {"messages", "model"}},
        }

    def whole(self, asked: Request, usage: dict[str, int]) -> dict[str, object]:
        said = {"role": "assistant", "content": "".join(WORDS), "refusal": None, "annotations": None, "audio": None}
        said |= {"function_call": None, "reasoning": "A bell, so B." if self.reasoning else None}
        choice = {"index": 0, "message": said, "logprobs": None, "finish_reason": "stop", "stop_reason": None}
        rest = {"service_tier": None, "system_fingerprint": None, "prompt_logprobs": None, "kv_transfer_params": None}
        more = usage | {"prompt_tokens_details": None, "completion_tokens_details": None}
        return self.head("chat.completion", asked) | {"choices": [choice], "usage": more} | rest

    def head(self, kind: str, asked: Request) -> dict[str, object]:
        return {"id": "chatcmpl-1", "object": kind, "created": 0, "model": asked.model}

    async def stream(self, request: web.Request, asked: Request, usage: dict[str, int]) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream; charset=utf-8"})
        await response.prepare(request)
        deltas = [({"role": "assistant", "content": ""}, None)]
        deltas += [({"reasoning": "A bell, so B."}, None)] if self.reasoning else []
        deltas += [({"content": word}, None) for word in WORDS] + [({"content": ""}, "stop")]
        events = [
            {"choices": [{"index": 0, "delta": delta, "logprobs": None, "finish_reason": why}]} for delta, why in deltas
        ]
        if asked.stream_options is not None and asked.stream_options.include_usage:
            events.append({"choices": [], "usage": usage})
        for event in events:
            line = json.dumps(self.head("chat.completion.chunk", asked) | event)
            await response.write(f"data: {line}\n\n".encode())
        await response.write(b"data: [DONE]\n\n")
        await response.write_eof()
        return response


async def serve(log: Path, *, reasoning: bool) -> None:
    app = web.Application(client_max_size=1 << 28)
    app.router.add_post("/v1/chat/completions", Server(log, reasoning=reasoning).completions)
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    print(json.dumps({"port": runner.addresses[0][1]}), flush=True)
    await asyncio.Event().wait()  # until the test ends the process


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--log", type=Path, required=True)
    parser.add_argument("--reasoning", action="store_true", help="say a thought beside the reply")
    told = parser.parse_args()
    asyncio.run(serve(told.log, reasoning=told.reasoning))


if __name__ == "__main__":
    main()
