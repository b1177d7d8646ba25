"""Questions about music with three kinds of distractors, written from captions and tags by MuChoMusic's recipe.

Source: Weck et al. 2024, MuChoMusic, section 3 (arXiv 2408.01337).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

import msgspec

from audiometry.builder import checks, writing
from audiometry.builder.make import Candidate, Hand, Make, Unfit
from audiometry.builder.replies import read
from audiometry.builder.slips import folded
from audiometry.builder.spec import Spec, TaskSpec
from audiometry.builder.writer import Asking
from audiometry.builder.writing import Wish, Writing
from audiometry.records import Dimension

KINDS: Final = {"IR": "incorrect but related", "CU": "correct but unrelated", "IU": "incorrect and unrelated"}
"""Of distractors, by the short names that `Item.kinds` has."""
DIMENSIONS: Final = (
    Dimension(
        tag="knowledge",
        title="Knowledge",
        values=(
            "melody",
            "harmony",
            "metre and rhythm",
            "instrumentation",
            "sound texture",
            "performance",
            "structure",
        ),
    ),
    Dimension(
        tag="reasoning",
        title="Reasoning",
        values=(
            "mood and expression",
            "temporal relations between elements",
            "lyrics",
            "genre and style",
            "historical and cultural context",
            "functional context",
        ),
    ),
)
_OTHERWISE: Final = {
    "metre and rhythm": ("rhythm", "tempo", "meter", "metre", "meter and rhythm", "rhythm and metre", "beat"),
    "sound texture": ("timbre", "texture", "sound quality", "audio quality", "production"),
    "performance": ("vocal technique", "vocal techniques", "playing technique", "vocals", "recording setup"),
    "instrumentation": ("instruments", "instrument"),
    "structure": ("form",),
    "mood and expression": ("mood", "emotion", "expression"),
    "temporal relations between elements": ("temporal relations", "order of events"),
    "genre and style": ("genre", "style"),
    "historical and cultural context": ("cultural context", "historical context", "culture", "history"),
    "functional context": ("function", "use", "purpose"),
}
_ROLE = (
    "You write multiple-choice questions for a test of how well somebody understands music by ear. You cannot hear the "
    "piece, but know what follows of it."
)
_TASK = """First sum up in a sentence what is known of the piece. Then write {n}, each about something else, in the \
language {language}. Each
- is about what is heard in the piece, and cannot be answered without hearing it;
- does not hold its answer, and speaks of the music, never of a text or a description;
- has a short right answer that what is known of the piece bears out;
- has three wrong options as long and as worded as the right answer:
  "related": it answers the question as the right answer might, and is false of this piece;
  "true": it is true of this piece, but no answer to the question;
  "neither": it is false of this piece, and no answer to the question;
- names what it tests: "knowledge", some of {knowledge}; "reasoning", some of {reasoning}; each may be empty.

Reply with one JSON object and nothing else:
{{"summary": "…", "questions": [{{"question": "…", "answer": "…", "related": "…", "true": "…", "neither": "…", \
"knowledge": ["…"], "reasoning": ["…"]}}]}}"""
_TOKENS = 150


class Written(msgspec.Struct, frozen=True):
    """A question in a reply."""

    question: str
    answer: str
    related: str
    true: str
    neither: str
    knowledge: tuple[str, ...] = ()
    reasoning: tuple[str, ...] = ()


class Reply(msgspec.Struct, frozen=True):
    """The form of a reply."""

    questions: tuple[Written, ...]


def _slips(spec: Spec, task: TaskSpec) -> Iterator[str]:
    if task.options != len(KINDS) + 1:
        yield f"has options = {task.options}; a question about music has {len(KINDS) + 1}, one wrong of each kind"
    for key in ("question", "about", "near", "labels"):
        if getattr(task, key):
            yield f"has {key}, which does nothing where a model writes the questions; leave it out"
    yield from writing.slips(spec, task)


def _read(text: str) -> tuple[Written, ...] | str:
    found = read(text, Reply)
    if isinstance(found, str):
        one = read(text, Written)  # the only question, without the object around it
        return found if isinstance(one, str) else (one,)
    return found.questions or "it has no question"


def _make(hand: Hand) -> Iterator[Candidate | Unfit]:
    task, language = hand.task, hand.spec.language
    wishes = list[Wish]()
    for clip in hand.clips:
        if writing.facts_of(hand, clip):
            wishes.append(Wish(clip))
        else:
            yield Unfit(rule="empty-label", reason="nothing is known of it; fill its cells", clip=clip)
    n = "one question" if task.per_clip == 1 else f"{task.per_clip} questions"
    said = [", ".join(f'"{value}"' for value in one.values) for one in DIMENSIONS]
    how = _TASK.format(n=n, language=language, knowledge=said[0], reasoning=said[1])
    seen: set[tuple[str, ...]] = set()

    def prompt(wish: Wish) -> Asking:
        return Asking.of(_ROLE, {"known of the piece": writing.facts_of(hand, wish.clip)}, how)

    def take(wish: Wish, found: tuple[Written, ...], _: str, by: dict[str, str]) -> Iterator[Candidate | Unfit]:
        known = [value for name in wish.clip.facts for value in hand.may_be_true_of(wish.clip, name)]
        for one in found[: task.per_clip]:
            made = _candidate(wish, one, by, writing.facts_of(hand, wish.clip))
            rule, reason = _flaw(made, known, language)
            same = tuple(map(folded, (made.question, made.answer or "")))
            if not rule and (wish.clip.key, same[0]) in seen:
                rule, reason = "repeated", "asks what is asked of this clip already"
            elif not rule and same in seen:
                rule, reason = "repeated", "asks and answers what is asked and answered of another clip"
            seen.update((same, (wish.clip.key, same[0])))
            yield Unfit(rule=rule, reason=reason, clip=wish.clip, candidate=made) if rule else made

    tokens = _TOKENS * task.per_clip
    asked = Writing(prompt=prompt, read=_read, take=take, tokens_out=tokens, each=task.per_clip)
    yield from writing.written(hand, wishes, asked)


def _candidate(wish: Wish, one: Written, by: dict[str, str], meta: str) -> Candidate:
    question, answer, *wrong = (
        " ".join(text.split()) for text in (one.question, one.answer, one.related, one.true, one.neither)
    )
    lists = {its.tag: of_dimension(its, getattr(one, its.tag)) for its in DIMENSIONS}
    return Candidate(
        clip=wish.clip,
        question=question,
        answer=answer,
        wrong=tuple(wrong),
        kinds=tuple(KINDS),
        lists={tag: values for tag, values in lists.items() if values},
        meta=meta,
        provenance=by,
    )


def _flaw(made: Candidate, known: Sequence[str], language: str) -> checks.Flaw:
    answer = made.answer or ""
    for flaw in (
        checks.of_question(made.question, language),
        *(checks.of_answer(one, language) for one in (answer, *made.wrong)),
        checks.of_echo((made.question, answer, *made.wrong), f"{_ROLE} {_TASK}"),
        checks.of_open(made.question, answer, made.meta, language),
        checks.of_choice(made.question, answer, made.wrong),
    ):
        if flaw[0]:
            return flaw
    false = (option for kind, option in zip(made.kinds, made.wrong, strict=True) if kind != "CU")
    return checks.of_wrong(false, known)


def of_dimension(dimension: Dimension, given: Sequence[str]) -> tuple[str, ...]:
    """The values of a dimension that a writer means, in the order of the dimension; others are left out.

    >>> of_dimension(DIMENSIONS[0], ["Tempo", "timbre", "weather", "Melody"])
    ('melody', 'metre and rhythm', 'sound texture')
    """
    said = set(map(folded, given))
    return tuple(one for one in dimension.values if not said.isdisjoint((one, *_OTHERWISE.get(one, ()))))


MAKE = Make(
    name="music",
    about="questions about music with three kinds of distractors, written from captions and tags",
    slips=_slips,
    kind=lambda _: "choice",
    make=_make,
    written=True,
    dimensions=DIMENSIONS,
    distractors=KINDS,
)
