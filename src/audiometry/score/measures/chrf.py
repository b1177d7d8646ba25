"""chrF by sacrebleu: character n-grams, so it needs no words and no tokenizer.

Source: Popović 2015, "chrF: character n-gram F-score for automatic MT evaluation".
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any, Final

from audiometry.score.measures.bleu import PACKAGE, signature
from audiometry.score.measures.measure import Counted, Floats
from audiometry.score.measures.packages import loaded
from audiometry.score.measures.references import ByReference, Pair

NAME: Final = "chrf"
ORDER, BETA = 6, 2


class Chrf:
    """chrF of a corpus from the summed counts of its sentences, six orders, recall twice as important."""

    name = NAME
    about = "character n-gram F score, by sacrebleu; for translation, in any language"
    unit = "chrF, 0 to 100"
    higher_is_better = True
    highest: float | None = 100.0
    columns = tuple(f"{what}-{n}" for n in range(1, 7) for what in ("answer", "reference", "both"))

    def count(self, pairs: Sequence[Pair]) -> Counted:
        """N-grams of the answer, of the reference, and in both, by order: ``float64[n, 18]``."""
        import numpy as np

        counts = np.zeros((len(pairs), 3 * ORDER))
        for row, pair in enumerate(pairs):
            # the counts have no public name; the tests hold their sums to `corpus_score`
            found = _sacre()._extract_corpus_statistics([pair.prediction], [[r] for r in pair.references])  # noqa: SLF001
            counts[row] = found[0]
        return Counted(counts)

    def value(self, totals: Floats) -> Floats:
        """As sacrebleu's ``corpus_score``; NaN of nothing."""
        import numpy as np

        by_order = totals.reshape(*totals.shape[:-1], ORDER, 3)
        said, due, both = by_order[..., 0], by_order[..., 1], by_order[..., 2]
        counted = (said > 0) & (due > 0)
        orders = np.maximum(counted.sum(axis=-1), 1)
        precision = np.divide(both, said, out=np.zeros(both.shape), where=counted).sum(axis=-1) / orders
        recall = np.divide(both, due, out=np.zeros(both.shape), where=counted).sum(axis=-1) / orders
        below = BETA**2 * precision + recall
        score = np.divide(100 * (1 + BETA**2) * precision * recall, below, out=np.zeros(below.shape), where=below > 0)
        return np.where(due.any(axis=-1) | said.any(axis=-1), score, np.nan)

    def each(self, counts: Floats) -> Floats:
        """As sacrebleu's ``sentence_score``."""
        import numpy as np

        return np.nan_to_num(self.value(counts))

    def made_with(self, pairs: Sequence[Pair]) -> tuple[str, ...]:
        """Sacrebleu's own signature."""
        return (signature(loaded(NAME, PACKAGE, "sacrebleu.metrics").CHRF(), pairs),)


@cache
def _sacre() -> Any:
    return loaded(NAME, PACKAGE, "sacrebleu.metrics").CHRF()


MEASURE = ByReference(Chrf())
