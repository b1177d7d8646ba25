"""Which of two replies a comment speaks of, where it names one: "response A", "the first one", "the other", "both"."""

from __future__ import annotations

import re
from typing import Final, Literal, TypeAlias

import msgspec

from audiometry.records.votes import Outcome

Named: TypeAlias = Literal["a", "b", "first", "second", "other", "both"]
Side: TypeAlias = Literal["a", "b", "both"]
_NOUN: Final = (
    r"(?:response|answer|model|reply|option|assistant|system|candidate|bot|ai|respuesta|modelo|antwort|modell|réponse|"
    r"modèle|resposta|risposta|modello|antwoord|ответ|модель|jawaban|回答|答案|回复|模型|モデル|응답|모델)"
)
_VERB: Final = (
    r"(?:'s|is|was|has|had|g[ai]ves?|got|did|does|didn't|doesn't|wasn't|isn't|said|says|just|thought|only|answer(?:s|ed)|"
    r"ma(?:de|kes)|went|sound(?:s|ed)|seem(?:s|ed)|felt|feels|knew|knows|could|can|couldn't|can't|would|wouldn't|"
    r"actually|also|underst(?:ood|ands)|spoke|used|explain(?:s|ed)|provide[sd]|kept|stayed|heard|misheard|missed|"
    r"ignored|refused|replied|responded|wanted|talk(?:s|ed)|took|told|listed|showed|and B\b)"
)
_PLACED: Final = r"(?:one|answer|response|reply|model|option|assistant|side)"
_PLAIN: Final = re.compile(  # a letter alone names a reply where it cannot be an article or a list's point
    rf"(?i:\b{_NOUN}s?)\s*(?i:no\.?|number|n[º°])?\s*#?\s*(?P<noun>(?i:a|b|one|two)|[12])\b"
    rf"|\b(?P<letter>B)\b(?!\.\w)|\b(?P<article>A)\b(?=\s*(?:$|[,.:;!?]\s|[,.]$)|\s?{_VERB}(?!\w))"
    r"|(?i:\b(?:picked|chose|choose|prefer(?:red)?|liked?|than|only|over)) (?P<after>A)\b"
    rf"|(?i:\bthe (?P<place>first|second|former|latter)\b(?! (?!{_PLACED}\b)(?:part|half|sentence|question|line|time|"
    r"paragraph|word|item|step|point|thing|place|language)))"
    r"|(?i:\bthe (?P<left>left|right) (?:one|side|model|reply|response)\b)|(?i:\bon the (?P<on>left|right)\b)"
    r"|(?i:\b(?P<other>the other)\b|\b(?P<both>both|neither|ambas|ambos|beide|les deux)\b)"
    r"|(?P<nth>第[一二]个|第[一二]個)"
)
_MEANS: Final[dict[str, Named]] = {
    **dict.fromkeys(["a"], "a"), **dict.fromkeys(["b"], "b"),
    **dict.fromkeys(["1", "one", "first", "former", "left", "第一个", "第一個"], "first"),
    **dict.fromkeys(["2", "two", "second", "latter", "right", "第二个", "第二個"], "second"),
    "the other": "other", **dict.fromkeys(["both", "neither", "ambas", "ambos", "beide", "les deux"], "both"),
}  # fmt: skip
_COMPARED: Final = re.compile(r"\b(?:than|over|compared (?:to|with)|versus|vs\.?|unlike|instead of)\s*$", re.IGNORECASE)
_SENTENCE: Final = re.compile(r"[.!?;\n。！？；।]")
_OPPOSITE: Final[dict[Named, Named]] = {"a": "b", "b": "a", "first": "second", "second": "first"}


class Reference(msgspec.Struct, frozen=True):
    """Where a comment names a reply.

    Attributes:
        start: where.
        named: which, as it is said; ``other``: the one that was not chosen.
        compared: whether it is what another is held against ("than B").
    """

    start: int
    named: Named
    compared: bool


def references(text: str) -> tuple[Reference, ...]:
    """All places of a text, as rules read it, that name a reply."""
    found = []
    for one in _PLAIN.finditer(text):
        group = str(one.lastgroup)
        compared = _COMPARED.search(text[max(0, one.start() - 20) : one.start()]) is not None
        compared |= group == "after" and one[0].casefold().startswith(("than", "over"))
        found.append(Reference(one.start(), _MEANS[one[group].casefold()], compared))
    return tuple(found)


def named(text: str, there: tuple[Reference, ...], start: int) -> Named | None:
    """The reply that something said at a place is about; None where that is not said.

    It is the last that was named before it in the same sentence, else the first behind; what stands behind "than" is
    what the reply is held against, so that the reply is the other one.

    Args:
        text: the comment.
        there: its references.
        start: where something is said.
    """
    before = [one for one in there if one.start <= start and not _SENTENCE.search(text, one.start, start)]
    if before:
        return None if before[-1].compared else before[-1].named
    behind = [one for one in there if one.start > start and not _SENTENCE.search(text, start, one.start)]
    if not behind:
        return None
    return _OPPOSITE.get(behind[0].named) if behind[0].compared else behind[0].named


def side(named: Named | None, outcome: Outcome, first: int) -> Side | None:
    """Which side that is; None where the vote does not tell.

    Args:
        named: as the comment says.
        outcome: of the vote.
        first: the side that was shown first, 0 or 1; -1: not known.
    """
    if named == "a" or named == "b" or named == "both":  # noqa: PLR1714  narrows the type
        return named
    if named == "other":
        return {Outcome.A: "b", Outcome.B: "a"}.get(outcome)  # type: ignore[return-value]  # literals
    if named is None or first < 0:
        return None
    return "a" if (named == "first") == (first == 0) else "b"
