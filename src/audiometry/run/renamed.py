"""Replies found again under another name: a renamed item or a moved wording asks the same about the same clips."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from typing import TypeAlias

import msgspec

from audiometry.choices.variant import SILENCE, TEXT_ONLY, asked, has_own_clip
from audiometry.files.run_folder import RunFolder
from audiometry.records import ReplyRecord
from audiometry.run.standing import Stands

BY_ALL = frozenset({SILENCE, TEXT_ONLY})
"""Variants without the clip that send the same whatever the item's id; the others draw something else by another."""

Draw: TypeAlias = tuple[object, ...]


def renamed(
    own: RunFolder, folder: RunFolder, wanted: AbstractSet[tuple[str, str]], stands: Stands
) -> Iterator[ReplyRecord]:
    """Replies to items that are no more, under the ids of those that are asked the very same.

    Each serves once, however often a run is gone on with: items that look the same need a reply each.

    Args:
        own: the folder of the run; what was taken over before stands there.
        folder: where to look.
        wanted: item and variant of what is missing.
        stands: whether a reply answers what would be asked now.

    Raises:
        RunFolderError: a line is not what it should be.
    """
    gone: dict[tuple[str, str], ReplyRecord] = {}
    for record in folder.lines():
        if record.error is None and _for_any_id(record.variant) and not stands.knows(record.item):
            gone[record.item, record.variant] = record
    if not gone:
        return
    used = Counter(_draw(record) for record in own.lines() if record.error is None and stands.knows(record.item))
    missing: dict[tuple[str, str, str], list[str]] = defaultdict(list)
    for item, variant in sorted(wanted, reverse=True):
        missing[stands.shape(item, variant)].append(item)
    for record in gone.values():
        draw = _draw(record)
        if used[draw]:
            used[draw] -= 1
            continue
        shape = (record.variant, record.prompt_sha256, record.file_sha256 or record.audio_sha256)
        if items := missing.get(shape):
            again = msgspec.structs.replace(record, item=items[-1])
            if stands(again, words=True, unknown=False):
                items.pop()
                yield again


def reworded(
    own: RunFolder, folder: RunFolder, wanted: AbstractSet[tuple[str, str]], stands: Stands
) -> Iterator[ReplyRecord]:
    """Replies to wordings that have another place in the card now, under the variants that ask in their words.

    Each serves once, and as the repeat it was, in the order of options it was.

    Args:
        own: the folder of the run; a reply that stands in it serves there already.
        folder: where to look.
        wanted: item and variant of what is missing.
        stands: whether a reply answers what would be asked now.

    Raises:
        RunFolderError: a line is not what it should be.
    """
    missing: dict[tuple[str, int, int], list[str]] = defaultdict(list)
    for item, variant in sorted(wanted):
        if (way := asked(variant)) is not None:
            missing[item, way.order, way.repeat].append(variant)
    used: set[Draw] = set()
    for record in folder.lines():
        way = asked(record.variant)
        if record.error is not None or way is None:
            continue
        for variant in missing.get((record.item, way.order, way.repeat), ()):
            again = msgspec.structs.replace(record, variant=variant)
            if (record.item, variant) in wanted and stands(again, words=True, unknown=False):
                used = used or {
                    _of_item(one) for one in own.lines() if not one.error and stands(one, words=True, unknown=True)
                }
                if _of_item(record) not in used:
                    used.add(_of_item(record))
                    yield again
                break


def _of_item(record: ReplyRecord) -> Draw:
    return record.item, *_draw(record)[1:]


def _for_any_id(variant: str) -> bool:
    return has_own_clip(variant) or variant in BY_ALL


def _draw(record: ReplyRecord) -> Draw:
    """What a reply keeps when it is copied to another id or folder."""
    return (
        record.variant,
        record.prompt_sha256,
        record.audio_sha256,
        record.file_sha256,
        record.text,
        record.at,
        record.latency_s,
        record.attempts,
    )
