"""Options that a text names beside its answer: in somebody's words, as second best, as what would sound otherwise."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Sequence

from audiometry.choices.mentions import Mention
from audiometry.choices.needing import Needing
from audiometry.choices.pattern import lazy

_BEFORE, _AFTER = 80, 60
_SAYS = (
    r"(?:says?|said|saying|asks?|asked|asking|states?|stated|stating|shouts?|shouted|shouting|yells?|yelled|yelling"
    r"|exclaims?|exclaimed|whispers?|whispered|sings?|sang|singing|repeats?|repeated|replies|replied|answers?|answered"
    r"|claims?|claimed|utters?|uttered|mentions?|mentioned|announces?|announced|speaks?|spoke|screams?|screamed"
    r"|mutters?|muttered|cries|cried|declares?|declared|insists?|insisted|words?|phrases?|sentences?|lyrics?|utterance"
    r"|transcript(?:ion)?|quote)"
)
# what the model itself would say is its answer, in quotes or not
_NOT_MINE = (
    r"(?<!\bi )(?<!\bi'd )(?<!\bi'll )(?<!\bwould )(?<!\bwe )(?<!\bcan )(?<!\bcould )(?<!\bto )(?<!\blet's )(?<!\bmy )"
    r"(?<!\bmight )(?<!\bmust )(?<!\bshould )(?<!\bcorrect )(?<!\bfinal )(?<!\bbest )(?<!\bthe )"
)
_QUOTATION = r"(?:\"[^\"\n]{1,300}\"|(?<!\w)'(?:[^'\n]|(?<=\w)'(?=\w)){1,300}'(?!\w))"
_QUOTED = lazy(
    rf"(?:{_NOT_MINE}\b(?!answers?\b){_SAYS}|\bthe (?:words?|phrases?|sentences?|lyrics?|utterance|transcript(?:ion)?"
    rf"|quote))\b[^\"'.!?\n]{{0,40}}?{_QUOTATION}(?:\s?,?\s?(?:(?:and|or|then|not)\s)?{_QUOTATION}){{0,4}}"
    rf"|{_QUOTATION},?\s(?:\w{{1,20}}\s){{0,3}}?(?!answers?\b){_SAYS}\b",
    re.IGNORECASE,
)
_REPORTED = Needing(
    lazy(
        rf"(?:\b(?:asks?|asked|wonders?|wondered)\s(?:\w+\s)?(?:why|if|whether|how|what|when|who)\b"
        rf"|{_NOT_MINE}\b(?:says?|said|claims?|claimed|insists?|insisted|states?|stated)\s(?:that\s)?"
        r"(?:he|she|they|i)\b)[^,.;:!?\n]{1,80}?(?=[,.;:!?\n]|\sbut\b|$)",
        re.IGNORECASE,
    ),
    *("say", "said", "claim", "insist", "state", "ask", "wonder"),
)
_SECOND_BEFORE = Needing(
    lazy(
        r"(?:\b(?:(?:second|2nd|third|3rd|next)[- ](?:best|most|closest)|runners?[- ]?up|less likely|least likely)\b"
        r"|\b(?:my|a|an) (?:second|2nd|third|3rd|other) (?:choice|guess|option|pick)\b"
        r"|(?:^|[\n.;,])\W*(?:and\s)?(?:second|2nd|third|3rd) (?:choice|guess|pick)\b"
        r"|(?:^|[\n.;,(])\W*alternative(?:ly\b|s?(?: (?:answers?|options?|choices?))?\s?[:=]))"
        r"[^.;\n]{0,30}$"
        r"|(?<![-=\n])>\s?$",
        re.IGNORECASE,
    ),
    *("second", "2nd", "third", "3rd", "next", "runner", "likely", "other", "alternative", ">", "over", "followed"),
)
_SECOND_AFTER = Needing(
    lazy(
        r"^[\s,(–—-]*(?<!\n)(?:(?:is|as|being|comes|would be|was|in)\s){0,2}(?:(?:a|the|my|an)\s)?"
        r"(?:(?:close|distant)\s)?"
        r"(?:second(?:[- ]best|\s(?:place|guess))?(?=\W*(?:$|[.,;:!?\n)]))|(?:second|2nd)[- ](?:best|place)|runner"
        r"|my second\b|(?<=my )second\b|next best)(?![- ]?\w*\W{0,2}(?:[:=]|is\b))",
        re.IGNORECASE,
    ),
    *("second", "2nd", "runner", "next best"),
)
_OVER = lazy(
    r"\b(?:pick|choose|prefer|favou?r)\b[^.;\n]{1,40}\sover\s(?:option\s)?[(]?$|\bfollowed by\s(?:option\s)?[(]?$",
    re.IGNORECASE,
)
_WOULD = Needing(
    lazy(
        r"^[\"')\]]*\s(?:(?!to\b|is\b|was\b)\w+\s){0,2}(?:would|wouldn't)\b"
        r"(?![^.;,\n]{0,40}\b(?:best|correct|right|answer|choice|option|fit|fits|match|pick|guess|most|suitable|appropriate"
        r"|likely|sense|bet|one|it)\b)",
        re.IGNORECASE,
    ),
    "would",
)
_LIKE = Needing(  # what is only like it
    lazy(
        r"\b(?:similar to|reminiscent of|resembl\w+|compar\w+ (?:to|with)|contrary to|confus\w+ (?:\w+ ){0,2}with"
        r"|mistak\w+ (?:\w+ ){0,2}for|(?:instruments?|ones?|much|just),? like|such as)"
        r"\s(?:(?:that|the sound) of\s)?(?:(?:an?|the)\s)?$",
        re.IGNORECASE,
    ),
    *("similar", "reminiscent", "resembl", "compar", "contrary", "confus", "mistak", " like", "such as"),
)
_ENDS = lazy(r"[.!?\n]")
_COMPARATIVE = lazy(r"\s\w+er(?:\W|$)")


def without_asides(text: str, found: Sequence[Mention]) -> list[Mention]:
    """The mentions that may be the answer.

    Never those called second best; those in somebody else's words, or said to be such that the clip would sound
    otherwise, only if there are no others.
    """
    first = list(found)
    if _SECOND_BEFORE.may_match(text):  # and _SECOND_AFTER needs no other words
        second = set(_second_best(text, found))
        first = [mention for mention in found if mention not in second]
    if len(first) < 2:  # noqa: PLR2004  all there is
        return first
    spans = others_words(text)
    if spans:
        starts = [start for start, _ in spans]

        def quoted(mention: Mention) -> bool:
            span = bisect_right(starts, mention.start) - 1
            return span >= 0 and mention.start < spans[span][1]

        first = _unless_all(first, quoted)
    if _LIKE.may_match(text):
        first = _unless_all(first, lambda m: _LIKE.search(text[max(0, m.start - _BEFORE) : m.start]) is not None)
    if not _WOULD.may_match(text):
        return first
    otherwise = set(_otherwise(text, first))
    return _unless_all(first, otherwise.__contains__)


def others_words(text: str) -> list[tuple[int, int]]:
    """Where a text says what somebody said, with quotation marks or without, in order."""
    quoted = [m.span() for m in _QUOTED.finditer(text)] if '"' in text or "'" in text else []
    reported = [m.span() for m in _REPORTED.finditer(text)]
    return sorted(quoted + reported) if reported else quoted


def _unless_all(found: list[Mention], left_out: Callable[[Mention], bool]) -> list[Mention]:
    return [mention for mention in found if not left_out(mention)] or found


def _second_best(text: str, found: Sequence[Mention]) -> list[Mention]:
    out = []
    for k, mention in enumerate(found):
        if k and mention.kind == "letter" and _OVER.search(text[max(0, found[k - 1].start - _AFTER) : mention.start]):
            out.append(mention)
            continue
        before = text[max(found[k - 1].end if k else 0, mention.start - _BEFORE) : mention.start]
        if _SECOND_BEFORE.search(before) or _SECOND_AFTER.match(text[mention.end : mention.end + _AFTER]):
            out.append(mention)
    return out


def _otherwise(text: str, found: Sequence[Mention]) -> list[Mention]:
    """Options of which the text says how they would sound, "A would be higher, B brighter"."""
    out: list[Mention] = []
    for mention in found:
        would = _WOULD.match(text[mention.end : mention.end + _AFTER])
        between = text[out[-1].end : mention.start] if out and mention.start - out[-1].end <= _BEFORE else "."
        likewise = _COMPARATIVE.match(text, mention.end) and not _ENDS.search(between)
        if would or likewise:
            out.append(mention)
    return out
