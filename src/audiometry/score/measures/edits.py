"""Error rates: the fewest insertions, deletions and substitutions that turn an answer into its reference."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import msgspec

from audiometry.score.measures.measure import Counted, Floats, ratio
from audiometry.score.measures.normal import normaliser_stamps
from audiometry.score.measures.packages import loaded, stamp
from audiometry.score.measures.references import Pair

EDITS, UNITS, SUBSTITUTED, DELETED, INSERTED = range(5)
_PACKAGE: Final = "rapidfuzz"


class ErrorRate(msgspec.Struct, frozen=True, kw_only=True):
    """Edits over the units of the references: of a corpus, all edits over all units, never a mean of rates.

    Of several references the one with the lowest rate counts. What a reply held beyond what is read of it counts as
    insertions, so a reply that never ends cannot look better by being cut.

    Attributes:
        name, about, unit: see `references.Counts`.
        units: the units of a text in a language: its words, or its characters.
        beyond: units of what was cut away.
    """

    name: str
    about: str
    unit: str
    units: Callable[[str, str], Sequence[str]]
    beyond: Callable[[Pair], int]
    columns: tuple[str, ...] = ("edits", "units", "substitutions", "deletions", "insertions")
    scale: str = "log"

    @property
    def higher_is_better(self) -> bool:
        """Fewer errors are better."""
        return False

    @property
    def highest(self) -> float | None:
        """None: insertions have no limit, so a rate may exceed 1."""
        return None

    def count(self, pairs: Sequence[Pair]) -> Counted:
        """Edits and reference units of each pair, and the kinds of edits, ``float64[n, 5]``."""
        import numpy as np

        levenshtein = loaded(self.name, _PACKAGE, "rapidfuzz.distance.Levenshtein")
        distance = levenshtein.distance
        counts = np.zeros((len(pairs), len(self.columns)))
        for row, pair in enumerate(pairs):
            said = self.units(pair.prediction, pair.language)
            beyond, found = self.beyond(pair), []
            for reference in pair.references:
                due = self.units(reference, pair.language)
                found.append((distance(due, said) + beyond, len(due), due))
            edits, n, due = min(found, key=lambda one: (one[0] / max(1, one[1]), one[0]))
            counts[row, :INSERTED] = edits, n, *_kinds(levenshtein, due, said, edits - beyond)
            counts[row, INSERTED] = edits - counts[row, SUBSTITUTED:INSERTED].sum()
        return Counted(counts)

    def value(self, totals: Floats) -> Floats:
        """All edits over all units; NaN where references hold none."""
        return ratio(totals[..., EDITS], totals[..., UNITS])

    def each(self, counts: Floats) -> Floats:
        """The rate of every pair; beside an empty reference, the number of edits."""
        import numpy as np

        return np.asarray(counts[:, EDITS] / np.maximum(counts[:, UNITS], 1))

    def made_with(self, pairs: Sequence[Pair]) -> tuple[str, ...]:
        """Normalisers, their languages, and who counts edits."""
        return (*normaliser_stamps(sorted({pair.language for pair in pairs})), stamp(_PACKAGE))


def _kinds(levenshtein: Any, due: Sequence[str], said: Sequence[str], edits: int) -> tuple[int, int]:
    """How many edits are substitutions and deletions; the alignment is looked for only where lengths do not tell."""
    more = len(due) - len(said)
    changed = 0
    if edits != abs(more):
        changed = sum(one.tag == "replace" for one in levenshtein.editops(due, said))
    return changed, (edits - changed + more) // 2
