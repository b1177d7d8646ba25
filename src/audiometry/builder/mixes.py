"""Mixes of the clips of two sources: clips of which is known what is of both, which is louder and which ahead."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Final

from msgspec.structs import replace

from audiometry import seeds
from audiometry.audio.mixed_file import MixRecord
from audiometry.bench import Benchmark
from audiometry.bench.store import ItemList
from audiometry.builder import items
from audiometry.builder.clip import Recording, SourceClip
from audiometry.builder.gather import recording_of
from audiometry.builder.heard import Heard
from audiometry.builder.mixed_pairs import DrawnPair, draw_pairs
from audiometry.builder.mixed_set import Failed, mix_all
from audiometry.builder.private import Private
from audiometry.builder.spec import Spec, TaskSpec
from audiometry.builder.units import blocks, unit
from audiometry.errors import AudioError
from audiometry.files.build_folder import MIXED, Rejected
from audiometry.records import Card

SPARE: Final = 1.2
"""How many mixes are made for each item that is wanted, since some may not be kept."""
MOST: Final = 3
"""Mixes for each item that is wanted, after which no more are made: pairs of clips do not come to an end."""
LOUDER, AHEAD = "louder", "ahead"


def mixed(
    spec: Spec,
    task: TaskSpec,
    clips: Sequence[SourceClip],
    folder: Path | None,
    private: Private,
    heard: Heard,
    batch: int = 0,
    wanted: int = 0,
) -> tuple[list[SourceClip], list[Rejected]]:
    """The mixes of a task, and the pairs that cannot be mixed.

    Args:
        spec: of the build.
        task: that wants mixes.
        clips: of all sources, of the splits that it uses.
        folder: of what the build keeps; None: of a dry run, in which nothing is mixed.
        private: values that nobody is told.
        heard: what is known of the recordings.
        batch: which time mixes are made for it, counted from 0.
        wanted: how many items they are for; 0: one of each clip of its source.

    Raises:
        BenchmarkError: no clip is long enough to start first, or there are no two different clips.
        StorageError: the disk refused.
    """
    assert task.mix is not None  # noqa: S101  for the type
    pairs = list[DrawnPair]()
    for split in dict.fromkeys(one.split for one in clips):
        a, b = (
            [one for one in clips if (one.source, one.split) == (name, split)] for name in (task.source, task.mix.other)
        )
        if a and b:
            share = sum(one.split == split for one in clips) / len(clips)
            n = math.ceil(SPARE * wanted * share) if wanted else len(a)
            seed = seeds.number(spec.seed, "build", "mixes", str(batch)) if batch else spec.seed
            for pair in draw_pairs(a, b, n, task.mix, seed=seed, block=_blocks(a, b, seed)):
                name = "-".join(filter(None, (split, f"{batch}" if batch else "", pair.id)))
                pairs.append(replace(pair, id=name, a=_known(pair.a, heard), b=_known(pair.b, heard)))
    if folder is None:
        return [_clip(pair, replace(pair.a.recording, sha256=pair.id), private, batch) for pair in pairs], []
    place = folder / MIXED / str(spec.task.index(task))
    return _made(pairs, place, task, private, batch)


def _blocks(a: Sequence[SourceClip], b: Sequence[SourceClip], seed: int) -> Callable[[SourceClip], int]:
    order = seeds.stream(seed, "build", "blocks").shuffled(sorted({unit(one) for one in (*a, *b)}))
    found = blocks(a, b, order)
    return lambda clip: found[unit(clip)]


def _made(
    pairs: Sequence[DrawnPair], place: Path, task: TaskSpec, private: Private, batch: int
) -> tuple[list[SourceClip], list[Rejected]]:
    of = Benchmark(source=str(place), card=Card(), root=place, items=ItemList([]), sha256="")
    found, rejected = list[SourceClip](), list[Rejected]()
    for pair, record in zip(pairs, mix_all(pairs, place, private=[private]), strict=True):
        try:
            if isinstance(record, Failed):
                raise AudioError(record.error)  # noqa: TRY301  as one that cannot be read
            found.append(_clip(pair, recording_of(of, record.file_name), private, batch, record))
        except AudioError as problem:
            reason = "holds a private value" if private.told([str(problem)]) else str(problem)
            where = items.where(_clip(pair, pair.a.recording, private, batch))
            rejected.append(Rejected(rule="not-mixed", reason=reason, task=task.name, where=where))
    return found, rejected


def _clip(
    pair: DrawnPair, recording: Recording, private: Private, batch: int, record: MixRecord | None = None
) -> SourceClip:
    a, b, plan = pair.a, pair.b, pair.plan
    names = {"a": a.source, "b": b.source, "equal": "equal"}
    made = {
        "file": _files(pair, private),
        "mix": f"{names[plan.louder]} louder by {plan.level_difference_db:g} LU, {names[plan.ahead]} ahead by "
        f"{plan.offset_s:g} s",
    }
    if record is not None:
        made["gain_db"] = f"{record.gain_db['a']:g}, {record.gain_db['b']:g}"
    return SourceClip(
        recording=recording,
        source=_both(pair, "source"),
        rows=_both(pair, "rows"),
        group=unit(a),
        split=a.split,
        facts={**dict(_facts(pair)), LOUDER: (names[plan.louder],), AHEAD: (names[plan.ahead],)},
        licence=" and ".join(dict.fromkeys(filter(None, (a.licence, b.licence)))),
        batch=batch,
        parts=tuple(dict.fromkeys(map(unit, (a, b)))),
        made_of=made,
    )


def _known(clip: SourceClip, heard: Heard) -> SourceClip:
    """A clip with all that is true of it, by the rows of others that overlap it too."""
    names = dict.fromkeys(name for one in heard.overlapping(clip) for name in one.facts)
    return replace(clip, facts={name: heard.true_of(clip, name) for name in names})


def _facts(pair: DrawnPair) -> Iterator[tuple[str, tuple[str, ...]]]:
    """What is known of either; of what is known of both, whose it is."""
    a, b = pair.a.facts, pair.b.facts
    for name in dict.fromkeys((*a, *b)):
        if a.get(name) and b.get(name):
            yield f"{name} of {pair.a.source}", a[name]
            yield f"{name} of {pair.b.source}", b[name]
        else:
            yield name, a.get(name) or b.get(name) or ()


def _files(pair: DrawnPair, private: Private) -> str:
    names = pair.a.recording.name, pair.b.recording.name
    return "" if private.told(names) else " + ".join(names)


def _both(pair: DrawnPair, what: str) -> str:
    return f"{getattr(pair.a, what)} + {getattr(pair.b, what)}"
