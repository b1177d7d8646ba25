"""Asks the questions of a hearing test, on the way that the items of any benchmark go."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Literal

import msgspec

from audiometry import bench
from audiometry.audio.encode import LIMITS, encode
from audiometry.choices import letters, read_answer
from audiometry.dispatch.ask import Ask
from audiometry.dispatch.attempts import Conditions
from audiometry.dispatch.local import Dispatcher
from audiometry.dispatch.stopped import NONE_CAME, StoppedError
from audiometry.dispatch.tally import Tally
from audiometry.errors import StorageError
from audiometry.files import benchmark_folder
from audiometry.files.journal import Journal
from audiometry.models import Model
from audiometry.records import Failure, Item, ModelCard, Prompt, ReplyRecord
from audiometry.records.reply import FILTERED
from audiometry.run import layout
from audiometry.run.plan import Plan
from audiometry.run.probing.questions import PART_ORDER, Part, Question, questions
from audiometry.run.probing.result import Heard, Sent

LAYOUT = "ours"  # a layout that shows all options, however many
VARIANT = "plain"
LONGEST_TEXT = 200
_CARD = '[benchmark]\nname = "probe"\nversion = "1"\n'


class Asker(msgspec.Struct, frozen=True, kw_only=True):
    """Who is asked, and how.

    Attributes:
        model: whom.
        card: what it takes.
        part_order: clip before words or after; the part on that order is asked the other way round.
        seed: of the questions.
        conditions: of asking.
        tally: the accounts; they are the test's own.
        watch: called after every reply with how many came.
        deadline_s: when to stop waiting for all of it, seconds; None: never.
    """

    model: Model
    part_order: Literal["audio-first", "text-first"]
    seed: int
    conditions: Conditions
    tally: Tally
    watch: Callable[[int], None] = lambda _: None
    deadline_s: float | None = None

    @property
    def card(self) -> ModelCard:
        """What the model takes."""
        return self.model.card


class Outcome(msgspec.Struct, frozen=True):
    """What came of each question, in order, and why it ended early, by a refusal or else; empty if it did not."""

    heard: tuple[Heard, ...]
    stopped: str = ""
    refused: str = ""


def left_out(parts: Sequence[Part], card: ModelCard) -> dict[str, str]:
    """Parts that cannot be asked of a model, and why."""
    why = {}
    for part in parts:
        if part.name == PART_ORDER and card.fixed_order:
            why[part.name] = f"the model takes prompts {card.part_order} alone"
        elif part.form == "mp3" and card.formats and "mp3" not in card.formats:
            why[part.name] = f"the model's card takes {', '.join(card.formats)}, no mp3"
        elif part.form == "mp3" and not LIMITS["mp3"].holds(part.rate):
            why[part.name] = f"MP3 has no rate of {part.rate:,} Hz, which the model's card asks for"
    return why


def write(parts: Sequence[Part], who: Asker, folder: Path) -> tuple[Question, ...]:
    """The questions, and their clips and metadata in a folder, in the layout of a benchmark folder.

    Args:
        parts: what is asked; those that cannot be (`left_out`) are not.
        who: whom.
        folder: made if missing.

    Raises:
        StorageError: the disk refused.
    """
    without = left_out(parts, who.card)
    asked = tuple(questions([part for part in parts if part.name not in without], who.seed))
    try:
        (folder / "audio").mkdir(parents=True, exist_ok=True)
        (folder / benchmark_folder.CARD).write_text(_CARD, encoding="utf-8")
        for question in asked:
            (folder / question.item.file_name).write_bytes(encode(question.clip(), question.part.form))
        lines = b"".join(msgspec.json.encode(question.item) + b"\n" for question in asked)
        (folder / benchmark_folder.METADATA).write_bytes(lines)
    except OSError as problem:
        raise StorageError(
            f"cannot write the probe's clips to {folder}: {problem.strerror}; free some space"
        ) from problem
    return asked


async def ask(asked: Sequence[Question], who: Asker, folder: Path, journal: Path) -> Outcome:
    """Ask about the clips in a folder.

    Args:
        asked: the questions that `write` put there.
        who: whom, and how.
        folder: where.
        journal: the file for the replies.

    Raises:
        StorageError: a reply could not be kept.
    """
    sent: dict[str, Sent] = {}
    records: dict[str, ReplyRecord] = {}

    def keep(record: ReplyRecord) -> None:
        records[record.item] = record
        who.watch(who.tally.done)

    stopped = refused = ""
    with Journal(journal) as kept:
        dispatcher = Dispatcher(who.model, kept, who.conditions, tally=who.tally, watch=keep)
        try:
            async with asyncio.timeout(who.deadline_s):
                await dispatcher.run(_asks(folder, who, sent))
        except StoppedError as problem:
            stopped, refused = str(problem.unanswered()).removesuffix(f"; {NONE_CAME}"), problem.refused
        except TimeoutError:
            stopped = f"not all replies came within {who.deadline_s:g} s"
    return Outcome(tuple(_heard(q, records.get(q.item.id), sent.get(q.item.id)) for q in asked), stopped, refused)


def _asks(folder: Path, who: Asker, sent: dict[str, Sent]) -> Iterator[Ask]:
    benchmark = bench.load(folder)
    usual, other = who.part_order, _turned(who.part_order)
    plans = {
        order: Plan(benchmark, benchmark.select(), (VARIANT,), layout.stamp(LAYOUT, order), who.card, who.seed)
        for order in (usual, other)
    }
    for item in benchmark:
        plan = plans[other if item.task == PART_ORDER else usual]
        yield Ask(item.id, VARIANT, partial(_build, plan, item, sent))


async def _build(plan: Plan, item: Item, sent: dict[str, Sent]) -> Prompt:
    prompt = await plan.build(item, VARIANT)
    for clip in prompt.audio:
        sent[item.id] = Sent(
            format=clip.format,
            rate=clip.rate,
            channels=clip.channels,
            duration_s=round(clip.duration_s, 3),
            changes=clip.changes,
        )
    return prompt


def _turned(order: Literal["audio-first", "text-first"]) -> Literal["audio-first", "text-first"]:
    return "text-first" if order == "audio-first" else "audio-first"


def _heard(question: Question, record: ReplyRecord | None, sent: Sent | None) -> Heard:
    item = question.item
    base = Heard(
        id=item.id,
        aspect=item.task,
        kind=question.part.kind,
        options=item.options,
        answer=item.answer or "",
        error=record.error if record else None,
        sent=sent,
    )
    if record is not None and record.blocked:  # not a word came of it that could tell of hearing
        return msgspec.structs.replace(base, error=Failure(kind=FILTERED, message=record.notes))
    if record is None or record.text is None:
        return base
    answer = read_answer(record.text, item.options)
    said = item.options[letters(len(item.options)).index(answer.letter)] if answer.letter else None
    return msgspec.structs.replace(base, said=said, refused=answer.refused, text=record.text[:LONGEST_TEXT])
