"""A review as it stands in its folder: what is asked, of which units, and all that was said."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path

import msgspec

from audiometry.bench import Benchmark
from audiometry.errors import BenchmarkError, RunFolderError, UsageError, counted, shown
from audiometry.files import atomic
from audiometry.files.build_folder import is_build
from audiometry.files.journal import Journal
from audiometry.files.rating_lines import each
from audiometry.records import RatingLine
from audiometry.review.answers import Answers
from audiometry.review.desk import Desk
from audiometry.review.folder import ANSWERED, INSIDE, ReviewFolder, Settings, begun
from audiometry.review.modes import OF_ITEMS
from audiometry.review.modes.mode import Mode
from audiometry.review.sources import items
from audiometry.review.unit import Unit, drawn


class Review(msgspec.Struct, frozen=True):
    """A review.

    Attributes:
        folder: where it is kept.
        mode: what is asked.
        settings: of whom.
        units: about what.
    """

    folder: ReviewFolder
    mode: Mode
    settings: Settings
    units: tuple[Unit, ...]

    def answers(self) -> Answers:
        """What was said so far."""
        return Answers({unit.key: unit for unit in self.units}, self.folder.lines(), self.mode.takes)

    def ratings(self) -> list[RatingLine]:
        """Every rater's last word on every unit, as rating lines."""
        answers = self.answers()
        return [line for unit in self.units for said in answers.of(unit.key) for line in self.mode.ratings(unit, said)]

    @contextmanager
    def desk(self) -> Iterator[Desk]:
        """The desk, while this process alone writes to the folder.

        Raises:
            RunFolderError: another process does, or a line of the answers is damaged.
            StorageError: the disk refused.
        """
        self.folder.refuse_odd()
        if not self.folder.exists():
            self.folder.write_settings(self.settings)
        with Journal(self.folder.answers_path) as journal:
            yield Desk(
                self.mode,
                self.units,
                raters=self.settings.raters,
                seed=self.settings.seed,
                salt=self.settings.salt,
                journal=journal,
                lines=self.folder.lines(),
            )

    def with_links(self, links: Mapping[str, str]) -> Review:
        """The same with links of raters, which the folder keeps from now on; who has a new one loses the old."""
        kept = {key: name for key, name in self.settings.links.items() if name not in links.values()}
        settings = msgspec.structs.replace(self.settings, links={**kept, **links})
        self.folder.write_settings(settings)
        return msgspec.structs.replace(self, settings=settings)

    def export(self, path: Path) -> int:
        """Write the ratings as a rating file; how many there are.

        Raises:
            UsageError: there are none, or the file holds something else.
            StorageError: the disk refused.
        """
        lines = self.ratings()
        if not lines:
            raise UsageError(
                f"nobody has said anything yet in {shown(str(self.folder.path), 200)}, so nothing is written; have "
                "people review first"
            )
        if not _may_be_replaced(path):
            raise UsageError(f"{shown(str(path), 200)} holds something else than ratings; give another file")
        atomic.write_records(path, lines)
        return len(lines)


def _may_be_replaced(path: Path) -> bool:
    """Whether nothing is lost where ratings are written: the file is not there, is empty, or holds ratings."""
    try:
        return not path.exists() or all(isinstance(line, RatingLine) for _, line in islice(each(path), 1))
    except UsageError:
        return False


def reviewed(
    folder: ReviewFolder, mode: Mode, units: Sequence[Unit], of: tuple[str, ...], given: Mapping[str, int | None]
) -> Review:
    """The review that a folder holds, or a new one.

    Args:
        folder: where it is kept.
        mode: what is asked.
        units: all that there are.
        of: names of what is reviewed.
        given: ``raters``, ``sample`` and ``seed`` as a person has set them; None where they are not said.

    Raises:
        UsageError: there is nothing to review, or the folder holds another review.
    """
    said = {name: value for name, value in given.items() if value is not None}
    wanted = Settings(mode=mode.name, of=of, raters=mode.raters)
    wanted = msgspec.structs.replace(wanted, **said)
    some = drawn(units, wanted.sample, wanted.seed)
    if wanted.sample is not None:
        wanted = msgspec.structs.replace(wanted, units=tuple(sorted(unit.key for unit in some)))
    settings = begun(folder, wanted, said)
    if settings.sample is not None:
        some = [unit for unit in units if unit.key in set(settings.units)]
    if not some:
        raise UsageError(
            f"there is nothing to review in mode {mode.name}: {', '.join(of)} has no such items or replies"
        )
    return Review(folder, mode, settings, tuple(some))


def unreviewed(benchmark: Benchmark) -> tuple[int, int] | None:
    """How many of a benchmark's items nobody has judged, and of how many; None where nobody was ever to review it."""
    folders = {
        mode: ReviewFolder(benchmark.root / place) for place, mode in ((INSIDE, "approve"), (ANSWERED, "answer"))
    }
    begun_ones = {mode: folder for mode, folder in folders.items() if folder.exists()}
    if not begun_ones:
        return (len(benchmark), len(benchmark)) if is_build(benchmark.root) else None
    units = {unit.key: unit for unit in items(benchmark)}
    said = [Answers(units, folder.lines(), OF_ITEMS[mode].takes) for mode, folder in begun_ones.items()]
    return sum(not any(one.n(key) for one in said) for key in units), len(units)


def said_unreviewed(benchmark: Benchmark) -> str:
    """The same in words; empty where all are judged, or nobody was ever to.

    A review that cannot be read keeps nobody from a run or a score: then that is said.
    """
    try:
        n, of = unreviewed(benchmark) or (0, 0)
    except (RunFolderError, BenchmarkError) as problem:
        return f"how much of it is reviewed is not known: {problem}"
    return f"{n:,} of {counted(of, 'item')} ({100 * n / of:.1f} %) are unreviewed" if n else ""
