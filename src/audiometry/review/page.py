"""The page of a review: what it asks of the desk, and what it is sent, which is never more than a rater may see."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Final

import msgspec
from fastapi import FastAPI

from audiometry.errors import UsageError
from audiometry.files import foreign
from audiometry.render import html, player
from audiometry.review.desk import Desk, Progress
from audiometry.review.form import Form, Said, in_words
from audiometry.review.unit import Unit
from audiometry.web import app as web
from audiometry.web.clips import Clips, Playable
from audiometry.web.door import Door

STATIC: Final = Path(__file__).parent / "static"
FILES: Final = (
    html.PALETTE,
    player.STYLE,
    *player.SCRIPTS,
    *(web.STATIC / name for name in ("page.css", "icon.svg", "ask.js", "keys.js", "parts.js")),
    *(STATIC / name for name in ("words.js", "form.js", "review.js", "review.css")),
)


class InStudy(msgspec.Struct, frozen=True):
    """How far a participant of a study is.

    Attributes:
        done, of: answers, of how many.
        away: whether something else comes now, on the study's own pages.
    """

    done: int
    of: int
    away: bool


class Put(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What is put before a rater; without a unit nothing is left.

    Attributes:
        rater, mode, title, about: who is asked, and what for.
        of: name of what is reviewed.
        unit: what this page calls the unit.
        clips: to be heard.
        form: what is shown and asked.
        said: what this rater said of it before, if it comes up again.
        kept: that stands until they send another answer.
        visit: number of this visit, for `Page.leave`.
        progress: how far it is.
        study: how far a participant is, where there is a study around the review.
    """

    rater: str
    mode: str
    title: str
    about: tuple[str, ...]
    of: str
    unit: str = ""
    clips: tuple[Playable, ...] = ()
    form: Form | None = None
    said: Said | None = None
    kept: bool = False
    visit: int = 0
    progress: Progress
    study: InStudy | None = None


class _Given(msgspec.Struct):
    unit: str
    said: Said
    seconds: float | None = None


class _Which(msgspec.Struct):
    unit: str


class _Visit(msgspec.Struct):
    visit: int


class Done(msgspec.Struct, frozen=True):
    """What needs no answer."""


class Own(msgspec.Struct, frozen=True, kw_only=True):
    """An answer as its rater may see it again.

    Attributes:
        unit: what this rater's page calls the unit.
        title: what it asked about.
        said: in words.
        at: UTC, ISO 8601.
    """

    unit: str
    title: str
    said: tuple[str, ...]
    at: str


class Mine(msgspec.Struct, frozen=True):
    """A rater's own answers, the last first."""

    answers: tuple[Own, ...]


class Page:
    """Answers the page.

    Args:
        desk: of the review.
        clips: those of its items.
        of: what is reviewed, for people.
        heed: told after every answer.
        studied: how far a participant is; None: there is no study around it.
    """

    def __init__(
        self,
        desk: Desk,
        clips: Clips,
        of: str,
        heed: Callable[[], object] = lambda: None,
        studied: Callable[[str], Awaitable[InStudy]] | None = None,
    ) -> None:
        self._desk, self._clips, self._of, self._heed, self._studied = desk, clips, of, heed, studied

    async def next(self, rater: str, _: bytes) -> Put:
        """What a rater has before them; nothing where their study has something else for them."""
        away = self._studied is not None and (await self._studied(rater)).away
        return await self._put(rater, None if away else self._desk.next(rater))

    async def answer(self, rater: str, sent: bytes) -> Put:
        """Keep an answer; what comes next."""
        given = foreign.json(sent, _Given)
        self._desk.put(rater, self._desk.at(given.unit, rater).key, given.said, given.seconds)
        self._heed()
        return await self.next(rater, b"")

    async def later(self, rater: str, _: bytes) -> Put:
        """Leave what a rater has before them for later; what comes next."""
        self._desk.later(rater)
        return await self.next(rater, b"")

    async def undo(self, rater: str, _: bytes) -> Put:
        """Take the last answer back; what it was given to."""
        found = self._desk.undo(rater)
        self._heed()
        if found is None:
            return await self.next(rater, b"")
        unit, answer = found
        return await self._put(rater, unit, answer.said)

    async def begin(self, rater: str, sent: bytes) -> Done:
        """A rater hears, or says something of what they have before them."""
        unit = self._desk.at(foreign.json(sent, _Which).unit, rater)
        self._desk.begin(rater, unit.key)
        return Done()

    async def leave(self, rater: str, sent: bytes) -> Done:
        """A rater has closed the page, and said nothing of what was on it."""
        self._desk.leave(rater, foreign.json(sent, _Visit).visit)
        return Done()

    async def mine(self, rater: str, _: bytes) -> Mine:
        """What a rater has said."""
        desk = self._desk
        return Mine(
            tuple(
                Own(
                    unit=desk.address(unit, rater),
                    title=unit.question or unit.title,
                    said=in_words(desk.form(unit, rater), answer.said),
                    at=answer.at,
                )
                for answer in desk.answers.all_by(rater)
                for unit in (desk.units[answer.unit],)
            )
        )

    async def open(self, rater: str, sent: bytes) -> Put:
        """Put a unit before a rater of which they have said something, which stands until they say something else."""
        unit = self._desk.at(foreign.json(sent, _Which).unit, rater)
        if (answer := self._desk.answers.by(rater, unit.key)) is None:
            raise UsageError("you have said nothing of it; load the page again")
        return msgspec.structs.replace(await self._put(rater, unit, answer.said), kept=True)

    async def _put(self, rater: str, unit: Unit | None, said: Said | None = None) -> Put:
        mode = self._desk.mode
        clips = unit.item.clips if unit is not None and mode.hears else ()
        return Put(
            rater=rater,
            mode=mode.name,
            title=mode.title,
            about=mode.about,
            of=self._of,
            unit=self._desk.address(unit, rater) if unit is not None else "",
            clips=tuple([await self._clips.playable(name) for name in clips]),
            form=self._desk.form(unit, rater) if unit is not None else None,
            said=said,
            visit=self._desk.visit(rater),
            progress=self._desk.progress(rater),
            study=await self._studied(rater) if self._studied is not None else None,
        )


def application(page: Page, door: Door, clips: Clips, heed: Callable[[str], object] = lambda _: None) -> FastAPI:
    """The application of a review; ``heed`` is told what went wrong on this side."""
    answers: dict[str, web.Answering] = {
        "next": page.next,
        "answer": page.answer,
        "later": page.later,
        "undo": page.undo,
        "begin": page.begin,
        "leave": page.leave,
        "mine": page.mine,
        "open": page.open,
    }
    return web.application(STATIC / "index.html", files=FILES, answers=answers, door=door, clips=clips, heed=heed)
