"""What a judge answered, as a run folder keeps it; nobody is asked here."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Generic, TypeVar

from audiometry.files import jsonl
from audiometry.records import ReplyRecord
from audiometry.score.judging.question import AGAIN, FIRST, Questions, Try
from audiometry.score.readers import Said

CUT = "length"  # the finish reason of an answer that reached the limit

C = TypeVar("C")


class Answers(Generic[C]):
    """A judge's answers by content and try.

    Attributes:
        calls: every record in the order of arrival, those without an answer too.

    Args:
        questions: what kind of question they answer.
        path: of the journal; none yet is one without answers.

    Raises:
        RunFolderError: the journal is damaged.
    """

    def __init__(self, questions: Questions[C], path: Path) -> None:
        self.calls: list[ReplyRecord] = []
        self._questions = questions
        self._kept: dict[tuple[str, str], ReplyRecord] = {}
        for record in jsonl.read(path, ReplyRecord):
            self.take(record)

    def take(self, record: ReplyRecord) -> None:
        """One more."""
        self.calls.append(record)
        if record.text is not None and record.error is None:
            self._kept[record.item, record.variant] = record

    def places(self) -> frozenset[tuple[str, str]]:
        """The key and the try of each answer."""
        return frozenset(self._kept)

    def unreadable(self, key: str, about: C) -> bool:
        """Whether the first answer about a content was cut or cannot be read."""
        record = self._kept.get((key, FIRST))
        if record is None:
            return False
        return record.finish_reason == CUT or self._questions.unreadable(about, record.text or "")

    def said(self, contents: Mapping[str, C]) -> dict[str, Said]:
        """What the judge says of each content, by key."""
        return {key: self._said(key, about) for key, about in contents.items()}

    def _said(self, key: str, about: C) -> Said:
        first, again = self._text(key, FIRST), self._kept.get((key, AGAIN))
        readable = first is not None and not self.unreadable(key, about)
        cut = not readable and again is not None and again.finish_reason == CUT
        return Said(first, self._text(key, AGAIN), readable=readable, cut=cut)

    def _text(self, key: str, which: Try) -> str | None:
        record = self._kept.get((key, which))
        return None if record is None else record.text
