"""Rules for questions about speech: what is said, when, in which language, by how many, by what."""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence

from audiometry.models.cascade.description import Description
from audiometry.models.cascade.lexicon import sounds_named
from audiometry.models.cascade.question import Question
from audiometry.models.cascade.rules_sound import best_fit
from audiometry.models.cascade.transcribe import spoken
from audiometry.models.cascade.vocabulary import LANGUAGES, SPELLING, number_words, whole_number

_SYNTHETIC = re.compile(
    r"\b(fake|synthe\w*|machine|artificial\w*|robot\w*|computer\w*|generated|tts|spoof\w*|not real|text-to-speech)\b"
)
_NATURAL = re.compile(r"\b(real|human|natural\w*|genuine|bona ?fide|person|authentic|live|recorded|recording)\b")


def time_range(question: Question, heard: Description) -> Sequence[float] | None:
    """Overlap (intersection over union) of each range with where the word or the sound was found."""
    ranges = question.ranges
    if ranges is None:
        return None
    candidates = _word_places(question, heard) or _sound_places(question, heard)
    if not candidates:
        return None
    # a later candidate is less sure: it counts a little less
    scored = [max(_overlap(r, c) * 0.9**i for i, c in enumerate(candidates)) for r in ranges]
    if max(scored) > 0.0:
        return scored
    middle = sum(candidates[0]) / 2
    return [-abs((a + b) / 2 - middle) for a, b in ranges]


def _word_places(question: Question, heard: Description) -> list[tuple[float, float]]:
    wanted = spoken(question.quoted).split()
    if not wanted:
        return []
    words = heard.words
    texts = [spoken(w.text) for w in words]
    places = [
        (words[i].start_s, words[i + len(wanted) - 1].end_s)
        for i in range(len(words) - len(wanted) + 1)
        if texts[i : i + len(wanted)] == wanted
    ]
    if places:
        return places
    if heard.spotted:
        return heard.spotted
    near = sorted(words, key=lambda w: -_alike(w.text, " ".join(wanted)))
    return [(w.start_s, w.end_s) for w in near[:1] if _alike(w.text, " ".join(wanted)) > 0.5]  # noqa: PLR2004


def _sound_places(question: Question, heard: Description) -> list[tuple[float, float]]:
    named = sounds_named(question.quoted or question.text)
    stretches = heard.stretches
    if not stretches:
        return []
    if named:
        ordered = sorted(stretches, key=lambda s: -best_fit(named, s.facts))
    elif re.search(r"\b(speech|speak\w*|talk\w*|voice|say\w*|person|man|woman)\b", question.lowered):
        ordered = sorted(stretches, key=lambda s: -s.facts.get("flux", 0.0))
    else:
        ordered = sorted(stretches, key=lambda s: -(s.end_s - s.start_s))
    return [(s.start_s, s.end_s) for s in ordered]


def _overlap(a: tuple[float, float], b: tuple[float, float]) -> float:
    shared = min(a[1], b[1]) - max(a[0], b[0])
    whole = max(a[1], b[1]) - min(a[0], b[0])
    return max(0.0, shared) / whole if whole > 0 else 0.0


def language(question: Question, heard: Description) -> Sequence[float] | None:
    """The language that the description names; where it only tells English from others, that much."""
    asked = [next((c for n, c in LANGUAGES.items() if n in o.lower()), "") for o in question.options]
    if sum(map(bool, asked)) < 2:  # noqa: PLR2004  a choice has two sides
        return None
    told = {c: float(p) for c, p in re.findall(r"\b([a-z]{2}) \((\d\.\d+)\)", heard["Language"])}
    if "English recogniser" in heard["Language"]:
        # every other language is as likely: with several of them there is no telling which
        return [told["en"] if c == "en" else 1.0 - told["en"] for c in asked]
    return [told.get(c, float("-inf")) for c in asked]


def voices(question: Question, heard: Description) -> Sequence[float] | None:
    """The number nearest to the count of voices."""
    if not re.search(
        r"\b(how many|number of|count)\b.*\b(speakers?|voices?|people|persons?|talkers?)\b", question.lowered
    ):
        return None
    counts = [whole_number(o) for o in question.options]
    found = heard.number("Voices")
    if found is None or any(c is None for c in counts):
        return None
    return [-abs((c or 0) - found) for c in counts]


def natural(question: Question, heard: Description) -> Sequence[float] | None:
    """Whether the voice is a person's or a machine's."""
    kinds = [_kind_of_voice(o) for o in question.options]
    found = heard.number("Machine-like voice")
    if found is None or not {True, False} <= set(kinds):
        return None
    return [float("-inf") if k is None else (found if k else 1.0 - found) for k in kinds]


def _kind_of_voice(option: str) -> bool | None:
    text = option.lower()
    if _SYNTHETIC.search(text):
        return True
    return False if _NATURAL.search(text) else None


def sex(question: Question, heard: Description) -> Sequence[float] | None:
    """Male below, female above 165 Hz: the middle between the usual ranges of adults."""
    kinds = [_sex_of(o) for o in question.options]
    pitch = heard.number("Voice", "pitch")
    if pitch is None or not {"male", "female"} <= set(kinds):
        return None
    lower = "male" if pitch < 165.0 else "female"  # noqa: PLR2004
    return [1.0 if k == lower else 0.0 for k in kinds]


def _sex_of(option: str) -> str:
    if re.search(r"\b(female|woman|women|girl|lady)\b", option.lower()):
        return "female"
    return "male" if re.search(r"\b(male|man|men|boy|gentleman)\b", option.lower()) else ""


def said(question: Question, heard: Description) -> Sequence[float] | None:
    """The option that was recognised: picked among the options, or read as a number, letter or spelling word."""
    closest = next((v for _, v in heard.starting("Closest of")), "")
    if closest in question.options:
        return [1.0 if o == closest else 0.0 for o in question.options]
    readings = (("As a number", _number), ("As a letter", _letter), ("As a spelling word", _spelling))
    for label, form in readings:
        forms = [form(o) for o in question.options]
        if all(forms) and heard[label] in forms:
            return [1.0 if f == heard[label] else 0.0 for f in forms]
    return mentioned(question, heard)


def _number(option: str) -> str:
    value = whole_number(option)
    return "" if value is None else number_words(value)


def _letter(option: str) -> str:
    found = re.fullmatch(r"\W*(?:the )?(?:letter )?['\"“]?([a-z])['\"”]?\W*", option.strip().lower())
    return found[1] if found else ""


def _spelling(option: str) -> str:
    text = spoken(option)
    return text if text in SPELLING.values() else SPELLING.get(_letter(option), "")


def mentioned(question: Question, heard: Description) -> Sequence[float] | None:
    """How much of each option is in the transcript; None where none of it is."""
    text = spoken(heard.spoken)
    if not text:
        return None
    scores = [_contained(spoken(o), text) for o in question.options]
    return scores if max(scores) >= 0.75 else None  # noqa: PLR2004  weaker likeness is chance


def _contained(phrase: str, text: str) -> float:
    """The share of a phrase's words that are in the text, near-misses counted by their likeness."""
    words = phrase.split()
    if not words:
        return 0.0
    return sum(max(_alike(w, t) for t in text.split()) for w in words) / len(words)


def _alike(a: str, b: str) -> float:
    return difflib.SequenceMatcher(None, a.lower(), b.lower()).ratio()
