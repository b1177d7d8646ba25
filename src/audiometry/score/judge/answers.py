"""What a judge answered, as a run folder keeps it; nobody is asked here."""

from __future__ import annotations

from collections.abc import Container
from pathlib import Path
from typing import Final, Generic

from audiometry.dispatch.tally import Price, Tally
from audiometry.files import jsonl
from audiometry.records import ReplyRecord
from audiometry.score.judge.keys import Texts, short
from audiometry.score.judge.question import AGAIN, FIRST, C, Questions, Try
from audiometry.score.readers import Said

CUT: Final = "length"  # the finish reason of an answer that reached the limit
_TRIES: Final[tuple[Try, Try]] = (FIRST, AGAIN)


class Answers(Generic[C]):
    """A judge's answers by content and try; of each no more is held than its text, of equal texts one.

    Args:
        questions: what kind of question they answer.
        path: of the journal; none yet is one without answers.

    Raises:
        RunFolderError: the journal is damaged.
    """

    def __init__(self, questions: Questions[C], path: Path) -> None:
        self._questions, self._path = questions, path
        self._texts: dict[str, Texts] = {which: Texts() for which in _TRIES}
        self._cut: dict[str, set[int]] = {which: set() for which in _TRIES}
        self._in_vain: set[int] = set()
        self._said: dict[tuple[str | None, str | None, bool, bool], Said] = {}
        for record in jsonl.read(path, ReplyRecord):
            self.take(record)

    def __contains__(self, key: object) -> bool:
        return isinstance(key, str) and any(texts.get(short(key)) is not None for texts in self._texts.values())

    def __len__(self) -> int:
        """How many contents it has an answer about."""
        first, again = self._texts[FIRST], self._texts[AGAIN]
        return len(first) + sum(first.get(key) is None for key in again)

    def take(self, record: ReplyRecord) -> None:
        """One more."""
        texts = self._texts.get(record.variant)  # of another try: none of ours
        if texts is None:
            return
        if record.text is None or record.error is not None:
            self._in_vain.add(short(record.item))
            return
        key, cut = short(record.item), self._cut[record.variant]
        texts.add(key, record.text)
        (cut.add if record.finish_reason == CUT else cut.discard)(key)

    def has(self, number: int, which: Try) -> bool:
        """Whether there is an answer about a content to that try; of its key what `short` makes of it."""
        return self._texts[which].get(number) is not None

    def asked(self, key: str) -> bool:
        """Whether it was asked about a content, be it in vain."""
        return key in self or short(key) in self._in_vain

    def tried(self, which: Try) -> bool:
        """Whether anything was answered at that try."""
        return len(self._texts[which]) > 0

    def unreadable(self, key: str, about: C) -> bool:
        """Whether the first answer about a content was cut or cannot be read."""
        at = short(key)
        return self._is_unreadable(at, self._texts[FIRST].get(at), about)

    def _is_unreadable(self, at: int, text: str | None, about: C) -> bool:
        return text is not None and (at in self._cut[FIRST] or self._questions.unreadable(about, text))

    def of(self, key: str, about: C) -> Said:
        """What the judge says of one content."""
        at = short(key)
        first, again = (self._texts[which].get(at) for which in _TRIES)
        readable = first is not None and not self._is_unreadable(at, first, about)
        cut = not readable and again is not None and at in self._cut[AGAIN]
        return self._said.setdefault((first, again, readable, cut), Said(first, again, readable=readable, cut=cut))

    def account(self, keys: Container[str], price: Price | None = None) -> Tally:
        """What the answers about some contents took, in all sessions; the journal is gone through once more."""
        tally = Tally(price)
        for record in jsonl.read(self._path, ReplyRecord):
            if record.item in keys:
                tally.add(record)
        return tally
