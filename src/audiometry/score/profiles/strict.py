"""The house's own rules, and the default: every item counts, nothing is guessed."""

from __future__ import annotations

from audiometry.score.judge.rules import RULES
from audiometry.score.profiles import Profile
from audiometry.score.readers.choice import HouseReader
from audiometry.score.readers.judged import JudgedReader
from audiometry.score.readers.label import LABEL
from audiometry.score.readers.words import WORDS

PROFILE = Profile(
    name="strict",
    about="audiometry's own: all items in the denominator, unreadable replies are never guessed",
    readers={"choice": HouseReader(), "label": LABEL, "transcript": WORDS, "open": JudgedReader(rules=RULES["strict"])},
)
