"""AIR-Bench chat: open questions on speech, sound, music and mixed audio, in the layout of their release.

``meta_info``, the description that a judge reads in place of the audio, is opaque text and is kept word for word.
A row without one can be asked and is kept, but it is counted and its clip is named, since a judge will miss it.

Source: AIR-Bench (arXiv 2402.07729) and the layout of its published data.
"""

from __future__ import annotations

import os
from pathlib import Path

import msgspec

from audiometry.bench import airbench_layout as layout
from audiometry.bench import airbench_meta
from audiometry.bench.benchmark import Benchmark
from audiometry.bench.store import ItemList
from audiometry.files import foreign
from audiometry.records import Item, Task

MOST_NAMED = 5
MIXED = frozenset({"speech_and_sound_QA", "speech_and_music_QA"})
NOTHING = msgspec.Raw(b"null")


class _Row(layout.Row):
    meta_info: msgspec.Raw = NOTHING

    def __post_init__(self) -> None:
        """A description that is not text is an error of the row.

        Raises:
            UndecodableError: it is not UTF-8.
        """
        foreign.text(bytes(self.meta_info))

    @property
    def description(self) -> str:
        """The string as it is; anything else as its JSON text; empty for null and for blanks."""
        raw = bytes(self.meta_info)
        if raw.startswith(b'"'):
            text = foreign.json(raw, str)
            return text if text.strip() else ""
        return "" if raw in {b"null", b"{}", b"[]"} else msgspec.json.format(raw, indent=-1).decode()


def load(data: Path | None) -> Benchmark:
    """The chat part of AIR-Bench, from a folder in its released layout.

    Reads the metadata and lists the folders; reads no audio, so a corrupt clip becomes an item and fails when it is
    asked about. Items on one file of a data set are one group, in whichever task they are. Tags: ``folder``,
    ``dataset``, and what `audiometry.bench.airbench_meta.tags` finds in the description.

    Args:
        data: the folder that holds ``Chat/``, or that folder itself; parquet copies in it are read as well.

    Raises:
        UsageError: no folder was given.
        BenchmarkError: the folder is not the release, or its metadata are not a JSON array.
    """
    loaded = layout.load(CHAT, data)
    loaded.items = ItemList([_tagged(item) for item in loaded])
    return loaded


def _tagged(item: Item) -> Item:
    facts = airbench_meta.tags(item.meta, mixed=item.task in MIXED)
    return msgspec.structs.replace(item, tags=item.tags | facts)


def _flaw(row: _Row) -> str:
    return "" if row.answer_gt.strip() else "no reference answer"


def _lacks(row: _Row) -> str:
    return "" if row.description else "without meta_info"


def _item(row: _Row, clip: str) -> Item:
    return Item(
        id=row.name,
        task=row.task_name,
        question=row.question,
        file_name=clip,
        answer=row.answer_gt,
        tags={"folder": row.folder, "dataset": row.dataset_name},
        meta=row.description,
        source=f"AIR-Bench, {row.dataset_name}",
        licence=layout.LICENCE,
        group=f"{row.dataset_name}/{os.path.splitext(row.path)[0]}",  # noqa: PTH122  a string is enough
    )


CHAT = layout.Part(
    id="airbench/chat",
    root="Chat",
    row=_Row,
    task=Task(name="any", kind="open"),
    flaw=_flaw,
    item=_item,
    lacks=_lacks,
    named=MOST_NAMED,
)
BENCHMARKS = {CHAT.id: load}
