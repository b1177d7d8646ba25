"""A chat-completions server that costs next to nothing: it counts bytes, waits, and gives a short reply.

    python benchmarks/performance/mock_server.py --port 0 --delay-ms 50 --replies A B C D

Prints ``{"port": …}`` when ready. Bodies are never parsed nor kept: a body ends where its Content-Length says. The
reply follows from a few bytes of the body, so the same item gets the same reply. ``GET /stats`` gives ``requests``,
``seconds`` (from the first byte of the first request to the last reply handed to the kernel), ``items_per_s``,
``in_flight_max`` and ``cpu_s`` (of this process in that time); ``GET /reset`` starts anew.
"""

import argparse
import asyncio
import json
import resource
import signal
import time
import zlib
from collections.abc import Sequence
from typing import cast

import uvloop

SAMPLE = slice(2048, 2112)
"""Where in the request (head included) the reply is drawn from: past the head, within the first clip or a prompt."""

STATUS = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n"


def http_reply(body: bytes) -> bytes:
    """The head and the body."""
    return STATUS % len(body) + body


def completion(text: str) -> bytes:
    """A chat completion that says that, ready to send."""
    told = {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1_700_000_000,
        "model": "mock",
        "choices": [{"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 200, "completion_tokens": 1, "total_tokens": 201},
    }
    return http_reply(json.dumps(told).encode())


def cpu_s() -> float:
    """CPU seconds of this process so far, user and system."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


class Counts:
    """The server's clock and count, shared by all connections."""

    def __init__(self, replies: Sequence[str], delay_s: float) -> None:
        self.replies = [completion(reply) for reply in replies]
        self.delay_s = delay_s
        # one for all connections: what lies in it is looked at before the next read
        self.buffer = memoryview(bytearray(1 << 18))
        self.reset()

    def reset(self) -> None:
        """Count from nothing."""
        self.requests = 0
        self.in_flight = 0
        self.in_flight_max = 0
        self.first: float | None = None
        self.last = 0.0
        self.cpu_first = 0.0

    def arrived(self) -> None:
        """A request's head is here."""
        if self.first is None:
            self.first = time.perf_counter()
            self.cpu_first = cpu_s()
        self.in_flight += 1
        self.in_flight_max = max(self.in_flight_max, self.in_flight)

    def answered(self) -> None:
        """A reply has been handed to the kernel."""
        self.in_flight -= 1
        self.requests += 1
        self.last = time.perf_counter()

    def stats(self) -> bytes:
        """What was counted, as a reply."""
        seconds = self.last - self.first if self.first is not None else 0.0
        told = {
            "requests": self.requests,
            "seconds": seconds,
            "items_per_s": self.requests / seconds if seconds else 0.0,
            "in_flight_max": self.in_flight_max,
            "cpu_s": cpu_s() - self.cpu_first,
        }
        return http_reply(json.dumps(told).encode())


class Connection(asyncio.BufferedProtocol):
    """One client connection: head, body counted down, reply after the delay, and again."""

    def __init__(self, counts: Counts) -> None:
        self.counts = counts
        self.loop = asyncio.get_running_loop()
        self.transport: asyncio.Transport | None = None
        self.start = b""
        self.missing = -1

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """A client came."""
        self.transport = cast("asyncio.Transport", transport)

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 - the protocol's signature
        """The client left; a reply that is due goes nowhere."""
        self.transport = None

    def get_buffer(self, sizehint: int) -> memoryview:  # noqa: ARG002 - the protocol's signature
        """Where the next bytes are to be put."""
        return self.counts.buffer

    def buffer_updated(self, nbytes: int) -> None:
        """So many bytes came."""
        if self.missing >= 0:
            self.missing -= nbytes
            if len(self.start) < SAMPLE.stop:
                self.start += self.counts.buffer[: min(nbytes, SAMPLE.stop)].tobytes()
        else:
            self.head(nbytes)
        if self.missing == 0:
            self.complete()

    def head(self, nbytes: int) -> None:
        """Collect the head; then it is known how much of the body is missing."""
        before = len(self.start)
        self.start += self.counts.buffer[: min(nbytes, 1 << 16)].tobytes()
        end = self.start.find(b"\r\n\r\n")
        if end < 0:
            return
        head = self.start[:end].lower()
        if head.startswith(b"get "):
            self.start = b""
            self.get(head)
            return
        self.counts.arrived()
        _, _, after = head.partition(b"content-length:")
        self.missing = int(after.split(b"\r\n", 1)[0]) - (before + nbytes - end - 4)

    def get(self, head: bytes) -> None:
        """Answer a request without a body at once."""
        if head.startswith(b"get /reset"):
            self.counts.reset()
        if self.transport is not None:
            self.transport.write(self.counts.stats())

    def complete(self) -> None:
        """The request is whole: its reply is due after the delay."""
        replies = self.counts.replies
        reply = replies[zlib.crc32(self.start[SAMPLE]) % len(replies)]
        self.start = b""
        self.missing = -1
        self.loop.call_later(self.counts.delay_s, self.send, reply)

    def send(self, reply: bytes) -> None:
        """The delay is over."""
        if self.transport is not None:
            self.transport.write(reply)
        self.counts.answered()


async def serve(settings: argparse.Namespace) -> None:
    """Serve until told to stop."""
    counts = Counts(settings.replies, settings.delay_ms / 1000)
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: Connection(counts), settings.host, settings.port, backlog=1024)
    print(json.dumps({"port": server.sockets[0].getsockname()[1]}), flush=True)
    stopped = asyncio.Event()
    loop.add_signal_handler(signal.SIGTERM, stopped.set)
    loop.add_signal_handler(signal.SIGINT, stopped.set)
    await stopped.wait()
    server.close()


def main() -> None:
    """Read the options and serve."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=0, help="0: any free one")
    parser.add_argument("--delay-ms", type=float, default=50.0)
    parser.add_argument("--replies", nargs="+", default=["A"], help="more than one are drawn by content")
    uvloop.run(serve(parser.parse_args()))


if __name__ == "__main__":
    main()
