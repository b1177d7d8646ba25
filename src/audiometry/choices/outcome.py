"""What a text says of its options in sum: that one is left when the others are dismissed, or that it cannot decide."""

from __future__ import annotations

import re

from audiometry.choices.needing import Needing
from audiometry.choices.pattern import lazy

UNDECIDED = Needing(  # of the model itself
    lazy(
        r"\b(?:i|we) (?:\w+ )?(?:can't|cannot|can not|couldn't|could not|(?:am |are |was )?(?:un|not )able to)\s"
        r"(?:\w+\s){0,2}?(?:decide\b|(?:choose|pick|tell|distinguish)\b[^.!?\n\"]{0,20}\b(?:between|apart|which)\b)"
        r"|\b(?:hard|difficult|impossible|tough) to (?:decide|choose|pick|tell|distinguish|say)\s(?:\w+\s){0,2}?"
        r"(?:between|apart|which (?:of|one|option|is)\b)|\btoss-up\b|\btoo close to call\b|\b(?:i'm|i am) undecided\b"
        r"|\bboth (?:(?:of (?:them|these)|options|answers) )?(?:(?:would|could|might|seem to) )?(?:equally )?"
        r"(?:fit|work|(?:are|be|seem) (?:equally )?(?:possible|plausible|likely|right|correct))\b"
        r"|\beither (?:(?:one|option|of (?:them|these|the two)) )?(?:could|would|might) (?:be|fit|work)\b",
        re.IGNORECASE,
    ),
    *("decide", "choose", "pick", "tell", "distinguish", " to say", "toss-up", "close to call", "both ", "either "),
)
LEFT_BEFORE = Needing(  # what every other option's dismissal comes to
    lazy(
        r"\b(?:leaves|leaving|left (?:is|with)|only (?:\w+ )?(?:left|remaining)(?: \w+)? is"
        r"|remaining (?:one|option|choice|answer) is|(?:remains|remain) (?:only )?)\s?"
        r"(?:(?:us|me|only|just|with|the|option|choice|answer|letter|as)\s){0,4}[\"'(]*$",
        re.IGNORECASE,
    ),
    *("leav", "left", "remain"),
)
LEFT_AFTER = lazy(
    r"^[\"')]*\s(?:is|remains)\s(?:as )?(?:the )?(?:only|last|sole)\s(?:\w+\s)?(?:left|remaining|one)\b", re.IGNORECASE
)
REASON = lazy(r"\b(?:since|because|as|for|given)\b", re.IGNORECASE)
LIKEWISE = lazy(
    r"[^.!?;\n]{0,60}[\s,](?:(?:and\s)?so|as|nor|neither)\s(?:is|are|was|were|does|do)\s(?:(?:the|an?|option)\s)?[\"'(]?",
    re.IGNORECASE,
)
