"""The study's own pages: from a recruiter's link to a code, one step after the other."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Final, TypeAlias

import msgspec
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route

from audiometry.errors import AudiometryError, UnknownNameError
from audiometry.files import foreign
from audiometry.web import app as web
from audiometry.web.guard import body
from audiometry.web.study import flow
from audiometry.web.study.flow import Done, Person, Step, Work
from audiometry.web.study.link import NotOursError
from audiometry.web.study.spec import Consent
from audiometry.web.study.study import Study

HOME: Final = "/study"
"""Where a study's pages are."""
FILES: Final = f"{HOME}/file/"
"""Where what they load is."""
STATIC: Final = Path(__file__).parent / "static"
COOKIE_S: Final = 90 * 86_400

Acting: TypeAlias = Callable[[str, bytes, Done], tuple[Person, Step]]
"""What a page asks for: given who, what was sent, and what they have done, gives where they stand then."""


class Asked(msgspec.Struct, frozen=True):
    """A question as a page shows it."""

    name: str
    question: str
    options: tuple[str, ...]


class Shown(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A step as a page shows it: what it needs, and nothing of what comes later.

    Attributes:
        step: which.
        title, minutes: of the study.
        consent: what is agreed to.
        questions: of the screening, the demographics or the attention check.
        check: number of the attention check.
        instructions, hold_minutes: in paragraphs, and how long one may rest.
        done, of: votes, or answers, of how many.
        code, return_to: of the way out that was taken; the latter has the code in it.
        withdrawn: whether they have taken back what they gave.
    """

    step: Step
    title: str
    minutes: int
    consent: Consent | None = None
    questions: tuple[Asked, ...] = ()
    check: int | None = None
    instructions: str = ""
    hold_minutes: int = 0
    done: int = 0
    of: int = 0
    code: str = ""
    return_to: str = ""
    withdrawn: bool = False


class _Agreed(msgspec.Struct):
    version: str
    agreed: bool


class _Answered(msgspec.Struct):
    answers: dict[str, str]


class _Chosen(msgspec.Struct):
    check: int
    chosen: str


class _Trouble(msgspec.Struct):
    what: str = ""


class _Problem(msgspec.Struct):
    error: str


def words(language: str) -> Path:
    """The file of a language's words.

    Raises:
        UnknownNameError: the pages are not there in it.
    """
    there = {path.name.split(".")[1]: path for path in STATIC.glob("words.*.js")}
    if language not in there:
        raise UnknownNameError("language of the study's pages", language, there)
    return there[language]


def is_own(path: str) -> bool:
    """Whether an address is of the study's pages."""
    return path == HOME or path.startswith(f"{HOME}/")


class Site:
    """Answers the study's pages.

    Args:
        study: it is.
        work: what participants have done.
        palette: style of all pages.
    """

    def __init__(self, study: Study, work: Work, palette: Path) -> None:
        self._study, self._work = study, work
        self._cookie = f"audiometry-study-{study.spec.name}"
        own = (STATIC / name for name in ("study.js", "study.css"))
        shared = (web.STATIC / name for name in ("page.css", "icon.svg", "ask.js", "parts.js"))
        self._files = {path.name: path for path in (palette, *shared, *own)} | {"words.js": words(study.spec.language)}

    def application(self, heed: Callable[[str], object]) -> Starlette:
        """The pages; ``heed`` is told what went wrong on this side."""

        async def refused(_: Request, problem: Exception) -> Response:
            return web.refused(problem, heed)

        study = self._study
        acts: dict[str, Acting] = {
            "step": lambda who, _, done: study.look(who, done),
            "consent": self._consent,
            "screening": lambda who, sent, done: study.screen(who, foreign.json(sent, _Answered).answers, done),
            "demographics": lambda who, sent, done: study.describe(who, foreign.json(sent, _Answered).answers, done),
            "instructions": lambda who, _, done: study.begin(who, done),
            "check": self._check,
            "trouble": lambda who, sent, done: study.trouble(who, foreign.json(sent, _Trouble).what, done),
            "withdraw": lambda who, _, __: study.withdraw(who),
        }
        routes = [
            Route("/", self._page, methods=["GET"]),
            Route(HOME, self._page, methods=["GET"]),
            Route(f"{FILES}{{name}}", self._file, methods=["GET"]),
            *(Route(f"{HOME}/{name}", self._asked(name, act), methods=["POST"]) for name, act in acts.items()),
        ]
        return Starlette(routes=routes, exception_handlers={AudiometryError: refused})

    def arrives(self, request: Request) -> bool:
        """Whether somebody comes by a recruiter's link."""
        return request.method == "GET" and self._study.spec.recruitment.participant in request.query_params

    async def who(self, request: Request) -> str | None:
        """The number of whose request it is; None: nobody's of this study."""
        return await asyncio.to_thread(self._study.who, request.cookies.get(self._cookie, ""))

    async def done(self, number: str) -> Done:
        """What a participant has done."""
        begun = await asyncio.to_thread(self._study.has_begun, number)
        return await self._work.done(number) if begun else Done(0)

    async def _page(self, request: Request) -> Response:
        if not self.arrives(request):
            return web.file(STATIC / "study.html")
        try:  # what says who it is leaves the address bar, and the history, at once
            token = await asyncio.to_thread(self._study.arrive, dict(request.query_params))
        except NotOursError as problem:
            away = RedirectResponse(f"{HOME}#{problem.why}", 303)
            away.delete_cookie(self._cookie)
            return away
        away = RedirectResponse(HOME, 303)
        secure = "https" in {request.url.scheme, request.headers.get("x-forwarded-proto")}
        away.set_cookie(self._cookie, token, max_age=COOKIE_S, httponly=True, samesite="lax", secure=secure)
        return away

    async def _file(self, request: Request) -> Response:
        found = self._files.get(request.path_params["name"])
        return web.file(found) if found is not None else PlainTextResponse("There is no such file.\n", 404)

    def _asked(self, name: str, act: Acting) -> Callable[[Request], Awaitable[Response]]:
        async def asked(request: Request) -> Response:
            who = await self.who(request)
            if who is None:
                return web.json(_Problem("open the study by the link that you were given"), 401)
            sent = await body(request)
            if name == "withdraw" and await asyncio.to_thread(self._study.has_begun, who):
                await self._work.withdraw(who)
            done = await self.done(who)
            stands = await asyncio.to_thread(act, who, sent, done)
            if name == "instructions":  # now there is something to be looked for, if only that nothing is left to do
                done = await self.done(who)
                stands = await asyncio.to_thread(self._study.look, who, done)
            return web.json(self._shown(*stands, done))

        return asked

    def _consent(self, who: str, sent: bytes, done: Done) -> tuple[Person, Step]:
        said = foreign.json(sent, _Agreed)
        return self._study.consent(who, said.version, agreed=said.agreed, done=done)

    def _check(self, who: str, sent: bytes, done: Done) -> tuple[Person, Step]:
        said = foreign.json(sent, _Chosen)
        return self._study.check(who, said.check, said.chosen, done)

    def _shown(self, person: Person, step: Step, done: Done) -> Shown:
        """A step as a page shows it; a code only of a way out that is kept."""
        spec = self._study.spec
        check = flow.due(spec, person, done) if step == "check" else None
        asked = {"screening": spec.screening, "demographics": spec.demographics}.get(step, ())
        code = spec.code(person.exit) if person.exit else ""
        return Shown(
            step=step,
            title=spec.title,
            minutes=spec.minutes,
            consent=spec.consent if step in {"consent", "complete", "withdrawn"} else None,
            questions=tuple(Asked(one.name, one.question, one.options) for one in asked)
            if check is None
            else (Asked("check", spec.check[check].question, spec.check[check].options),),
            check=check,
            instructions=spec.instructions if step == "instructions" else "",
            hold_minutes=spec.hold_minutes if step == "instructions" else 0,
            done=min(done.n, spec.n),
            of=spec.n,
            code=code,
            return_to=spec.recruitment.return_to.replace("{code}", code) if code else "",
            withdrawn=bool(person.withdrawn_at),
        )
