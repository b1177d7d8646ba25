"""The items of a report as JSON that is safe inside an HTML page."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import msgspec

from audiometry.choices import letter_of
from audiometry.choices.variant import PLAIN
from audiometry.files.secrets import Scrubber
from audiometry.records import Item
from audiometry.report.clips import ClipShelf
from audiometry.report.gather import RunView
from audiometry.report.ledger import RULED_KINDS
from audiometry.report.naming import positions
from audiometry.report.record_row import LONGEST, RULED, VERDICTS, WORDED, ReplyRow, reply_row
from audiometry.report.sent import Frame, Sent
from audiometry.report.taken import Taken
from audiometry.score.opened import kind_of

_UNSAFE = (
    (b"&", b"\\u0026"),
    (b"<", b"\\u003c"),
    (b">", b"\\u003e"),
    ("\u2028".encode(), b"\\u2028"),
    ("\u2029".encode(), b"\\u2029"),
)


class BriefItem(msgspec.Struct, omit_defaults=True):
    """What the page's list and its filters need of an item.

    Attributes:
        id, question, options, answer, tags: see `Item`.
        task: number in the page's list.
        kind: what an answer is: label, transcript, open; empty for questions with options.
        gold: place of the right option in the item's own order, from 0; -1 if not known.
        kinds: of its options, see `Item`; none where none is known.
    """

    id: str
    task: int
    question: str
    kind: str = ""
    options: tuple[str, ...] = ()
    gold: int = -1
    answer: str = ""
    kinds: tuple[str, ...] = ()
    tags: dict[str, str | int | float | bool | list[str]] = {}


class ItemRow(BriefItem, omit_defaults=True):
    """One item as the page's script finds it.

    Attributes:
        clips: numbers in the page's list.
        meta, source, licence, group: see `Item`.
        replies: `ReplyRow` each, by run and then by variant.
    """

    clips: tuple[int, ...] = ()
    meta: str = ""
    source: str = ""
    licence: str = ""
    group: str = ""
    replies: list[ReplyRow] = []


class TaskName(msgspec.Struct):
    """A task in the page's list."""

    name: str
    title: str


class Named(msgspec.Struct):
    """What the numbers in the items stand for.

    Attributes:
        runs, variants, tasks: names, and titles of tasks.
        aside: variants that no score is made of.
        verdicts: what can have become of a reply.
        prompts: frames of what was asked, see `Sent`.
        judges: who scored open answers, perhaps nobody; None where no item is open.
        kinds: of wrong options, what they are called for people.
        codes: of what is wrong with replies, likewise.
    """

    runs: list[str]
    variants: tuple[str, ...]
    aside: tuple[int, ...]
    verdicts: tuple[str, ...]
    tasks: list[TaskName]
    prompts: list[Frame]
    judges: tuple[str, ...] | None = None
    kinds: dict[str, str] = {}
    codes: dict[str, str] = {}


def safe(document: bytes) -> bytes:
    r"""JSON that no HTML parser takes for markup and no script parser for a new line.

    >>> safe(b'"</script>"')
    b'"\\u003c/script\\u003e"'
    """
    for character, escape in _UNSAFE:
        document = document.replace(character, escape)
    return document


def named(
    views: Sequence[RunView], variants: tuple[str, ...], tasks: list[TaskName], judges: Sequence[str], sent: Sent
) -> Named:
    """What the numbers in the items stand for.

    Args:
        views: the runs.
        variants: of all of them.
        tasks: of all of them.
        judges: who scored open answers.
        sent: has the frames of prompts, all of them once `items` is through.
    """
    own = {number for view in views for number in view.variants}
    kinds = frozenset[str]().union(*(view.kinds for view in views))
    there = {*(RULED if kinds & RULED_KINDS else ()), *(WORDED if kinds - RULED_KINDS else ())}
    there = there.union(*(view.replies.verdicts for view in views))
    return Named(
        [view.label for view in views],
        variants,
        tuple(number for number in range(len(variants)) if number not in own),
        tuple(verdict for verdict in VERDICTS if verdict in there),
        tasks,
        sent.frames,
        tuple(judges) if "open" in kinds else None,
        views[0].run.benchmark.card.distractors,
    )


def items(
    views: Sequence[RunView],
    names: Named,
    clips: ClipShelf,
    sent: Sent,
    taken: Taken,
    codes: Mapping[int, Mapping[str, str]],
) -> Iterator[bytes]:
    """A JSON document an item, safe inside a page; items, replies and clips are looked at once here, and counted.

    Args:
        views: the runs.
        names: what numbers stand for.
        clips: takes the items' clips.
        sent: tells what was sent for each reply.
        taken: counts the options that were chosen.
        codes: by number of a run and id of an item, what is wrong with its reply in the benchmark's own way.
    """
    at = views[0].run.benchmark.items.at
    tasks = {task.name: number for number, task in enumerate(names.tasks)}
    scrubber = Scrubber()  # of what a run folder of others may hold
    for position in positions(view.run for view in views):
        item, found = at(position), list[ReplyRow]()
        numbers = tuple(clips.number(name) for name in item.clips)
        for run, view in enumerate(views):
            for column, variant in enumerate(view.asked):
                if (kept := view.replies.look(position, column, item)) is not None:
                    found.append(reply_row(kept, run=run, variant=variant, verdicts=names.verdicts))
                    if run in codes and names.variants[variant] == PLAIN:
                        found[-1].code = codes[run].get(item.id, "")
                    if variant not in names.aside:
                        taken.see(item, run, kept)
                    if kept.record is not None:
                        sent.fill(found[-1], item, kept.record)
                        clips.heard(view.changed.of_own(column, kept.record, item))
        if found:
            yield encoded(_row(item, kind_of(views[0].run, item), found, tasks, numbers), scrubber)


def encoded(document: object, scrubber: Scrubber | None = None) -> bytes:
    """Anything as safe JSON; without secrets, if what takes them out is given."""
    found = msgspec.json.encode(document)
    return safe(found if scrubber is None else scrubber.document(found))


def _row(item: Item, kind: str, found: list[ReplyRow], tasks: Mapping[str, int], clips: tuple[int, ...]) -> ItemRow:
    known = item.answer is not None and bool(item.options)
    return ItemRow(
        id=item.id,
        task=tasks[item.task],
        question=item.question,
        kind="" if kind == "choice" else kind,
        options=item.options,
        gold=ord(letter_of(item.options, item.answer or "")) - ord("A") if known else -1,
        answer=_cut(item.answer or ""),
        kinds=item.kinds,
        clips=clips,
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
