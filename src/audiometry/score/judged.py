"""Replies joined to their items, by id, and judged."""

from __future__ import annotations

import shlex
from collections.abc import Collection, Iterator, Sequence
from typing import TypeAlias

import msgspec
import numpy as np
from numpy.typing import NDArray

from audiometry.choices import letter_of
from audiometry.choices.variant import n_asked, shown_options, with_clip
from audiometry.errors import RunFolderError, UsageError
from audiometry.records import Item, ReplyRecord, Verdict
from audiometry.score import opened
from audiometry.score.opened import OpenedRun
from audiometry.score.profiles import AnyProfile as Profile
from audiometry.score.profiles import Reading, as_shown

VERDICTS = tuple(Verdict)
CODE = {verdict: code for code, verdict in enumerate(VERDICTS)}
NOT_ASKED = "not asked"  # what a reply is called of which the run has no record
CHOICE = "choice"  # the kind of the tasks whose items all have options


OpenRun: TypeAlias = OpenedRun
open_run = opened.open_run


class JudgedReply(msgspec.Struct, frozen=True):
    """One reply with everything that explains its verdict."""

    item: Item
    record: ReplyRecord
    options: tuple[str, ...]
    gold: str | None
    reading: Reading


class Judged(msgspec.Struct, frozen=True):
    """All verdicts of a run under one profile; row i is the i-th planned item, column v the v-th variant.

    Attributes:
        verdict: ``int8[items, variants]``, codes of `VERDICTS`; a reply that is not there is FAILED.
        chosen, gold: ``int8[items, variants]``, option numbers as shown, from 0; -1 for none.
        empty: ``bool[items, variants]``, of the unanswered: replies without a word in them.
        missing: ``bool[items, variants]``, of the failed: replies that were never asked for.
        failures: failed replies by kind.
        n_blocked: refused ones of which no word came, since the provider blocked the item.
    """

    verdict: NDArray[np.int8]
    chosen: NDArray[np.int8]
    gold: NDArray[np.int8]
    empty: NDArray[np.bool_]
    missing: NDArray[np.bool_]
    failures: dict[str, int]
    n_blocked: int = 0


def only(run: OpenRun, variants: Sequence[str]) -> OpenRun:
    """The run as if it had asked no more than these of its variants, in this order."""
    return msgspec.structs.replace(run, info=msgspec.structs.replace(run.info, variants=tuple(variants)))


def with_own_clips(run: OpenRun) -> OpenRun:
    """The run without the variants that replace an item's clip: what its score is made of."""
    return only(run, with_clip(run.info.variants))


def n_planned(run: OpenRun, positions: Collection[int]) -> int:
    """How many replies to those of its items a run plans."""
    silent = sum(not run.benchmark.items.has_clip(position) for position in positions)
    return n_asked(run.info.variants, len(positions), silent)


def with_clips(run: OpenRun) -> OpenRun:
    """The run without the items that name no clip, which are never asked without it; itself if there are none."""
    named = [position for position in run.positions if run.benchmark.items.has_clip(position)]
    return run if len(named) == len(run.positions) else msgspec.structs.replace(run, positions=named)


def open_items(run: OpenRun) -> Iterator[tuple[int, Item]]:
    """A run's open items, those without options, which no rule can score; each with its place."""
    items, card = run.benchmark.items, run.benchmark.card
    kinds = {name: card.task_named(name).kind for name in run.benchmark.tasks()}
    for position in run.positions:
        if kinds[items.task_of(position)] != CHOICE:  # only these may lack options
            item = items.at(position)
            if not item.options:
                yield position, item


def open_positions(run: OpenRun) -> list[int]:
    """Places of a run's open items."""
    return [position for position, _ in open_items(run)]


def with_options(run: OpenRun) -> OpenRun:
    """The run without its open items.

    Raises:
        UsageError: it has no others.
    """
    opened = set(open_positions(run))
    if not opened:
        return run
    if len(opened) == len(run.positions):
        raise UsageError(
            f"{run.folder.path}: the questions of {run.info.benchmark.name} are open, no rule can score them; "
            f"see audiometry score {shlex.quote(str(run.folder.path))} --judge MODEL"
        )
    return msgspec.structs.replace(run, positions=[place for place in run.positions if place not in opened])


def records(run: OpenRun) -> Iterator[tuple[ReplyRecord, int]]:
    """Every recorded reply and the place of its item in the benchmark, in the order of arrival.

    Raises:
        RunFolderError: a reply to an item that is not in the benchmark.
    """
    for record in run.folder.replies():
        position = run.benchmark.items.position(record.item)
        if position is not None:
            yield record, position
        elif not run.info.benchmark.earlier:  # else a correction has removed the item
            raise RunFolderError(
                f"{run.folder.replies_path}: item '{record.item}' is not in {run.benchmark.name}; restore the file"
            )


def replies(run: OpenRun, profile: Profile) -> Iterator[JudgedReply]:
    """Every recorded reply to a planned item, in the order of arrival; a later line for the same item follows."""
    profile = as_shown(profile, run.info.prompt.style)
    wanted = set(run.positions) if len(run.positions) < len(run.benchmark) else None
    variants = set(run.info.variants)
    seed = run.info.seed
    for record, position in records(run):
        if record.variant not in variants or (wanted is not None and position not in wanted):
            continue
        item = run.benchmark.items.at(position)
        options = shown_options(item.id, item.options, seed=seed, variant=record.variant)
        gold = letter_of(options, item.answer) if item.answer is not None else None
        yield JudgedReply(item, record, options, gold, profile.read(record, item, options))


def judge(run: OpenRun, profile: Profile) -> Judged:
    """Verdicts of all planned items; one array entry each, so memory stays small."""
    rows = {position: row for row, position in enumerate(run.positions)}
    columns = {variant: column for column, variant in enumerate(run.info.variants)}
    shape = (len(rows), len(columns))
    verdict = np.full(shape, CODE[Verdict.FAILED], dtype=np.int8)
    chosen, gold = np.full(shape, -1, dtype=np.int8), np.full(shape, -1, dtype=np.int8)
    kinds: dict[tuple[int, int], str] = {}
    failed, asked, empty = CODE[Verdict.FAILED], np.zeros(shape, dtype=bool), np.zeros(shape, dtype=bool)
    for reply in replies(run, profile):
        position = run.benchmark.items.position(reply.item.id)
        place = (rows[position if position is not None else -1], columns[reply.record.variant])
        code = CODE[reply.reading.verdict]
        asked[place] = True
        if code == failed:
            if verdict[place] == failed:
                kinds[place] = reply.reading.how
            continue
        kinds.pop(place, None)
        verdict[place] = code
        empty[place] = is_empty(reply.reading, reply.record)
        chosen[place] = ord(reply.reading.letter) - ord("A") if reply.reading.letter else -1
        gold[place] = ord(reply.gold) - ord("A") if reply.gold else -1
    failures = {kind: list(kinds.values()).count(kind) for kind in sorted(set(kinds.values()))}
    return Judged(verdict, chosen, gold, empty, ~asked, failures)


def is_empty(reading: Reading, record: ReplyRecord) -> bool:
    """Whether a reply that answers nothing has no word in it."""
    return reading.verdict == Verdict.UNANSWERED and not (record.text or "").strip()
