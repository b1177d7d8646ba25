"""The parts that need no process: lines, what an early end means, places."""

import asyncio
import os
import signal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from audiometry.programs import keeper
from audiometry.programs.aside import MOST, Aside
from audiometry.programs.endurance import Endurance
from audiometry.programs.lines import Line, Splitter
from audiometry.programs.places import Places
from audiometry.programs.terms import Terms


def line(text):
    data = text if isinstance(text, bytes) else text.encode()
    return Line(data, len(data))


@given(st.lists(st.binary(max_size=12)), st.integers(1, 5))
def test_chunks_of_any_cut_give_the_same_lines(pieces, width):
    stream = b"\n".join(piece.replace(b"\n", b"x") for piece in pieces) + b"\n"
    splitter = Splitter()
    found = [ln.data for at in range(0, len(stream), width) for ln in splitter.feed(stream[at : at + width])]
    assert found == [one for one in stream.split(b"\n") if one.strip()]
    assert splitter.rest() == Line(b"", 0)


def test_a_line_without_an_end_keeps_its_first_bytes_only():
    splitter = Splitter(longest=10)
    for _ in range(1000):
        assert splitter.feed(b"x" * 1000) == []
    (long, short) = splitter.feed(b"\nab\n")
    assert (long.data, long.size, long.whole) == (b"x" * 10, 1_000_000, False)
    assert (short.data, short.whole) == (b"ab", True)


def test_stray_lines_are_counted_and_the_first_is_shown():
    aside = Aside()
    assert aside.told() == ""
    aside.add(line("\x1b[31mLoading"))
    aside.add(line("more"))
    assert aside.take() == "standard output held 2 lines that answer nothing, the first: '\\x1b[31mLoading'"
    assert aside.told() == ""


def test_a_thousand_stray_lines_are_too_much():
    aside = Aside()
    for _ in range(MOST - 1):
        aside.add(line("x"))
    assert not aside.too_much
    aside.add(line("x"))
    assert aside.too_much


def test_three_lives_without_any_reply_are_enough():
    lives = Endurance()
    for prompts in (["a", "b"], ["a"], ["b"]):
        assert not lives.exhausted
        lives.ended(prompts, replies=0)
    assert lives.exhausted


def test_one_prompt_that_ends_every_life_is_to_blame_and_stops_nothing():
    lives = Endurance()
    lives.ended(["bad"], replies=0)
    assert not lives.to_blame("bad")
    lives.ended(["bad"], replies=0)
    assert lives.to_blame("bad")
    assert not lives.to_blame("good")
    lives.ended(["bad"], replies=0)
    assert not lives.exhausted


def test_after_a_reply_more_bad_prompts_in_a_row_are_borne():
    lives = Endurance()
    lives.answered()
    for number in range(9):
        lives.ended([number], replies=0)
        assert not lives.exhausted
    lives.ended(["x"], replies=0)
    assert lives.exhausted


def test_a_reply_ends_the_count():
    lives = Endurance()
    lives.ended([1], replies=0)
    lives.ended([2], replies=0)
    lives.answered()
    assert lives.fruitless == 0
    assert lives.wait_s == 0


def test_waits_double_up_to_a_limit():
    lives = Endurance()
    waits = []
    for number in range(9):
        lives.ended([number], replies=0)
        waits.append(lives.wait_s)
    assert waits == [0.5, 1, 2, 4, 8, 16, 30, 30, 30]


def test_after_a_crash_with_several_under_way_each_is_asked_alone():
    lives = Endurance()
    assert not lives.careful
    lives.ended(["a", "b", "c"], replies=5)
    assert lives.careful
    lives.answered()
    lives.ended(["b"], replies=0)
    assert lives.careful
    lives.answered()
    assert not lives.careful


def test_places_are_given_in_turn_and_never_more_than_there_are():
    async def go():
        inside, seen, order = 0, [], []
        places = Places(lambda: 2)

        async def visit(name):
            nonlocal inside
            await places.take()
            order.append(name)
            inside += 1
            seen.append(inside)
            await asyncio.sleep(0.001)
            inside -= 1
            places.give_back()

        await asyncio.gather(*(visit(n) for n in range(9)))
        return max(seen), order

    assert asyncio.run(go()) == (2, list(range(9)))


@pytest.mark.parametrize("moment", ["waiting", "given", "dropped"])
def test_a_visitor_that_gives_up_takes_no_place_with_it(moment):
    async def go():
        places = Places(lambda: 1)
        await places.take()
        quitter = asyncio.ensure_future(places.take())
        await asyncio.sleep(0)
        if moment == "given":
            places.give_back()  # the place is the quitter's, who has not yet woken up
            quitter.cancel()
        else:
            quitter.cancel()
            if moment == "dropped":
                places.look()
            places.give_back()
        await asyncio.gather(quitter, return_exceptions=True)
        async with asyncio.timeout(1):
            await places.take()
        return quitter.cancelled()

    assert asyncio.run(go()), "the visitor came in after all"


def test_when_there_are_more_places_who_waits_comes_in():
    async def go():
        most = 1
        places = Places(lambda: most)
        await places.take()
        waiting = [asyncio.ensure_future(places.take()) for _ in range(3)]
        await asyncio.sleep(0)
        most = 3
        places.look()
        await asyncio.sleep(0)
        return [w.done() for w in waiting]

    assert asyncio.run(go()) == [True, True, False]


def test_the_keeper_waits_for_the_end_of_its_input_and_then_ends_the_group(monkeypatch, tmp_path):
    said, ended = [b"x", b"x", b""], []
    monkeypatch.setattr(os, "read", lambda *_: said.pop(0))
    monkeypatch.setattr(os, "killpg", lambda *how: ended.append(how))
    folder = tmp_path / "clips"
    folder.mkdir()
    (folder / "p1-0.wav").write_bytes(b"RIFF")
    keeper.keep(4711, str(folder))
    assert said == []
    assert ended == [(4711, signal.SIGKILL)]
    assert not folder.exists()


@pytest.mark.parametrize(("timeout_s", "reply_s"), [(600, 599), (50, 49), (10, 9.8)])
def test_a_programs_time_is_up_a_little_before_the_dispatchers(timeout_s, reply_s):
    assert Terms(command=(), called="it", start_s=1, timeout_s=timeout_s).reply_s == pytest.approx(reply_s)
