r"""The one reader of answers: what a reply to a single-choice item answers, or that it answers nothing.

The rules, in the order in which they are tried. The first that applies decides, and its name is ``Answer.how``.
Nothing is ever guessed: where the rules cannot decide, ``letter`` is None.

1. ``empty``: nothing but blanks.
2. The whole reply, its dress (quotes, brackets, emphasis, "Answer:", "The correct answer is") aside, is

   * ``letter``: one letter, of either case, full-width or circled too. It means the letter even where it is also
     the text of another option (options C, D, E, F#; reply "D"), since a letter is what the prompt asks for;
   * ``option-line``: a letter and the text of its option ("(B) piano", "B: piano");
   * ``option-text``: the text of exactly one option, whatever its case and the punctuation around it. A lone
     "A" before an option's text is the article;
   * not an answer: a letter that no option has (``letter-beyond``), a letter with the text of another option
     (``letter-against-text``), an option's text that is also such a line (``letter-or-text``).

3. Reasoning is removed: ``<think>``, ``<reasoning>`` and their like, thought and analysis channels, text before a
   closing tag that nothing opened, text after an opening tag that nothing closes (an answer tag in it stands), and
   all that follows the end of the turn. ``reasoning-only``: nothing is left. Else rule 2 is tried again.
4. Of what is longer than 16,000 characters the first 4,000 and the last 12,000 are read.
5. ``marked``: answer tags (``<answer>``, ``<response>``, …), else ``\boxed{…}``, else ``[[…]]``, else JSON keys
   (``"answer":``). Each is read by these same rules and nothing outside them is. Several must agree, or the last
   must follow words that take the one before back ("wait", "actually").
6. A further question that the model made up ("Question: …") and all behind it is left out if what stands before it
   is an answer by rule 2.
7. Options named in the text are looked for: letters that are not words, keys, notes, initials or speakers ("A dog",
   "C major", "Speaker B" name none), and texts as whole words, the longest first ("electric piano" is not "piano",
   "1.2, 3.45" not "1.2, 3.4"), ranges whatever stands between their ends, without a leading article, without what all
   options share, without a unit that all share. Numbers count by value or word ("seventy-two", "twice", "2nd", "one
   speaker"), but not as a measure, a bound ("at least two"), a part of a sum ("two men and a woman") or a confidence
   ("100 % sure"); "one" only before what is counted. Plurals and forms of verbs name their word. Places count where
   options are no numbers ("the third option", "option two"). An option's words may stand apart by articles, possessives
   and "that is" ("set an alarm"). Where nothing is named at all: "The second one." alone, "Yeah" or "Nope" at the start
   for yes or no, another word of an option's family ("anger" for "angry", "sadly", not "Sadly, …"; never a synonym),
   and one slip of spelling in a short reply, if exactly one option's word is near. If one option only is named and
   nothing in the text denies, doubts or declines, it is the answer: ``letter``, ``option-text``, ``option-line``.
8. Otherwise what is named beside the answer is set aside: second choices always; somebody else's words ("says 'I am
   happy'", "claims he is happy") and what would sound otherwise ("B would be deeper") unless that is all there is. The
   text is cut into sentences, lines, and what stands before and after a "but". What is denied ("not A", "A is wrong",
   "rather than A", "far from A", "I doubt A"), asked ("A or B?", "Is it A?"), conditional ("if …"), said of a refusal,
   or the question's own list repeated does not count; nor what stands before "I can't decide" (``undecided``), nor the
   crossed lines of a list of which one is checked. Options joined by "and", "or", a comma or a slash count as several.
   What is left is weighed: given as the answer ("the answer is", "B is correct", a letter on the first or last line, a
   correction, what is left when all others are denied) above guessed or concluded ("I think", "so") above plainly named
   above doubted or conceded ("might be", "although …").
   Among the heaviest all must agree, or the last must correct or conclude and the text not waver more than three
   times. Names: ``statement`` or as in 7; ``several-options``, ``only-denied``, ``options-repeated``,
   ``letter-against-text`` (also where the next sentence says outright that it is another option), ``letter-or-text``,
   ``letter-beyond``.
9. ``emphasis``: rule 8 finds several options or only the list, and exactly one is in bold and not denied.
10. ``refusal``: no option was read and the text says that it cannot, may not or will not answer. A refusal that then
    names an option must assert it ("but it sounds …", "my guess: B") to be read as an answer.
11. ``nothing-read``: none of these.

Where a prompt showed options without letters, a letter says nothing: rules that read letters are passed over, and one
before an option's text ("B. piano") is the model's own numbering.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from audiometry.choices import clean, cues
from audiometry.choices.decide import Decision, decide
from audiometry.choices.letters import letters
from audiometry.choices.marked import Marked, marked
from audiometry.choices.mentions import BEYOND, Mention, mentions
from audiometry.choices.option_text import Names, OptionIndex, index
from audiometry.choices.pattern import lazy
from audiometry.choices.plainer import plainer
from audiometry.choices.refusal import declines
from audiometry.choices.spelling import without_slip
from audiometry.choices.tokens import Token, tokens
from audiometry.choices.unnamed import otherwise_named
from audiometry.choices.whole import Whole, whole, whole_text
from audiometry.records import Answer

_DEEPEST = 3
_NEXT_QUESTION = lazy(
    r"\n\s{0,9}(?:#{1,4}\s)?(?:question|q\d?|human|user|instruction)\s?\d{0,3}\s?[:：]", re.IGNORECASE
)
_BOLD = lazy(r"\*\*([^*\n]{1,200})\*\*")


class Shown(NamedTuple):
    """What may be answered.

    Attributes:
        options: as a prompt showed them, or the names of what has several.
        letters: what stands for each in an answer.
        lettered: whether the prompt showed these.
        owners: of names, the place of what each stands for; empty: each is an option.
    """

    options: tuple[str, ...]
    letters: Sequence[str]
    lettered: bool
    owners: tuple[int, ...] = ()

    def whole(self, text: str) -> Whole | None:
        """What a text answers if it is an answer and nothing else."""
        if self.lettered:
            return whole(text, self.options)
        found = whole_text(text, self.options)
        if found is None or found.option is None or not self.owners:
            return found
        return found._replace(option=self.owners[found.option])


def read_answer(reply: str, options: Sequence[str], *, lettered: bool = True) -> Answer:
    """What a reply answers, by the rules of `audiometry.choices.read`.

    >>> read_answer("The instrument is not a violin, it is a piano.", ("violin", "piano")).letter
    'B'
    >>> read_answer("(B) violin", ("violin", "piano"))
    Answer(letter=None, how='letter-against-text', refused=False)

    Args:
        reply: the text of the reply, however long.
        options: in the order in which the prompt showed them, at most 26.
        lettered: whether it showed them under letters; if not, a letter names an option only where it is its text.

    Returns:
        The letter, if one could be read; the rule that decided; whether the reply declines (then without a letter).

    Raises:
        UsageError: more than 26 options.
    """
    shown = options if isinstance(options, tuple) else tuple(options)
    text = reply.strip()
    if lettered and len(text) == 1 and text.isascii() and text.isalpha():
        place = (ord(text) | 32) - 97
        if place < len(shown):
            return _plain_letters(len(shown))[place]
    return _read(text, Shown(shown, letters(len(shown)), lettered), 0)


def read_named(reply: str, names: Names) -> Answer:
    """As `read_answer`, of what has several names and no letters: the letter of the answer is its text."""
    return _read(reply.strip(), Shown(names.texts, names.of, lettered=False, owners=names.owners), 0)


@lru_cache(maxsize=32)
def _plain_letters(n: int) -> tuple[Answer, ...]:
    return tuple(Answer(letter=letter, how="letter") for letter in letters(n))


def _read(text: str, shown: Shown, depth: int) -> Answer:  # noqa: PLR0911  a rule a line
    if not text:
        return Answer(how="empty")
    if at_once := shown.whole(text):
        return _answer(at_once, shown)
    bare = clean.without_reasoning(text).strip()
    if not bare:
        return Answer(how="reasoning-only")
    if bare != text and (at_once := shown.whole(bare)):
        return _answer(at_once, shown)
    text = clean.bounded(bare)
    marks = marked(text) if depth < _DEEPEST else []
    if marks:
        return _read_marked(text, marks, shown, depth)
    if at_once := _before_next_question(text, shown):
        return _answer(at_once, shown)
    return _read_prose(text, shown)


def _answer(read: Whole, shown: Shown) -> Answer:
    return Answer(letter=None if read.option is None else shown.letters[read.option], how=read.how)


def _read_marked(text: str, marks: Sequence[Marked], shown: Shown, depth: int) -> Answer:
    """The answer inside the marks; of several that differ the last, if it takes the one before back."""
    read = [_read_inside(mark.text.strip(), shown, depth + 1) for mark in marks]
    last = read[-1]
    if any(answer.letter != last.letter for answer in read):
        between = text[marks[-2].end : marks[-1].start].strip()
        if not cues.CORRECTED.match(between):
            return Answer(how="several-options")
    return Answer(letter=last.letter, how="marked", refused=last.refused) if last.letter else last


@lru_cache(maxsize=512)
def _read_inside(text: str, shown: Shown, depth: int) -> Answer:
    """What stands in a mark, read once: of marks in marks each stands in all that are around it."""
    return _read(text, shown, depth)


def _before_next_question(text: str, shown: Shown) -> Whole | None:
    """The answer before a further question that the model made up."""
    for mark in _NEXT_QUESTION.finditer(text, 0, clean.HEAD):
        if read := shown.whole(text[: mark.start()]):
            return read
    return None


def _read_prose(text: str, shown: Shown) -> Answer:
    bare = clean.undressed(text)
    if bare != text and (at_once := shown.whole(bare)):
        return _answer(at_once, shown)
    known = index(shown.options, lettered=shown.lettered, owners=shown.owners)
    words, found = _named(bare, known)
    if not found:
        refused = declines(bare) is not None
        return Answer(how="refusal" if refused else "nothing-read", refused=refused)
    one = found[0].options
    agree = len(one) == 1 and BEYOND not in one and all(m.options == one for m in found)
    if agree and bare.isascii() and "?" not in bare and cues.TROUBLE.isdisjoint([word.key for word in words]):
        return _answer(Whole(next(iter(one)), found[0].kind), shown)
    plain = plainer(bare)
    if plain != bare:
        bare = plain
        _, found = _named(bare, known)
    decision = decide(bare, found, known.n)
    if decision.option is None and not decision.declined:
        decision = _emphasised(text, shown, decision)
    if decision.option is None:
        return Answer(how=decision.how, refused=decision.declined)
    return _answer(Whole(decision.option, decision.how), shown)


def _named(text: str, known: OptionIndex) -> tuple[Sequence[Token], list[Mention]]:
    """The words of an undressed text and its mentions; a slip of spelling is put right where nothing is named."""
    words = tokens(text)
    found = mentions(text, words, known)
    if not found:
        return otherwise_named(text, words, known)
    if known.nested and (right := without_slip(words, known.words)):
        put_right = mentions(text, right, known)
        if any(m.start < found[0].start and m.end == found[0].end for m in put_right):
            return right, put_right  # "eletric piano" as a piano
    return words, found


def _emphasised(text: str, shown: Shown, decision: Decision) -> Decision:
    """The one option that the text names in bold, where its words alone decide nothing."""
    if "**" not in text or decision.how not in {"several-options", "options-repeated"}:
        return decision
    bold = {at_once.option for m in _BOLD.finditer(text) if (at_once := shown.whole(m[1]))}
    if len(bold) != 1 or None in bold or bold & decision.denied:
        return decision
    (option,) = bold
    return decision._replace(option=option, how="emphasis")
