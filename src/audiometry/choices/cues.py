"""Turns of phrase around an option: said as the answer, guessed, doubted, denied, taken back."""

from __future__ import annotations

import re

from audiometry.choices.needing import Needing
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
    "geen als fout tidak bukan nie inte ikke doubt doubts doubted doubtful hardly barely scarcely far nothing "
    "disagree too questionable improbable implausible fail fails absence devoid question second 2nd third 3rd runner "
    "alternative alternatively would next hmm help assist opposite refuse hard little whether differs different "
    "distinct free avoid avoids refrain abstain beyond outside against insufficient speculation speculative guesswork"
)
# every end begins with one of a few characters, which the engine looks for before it tries the rest
SEGMENT_ENDS = lazy(
    r"[.!?…\n;。！？；，,\s](?:(?<=[.!?…])[.!?…]*[\"')\]]*(?=\s|$)|(?<=\n)\n*|(?<=;)(?=\s)|(?<=[。！？；])"
    r"|(?:(?<=,)\s|(?<=\s))(?=(?i:but|however|though|although|nevertheless|pero|sino|mais|aber|sondern|maar|ma|mas"
    r"|но|а)\s)|(?<=，)(?:(?:而)?是|但是?))"
)
_REACHES = r"(?:(?![,;:]|\b(?:so|therefore|thus|hence|because|since|and)\b)[^\n]){0,80}$"
NEGATED_BEFORE = Needing(
    lazy(
        r"(?:\b(?:not|never|neither|nor|than|instead of|as opposed to|unlike|except(?: for)?|excluding"
        r"|without|no longer|unlikely|less"
        r"|lacks?|rules? out|ruled out|ruling out|eliminat\w+|exclud\w+|dismiss\w*|reject\w*"
        r"|nicht|kein\w*|weder|statt|anstatt|pas|ni|plutôt que|non|não|nem|niet|geen|inte|ikke|není|не|ни|ليس|ليست"
        rf"|không phải|bukan|nie)\b|n't\b|不是|并非|並非|不为|没有|沒有){_REACHES}"
        # that a word is denied by standing before it, so that what is only "not bad" or "not only" is not
        r"|(?:(?<![好莫无無])(?<!不[得能])不|[没沒未无無非])(?:太|很|怎[么麼]|那[么麼]|再|算|够|大|一定|确定|可能|应该|[会會]"
        r"|能|像|同于|[属屬]于|[觉覺]得|感[到觉覺]|[显顯]得|[听聽][起来來到见見出]{1,2}|[检檢][测測]到|[发發][现現]|出[现現]?|上|到|是"
        r"){0,3}$"
        r"|ไม่(?:ได้|ใช่|ค่อย|รู้สึก)?$|(?:^|\s)안\s?$|\bغير\s$"
        r"|\b(?:không|chẳng)\s(?:(?:hề|quá|thấy|cảm thấy)\s)?$|\btidak\s(?:(?:terlalu|begitu|merasa|terdengar)\s)?$",
        _I,
    ),
    *("not", "n't", "never", "neither", "nor", "no longer", "non", "nem", "ni", "than", "instead of", "opposed"),
    *("unlike", "except", "exclud", "without", "less", "lack", "rule", "ruling", "eliminat", "dismiss", "reject"),
    *("kein", "weder", "statt", "pas", "geen", "bukan", "inte", "ikke", "tidak"),
)
SOFTLY_DENIED_BEFORE = Needing(
    lazy(
        r"\b(?:far from|doubt\w*|disagree\w*|nothing|by no means|in no way|fails? to|absence of|devoid of|no way"
        r"|free (?:of|from)|differs? from|different from|distinct from"
        r"|whether|hard to (?:believe|imagine)|refuse to believe|opposite of|little (?:chance|reason|evidence)|no other"
        r"|(?:hardly|barely|scarcely)(?!\s(?:audible|noticeable|perceptible))"
        r"|no (?:sign|trace|hint|evidence|indication|suggestion|sense)s? of"
        rf"|(?:wrong|incorrect|mistaken?|misleading|inaccurate) to|too \w+ (?:to be|for))\b{_REACHES}",
        _I,
    ),
    *(
        "far from",
        "doubt",
        "disagree",
        "nothing",
        "no ",
        "fail",
        "absence",
        "free ",
        "devoid",
        "whether",
        "differ",
        "distinct",
        "hard",
        "refuse",
    ),
    *("opposite", "little ", "barely", "scarcely", "wrong", "incorrect", "mistake", "misleading", "inaccurate", "too "),
)
NO_BEFORE = lazy(r"\bno\s(?:\w+\s)?$", _I)
NEGATED_AFTER = lazy(
    r"^(?:\W*(?:(?:option|choice|answer)\W+)?"
    r"(?:(?:is|are|was|were|seems?|can|could|would|does|do|did|has|have|looks?|sounds?|fits?|will|being)\s+)?"
    r"(?:be\s+)?(?:(?:also|clearly|definitely|simply|both|all|ruled|probably)\s+)?"
    r"(?:isn't|aren't|wasn't|weren't|doesn't|don't|didn't|can't|cannot|couldn't|won't|incorrect\b"
    r"|wrong\b|false\b|out\b(?! of \d)"
    r"|eliminated|excluded|unlikely|less likely|absent|impossible|❌|✗|✘|✖|×"
    r"|doubtful|questionable|improbable|implausible|inaccurate|unsuitable|inappropriate"
    r"|not (?:correct|right|it\b|the (?:answer|case)|possible|likely|present|audible|heard|applicable|a (?:match|fit))"
    r"|ist falsch|ist nicht|est faux|es incorrect|(?:という)?(?:わけ)?(?:では(?:あり|な)|じゃな)|とは言え[なま]"
    r"|とは限ら|[은는이가]\s?아[니닌닙]|(?:하|스럽|롭)지(?:는|도)?\s?[않못]|नहीं|değil\b)"
    r"|\s+(?:is|are|was|were|do|does|did|has|have|had|can|could|would|will|should|must)\s+(?:\w+\s+)?(?:not\b|n't\b|no\b)"
    r"|\s?[:(–-]\s?no\b)",
    _I,
)
FINAL_BEFORE = Needing(
    lazy(
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
    ),
    *("answer", "correct", "right", "best", "final", "most ", "closest", "response", "antwort", "richtig"),
    *("respuesta", "resposta", "correta", "risposta", "antwoord", "svaret", "cevap", "jawaban", "option", "choice"),
    *("choose", "pick", "select", "chose", "go", "opt for", "settle on"),
)
FINAL_AFTER = lazy(
    r"^(?!\W*(?:the|my)\s(?:\w+\s){0,3}(?:answer|option|choice)\s(?:is|would be|should be)\b)"
    r"\W*(?:(?:option|choice)\W+)?(?:(?:is|are|as|being|seems(?: to be)?|would be|looks|fits|matches|makes)\s+)?"
    r"(?:(?:definitely|clearly|probably|likely|therefore|the|my|a|most|more|only|best|single|indeed|also)\s+){0,4}"
    r"(?:correct|right|best|accurate|appropriate|suitable|fitting|likely|probable|answer|✓|✔|✅|true|fits? best"
    r"|matches best|fit\b|match\b"
    r"|yes\b|是正确|が正解|이 정답)",
    _I,
)
CONCLUDED = Needing(
    lazy(
        r"\b(?:so(?<!\bis so)(?<!\bare so)(?<!\bwas so)(?<!\bam so)(?<!'s so)(?<!'m so)(?<!\bsounds so)(?<!\bfeels so)"
        r"|therefore|thus|hence|consequently|accordingly|in conclusion|finally|final|ultimately|donc|daher"
        r"|(?:conclusion|verdict)(?=\s?:)|in summary"
        r"|to conclude|deshalb|por lo tanto|portanto|quindi|поэтому|значит)\b|[→⇒∴]|=>|所以|因此|よって|따라서",
        _I,
    ),
    "so",
    "therefore",
    "thus",
    "hence",
    "consequently",
    "accordingly",
    *("conclusion", "verdict", "in summary", "to conclude"),
    "final",
    "ultimately",
    "donc",
    "daher",
    "deshalb",
    "por lo tanto",
    "portanto",
    "quindi",
    "=>",
)
GUESSED = Needing(
    lazy(
        r"\b(?:i (?:\w+ )?(?:think|believe|guess|suspect|say|reckon|lean)|i'd (?:\w+ )?(?:say|guess|go|lean)"
        r"|i'll (?:say|go)|my (?:best )?guess|most likely|je pense"
        r"|ich (?:glaube|denke)|creo|acho|我认为|我觉得|我选)\b",
        _I,
    ),
    "i ",
    "i'd",
    "i'll",
    "my ",
    "most likely",
    "je pense",
    "ich ",
    "creo",
    "acho",
)
CONCEDED = Needing(  # what follows "although", to the end of its clause, is beside the answer
    lazy(
        r"\b(?:although|though|albeit|despite|in spite of|even if)\b"
        r"(?!\s(?:it|this|that|he|she)(?:'s|\sis)\b)[^,;:–—]*$",
        _I,
    ),
    "though",
    "albeit",
    "spite",
    "even if",
)
CROSSED_BEFORE = lazy(r"^[❌✗✘✖]\s{0,2}[(\[]?$")
TOO_AFTER = lazy(r"^\W{0,2}\s?(?:is|sounds|seems)\s(?:(?:a bit|far|much|slightly|also|rather)\s)?too\s\w", _I)
ASKS = lazy(r"^\W*(?:is|are|was|were|does|do|did|can|could|would|which|what|who|how|have|has)\b(?!\W+(?:i|you)\b)", _I)
EARLIER = Needing(
    lazy(
        r"\b(?:initially|at first|originally|first (?:thought|chose|guess\w*|picked|impression)|used to think"
        r"|(?:was|were) (?:about|going|tempted) to|almost said"
        r"|had thought)\b",
        _I,
    ),
    "initially",
    "at first",
    "originally",
    "first",
    "used to",
    "was ",
    "were ",
    "almost",
    "had thought",
)
DOUBTED = Needing(
    lazy(
        r"\b(?:could|might|may|possibly|perhaps|maybe|potentially|would have been|first|between|leaving|leaves"
        r"|remaining|down to|torn|considered|considering"
        r"|either|thought|(?:tries|tried|trying|attempts?) to|pretend\w*|supposed(?:ly)?"
        r"|vielleicht|peut-être|quizás|talvez|forse|возможно)\b|可能|也许|かもしれ|아마",
        _I,
    ),
    "could",
    "might",
    "may",
    "possib",
    "perhaps",
    "potentially",
    "would have",
    "first",
    "between",
    "leaving",
    "leaves",
    "remaining",
    "down to",
    "torn",
    "consider",
    "either",
    "thought",
    *("tries", "tried", "trying", "attempt", "pretend", "supposed"),
    "vielleicht",
    "talvez",
    "forse",
)
CORRECTED = Needing(
    lazy(
        r"^\W*(?:\w+\W+){0,2}?(?:(?:no,|no(?= wait)|nein,|non,|нет,)|(?:wait|actually|or rather|rather|i mean|i meant"
        r"|sorry|correction"
        r"|scratch that|make that|on second thoughts?|changed? my mind|hmm+|instead|listening again|let me correct"
        r"|doch|en fait"
        r"|perdón|en realidad)\b|不对|不，|いや|아니)",
        _I,
    ),
    "no,",
    "no wait",
    "nein,",
    "non,",
    "wait",
    "actually",
    "rather",
    "i mean",
    "sorry",
    "correction",
    "scratch",
    "make that",
    "second thought",
    "my mind",
    "hmm",
    "instead",
    "listening again",
    "let me",
    "doch",
    "en fait",
    "en realidad",
)
ALSO = Needing(
    lazy(r"\b(?:also|too|as well|equally|likewise|auch|aussi|también)\b|也", _I),
    "also",
    "too",
    "as well",
    "equally",
    "likewise",
    "auch",
    "aussi",
)
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
    r"(?!\s+i\s+(?:had|have|were|must)|\s+(?:forced|pressed|pushed|anything)"
    r"|\s+i(?:'m|\s+am)\s+(?:not\s+)?(?:mistaken|wrong))(?:\b|(?<=[如果もし만약]))",
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
