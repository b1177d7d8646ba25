"""What a run asks: items and variants in a fixed order, and the prompt for each when its turn comes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from functools import partial

import msgspec

from audiometry.bench import Benchmark
from audiometry.bench.selection import count
from audiometry.choices.variant import n_asked, shown_options, with_fewer, without_clip
from audiometry.dispatch.ask import Ask
from audiometry.errors import NoAudioError
from audiometry.files.run_folder import PromptStamp
from audiometry.records import Audio, Item, ModelCard, Prompt
from audiometry.run import layout
from audiometry.run.clips import Clips
from audiometry.run.layout import Heard, silent
from audiometry.run.other_clip import OtherClips
from audiometry.run.shots import Shots
from audiometry.run.variant import VARIANTS, Hand, Variant


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
        replaced: those of the variants in which items come without their own clips.
        shots: the worked examples; made from the benchmark, the seed and the prompt.
    """

    benchmark: Benchmark
    positions: Sequence[int]
    variants: tuple[str, ...]
    prompt: PromptStamp
    card: ModelCard
    seed: int
    own: layout.Layout | None = None
    others: OtherClips = msgspec.field(default=None)  # type: ignore[assignment]  # filled in below
    clips: Clips = msgspec.field(default=None)  # type: ignore[assignment]  # filled in below
    replaced: dict[str, Variant] = {}
    shots: Shots = msgspec.field(default=None)  # type: ignore[assignment]  # filled in below

    def __post_init__(self) -> None:
        msgspec.structs.force_setattr(self, "others", OtherClips(self.benchmark, self.seed))
        msgspec.structs.force_setattr(self, "clips", Clips(self.benchmark, self.card))
        found = {name: VARIANTS.named(name) for name in without_clip(self.variants)}
        msgspec.structs.force_setattr(self, "replaced", found)
        msgspec.structs.force_setattr(self, "shots", Shots(self.benchmark, self.seed, self.prompt))

    def __len__(self) -> int:
        less = with_fewer(self.variants)
        others = [name for name in self.variants if name not in less]
        few = sum(1 for variant in less for _ in self._asked_in(variant))
        return n_asked(others, len(self.positions), self.n_without_clip) + few

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
        return self.benchmark.asked_in(variant, self.positions)

    @property
    def hand(self) -> Hand:
        """What its variants may use."""
        return Hand(self.clips, self.others, self.card, self.seed)

    async def build(self, item: Item, variant: str) -> Prompt:
        """The prompt for an item, its clips read and made fit for the model, and replaced where the variant says so.

        Raises:
            AudioError: a clip cannot be used.
        """
        replaced = self.replaced.get(variant)
        clips = await (self.hand.own(item) if replaced is None else replaced.clips(self.hand, item))
        if self.card.needs_audio and not clips:
            raise NoAudioError(f"item {item.id} has no clip, which the model demands; it was not sent")
        shots = self.shots.of(item, variant)
        heard = [[await self.clips.get(name) for name in shot.clips] for shot in shots]
        return self._laid_out(item, variant, clips, list(zip(shots, heard, strict=True)))

    def words(self, item: Item, variant: str, clips: list[Audio]) -> Prompt:
        """The prompt for an item with these clips, and with `layout.A_CLIP` for each of its examples'."""
        return self._laid_out(item, variant, clips, silent(self.shots.of(item, variant)))

    def _laid_out(self, item: Item, variant: str, clips: list[Audio], shots: Sequence[Heard]) -> Prompt:
        options = shown_options(item, seed=self.seed, variant=variant)
        item = self.benchmark.asked(item, variant)
        return layout.prompt(item, variant, options, clips, self.prompt, self.own, shots)
