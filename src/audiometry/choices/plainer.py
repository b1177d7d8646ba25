"""Double negations, quotations and set phrases, put plainly before a text is weighed."""

from __future__ import annotations

import re

from audiometry.choices.needing import Needing
from audiometry.choices.pattern import lazy

#: Quotations, double negations and set phrases, and what they come to.
_PLAINER = (
    (  # what a recorded person says of options is no answer
        Needing(
            lazy(
                r"\b(?:says?|said|saying)\b[^\"\n]{0,20}\"(?=[^\"\n]*\b(?:option|choice|answer)\b)[^\"\n]*\"",
                re.IGNORECASE,
            ),
            "say",
            "said",
        ),
        " ",
    ),
    (
        Needing(
            lazy(
                r"\b(?:can't|cannot|can not|couldn't|could not) be anything (?:but|other than"
                r"|except)\b",
                re.IGNORECASE,
            ),
            "anything",
        ),
        " is ",
    ),
    (
        Needing(
            lazy(
                r"\b(?:can't|cannot|can not|couldn't|could not|not) (?:\w+ )?(?:be )?(?:ruled? out|excluded?"
                r"|eliminated?|dismiss(?:ed)?)\b",
                re.IGNORECASE,
            ),
            "rule",
            "exclude",
            "eliminate",
            "dismiss",
        ),
        " might be ",
    ),
    (
        Needing(
            lazy(
                r"\bwithout (?:a |any )?(?:doubt|question)\b|\bno doubt(?: about it)?\b|\bnot only\b|\bdoubtless\b",
                re.IGNORECASE,
            ),
            "doubt",
            "without",
            "not only",
        ),
        " ",
    ),
    (
        Needing(
            lazy(
                r"\b(?:all|any|every)(?: of)?(?: the)?(?: other)? (?:options?|choices?|answers?|instruments?|ones) "
                r"(?:except|but|other than)(?: for)? ([^.!?\n]{1,60}?) (?:can be|is|are|were|may be) "
                r"(?:ruled out|eliminated|wrong|incorrect|excluded)\b",
                re.IGNORECASE,
            ),
            "ruled out",
            "eliminated",
            "wrong",
            "incorrect",
            "excluded",
        ),
        r"the answer is \1",
    ),
    (
        Needing(
            lazy(r"\b(?:anything|everything|all) (?:but|except|other than)\b", re.IGNORECASE),
            "anything",
            "everything",
            "all but",
            "all except",
            "all other",
        ),
        " not ",
    ),
    (
        Needing(
            lazy(r"\b(?:nothing|none|no one) (?:else )?(?:but|other than)\b", re.IGNORECASE),
            "nothing",
            "none",
            "no one",
        ),
        " ",
    ),
)


def plainer(text: str) -> str:
    """The text with double negations and set phrases that negate nothing put plainly."""
    for pattern, plain in _PLAINER:
        text = pattern.sub(plain, text)
    return text
