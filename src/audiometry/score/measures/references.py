"""Measures that hold answers to references: what they are handed, and how counts of pairs become parts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Protocol, TypeAlias

import msgspec

from audiometry.records import Failure, Item, Task
from audiometry.score.measures.languages import in_latin_letters, language_code
from audiometry.score.measures.measure import Counted, Direction, Floats, Range
from audiometry.score.readers import KINDS, Outcome

LANGUAGE, OF_REFERENCE = "language", "reference_language"  # tags of an item
LEAST_READ = 4_000  # characters
TIMES_READ = 20  # the longest reference
MOST_READ = 1_000_000  # characters, of reply and of reference


Watch: TypeAlias = Callable[[int, int, int], None]
"""Told after every answer of a program: how many have a score, how many have none, how many were asked for."""


def unwatched(scored: int, failed: int, planned: int) -> None:
    """For whoever does not want to be told."""


class Pair(msgspec.Struct, frozen=True, kw_only=True):
    """An answer and what it should have been.

    Attributes:
        item: id of the item; several pairs may have the same.
        prediction: the answer, without reasoning; empty if there was none. At most as much as is read of a reply.
        references: one or more, any of which would do.
        language: of the references, ISO 639-1 where there is a code; empty if not known.
        question: what was asked; empty if there was nothing to ask.
        cut_characters, cut_words: how much more the reply held than is read of it.
    """

    item: str
    prediction: str
    references: tuple[str, ...]
    language: str = ""
    question: str = ""
    cut_characters: int = 0
    cut_words: int = 0


class Counts(Protocol):
    """Counts how near answers come to references; the lowest value is 0.

    Further attributes are looked at where there are some: ``scale`` (how limits are made), ``ends`` (counts of the
    worst and the best answer), ``watch`` (told how it gets on).
    """

    @property
    def name(self) -> str:
        """As in ``--measure``."""
        ...

    @property
    def about(self) -> str:
        """One line for people."""
        ...

    @property
    def unit(self) -> str:
        """What the value counts."""
        ...

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of what it counts."""
        ...

    @property
    def higher_is_better(self) -> bool:
        """Its direction."""
        ...

    @property
    def highest(self) -> float | None:
        """The upper end of its scale; None if there is none."""
        ...

    def count(self, pairs: Sequence[Pair]) -> Counted:
        """Measure pairs."""
        ...

    def value(self, totals: Floats) -> Floats:
        """The value of a corpus from its sums, ``float64[..., k]`` → ``float64[...]``; NaN where it has none."""
        ...

    def each(self, counts: Floats) -> Floats:
        """The value of every pair by itself, ``float64[n, k]`` → ``float64[n]``; a number for each."""
        ...

    def made_with(self, pairs: Sequence[Pair]) -> tuple[str, ...]:
        """What its signature has to say: versions of normalisers and libraries, languages."""
        ...


class ByReference:
    """A measure of answers in words against references, made of what counts pairs.

    It is handed all outcomes of a run in one call (``at_once``), and remembers of them what a reader of the number has
    to know.

    Args:
        counts: what counts.
        language: code of the language of items that do not say theirs; empty: not told.

    Attributes:
        stamps: what the signature says, of the pairs measured last.
        n_cut: replies longer than is read of one.
        foreign: items without a language whose references are in another script than English.
        first: the first item without a score, and why; None if all have one.
    """

    version = 1
    kinds: KINDS = frozenset({"transcript", "open"})
    takes, at_once = "read", True

    def __init__(self, counts: Counts, language: str = "") -> None:
        self.counts, self._language = counts, language
        self.stamps: tuple[str, ...] = ()
        self.n_cut, self.foreign = 0, 0
        self.first: tuple[str, Failure] | None = None

    @property
    def name(self) -> str:
        """As in ``--measure``."""
        return self.counts.name

    @property
    def about(self) -> str:
        """One line for people."""
        return self.counts.about

    @property
    def unit(self) -> str:
        """What the value counts."""
        return self.counts.unit

    @property
    def direction(self) -> Direction:
        """Whether more or less is better."""
        return "up" if self.counts.higher_is_better else "down"

    @property
    def range(self) -> Range:
        """The ends of the scale; of most it begins at 0."""
        return getattr(self.counts, "lowest", 0.0), self.counts.highest

    @property
    def scale(self) -> str:
        """How limits are made: errors per word on the log scale."""
        return getattr(self.counts, "scale", "plain" if self.counts.highest is None else "bounded")

    def fresh(self, language: str = "") -> ByReference:
        """The same measure for another run, with the language of items that do not say theirs."""
        return ByReference(self.counts, language_code(language))

    def watched_by(self, watch: Watch) -> None:
        """Tell somebody how a program gets on; the other measures are done in seconds."""
        counts: Any = self.counts
        if hasattr(counts, "watch"):
            counts.watch = watch

    def keep_in(self, path: Path) -> None:
        """Have a program's answers kept in a file; the other measures are made anew in seconds."""
        counts: Any = self.counts
        if hasattr(counts, "kept_in"):
            counts.kept_in = path

    @property
    def n_before(self) -> int:
        """Pairs whose scores a file has kept."""
        return int(getattr(self.counts, "n_before", 0))

    def columns(self, task: Task, gold: Sequence[str]) -> tuple[str, ...]:  # noqa: ARG002  the same for all
        """Names of what is counted."""
        return self.counts.columns

    def parts(self, items: Sequence[Item], outcomes: Sequence[Outcome], columns: Sequence[str]) -> Counted:  # noqa: ARG002  fixed
        """What is counted of each answer; of none, as of an empty one."""
        pairs = [self.pair(item, outcome.read or "") for item, outcome in zip(items, outcomes, strict=True)]
        found = self.counts.count(pairs)
        self.stamps = self.counts.made_with(pairs)
        self.n_cut = sum(pair.cut_characters > 0 for pair in pairs)
        unsaid = {pair.item: pair.references for pair in pairs if not pair.language}
        self.foreign = sum(not in_latin_letters(references) for references in unsaid.values())
        self.first = next(((items[row].id, failure) for row, failure in found.failures.items()), None)
        return found

    def ends(self, items: Sequence[Item], columns: Sequence[str]) -> tuple[Floats | None, Floats | None] | None:
        """An empty answer and the reference itself; of a program the ends of its scale, if it states one.

        Of errors without limit none is the worst: an answer that says too much has more than an empty one.
        """
        import numpy as np

        counts: Any = self.counts
        if hasattr(counts, "ends"):
            stated = counts.ends
            return (
                None if stated is None else (np.tile(stated[0], (len(items), 1)), np.tile(stated[1], (len(items), 1)))
            )
        if not items:
            return np.zeros((0, len(columns))), np.zeros((0, len(columns)))
        empty = self.counts.count([self.pair(item, "") for item in items])
        perfect = self.counts.count([self.pair(item, item.references[0]) for item in items])
        if self.counts.highest is not None:
            return empty.parts, perfect.parts
        return (empty.parts, None) if self.counts.higher_is_better else (None, perfect.parts)

    def value(self, sums: Floats) -> Floats:
        """The value of a corpus from its sums."""
        return self.counts.value(sums)

    def each(self, counts: Floats) -> Floats:
        """The value of every pair by itself."""
        return self.counts.each(counts)

    def pair(self, item: Item, text: str) -> Pair:
        """An answer and its references, the answer as far as it is read."""
        references = tuple(reference[:MOST_READ] for reference in item.references)
        found = paired(item.id, text, references, language_of(item, self._language))
        return msgspec.structs.replace(found, question=item.question)


def language_of(item: Item, otherwise: str = "") -> str:
    """The code of the language in an item's tag ``reference_language``, else ``language``.

    Args:
        item: any; the two tags differ where speech is to be translated.
        otherwise: where it has neither.
    """
    tag = item.tags.get(OF_REFERENCE) or item.tags.get(LANGUAGE)
    return language_code(str(tag)) if tag else otherwise


def paired(item: str, text: str, references: tuple[str, ...], language: str) -> Pair:
    """An answer and its references, the answer as far as it is read.

    >>> found = paired("a", "la " * 2000, ("la",), "en")
    >>> len(found.prediction), found.cut_characters, found.cut_words
    (4000, 2000, 667)
    """
    most = min(MOST_READ, max(LEAST_READ, TIMES_READ * max(map(len, references))))
    rest = text[most:]
    return Pair(
        item=item,
        prediction=text[:most],
        references=references,
        language=language,
        cut_characters=len(rest),
        cut_words=len(rest.split()),
    )
