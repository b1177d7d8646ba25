"""What a run has sent, built again from its folder by the code that asked, and held to the hashes of then."""

from __future__ import annotations

import math
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from functools import cached_property

import msgspec

from audiometry.audio.target import wav_size
from audiometry.bench import Benchmark
from audiometry.choices.variant import OTHER_CLIP, SILENCE, TEXT_ONLY, shown_options, without_clip
from audiometry.dispatch.ask import prompt_sha256
from audiometry.errors import AudiometryError
from audiometry.files.run_folder import PromptStamp, RunInfo
from audiometry.programs.background import Background
from audiometry.records import Audio, Item, ModelCard, Prompt, ReplyRecord
from audiometry.run import layout
from audiometry.run.clips import Clips
from audiometry.run.layout import A_CLIP, Heard, Layout, silent
from audiometry.run.other_clip import OtherClips
from audiometry.run.recipes import digest, recipes
from audiometry.run.shots import Shots
from audiometry.run.variant import VARIANTS, Hand

MOST_FAILED = 3  # replies of a run whose clips cannot be made again, before it is given up


class Rebuilt:
    """The prompts and the replaced clips of a run.

    Args:
        benchmark: that was asked.
        info: of the run.
    """

    def __init__(self, benchmark: Benchmark, info: RunInfo) -> None:
        self._benchmark, self._info = benchmark, info
        self._layout = _layout(info.prompt)
        self._shots = Shots(benchmark, info.seed, info.prompt)
        made = frozenset(without_clip(info.variants)) - {SILENCE, TEXT_ONLY, OTHER_CLIP}
        self._made = made if info.audio is not None else frozenset[str]()
        self._failed, self._opened = 0, ExitStack()
        self._loop: Background | None = None

    def words(self, item: Item, record: ReplyRecord) -> Prompt | None:
        """The prompt that a reply answers, with `A_CLIP` for each clip; None if it cannot be built as it was."""
        try:
            options = shown_options(item, seed=self._info.seed, variant=record.variant)
            shots = silent(self._shots.of(item, record.variant))
            item = self._benchmark.asked(item, record.variant)
        except AudiometryError:
            return None
        found = self.laid_out(item, options, n_sent(item, record), shots)
        return found if found is not None and prompt_sha256(found) == record.prompt_sha256 else None

    def laid_out(
        self, item: Item, options: tuple[str, ...], n_clips: int, shots: Sequence[Heard] = ()
    ) -> Prompt | None:
        """Any item in the run's layout; None if that is not known, or has no place for so many options."""
        if self._layout is None:
            return None
        try:
            return layout.prompt(item, "", options, [A_CLIP] * n_clips, self._info.prompt, self._layout, shots)
        except AudiometryError:
            return None

    def replaced(self, item: Item, record: ReplyRecord) -> list[Audio]:
        """The clips that were made for a variant, such as noise, made again; none if they cannot be as they were.

        Clips that are files, silence and nothing are not made again. After some that cannot be, none is any more.
        """
        if not self._makes(record):
            return []

        async def made() -> list[Audio]:
            return list(await VARIANTS.named(record.variant).clips(self._hand, item))

        try:
            found = self._background().submit(made()).result()
        except AudiometryError:
            found = []
        same = "+".join(clip.sha256 for clip in found) == record.audio_sha256
        self._failed += not same
        return found if same else []

    def size(self, item: Item, record: ReplyRecord) -> float:
        """Bytes of what `replaced` would make, by the headers of the item's own clips; infinite if one states none."""
        from audiometry.audio.decode import stated

        total = 0.0
        with suppress(AudiometryError):  # which it will be to make them too
            for name in item.clips if self._makes(record) else ():
                info = stated(self._benchmark.clip_path(name))
                total += math.inf if info is None else wav_size(info, self._hand.card, name)
        return total

    def _makes(self, record: ReplyRecord) -> bool:
        return record.variant in self._made and bool(record.audio_sha256) and self._failed < MOST_FAILED

    @cached_property
    def _hand(self) -> Hand:
        card = ModelCard(**msgspec.structs.asdict(self._info.audio)) if self._info.audio else ModelCard()
        clips = Clips(self._benchmark, card)
        self._opened.callback(clips.close)
        return Hand(clips, OtherClips(self._benchmark, self._info.seed), card, self._info.seed)

    def _background(self) -> Background:
        """A loop of its own: whoever writes a page may be in one already, as in a notebook."""
        if self._loop is None:
            self._loop = Background()
            self._opened.callback(self._loop.stop)
        return self._loop

    def close(self) -> None:
        """End what was started to make clips."""
        self._opened.close()


def n_sent(item: Item, record: ReplyRecord) -> int:
    """How many clips went with the question."""
    if record.audio_sha256:
        return record.audio_sha256.count("+") + 1
    return 0 if record.variant == TEXT_ONLY else len(item.clips)


def _layout(stamp: PromptStamp) -> Layout | None:
    """The layout of a run; None if it was one of the user's, or is another now."""
    try:
        if stamp.recipe is None:
            found = layout.named(stamp.layout)
            return found if found.sha256 == stamp.sha256 else None
        if stamp.recipe.own:
            return None
        recipe, wanted = recipes().get(stamp.recipe.name), stamp.recipe.sha256
        asks = () if recipe is None else (ask for ask in recipe.ask if digest(recipe, ask) == wanted)
        return next((ask.as_layout for ask in asks), None)
    except AudiometryError:
        return None
