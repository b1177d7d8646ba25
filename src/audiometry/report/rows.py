"""The items of a report as JSON that is safe inside an HTML page."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import msgspec

from audiometry.choices import letter_of
from audiometry.records import Item
from audiometry.report.clips import ClipEntry
from audiometry.report.record_row import LONGEST
from audiometry.report.views import VERDICTS, Shown, positions

_UNSAFE = (
    (b"&", b"\\u0026"),
    (b"<", b"\\u003c"),
    (b">", b"\\u003e"),
    ("\u2028".encode(), b"\\u2028"),
    ("\u2029".encode(), b"\\u2029"),
)


OUTCOMES = tuple(verdict.value for verdict in VERDICTS)


class ItemRow(msgspec.Struct, omit_defaults=True):
    """One item as the page's script finds it.

    Attributes:
        id, question, options, answer, tags, meta, source, licence, group: see `Item`.
        task: number in the page's list.
        gold: place of the right option in the item's own order, from 0; -1 if not known.
        clips: numbers in the page's list.
        replies: `ReplyRow` each, by run and then by variant.
    """

    id: str
    task: int
    question: str
    options: tuple[str, ...] = ()
    gold: int = -1
    answer: str = ""
    clips: tuple[int, ...] = ()
    tags: dict[str, str | int | float | bool | list[str]] = {}
    meta: str = ""
    source: str = ""
    licence: str = ""
    group: str = ""
    replies: list[msgspec.Raw] = []


class TaskName(msgspec.Struct):
    """A task in the page's list."""

    name: str
    title: str


class Named(msgspec.Struct):
    """What the numbers in the items stand for.

    Attributes:
        runs, variants, tasks: names, and titles of tasks.
        without_clip: variants that no score is made of.
        verdicts: what can have become of a reply.
        judges: who scored open answers, perhaps nobody; None for items with options.
    """

    runs: list[str]
    variants: tuple[str, ...]
    without_clip: tuple[int, ...]
    verdicts: tuple[str, ...]
    tasks: list[TaskName]
    judges: tuple[str, ...] | None = None


def safe(document: bytes) -> bytes:
    r"""JSON that no HTML parser takes for markup and no script parser for a new line.

    >>> safe(b'"</script>"')
    b'"\\u003c/script\\u003e"'
    """
    for character, escape in _UNSAFE:
        document = document.replace(character, escape)
    return document


def names(
    views: Sequence[Shown],
    variants: tuple[str, ...],
    tasks: list[TaskName],
    *,
    verdicts: tuple[str, ...] = OUTCOMES,
    judges: tuple[str, ...] | None = None,
) -> bytes:
    """What the numbers stand for, as safe JSON; see `Named`."""
    own = {number for view in views for number in view.variants}
    without_clip = tuple(number for number in range(len(variants)) if number not in own)
    found = Named([view.label for view in views], variants, without_clip, verdicts, tasks, judges)
    return safe(msgspec.json.encode(found))


def items(views: Sequence[Shown], tasks: Mapping[str, int], clips: Mapping[str, int]) -> Iterator[bytes]:
    """One JSON array of all items, piece by piece."""
    encode = msgspec.json.Encoder().encode
    planned = [set(view.run.positions) for view in views]
    yield b"["
    for i, position in enumerate(positions(views)):
        item = views[0].run.benchmark.items.at(position)
        found: list[msgspec.Raw] = []
        for run, view in enumerate(views):
            if position in planned[run]:
                asked = view.asked if item.clips else view.variants
                found += [msgspec.Raw(view.row(position, variant, run)) for variant in asked]
        yield (b",\n" if i else b"\n") + safe(encode(_row(item, found, tasks, clips)))
    yield b"]"


def clip_entries(entries: list[ClipEntry]) -> bytes:
    """The clips' list as safe JSON."""
    return safe(msgspec.json.encode(entries))


def _row(item: Item, found: list[msgspec.Raw], tasks: Mapping[str, int], clips: Mapping[str, int]) -> ItemRow:
    known = item.answer is not None and bool(item.options)
    return ItemRow(
        id=item.id,
        task=tasks[item.task],
        question=item.question,
        options=item.options,
        gold=ord(letter_of(item.options, item.answer or "")) - ord("A") if known else -1,
        answer=_cut(item.answer or ""),
        clips=tuple(clips[name] for name in item.clips),
        tags=item.tags,
        meta=_cut(item.meta),
        source=item.source,
        licence=item.licence,
        group=item.group,
        replies=found,
    )


def _cut(text: str) -> str:
    """A text of the benchmark's, at most `LONGEST` characters of it."""
    left = len(text) - LONGEST
    return text if left <= 0 else f"{text[:LONGEST]} … ({left:,} more characters are in the benchmark)"
