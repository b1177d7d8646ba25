"""What ``audiometry review`` does: finds what is reviewed, serves the page, says how far it is."""

from __future__ import annotations

import contextlib
import re
import shlex
import socket
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from audiometry.cli.say import say, say_json
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


def serve(review: Review, benchmark: Benchmark, *, host: str, port: int, named: tuple[str, ...]) -> Review:
    """Serve the page until Ctrl-C; the review with the links that were made."""
    try:
        from audiometry.review import page
        from audiometry.web import door
        from audiometry.web import serve as server
        from audiometry.web.clips import Clips
    except ImportError as problem:
        if (problem.name or "").partition(".")[0] not in {"fastapi", "starlette", "uvicorn"}:
            raise
        raise UsageError(f"review needs FastAPI and uvicorn; run: {install('web')}") from problem
    tokens = {door.token(): door.named(name) for name in named}
    with contextlib.ExitStack() as stack:
        on = stack.enter_context(server.listen(host or server.HERE, port))
        desk = stack.enter_context(review.desk())
        clips = stack.enter_context(contextlib.closing(Clips(benchmark.clip_path)))
        if tokens:
            review = review.with_links({door.hashed(token): name for token, name in tokens.items()})
        if host and not review.settings.links:
            raise UsageError("nobody could come in: make a link for each person with --rater NAME")
        entrance = door.Door("audiometry-review", review.settings.links if host else None)
        app = page.application(page.Page(desk, clips, shown(benchmark.name)), entrance, clips)

        def ready(_: Callable[[], None]) -> None:
            left = sum(map(desk.wanted, desk.units))
            say(f"{counted(left, 'answer')} to be given about {counted(len(desk.units), 'item')}.", err=True)
            address = server.address(on, socket.gethostname() if host in {"0.0.0.0", "::"} else host or server.HERE)  # noqa: S104  compared, not bound
            for token, name in tokens.items():
                say(f"{shown(name)}: {address}/link/{token}", err=True)
            if host and (others := sorted(set(review.settings.links.values()) - set(tokens.values()))):
                say(f"Links of before still hold: {', '.join(map(shown, others))}.", err=True)
            way = "Each person opens the own link" if host else f"Open {address} in a browser"
            say(f"{way}; Ctrl-C ends it, and nothing is lost.", err=True)

        server.serve(app, on, ready)
    return review


def apply(
    of: tuple[str, ...],
    mode: str,
    *,
    output: Path | None,
    as_json: bool,
    sample: int | None,
    raters: int | None,
    seed: int | None,
) -> int:
    """Write the new version that a review makes of a benchmark; say what has changed."""
    from audiometry.review.applied import apply as applied

    if output is None:
        raise UsageError("--apply writes a new version of the benchmark; say with -o where to")
    review, benchmark = opened(of, mode, output=None, sample=sample, raters=raters, seed=seed)
    if not review.folder.exists():
        raise UsageError(
            f"{shown(str(review.folder.path), 200)} holds no review; have people review the benchmark first"
        )
    found = applied(review, benchmark, output)
    if as_json:
        say_json(found)
        return 0
    where = shown(shlex.quote(found.folder), 1000)
    mended = (
        f"of {found.n_text_mended:,} the text is mended (they have new ids), of {found.n_answer_mended:,} the answer"
    )
    say(
        f"{counted(found.n_items, 'item')}, {found.n_rejected:,} rejected; {mended}; {found.n_unreviewed:,} unreviewed."
    )
    say(f"Version {shown(found.version)} in {where}; next: audiometry check {where}")
    return 0


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
