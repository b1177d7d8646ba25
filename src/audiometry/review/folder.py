"""A review's folder: what is asked of whom, and every word of everybody.

::

    review.json      `Settings`
    answers.jsonl    `answers.Answer` a line, appended as it is given
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, Final

import msgspec

from audiometry.errors import RunFolderError, UndecodableError, UsageError, shown
from audiometry.files import atomic, foreign, jsonl, presence
from audiometry.records.reply import now
from audiometry.review.answers import Answer

FORMAT: Final = 1
INSIDE: Final = "review"
"""The folder of a benchmark's own review, inside the benchmark."""
ANSWERED: Final = f"{INSIDE}/answer"
"""The folder of its validation by people who answer its questions."""
REVIEWS: Final = Path("reviews")
"""Where reviews of replies are kept, unless another place is named."""


class Settings(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """``review.json``.

    Attributes:
        format: of the folder, 1.
        mode: what is asked.
        of: what is reviewed, as it was named: a benchmark, or runs.
        raters: how many each unit is to have.
        sample: how many units were drawn; None: all are reviewed.
        seed: of the sample and of the orders that raters see.
        units: keys of those that were drawn; none where all are reviewed.
        salt: goes into those orders and into the names under which raters are sent units, so that nobody who knows
            the benchmark, the models and the seed can tell from them what is right or who speaks.
        assignment: how raters come to units, for people.
        links: by the sha256 of a link's token whose it is.
        started: UTC, ISO 8601.
    """

    format: int = FORMAT
    mode: str
    of: tuple[str, ...]
    raters: Annotated[int, msgspec.Meta(ge=1)] = 1
    sample: int | None = None
    seed: int = 1
    units: tuple[str, ...] = ()
    salt: str = msgspec.field(default_factory=lambda: secrets.token_hex(16))
    assignment: str = (
        "an order of one's own by seed and name, begun units first where more people come than each is to have; nobody "
        "twice, nobody what another has before them, which is free again when they leave the page without a word, and "
        "without a sign of them after 5 minutes, or 30 where they have begun"
    )
    links: Mapping[str, str] = {}
    started: str = msgspec.field(default_factory=now)


class ReviewFolder:
    """A review's folder at a path; nothing is read until asked.

    Args:
        path: of the folder.
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    @property
    def answers_path(self) -> Path:
        """Path of ``answers.jsonl``."""
        return self.path / "answers.jsonl"

    @property
    def settings_path(self) -> Path:
        """Path of ``review.json``."""
        return self.path / "review.json"

    def exists(self) -> bool:
        """Whether a review was ever started here."""
        return presence.exists(self.settings_path)

    def settings(self) -> Settings:
        """What is asked of whom.

        Raises:
            RunFolderError: it is no review's folder, or of a newer format.
        """
        try:
            raw = foreign.read_file(self.settings_path)
            version = foreign.json(raw, dict[str, Any]).get("format", FORMAT)
            if version != FORMAT:
                raise RunFolderError(
                    f"{self.settings_path}: format {shown(str(version))}, this audiometry reads {FORMAT}; update it"
                )
            return foreign.json(raw, Settings)
        except UndecodableError as problem:
            raise RunFolderError(f"{problem.at(self.settings_path)}; restore it, or give another folder") from None

    def write_settings(self, settings: Settings) -> None:
        """Put ``review.json`` in place, atomically."""
        atomic.write_document(self.settings_path, settings)

    def refuse_odd(self) -> None:
        """Raise if answers would be read from, or written to, something else than a file of this folder.

        Raises:
            RunFolderError: ``answers.jsonl`` is a link, a pipe, a device or a folder.
        """
        if what := presence.odd(self.answers_path):
            raise RunFolderError(
                f"{self.answers_path} is {what}, not a file; put the answers themselves there, or give another folder"
            )

    def lines(self) -> Iterator[Answer]:
        """Every whole line of ``answers.jsonl``, in order.

        Raises:
            RunFolderError: it is no file, or a whole line is no answer.
        """
        self.refuse_odd()
        return jsonl.read(self.answers_path, Answer)


def begun(folder: ReviewFolder, wanted: Settings, given: Mapping[str, object]) -> Settings:
    """The settings of a review: those it was begun with, else the ones that are wanted.

    Args:
        folder: of the review.
        wanted: the settings of a new one.
        given: by their names, those that a person has set now.

    Raises:
        UsageError: the review was begun with others.
    """
    if not folder.exists():
        return wanted
    held = folder.settings()
    for name, value in {"of": wanted.of, "mode": wanted.mode, **given}.items():
        if (was := getattr(held, name)) != value:
            said = [", ".join(one) if isinstance(one, tuple) else str(one) for one in (was, value)]
            raise UsageError(
                f"{shown(str(folder.path), 200)} holds a review with {name} {shown(said[0])}, not {shown(said[1])}; "
                "go on with it as it is, or begin another with -o"
            )
    return held
