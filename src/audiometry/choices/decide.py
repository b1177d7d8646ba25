"""Which of the options that a text names it gives as its answer."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from typing import NamedTuple

from audiometry.choices import cues, outcome
from audiometry.choices.aside import without_asides
from audiometry.choices.mentions import BEYOND, Mention
from audiometry.choices.pattern import lazy
from audiometry.choices.segments import Segment, groups, repeated_lists, segments

_WORDS = lazy(r"\w")
_CONTRAST = lazy(
    r"\W*(?:but|however|though|although|nevertheless|still|yet|pero|mais|aber|maar|ma|mas|но|但|でも|しかし|하지만|لكن)",
    re.IGNORECASE,
)
_OPENS = lazy(r"\W*(?:an?\s|(?:\w+\s){0,2}\w+:\W*)?", re.IGNORECASE)
_ANSWERS = lazy(r"(?:\s(?:voice|speaker|speech|accent|tone))?(?:\s?[,.!:(]|$)", re.IGNORECASE)
_BEFORE, _AFTER = 160, 80
FINAL, OPINION, PLAIN, DOUBT = 3, 2, 1, 0
_TOO_MANY_CHANGES = 4


class Said(NamedTuple):
    """One or several options named together, and how they are said.

    Attributes:
        options: the places of the options; more than one if they are joined.
        kind: of the mention (`Mention.kind`), if it is one.
        weight: `FINAL` (given as the answer), `OPINION` (guessed, concluded), `PLAIN`, `DOUBT`.
        segment: the number of the segment it stands in.
        settles: it takes back or concludes what was said before.
        denied: it is said not to be it.
        also: it is said beside what was said before.
        asserted: a copula, a guess or a contrast leads to it; asked for after a refusal.
        predicate: that segment says of something that it is just this.
        left: it is said to be what is left.
    """

    options: frozenset[int]
    kind: str
    weight: int
    segment: int
    settles: bool = False
    denied: bool = False
    also: bool = False
    asserted: bool = False
    predicate: bool = False
    left: bool = False


class Decision(NamedTuple):
    """An option, or why there is none; whether the text declines; and the options it denies."""

    option: int | None
    how: str
    declined: bool
    denied: frozenset[int]


def decide(text: str, found: Sequence[Mention], n: int) -> Decision:
    """Weigh all that a text says of its options, of which there are ``n``."""
    found = without_asides(text, found)
    listed = repeated_lists(text, found, n)
    said: list[Said] = []
    denied: set[int] = set()
    declined = pending = undecided = False
    wavers = outcome.UNDECIDED.may_match(text)
    for number, segment in enumerate(segments(text, found, listed)):
        declined = declined or segment.declines
        if wavers and outcome.UNDECIDED.search(text, segment.start, segment.end):
            undecided = True
            said.clear()
        if not segment.named:
            whole = text[segment.start : segment.end]
            pending = cues.CORRECTED.match(whole) is not None or (pending and not whole.strip())
            continue
        for heard in _in_segment(text, segment, number, n):
            if heard.denied:
                denied |= heard.options
                continue
            settled = (pending and heard.weight > DOUBT) or (
                heard.left and len(heard.options) == 1 and len(denied | heard.options) == n
            )
            one = heard._replace(weight=FINAL, settles=True) if settled else heard
            said.append(one._replace(options=one.options | said[-1].options) if one.also and said else one)
            pending = False
        pending = False
    if declined:
        said = [s for s in said if s.weight >= OPINION or s.asserted]
    if undecided:
        said = [s for s in said if s.weight >= OPINION or s.settles]
        if not said:
            return Decision(None, "refusal" if declined else "undecided", declined, frozenset(denied))
    return _weigh(said, declined=declined, denied=frozenset(denied), listed=bool(listed))


def _in_segment(text: str, segment: Segment, number: int, n: int) -> list[Said]:
    """All that a segment says of options."""
    joined = groups(text, segment.inside)
    whole = text[segment.start : segment.end]
    if segment.question and (sum(map(len, joined)) > 1 or cues.ASKS.match(whole)):  # it asks which, or whether
        return []
    if cues.CONDITIONAL.match(whole):
        return []
    said: list[Said] = []
    for k, group in enumerate(joined):
        options = frozenset[int]().union(*(m.options for m in group))
        if len(group) > 1 and len(options) == n and BEYOND not in options:
            continue  # all of them: the question's own list again
        if (
            said
            and said[-1].denied
            and options <= said[-1].options
            and outcome.REASON.search(text, *_between(joined, k))
        ):
            continue  # "B is wrong since nobody sings"
        if said and said[-1].denied and outcome.LIKEWISE.fullmatch(text, *_between(joined, k)):
            said.append(said[-1]._replace(options=options))  # "A is wrong, and so is B"
            continue
        start = joined[k - 1][-1].end if k else segment.start
        end = joined[k + 1][0].start if k + 1 < len(joined) else segment.end
        one = _said(text, group, (start, end), number, alone=segment.edge and len(joined) == 1)
        said.append(one._replace(weight=DOUBT, asserted=False) if segment.question else one)
    return said


def _between(joined: Sequence[Sequence[Mention]], k: int) -> tuple[int, int]:
    return joined[k - 1][-1].end, joined[k][0].start


def _said(text: str, group: Sequence[Mention], limits: tuple[int, int], segment: int, *, alone: bool) -> Said:
    """How a group is said between its limits."""
    before = text[max(limits[0], group[0].start - _BEFORE) : group[0].start]
    after = text[group[-1].end : min(limits[1], group[-1].end + _AFTER)]
    options = frozenset[int]().union(*(m.options for m in group))
    kind = group[0].kind if len(group) == 1 else "several-options"
    if _denied(before, after, group[0].kind):  # and how else it is said does not matter
        return Said(options, kind, PLAIN, segment, denied=True)
    final = cues.FINAL_BEFORE.search(before) or cues.FINAL_AFTER.match(after)
    bare = not _WORDS.search(before) and not _WORDS.search(after)
    answers = bare or (_OPENS.fullmatch(before) is not None and _ANSWERS.match(after) is not None)
    corrected = cues.CORRECTED.match(before) is not None
    doubted = cues.DOUBTED.search(before) is not None
    concluded = cues.CONCLUDED.search(before) is not None
    contrast = _CONTRAST.match(before) is not None
    if cues.EARLIER.search(before):
        weight = DOUBT
    elif final or corrected or (alone and bare):
        weight = FINAL
    elif doubted or cues.CONCEDED.search(before):
        weight = DOUBT
    else:
        weight = OPINION if concluded or cues.GUESSED.search(before) else PLAIN
    return Said(
        options=options,
        kind=kind,
        weight=weight,
        segment=segment,
        settles=(corrected or concluded or contrast) and not doubted,
        asserted=contrast or answers or cues.ASSERTED.search(before) is not None,
        also=cues.ALSO.search(text, *limits) is not None,
        predicate=not _WORDS.search(after) and cues.PREDICATE.match(before) is not None,
        left=outcome.LEFT_BEFORE.search(before) is not None or outcome.LEFT_AFTER.match(after) is not None,
    )


def _denied(before: str, after: str, kind: str) -> bool:
    if cues.NEGATED_BEFORE.search(before) or cues.SOFTLY_DENIED_BEFORE.search(before):
        return True
    if cues.NEGATED_AFTER.match(after) or cues.CROSSED_BEFORE.match(before):
        return True
    if kind == "letter":
        return cues.TOO_AFTER.match(after) is not None
    return cues.NO_BEFORE.search(before) is not None  # "C, no B" takes C back


def _weigh(  # noqa: PLR0911  a rule a line
    said: Sequence[Said], *, declined: bool, denied: frozenset[int], listed: bool
) -> Decision:
    def none(how: str) -> Decision:
        return Decision(None, "refusal" if declined else how, declined, denied)

    if not said:
        return none("only-denied" if denied else "options-repeated" if listed else "nothing-read")
    weight = max(s.weight for s in said)
    heaviest = [s for s in said if s.weight == weight]
    last = heaviest[-1]
    if len({s.options for s in heaviest}) > 1:
        changes = sum(a.options != b.options for a, b in itertools.pairwise(heaviest))
        if weight < OPINION or not last.settles or changes >= _TOO_MANY_CHANGES:
            return none("several-options")
    later = said[len(said) - said[::-1].index(last) :]
    if any(s.settles and s.weight == OPINION and s.options != last.options for s in later):
        return none("several-options")
    if last.kind in {"letter-against-text", "letter-or-text"}:
        return none(last.kind)
    if len(last.options) > 1:
        return none("several-options")
    (option,) = last.options
    if option == BEYOND:
        return none("letter-beyond")
    if last.kind == "letter" and _contradicted(last, said):
        return none("letter-against-text")
    how = "statement" if weight == FINAL and last.kind != "option-line" else last.kind
    return Decision(option, how, declined, denied)


def _contradicted(last: Said, said: Sequence[Said]) -> bool:
    """Whether the sentence before or after says outright that it is another option, and none names this one's text."""
    texts = [s for s in said if s.kind in {"option-text", "option-line"}]
    if any(s.options == last.options for s in texts):
        return False
    return any(s.predicate and abs(s.segment - last.segment) == 1 for s in texts)
