"""What ``audiometry review`` does: finds what is reviewed, serves the page, says how far it is."""

from __future__ import annotations

import contextlib
import re
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from audiometry.cli.say import say
from audiometry.errors import UnknownNameError, UsageError, counted, shown
from audiometry.files.extras import install

if TYPE_CHECKING:
    from audiometry.bench import Benchmark
    from audiometry.review.review import Review

_NO_NAME = re.compile(r"[^a-z0-9.]+")


class Standing(msgspec.Struct, frozen=True, kw_only=True):
    """How far a review is, as ``--json`` says it."""

    folder: str
    mode: str
    n_units: int
    n_done: int
    n_answers: int
    raters: dict[str, int]


def opened(
    of: tuple[str, ...], mode: str, *, output: Path | None, sample: int | None, raters: int | None, seed: int | None
) -> tuple[Review, Benchmark]:
    """The review that was asked for, and the benchmark whose clips it plays."""
    from audiometry import bench
    from audiometry.review import sources
    from audiometry.review.folder import INSIDE, REVIEWS, ReviewFolder
    from audiometry.review.modes import MODES
    from audiometry.review.review import reviewed

    mode = mode or "approve"
    if mode not in MODES:
        raise UnknownNameError("mode of review", mode, MODES)
    first, *more = of
    if more:
        raise UsageError("a benchmark is reviewed alone; give one folder")
    benchmark = bench.load(first)
    inside = Path(first) if Path(first).is_dir() else None
    named = _NO_NAME.sub("-", f"{mode}-{benchmark.name}".lower())
    folder = output or (inside / INSIDE if inside is not None else REVIEWS / named)
    given = {"sample": sample, "raters": raters, "seed": seed}
    return reviewed(ReviewFolder(folder), MODES[mode], sources.items(benchmark), (benchmark.name,), given), benchmark


def serve(review: Review, benchmark: Benchmark, *, port: int) -> None:
    """Serve the page until Ctrl-C."""
    try:
        from audiometry.review import page
        from audiometry.web import serve as server
        from audiometry.web.clips import Clips
        from audiometry.web.door import Door
    except ImportError as problem:
        if problem.name not in {"fastapi", "starlette", "uvicorn"}:
            raise
        raise UsageError(f"review needs FastAPI and uvicorn: {install('web')}") from problem
    with server.listen(port=port) as on, review.desk() as desk, contextlib.closing(Clips(benchmark.clip_path)) as clips:

        def ready(_: Callable[[], None]) -> None:
            left = sum(map(desk.wanted, desk.units))
            say(f"{counted(left, 'answer')} to be given about {counted(len(desk.units), 'item')}.", err=True)
            say(f"Open {server.address(on)} in a browser; Ctrl-C ends it, and nothing is lost.", err=True)

        app = page.application(page.Page(desk, clips, shown(benchmark.name)), Door("audiometry-review"), clips)
        server.serve(app, on, ready)


def standing(review: Review) -> Standing:
    """How far it is."""
    answers = review.answers()
    wanted = review.mode.wanted
    return Standing(
        folder=str(review.folder.path),
        mode=review.mode.name,
        n_units=len(review.units),
        n_done=sum(not wanted(unit, answers.of(unit.key), review.settings.raters) for unit in review.units),
        n_answers=len(answers),
        raters={name: answers.count(name) for name in answers.raters},
    )


def said(found: Standing) -> str:
    """The same for people."""
    who = ", ".join(f"{shown(name)} {n:,}" for name, n in found.raters.items())
    folder = shown(shlex.quote(found.folder), 1000)
    return (
        f"{found.n_done:,} of {counted(found.n_units, 'item')} done, {counted(found.n_answers, 'answer')} in all"
        f"{f' ({who})' if who else ''}; kept in {folder}"
    )
