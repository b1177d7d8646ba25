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
                r"\b(?:can't|cannot|can not|couldn't|could not|(?:can|could) (?:hardly|barely|scarcely)) be anything "
                r"(?:but|other than|except)\b",
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
                r"\b(?:without|beyond|no|little|hardly any) (?:a |any |all |much )?(?:doubt|question)\b(?: about it\b)?"
                r"|\bnot only\b|\bdoubtless\b|\b(?:do not|don't|never|cannot|can't) (?:\w+ )?doubt\b",
                re.IGNORECASE,
            ),
            "doubt",
            "question",
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
            lazy(r"\b(?:nothing|none|no one) (?:else )?(?:but|other than|except)\b", re.IGNORECASE),
            "nothing",
            "none",
            "no one",
        ),
        " ",
    ),
    (  # of boxes to tick those left empty, and the tick of the others
        Needing(lazy(r"^[ \t]{0,9}[-+•]?[ \t]?\[(?: ?\][^\n]*|x\])", re.MULTILINE | re.IGNORECASE), "["),
        " ",
    ),
)


_CHECKED = lazy(r"[✓✔✅☑]")
_CROSSED_LINE = lazy(  # of a list in which one line alone is checked
    r"^(?:[^\n✓✔✅☑]{1,300}[✗✘✖❌][^\w\n✓✔✅☑]{0,9}|\W{0,9}[✗✘✖❌][^\n✓✔✅☑]{1,300})$", re.MULTILINE
)


def plainer(text: str) -> str:
    """The text with double negations and set phrases that negate nothing put plainly."""
    if not text.isascii() and len(_CHECKED.findall(text)) == 1:
        text = _CROSSED_LINE.sub(" ", text)
    for pattern, plain in _PLAINER:
        text = pattern.sub(plain, text)
    return text
