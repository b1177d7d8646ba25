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
# what a listener is asked to do, in any form; what is only said or known, besides, unless to somebody ("tell him")
_INFER = (
    r"(?:determin|identif|infer|guess|judg|assess|classif|label|categori[sz]|estimat|speculat|ascertain|discern|deduc"
    r"|distinguish|attribut|assign|characteri[sz]|assum|recogni[sz]|detect|evaluat|perceiv|conclu"
    r"|mak(?:e|ing) (?:\w+ ){0,3}?(?:guess|judg|assum|infer|determin|assess|estimat|claim|call|conclu|speculat))\w*"
)
_KNOW = rf"(?:{_INFER}|(?:know|say|decid|answer|provid|tell)\w*\b(?! (?:him|her|them|me|us)\b))"
_DOING = rf"\b(?=\w+ing\b){_INFER}"
_MINE = r"(?:that )?(?:i|we)\b"
_ENGLISH = lazy(
    rf"\b{_CANNOT}\s+(?:\w+\s+){{0,3}}?(?:{_DO}|label|categori[sz]e|assign|attribute)\b"
    r"|\b(?:i|we|there|it|this|audio|clip|recording|sample|voice|speech)(?:'s| is| are)?\s?"
    r"(?:(?:(?:do|does|is|are)?(?:n't| not)|lacks?)\b(?: \w+){0,2}?(?: enough| sufficient| adequate| the)|insufficient)"
    rf" (?:\w+ )?(?:information|data|details?)\b(?: (?!but\b)\w+){{0,4}}? to {_KNOW}"
    rf"|{_DOING}\b[^.!?\n]{{0,90}}?\b(?:(?:isn't|is not) (?:appropriate|possible|something {_MINE})"
    rf"|is something {_MINE} (?:\w+ )?(?:avoid|refrain|don't|do not|can't|cannot|won't|will not|decline|refuse)"
    rf"|(?:is|are|falls|lies|goes|'s) (?:\w+ )?(?:outside|beyond|against)(?: of)? (?:my|what {_MINE})"
    r"|would (?:only |just )?be (?:\w+ )?(?:speculat\w+|inappropriate|guesswork|a guess))"
    rf"|(?:isn't|is not|'s not) something {_MINE} (?:can|could|would|will|(?:a|')m (?:able|willing|going) to) {_KNOW}"
    r"|(?:\bnot|n't) (?:think |believe |feel )?(?:that )?(?:it's |it is |it would be |be )?"
    r"(?:appropriate|ethical|right|fair|proper|responsible|advisable|reasonable|my place)"
    rf" (?:for (?:me|us|an? \w+(?: \w+)?) )?to {_INFER}"
    rf"|\bi (?:don't|do not) (?:think|believe|feel) {_MINE} (?:should|can|could|ought to|am able to) (?:\w+ )?{_KNOW}"
    r"|\b(?:i'm|i am|i was|i've been|i have been) (?:\w+ly )?(?:designed|programmed|built|trained|instructed|made"
    rf"|meant|supposed) (?:not to|to (?:not|avoid|decline to|refrain from)) {_KNOW}"
    rf"|\b(?:i'm|i am|i was|we're|we are) not (?:going|in a position|here|willing|prepared|about) to (?:\w+ly )?{_KNOW}"
    rf"|\bi(?:'ll| will|'d| would| must| should)? (?:\w+ly |rather |prefer to )?(?:refrain|abstain)"
    rf"(?: from (?:\w+ly )?{_KNOW}|\W|$)"
    rf"|\bi(?:'ll| will| would| must| should| try to)? (?:\w+ly )?avoid {_INFER}"
    rf"|\bi (?:won't|will not) (?:be )?{_INFER}"
    rf"|\bno (?:\w+ )?(?:way|means|basis) (?:(?:to|of|for) {_INFER}|for (?:me|us|anyone) to {_KNOW})"
    rf"|\bi(?: have|'ve) no (?:\w+ )?(?:way|means|basis) (?:to|of|for) {_KNOW}"
    r"|\b(?:cannot|can't|can not|could not|couldn't) be (?:\w+ly )?(?:determined|identified|answered|inferred|known"
    r"|established)\b"
    rf"|\b(?:sorry|afraid|apologi[sz]e|unfortunately)\b[^.!?\n]{{0,60}}\b{_CANNOT}"
    r"|\b(?:don't|do not|doesn't|does not|lack)\s+(?:currently\s+|actually\s+)?(?:have\s+)?(?:the\s+|any\s+|a\s+)?"
    r"(?:ability|capability|capabilities|capacity|access|means|way (?:to|of))\b"
    r"|\b(?:must|have to|will have to|need to|choose to) (?:decline|refuse)\b|\bi (?:respectfully )?(?:decline"
    r"|refuse)\b(?! to believe)"
    r"|\b(?:audio|sound|voice)(?: input| files?| clips?)? (?:is|are) (?:currently )?not supported\b"
    r"|\bi(?:'d| would)? (?:rather|prefer) not\b|\binappropriate (?:for me )?to\b"
    r"|\bi (?:don't|do not) (?:identify|guess|answer|infer|speculate|classify|categori[sz]e|label|assess|judge|assign"
    r"|estimate|determine|make (?:\w+ )?(?:guess|assumption|inference|judg|determination|claim)\w*)\b"
    r"|\b(?:please|could you|can you)\b[^.!?\n]{0,20}\b(?:upload|provide|share|attach|send)\b[^.!?\n]{0,30}"
    r"\b(?:audio|recording|clip|sound|transcript)"
    r"|\bi (?:won't|will not) (?:be )?(?:identify|answer|guess|speculate|help|assist|provide|participat|answering"
    r"|providing)"
    r"|\b(?:guidelines|policy|policies|rules)\b[^.!?\n]{0,30}\b(?:don't|do not|prevent|prohibit|forbid|not allow)"
    r"|\b(?:i'm|i am|i was|we're) not (?:allowed|permitted|comfortable|designed|equipped|capable|built|programmed"
    r"|qualified|meant|supposed to)\b"
    r"|\bi (?:don't|do not|wouldn't|would not) feel (?:\w+ )?(?:comfortable|able|qualified)\b"
    r"|\b(?:there is|there's|i see|i received) no audio\b|\bno audio (?:was|is|has been|file|clip|input)\b"
    r"|\baudio (?:file |clip )?(?:was|is|has) (?:not|n't)(?: been)? (?:provided|attached|included|available"
    r"|uploaded)\b"
    r"|\b(?:don't|do not|didn't|did not) (?:see|receive|find|have) (?:any|an|the) (?:audio|recording|attach)",
    re.IGNORECASE,
)
_OTHER = lazy(
    r"\bkann (?:ich )?(?:leider )?(?:\w+ ){0,5}?(?:nicht|keine?n?)\b"
    r"|\bnicht (?:in der lage|gen(?:ug|ügend) informationen)\b"
    r"|\bkonnte (?:\w+ ){0,4}?nicht\b"
    r"|\bje ne (?:peux|suis|saurais) pas\b|\bje (?:n'ai pas (?:accès|assez|la capacité)|préfère ne pas)"
    r"|\bimpossible de (?:déterminer|répondre|dire)\b"
    r"|\bno (?:puedo|soy capaz|tengo (?:acceso|la capacidad|suficiente)|es posible)\b|\bprefiero no\b"
    r"|\bnão (?:consigo|posso|sou capaz|tenho (?:acesso|capacidade)|é possível)\b"
    r"|\bnon (?:posso|riesco|sono in grado|è possibile)\b"
    r"|\bkan (?:ik )?(?:helaas )?(?:\w+ ){0,4}?(?:niet|geen)\b"
    r"|не (?:могу|смогу|способен|способна|имею возможности|удалось)|невозможно (?:определить|ответить)"
    r"|(?:无法|無法|不能|不可以|没办法|沒辦法|没有能力|没有足够的?信息|信息不足|不便)"
    r"|(?:できません|出来ません|できない|いたしかねます|お答えでき|わかりかねます)"
    r"|(?:수 없습니다|수 없어요|수 없음|못합니다)"
    r"|(?:لا أستطيع|لا يمكنني|لا يمكن|غير قادر|لا أقدر)"
    r"|(?:yapamam|dinleyemem|yanıtlayamam|không thể|tidak (?:dapat|bisa)|nie mog[ęe])",
    re.IGNORECASE,
)
_TRIGGERS = (
    *("n't", "not", "unable", "impossible", "declin", "refus", "lack", "no audio", "polic", "guideline", "rules"),
    *("upload", "provide", "attach", "share", "send", "inappropriate", "avoid", "refrain", "abstain", "insufficient"),
    *(" no ", "outside", "beyond", "against", "would "),
)
_THEIRS = lazy(  # before words of declining: what somebody in the clip says, feels or cannot do
    r"\b(?:s?he|they|who|(?:speaker|wom[ae]n|m[ae]n|female|male|person|caller|boy|girl|lady|guy|someone|somebody)s?"
    r"|voice(?= sa[iy]))(?: (?:in|on) (?:the|this) \w+)?(?:, [^,.\n]{1,30},)?"
    r"(?:'s)?(?: (?:\w+ly|is|was|are|were|has|had|sounds?|seems?))*"
    r"(?: (?:says?|said|saying|explain\w*|claim\w*|tells?|told|telling|mention\w*|complain\w*|admit\w*"
    r"|repl(?:y|ie[sd]|ying)|insist\w*|states?|stated|feels?|felt|thinks?|thought|worr\w+|fears?|sorry|upset|angry|sad|frustrated|annoyed)\b"
    r"[^.,!?:;\n]{0,60}?)?\s?$",
    re.IGNORECASE,
)
_BEFORE = 120
_MAY_BE_FOREIGN = lazy(r"\b(?:kann|nicht|konnte|ne|no|non|kan|impossible|yapamam|dinleyemem|tidak)\b")


def declines(text: str) -> re.Match[str] | None:
    """Where a text says that it will not or cannot answer; None if it does not say so."""
    low = text.lower()
    if _triggered(low):
        for found in _ENGLISH.finditer(text):
            if not _THEIRS.search(text, max(0, found.start() - _BEFORE), found.start()):
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
