"""Keys of contents, and texts by key, many of them in little memory."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator

_LATE = 4_096  # texts that are held apart until they are sorted in
WIDTH = 16  # hexadecimal digits of a key that are kept: no two of a run's contents have the same ones but by miracle
_LARGEST = 0xFFFF_FFFF_FFFF_FFFF


class Keys:
    """Some keys, each once, eight bytes each.

    Args:
        numbers: what `short` makes of them; they may come again.
    """

    def __init__(self, numbers: Iterable[int] = ()) -> None:
        import numpy as np

        self._different = array("Q", np.unique(np.fromiter(numbers, np.uint64)).tobytes())

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


class Texts:
    """Texts by key, twelve bytes each and equal texts once; the last one of a key counts."""

    def __init__(self) -> None:
        self._keys, self._codes = array("Q"), array("I")
        self._late: dict[int, int] = {}
        self._texts: list[str] = []
        self._known: dict[str, int] = {}

    def add(self, key: int, text: str) -> None:
        """One more."""
        code = self._known.setdefault(text, len(self._texts))
        if code == len(self._texts):
            self._texts.append(text)
        self._late[key] = code
        if len(self._late) > _LATE:
            self._settle()

    def get(self, key: int) -> str | None:
        """The text of a key; None if there is none."""
        code = self._late.get(key)
        if code is None:
            at = bisect_left(self._keys, key)
            if at == len(self._keys) or self._keys[at] != key:
                return None
            code = self._codes[at]
        return self._texts[code]

    def __len__(self) -> int:
        if self._late:
            self._settle()
        return len(self._keys)

    def __iter__(self) -> Iterator[int]:
        if self._late:
            self._settle()
        return iter(self._keys)

    def _settle(self) -> None:
        """Put what came late among the sorted ones."""
        import numpy as np

        keys = np.concatenate((np.array(self._keys, np.uint64), np.array(list(self._late), np.uint64)))
        codes = np.concatenate((np.array(self._codes, np.uint32), np.array(list(self._late.values()), np.uint32)))
        order = np.argsort(keys, kind="stable")
        keys, codes = keys[order], codes[order]
        last = np.append(keys[1:] != keys[:-1], True)
        self._keys, self._codes = array("Q", keys[last].tobytes()), array("I", codes[last].tobytes())
        self._late = {}


def short(key: str) -> int:
    """A key as a number."""
    try:
        return int(key[:WIDTH], 16) & _LARGEST  # a sign is none of ours
    except ValueError:  # of a journal that somebody wrote otherwise
        return hash(key) & _LARGEST
