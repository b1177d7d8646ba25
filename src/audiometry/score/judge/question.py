"""What is put to a judge: contents of one kind, their words, and whether an answer can be read."""

from __future__ import annotations

from typing import Final, Literal, Protocol, TypeAlias, TypeVar

from audiometry.records import Prompt

Try: TypeAlias = Literal["first", "again"]
FIRST: Final[Try] = "first"
AGAIN: Final[Try] = "again"

Content_contra = TypeVar("Content_contra", contravariant=True)


class Questions(Protocol[Content_contra]):
    """A kind of question to a judge."""

    @property
    def kind(self) -> str:
        """Begins the name of the journal of its answers; safe as a file name."""
        ...

    @property
    def max_tokens(self) -> int | None:
        """Limit on the length of a first answer; None for none."""
        ...

    def prompt_sha256(self) -> str:
        """Hash of the instructions: changed words, another hash."""
        ...

    def prompt(self, about: Content_contra, which: Try) -> Prompt:
        """The prompt for one content; ``again`` states the format once more."""
        ...

    def unreadable(self, about: Content_contra, said: str) -> bool:
        """Whether that answer says nothing that can be used."""
        ...
