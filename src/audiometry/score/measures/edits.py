"""Error rates: the fewest insertions, deletions and substitutions that turn an answer into its reference."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import zip_longest
from typing import Any, Final, TypeAlias

import msgspec

from audiometry.score.measures.languages import UNSPACED
from audiometry.score.measures.measure import Counted, Floats, ratio
from audiometry.score.measures.normal import normaliser_stamps
from audiometry.score.measures.packages import loaded, stamp
from audiometry.score.measures.references import Pair

EDITS, UNITS, SUBSTITUTED, DELETED, INSERTED = range(5)
_PACKAGE: Final = "rapidfuzz"
_MODULE: Final = "rapidfuzz.distance.Levenshtein"

Aligned: TypeAlias = tuple[str, ...]
"""Units that are the same in reference and reply, joined; or one of the reference and one of the reply in its place,
of which one is empty where a unit is missing or added."""


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

        levenshtein = loaded(self.name, _PACKAGE, _MODULE)
        counts: list[int] = []  # of all pairs: an array takes them at once in less time than it takes for some
        for pair in pairs:
            edits, due, said, beyond = self._nearest(levenshtein, pair)
            changed, missing = _kinds(levenshtein, due, said, edits - beyond)
            counts += edits, len(due), changed, missing, edits - changed - missing
        return Counted(np.array(counts, np.float64).reshape(len(pairs), len(self.columns)))

    def aligned(self, pair: Pair, most: int) -> tuple[Aligned, ...] | None:
        """A reply beside its reference as they are counted, unit by unit; None if they have more than ``most`` units.

        Substitutions, deletions and insertions are as many as `count` says, but for what was cut away.
        """
        levenshtein = loaded(self.name, _PACKAGE, _MODULE)
        _, due, said, _ = self._nearest(levenshtein, pair)
        if len(due) + len(said) > most:
            return None
        between = " " if self.unit.endswith("word") and pair.language not in UNSPACED else ""
        found: list[Aligned] = []
        for tag, i, j, k, m in levenshtein.opcodes(due, said):
            if tag == "equal":
                found.append((between.join(due[i:j]),))
            else:
                found += zip_longest(due[i:j], said[k:m], fillvalue="")
        return tuple(found)

    def _nearest(self, levenshtein: Any, pair: Pair) -> tuple[int, Sequence[str], Sequence[str], int]:
        """The edits to the reference with the lowest rate, its units, those of the reply, and those beyond these."""
        said, beyond = self.units(pair.prediction, pair.language), self.beyond(pair)
        if len(pair.references) == 1:  # as nearly everywhere, and a fifth faster
            due = self.units(pair.references[0], pair.language)
            return levenshtein.distance(due, said) + beyond, due, said, beyond
        every = [self.units(reference, pair.language) for reference in pair.references]
        found = [(levenshtein.distance(due, said) + beyond, due) for due in every]
        edits, due = min(found, key=lambda one: (one[0] / max(1, len(one[1])), one[0]))
        return edits, due, said, beyond

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
    changed = edits - abs(more)  # and twice as many as the fewer of insertions and deletions
    if changed > 1:
        changed = sum(kind == "replace" for kind, _, _ in levenshtein.editops(due, said).as_list())
    return changed, (edits - changed + more) // 2
