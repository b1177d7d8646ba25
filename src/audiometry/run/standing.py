"""Which replies of a run still answer what would be asked now: found by what shaped them, never by name alone.

Words are laid out anew and hashed, which costs little. Clips are not converted to know that they are the same: a file
whose size, times and number are those of then is taken for the same, any other is hashed. A file that is not there says
nothing, and the reply stands.
"""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from functools import lru_cache, partial
from itertools import islice

import msgspec

from audiometry.choices.variant import OTHER_CLIP, REPLACED, TEXT_ONLY
from audiometry.dispatch.ask import prompt_sha256
from audiometry.errors import AudioError
from audiometry.files import replies
from audiometry.files.run_folder import RunFolder
from audiometry.files.stamp import sha256_of, stat_of
from audiometry.records import Item, ReplyRecord
from audiometry.records.reply import ExampleClip
from audiometry.run.layout import A_CLIP
from audiometry.run.plan import Plan
from audiometry.run.variants.other_clip import MOST_BROKEN

FILES = 4096  # whose state is remembered, since the items and variants of a clip often follow one another


class Line(msgspec.Struct):
    """What of a line of ``replies.jsonl`` tells whether it stands."""

    item: str
    variant: str = "plain"
    prompt_sha256: str = ""
    audio_sha256: str = ""
    file_sha256: str = ""
    file_stat: str = ""
    audio_changes: tuple[str, ...] = ()
    examples: tuple[ExampleClip, ...] = ()
    at: str = ""


class Standing(msgspec.Struct):
    """The replies of a run that stand, and what became of the others.

    Attributes:
        done: item and variant of every reply that stands; recorded failures are to be asked again.
        changed: those whose last reply no longer stands.
        taken_back: something was taken back before, and may stand again.
        gone: there are replies to items that are no more, or have another id.
        since, until: when the first and the last of the replies that stand came, UTC, ISO 8601; empty for none.
    """

    done: set[tuple[str, str]] = msgspec.field(default_factory=set)
    changed: set[tuple[str, str]] = msgspec.field(default_factory=set)
    taken_back: bool = False
    gone: bool = False
    since: str = ""
    until: str = ""

    def add(self, item: str, variant: str, at: str) -> None:
        """Count a reply that stands."""
        self.done.add((item, variant))
        if at:
            self.since, self.until = min(self.since or at, at), max(self.until, at)


class Stands:
    """Whether a reply answers what a plan would ask now.

    Args:
        plan: what would be asked.
    """

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._path = lru_cache(FILES)(partial(plan.benchmark.clip_path, fetch=False))
        self._stat = lru_cache(FILES)(self._stat_now)
        self._sha256 = lru_cache(FILES)(self._sha256_now)

    def __call__(self, line: Line | ReplyRecord, *, words: bool, unknown: bool) -> bool:
        """Whether it stands.

        Args:
            line: a reply.
            words: look at the words too; not needed where the benchmark is still the one that was asked.
            unknown: what to say of one that does not tell which files were behind it.
        """
        item = self._plan.benchmark.item(line.item)
        if item is None:
            return False
        if (words and line.prompt_sha256 != self._words(item, line.variant)) or not self._after(item, line):
            return False
        if line.variant == TEXT_ONLY or not item.clips:
            return not line.audio_sha256
        if not line.file_sha256 and any(not change.startswith(REPLACED) for change in line.audio_changes):
            return unknown
        if line.variant == OTHER_CLIP:
            return self._other(item, line)
        return self._files(item.clips, line)

    def knows(self, item: str) -> bool:
        """Whether there is such an item."""
        return self._plan.benchmark.items.position(item) is not None

    def shape(self, item: str, variant: str) -> tuple[str, str, str]:
        """What a reply to an item tells of it, whatever its id: variant, hash of the words, hashes of the files."""
        found = self._plan.benchmark.items.at(self._plan.benchmark.items.position(item) or 0)
        names = () if variant == TEXT_ONLY else found.clips
        return variant, self._words(found, variant), "+".join(self._sha256(name, self._stat(name)) for name in names)

    def _words(self, item: Item, variant: str) -> str:
        clips = [] if variant == TEXT_ONLY else [A_CLIP] * len(item.clips)
        try:
            return prompt_sha256(self._plan.words(item, variant, clips))
        except AudioError:  # too few examples are left for it
            return ""

    def _after(self, item: Item, line: Line | ReplyRecord) -> bool:
        """Whether the clips of the examples before it are those of then."""
        if not line.examples:
            return True
        names = [name for shot in self._plan.shots.of(item, line.variant) for name in shot.clips]
        if len(names) != len(line.examples):
            return False
        return all(
            self._same(name, clip.file_sha256 or clip.sha256, clip.file_stat)
            for name, clip in zip(names, line.examples, strict=True)
        )

    def _files(self, names: tuple[str, ...], line: Line | ReplyRecord) -> bool:
        hashes = (line.file_sha256 or line.audio_sha256).split("+")
        stats = line.file_stat.split("+") if line.file_stat else [""] * len(hashes)
        if len(hashes) != len(names) or len(stats) != len(names):
            return False
        return all(map(self._same, names, hashes, stats))

    def _same(self, name: str, sha256: str, stat: str) -> bool:
        now = self._stat(name)
        return not now or now == stat or self._sha256(name, now) in {sha256, ""}

    def _other(self, item: Item, line: Line | ReplyRecord) -> bool:
        """Whether the clip that would stand in is the one that did: the first candidate's that can be used."""
        for other in islice(self._plan.others.candidates(item), MOST_BROKEN):
            names = tuple(other.clips[k % len(other.clips)] for k in range(len(item.clips)))
            if self._files(names, line):
                return True
            same = {self._sha256(name, self._stat(name)) for name in item.clips}
            if all(map(self._plan.clips.usable, other.clips)) and same.isdisjoint(
                self._sha256(name, self._stat(name)) for name in other.clips
            ):
                return False
        return False

    def _stat_now(self, name: str) -> str:
        return self._plan.clips.stat(name) or stat_of(self._path(name))

    def _sha256_now(self, name: str, _stat: str) -> str:
        return sha256_of(self._path(name))


def standing(folder: RunFolder, stands: Stands, variants: AbstractSet[str], *, words: bool) -> Standing:
    """What is there of a run and still stands; of an item and variant the reply that counts.

    Args:
        folder: of the run.
        stands: whether a reply still answers what would be asked; an item that was removed is passed over.
        variants: which matter.
        words: see `Stands`.
    """
    counting = replies.look(folder.replies_path)
    found = Standing(taken_back=counting.taken_back)
    for line in replies.that_count(folder.replies_path, Line, counting, failures=False):
        if line.variant not in variants:
            continue
        if not stands.knows(line.item):
            found.gone = True
        elif stands(line, words=words, unknown=True):
            found.add(line.item, line.variant, line.at)
        else:
            found.changed.add((line.item, line.variant))
    return found
