"""The loops that set the mark: make a request, send it, parse the reply, and nothing else.

    python benchmarks/performance/reference.py BENCH --port 8000 --concurrency 64 --route aiohttp --work listening

``aiohttp``: a tuned client loop; uvloop; a connector as wide as the number in flight. ``socket``: the same over bare
connections, with no more HTTP than the mock speaks. ``listening``: each clip is read and encoded; base64 needs no JSON
escaping, so the body is joined from bytes. ``judging``: each reply is put to a judge in both orders, in the very words
of audiometry, which are made here as they are sent. Prints ``{"items", "answers"}``, the replies counted.
"""

import argparse
import asyncio
import base64
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import msgspec
import uvloop
from work import read_items

HEAD = (
    b'{"model":"mock","messages":[{"role":"user","content":'
    b'[{"type":"input_audio","input_audio":{"data":"%b","format":"wav"}},{"type":"text","text":%b}]}]}'
)
TURN = b'{"model":"mock","messages":[{"role":"user","content":%b}],"temperature":0.0}'
POST = (
    b"POST /v1/chat/completions HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
    b"Authorization: Bearer benchmark\r\nContent-Length: %d\r\n\r\n%b"
)
Work = Iterator[bytes]
"""Whole request bodies, each made when it is asked for."""


def listening(benchmark: Path) -> Work:
    """A clip and its question, made without ever being text."""
    for _, path, question in read_items(benchmark):
        with path.open("rb") as clip:
            data = clip.read()
        yield HEAD % (base64.b64encode(data), msgspec.json.encode(question))


def judging(benchmark: Path) -> Work:
    """A reply beside the reference answer, and once more in the other order."""
    from audiometry.score.judge.comparisons import ORDERS, Pair, words

    items = [msgspec.json.decode(line) for line in (benchmark / "metadata.jsonl").read_bytes().splitlines()]
    replies = [msgspec.json.decode(line)["text"] for line in (benchmark / "replies.jsonl").read_bytes().splitlines()]
    for item, reply in zip(items, replies, strict=True):
        for order in ORDERS:
            pair = Pair(item["meta"], item["question"], item["answer"], reply, order)
            yield TURN % msgspec.json.encode(words(pair, "first"))


def said(raw: bytes) -> str:
    """What the reply says."""
    return msgspec.json.decode(raw)["choices"][0]["message"]["content"]


async def over_aiohttp(work: Work, port: int, concurrency: int) -> Counter[str]:
    """Each of ``concurrency`` workers takes the next item when its last reply has come."""
    import aiohttp

    url = f"http://127.0.0.1:{port}/v1/chat/completions"
    headers = {"Content-Type": "application/json", "Authorization": "Bearer benchmark"}
    answers: Counter[str] = Counter()
    connector = aiohttp.TCPConnector(limit=concurrency, ttl_dns_cache=300)
    async with aiohttp.ClientSession(connector=connector, headers=headers) as session:

        async def worker() -> None:
            for request in work:
                async with session.post(url, data=request) as response:
                    answers[said(await response.read())] += 1

        await asyncio.gather(*(worker() for _ in range(concurrency)))
    return answers


class Bare(asyncio.Protocol):
    """A connection on which one reply at a time is awaited."""

    def __init__(self) -> None:
        self.received = b""
        self.reply: asyncio.Future[bytes] | None = None

    def data_received(self, data: bytes) -> None:
        """Collect until the reply is whole, then hand its body over."""
        self.received += data
        head, gap, rest = self.received.partition(b"\r\n\r\n")
        if not gap:
            return
        length = int(head.lower().partition(b"content-length:")[2].split(b"\r\n", 1)[0])
        if len(rest) >= length and self.reply is not None:
            self.received = b""
            self.reply.set_result(rest)


async def over_sockets(work: Work, port: int, concurrency: int) -> Counter[str]:
    """The same with no HTTP client at all: what Python and the kernel can do."""
    loop = asyncio.get_running_loop()
    answers: Counter[str] = Counter()

    async def worker() -> None:
        transport, connection = await loop.create_connection(Bare, "127.0.0.1", port)
        for request in work:
            connection.reply = loop.create_future()
            transport.write(POST % (len(request), request))
            answers[said(await connection.reply)] += 1
        transport.close()

    await asyncio.gather(*(worker() for _ in range(concurrency)))
    return answers


ROUTES = {"aiohttp": over_aiohttp, "socket": over_sockets}
WORK = {"listening": listening, "judging": judging}


def main() -> None:
    """Run one loop over all items of a benchmark folder."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("benchmark", type=Path)
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--concurrency", type=int, default=64)
    parser.add_argument("--route", choices=ROUTES, default="aiohttp")
    parser.add_argument("--work", choices=WORK, default="listening")
    settings = parser.parse_args()
    work = WORK[settings.work](settings.benchmark)
    answers = uvloop.run(ROUTES[settings.route](work, settings.port, settings.concurrency))
    print(json.dumps({"items": answers.total(), "answers": answers}))


if __name__ == "__main__":
    main()
