"""A chat-completions server for the tests: a real process that plays an oracle, and goes wrong on request.

    python tests/servers/chat_server.py --port 0 --log requests.jsonl --answers answers.json --fault 503:0.1

Prints ``{"port": …}`` on standard output when it is ready. Writes one JSON line a request to the log, as soon as the
request has been read and before it is answered.
"""

import argparse
import asyncio
import json
import signal
import ssl
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any, TextIO

import uvloop
from aiohttp import web
from chat_faults import BODIES, FaultRule, Moment, draw, first_fault, read_rule, status_of
from chat_replies import Exchange, answer, error
from chat_request import Asked, BadRequestError, measure, read_request
from chat_strict import RULES, prefixed, refusal
from judge_script import judge
from writer_script import write

LONGEST_LOGGED_TEXT = 4000
LARGEST_BODY = 1 << 30


class ChatServer:
    """State of the process: how many came, how often each item, and where the log goes."""

    def __init__(self, settings: argparse.Namespace, log: TextIO | None) -> None:
        self.settings = settings
        self.rules: list[FaultRule] = settings.fault
        self.answers: dict[str, str] = json.loads(settings.answers.read_text()) if settings.answers else {}
        self.script: dict[str, Any] | None = json.loads(settings.judge) if settings.judge else None
        self.writer: dict[str, Any] | None = json.loads(settings.writer) if settings.writer else None
        self.log = log
        self.sequence = 0
        self.in_flight = 0
        self.attempts: Counter[str] = Counter()

    def app(self) -> web.Application:
        app = web.Application(client_max_size=LARGEST_BODY)
        app.router.add_post("/v1/chat/completions", self.completions)
        app.router.add_post("/v1/embeddings", self.embeddings)
        app.router.add_post("/moved/v1/chat/completions", self.completions)
        app.router.add_get("/v1/models", self.models)
        app.router.add_get("/health", self.health)
        app.router.add_get("/login", self.login)
        return app

    async def health(self, _: web.Request) -> web.Response:
        return web.json_response({"status": "ok", "requests": self.sequence, "in_flight": self.in_flight})

    async def models(self, _: web.Request) -> web.Response:
        listed = [
            {"id": name, "object": "model", "created": 0, "owned_by": "tests"}
            for name in self.settings.model or ["mock"]
        ]
        return web.json_response({"object": "list", "data": listed})

    async def embeddings(self, request: web.Request) -> web.Response:
        """A point for each text: how often it has words whose letters sum to the same number modulo 64."""
        asked = await request.json()
        self.sequence += 1
        key = json.dumps(asked["input"])
        self.attempts[key] += 1
        fault = first_fault(
            self.rules, self.settings.seed, Moment(self.sequence, key, self.attempts[key], stream=False)
        )
        status = status_of(fault)
        self.write({"path": request.path, "model": asked["model"], "texts": asked["input"], "status": status})
        await asyncio.sleep(self.settings.delay_ms / 1000)
        if status != 200:
            return error(status, "server_error", "Not now.")
        if fault is not None:
            return web.Response(body=BODIES[fault][0], content_type="application/json")
        points = [[0.0] * 64 for _ in asked["input"]]
        for point, text in zip(points, asked["input"], strict=True):
            for word in text.lower().replace(",", " ").replace("?", " ").split():
                point[sum(map(ord, word)) % 64] += 1.0 if len(word) > 3 else 0.0
        data = [{"object": "embedding", "index": at, "embedding": point} for at, point in enumerate(points)]
        return web.json_response({"object": "list", "model": asked["model"], "data": data[::-1]})

    async def login(self, _: web.Request) -> web.Response:
        return web.Response(text="<html><body>Please log in.</body></html>", content_type="text/html")

    async def completions(self, request: web.Request) -> web.StreamResponse:
        started = time.time()
        self.sequence += 1
        sequence = self.sequence
        self.in_flight += 1
        try:
            told: dict[str, Any] = {
                "at": started,
                "sequence": sequence,
                "in_flight": self.in_flight,
                "path": request.path,
                "authorization": "Authorization" in request.headers,
                "scheme": request.headers.get("Authorization", "").partition(" ")[0],
                "query": dict(request.query),
                "headers": sorted(request.headers),
            }
            return await self.respond(request, told)
        finally:
            self.in_flight -= 1

    async def respond(self, request: web.Request, told: dict[str, Any]) -> web.StreamResponse:
        settings = self.settings
        raw = await request.read()
        try:
            asked = read_request(prefixed(raw) if settings.provider == "dashscope" else raw)
            self.attempts[asked.key] += 1
            attempt = self.attempts[asked.key]
            told |= describe(asked) | {"attempt": attempt}
            if settings.decode:
                told["audio"] = [measure(clip) for clip in asked.clips]
        except BadRequestError as problem:
            self.write(told | {"status": 400, "fault": None, "problem": str(problem)})
            return error(400, "invalid_request_error", str(problem))
        if settings.require_key and not request.headers.get("Authorization", "").startswith("Bearer "):
            self.write(told | {"status": 401, "fault": None})
            return error(401, "invalid_api_key", "You didn't provide an API key.")
        if settings.model and asked.model not in settings.model:
            self.write(told | {"status": 404, "fault": None})
            return error(404, "model_not_found", f"The model `{asked.model}` does not exist.")
        strict = refusal(settings.provider, raw, asked, settings.largest) if settings.provider else None
        if strict is not None and told["sequence"] > settings.lenient:
            self.write(told | {"status": strict[0], "fault": "strict"})
            return await strictly(request, asked, *strict)
        moment = Moment(told["sequence"], asked.key, attempt, asked.stream)
        # one redirect is enough: what was moved is answered
        fault = None if request.path.startswith("/moved") else first_fault(self.rules, settings.seed, moment)
        self.write(told | {"status": status_of(fault), "fault": fault})
        wait = settings.delay_ms + settings.jitter_ms * draw(settings.seed, "jitter", asked.key)
        await asyncio.sleep(wait / 1000)
        return await answer(
            Exchange(
                request=request,
                asked=asked,
                text=self.reply_to(asked),
                sequence=told["sequence"],
                fault=fault,
                retry_after_s=settings.retry_after,
                drip_s=settings.drip_ms / 1000,
            )
        )

    def reply_to(self, asked: Asked) -> str:
        """By the judge's script; from the table by item, audio or text; a letter drawn by item; the same for all."""
        if self.script is not None:
            return judge(asked.text, self.script)
        if self.writer is not None:
            return write(asked.text, self.writer)
        for key in (asked.key, asked.audio_sha256, asked.text_sha256):
            if key in self.answers:
                return self.answers[key]
        letters = self.settings.letters
        if letters:
            return letters[int(draw(self.settings.seed, "letter", asked.key) * len(letters))]
        return self.settings.answer

    def write(self, told: dict[str, Any]) -> None:
        if self.log is not None:
            self.log.write(json.dumps(told) + "\n")
            self.log.flush()


async def strictly(request: web.Request, asked: Asked, status: int, body: Any) -> web.StreamResponse:
    """A provider's refusal; one of status 200 comes as an event where a stream was asked for."""
    if status != 200 or not asked.stream:
        return web.json_response(body, status=status)
    response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
    await response.prepare(request)
    await response.write(b"data: " + json.dumps(body).encode() + b"\n\n")
    return response


def describe(asked: Asked) -> dict[str, Any]:
    return {
        "item": asked.key,
        "audio_sha256": asked.audio_sha256,
        "text_sha256": asked.text_sha256,
        "model": asked.model,
        "stream": asked.stream,
        "parts": asked.parts,
        "formats": [clip.format for clip in asked.clips],
        "audio_bytes": sum(len(clip.data) for clip in asked.clips),
        "text": asked.text[:LONGEST_LOGGED_TEXT],
        "parameters": asked.parameters,
    }


def parse(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=0, help="0: any free one")
    parser.add_argument("--log", type=Path, help="JSON lines, appended")
    parser.add_argument("--answer", default="A", help="the reply where nothing else is said")
    parser.add_argument("--answers", type=Path, help="JSON: sha256 of audio, of text, or AUDIO:TEXT, to reply")
    parser.add_argument("--judge", help="JSON: play a judge of open answers, see judge_script.py")
    parser.add_argument("--writer", help="JSON: play a writer of questions, see writer_script.py")
    parser.add_argument("--letters", default="", help="reply with one of these, drawn by item")
    parser.add_argument("--delay-ms", type=float, default=50.0)
    parser.add_argument("--jitter-ms", type=float, default=0.0, help="up to so much more, drawn by item")
    parser.add_argument("--drip-ms", type=float, default=100.0, help="between the pieces of a slow-drip")
    parser.add_argument("--retry-after", type=float, default=1.0, metavar="SECONDS")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--fault", action="append", type=rule_or_usage, default=[], metavar="KIND[:WHEN]")
    parser.add_argument("--decode", action="store_true", help="400 for clips that cannot be decoded")
    parser.add_argument("--require-key", action="store_true", help="401 without a bearer token")
    parser.add_argument("--tls", type=Path, help="serve https with the key and certificate in this file")
    parser.add_argument("--provider", choices=RULES, help="refuse what this one refuses, see chat_strict.py")
    parser.add_argument("--lenient", type=int, default=0, metavar="N", help="but not among the first N requests")
    parser.add_argument("--largest", type=int, default=LARGEST_BODY, metavar="BYTES", help="of a body that it takes")
    parser.add_argument("--model", action="append", help="404 for any other; may be given again")
    return parser.parse_args(arguments)


def rule_or_usage(text: str) -> FaultRule:
    try:
        return read_rule(text)
    except ValueError as problem:
        raise argparse.ArgumentTypeError(str(problem)) from problem


async def serve(settings: argparse.Namespace, log: TextIO | None) -> None:
    # a client that leaves ends its handler, or `slow` would pile up
    runner = web.AppRunner(
        ChatServer(settings, log).app(), access_log=None, handler_cancellation=True, shutdown_timeout=0.1
    )
    await runner.setup()
    secure = None
    if settings.tls:
        secure = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        secure.load_cert_chain(settings.tls)
    site = web.TCPSite(runner, settings.host, settings.port, backlog=1024, reuse_address=True, ssl_context=secure)
    await site.start()
    print(json.dumps({"port": runner.addresses[0][1]}), flush=True)
    stopped = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stopped.set)
    await stopped.wait()
    await runner.cleanup()


def main() -> None:
    settings = parse(sys.argv[1:])
    if settings.log is None:
        uvloop.run(serve(settings, None))
        return
    with settings.log.open("a", encoding="utf-8") as log:
        uvloop.run(serve(settings, log))


if __name__ == "__main__":
    main()
