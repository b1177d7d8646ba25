"""Which clips overlap: found by a sweep, and the same that a look at every pair finds."""

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from audiometry.bench.benchmark import Benchmark
from audiometry.bench.store import ItemList
from audiometry.builder.clip import Recording, SourceClip
from audiometry.builder.heard import Heard
from audiometry.records import Card

SOURCE = Benchmark(source="x", card=Card(), root=Path(), items=ItemList([]), sha256="")
SPANS = st.none() | st.tuples(st.integers(0, 8), st.integers(1, 4)).map(lambda one: (one[0] / 1, one[0] + one[1] / 1))


def clip(span, channel=0, name="a"):
    return SourceClip(recording=Recording(name, SOURCE, "", name, "wav", 1000, 2, 12_000), span=span, channel=channel)


@given(st.sets(st.tuples(SPANS, st.integers(0, 2), st.sampled_from("ab")), max_size=20), SPANS, st.integers(0, 2))
def test_a_sweep_finds_what_a_look_at_every_pair_finds(some, span, channel):
    clips = [clip(*one) for one in some]
    heard = Heard(clips)
    for one in (*clips, clip(span, channel)):
        due = [other.key for other in clips if other.overlaps(one)]
        found = [other.key for other in heard.overlapping(one)]
        known = any(other.recording.sha256 == one.recording.sha256 for other in clips)
        assert sorted(found) == (sorted(due) if known else [one.key])


def test_one_long_clip_beside_many_short_ones_costs_a_look_at_each(monkeypatch):
    clips = [clip(None), *(clip((k / 200, (k + 1) / 200)) for k in range(2000))]
    looks = []
    real = SourceClip.overlaps
    monkeypatch.setattr(SourceClip, "overlaps", lambda one, other: looks.append(1) or real(one, other))
    heard = Heard(clips)
    assert [len([*heard.overlapping(one)]) for one in clips] == [2001] + [2] * 2000
    assert len(looks) <= 2 * len(clips)
