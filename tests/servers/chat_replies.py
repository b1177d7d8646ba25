"""Replies in the chat-completions format, whole or streamed, right or wrong in a chosen way."""

import asyncio
import contextlib
import email.utils
import json
import time
import zlib
from dataclasses import dataclass
from typing import Any

from aiohttp import web
from chat_faults import BODIES, MESSAGES, SIDES, STATUSES, status_of
from chat_request import Asked

BOMB_MEGABYTES = 100
ODD_EVENTS = [
    b"",
    b"{",
    b"null",
    b"[]",
    b'"B"',
    b"{}",
    b'{"choices": 3}',
    b'{"choices": [[]]}',
    b'{"choices": [{}]}',
    b"\xff",
]
PLACES = {"redirect": "/login", "redirect-307": "/moved/v1/chat/completions"}


@dataclass(frozen=True)
class Exchange:
    """One request being answered: what was asked, what to say, and what goes wrong."""

    request: web.Request
    asked: Asked
    text: str
    sequence: int
    fault: str | None
    retry_after_s: float = 1.0
    drip_s: float = 0.1


async def answer(exchange: Exchange) -> web.StreamResponse:
    fault = exchange.fault
    if fault in STATUSES:
        return refuse(exchange, fault)
    if fault in BODIES:
        body, content_type = BODIES[fault]
        return web.Response(body=body, content_type=content_type)
    if fault in PLACES:
        return web.Response(status=status_of(fault) or 302, headers={"Location": PLACES[fault]})
    if fault == "drop":
        return hang_up(exchange.request)
    if fault == "slow":
        await asyncio.Event().wait()
    message = compose(exchange)
    streamed = exchange.asked.stream and fault not in {"stream-not", "gzip", "gzip-bomb", "deflate-bomb"}
    return await (stream if streamed else whole)(exchange, message)


def hang_up(request: web.Request) -> web.Response:
    """Close the connection; what aiohttp then tries to write goes nowhere."""
    if request.transport is not None:
        request.transport.close()
    return web.Response()


def refuse(exchange: Exchange, fault: str) -> web.Response:
    status, code, message = STATUSES[fault]
    key = exchange.request.headers.get("Authorization", "").removeprefix("Bearer ")
    told = message.replace("{model}", exchange.asked.model).replace("{key}", key)
    return error(status, code, told, headers=retry_after(fault, exchange.retry_after_s))


def error(status: int, code: str, message: str, *, headers: dict[str, str] | None = None) -> web.Response:
    body = {"error": {"message": message, "type": code, "param": None, "code": code}}
    return web.json_response(body, status=status, headers=headers)


def retry_after(fault: str, seconds: float) -> dict[str, str]:
    if fault in {"429", "503-retry"}:
        return {"Retry-After": f"{seconds:g}"}
    if fault == "429-date":
        # an HTTP date has whole seconds: rounded up, or a short wait would already be over
        return {"Retry-After": email.utils.formatdate(int(time.time() + seconds) + 1, usegmt=True)}
    return {}


def compose(exchange: Exchange) -> dict[str, Any]:
    """The message: ``content``, ``finish_reason`` and what a fault adds to it."""
    change = dict(MESSAGES.get(exchange.fault or "", {}))
    message: dict[str, Any] = {"content": exchange.text, "finish_reason": "stop"}
    if megabytes := change.pop("megabytes", 0):
        message["content"] = exchange.text + " and" * (megabytes * 250_000)
    if change.pop("as_parts", False):
        message["content"] = [{"type": "text", "text": exchange.text}]
    if change.pop("spoken", False):
        message["audio"] = {"id": "audio_1", "data": "UklGRg==", "transcript": exchange.text}
        if not change.pop("written", False):
            change["content"] = None
    message["content"] += SIDES.get(exchange.fault or "", {}).get("tail", "")
    return message | change


def odd(exchange: Exchange, where: str) -> dict[str, Any]:
    """What a fault puts in the place of right fields: in the ``choice``, the ``message``, or the document."""
    sides = SIDES.get(exchange.fault or "", {})
    inner = {"choice", "message", "tail"}
    return {k: v for k, v in sides.items() if k not in inner} if where == "document" else sides.get(where, {})


def usage(exchange: Exchange, message: dict[str, Any]) -> dict[str, int]:
    """Token counts that follow from what went over the line: 4 characters, or 1,280 bytes of audio, a token."""
    asked = exchange.asked
    tokens_in = len(asked.text) // 4 + sum(len(clip.data) for clip in asked.clips) // 1280
    tokens_out = max(1, len(message["content"] or "") // 4)
    return {"prompt_tokens": tokens_in, "completion_tokens": tokens_out, "total_tokens": tokens_in + tokens_out}


def envelope(exchange: Exchange, kind: str) -> dict[str, Any]:
    return {
        "id": f"chatcmpl-{exchange.sequence}",
        "object": kind,
        "created": int(time.time()),
        "model": exchange.asked.model,
    }


async def whole(exchange: Exchange, message: dict[str, Any]) -> web.StreamResponse:
    said = {"role": "assistant", **message}
    choice = {"index": 0, "finish_reason": said.pop("finish_reason"), "message": said | odd(exchange, "message")}
    body = envelope(exchange, "chat.completion") | {"usage": usage(exchange, message)} | odd(exchange, "document")
    raw = encoded(exchange, body | {"choices": [choice | odd(exchange, "choice")]})
    if exchange.fault in {"gzip", "gzip-bomb", "deflate-bomb"}:
        return compressed(exchange, raw)
    if exchange.fault in {"drop-middle", "slow-drip"}:
        return await in_pieces(exchange, raw)
    content_type = "text/plain" if exchange.fault == "text-plain" else "application/json"
    return web.Response(body=raw, content_type=content_type)


def encoded(exchange: Exchange, document: dict[str, Any]) -> bytes:
    raw = json.dumps(document, ensure_ascii=exchange.fault != "raw-bytes")
    return raw.encode(errors="surrogateescape")


def compressed(exchange: Exchange, raw: bytes) -> web.Response:
    """With its length, in spite of what was asked for."""
    way, bits = ("deflate", 15) if exchange.fault == "deflate-bomb" else ("gzip", 31)
    packer = zlib.compressobj(9, zlib.DEFLATED, bits)
    blanks = BOMB_MEGABYTES if exchange.fault != "gzip" else 0
    packed = [packer.compress(raw), *(packer.compress(b" " * 1_000_000) for _ in range(blanks)), packer.flush()]
    return web.Response(body=b"".join(packed), headers={"Content-Encoding": way, "Content-Type": "application/json"})


async def in_pieces(exchange: Exchange, raw: bytes) -> web.StreamResponse:
    response = web.StreamResponse(headers={"Content-Type": "application/json", "Content-Length": str(len(raw))})
    await response.prepare(exchange.request)
    with contextlib.suppress(ConnectionError):  # the client may tire of waiting
        if exchange.fault == "drop-middle":
            await response.write(raw[: len(raw) // 2])
            return hang_up(exchange.request)
        for i in range(len(raw)):
            await response.write(raw[i : i + 1])
            await asyncio.sleep(exchange.drip_s)
    return response


async def stream(exchange: Exchange, message: dict[str, Any]) -> web.StreamResponse:
    content_type = "text/plain" if exchange.fault == "text-plain" else "text/event-stream"
    response = web.StreamResponse(headers={"Content-Type": content_type, "Cache-Control": "no-cache"})
    await response.prepare(exchange.request)
    with contextlib.suppress(ConnectionError):
        if exchange.fault != "stream-nothing" and await begin(exchange, message, response):
            await end(exchange, message, response)
        elif exchange.fault == "stream-nothing":
            await odd_events(response)
            await response.write(b"data: [DONE]\n\n")
    return response


async def begin(exchange: Exchange, message: dict[str, Any], response: web.StreamResponse) -> bool:
    """The words; whether to go on."""
    deltas = pieces(message)
    head = envelope(exchange, "chat.completion.chunk") | odd(exchange, "document")
    for i, delta in enumerate(deltas):
        if i > len(deltas) // 2 and exchange.fault in {"stream-break", "drop-middle"}:
            hang_up(exchange.request)
            return False
        if i > len(deltas) // 2 and exchange.fault == "stream-error":
            await send(response, {"error": {"message": "The engine is dead.", "type": "server_error"}})
            return False
        if exchange.fault == "stream-odd":
            await odd_events(response)
        choice = {"index": 0, "delta": delta | odd(exchange, "message"), "finish_reason": None}
        await send(response, head | {"choices": [choice | odd(exchange, "choice")]}, exchange)
        if exchange.fault == "slow-drip":
            await asyncio.sleep(exchange.drip_s)
    return exchange.fault != "stream-no-reason"


async def end(exchange: Exchange, message: dict[str, Any], response: web.StreamResponse) -> None:
    """The reason, the counts, the mark, as far as they are to come."""
    head, fault = envelope(exchange, "chat.completion.chunk"), exchange.fault
    last = {"index": 0, "delta": {}, "finish_reason": message["finish_reason"]}
    await send(response, head | {"choices": [last | odd(exchange, "choice")]})
    if fault == "stream-open":
        await asyncio.Event().wait()
    if fault == "stream-error-after":
        await send(response, {"error": {"message": "The engine is dead.", "type": "server_error"}})
    if fault == "stream-late-usage":
        await asyncio.sleep(0.1)
    if exchange.asked.include_usage:
        counts = {"usage": usage(exchange, message)} | odd(exchange, "document")
        await send(response, head | {"choices": []} | counts)
    if fault == "stream-late-usage":
        await asyncio.Event().wait()
    if fault != "stream-no-done":
        await response.write(b"data: [DONE]\n\n")
    if fault == "stream-done-open":
        await asyncio.Event().wait()


async def odd_events(response: web.StreamResponse) -> None:
    for event in ODD_EVENTS:
        await response.write(b"data: " + event + b"\n\n")


async def send(response: web.StreamResponse, event: dict[str, Any], exchange: Exchange | None = None) -> None:
    raw = json.dumps(event).encode() if exchange is None else encoded(exchange, event)
    await response.write(b"data: " + raw + b"\n\n")


def pieces(message: dict[str, Any]) -> list[dict[str, Any]]:
    """The message as deltas: the role, what is said beside the content, then the content cut up."""
    rest = {name: value for name, value in message.items() if name not in {"content", "finish_reason"}}
    speech = rest.pop("audio", {})
    out: list[dict[str, Any]] = [{"role": "assistant", "content": ""}, *({name: value} for name, value in rest.items())]
    out += [{"audio": {"id": speech["id"], "transcript": one}} for one in speech.get("transcript", "")]
    content = message["content"]
    if isinstance(content, list):
        return [*out, {"content": content}]
    text = content or ""
    size = max(4, len(text) // 100)
    return out + [{"content": text[i : i + size]} for i in range(0, len(text), size)]
