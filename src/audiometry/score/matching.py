"""Plain matching: how many replies are matched with a letter, by AIR-Bench's text and by its script."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Final

from audiometry.choices.parsers import airbench, airbench_text
from audiometry.choices.variant import with_clip
from audiometry.score.counts import PlainMatching
from audiometry.score.measures.accuracy import MEASURE
from audiometry.score.profiles import DEFAULT, PROFILES
from audiometry.score.readers.choice import LetterReader
from audiometry.score.sheet import Sheet, Wanted

_KEPT: Final = 256  # replies, as letters come again and again
TEXT: Final = "airbench-text"
SCRIPT: Final = "airbench-script"
RULES: Final = {
    TEXT: "'B', 'B.' or 'B)' and no more, as the text beside table 4 has it",
    SCRIPT: "the first character, else the second to last",
}
"""Who looks for a letter, and where. What the paper printed in table 4 stands beside the first."""


def matching() -> dict[str, Wanted]:
    """The sheets that tell how many replies plain matching reads, in the order of `RULES`."""
    profile = PROFILES.named(DEFAULT)
    script = lru_cache(_KEPT)(airbench.read)
    parsers = {TEXT: airbench_text.read, SCRIPT: lambda reply, _: script(reply)}
    return {
        name: Wanted(
            profile=profile, measure=MEASURE, readers={"choice": LetterReader(name=name, parser=parsers[name])}
        )
        for name in RULES
    }


def plain_matching(sheets: Mapping[str, Sheet]) -> dict[str, PlainMatching]:
    """How many of the replies with their own clips each parser reads a letter from.

    Args:
        sheets: by the parser's name.
    """
    found = {}
    for name, sheet in sheets.items():
        own = sheet.of(variants=with_clip(sheet.variants))
        n = int(((own.state >= 0) & ~own.lost).sum())
        n_read = int((own.letter >= 0).sum())
        found[name] = PlainMatching(n_read=n_read, n_replies=n, share=n_read / n if n else None)
    return found
