"""Programs that are asked one thing at a time."""

import asyncio
import os
import sys

import pytest

from audiometry.programs.pool import EndedError, Pool

ECHO = """
import os, sys, time
for line in sys.stdin:
    word = line.strip()
    if word == "die": sys.exit("no more")
    if word == "sleep": time.sleep(60)
    print(f"{os.getpid()} {os.environ.get('LIMIT')} {word}", flush=True)
"""


@pytest.fixture
def pool():
    """``pool(work, size)``: what the work gives, done with a pool that is closed after it."""

    def go(work, size=2):
        async def whole():
            made = Pool([sys.executable, "-I", "-S", "-c", ECHO], size, {**os.environ, "LIMIT": "1"})
            try:
                return await work(made)
            finally:
                await made.close()
                assert made.members == set()

        return asyncio.run(whole())

    return go


async def said(pool, word):
    line = await pool.ask(f"{word}\n".encode())
    pid, limit, back = line.data.decode().split()
    assert (limit, back) == ("1", word)
    return int(pid)


def test_no_more_than_its_size_and_each_is_used_again(pool):
    async def work(made):
        return set(await asyncio.gather(*(said(made, f"w{n}") for n in range(20))))

    assert len(pool(work, 3)) <= 3
    assert len(pool(work, 1)) == 1


def test_one_that_ends_is_said_to_have_and_another_takes_its_place(pool):
    async def work(made):
        before = await said(made, "a")
        with pytest.raises(EndedError, match=r"ended with exit code 1 \(its last words on standard error: no more\)"):
            await made.ask(b"die\n")
        return before, await said(made, "b")

    before, after = pool(work, 1)
    assert before != after


def test_one_that_died_while_idle_is_found_out_when_it_is_asked(pool):
    async def work(made):
        await said(made, "a")
        (member,) = made.members
        member.program.kill("was ended")
        await member.program.ended
        with pytest.raises(EndedError, match="was ended"):
            await made.ask(b"b\n")
        return await said(made, "c")

    assert pool(work, 1)


def test_an_answer_that_nobody_waits_for_reaches_nobody_else(pool):
    async def work(made):
        asked = asyncio.ensure_future(made.ask(b"sleep\n"))
        await asyncio.sleep(0.3)
        asked.cancel()
        await asyncio.wait({asked})
        return await said(made, "next")

    assert pool(work, 1)


def test_what_cannot_be_started_says_so():
    async def work():
        await Pool(["/no/such/program"], 1, {}).ask(b"x\n")

    with pytest.raises(OSError, match="No such file"):
        asyncio.run(work())
