"""Pairs: what is balanced, what is within its range, and that a seed says all."""

from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from audiometry.bench.benchmark import Benchmark
from audiometry.bench.store import ItemList
from audiometry.builder.clip import Recording, SourceClip
from audiometry.builder.mixed_pairs import HowMixed, draw_pairs
from audiometry.errors import BenchmarkError
from audiometry.records import Card

SOURCE = Benchmark(source="x", card=Card(), root=Path(), items=ItemList([]), sha256="")


def clips(side, *seconds):
    return [
        SourceClip(recording=Recording(f"{side}{k}.wav", SOURCE, "", f"{side}{k}", "wav", 1000, 1, round(1000 * one)))
        for k, one in enumerate(seconds)
    ]


def apart(counts, names):
    return max(counts[name] for name in names) - min(counts[name] for name in names)


@given(n=st.integers(1, 300), equal=st.floats(0, 1), seed=st.integers(0, 99))
def test_labels_are_balanced_alone_and_together(n, equal, seed):
    pairs = draw_pairs(clips("a", 2, 5), clips("b", 3, 9), n, HowMixed(equal=equal), seed=seed)
    plans = [one.plan for one in pairs]
    assert len(plans) == n
    louder, ahead = Counter(one.louder for one in plans), Counter(one.ahead for one in plans)
    joint = Counter((one.louder, one.ahead) for one in plans)
    assert apart(louder, "ab") <= 1
    assert apart(ahead, "ab") <= 1
    assert apart(joint, [(x, y) for x in "ab" for y in "ab"]) <= 1
    assert apart(joint, [("equal", "a"), ("equal", "b")]) <= 1
    assert apart(joint, [("a", "equal"), ("b", "equal")]) <= 1
    assert louder["equal"] == ahead["equal"] == round(n * equal)


@given(
    seconds=st.lists(st.floats(0.7, 60), min_size=2, max_size=8),
    by=st.tuples(st.floats(3, 30), st.floats(3, 30)).map(sorted),
    offset=st.tuples(st.floats(0.5, 0.55), st.floats(0.6, 50)),
    seed=st.integers(0, 99),
)
def test_levels_and_offsets_are_within_their_ranges(seconds, by, offset, seed):
    by = (round(by[0], 2), round(by[1], 2))
    for one in draw_pairs(clips("a", *seconds), clips("b", *seconds), 40, HowMixed(by=by, offset=offset), seed=seed):
        plan = one.plan
        if plan.louder == "equal":
            assert plan.level_difference_db == 0
        else:
            assert 3 <= by[0] <= plan.level_difference_db <= by[1]
        if plan.ahead == "equal":
            assert plan.offset_s == 0
        else:
            first = one.a if plan.ahead == "a" else one.b
            assert offset[0] <= plan.offset_s <= offset[1]
            assert 0.5 <= plan.offset_s < 0.8 * first.duration_s


def test_a_seed_says_all_and_another_says_something_else():
    draw = lambda seed: draw_pairs(clips("a", 2, 3, 4), clips("b", 2, 3, 4), 30, HowMixed(), seed=seed)  # noqa: E731
    told = lambda pairs: [(one.a.key, one.b.key, one.plan) for one in pairs]  # noqa: E731
    assert told(draw(1)) == told(draw(1)) != told(draw(2))


def test_clips_come_in_rounds_and_never_with_themselves():
    some = clips("a", 2, 3, 4, 5, 6)
    pairs = draw_pairs(some, some, 50, HowMixed(equal=1), seed=4)
    assert all(one.a.key != one.b.key for one in pairs)
    assert set(Counter(one.a.key for one in pairs).values()) == {10}


def test_a_clip_too_short_to_start_first_never_does():
    pairs = draw_pairs(clips("a", 0.6, 0.62, 4), clips("b", 2), 60, HowMixed(), seed=1)
    assert {one.a.recording.name for one in pairs if one.plan.ahead == "a"} == {"a2.wav"}
    assert len({one.a.recording.name for one in pairs if one.plan.ahead == "b"}) == 3
    with pytest.raises(BenchmarkError, match=r"source a has no clip longer than 0\.625 s, so that the other can start"):
        draw_pairs(clips("a", 0.6), clips("b", 2), 60, HowMixed(), seed=1)


def test_one_clip_is_no_pair():
    some = clips("a", 2)
    with pytest.raises(BenchmarkError, match="source b has no clip but the one it would be mixed with; add some"):
        draw_pairs(some, some, 3, HowMixed(equal=1), seed=1)
    with pytest.raises(BenchmarkError, match="source b has no clip; add some"):
        draw_pairs(some, [], 3, HowMixed(equal=1), seed=1)
