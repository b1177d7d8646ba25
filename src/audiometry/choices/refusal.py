"""Replies that decline: they will not, may not or cannot answer."""

from __future__ import annotations

import re

from audiometry.choices.pattern import lazy

_CANNOT = (
    r"(?:can(?:'t|not| not)|couldn't|could not|(?:un|not )able to"
    r"|(?:im|not |isn't )possible (?:for (?:me|us|an? \w+(?: \w+)?) )?to"
    r"|won't be able to"
    r"|will not be able to)"
)
_DO = (
    r"assist|help|identify|determine|tell|answer|listen|hear|process|access|analy[sz]e|provide|play|recogni[sz]e"
    r"|infer|say|comply"
    r"|do that|fulfil|discern|ascertain|give|confirm|guess|perceive|choose|select|make|judge|classify|detect"
    r"|verify|interpret|assess"
    r"|evaluate|engage|continue|respond|distinguish|know|see|open|receive|work|offer|complete|estimate|speculate"
    r"|proceed"
)
_ENGLISH = lazy(
    rf"\b{_CANNOT}\s+(?:\w+\s+){{0,2}}?(?:{_DO})\b"
    r"|\b(?:cannot|can't|can not|could not|couldn't) be (?:\w+ly )?(?:determined|identified|answered|inferred|known"
    r"|established)\b"
    rf"|\b(?:sorry|afraid|apologi[sz]e|unfortunately)\b[^.!?\n]{{0,60}}\b{_CANNOT}"
    r"|\b(?:don't|do not|doesn't|does not|lack)\s+(?:currently\s+|actually\s+)?(?:have\s+)?(?:the\s+|any\s+)?"
    r"(?:ability|capability|capabilities|capacity|access|means)\b"
    r"|\b(?:must|have to|will have to|need to|choose to) (?:decline|refuse)\b|\bi (?:respectfully )?(?:decline"
    r"|refuse)\b(?! to believe)"
    r"|\b(?:audio|sound|voice)(?: input| files?| clips?)? (?:is|are) (?:currently )?not supported\b"
    r"|\bi(?:'d| would)? (?:rather|prefer) not\b|\binappropriate (?:for me )?to\b"
    r"|\bi (?:don't|do not) (?:identify|guess|answer|infer|speculate|make (?:guesses|assumptions|inferences))\b"
    r"|\b(?:please|could you|can you)\b[^.!?\n]{0,20}\b(?:upload|provide|share|attach|send)\b[^.!?\n]{0,30}"
    r"\b(?:audio|recording|clip|sound|transcript)"
    r"|\bi (?:won't|will not) (?:be )?(?:identify|answer|guess|speculate|help|assist|provide|participat|answering"
    r"|providing)"
    r"|\b(?:guidelines|policy|policies|rules)\b[^.!?\n]{0,30}\b(?:don't|do not|prevent|prohibit|forbid|not allow)"
    r"|\b(?:i'm|i am|we're) not (?:allowed|permitted|comfortable|designed|equipped|capable)\b"
    r"|\bi (?:don't|do not|wouldn't|would not) feel (?:\w+ )?(?:comfortable|able|qualified)\b"
    r"|\b(?:there is|there's|i see|i received) no audio\b|\bno audio (?:was|is|has been|file|clip|input)\b"
    r"|\baudio (?:file |clip )?(?:was|is|has) (?:not|n't)(?: been)? (?:provided|attached|included|available"
    r"|uploaded)\b"
    r"|\b(?:don't|do not|didn't|did not) (?:see|receive|find|have) (?:any|an|the) (?:audio|recording|attach)",
    re.IGNORECASE,
)
_OTHER = lazy(
    r"\bkann (?:ich )?(?:leider )?(?:\w+ ){0,5}?(?:nicht|keine?n?)\b|\bnicht in der lage\b"
    r"|\bkonnte (?:\w+ ){0,4}?nicht\b"
    r"|\bje ne (?:peux|suis|saurais) pas\b|\bje n'ai pas (?:accès|la capacité)|\bimpossible de (?:déterminer"
    r"|répondre|dire)\b"
    r"|\bno (?:puedo|soy capaz|tengo (?:acceso|la capacidad)|es posible)\b"
    r"|\bnão (?:consigo|posso|sou capaz|tenho (?:acesso|capacidade)|é possível)\b"
    r"|\bnon (?:posso|riesco|sono in grado|è possibile)\b"
    r"|\bkan (?:ik )?(?:helaas )?(?:\w+ ){0,4}?(?:niet|geen)\b"
    r"|не (?:могу|смогу|способен|способна|имею возможности|удалось)|невозможно (?:определить|ответить)"
    r"|(?:无法|無法|不能|不可以|没办法|沒辦法|没有能力)"
    r"|(?:できません|出来ません|できない|いたしかねます|お答えでき|わかりかねます)"
    r"|(?:수 없습니다|수 없어요|수 없음|못합니다)"
    r"|(?:لا أستطيع|لا يمكنني|لا يمكن|غير قادر|لا أقدر)"
    r"|(?:yapamam|dinleyemem|yanıtlayamam|không thể|tidak (?:dapat|bisa)|nie mog[ęe])",
    re.IGNORECASE,
)
_TRIGGERS = (
    *("n't", "not", "unable", "impossible", "declin", "refus", "lack", "no audio", "polic", "guideline", "rules"),
    *("upload", "provide", "attach", "share", "send", "inappropriate"),
)
_MAY_BE_FOREIGN = lazy(r"\b(?:kann|nicht|konnte|ne|no|non|kan|impossible|yapamam|dinleyemem|tidak)\b")


def declines(text: str) -> re.Match[str] | None:
    """Where a text says that it will not or cannot answer; None if it does not say so."""
    low = text.lower()
    if _triggered(low) and (found := _ENGLISH.search(text)):
        return found
    return None if text.isascii() and not _MAY_BE_FOREIGN.search(low) else _OTHER.search(text)


def may_decline(text: str) -> bool:
    """Whether `declines` is worth asking of a text or of its segments, which end beside a blank or a mark."""
    low = text.lower()
    return not text.isascii() or _triggered(low) or _MAY_BE_FOREIGN.search(low) is not None


def _triggered(low: str) -> bool:
    for trigger in _TRIGGERS:  # noqa: SIM110  the generator that `any` needs takes as long as what is saved
        if trigger in low:
            return True
    return False
