"""Whether what was written needs its clip: asked with the words alone, with silence, and with another item's clip.

An item is set aside only where one model is right about it in all cyclic orders of its options, of at least three: a
guesser is that in 1 of 256 items with four options and 1 of 27 with three, each time that it is asked, while "any
right" of three guessers would throw away 58 % of good ones. A model that likes one option wherever it stands is no
guesser: how often it keeps to a wrong one foretells how often it is right by taste. Both are told where it filters.
Tasks whose options are labels are not filtered; how often a model is right about them without the clip is told.

Source: the text-only check of MuChoMusic (arXiv 2408.01337), and the three conditions of DCASE 2026, task 5.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
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
from audiometry.files.build_folder import ASKED, FOLDER, Blind, BlindScore, Filtered, Rejected
from audiometry.files.run_folder import RunFolder
from audiometry.records import Card, Item, ReplyRecord
from audiometry.run.execute import execute, prepare
from audiometry.run.folder import default_path, describe
from audiometry.run.settings import RunSettings
from audiometry.score.judge.settings import Follow, JudgeSettings, JudgingStoppedError
from audiometry.score.opened import OpenedRun, kind_of
from audiometry.score.profiles import DEFAULT, PROFILES, is_right
from audiometry.score.replies import Replies
from audiometry.stats.estimate import estimate
from audiometry.stats.parts import SHARE, means, ratio

FEWEST: Final = 3
"""Options of an item that can be set aside: of two, a guesser is right in both orders of every fourth."""
_BESIDE: Final = "(beside)"
_COUNTED: Final = ("items", "unanswered", "right", "by_guessing", "by_taste")
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
        self._told: dict[tuple[str, str], Filtered] = {}

    @property
    def told(self) -> tuple[Filtered, ...]:
        """How each model did, over all items that it was asked about."""
        return tuple(self._told.values())

    def sieve(
        self, items: Sequence[Item], text: Sequence[str], audio: Sequence[str], beside: Sequence[Item] = ()
    ) -> list[Rejected]:
        """The items that are to be set aside.

        Args:
            items: that were written, the right option first; those with fewer than `FEWEST` are left as they are.
            text: models that are asked with the words alone.
            audio: models that are asked with silence and with another clip.
            beside: items that nobody is asked about, whose clips may stand in for others.

        Raises:
            UsageError: a model cannot be used.
            StoppedError: a model does not answer, or the person stopped it; what was answered is kept.
        """
        usable = [one for one in items if len(one.options) >= FEWEST]
        turned = [one for item in usable for one in _turned(item)]
        rejected = dict[str, Rejected]()
        ways = [*((name, (TEXT_ONLY,)) for name in text), *((name, (SILENCE, OTHER_CLIP)) for name in audio)]
        for name, variants in ways if usable else ():
            picks, unanswered = defaultdict[tuple[str, str], Counter[str | None]](Counter), Counter[str]()
            for variant, item, reply, pick in self._answers(self._of(turned, beside), name, variants):
                picks[variant, item.id.rpartition("-")[0]][pick] += 1
                unanswered[variant] += reply.error is not None
            by = self._asked.settings(name).name
            for variant in variants:
                # what it says of an item in all orders of its options, where that is one thing
                some = ((one, [*picks[variant, one.id]]) for one in usable)
                says = [(one, all_of[0]) for one, all_of in some if len(all_of) == 1]
                known = [one for one, pick in says if pick == one.answer]
                tastes = (1 / (len(one.options) - 1) for one, pick in says if pick not in {one.answer, None})
                self._add(
                    Filtered(
                        model=by,
                        variant=variant,
                        items=len(usable),
                        unanswered=unanswered[variant],
                        right=len(known),
                        by_guessing=math.fsum(len(one.options) ** -len(one.options) for one in usable),
                        by_taste=math.fsum(tastes),
                    )
                )
                for one in known:
                    rejected.setdefault(one.id, _set_aside(one, by, variant))
        return list(rejected.values())

    def _add(self, one: Filtered) -> None:
        """Count it to what the same model said of other items."""
        before = self._told.get((one.model, one.variant))
        if before is not None:
            both = {name: getattr(before, name) + getattr(one, name) for name in _COUNTED}
            one = replace(one, **both)
        self._told[one.model, one.variant] = one

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
        by_task, lost = defaultdict[str, list[tuple[Item, bool]]](list), Counter[str]()
        for _, item, reply, pick in self._answers(self._of(items), name, (TEXT_ONLY,)) if items else ():
            by_task[item.task].append((item, pick == item.answer))
            lost[item.task] += reply.error is not None
        tasks = {task: _score(some, lost[task]) for task, some in by_task.items()}
        return Blind(model=self._asked.settings(name).name, tasks=tasks)

    def _of(self, items: list[Item], beside: Sequence[Item] = ()) -> Benchmark:
        """Items as a benchmark whose clips are the build's, those beside them in a task that nobody is asked."""
        items = [*items, *(replace(one, task=_BESIDE, provenance={}) for one in beside)]
        content = digest(msgspec.json.encode(self._card), *(msgspec.json.encode(one) for one in items))
        source = str(self._output / FOLDER / ASKED)
        return Benchmark(source=source, card=self._card, root=self._output, items=ItemList(items), sha256=content)

    def _answers(
        self, benchmark: Benchmark, name: str, variants: tuple[str, ...]
    ) -> Iterator[tuple[str, Item, ReplyRecord, str | None]]:
        """The replies to items in variants that count, each with the option that it chose; None: with none."""
        how, follow = self._asked.settings(name), self._asked.follow or Follow()
        tasks = benchmark.tasks()
        asked = tuple(one for one in tasks if one != _BESIDE) if _BESIDE in tasks else ()
        run = prepare(benchmark, how.name, _settings(how, variants, self._seed, asked))
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
            yield variant, item, reply, item.answer if is_right(item, outcome) else outcome.read


def _turned(item: Item) -> Iterator[Item]:
    """An item with its options in each cyclic order."""
    for k in range(len(item.options)):
        turned = (*item.options[k:], *item.options[:k])
        yield replace(item, id=f"{item.id}-{k}", options=turned, kinds=(), provenance={}, group=item.cluster)


def _score(replies: Sequence[tuple[Item, bool]], unanswered: int) -> BlindScore:
    right = [is_so for _, is_so in replies]
    codes: dict[str, int] = {}
    clusters = [codes.setdefault(item.cluster, len(codes)) for item, _ in replies]
    return BlindScore(
        right=sum(right),
        items=len(right),
        unanswered=unanswered,
        chance=math.fsum(1 / len(item.options) for item, _ in replies) / len(right),
        interval=None if unanswered else estimate(means(right, clusters), ratio, [1], SHARE).interval,
    )


def _settings(how: JudgeSettings, variants: tuple[str, ...], seed: int, tasks: tuple[str, ...]) -> RunSettings:
    return RunSettings(
        tasks=tasks,
        variants=variants,
        aside_only=True,
        seed=seed,
        concurrency=how.concurrency,
        rpm=how.rpm,
        tpm=how.tpm,
        max_tries=how.max_tries,
        price=how.price,
        cache=how.cache,
        model=how.of_model(),
    )


def _set_aside(item: Item, by: str, variant: str) -> Rejected:
    reason = f"{by} is right in all {len(item.options)} cyclic orders of its options with {_WITHOUT[variant]}"
    where = f"{item.source}, row {item.provenance.get('row', '')}"
    return Rejected(rule="answerable-without", reason=reason, by=by, task=item.task, where=where, item=item)
