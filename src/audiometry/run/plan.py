"""What a run asks: items and variants in a fixed order, and the prompt for each when its turn comes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from collections.abc import Set as AbstractSet
from functools import partial

import msgspec

from audiometry import seeds
from audiometry.bench import Benchmark
from audiometry.bench.selection import count
from audiometry.choices.variant import (
    NOISE,
    OTHER_CLIP,
    REPLACED,
    SILENCE,
    TEXT_ONLY,
    WITHOUT_CLIP,
    n_asked,
    shown_options,
)
from audiometry.dispatch.ask import Ask
from audiometry.errors import AudioError, NoAudioError
from audiometry.files.run_folder import PromptStamp
from audiometry.records import Audio, Item, ModelCard, Prompt
from audiometry.run import layout
from audiometry.run.clips import Clips
from audiometry.run.other_clip import OtherClips

MOST_BROKEN = 32  # other items whose clips are tried before one gives up


class Plan(msgspec.Struct, frozen=True):
    """Everything that decides what is asked; same plan, same prompts, byte for byte.

    Attributes:
        benchmark: whose items.
        positions: of the items in it, in order.
        variants: the ways each is asked; all items in the first, then all in the second. An item that names no clip is
            not asked without it: the words would be the same.
        prompt: how they are put into words.
        card: what the model takes.
        seed: of the option orders, of noise, and of whose clip stands in for another.
        own: the layout itself, if it is none of those that have a name.
        others: whose clips may stand in; made from the benchmark and the seed.
        clips: of the benchmark, as the card asks; made from both.
    """

    benchmark: Benchmark
    positions: list[int]
    variants: tuple[str, ...]
    prompt: PromptStamp
    card: ModelCard
    seed: int
    own: layout.Layout | None = None
    others: OtherClips = msgspec.field(default=None)  # type: ignore[assignment]  # filled in below
    clips: Clips = msgspec.field(default=None)  # type: ignore[assignment]  # filled in below

    def __post_init__(self) -> None:
        msgspec.structs.force_setattr(self, "others", OtherClips(self.benchmark, self.seed))
        msgspec.structs.force_setattr(self, "clips", Clips(self.benchmark, self.card))

    def __len__(self) -> int:
        return n_asked(self.variants, len(self.positions), self.n_without_clip)

    @property
    def n_without_clip(self) -> int:
        """How many of its items are asked in words alone, as their task allows."""
        return sum(not self.benchmark.items.has_clip(position) for position in self.positions)

    def count(self, done: AbstractSet[tuple[str, str]]) -> int:
        """How many of these items and variants are part of the plan."""
        return count(self.benchmark, {variant: set(self._asked_in(variant)) for variant in self.variants}, done)

    def asks(self, done: AbstractSet[tuple[str, str]]) -> Iterator[Ask]:
        """What is left to ask, in order; nothing is read until each one's turn."""
        for variant in self.variants:
            for position in self._asked_in(variant):
                item = self.benchmark.items.at(position)
                if (item.id, variant) not in done:
                    yield Ask(item.id, variant, partial(self.build, item, variant))

    def _asked_in(self, variant: str) -> Iterable[int]:
        """Positions of the items that are asked in a variant."""
        return filter(self.benchmark.items.has_clip, self.positions) if variant in WITHOUT_CLIP else self.positions

    async def build(self, item: Item, variant: str) -> Prompt:
        """The prompt for an item, its clips read and made fit for the model, and replaced where the variant says so.

        Raises:
            AudioError: a clip cannot be used.
        """
        clips = [] if variant == TEXT_ONLY else await self._clips(item)
        if self.card.needs_audio and not clips:
            raise NoAudioError(f"item {item.id} has no clip, which the model demands; it was not sent")
        if variant in {NOISE, SILENCE}:
            clips = [await self.clips.beside(self._perturbed, variant, item, k, clip) for k, clip in enumerate(clips)]
        elif variant == OTHER_CLIP and clips:
            clips = await self._of_another(item, clips)
        return self.words(item, variant, clips)

    def words(self, item: Item, variant: str, clips: list[Audio]) -> Prompt:
        """The prompt for an item with these clips."""
        options = shown_options(item.id, item.options, seed=self.seed, variant=variant)
        return layout.prompt(item, variant, options, clips, self.prompt, self.own)

    async def _clips(self, item: Item) -> list[Audio]:
        return [await self.clips.get(name) for name in item.clips]

    def _perturbed(self, variant: str, item: Item, number: int, clip: Audio) -> Audio:
        """A clip of an item, the first having the number 0, replaced by noise or silence."""
        from audiometry.audio.perturb import as_noise, as_silence

        where = item.clips[number]
        if variant == SILENCE:
            made = as_silence(clip, self.card, where=where)
        else:
            names = (item.id, str(number)) if number else (item.id,)
            made = as_noise(clip, self.card, seeds.generator(self.seed, NOISE, *names), where=where)
        return msgspec.structs.replace(made, file_sha256=clip.file_sha256, file_stat=clip.file_stat)

    async def _of_another(self, item: Item, own: list[Audio]) -> list[Audio]:
        """As many clips of another item, none from a file with the bytes of one of its own.

        Files are compared, not what is sent, so that the same clip stands in for every model, and so that `standing`
        can tell which it is without converting any.
        """
        problem = AudioError(f"item {item.id}: no other item has a clip to stand in; leave out --variant {OTHER_CLIP}")
        files = {clip.file_sha256 for clip in own}
        for other, _ in zip(self.others.candidates(item), range(MOST_BROKEN), strict=False):
            try:
                clips = await self._clips(other)
            except AudioError as broken:
                problem = broken
                continue
            if files.isdisjoint(clip.file_sha256 for clip in clips):
                said = f"{REPLACED} {other.id}"
                clips = [msgspec.structs.replace(clip, changes=(said, *clip.changes)) for clip in clips]
                return [clips[k % len(clips)] for k in range(len(own))]
        raise problem
