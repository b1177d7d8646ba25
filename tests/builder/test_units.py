"""What is one cluster: clips of one group, and mixes that have one in common; groups are a source's own."""

import json
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from audiometry.bench.benchmark import Benchmark
from audiometry.bench.store import ItemList
from audiometry.builder.clip import Recording, SourceClip
from audiometry.builder.items import Made
from audiometry.builder.mixed_pairs import HowMixed, draw_pairs
from audiometry.builder.units import blocks, clusters, unit
from audiometry.records import Card, Item

SOURCE = Benchmark(source="x", card=Card(), root=Path(), items=ItemList([]), sha256="")
SPECIES = """
name = "species"
make = "label"
about = "species"
question = ["Which bird is heard?"]
"""
MIXED = """
name = "louder"
make = "label"
about = "louder"
source = "rows"
question = ["Which is louder?"]
mix = {with = "rain", offset = [0.5, 1]}
"""
RAIN = """
[[source]]
source = "csv"
path = "rain.csv"
name = "rain"
columns = {audio = "file", group = ["station"]}
facts = {caption = "caption"}
"""


def clip(name, group="", parts=(), span=None):
    recording = Recording(name, SOURCE, "", name.ljust(64, "0"), "wav", 1000, 1, 9000)
    return SourceClip(recording=recording, group=group, parts=parts, span=span)


@given(st.lists(st.tuples(st.integers(0, 12), st.integers(0, 12)), max_size=30), st.sets(st.integers(0, 12)))
def test_clusters_are_the_connected_parts_of_the_graph_of_mixes(pairs, singles):
    made = [Made(Item(id=f"m{k}"), clip(f"mix{k}", parts=(f"g{a}", f"g{b}"))) for k, (a, b) in enumerate(pairs)]
    made += [Made(Item(id=f"s{one}"), clip(f"r{one}", group=f"g{one}")) for one in sorted(singles)]
    graph = coo_array((np.ones(len(pairs)), ([a for a, _ in pairs], [b for _, b in pairs])), shape=(13, 13))
    _, part = connected_components(graph, directed=False)
    found = clusters(made)
    due = {f"m{k}": part[a] for k, (a, _) in enumerate(pairs)} | {f"s{one}": part[one] for one in singles}
    names = {name: {due[item] for item, its in found.items() if its == name} for name in found.values()}
    assert all(len(some) == 1 for some in names.values())
    assert len(names) == len({*due.values()})


def test_a_whole_recording_alone_is_its_own_cluster_and_one_of_which_there_are_spans_is_not():
    alone, whole, part = clip("a"), clip("b"), clip("b", span=(0.0, 1.0))
    found = clusters([Made(Item(id=name), one) for name, one in (("1", alone), ("2", whole), ("3", part))])
    assert found["1"] == ""
    assert found["2"] == found["3"] != ""


@pytest.mark.parametrize(("n_a", "n_b"), [(40, 8), (8, 40), (9, 9)])
def test_clips_are_mixed_within_blocks_so_that_as_many_clusters_stay_as_there_are_groups(n_a, n_b):
    a = [clip(f"a{k}", group=f"speaker {k % n_a}") for k in range(80)]
    b = [clip(f"b{k}", group=f"site {k % n_b}") for k in range(80)]
    found = blocks(a, b, sorted({unit(one) for one in (*a, *b)}))
    pairs = draw_pairs(a, b, 80, HowMixed(), seed=3, block=lambda one: found[unit(one)])
    made = [Made(Item(id=one.id), clip(one.id, parts=(unit(one.a), unit(one.b)))) for one in pairs]
    assert len({*clusters(made).values()}) == min(n_a, n_b)
    first = [one for one in pairs if one.plan.ahead == "a"]
    assert max(Counter(one.a.recording.name for one in first).values()) == 1  # none again before all have come
    anyhow = draw_pairs(a, b, 80, HowMixed(), seed=3)
    made = [Made(Item(id=one.id), clip(one.id, parts=(unit(one.a), unit(one.b)))) for one in anyhow]
    assert len({*clusters(made).values()}) < min(n_a, n_b)


def test_a_block_without_a_clip_that_will_do_takes_one_of_another():
    a = [clip("x", group="1"), clip("a2", group="2")]
    b = [clip("x", group="1"), clip("b2", group="2")]
    pairs = draw_pairs(a, b, 12, HowMixed(), seed=1, block=lambda one: int(one.group))
    assert all(one.a.recording.sha256 != one.b.recording.sha256 for one in pairs)


@pytest.fixture
def two(recordings, spec, cli, tmp_path, metadata):
    """Build of six clips of birds at three stations and four of rain at two that are called like two of these."""

    def make(*tasks, source="", rain=RAIN):
        recordings(10, seconds=2)
        rows = [{"file": f"birds/{k}.wav", "species": f"bird {k % 3}", "station": f"s{k % 3}"} for k in range(6)]
        lines = [f'"birds/{k}.wav","rain","s{k % 2}"' for k in range(6, 10)]
        (tmp_path / "rain.csv").write_text("\n".join(["file,caption,station", *lines]) + "\n")
        said = cli("build", spec(rows, rain, *tasks, source=source), "-o", tmp_path / "out")
        assert said.code == 0, said.err
        return metadata(tmp_path / "out")

    return make


def test_items_about_either_clip_of_a_mix_or_its_group_are_one_cluster(two):
    items = two(SPECIES, MIXED)
    of = {}
    for item in items:
        for name in item["provenance"]["file"].split(" + "):
            number = int(name.removeprefix("birds/").removesuffix(".wav"))
            station = f"rows s{number % 3}" if number < 6 else f"rain s{number % 2}"
            of.setdefault(station, set()).add(item["group"])
    assert all(len(groups) == 1 for groups in of.values())
    assert len({item["group"] for item in items}) == 2  # the two sites of the rain, each with speakers of its own


def test_equal_groups_of_two_sources_are_two_unless_the_spec_says_that_they_are_shared(two):
    caption = SPECIES.replace("species", "caption").replace("label", "given") + 'kind = "open"'
    assert {item["group"] for item in two(SPECIES, caption)} == {
        *("rows: s0", "rows: s1", "rows: s2"),
        *("rain: s0", "rain: s1"),
    }


def test_sources_may_share_their_groups(two):
    caption = SPECIES.replace("species", "caption").replace("label", "given") + 'kind = "open"'
    shared = 'groups = "stations"'
    items = two(SPECIES, caption, source=shared, rain=f"{RAIN}{shared}\n")
    assert {item["group"] for item in items} == {"s0", "s1", "s2"}


def test_two_groups_that_two_sources_give_one_clip_are_one(two, tmp_path, cli):
    two(SPECIES)
    (tmp_path / "rain.csv").write_text('file,caption,station\n"birds/0.wav","x","here"\n"birds/9.wav","x","here"\n')
    caption = SPECIES.replace("species", "caption").replace("label", "given") + 'kind = "open"'
    spec = tmp_path / "spec.toml"
    spec.write_text(spec.read_text() + f"[[task]]\n{caption}")
    found = cli("build", spec, "-o", tmp_path / "new", "--json")
    assert found.code == 0, found.err
    items = [json.loads(line) for line in (tmp_path / "new/metadata.jsonl").read_text().splitlines()]
    groups = {item["provenance"]["file"]: item["group"] for item in items}
    assert groups["birds/0.wav"] == groups["birds/3.wav"] == groups["birds/9.wav"] == "rows: s0"
