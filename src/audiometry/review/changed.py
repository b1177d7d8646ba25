"""The items of a benchmark after a review, line by line: those that stay as they are to the byte."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import msgspec

from audiometry.bench.rules import meant
from audiometry.files import benchmark_folder, foreign
from audiometry.files.build_folder import Rejected
from audiometry.records import Columns, Item
from audiometry.review.modes.mode import Decision
from audiometry.review.rewording import RULE, Wordings


class Changed:
    """What becomes of the items.

    Args:
        columns: of the benchmark's card.
        decisions: about items, by id.
        wordings: of a build whose wordings a model wrote; None: of others.

    Attributes:
        items: those that stay, by their old id, as they are now.
        rejected: the others.
        reworded: old ids of those that ask in other words since their wording is not kept.
        n_text, n_answer: how many of those that stay people have mended themselves.
    """

    def __init__(self, columns: Columns, decisions: Mapping[str, Decision], wordings: Wordings | None) -> None:
        self._columns, self._decisions, self._wordings = columns, decisions, wordings
        self.items, self.rejected, self.reworded = dict[str, Item](), list[Rejected](), set[str]()
        self.n_text = self.n_answer = 0
        self._by = dict[str, tuple[str, ...]]()  # whose mending an item of the new version is

    def lines(self, file: Iterable[bytes]) -> Iterator[bytes]:
        """The new metadata, made of the old."""
        read = benchmark_folder.LineReader()
        for number, raw in enumerate(file, 1):
            item = read.line(number, 0, raw).item if raw.strip() else None
            if item is None:  # left out of what is asked, and nothing anybody was shown
                yield raw
            else:
                yield from self._line(raw, meant(item, self._columns))

    def _line(self, raw: bytes, item: Item) -> Iterator[bytes]:
        decision = self._decisions.get(item.id)
        if decision is not None and decision.verdict == "reject":
            return self._reject(item, decision.reason, ", ".join(decision.by))
        own = mended(item, decision.changes if decision is not None else {})
        reworded = own if self._wordings is None or own.question != item.question else self._wordings.of(own)
        if isinstance(reworded, str):
            return self._reject(item, reworded, RULE)
        if reworded is not own:
            self.reworded.add(item.id)
        changed = self.items[item.id] = reworded if reworded is own else mended(reworded, {}, item)
        if changed == item:
            yield raw if raw.endswith(b"\n") else raw + b"\n"
            return None
        if decision is not None and reworded is own:
            self._by[changed.id] = decision.by
        self.n_text += own.id != item.id
        self.n_answer += own.id == item.id and own != item
        yield msgspec.json.encode(foreign.json(raw, dict[str, Any]) | self._told(changed)) + b"\n"
        return None

    def mended_by(self, item: Item) -> tuple[str, ...]:
        """Whose mending an item of the new version is, or a wording that stands for one."""
        said = self._wordings.by.get((item.task, item.question), ()) if self._wordings is not None else ()
        return self._by.get(item.id, ()) if item.id in self._by or item.clips else said

    def _reject(self, item: Item, reason: str, by: str) -> None:
        self.rejected.append(Rejected(rule=RULE, reason=reason, by=by, task=item.task, item=item))

    def _told(self, item: Item) -> dict[str, Any]:
        """What the line of a changed item says anew."""
        more = [name for name in ("options", "kinds", "provenance") if getattr(item, name)]
        own = {name: getattr(item, name) for name in ("id", "question", *more)}
        return own | {"answer": _named(item, self._columns)}


def _named(item: Item, columns: Columns) -> str | None:
    """An answer as its benchmark names the right option."""
    if columns.answer_is not in {"letter", "index", "number"} or item.answer not in item.options:
        return item.answer
    place = item.options.index(item.answer)
    return chr(ord("A") + place) if columns.answer_is == "letter" else str(place + (columns.answer_is == "number"))


def mended(item: Item, changes: Mapping[str, Any], was: Item | None = None) -> Item:
    """An item with what was mended; another id where its words are others, so that no reply to the old ones counts.

    Args:
        item: that is mended.
        changes: its new values.
        was: what it was in the old version, where other changes went before.

    >>> mended(Item(id="a", question="q", options=("x", "y"), answer="x"), {"answer": "y"}).id
    'a'
    >>> mended(Item(id="a", question="q"), {"question": "Q?"}).id
    '4f672ab30310e4fa'
    """
    changed, was = msgspec.structs.replace(item, **changes), was or item
    if (changed.question, changed.options) == (was.question, was.options):
        return changed
    whole = msgspec.json.encode((was.id, changed.question, changed.options))
    return msgspec.structs.replace(changed, id=hashlib.sha256(whole).hexdigest()[:16])
