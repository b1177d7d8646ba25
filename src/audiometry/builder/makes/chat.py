"""Open questions with a reference answer, written from all that is known of the clip, as many of each ability."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

import msgspec

from audiometry.builder import checks, writing
from audiometry.builder.abilities import ABILITIES, Ability, transcript
from audiometry.builder.make import Candidate, Hand, Make, Unfit
from audiometry.builder.replies import is_blank, read
from audiometry.builder.slips import folded
from audiometry.builder.spec import Spec, TaskSpec
from audiometry.builder.writer import Asking
from audiometry.builder.writing import Wish, Writing
from audiometry.errors import shown, suggestion

DECLINED = ("not-about-audio", "answerable-without", "gives-away")
"""Why a writer may say that no good question is there to be had."""
_ROLE = (
    "You write an open question for a listening test. Whoever is tested hears a recording and answers in their own "
    "words; you cannot hear it, but know what follows of it."
)
_TASK = """Write one question in the language {language} that {ask}.
- It is about what is heard, and only whoever hears the recording can answer it.
- It speaks of what is heard, never of a text, a caption or a description.
- It does not hold its answer.
{answer}
If no such question can be asked of this recording, or yours turns out not to be about what is heard, to be answerable \
without hearing it, or to give its answer away, reply with {{"reject": "not-about-audio"}}, \
{{"reject": "answerable-without"}} or {{"reject": "gives-away"}}.

Reply with one JSON object and nothing else:
{{"question": "…", "answer": "…"}}"""
_ANSWER = (
    "- The answer is what somebody who listened well would say, in one to three sentences, and rests on nothing but "
    "what is known of the recording."
)
_BY_FACT = "- The answer is what is known to be said; write it as it stands."
_TOKENS = 90


class Pair(msgspec.Struct, frozen=True):
    """The form of a reply."""

    question: str
    answer: str
    reject: str | None = None


class Declined(msgspec.Struct, frozen=True):
    """The form of a reply that writes nothing."""

    reject: str


def _slips(spec: Spec, task: TaskSpec) -> Iterator[str]:
    if task.category not in ABILITIES:
        near = suggestion(task.category, ABILITIES) if task.category else f"write one of {', '.join(ABILITIES)}"
        yield f"has the category '{shown(task.category)}', for which nothing is known to ask; {near}"
        return
    known = [one.name for one in ABILITIES[task.category]]
    for name in task.abilities:
        if name not in known:
            yield f"has the ability '{shown(name)}', which {task.category} has not; {suggestion(name, known)}"
    for key in ("question", "about", "near", "labels"):
        if getattr(task, key):
            yield f"has {key}, which does nothing where a model writes the questions; leave it out"
    yield from writing.slips(spec, task)


def _read(text: str) -> Pair | Declined | str:
    """A pair, or why the writer gave none; else why the reply cannot be read."""
    pair = read(text, Pair)
    if isinstance(pair, Pair):
        if pair.reject:
            return Declined(pair.reject)
        lacks = "question" if is_blank(pair.question) else "answer" if is_blank(pair.answer) else ""
        return f"its {lacks} is empty" if lacks else pair
    declined = read(text, Declined)
    return declined if isinstance(declined, Declined) else pair


def _make(hand: Hand) -> Iterator[Candidate | Unfit]:
    task, language = hand.task, hand.spec.language
    known = {one.name: one for one in ABILITIES[task.category] if not task.abilities or one.name in task.abilities}
    wishes = list[Wish]()
    for _, some in groupby(hand.clips, key=lambda clip: clip.batch):
        clips = [*some]
        fitting = [[name for name, one in known.items() if one.fits(clip)] for clip in clips]
        for clip, own, names in zip(clips, fitting, writing.spread(fitting, task.per_clip), strict=True):
            wishes += [Wish(clip, (name,), name) for name in names]
            if task.n:  # what no other clip is left for
                wishes += [Wish(clip, (name,), name, spare=True) for name in own if name not in names]
            if not own:
                reason = "has none of the facts from which a question could be written; fill its cells"
                yield Unfit(rule="empty-label", reason=reason, clip=clip)
    seen: set[tuple[str, str]] = set()

    def prompt(wish: Wish) -> Asking:
        one = known[wish.stratum]
        how = _TASK.format(language=language, ask=one.ask, answer=_BY_FACT if one.by_fact else _ANSWER)
        return Asking.of(_ROLE, {"known of the recording": writing.facts_of(hand, wish.clip)}, how)

    def take(wish: Wish, found: Pair | Declined, text: str, by: dict[str, str]) -> Iterator[Candidate | Unfit]:
        one = known[wish.stratum]
        if isinstance(found, Declined):
            rule = found.reject if found.reject in DECLINED else "declined"
            reason = f"the writer finds no good question about {one.name} for it ('{shown(found.reject, 60)}')"
            yield Unfit(rule=rule, reason=reason, clip=wish.clip, reply=text, by=by["model"])
            return
        meta = writing.facts_of(hand, wish.clip)
        answer = transcript(wish.clip) if one.by_fact else " ".join(found.answer.split())
        question = " ".join(found.question.split())
        made = Candidate(
            clip=wish.clip,
            question=question,
            answer=answer,
            stratum=one.name,
            tags={"ability": one.name},
            meta=meta,
            provenance=by,
        )
        rule, reason = _flaw(question, answer, meta, one, language)
        same = folded(question), folded(answer)
        if not rule and same in seen:
            rule, reason = "repeated", "asks and answers what is asked and answered of another clip"
        seen.add(same)
        yield Unfit(rule=rule, reason=reason, clip=wish.clip, candidate=made) if rule else made

    yield from writing.written(hand, wishes, Writing(prompt=prompt, read=_read, take=take, tokens_out=_TOKENS))


def _flaw(question: str, answer: str, meta: str, one: Ability, language: str) -> checks.Flaw:
    for flaw in (
        checks.of_question(question, language),
        checks.of_answer(answer, "" if one.any_language else language),
        checks.of_echo([question] if one.by_fact else [question, answer], f"{_ROLE} {_TASK} {_ANSWER}"),
        checks.of_open(question, answer, meta, language),
    ):
        if flaw[0]:
            return flaw
    return checks.FINE


MAKE = Make(
    name="chat",
    about="open questions and reference answers, written from what is known of the clip",
    slips=_slips,
    kind=lambda _: "open",
    make=_make,
)
