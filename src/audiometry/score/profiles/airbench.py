"""AIR-Bench's own scoring of its foundation part: what cannot be read is not counted.

Only replies from which a letter was read are in the denominator, so leaving hard
items unanswered raises the number, and a folder or task without a readable reply has no number at all. With several
variants, an item's readable replies are averaged, and an item without any is left out.

The script prints accuracy by folder. The averages are the paper's (tables 3 and 5): mean of tasks in a category, mean
of the categories. The items of a task's folders are pooled; how the paper merged them is not stated.

Source: AIR-Bench (arXiv 2402.07729) §4.1 to 4.2, and the scoring script published with it.
"""

from __future__ import annotations

from audiometry.choices.parsers import airbench
from audiometry.score.judge.rules import RULES
from audiometry.score.profiles import MEASURES, Profile
from audiometry.score.readers.choice import LetterReader
from audiometry.score.readers.judged import JudgedReader

PROFILE = Profile(
    name="airbench",
    about="AIR-Bench's script: first or second-to-last character; unreadable and failed replies are not counted",
    readers={
        "choice": LetterReader(name="airbench", parser=lambda reply, _: airbench.read(reply), letters=airbench.LETTERS),
        "open": JudgedReader(rules=RULES["airbench"]),
    },
    measures=MEASURES | {"open": "judge-score-0"},
    denominator="readable",
)
