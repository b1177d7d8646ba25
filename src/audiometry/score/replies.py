"""The one place that says which recorded reply to an item counts."""

from __future__ import annotations

from collections.abc import Iterator

from audiometry.choices.variant import WITHOUT_CLIP
from audiometry.errors import RunFolderError, shown
from audiometry.records import ReplyRecord
from audiometry.score.opened import OpenedRun

_NONE, _FAILED, _CAME = 0, 1, 2


class Replies:
    """A run's replies, each with its place: the row of its item and the column of its variant.

    Iterating reads the file once and gives, in the order of arrival, every line that counts when it arrives: a later
    one takes the place of an earlier one, but a failure never that of a reply. What was given last for a place counts.

    Args:
        run: whose.

    Raises:
        RunFolderError: (while iterating) a reply to an item that is not in the benchmark.
    """

    def __init__(self, run: OpenedRun) -> None:
        self._run = run
        self.shape = (len(run.positions), len(run.info.variants))
        self._seen = bytearray(self.shape[0] * self.shape[1])

    def __iter__(self) -> Iterator[tuple[int, int, ReplyRecord]]:
        run, seen = self._run, self._seen
        seen[:] = bytes(len(seen))
        every = len(run.positions) == len(run.benchmark)
        rows = None if every else {position: row for row, position in enumerate(run.positions)}
        columns = {variant: column for column, variant in enumerate(run.info.variants)}
        width, position_of = self.shape[1], run.benchmark.items.position
        for record in run.folder.replies():
            row = position_of(record.item)
            if row is None:
                self._refuse(record)
                continue
            if rows is not None:
                row = rows.get(row)
            column = columns.get(record.variant)
            if row is None or column is None:
                continue
            place = row * width + column
            came = _CAME if record.error is None and record.text is not None else _FAILED
            if came < seen[place]:
                continue
            seen[place] = came
            yield row, column, record

    def missing(self) -> Iterator[tuple[int, int]]:
        """Row and column of every reply that was to be asked for and has no line, once all were gone through.

        An item that names no clip is never asked in the variants without it.
        """
        has_clip, width = self._run.benchmark.items.has_clip, self.shape[1]
        silent = [name in WITHOUT_CLIP for name in self._run.info.variants]
        place = self._seen.find(_NONE)
        while place >= 0:
            row, column = divmod(place, width)
            if not silent[column] or has_clip(self._run.positions[row]):
                yield row, column
            place = self._seen.find(_NONE, place + 1)

    def _refuse(self, record: ReplyRecord) -> None:
        """A reply to an unknown item is damage, unless a correction of the benchmark has removed the item."""
        if not self._run.info.benchmark.earlier:
            raise RunFolderError(
                f"{self._run.folder.replies_path}: item '{shown(record.item, 80)}' is not in "
                f"{self._run.benchmark.name}; restore the file"
            )
