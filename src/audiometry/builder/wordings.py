"""More wordings of a task's question, which a model writes after the examples of the spec.

Source: AIR-Bench, section 3.2: three questions given, fifty different ones kept.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import msgspec
from msgspec.structs import replace

from audiometry.bench.check_leaks import holds, words
from audiometry.builder import checks
from audiometry.builder.make import Hand
from audiometry.builder.makes.events import LABEL
from audiometry.builder.replies import read
from audiometry.builder.slips import folded
from audiometry.builder.writer import Asking
from audiometry.errors import counted, shown
from audiometry.files.build_folder import Rejected

AT_ONCE: Final = 20
"""Wordings that are asked for with one prompt."""
_TRIES: Final = 3  # as many prompts as would do, after which fewer wordings have to do
_TOKENS: Final = 20  # of a wording
_ROLE: Final = (
    "You word the questions of a listening test: somebody hears a recording and is asked something about it, each time "
    "in other words."
)
_TASK: Final = """Write {n} more wordings of this question (part {part}), in the language {language}. Each
- asks for exactly the same, so that the same answer is right;
- differs from those that are there and from the others in its words or its form, not in a mark or a small word;
- names no possible answer{place}.

Reply with one JSON object and nothing else:
{{"questions": ["…", "…"]}}"""


class Wordings(msgspec.Struct, frozen=True):
    """The form of a reply."""

    questions: tuple[str, ...]


def expand(hand: Hand) -> list[Rejected]:
    """Add wordings that a model writes to those of the hand's task; gives what is not good enough.

    Args:
        hand: of the task; says so in its notes where fewer are found than are wanted.
    """
    task, writer = hand.task, hand.writer
    assert writer is not None  # noqa: S101  the spec was refused without one
    found, rejected = _Found(hand), list[Rejected]()
    session = writer.session(
        f"{task.name}, wordings", lambda text: not isinstance(read(text, Wordings), str), AT_ONCE * _TOKENS
    )
    place = f", and has {LABEL} in it where that stands" if found.has_place else ""
    tries = -(-task.written // AT_ONCE)
    for part in range(1, (tries if writer.dry else tries * _TRIES) + 1):
        n = min(AT_ONCE, task.written - len(found.written))
        if n <= 0:
            break
        there = "\n".join((*task.question, *found.written))
        how = _TASK.format(n=n, part=part, language=hand.spec.language, place=place)
        asked = Asking.of(_ROLE, {"wordings that are there": there}, how)
        for one, said in session.ask(lambda asked=asked: [asked]):  # type: ignore[misc]  # of this part
            rejected += found.take(said.text, session.provenance(one, said))
    lacking = 0 if writer.dry else task.written - len(found.written)
    if lacking:
        got = f"{counted(len(found.written), 'wording')} written of {task.written:,}"
        hand.notes.append(f"task {shown(task.name)}: {got}, the others were no good; give other examples, or fewer")
    hand.written = found.written
    hand.task = replace(task, question=(*task.question, *found.written))
    return rejected


class _Found:
    """Wordings that were written, each with its provenance, and what they may not be."""

    def __init__(self, hand: Hand) -> None:
        self._hand, self.written = hand, dict[str, dict[str, str]]()
        task = hand.task
        self.has_place = all(LABEL in one for one in task.question)
        self._seen = {_bare(one) for one in task.question}
        given = [words(one) for one in task.question]
        labels = list(task.labels) or {v for clip in hand.clips for v in clip.facts.get(task.about, ())}
        own = {words(one) for one in labels}
        self._answers = {one for one in own if one and not any(holds(text, one) for text in given)}

    def take(self, text: str | None, by: dict[str, str]) -> Iterator[Rejected]:
        """Keep what is good in a reply; gives the rest."""
        reply = "nothing came" if text is None else read(text, Wordings)
        if isinstance(reply, str):
            reason = f"the writer's reply cannot be used: {reply}"
            yield self._rejected("no-reply" if text is None else "unreadable", reason, by["model"], text or "")
            return
        for one in (" ".join(given.split()) for given in reply.questions):
            if len(self.written) == self._hand.task.written:
                return
            rule, reason = self._flaw(one)
            if rule:
                yield self._rejected(rule, reason, "build", one)
            else:
                self._seen.add(_bare(one))
                self.written[one] = by

    def _flaw(self, text: str) -> checks.Flaw:
        flaw = checks.of_question(text.replace(LABEL, "it") if self.has_place else text, self._hand.spec.language)
        if flaw[0]:
            return flaw
        if self.has_place != (LABEL in text):
            return "malformed", f"the wording has no {LABEL}, or one too many: '{shown(text, 60)}'"
        if _bare(text) in self._seen:
            return "repeated", f"the wording is there already: '{shown(text, 60)}'"
        told = words(text)
        if answer := next((one for one in self._answers if holds(told, one)), None):
            return "gives-away", f"the wording names the answer '{shown(' '.join(answer), 40)}': '{shown(text, 60)}'"
        return checks.FINE

    def _rejected(self, rule: str, reason: str, by: str, reply: str) -> Rejected:
        private = self._hand.private.told([reply, reason])
        told = ("", "holds a private value") if private else (reply, reason)
        return Rejected(rule=rule, reason=told[1], by=by, task=self._hand.task.name, where="a wording", reply=told[0])


def _bare(text: str) -> str:
    """A wording without marks, by which two are one."""
    return folded(" ".join(words(text)))
