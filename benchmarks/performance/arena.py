"""Another section: an arena under many voters at once, killed in the middle and started again.

200 voters on loopback for a minute, each asking, waiting, voting after eight seconds' thought on average (nobody who
listens is faster) and revealing, before ``audiometry arena serve`` with two scripted models. Half-way the server is
killed (SIGKILL) and started again; voters try again what was not answered, as the page does. Then every acknowledged
vote is looked for in the database. Votes are timed by the voters' clock, of the attempt that was answered; the voters
share the machine's CPUs with the server.
"""

import asyncio
import os
import random
import re
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import aiohttp
from sections import AUDIOMETRY, Row, Settings

VOTERS, SECONDS, THOUGHT_S = 200, 60.0, 8.0
SLOWEST_S, SHARE = 0.2, 0.95
CROWD_S = 5.0
"""After a restart, in which all who were turned away come at once; their votes have a row of their own."""
TOML = """
models = ["scripted/constant?text=Yes.", "scripted/constant?text=No."]
[limits]
battles = 0
recordings = 0
address_battles = 0
address_recordings = 0
requests = 0
"""
ANSWERED, AGAIN = 200, 503


class Server:
    """The arena, in a process of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.port, self.cpu_s = folder, 0, 0.0
        self.away: list[float] = []
        (folder / "arena.toml").write_text(TOML, encoding="utf-8")
        self.database = folder / "arena.sqlite"
        self.start()

    def start(self) -> None:
        """Start it, again on the port that it had; returns when people can come in."""
        words = [AUDIOMETRY, "arena", "serve", "arena.toml", "--port", str(self.port)]
        self._process = subprocess.Popen(words, cwd=self.folder, stderr=subprocess.PIPE, text=True)
        assert self._process.stderr is not None  # noqa: S101  it is a pipe
        for line in self._process.stderr:
            if found := re.search(r"127\.0\.0\.1:(\d+)", line):
                self.port = int(found[1])
                return
        sys.exit("the arena did not start")

    def end(self, number: signal.Signals = signal.SIGTERM) -> None:
        """End it; the CPU that it took is added up."""
        self._process.send_signal(number)
        self._process.stderr.close()
        _, _, used = os.wait4(self._process.pid, 0)
        self._process.returncode = 0
        self.cpu_s += used.ru_utime + used.ru_stime


class Voter:
    """One of the many.

    Attributes:
        times: of its votes: when each was sent, and the seconds that it took.
        acknowledged: the battles they were of.
    """

    def __init__(self, number: int, until: float) -> None:
        self._draw, self._until = random.Random(number), until
        self.times: list[tuple[float, float]] = []
        self.acknowledged: list[str] = []

    async def vote_on(self, server: Server) -> None:
        """Ask, wait, vote and reveal until the time is over."""
        limit, jar = aiohttp.ClientTimeout(total=40), aiohttp.CookieJar(unsafe=True)  # of a bare address too
        address = f"http://127.0.0.1:{server.port}"
        async with aiohttp.ClientSession(address, timeout=limit, cookie_jar=jar) as session:
            await asyncio.sleep(self._draw.random() * 2 * THOUGHT_S)
            await self._posted(session, "/state", {})
            number = 0
            while time.monotonic() < self._until:
                number += 1
                battle, _ = await self._posted(session, "/battle", {"text": f"Is {number} a prime?"})
                while battle["state"] == "asking":
                    battle, _ = await self._got(session, f"/battle/{battle['battle']}/wait")
                await asyncio.sleep(self._draw.random() * 2 * THOUGHT_S)
                if battle["state"] != "ready":
                    continue
                said = {"battle": battle["battle"], "outcome": self._draw.choice(["model_a", "model_b", "tie"])}
                _, took_s = await self._posted(session, "/vote", said)
                self.times.append((time.monotonic() - took_s, took_s))
                self.acknowledged.append(battle["battle"])
                await self._posted(session, "/reveal", {"battle": battle["battle"]})

    async def _posted(self, session: aiohttp.ClientSession, path: str, document: dict[str, Any]) -> tuple[Any, float]:
        return await self._tried(lambda: session.post(path, json=document))

    async def _got(self, session: aiohttp.ClientSession, path: str) -> tuple[Any, float]:
        return await self._tried(lambda: session.get(path))

    async def _tried(self, ask: Any) -> tuple[Any, float]:
        """An answer, and the seconds that it took; asked again while the server is away."""
        while True:
            began = time.perf_counter()
            try:
                async with ask() as answer:
                    found = await answer.json()
                    if answer.status == ANSWERED:
                        return found, time.perf_counter() - began
                    if answer.status != AGAIN:
                        raise RuntimeError(f"{answer.status}: {found}")
            except (aiohttp.ClientError, TimeoutError):
                pass
            await asyncio.sleep(0.2 + self._draw.random() * 0.3)


async def voted(server: Server, voters: int, seconds: float) -> list[Voter]:
    """Many voters at once; half-way the server is killed and started again."""
    everybody = [Voter(number, time.monotonic() + seconds) for number in range(voters)]
    tasks = [asyncio.create_task(voter.vote_on(server)) for voter in everybody]
    await asyncio.sleep(seconds / 2)
    server.away = [time.monotonic()]
    server.end(signal.SIGKILL)
    await asyncio.to_thread(server.start)
    server.away.append(time.monotonic())
    await asyncio.gather(*tasks)
    return everybody


def measured(voters: int = VOTERS, seconds: float = SECONDS) -> list[Row]:
    """What many voters found."""
    with tempfile.TemporaryDirectory() as name:
        server = Server(Path(name))
        try:
            everybody = asyncio.run(voted(server, voters, seconds))
        finally:
            server.end()
        with sqlite3.connect(server.database) as line:
            kept = [battle for (battle,) in line.execute("SELECT battle FROM vote")]
    gone, back = server.away
    every = [one for voter in everybody for one in voter.times]
    times = sorted(took for _, took in every)
    calm = sorted(took for at, took in every if not gone - SLOWEST_S < at < back + CROWD_S)
    acknowledged = [battle for voter in everybody for battle in voter.acknowledged]
    return [
        Row("votes acknowledged", len(acknowledged), "votes"),
        Row("votes lost", len(set(acknowledged) - set(kept)), "votes", 0),
        Row("votes kept twice", len(kept) - len(set(kept)), "votes", 0),
        Row("vote, half of them", calm[len(calm) // 2], "s"),
        Row("vote, 95 of 100", calm[int(len(calm) * SHARE)], "s", SLOWEST_S),
        Row("with the crowd after the kill, 95 of 100", times[int(len(times) * SHARE)], "s"),
        Row("CPU of the server a battle", 1000 * server.cpu_s / len(times), "ms"),
    ]


def arena(_: Settings) -> list[Row]:
    """The section."""
    return measured()


if __name__ == "__main__":
    for row in measured(*(kind(word) for kind, word in zip((int, float), sys.argv[1:], strict=False))):
        print(f"{row.what:<42}{row.value:10.3f} {row.unit}")
