"""What is put to a judge: contents of one kind, their words, and whether an answer can be read.

Foreign text may say anything, orders to the judge included. It stands between lines that cannot occur in it, and a
prompt is put together in one pass, so that nothing in a text is ever taken for a part of the prompt or a place to fill
in.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Final, Generic, Literal, TypeAlias, TypeVar

import msgspec

from audiometry.choices import clean
from audiometry.records import Prompt, Text, Turn

Try: TypeAlias = Literal["first", "again"]
FIRST: Final[Try] = "first"
AGAIN: Final[Try] = "again"
Kind: TypeAlias = Literal["chat", "align", "golden", "equivalence", "code", "written", "use", "topic"]
LENGTH: Final = 16  # hexadecimal digits of a mark


class Content(msgspec.Struct, frozen=True):
    """What a judge is shown of a reply; equal contents are asked about once."""

    @property
    def key(self) -> str:
        """Hash of all of it, hexadecimal."""
        return hashlib.sha256(msgspec.json.encode(self)).hexdigest()[:32]


C = TypeVar("C", bound=Content)


class Questions(msgspec.Struct, Generic[C], frozen=True, kw_only=True):
    """A kind of question to a judge.

    Attributes:
        kind: begins the name of the journal of its answers; safe as a file name.
        words: the prompt for one content; ``again`` states the format once more.
        unreadable: whether an answer about a content says nothing that can be used.
        samples: contents that show every part of the words.
        max_tokens: limit on the length of a first answer; None for none.
    """

    kind: Kind
    words: Callable[[C, Try], str]
    unreadable: Callable[[C, str], bool]
    samples: tuple[C, ...]
    max_tokens: int | None = None

    def prompt_sha256(self) -> str:
        """Hash of the instructions: changed words, another hash."""
        whole = "\0".join(self.words(sample, which) for sample in self.samples for which in (FIRST, AGAIN))
        return hashlib.sha256(whole.encode()).hexdigest()

    def prompt(self, about: C, which: Try) -> Prompt:
        """As it is sent: one turn of the user."""
        turn = Turn("user", (Text(self.words(about, which)),))
        return Prompt(turns=(turn,), item=about.key, variant=which, options=getattr(about, "options", ()))


@lru_cache(maxsize=16)
def shown_reply(text: str) -> str:
    """What a judge is to see of a reply: no reasoning, of a very long one the two ends; empty if nothing is left."""
    return clean.bounded(clean.without_reasoning(text).strip()).strip()


def unused_mark(seed: str, everything: str) -> str:
    """Some digits that do not occur in a text, the same ones for the same seed and text.

    Args:
        seed: any text, such as a hash of what is shown.
        everything: all that the mark must not occur in.
    """
    mark = hashlib.sha256(seed.encode()).hexdigest()
    while mark[:LENGTH] in everything:
        mark = hashlib.sha256(mark.encode()).hexdigest()
    return mark[:LENGTH]


def written(parts: tuple[str, str, str, str], texts: Mapping[str, str], seed: str, which: Try) -> str:
    """A prompt with foreign texts, each between two lines that end in a mark.

    Args:
        parts: who the judge is, what is said of the ``{mark}``, what it is to do, and the format once more.
        texts: by name, in their order.
        seed: of the mark.
        which: ``again`` states the format once more.
    """
    role, about, task, once_more = parts
    mark = unused_mark(seed, "\n".join(texts.values()))
    fenced = (f"[{name} {mark}]\n{text}\n[end of {name} {mark}]" for name, text in texts.items())
    return "\n\n".join([role, about.format(mark=mark), *fenced, task, *([once_more] if which == AGAIN else [])])
