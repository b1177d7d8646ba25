"""Which value of a fact is true of the clip: wrong options are near misses that a language model writes."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from audiometry.builder import checks, writing
from audiometry.builder.make import Candidate, Hand, Make, Unfit
from audiometry.builder.replies import is_blank, read
from audiometry.builder.spec import Spec, TaskSpec
from audiometry.builder.writer import Asking
from audiometry.builder.writing import Wish, Writing
from audiometry.errors import shown

_ROLE = (
    "You write the wrong options of a listening test: somebody hears a recording, is asked a question about it, and "
    "chooses among options of which one is right."
)
_TASK = """Write {n} wrong options for this question. Each of them
- is false of this recording, whatever else is true of it;
- is a near miss: the same kind of thing as the right answer, and what somebody who half listened might choose;
- is worded as the right answer is, about as long, in the same language;
- says something else than the right answer and than the others, not the same in other words.

Reply with one JSON object and nothing else:
{{"wrong": [{places}]}}"""
_TOKENS = 60


class Wrong(msgspec.Struct, frozen=True):
    """The form of a reply."""

    wrong: tuple[str, ...]


def _slips(spec: Spec, task: TaskSpec) -> Iterator[str]:
    if not task.about:
        yield 'does not say what it is about; name a fact (about = "emotion")'
    if not task.question:
        yield 'has no question; write one (question = ["How does the speaker feel?"])'
    yield from writing.slips(spec, task)


def _make(hand: Hand) -> Iterator[Candidate | Unfit]:
    about, wishes = hand.task.about, list[Wish]()
    for clip in hand.clips:
        values = clip.facts.get(about, ())
        if not values:
            yield Unfit(rule="empty-label", reason=f"has no {shown(about, 40)}; fill the cell", clip=clip)
            continue
        for question in hand.questions(clip):
            answer = hand.draw("answer", clip, question).pick(values)
            wishes.append(Wish(clip, (question, answer), stratum=answer))
    n = hand.task.options - 1

    def prompt(wish: Wish) -> Asking:
        question, answer = wish.about
        texts = {
            "known of the recording": writing.facts_of(hand, wish.clip),
            "question": question,
            "right answer": answer,
        }
        return Asking.of(_ROLE, texts, _TASK.format(n=n, places=", ".join(['"…"'] * n)))

    def wrong(text: str) -> tuple[str, ...] | str:
        found = read(text, Wrong)
        if isinstance(found, str):
            return found
        options = tuple(" ".join(one.split()) for one in found.wrong if not is_blank(one))
        return options[:n] if len(options) >= n else f"it has {len(options)} wrong options, {n} are needed"

    def take(wish: Wish, options: tuple[str, ...], _: str, by: dict[str, str]) -> Iterator[Candidate | Unfit]:
        question, answer = wish.about
        made = Candidate(clip=wish.clip, question=question, answer=answer, wrong=options, stratum=answer, provenance=by)
        rule, reason = _flaw(hand, made)
        yield Unfit(rule=rule, reason=reason, clip=wish.clip, candidate=made) if rule else made

    yield from writing.written(hand, wishes, Writing(prompt=prompt, read=wrong, take=take, tokens_out=_TOKENS))


def _flaw(hand: Hand, made: Candidate) -> checks.Flaw:
    answer = made.answer or ""
    language = "" if checks.of_answer(answer, hand.spec.language)[0] == "language" else hand.spec.language
    for option in made.wrong:
        rule, reason = checks.of_answer(option, language)
        if rule:
            return rule, reason
    rule, reason = checks.of_choice(made.question, answer, made.wrong)
    if rule:
        return rule, reason
    known = [value for name in made.clip.facts for value in hand.may_be_true_of(made.clip, name)]
    return checks.of_wrong(made.wrong, known)


MAKE = Make(
    name="near",
    about="which value of a fact is true of the clip; wrong ones written as near misses",
    slips=_slips,
    kind=lambda _: "choice",
    make=_make,
    written=True,
)
