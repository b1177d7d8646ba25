"""Whether what was written needs its clip: asked with the words alone, with silence, and with another item's clip.

An item is set aside only where one model is right about it in all cyclic orders of its options, of at least three: a
guesser is that in 1 of 256 items with four options, while "any right" of three guessers would throw away 58 % of good
ones. Tasks whose options are labels are not filtered; how often a model is right about them without the clip is told.

Source: the text-only check of MuChoMusic (arXiv 2408.01337), and the three conditions of DCASE 2026, task 5.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

import msgspec
from msgspec.structs import replace

from audiometry.bench import Benchmark
from audiometry.bench.store import ItemList, digest
from audiometry.builder.writer import HowAsked
from audiometry.choices.variant import OTHER_CLIP, SILENCE, TEXT_ONLY, shown_options
from audiometry.dispatch.stopped import StoppedError
from audiometry.errors import counted
from audiometry.files.build_folder import ASKED, FOLDER, Blind, Filtered, Rejected
from audiometry.files.run_folder import RunFolder
from audiometry.models import ModelSettings
from audiometry.records import Card, Item, ReplyRecord
from audiometry.run.execute import execute, prepare
from audiometry.run.folder import default_path, describe
from audiometry.run.settings import RunSettings
from audiometry.score.judge.settings import Follow, JudgeSettings, JudgingStoppedError
from audiometry.score.opened import OpenedRun, kind_of
from audiometry.score.profiles import DEFAULT, PROFILES, is_right
from audiometry.score.replies import Replies

FEWEST: Final = 3
"""Options of an item that can be set aside: of two, a guesser is right in both orders of every fourth."""
_WITHOUT: Final = {
    TEXT_ONLY: "the words alone",
    SILENCE: "silence in place of the clip",
    OTHER_CLIP: "another clip in place of its own",
}


class Sieve:
    """Asks models about the items of a build without their clips.

    Args:
        output: of the build, where the clips are.
        card: of its benchmark.
        seed: of the build.
        asked: how models are asked.
    """

    def __init__(self, output: Path, card: Card, seed: int, asked: HowAsked) -> None:
        self._output, self._card, self._seed, self._asked = output, card, seed, asked

    def sieve(
        self, items: Sequence[Item], text: Sequence[str], audio: Sequence[str]
    ) -> tuple[list[Rejected], list[Filtered]]:
        """The items that are to be set aside, and how each model did.

        Args:
            items: that were written, the right option first; those with fewer than `FEWEST` are left as they are.
            text: models that are asked with the words alone.
            audio: models that are asked with silence and with another clip.

        Raises:
            UsageError: a model cannot be used.
            StoppedError: a model does not answer, or the person stopped it; what was answered is kept.
        """
        usable = [one for one in items if len(one.options) >= FEWEST]
        turned = [one for item in usable for one in _turned(item)]
        rejected, told = dict[str, Rejected](), list[Filtered]()
        ways = [*((name, (TEXT_ONLY,)) for name in text), *((name, (SILENCE, OTHER_CLIP)) for name in audio)]
        for name, variants in ways if usable else ():
            right, unanswered = Counter[tuple[str, str]](), Counter[str]()
            for variant, item, reply, is_so in self._answers(self._of(turned), name, variants):
                right[variant, item.id.rpartition("-")[0]] += is_so
                unanswered[variant] += reply.error is not None
            for variant in variants:
                by = self._asked.settings(name).name
                known = [one for one in usable if right[variant, one.id] == len(one.options)]
                told.append(
                    Filtered(
                        model=by, variant=variant, items=len(usable), unanswered=unanswered[variant], right=len(known)
                    )
                )
                for one in known:
                    rejected.setdefault(one.id, _set_aside(one, by, variant))
        return list(rejected.values()), told

    def blind(self, whole: Sequence[Item], name: str) -> Blind:
        """How often a model is right about all that has options with the words alone.

        Args:
            whole: the items of the build, in their own order of options.
            name: of the model.

        Raises:
            UsageError: the model cannot be used.
            StoppedError: it does not answer, or the person stopped it.
        """
        items = [replace(one, provenance={}) for one in whole if one.options]
        right = Counter[str]()
        for _, item, _, is_so in self._answers(self._of(items), name, (TEXT_ONLY,)) if items else ():
            right[item.task] += is_so
        chances: dict[str, list[float]] = {}
        for one in items:
            chances.setdefault(one.task, []).append(1 / len(one.options))
        tasks = {task: (right[task], len(some), math.fsum(some) / len(some)) for task, some in chances.items()}
        return Blind(model=self._asked.settings(name).name, tasks=tasks)

    def _of(self, items: list[Item]) -> Benchmark:
        """Items as a benchmark whose clips are the build's."""
        content = digest(msgspec.json.encode(self._card), *(msgspec.json.encode(one) for one in items))
        source = str(self._output / FOLDER / ASKED)
        return Benchmark(source=source, card=self._card, root=self._output, items=ItemList(items), sha256=content)

    def _answers(
        self, benchmark: Benchmark, name: str, variants: tuple[str, ...]
    ) -> Iterator[tuple[str, Item, ReplyRecord, bool]]:
        """The replies to items in variants that count, and whether each is right."""
        how, follow = self._asked.settings(name), self._asked.follow or Follow()
        run = prepare(benchmark, how.name, _settings(how, variants, self._seed))
        path = default_path(describe(run.plan, run.model, run.settings), self._output / FOLDER / ASKED)
        run = replace(run, folder=RunFolder(path))
        try:
            done = execute(
                run,
                watch=follow.watch,
                started=lambda planned, reuse: follow.started(planned, reuse.here),
                stopping=follow.stopping,
            )
        except StoppedError as problem:
            raise StoppedError(f"filter {how.name}: {problem}", kind=problem.kind) from problem
        if done.interrupted:
            left = counted(len(run.plan) - done.before - done.tally.done, "reply")
            raise JudgingStoppedError(f"filter {how.name}: stopped, {left} left; the same command goes on from here")
        opened = OpenedRun(run.folder, run.folder.info(), benchmark, run.plan.positions)
        readers = PROFILES.named(DEFAULT).readers
        for row, column, reply in Replies(opened):
            item, variant = benchmark.items.at(opened.positions[row]), opened.info.variants[column]
            shown = shown_options(item, seed=self._seed, variant=variant)
            outcome = readers[kind_of(opened, item)].read(reply, item, shown)
            yield variant, item, reply, is_right(item, outcome)


def _turned(item: Item) -> Iterator[Item]:
    """An item with its options in each cyclic order."""
    for k in range(len(item.options)):
        turned = (*item.options[k:], *item.options[:k])
        yield replace(item, id=f"{item.id}-{k}", options=turned, kinds=(), provenance={}, group=item.cluster)


def _settings(how: JudgeSettings, variants: tuple[str, ...], seed: int) -> RunSettings:
    return RunSettings(
        variants=variants,
        aside_only=True,
        seed=seed,
        concurrency=how.concurrency,
        rpm=how.rpm,
        tpm=how.tpm,
        max_tries=how.max_tries,
        price=how.price,
        cache=how.cache,
        model=ModelSettings(
            base_urls=how.base_urls, proxy=how.proxy, card=how.card, extra=how.extra, timeout_s=how.timeout_s
        ),
    )


def _set_aside(item: Item, by: str, variant: str) -> Rejected:
    reason = f"{by} is right in all {len(item.options)} cyclic orders of its options with {_WITHOUT[variant]}"
    where = f"{item.source}, row {item.provenance.get('row', '')}"
    return Rejected(rule="answerable-without", reason=reason, by=by, task=item.task, where=where, item=item)
