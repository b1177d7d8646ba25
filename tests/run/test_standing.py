"""Which replies stand, told from a line of them and the files that are there now."""

import hashlib
import json

import pytest

from audiometry import bench as benches
from audiometry.choices.variant import OTHER_CLIP
from audiometry.files.stamp import stat_of
from audiometry.records import ModelCard
from audiometry.run import layout
from audiometry.run.plan import Plan
from audiometry.run.standing import Line, Stands


def plan_of(folder, variant="plain"):
    loaded = benches.load(folder, absent=())  # clips are looked at when their turn comes
    return Plan(loaded, loaded.select(), (variant,), layout.stamp("ours", "audio-first"), ModelCard(), 0)


@pytest.fixture
def plan(benchmark):
    """Two items, the first about one clip, the second about two."""
    folder = benchmark(3)
    rows = [json.loads(line) for line in (folder / "metadata.jsonl").read_text().splitlines()]
    rows[1]["file_names"] = [rows[1].pop("file_name"), "audio/2.wav"]
    (folder / "metadata.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows[:2]))
    return plan_of(folder)


def files(plan, *numbers):
    """Hashes and states of clips."""
    paths = [plan.benchmark.root / "audio" / f"{n}.wav" for n in numbers]
    return [hashlib.sha256(path.read_bytes()).hexdigest() for path in paths], [stat_of(path) for path in paths]


def stands(plan, item, hashes, stats, **more):
    line = Line(item=item, audio_sha256="+".join(hashes), file_stat="+".join(stats), **more)
    return Stands(plan)(line, words=False, unknown=True)


def test_as_many_clips_as_the_item_has(plan):
    (first, *_), (first_stat, *_) = files(plan, 0)
    both, both_stats = files(plan, 1, 2)
    assert stands(plan, "i0", [first], [first_stat])
    assert stands(plan, "i1", both, both_stats)
    assert not stands(plan, "i0", [first, both[0]], [first_stat])  # what they share is the same
    assert not stands(plan, "i0", [first], [first_stat, both_stats[0]])
    assert not stands(plan, "i1", both[:1], both_stats)
    assert not stands(plan, "i1", both, both_stats[:1])
    assert not stands(plan, "i1", both[:1], both_stats[:1])
    assert not stands(plan, "gone", [first], [first_stat])


@pytest.fixture
def in_place(benchmark):
    """A plan in which others' clips stand in, an item, and the files of its first and second candidate and its own."""
    plan = plan_of(benchmark(4), OTHER_CLIP)
    item = plan.benchmark.item("i0")
    first, second, *_ = plan.others.candidates(item)
    return plan, item.id, *(plan.benchmark.root / name for one in (first, second, item) for name in one.clips)


def stood_in(plan, item, path):
    sha256 = hashlib.sha256(path.read_bytes()).hexdigest()
    return stands(plan, item, [sha256], [stat_of(path)], variant=OTHER_CLIP)


def test_the_first_clip_that_can_stand_in_is_the_one_that_would_be_sent(in_place):
    plan, item, first, second, own = in_place
    assert stood_in(plan, item, first)
    assert not stood_in(plan, item, second)
    assert not stood_in(plan, item, own)


@pytest.mark.parametrize("how", ["broken", "the item's own"])
def test_a_clip_that_cannot_stand_in_is_passed_over(in_place, how):
    plan, item, first, second, own = in_place
    first.write_bytes(own.read_bytes() if how == "the item's own" else first.read_bytes()[:-40])
    assert stood_in(plan, item, second)
