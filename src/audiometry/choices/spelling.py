"""Other forms of an option's words (plurals, forms of verbs), and slips of spelling.

A slip is one letter too many, too few, wrong, or two swapped, doubled letters aside: a few lines, since the package of
fast edit distances belongs to an extra and what is compared here is one short word with a handful.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from itertools import groupby

from audiometry.choices.tokens import Token, word_set

_SHORTEST_FORM, _SHORTEST_VERB, _SHORTEST_SLIP, _SHORTEST_WRONG_LETTER = 3, 4, 5, 6
_LONGEST_REPLY = 12
#: Forms that are words of their own.
_OWN_WORDS = word_set(
    "folks means news goods thanks glasses arms rocks pops lives types parking building evening morning training "
    "meeting wedding housing clothing something anything nothing everything"
)
_SIBILANTS = ("s", "x", "z", "ch", "sh")
_VOWELS = frozenset("aeiouy")


def forms(word: str) -> frozenset[str]:
    """Plurals, singulars and third persons of a word, and of a word in "-ing" what else its verb makes.

    >>> sorted(forms("strings")), sorted(forms("barking"))
    (['string'], ['barked', 'barkes', 'barks'])
    """
    if not (word.isascii() and word.isalpha()) or len(word) < _SHORTEST_FORM:
        return frozenset()
    made: set[str] = set()
    if word.endswith("ing") and _VOWELS & set(word[:-3]) and len(word) - 3 >= _SHORTEST_FORM:
        made = {form for stem in stems(word) for form in (_plural(stem), _past(stem))}
    elif word.endswith("s") and not word.endswith(("ss", "us", "is")):
        made = {word[:-1]} if len(word) > _SHORTEST_VERB else set()
    else:
        made = {_plural(word)}
    return frozenset(made - _OWN_WORDS)


def verb_forms(word: str) -> frozenset[str]:
    """The "-ing" and the past of a word that may be a verb.

    >>> sorted(verb_forms("sneeze"))
    ['sneezed', 'sneezing']
    """
    if not (word.isascii() and word.isalpha()) or len(word) < _SHORTEST_VERB or word.endswith(("ing", "s", "ed")):
        return frozenset()
    return frozenset({(word.removesuffix("e")) + "ing", _past(word)} - _OWN_WORDS)


def stems(word: str) -> frozenset[str]:
    """What a word in "-ing" may be made of.

    >>> sorted(stems("running"))
    ['run', 'runn', 'runne']
    """
    stem = word[:-3]
    undoubled = {stem[:-1]} if len(stem) > _SHORTEST_FORM and stem[-1] == stem[-2] else set()
    return frozenset({stem, f"{stem}e", *undoubled})


def _plural(word: str) -> str:
    if word.endswith("y") and word[-2:-1] not in _VOWELS:
        return f"{word[:-1]}ies"
    return f"{word}es" if word.endswith(_SIBILANTS) else f"{word}s"


def _past(word: str) -> str:
    return f"{word}d" if word.endswith("e") else f"{word}ed"


def one_each(words: Collection[str], made: Callable[[str], frozenset[str]]) -> dict[str, str]:
    """What is made of the words, and of which; nothing that two make, or that is one of them."""
    of: dict[str, str] = {}
    twice: set[str] = set(words)
    for word in words:
        for form in made(word):
            twice |= {form} & of.keys()
            of[form] = word
    return {form: word for form, word in of.items() if form not in twice}


def without_slip(words: Sequence[Token], known: Iterable[str]) -> list[Token] | None:
    """The tokens of a short reply, its one misspelled word put right; None unless exactly one known word is near one.

    Args:
        words: of a reply that names no option.
        known: the words of the options.
    """
    if len(words) > _LONGEST_REPLY:
        return None
    near = [(i, wanted) for i, word in enumerate(words) for wanted in known if is_slip(word.key, wanted)]
    if len(near) != 1:
        return None
    (i, wanted) = near[0]
    return [*words[:i], words[i]._replace(key=wanted), *words[i + 1 :]]


def is_slip(word: str, wanted: str) -> bool:
    """Whether one word is the other misspelled; the first letter holds, and the last unless it is left off.

    Short words, forms in "-ing" and (of words under six letters) a wrong letter make other words too easily.

    >>> is_slip("tommorow", "tomorrow"), is_slip("agnry", "angry"), is_slip("house", "horse"), is_slip("base", "bass")
    (True, True, False, False)
    """
    if word == wanted or len(wanted) < _SHORTEST_SLIP or word[0] != wanted[0] or not wanted.isalpha():
        return False
    if word.endswith("ing") or not word.isalpha():
        return False
    if word[-1] != wanted[-1]:
        return len(wanted) >= _SHORTEST_WRONG_LETTER and word == wanted[:-1]
    one, other = _single_letters(word), _single_letters(wanted)
    if abs(len(one) - len(other)) > 1:
        return False
    shorter, longer = sorted((one, other), key=len)
    same = next((i for i, (a, b) in enumerate(zip(shorter, longer, strict=False)) if a != b), len(shorter))
    if len(shorter) < len(longer):
        return shorter[same:] == longer[same + 1 :]
    swapped = shorter[same : same + 2] == longer[same : same + 2][::-1] and shorter[same + 2 :] == longer[same + 2 :]
    return swapped or (len(wanted) >= _SHORTEST_WRONG_LETTER and shorter[same + 1 :] == longer[same + 1 :])


def _single_letters(word: str) -> str:
    return "".join(letter for letter, _ in groupby(word))
