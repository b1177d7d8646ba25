"""How much of published data is there: rows, rows with audio, rows left out and why. Nothing vanishes."""

from __future__ import annotations

import msgspec


class FolderCount(msgspec.Struct, frozen=True, kw_only=True):
    """One data folder of a release.

    Attributes:
        folder: its name.
        rows: rows of the metadata that name it.
        with_audio: those whose clip is there and not empty.
        kept: those that became items.
        dropped: the others, by reason.
        noted: those that became items though something is missing, by what it is.
        named: clips of the first rows that were dropped or noted, by reason; empty where rows are not named.
    """

    folder: str
    rows: int
    with_audio: int
    kept: int
    dropped: dict[str, int]
    noted: dict[str, int] = {}
    named: dict[str, tuple[str, ...]] = {}


class Counter:
    """Counts one folder while its rows are read.

    Args:
        folder: its name.
        most_named: so many rows are named for each reason.
    """

    def __init__(self, folder: str, most_named: int = 0) -> None:
        self.folder, self.rows, self.with_audio, self.kept = folder, 0, 0, 0
        self.dropped: dict[str, int] = {}
        self.noted: dict[str, int] = {}
        self._most_named = most_named
        self._named: dict[str, list[str]] = {}

    def drop(self, reason: str, name: str = "") -> None:
        """One row is left out."""
        self.dropped[reason] = self.dropped.get(reason, 0) + 1
        self._name(reason, name)

    def note(self, lack: str, name: str = "") -> None:
        """One row became an item though that is missing."""
        self.noted[lack] = self.noted.get(lack, 0) + 1
        self._name(lack, name)

    def _name(self, reason: str, name: str) -> None:
        named = self._named.setdefault(reason, [])
        if name and len(named) < self._most_named:
            named.append(name)

    def count(self) -> FolderCount:
        """The counts so far."""
        return FolderCount(
            folder=self.folder,
            rows=self.rows,
            with_audio=self.with_audio,
            kept=self.kept,
            dropped=dict(sorted(self.dropped.items())),
            noted=dict(sorted(self.noted.items())),
            named={reason: tuple(names) for reason, names in sorted(self._named.items()) if names},
        )
