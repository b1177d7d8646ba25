"""Words of one family: "sad", "sadness" and "sadly", by suffix and, where the stem changes, by a short table."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from functools import lru_cache

from audiometry.choices.pattern import lazy
from audiometry.choices.spelling import one_each
from audiometry.choices.tokens import ARTICLES, Token, word_set
from audiometry.choices.weak import CLAUSE_ENDS

_SHORTEST_STEM = 4
_FAMILIES = tuple(
    word_set(family)
    for family in (
        "sad sadness sadly",
        "angry anger angrily angriness",
        "joy joyful joyfully joyfulness joyous joyously",
        "fear fearful fearfully fearfulness",
        "disgust disgusted disgusting disgustedly",
        "surprise surprised surprisedly",
        "laugh laughs laughed laughing laughter laughingly",
        "applause applaud applauds applauded applauding",
        "sincere sincerity sincerely",
        "sarcastic sarcasm sarcastically",
        "ironic irony ironically",
        "neutral neutrality neutrally",
        "melancholic melancholy melancholically",
        "anxious anxiety anxiously anxiousness",
        "bored boredom",
        "frustrated frustration",
        "confused confusion",
        "depressed depression",
        "worried worry worriedly",
        "hostile hostility",
        "serene serenity serenely",
        "tranquil tranquility tranquilly",
        "curious curiosity curiously",
        "proud pride proudly",
        "hate hatred hateful hatefully",
        "contempt contemptuous contemptuously",
    )
)
#: Made by the rules, and something else: measures, degrees, turns of phrase, other words.
_OTHER_WORDS = word_set(
    "loudness brightness sharpness roughness softness hardness harshness thickness flatness fullness richness "
    "naturalness clearness highness likeness goodness business quickness fastness slowness deepness lowness "
    "hardly lately shortly nearly highly really fairly mostly likely early only lovely lively friendly partly timely "
    "weekly monthly yearly hourly orderly homely manly lonely roughly generally largely closely completely finally "
    "mainly simply exactly directly barely evenly clearly possibly probably certainly mostly deeply wholly fully "
    "truly surely strongly naturally "
    "careful useful powerful wonderful playful handful mouthful armful spoonful carefully wonderfully playfully "
    "apartment department moment element segment"
)
_BEHIND = word_set(
    "in on at and but from during with while for as by is are was were because since which so throughout through "
    "here again then than rather toward towards"
)
#: What the model says of itself, what is spoken about, and what is left open.
_NOT_HEARD = lazy(
    r"\b(?:(?:i|i'm|i am|i was|we|we're|we are|i feel|i felt|my|our|me)\s(?:(?:\w+ly|so|very|quite|a bit|a little)\s)?"
    r"|(?:i|we)\s(?:had|have|want|need)\sto\s|(?:about|or|word|called|titled|named|from|hiding|control|between)\s(?:(?:the|her|his|their|some)\s)?)$",
    re.IGNORECASE,
)
_WINDOW = 40


def in_family_forms(text: str, words: Sequence[Token], known: Collection[str]) -> list[Token] | None:
    """The tokens, with those of one of the options' words' families made that word; None if none is, or beside others.

    Args:
        text: an undressed reply that names no option.
        words: its tokens.
        known: the words of the options.
    """
    of = _members(frozenset(known))
    made = list(words)
    said, beside = set[str](), set[str]()
    for i, word in enumerate(words):
        wanted = of.get(word.key)
        if wanted is not None and _is_said(text, words, i):
            made[i] = word._replace(key=wanted)
            said.add(wanted)
        elif wanted is not None and not word.key.endswith("ly"):
            beside.add(wanted)
    return made if said and beside <= said else None  # "from sadness to happiness" is neither


@lru_cache(maxsize=512)
def _members(known: frozenset[str]) -> dict[str, str]:
    return one_each(known, family)


@lru_cache(maxsize=4096)
def family(word: str) -> frozenset[str]:
    """The words that say the same as a word in another form; without the word.

    >>> sorted(family("anger")), sorted(family("calmness"))
    (['angrily', 'angriness', 'angry'], ['calm', 'calmful', 'calmfully', 'calmly'])
    """
    if not (word.isascii() and word.isalpha()):
        return frozenset()
    for members in _FAMILIES:
        if word in members:
            return members - {word}
    made = {form for stem in _stems(word) for form in (stem, *_made(stem))}
    return frozenset(made - _OTHER_WORDS - {word})


def _stems(word: str) -> set[str]:
    """What a word is made of: itself, or what is left of it without its suffix."""
    for suffix in ("ness", "fully", "ful", "ily", "ly"):
        stem = word.removesuffix(suffix)
        if stem != word and len(stem) >= _SHORTEST_STEM and word not in _OTHER_WORDS:
            if suffix == "ily" or (suffix == "ness" and stem.endswith("i")):
                stem = stem.removesuffix("i") + "y"
            return {stem}
    if word.endswith("ment") and len(word) - 4 > _SHORTEST_STEM and word not in _OTHER_WORDS:
        stem = word[:-4]
        return {f"{stem}d" if stem.endswith("e") else f"{stem}ed"}
    return {word} if len(word) >= _SHORTEST_STEM else set()


def _made(stem: str) -> list[str]:
    if stem.endswith("ed"):
        return [f"{stem}ly", f"{stem[:-2]}ment", f"{stem[:-1]}ment"]
    if stem.endswith("y"):
        return [f"{stem[:-1]}iness", f"{stem[:-1]}ily"]
    if stem.endswith("ic"):
        return [f"{stem}ally"]
    adverb = f"{stem[:-1]}y" if stem.endswith("le") else f"{stem}ly"
    return [f"{stem}ness", f"{stem}ful", f"{stem}fully", adverb]


def _is_said(text: str, words: Sequence[Token], i: int) -> bool:
    """Whether another form of an option's word says what is heard: "with anger", not "I fear", "Sadly, no"."""
    start, end = words[i].start, words[i].end
    if len(words) == 1:
        return True
    if words[i].key.endswith("ly") and (not i or text[words[i - 1].end : start] != " "):
        return False  # of the whole sentence: "Sadly, …", "…, sadly"
    following = words[i + 1].key if i + 1 < len(words) else ""
    ends = CLAUSE_ENDS.match(text, end) is not None
    if not ends and following not in _BEHIND and following not in ARTICLES:
        return False  # of something else: "laughing gas", "fear of heights"
    return _NOT_HEARD.search(text[max(0, start - _WINDOW) : start]) is None
