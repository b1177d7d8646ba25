"""What commands that hold something against votes have in common."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from audiometry.errors import shown

if TYPE_CHECKING:
    from collections.abc import Callable

    from audiometry.files.votes import VoteFile


T = TypeVar("T")


class Same(click.ParamType[tuple[str, str]]):
    """``SCORES=VOTES``."""

    name = "same"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, str]:
        """Two names of one system; the first may hold ``=`` too."""
        if isinstance(value, tuple):
            return value
        one, equals, other = str(value).rpartition("=")
        if not equals or not one.strip() or not other.strip():
            self.fail(f"{shown(str(value))} is not SCORES=VOTES.", param, ctx)
        return one.strip(), other.strip()


def read_votes(path: Path, *, texts: bool = False) -> VoteFile:
    """The votes, with progress for whoever sits at a terminal; ``texts``: with what they say in words."""
    from audiometry.files import votes

    return told("MB", lambda reached: votes.read(path, texts=texts, reached=reached))


def told(what: str, work: Callable[[Callable[[int, int], None] | None], T]) -> T:
    """What work gives, which says now and then how many of how many are done, to whoever sits at a terminal."""
    if not sys.stderr.isatty():
        return work(None)
    from audiometry.cli.progress import Steps

    steps = Steps(what)
    try:
        return work(steps.show)
    finally:
        steps.end()
