"""lmms-eval's scoring of AIR-Bench foundation: what cannot be read is guessed.

One of the item's own letters is drawn for every reply that cannot be read and, as failed requests reach its parser as
empty text, for every reply that failed or is missing. The stream is named by the seed of the run, ``lmms-eval``, the
item's id and the variant. Guesses are counted; they are no answers, so ``n_answered`` and ``over_answered`` leave them
out.

A category's number, and the headline, is accuracy over items (the port reports its three splits, which are the
paper's categories, and no average of them: the headline here is over all items).

Source: the foundation tasks ``air_bench_foundation_*`` of lmms-eval.
"""

from __future__ import annotations

from audiometry.choices.parsers import lmms_eval
from audiometry.score.judge.rules import RULES
from audiometry.score.profiles import MEASURES, Profile
from audiometry.score.readers.choice import LetterReader
from audiometry.score.readers.judged import JudgedReader

PROFILE = Profile(
    name="lmms-eval",
    about="lmms-eval's port: (A), ' A ' or 'A.'; a random letter for what cannot be read or failed; mean of items",
    readers={
        "choice": LetterReader(name="lmms-eval", parser=lmms_eval.read),
        "open": JudgedReader(rules=RULES["lmms-eval"]),
    },
    measures=MEASURES | {"open": "judge-score-0"},
    version=2,
    average="items",
    guess=lmms_eval.guess,
    without_overall=frozenset({"open"}),
)
