"""What a judge's answer says: a letter, that none is chosen, or nothing that can be read."""

from __future__ import annotations

import re

import msgspec

from audiometry.choices import clean, read_answer

NOTHING, OTHERWISE = "NONE", "NO-CHOICE"
# words that may stand around the word for nothing in an answer that says no more than that
_AROUND = {"the", "my", "final", "answer", "is", "choice", "option", "letter", "verdict", "result", "boxed", "json"}
_WORD = re.compile(r"[^\W_]+(?:-[^\W_]+)*")


class Opinion(msgspec.Struct, frozen=True):
    """What a judge says of one content.

    Attributes:
        letter: the option chosen, as shown; None if none is.
        how: the rule that read it; why it could not be read.
        failed: the judge failed: no answer came, or none that can be read.
    """

    letter: str | None
    how: str
    failed: bool = False


def nothing_word(options: tuple[str, ...]) -> str:
    """What a judge has to answer if no option is chosen: a word that is in none of the options.

    >>> nothing_word(("dog", "cat")), nothing_word(("one", "none"))
    ('NONE', 'NO-CHOICE')
    """
    return OTHERWISE if any(NOTHING.casefold() in option.casefold() for option in options) else NOTHING


def read_opinion(said: str, options: tuple[str, ...]) -> Opinion:
    """Read a judge's answer, by the house's reader of answers and a rule for the word that stands for none.

    >>> read_opinion("**B**", ("dog", "cat")).letter, read_opinion("NONE.", ("dog", "cat"))
    ('B', Opinion(letter=None, how='none', failed=False))

    Args:
        said: the judge's answer.
        options: as the judge was shown them.
    """
    bare = clean.undressed(clean.without_reasoning(said)).strip()
    nothing = nothing_word(options)
    found = [word.casefold() for word in _WORD.findall(bare)]
    if nothing.casefold() in found and set(found) <= {nothing.casefold(), *_AROUND}:
        return Opinion(None, "none")
    answer = read_answer(said, options)
    # in capitals, as it was asked for; in an explanation "none" may mean anything
    says_nothing = re.search(rf"(?<![\w-]){nothing}(?![\w-])", bare) is not None
    if says_nothing and answer.letter is not None:
        return Opinion(None, "letter-and-none", failed=True)
    if says_nothing:
        return Opinion(None, "none")
    return Opinion(answer.letter, answer.how, failed=answer.letter is None)
