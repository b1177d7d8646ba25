"""Turns of phrase around an option: said as the answer, guessed, doubted, denied, taken back."""

from __future__ import annotations

import re

from audiometry.choices.pattern import lazy
from audiometry.choices.tokens import word_set

_I = re.IGNORECASE

#: Words that call for a look at the whole reply; an English or plain ASCII reply without them that names one
#: option answers it. Text beyond ASCII is always looked at.
TROUBLE = word_set(
    "not isn't aren't wasn't weren't don't doesn't didn't can't cannot couldn't won't wouldn't shouldn't hasn't "
    "haven't ain't never neither nor no none without than instead except unlike excluding sorry unable apologize "
    "apologise unfortunately if unless wrong incorrect false eliminate eliminated eliminating exclude excluded "
    "rule ruled ruling impossible decline refuse lack unlikely wait actually correction guidelines policy absent "
    "lacks lacking possible says said saying less anything everything out suppose assuming nicht kein keine "
    "keinen weder wenn falsch statt ne pas ni si faux incorrecto incorrecta sino nem se errado non sbagliato niet "
    "geen als fout tidak bukan nie"
)
#: Quotations, double negations and set phrases, and what they come to.
_PLAINER = (
    (  # what a recorded person says of options is no answer
        lazy(
            r"\b(?:says?|said|saying)\b[^\"\n]{0,20}\"(?=[^\"\n]*\b(?:option|choice|answer)\b)[^\"\n]*\"",
            _I,
        ),
        " ",
    ),
    (
        lazy(
            r"\b(?:can't|cannot|can not|couldn't|could not) be anything (?:but|other than"
            r"|except)\b",
            _I,
        ),
        " is ",
    ),
    (
        lazy(
            r"\b(?:can't|cannot|can not|couldn't|could not|not) (?:\w+ )?(?:be )?(?:ruled? out|excluded?"
            r"|eliminated?|dismiss(?:ed)?)\b",
            _I,
        ),
        " might be ",
    ),
    (
        lazy(r"\bwithout (?:a |any )?(?:doubt|question)\b|\bno doubt(?: about it)?\b|\bnot only\b|\bdoubtless\b", _I),
        " ",
    ),
    (
        lazy(
            r"\b(?:all|any|every)(?: of)?(?: the)?(?: other)? (?:options?|choices?|answers?|instruments?|ones) "
            r"(?:except|but|other than)(?: for)? ([^.!?\n]{1,60}?) (?:can be|is|are|were|may be) "
            r"(?:ruled out|eliminated|wrong|incorrect|excluded)\b",
            _I,
        ),
        r"the answer is \1",
    ),
    (lazy(r"\b(?:anything|everything|all) (?:but|except|other than)\b", _I), " not "),
    (lazy(r"\b(?:nothing|none|no one) (?:else )?(?:but|other than)\b", _I), " "),
)
SEGMENT_ENDS = lazy(
    r"[.!?…]+[\"')\]]*(?=\s|$)|\n+|;(?=\s)|[。！？；]|,?\s(?=(?:but|however|though|although|nevertheless|pero|sino"
    r"|mais|aber"
    r"|sondern|maar|ma|mas|но|а)\s)|，(?:而)?是|，但是?",
    _I,
)
NEGATED_BEFORE = lazy(
    r"(?:\b(?:not|never|neither|nor|than|instead of|as opposed to|unlike|except(?: for)?|excluding"
    r"|without|no longer|unlikely|less"
    r"|lacks?|rules? out|ruled out|ruling out|eliminat\w+|exclud\w+|dismiss\w*|reject\w*"
    r"|nicht|kein\w*|weder|statt|anstatt|pas|ni|plutôt que|non|não|nem|niet|geen|не|ни|ليس|ليست|değil|không phải"
    r"|bukan|nie)\b|n't\b|不是|并非|並非|不为|没有|沒有)"
    r"(?:(?![,;:]|\b(?:so|therefore|thus|hence|because|since|and)\b)[^\n]){0,80}$",
    _I,
)
NO_BEFORE = lazy(r"\bno\s(?:\w+\s)?$", _I)
NEGATED_AFTER = lazy(
    r"^(?:\W*(?:(?:option|choice|answer)\W+)?"
    r"(?:(?:is|are|was|were|seems?|can|could|would|does|do|did|has|have|looks?|sounds?|fits?|will|being)\s+)?"
    r"(?:be\s+)?(?:(?:also|clearly|definitely|simply|both|all|ruled|probably)\s+)?"
    r"(?:isn't|aren't|wasn't|weren't|doesn't|don't|didn't|can't|cannot|couldn't|won't|incorrect\b|wrong\b|false\b|out\b"
    r"|eliminated|excluded|unlikely|less likely|absent|impossible|❌|✗|✘|✖|×"
    r"|not (?:correct|right|it\b|the (?:answer|case)|possible|likely|present|audible|heard|applicable|a (?:match|fit))"
    r"|ist falsch|ist nicht|est faux|es incorrect|ではありません|ではない|じゃない|은 아닙니다|이 아닙니다|가 아닙니다)"
    r"|\s+(?:is|are|was|were|do|does|did|has|have|had|can|could|would|will|should|must)\s+(?:\w+\s+)?(?:not\b|n't\b|no\b)"
    r"|\s?[:(–-]\s?no\b)",
    _I,
)
FINAL_BEFORE = lazy(
    r"(?:\b(?:answers?|correct|right|best|final|most (?:suitable|accurate|appropriate|likely)|closest|response"
    r"|antwort|lösung|richtig|réponse|respuesta|correcta|resposta|correta|risposta|antwoord|svaret|odpowiedź"
    r"|cevap|jawaban(?:nya)?"
    r"|ответ|الإجابة|उत्तर|đáp án)\b"
    r"[^,;\n]{0,60}?(?:\bis\b|\bwould be\b|\bshould be\b|\bmust be\b|\bwas\b|\b(?:ist|est|es|to|là|adalah)\b"
    r"|\b[éè]\b|[:=–—→⇒]|\s-\s)"
    r"|答案[是为]?|选项?|選|正解は|答えは|정답은?|답은|\b(?:(?:i|i'd|i'll|would|will|to|i'm) (?:\w+ ){0,2})"
    r"(?:choose|pick|select|chose|go(?:ing)? with|opt for|settle on|answer(?: with)?)\b"
    r"|^\W*(?:final )?(?:answer|option|choice|réponse|respuesta|antwort)\b)"
    r"\W*(?:(?:option|choice|letter|answer|clearly|definitely|probably|likely|most|the|an?|therefore|thus|either"
    r"|both|is|also|that|of|to be"
    r"|la|die|opción|das|le)\b\W*){0,6}$",
    _I,
)
FINAL_AFTER = lazy(
    r"^\W*(?:(?:option|choice)\W+)?(?:(?:is|are|as|being|seems(?: to be)?|would be|looks|fits|matches|makes)\s+)?"
    r"(?:(?:definitely|clearly|probably|likely|therefore|the|my|a|most|more|only|best|single|indeed|also)\s+){0,4}"
    r"(?:correct|right|best|accurate|appropriate|suitable|answer|✓|✔|✅|true|fits? best|matches best|fit\b|match\b"
    r"|yes\b|是正确|が正解|이 정답)",
    _I,
)
CONCLUDED = lazy(
    r"\b(?:so|therefore|thus|hence|consequently|accordingly|in conclusion|finally|final|ultimately|donc|daher|deshalb"
    r"|por lo tanto|portanto|quindi|поэтому|значит)\b|[→⇒∴]|=>|所以|因此|よって|따라서",
    _I,
)
GUESSED = lazy(
    r"\b(?:i (?:\w+ )?(?:think|believe|guess|suspect|say|reckon|lean)|i'd (?:\w+ )?(?:say|guess|go|lean)|i'll (?:say"
    r"|go)|my (?:best )?guess|most likely|je pense"
    r"|ich (?:glaube|denke)|creo|acho|我认为|我觉得|我选)\b",
    _I,
)
EARLIER = lazy(
    r"\b(?:initially|at first|originally|first (?:thought|chose|guess\w*|picked|impression)|used to think"
    r"|had thought)\b",
    _I,
)
DOUBTED = lazy(
    r"\b(?:could|might|may|possibly|perhaps|maybe|potentially|would have been|first|between|leaving|leaves|remaining"
    r"|down to"
    r"|torn|considered|considering"
    r"|either|thought|vielleicht|peut-être|quizás|talvez|forse|возможно)\b|可能|也许|かもしれ|아마",
    _I,
)
CORRECTED = lazy(
    r"^\W*(?:\w+\W+){0,2}?(?:(?:no,|no(?= wait)|nein,|non,|нет,)|(?:wait|actually|or rather|rather|i mean|i meant"
    r"|sorry|correction"
    r"|scratch that|make that|on second thoughts?|changed? my mind|hmm+|instead|listening again|let me correct"
    r"|doch|en fait"
    r"|perdón|en realidad)\b|不对|不，|いや|아니)",
    _I,
)
ALSO = lazy(r"\b(?:also|too|as well|equally|likewise|auch|aussi|también)\b|也", _I)
JOINED = lazy(
    r"^[\s\"')\]]*(?:[,/&+、]|,?\s?(?:and/or|and|or|nor|plus|with|as well as|along with|together with"
    r"|accompanied by|followed by|then|over"
    r"|et|ou|und|oder|noch|y|o|e|и|или|ni|en|of)\s|和|或者?|与|と|か|または|또는|와|과){1,2}"
    r"(?:\s?(?:also|maybe|perhaps|possibly|even|both|either|an?|the|option|choice|letter|solo"
    r"|some)\b){0,3}[\s\"'(\[]*$",
    _I,
)
CONDITIONAL = lazy(
    r"^\W*(?:if|unless|whenever|suppose|assuming|wenn|falls|si|se|als|если|如果|もし|만약|إذا)"
    r"(?!\s+i\s+(?:had|have|were|must)|\s+(?:forced|pressed|pushed|anything))(?:\b|(?<=[如果もし만약]))",
    _I,
)
ASSERTED = lazy(
    r"(?:\b(?:is|was|are|sounds?|seems?|appears?|like|be|hear|would say|guess)|'s)\b(?:\W+\w+){0,3}\W*$", _I
)
PREDICATE = lazy(
    r"^\W*(?:the|this|it|that)\b[^,;:]*?(?:\b(?:is|was|sounds like)|'s)\s(?:clearly |definitely )?(?:an? "
    r"|the )?[\"']?$",
    _I,
)


def plainer(text: str) -> str:
    """The text with double negations and set phrases that negate nothing put plainly."""
    for pattern, plain in _PLAINER:
        text = pattern.sub(plain, text)
    return text
