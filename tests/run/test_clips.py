"""Clips are converted once, however often they are asked for; in as many threads as there are processors."""

import asyncio
import gc
import threading
import time

import pytest

from audiometry import bench as benches
from audiometry.errors import UnreadableAudioError
from audiometry.files.stamp import stat_of
from audiometry.programs.parallel import processors
from audiometry.records import ModelCard
from audiometry.run import clips as running
from audiometry.run.clips import Clips


@pytest.fixture
def stereo(benchmark):
    """Clips that have to be converted."""
    return benchmark(8, rate=44_100, channels=2, frames=2000)


def test_orders_and_variants_convert_nothing_again(asked, chat_server, stereo, tmp_path, conversions, replies):
    variants = ("--variant", "silence", "--variant", "noise", "--variant", "other-clip")
    assert asked(stereo, chat_server(), "--orders", 3, *variants).code == 0
    assert len(replies(tmp_path / "run")) == 8 * 6
    assert len(conversions) == 8


def test_nor_where_they_are_more_than_memory_holds(asked, chat_server, stereo, tmp_path, conversions, monkeypatch):
    monkeypatch.setattr("audiometry.audio.kept.IN_MEMORY", 3000)
    assert asked(stereo, chat_server(), "--orders", 3).code == 0
    assert len(conversions) == 8
    left = {path.name for path in (tmp_path / "run").iterdir()}
    assert not {name for name in left if "clip" in name or "tmp" in name}


def test_what_is_sent_is_the_same_with_and_without_a_folder_of_clips(
    asked, chat_server, stereo, tmp_path, conversions, replies
):
    server = chat_server()

    def sent(name, *words):
        assert asked(stereo, server, *words, "--again", folder=name).code == 0
        return {(r["item"], r["audio_sha256"], tuple(r["audio_changes"])) for r in replies(tmp_path / name)}

    without = sent("a")
    kept = ("--clips", tmp_path / "kept")
    assert sent("b", *kept) == without
    del conversions[:]
    assert sent("c", *kept) == without
    assert not conversions


def test_a_folder_of_clips_shapes_no_reply(asked, chat_server, stereo, tmp_path):
    server, kept = chat_server(), tmp_path / "kept"
    assert asked(stereo, server, "--limit", 4).code == 0
    assert asked(stereo, server, "--clips", kept).code == 0
    assert len(list(kept.iterdir())) == 4
    assert str(kept) not in (tmp_path / "run" / "run.json").read_text()


def test_a_folder_of_clips_that_cannot_be_ends_the_run_before_anybody_is_asked(asked, chat_server, stereo, tmp_path):
    (tmp_path / "file").write_text("")
    done = asked(stereo, chat_server(), "--clips", tmp_path / "file" / "kept")
    assert done.code == 1
    assert "cannot keep clips in" in done.said
    assert not (tmp_path / "run" / "replies.jsonl").read_bytes()


def test_items_on_one_clip_wait_for_the_same_conversion(stereo, conversions):
    clips = Clips(benches.load(stereo), ModelCard())

    async def at_once():
        return await asyncio.gather(*(clips.get("audio/1.wav") for _ in range(20)))

    assert len({clip.sha256 for clip in asyncio.run(at_once())}) == 1
    assert len(conversions) == 1
    clips.close()


def test_a_clip_replaced_while_it_is_converted_is_of_the_older_file_to_all_who_wait(stereo, monkeypatch):
    prepare_file, path, read, replaced = (
        running.prepare_file,
        stereo / "audio/1.wav",
        threading.Event(),
        threading.Event(),
    )

    def slowly(*given, **more):
        made = prepare_file(*given, **more)
        read.set()
        replaced.wait(10)
        return made

    monkeypatch.setattr(running, "prepare_file", slowly)
    clips, before = Clips(benches.load(stereo), ModelCard()), stat_of(path)

    async def go():
        first = asyncio.ensure_future(clips.get("audio/1.wav"))
        await asyncio.to_thread(read.wait, 10)
        path.write_bytes((stereo / "audio/2.wav").read_bytes())
        second = asyncio.ensure_future(clips.get("audio/1.wav"))
        await asyncio.sleep(0)
        replaced.set()
        return await asyncio.gather(first, second)

    assert [clip.file_stat for clip in asyncio.run(go())] == [before, before] != [stat_of(path)] * 2
    clips.close()


@pytest.mark.parametrize(("how", "threads"), [({}, 0), ({"rate": 44_100}, 1)])
def test_a_clip_that_is_sent_as_it_is_takes_no_thread(benchmark, monkeypatch, how, threads):
    pools, pool = [], running.ThreadPoolExecutor
    monkeypatch.setattr(running, "ThreadPoolExecutor", lambda *given: pools.append(given) or pool(*given))
    clips = Clips(benches.load(benchmark(1, **how)), ModelCard())
    assert asyncio.run(clips.get("audio/0.wav")).rate == 16_000
    assert len(pools) == threads
    clips.close()


def test_all_who_wait_for_a_broken_clip_are_told(stereo):
    (stereo / "audio" / "1.wav").write_bytes(b"no sound")
    clips = Clips(benches.load(stereo, absent=()), ModelCard())

    async def at_once():
        return await asyncio.gather(*(clips.get("audio/1.wav") for _ in range(5)), return_exceptions=True)

    assert [type(problem) for problem in asyncio.run(at_once())] == [UnreadableAudioError] * 5
    clips.close()


def test_one_who_gives_up_takes_nothing_from_the_others(stereo, monkeypatch):
    prepare_file = running.prepare_file
    monkeypatch.setattr(running, "prepare_file", lambda *a, **k: time.sleep(0.05) or prepare_file(*a, **k))
    clips = Clips(benches.load(stereo), ModelCard())

    async def go():
        first, second = (asyncio.ensure_future(clips.get("audio/1.wav")) for _ in range(2))
        await asyncio.sleep(0.01)
        first.cancel()
        return await second

    assert asyncio.run(go()).rate == 16_000
    clips.close()


def test_a_clip_that_fails_when_nobody_waits_any_more_is_told_to_nobody(stereo, monkeypatch, caplog):
    begun, given_up = threading.Event(), threading.Event()

    def fail(*_given, **_more):
        begun.set()
        given_up.wait(10)
        raise UnreadableAudioError("damaged")

    monkeypatch.setattr(running, "prepare_file", fail)
    clips = Clips(benches.load(stereo), ModelCard())

    async def go():
        only = asyncio.ensure_future(clips.get("audio/1.wav"))
        await asyncio.to_thread(begun.wait, 10)
        only.cancel()
        await asyncio.wait([only])
        given_up.set()
        await asyncio.wait(clips._coming.values())

    asyncio.run(go())
    gc.collect()  # asyncio complains of an error that nobody looked at once it is forgotten
    assert not caplog.records
    clips.close()


def test_no_more_threads_convert_than_there_are_processors(stereo, monkeypatch):
    prepare_file, under_way, most = running.prepare_file, [], []
    before = set(threading.enumerate())  # other tests may have left some

    def watched(*given, **more):
        under_way.append(threading.current_thread().name)
        most.append(len(under_way))
        time.sleep(0.01)
        under_way.pop()
        return prepare_file(*given, **more)

    monkeypatch.setattr(running, "prepare_file", watched)
    clips = Clips(benches.load(stereo), ModelCard())

    async def all_at_once():
        await asyncio.gather(*(clips.get(f"audio/{n}.wav") for n in range(8)))

    asyncio.run(all_at_once())
    assert max(most) <= processors()
    clips.close()
    assert not [thread for thread in set(threading.enumerate()) - before if thread.name.startswith("clips")]
