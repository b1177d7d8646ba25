"""A hash table from the ids of items to their places that holds no id: 20 to 30 bytes each."""

from __future__ import annotations

from array import array
from collections.abc import Iterable


class IdTable:
    """Ids by place, from 0: first all are added, then it is settled, then places are asked for.

    Which of two ids with the same hash is meant, whoever holds the ids has to look up; of 100,000 ids that is once in
    four billion tables.
    """

    def __init__(self) -> None:
        self._hashes, self._slots = array("q"), array("i")

    def add(self, names: Iterable[str]) -> None:
        """Give the next places to these ids."""
        self._hashes.extend(map(hash, names))

    def settle(self) -> bool:
        """Make ready for questions; whether all ids differ for certain, as their hashes do."""
        slots = self._slots = array("i", [-1]) * (1 << (2 * len(self._hashes) + 1).bit_length())
        mask, alike = len(slots) - 1, False
        for place, code in enumerate(self._hashes):
            at = code & mask
            while (there := slots[at]) >= 0:
                alike = alike or self._hashes[there] == code
                at = at + 1 & mask
            slots[at] = place
        return not alike

    def places(self, name: str) -> list[int]:
        """Where that id can be: nearly always one place, or none."""
        slots, code, mask, found = self._slots, hash(name), len(self._slots) - 1, list[int]()
        at = code & mask
        while (there := slots[at]) >= 0:
            if self._hashes[there] == code:
                found.append(there)
            at = at + 1 & mask
        return found
