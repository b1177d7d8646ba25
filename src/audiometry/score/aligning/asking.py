"""The alignment as a kind of question to a judge, and its answers as opinions."""

from __future__ import annotations

from collections.abc import Mapping

from audiometry.records import Prompt
from audiometry.score.aligning import wording
from audiometry.score.aligning.opinion import Opinion, read_opinion
from audiometry.score.aligning.wording import Content
from audiometry.score.judging.inquiry import Inquiry
from audiometry.score.judging.question import Try
from audiometry.score.judging.settings import Follow
from audiometry.score.readers import Said

NOT_HERE = "no answer from the judge"


class Choices:
    """Which option a reply chooses."""

    kind = "align"
    max_tokens = 16  # a letter, however it is dressed

    def prompt_sha256(self) -> str:
        """Hash of the instructions."""
        return wording.prompt_sha256()

    def prompt(self, about: Content, which: Try) -> Prompt:
        """The prompt for one reply."""
        return wording.prompt(about, which)

    def unreadable(self, about: Content, said: str) -> bool:
        """Whether neither a letter nor the word for none can be read."""
        return read_opinion(said, about.options).failed


def opinions(
    judge: Inquiry[Content], contents: Mapping[str, Content], follow: Follow | None = None
) -> dict[str, Opinion]:
    """What a judge says of each content, by key; see `Inquiry.ask`.

    Args:
        judge: whom to ask.
        contents: by key.
        follow: who is told how it goes.
    """
    said = judge.ask(contents.items, follow).said(contents)
    return {key: opinion_of(said[key], about) for key, about in contents.items()}


def opinion_of(said: Said, about: Content) -> Opinion:
    """What an answer says of a reply; that the judge failed where there is none."""
    return Opinion(None, NOT_HERE, failed=True) if said.text is None else read_opinion(said.text, about.options)
