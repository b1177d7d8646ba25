"""Candidates to items: ids, provenance, options in balanced places, and what no item may be."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

import msgspec
from msgspec.structs import replace

from audiometry import seeds
from audiometry.bench import rules
from audiometry.builder.clip import SourceClip
from audiometry.builder.make import Candidate, Hand, Unfit
from audiometry.builder.private import Private, texts_in
from audiometry.errors import shown
from audiometry.files.build_folder import Rejected
from audiometry.records import Item, Task

LONGEST_TAG: Final = 100  # characters of a fact that is kept for slicing


class Made(msgspec.Struct, frozen=True):
    """An item and its clip, which is no file of the benchmark yet; of its stratum as many are wanted as of others."""

    item: Item
    clip: SourceClip
    stratum: str = ""


def item_id(clip: SourceClip, task: str, question: str) -> str:
    """The id of an item: it depends on its clip's bytes, span and channel, its task and its question alone.

    Returns:
        16 hexadecimal digits.
    """
    whole = msgspec.json.encode((clip.recording.sha256, clip.span, clip.channel, task, question))
    return hashlib.sha256(whole).hexdigest()[:16]


def where(clip: SourceClip) -> str:
    """Where a clip stands, for a person; of a mix where both stand, and how they were mixed."""
    mix = clip.made_of.get("mix", "")
    return f"{clip.source}, row {clip.rows}{f' ({mix})' if mix else ''}"


def made(
    hand: Hand, task: Task, found: Iterable[Candidate | Unfit], private: Private
) -> tuple[list[Made], list[Rejected], set[str]]:
    """The items of a task, the right option first, and what is rejected, each in the order of its clips.

    Args:
        hand: of the task.
        task: as its card has it.
        found: what its make gives.
        private: values that no item may hold.

    Returns:
        Both, and the ids of items that were rejected here, so that others may be made in their place.
    """
    kept, rejected = list[tuple[Candidate, Made]](), list[Rejected]()
    seen, flawed = set[str](), set[str]()
    for one in found:
        if isinstance(one, Unfit):
            item = None if one.candidate is None else _item(hand, one.candidate, private)
            rejected.append(_rejected(one, task, item, private))
            continue
        item = _item(hand, one, private)
        rule, reason = _flaw(item, task, private)
        if rule:
            flawed.add(item.id)
        elif item.id in hand.gone:
            continue
        if item.id in seen:
            rule, reason = "repeated", "asks the same about the same clip as another one"
        if rule:
            rejected.append(_rejected(Unfit(rule=rule, reason=reason, clip=one.clip), task, item, private))
        else:
            seen.add(item.id)
            kept.append((one, Made(item, one.clip, one.stratum)))
    return [own for _, own in _quota(hand, kept)], rejected, flawed


def _item(hand: Hand, one: Candidate, private: Private) -> Item:
    clip, name = one.clip, item_id(one.clip, hand.task.name, one.question)
    options = (one.answer or "", *one.wrong) if one.wrong else ()
    facts: dict[str, Any] = {key: some[0] if len(some) == 1 else list(some) for key, some in clip.facts.items()}
    short = {key: value for key, value in facts.items() if len(str(value)) <= LONGEST_TAG}
    tags = {key: value for key, value in short.items() if not private.told(clip.facts[key])}
    if clip.split:
        tags["split"] = clip.split
    said = {
        "source": clip.source,
        "row": clip.rows,
        "file": clip.recording.name,
        "span": f"{clip.span[0]:g}-{clip.span[1]:g}" if clip.span else "",
        "channel": str(clip.channel or ""),
        "make": hand.task.make,
        "seed": str(hand.spec.seed),
    }
    said |= (
        clip.made_of
        | {f"question_{key}": value for key, value in hand.written.get(one.question, {}).items()}
        | one.provenance
    )
    return Item(
        id=name,
        task=hand.task.name,
        question=one.question,
        options=options,
        kinds=("", *one.kinds) if one.kinds and options else (),
        answer=one.answer,
        tags=tags | one.tags | {key: list(some) for key, some in one.lists.items()},
        meta=one.meta,
        source=clip.source,
        licence=clip.licence or hand.spec.benchmark.licence,
        group=clip.group or ("" if clip.whole else clip.recording.sha256[:16]),  # more is known in the end
        provenance={key: value for key, value in said.items() if value and not private.told([value])},
    )


def _flaw(item: Item, task: Task, private: Private) -> tuple[str, str]:
    """The rule that an item breaks, and the reason; both empty if it breaks none."""
    if column := private.told(_texts(item)):
        return "private", f"repeats a value of {shown(column, 40)}, which is private; take it out of the table's text"
    flaw = next(iter(rules.problems(replace(item, file_name="x"), task)), "")
    return ("malformed", flaw) if flaw else ("", "")


def _texts(item: Item) -> Iterator[str]:
    own = (item.question, item.answer, item.options, item.kinds, item.meta, item.licence, item.tags)
    return texts_in(own)


def _rejected(one: Unfit, task: Task, item: Item | None, private: Private) -> Rejected:
    """What is kept of a rejection: an item that repeats a private value stays out."""
    if item is not None and private.told(_texts(item)):
        item = None
    reply = "" if private.told([one.reply]) else one.reply
    return Rejected(
        rule=one.rule,
        reason=private.hidden(one.reason),
        by=one.by,
        task=task.name,
        where=where(one.clip),
        item=item,
        reply=reply,
    )


def _quota(hand: Hand, kept: Sequence[tuple[Candidate, Made]]) -> Iterator[tuple[Candidate, Made]]:
    """At most ``n``, as many of each stratum as there are, drawn; in the order in which they came."""
    n = hand.task.n
    if not n or n >= len(kept):
        return iter(kept)
    strata: dict[str, list[tuple[float, int]]] = defaultdict(list)
    for place, (one, own) in enumerate(kept):
        strata[one.stratum].append((seeds.stream(hand.spec.seed, "build", "n", own.item.id).random(), place))
    turns = [sorted(some) for _, some in sorted(strata.items())]
    in_turn = (some[turn][1] for turn in range(max(map(len, turns))) for some in turns if turn < len(some))
    chosen = sorted(place for place, _ in zip(in_turn, range(n), strict=False))
    return (kept[place] for place in chosen)


def lettered(whole: Sequence[Item], seed: int) -> list[Item]:
    """The items with the right option in each place as often as in any other of its task and number of options.

    Each run of as many items as there are options has the right one once in each place, in an order that is drawn; so
    the counts differ by one at most, and items that are added at the end change no place before.

    Args:
        whole: items whose right option, where they have options, comes first.
        seed: of what is drawn.
    """
    before: dict[tuple[str, int], int] = defaultdict(int)
    out = []
    for item in whole:
        n = len(item.options)
        if n:
            turn, at = divmod(before[item.task, n], n)
            before[item.task, n] += 1
            gold = seeds.stream(seed, "build", "letters", item.task, str(n), str(turn)).shuffled(range(n))[at]
            order = seeds.stream(seed, "build", "order", item.id).shuffled(range(1, n))
            order.insert(gold, 0)
            mixed = tuple(item.options[place] for place in order)
            item = replace(item, options=mixed, kinds=tuple(item.kinds[k] for k in order) if item.kinds else ())  # noqa: PLW2901  the same item
        out.append(item)
    return out
