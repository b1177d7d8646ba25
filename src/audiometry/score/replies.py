"""A run's replies joined to its items: each with its place, and the places that have none."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

from audiometry.bench.selection import planned
from audiometry.choices.variant import is_of_score
from audiometry.errors import RunFolderError, shown
from audiometry.files.replies import Place, numbered
from audiometry.records import ReplyRecord
from audiometry.score.opened import OpenedRun


class Replies:
    """A run's replies, each with its place: the row of its item and the column of its variant.

    Iterating reads the file once and gives the replies that count (see `files.replies`), one a place at most, in the
    order of arrival; those that the run does not plan are passed over.

    Args:
        run: whose.

    Raises:
        RunFolderError: (while iterating) a reply to an item that is not in the benchmark.
    """

    def __init__(self, run: OpenedRun) -> None:
        self._run = run
        self.shape = (len(run.positions), len(run.info.variants))
        self._seen = bytearray(self.shape[0] * self.shape[1])
        selections = run.info.selections
        every = len(selections) == 1 and all(map(is_of_score, run.info.variants))
        found = {} if every else planned(run.benchmark, selections)
        self._planned = None if every else [found.get(name, frozenset()) for name in run.info.variants]

    def __iter__(self) -> Iterator[tuple[int, int, ReplyRecord]]:
        run, seen = self._run, self._seen
        every = len(run.positions) == len(run.benchmark)
        rows = None if every else {position: row for row, position in enumerate(run.positions)}
        columns = {variant: column for column, variant in enumerate(run.info.variants)}
        width, position_of = self.shape[1], run.benchmark.items.position
        for record in run.folder.replies(self._numbers(columns)):
            position = position_of(record.item)
            if position is None:
                self._refuse(record)
                continue
            row = position if rows is None else rows.get(position)
            column = columns.get(record.variant)
            if row is not None and column is not None and (self._planned is None or self._plans(position, column)):
                seen[row * width + column] = 1
                yield row, column, record

    def _numbers(self, columns: Mapping[str, int]) -> Place:
        """A number for each item and variant: for those of the benchmark by their places, which are known already."""
        position_of, width = self._run.benchmark.items.position, len(columns)
        n, others = len(self._run.benchmark) * width, numbered()

        def place(item: str, variant: str) -> int:
            position, column = position_of(item), columns.get(variant)
            if position is None or column is None:
                return n + others(item, variant)
            return position * width + column

        return place

    def missing(self) -> Iterator[tuple[int, int]]:
        """Row and column of every reply that was to be asked for and has no line, once all were gone through.

        An item that names no clip is never asked in the variants without it, and a variant may have been asked of some
        of the items only.
        """
        width, positions = self.shape[1], self._run.positions
        place = self._seen.find(0)
        while place >= 0:
            row, column = divmod(place, width)
            if self._plans(positions[row], column):
                yield row, column
            place = self._seen.find(0, place + 1)

    def _plans(self, position: int, column: int) -> bool:
        return self._planned is None or position in self._planned[column]

    def _refuse(self, record: ReplyRecord) -> None:
        """A reply to an unknown item is damage, unless a correction of the benchmark has removed the item."""
        if not self._run.info.benchmark.earlier:
            raise RunFolderError(
                f"{self._run.folder.replies_path}: item '{shown(record.item, 80)}' is not in "
                f"{self._run.benchmark.name}; restore the file"
            )


def first_words(run: OpenedRun) -> str:
    """What the commonest kind of failure said the first time; empty where no reply failed.

    Args:
        run: whose replies are read.
    """
    kinds: Counter[str] = Counter()
    said: dict[str, str] = {}
    for _, _, record in Replies(run):
        if record.error is not None:
            kinds[record.error.kind] += 1
            said.setdefault(record.error.kind, record.error.message)
    return said[kinds.most_common(1)[0][0]] if kinds else ""
