"""Build ``mini/chat`` from the clips of mini that stand in the folder: ``python -m recipes.mini.chat``."""

from __future__ import annotations

import argparse
import hashlib
import io
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path

import msgspec
import numpy as np
import soundfile
from recipes.mini import chat_words, overlay
from recipes.mini.build import TARGET
from recipes.mini.draft import STRENGTH, Samples

from audiometry import bench
from audiometry.records import Item

HERE = Path(__file__).parent
ITEMS = HERE / "chat.toml"
CARD, METADATA, ATTRIBUTION, CLIPS = "chat.toml", "chat.jsonl", "ATTRIBUTION-chat.md", "mixed"
OTHERS = {"speech_and_sound_chat": "sound", "speech_and_music_chat": "music"}
PREFACE = """\
# Where the clips of mini/chat come from

Written by `recipes/mini`. Clips in `audio/` are those of mini, and `ATTRIBUTION.md` tells of them. Each clip in
`mixed/` is two of them laid over each other: resampled to 24 kHz, silent edges cut, one of the two lowered, rounded
to 16 bits and kept as FLAC, without further loss. The recordings behind the two, their authors and what was done to
them before are those that `ATTRIBUTION.md` gives for them; a mix is under the stricter of their licences. Nobody
named there endorses audiometry or this benchmark. The questions, answers and descriptions are audiometry's own and
are under its licence (Apache-2.0).

| clip | licence | made from | by |
|---|---|---|---|
"""


@dataclass(frozen=True)
class Entry:
    """One item as it is written by hand; see ``chat.toml``."""

    task: str
    number: int
    question: str
    answer: str
    sources: tuple[str, ...]
    above_db: float
    later_s: float

    @property
    def id(self) -> str:
        """Of the item."""
        return f"mini/chat/{self.task}/{self.number:04d}"


def entries(path: Path = ITEMS) -> list[Entry]:
    """All items, the tasks taking turns, so that any first part of them is a balanced set."""
    tasks = tomllib.loads(path.read_text("utf-8"))
    rows = [
        [
            Entry(
                task=task,
                number=number,
                question=row["question"],
                answer=row["answer"],
                sources=(row["clip"],) if "clip" in row else (row["speech"], row["other"]),
                above_db=float(row.get("above_db", 0)),
                later_s=float(row.get("later_s", 0)),
            )
            for number, row in enumerate(of_task, 1)
        ]
        for task, of_task in tasks.items()
    ]
    return [entry for row in zip_longest(*rows) for entry in row if entry is not None]


def plain(entry: Entry, source: Item) -> Item:
    """An item on a clip of mini as it is."""
    return Item(
        id=entry.id,
        task=entry.task,
        question=entry.question,
        file_name=source.file_name,
        answer=entry.answer,
        tags={"sources": [source.id]},
        meta=chat_words.described(source),
        source=source.source,
        licence=source.licence,
        sha256=source.sha256,
        group=source.group,
    )


def lossless(samples: Samples) -> bytes:
    """A mix, ``float[n]`` between -1 and 1, as FLAC: rounded here, to 16 bits, and nowhere else.

    Another processor decodes and resamples the two clips to numbers that differ by parts in a million: a sample may
    then round the other way, and the encoder, which changes none, may write it in other bytes.
    """
    buffer = io.BytesIO()
    whole = np.rint(samples * 32767).astype(np.int16)
    soundfile.write(buffer, whole, overlay.RATE, format="FLAC", subtype="PCM_16", compression_level=1.0)
    return buffer.getvalue()


def mixed(entry: Entry, folder: Path, speech: Item, other: Item) -> tuple[Item, bytes]:
    """An item on two clips of mini laid over each other, and the bytes of its clip."""
    kind = OTHERS[entry.task]
    above_db, later_s = entry.above_db, entry.later_s
    samples, said, heard = overlay.overlay(
        soundfile.read(folder / speech.file_name), soundfile.read(folder / other.file_name),
        above_db=above_db, later_s=later_s,
    )  # fmt: skip
    data = lossless(samples)
    item = Item(
        id=entry.id,
        task=entry.task,
        question=entry.question,
        file_name=f"{CLIPS}/{speech.sha256[:6]}-{other.sha256[:6]}.flac",
        answer=entry.answer,
        tags={
            "louder": "equal" if not above_db else "speech" if above_db > 0 else kind,
            "ahead": "equal" if not later_s else kind if later_s > 0 else "speech",
            "level_difference": abs(above_db),
            "offset_s": abs(later_s),
            "sources": [speech.id, other.id],
        },
        meta=chat_words.mixed(
            chat_words.described(speech, said.shift_s),
            chat_words.described(other, heard.shift_s),
            kind,
            above_db=above_db,
            later_s=later_s,
        ),
        source=f"{speech.source}; {other.source}",
        licence=max((speech.licence, other.licence), key=STRENGTH.index),
        sha256=hashlib.sha256(data).hexdigest(),
        group=other.group,
    )
    return item, data


def authors(folder: Path) -> dict[str, str]:
    """Who made each clip of mini, as its attribution says."""
    rows = re.findall(
        r"^\| (audio/\S+) \|.*\| ([^|]+) \|$", (folder / "ATTRIBUTION.md").read_text("utf-8"), re.MULTILINE
    )
    return dict(rows)


def attribution(items: Sequence[Item], known: Mapping[str, Item], by: Mapping[str, str]) -> str:
    """The text of the attribution: a line for each clip that was mixed."""
    lines = []
    for item in sorted((i for i in items if i.task in OTHERS), key=lambda i: i.file_name):
        names = [known[str(source)].file_name for source in item.tags["sources"]]  # type: ignore[union-attr]
        who = "; ".join(dict.fromkeys(by[name] for name in names))
        lines.append(f"| {item.file_name} | {item.licence} | {' and '.join(names)} ({item.source}) | {who} |\n")
    return PREFACE + "".join(lines)


def build(folder: Path, target: Path) -> list[Item]:
    """All items, made and written.

    Args:
        folder: where mini stands.
        target: where card, metadata, attribution and mixed clips go; clips of an earlier build go away.
    """
    known = {item.id: item for item in bench.load(folder.resolve())}
    items, clips = [], {}
    for entry in entries():
        sources = [known[f"mini/{name}"] for name in entry.sources]
        if entry.task in OTHERS:
            item, clips[item.file_name] = mixed(entry, folder, *sources)
        else:
            item = plain(entry, sources[0])
        items.append(item)
    (target / CLIPS).mkdir(parents=True, exist_ok=True)
    for old in (target / CLIPS).iterdir():
        old.unlink()
    for name, data in clips.items():
        (target / name).write_bytes(data)
    encoder = msgspec.json.Encoder()
    (target / METADATA).write_bytes(b"".join(encoder.encode(item) + b"\n" for item in items))
    (target / CARD).write_text((HERE / "shipped" / CARD).read_text("utf-8"), "utf-8")
    (target / ATTRIBUTION).write_text(attribution(items, known, authors(folder)), "utf-8")
    return items


def main() -> None:
    """Read the command line and build."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mini", type=Path, default=TARGET, help="the folder of mini")
    parser.add_argument("--out", type=Path, default=None, help="where to write; beside mini if not given")
    given = parser.parse_args()
    target = given.out or given.mini
    items = build(given.mini, target)
    size = sum(path.stat().st_size for path in (target / CLIPS).iterdir())
    print(f"{len(items)} items, {size / 1000:.0f} kB of mixed clips in {target}")


if __name__ == "__main__":
    main()
