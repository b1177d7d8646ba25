"""BLEU by sacrebleu, whose tokenizer follows the language and whose signature is kept word for word.

Source: Papineni et al. 2002; Post 2018, "A call for clarity in reporting BLEU scores".
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any, Final

from audiometry.errors import UsageError
from audiometry.score.measures.languages import UNSPACED
from audiometry.score.measures.measure import Counted, Floats
from audiometry.score.measures.packages import loaded
from audiometry.score.measures.references import ByReference, Pair

NAME: Final = "bleu"
PACKAGE: Final = "sacrebleu"
ORDER: Final = 4
_TOKENIZED: Final = {"zh": "zh", "yue": "zh", "ja": "ja-mecab", "ko": "ko-mecab"}
_EXTRA: Final = {"ja-mecab": "ja", "ko-mecab": "ko"}
_ANSWER, _REFERENCE, _RIGHT, _ALL = 0, 1, slice(2, 2 + ORDER), slice(2 + ORDER, 2 + 2 * ORDER)


class Bleu:
    """BLEU of a corpus from the summed counts of its sentences; of a sentence with effective order."""

    name = NAME
    about = "n-gram precision with brevity penalty, by sacrebleu; for translation"
    unit = "BLEU, 0 to 100"
    higher_is_better = True
    highest: float | None = 100.0
    columns = ("answer", "reference", *(f"{what}-{n}" for what in ("right", "all") for n in range(1, 5)))

    def count(self, pairs: Sequence[Pair]) -> Counted:
        """Lengths of answer and reference, matching n-grams by order, n-grams by order: ``float64[n, 10]``."""
        import numpy as np

        counts = np.zeros((len(pairs), 2 + 2 * ORDER))
        for row, pair in enumerate(pairs):
            found = _sacre(tokenizer_of(pair.language)).sentence_score(pair.prediction, pair.references)
            counts[row] = (found.sys_len, found.ref_len, *found.counts, *found.totals)
        return Counted(counts)

    def value(self, totals: Floats) -> Floats:
        """As sacrebleu's ``corpus_score`` with its defaults: four orders, exponential smoothing; NaN of nothing."""
        return _bleu(totals, effective=False)

    def each(self, counts: Floats) -> Floats:
        """As sacrebleu's ``sentence_score`` with effective order."""
        import numpy as np

        return np.nan_to_num(_bleu(counts, effective=True))

    def made_with(self, pairs: Sequence[Pair]) -> tuple[str, ...]:
        """Sacrebleu's own signature, one for each tokenizer."""
        tokenizers = sorted({tokenizer_of(pair.language) for pair in pairs})
        make = loaded(NAME, PACKAGE, "sacrebleu.metrics").BLEU
        return tuple(signature(make(tokenize=tokenizer), pairs) for tokenizer in tokenizers)


def signature(own: Any, pairs: Sequence[Pair]) -> str:
    """What a metric of sacrebleu says of itself, with the number of references of these pairs."""
    numbers = {len(pair.references) for pair in pairs}
    own.num_refs = numbers.pop() if len(numbers) == 1 else -1
    return f"{PACKAGE}|{own.get_signature()}"


def tokenizer_of(language: str) -> str:
    """Sacrebleu's tokenizer for a language: its own choice, and characters where it has none for unspaced text."""
    return _TOKENIZED.get(language, "char" if language in UNSPACED else "13a")


@cache
def _sacre(tokenizer: str) -> Any:
    make = loaded(NAME, PACKAGE, "sacrebleu.metrics").BLEU
    try:
        return make(tokenize=tokenizer, effective_order=True)
    except (RuntimeError, ImportError) as problem:  # what sacrebleu raises differs with the tokenizer
        extra = _EXTRA.get(tokenizer, "")
        raise UsageError(
            f"measure '{NAME}' needs MeCab for language '{extra}'; run: pip install 'sacrebleu[{extra}]', or use chrf, "
            "which needs no words"
        ) from problem


def _bleu(totals: Floats, *, effective: bool) -> Floats:
    import numpy as np

    said, due = totals[..., _ANSWER], totals[..., _REFERENCE]
    right, all_ = totals[..., _RIGHT], totals[..., _ALL]
    smoothing = np.ones(said.shape)
    logs, orders = np.zeros(said.shape), np.zeros(said.shape)
    open_ = np.ones(said.shape, dtype=bool)  # no order without n-grams so far
    for n in range(ORDER):
        open_ &= all_[..., n] > 0
        none = open_ & (right[..., n] == 0)
        smoothing = np.where(none, 2 * smoothing, smoothing)
        hits = np.where(none, 1 / smoothing, right[..., n])
        share = np.divide(hits, all_[..., n], out=np.ones(said.shape), where=open_)
        logs += np.log(np.where(open_, share, 1.0))
        orders += open_
    brevity = np.exp(np.minimum(0.0, 1 - np.divide(due, said, out=np.zeros(said.shape), where=said > 0)))
    whole = open_ | effective  # without effective order an order without n-grams makes the product 0
    score = np.where(whole & right.any(axis=-1), 100 * brevity * np.exp(logs / np.maximum(orders, 1)), 0.0)
    return np.where(due + said > 0, score, np.nan)


MEASURE = ByReference(Bleu())
