"""Keys of contents, many of them in little memory."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Iterator

WIDTH = 16  # hexadecimal digits of a key that are kept: no two of a run's contents have the same ones but by miracle


class Keys:
    """A growing collection of keys, eight bytes each; looked into once it is settled."""

    def __init__(self) -> None:
        self._all = array("Q")
        self._different = array("Q")

    def add(self, key: str) -> None:
        """One more; it may be there already."""
        self._all.append(short(key))

    def settled(self) -> Keys:
        """Itself, sorted, each key once."""
        import numpy as np

        self._different = array("Q", np.unique(np.frombuffer(self._all, np.uint64)).tobytes() if self._all else b"")
        return self

    def repeated(self) -> frozenset[int]:
        """Those that were added more than once."""
        import numpy as np

        if not self._all:
            return frozenset()
        found, count = np.unique(np.frombuffer(self._all, np.uint64), return_counts=True)
        return frozenset(found[count > 1].tolist())

    def __len__(self) -> int:
        return len(self._different)

    def __iter__(self) -> Iterator[int]:
        return iter(self._different)

    def __contains__(self, key: object) -> bool:
        if not isinstance(key, str):
            return False
        number = short(key)
        at = bisect_left(self._different, number)
        return at < len(self._different) and self._different[at] == number


def short(key: str) -> int:
    """A key as a number."""
    try:
        return int(key[:WIDTH], 16)
    except ValueError:  # of a journal that somebody wrote otherwise
        return hash(key) & 0xFFFF_FFFF_FFFF_FFFF
