"""A proxy for the tests: a real process that passes requests on, tunnelled (CONNECT) or whole (absolute form).

    python tests/servers/proxy.py --log passed.jsonl [--user NAME:PASSWORD] [--refuse STATUS]

Prints ``{"port": …}`` when it is ready, and logs a line a request: method, target, and whether a key came to it.
"""

import argparse
import asyncio
import base64
import contextlib
import json
from pathlib import Path
from urllib.parse import urlsplit


async def serve(settings):
    async def handle(reader, writer):
        with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError):
            await Passing(settings, reader, writer).through()
        writer.close()

    server = await asyncio.start_server(handle, "127.0.0.1", 0)
    print(json.dumps({"port": server.sockets[0].getsockname()[1]}), flush=True)
    async with server:
        await server.serve_forever()


class Passing:
    """One connection."""

    def __init__(self, settings, reader, writer):
        self.settings, self.reader, self.writer = settings, reader, writer

    async def through(self):
        head = await self.reader.readuntil(b"\r\n\r\n")
        first, *lines = head.decode("latin-1").split("\r\n")
        method, target, version = first.split(" ")
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines if line)}
        user = headers.get("proxy-authorization", "").removeprefix("Basic ")
        told = {"method": method, "target": target, "authorization": "authorization" in headers, "user": bool(user)}
        with self.settings.log.open("a") as log:
            log.write(json.dumps(told) + "\n")
        wanted = base64.b64encode(self.settings.user.encode()).decode()
        refused = self.settings.refuse or (407 if self.settings.user and user != wanted else 0)
        if refused:
            self.writer.write(b"HTTP/1.1 %d Not today\r\nContent-Length: 0\r\n\r\n" % refused)
            await self.writer.drain()
            return
        if method == "CONNECT":
            host, _, port = target.rpartition(":")
            there = await asyncio.open_connection(host, int(port))
            self.writer.write(b"HTTP/1.1 200 Connected\r\n\r\n")
        else:
            parts = urlsplit(target)
            there = await asyncio.open_connection(parts.hostname, parts.port or 80)
            kept = [line for line in lines if line and not line.lower().startswith("proxy-")]
            path = f"{parts.path}?{parts.query}" if parts.query else parts.path
            there[1].write(
                "\r\n".join([f"{method} {path} {version}", *kept, "Connection: close", "", ""]).encode("latin-1")
            )
        await asyncio.gather(pump(self.reader, there[1]), pump(there[0], self.writer))


async def pump(reader, writer):
    with contextlib.suppress(ConnectionError):
        while data := await reader.read(65536):
            writer.write(data)
            await writer.drain()
    with contextlib.suppress(OSError):
        writer.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--log", type=Path, required=True)
    parser.add_argument("--user", default="")
    parser.add_argument("--refuse", type=int, default=0)
    asyncio.run(serve(parser.parse_args()))


if __name__ == "__main__":
    main()
